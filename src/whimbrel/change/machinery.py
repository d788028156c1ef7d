"""What a page does and how it is dressed as a whole, and what stands around its main part."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from whimbrel.change.mask import masked_code, names_in_data, unhashed
from whimbrel.change.noise import Noise, unhabitual
from whimbrel.change.version import Version
from whimbrel.records.change import Kind, Spot

REBUILT = "the site was rebuilt: its files carry new names"
HABIT = "it differs from visit to visit"
AROUND = "outside the main part"

_SHARE = 0.01
_SHOWN_CHARACTERS = 200


def is_rebuilt(before: Version, after: Version) -> bool:
    """Whether scripts or styles only changed the hash in their name: then all of the site was built anew, and what
    differs in its code and classes says nothing about this page."""
    was, now = {*before.sources, *before.sheets}, {*after.sources, *after.sheets}
    return not {_file(name) for name in was - now}.isdisjoint(_file(name) for name in now - was)


def _file(address: str) -> tuple[str, str]:
    """The host and the name of a file. Builds are told apart in its name, its query or a folder above it."""
    host = address.split("/", 3)[2] if address.startswith(("http:", "https:", "//")) and address.count("/") > 2 else ""
    return host, unhashed(address.partition("?")[0].rpartition("/")[2])


def machinery_spots(before: Version, after: Version, noise: Noise, rebuilt: bool) -> Iterator[Spot]:
    """Scripts, handlers, forms and styles."""
    yield from _compared("forms and handlers", "behavioural", before.actions, after.actions, noise, False)
    yield from _compared("scripts", "behavioural", before.code, after.code, noise, rebuilt)
    yield from _renamed("scripts", "behavioural", before.sources, after.sources, rebuilt)
    yield from _compared("styles", "presentation", before.styles, after.styles, noise, rebuilt)
    yield from _renamed("style sheets", "presentation", before.sheets, after.sheets, rebuilt)


def around_spots(before: Version, after: Version) -> Iterator[Spot]:
    """Menus, headers, footers and asides: shown, but no alarm."""
    if before.around != after.around:
        was, now = Counter(before.around), Counter(after.around)
        for text in was - now:
            yield Spot("removed", ("content",), AROUND, text, "", 0.0, AROUND)
        for text in now - was:
            yield Spot("added", ("content",), AROUND, "", text, 0.0, AROUND)


def _compared(
    place: str, kind: Kind, was: Sequence[str], now: Sequence[str], noise: Noise, rebuilt: bool
) -> Iterator[Spot]:
    if was == now:
        return
    gone, come = _difference(was, now)
    if not gone and not come:
        return
    yield _spot(place, kind, gone, come, REBUILT if rebuilt else _reason(gone, come, noise))


def _reason(gone: list[str], come: list[str], noise: Noise) -> str:
    if not unhabitual((*gone, *come), noise):
        return HABIT
    if {masked_code(code) for code in gone} == {masked_code(code) for code in come}:
        return "only numbers and tokens differ"
    tables = [names_in_data(code) for code in gone], [names_in_data(code) for code in come]
    if None not in tables[0] and tables[0] == tables[1]:
        return "only the data in it differ"
    return ""


def _renamed(place: str, kind: Kind, was: Sequence[str], now: Sequence[str], rebuilt: bool) -> Iterator[Spot]:
    gone, come = _difference(was, now)
    if gone or come:
        yield _spot(place, kind, gone, come, REBUILT if rebuilt else "")


def _difference(was: Sequence[str], now: Sequence[str]) -> tuple[list[str], list[str]]:
    before, after = dict.fromkeys(was), dict.fromkeys(now)
    return [one for one in before if one not in after], [one for one in after if one not in before]


def _spot(place: str, kind: Kind, gone: Iterable[str], come: Iterable[str], reason: str) -> Spot:
    return Spot("changed", (kind,), place, _shown(gone), _shown(come), _SHARE, reason)


def _shown(texts: Iterable[str]) -> str:
    return " ".join(" ".join(text[:_SHOWN_CHARACTERS].split()) for text in texts)[:_SHOWN_CHARACTERS]
