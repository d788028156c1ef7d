"""What a page does and how it is dressed as a whole, and what stands around its main part."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from whimbrel.change.address import of_any_twin
from whimbrel.change.mask import is_data, masked, masked_action, masked_code, masked_styles, names_in_data
from whimbrel.change.noise import Noise, file_name, unhabitual
from whimbrel.change.tokens import without_hashes
from whimbrel.change.version import ComparedVersion
from whimbrel.records.change import Kind, Spot

REBUILT = "the site was rebuilt: its files carry new names"
HABIT = "it differs from visit to visit"
AROUND = "outside the main part"
OF_THE_SITE = "the site puts it on its pages"

_SHARE = 0.01
_SHOWN_CHARACTERS = 200


def is_rebuilt(before: ComparedVersion, after: ComparedVersion) -> bool:
    """Whether scripts or styles only changed the hash in their name: then all of the site was built anew, and what
    differs in its code and classes says nothing about this page."""
    was, now = (set(map(of_any_twin, (*version.sources, *version.sheets))) for version in (before, after))
    return not {_file(name) for name in was - now}.isdisjoint(_file(name) for name in now - was)


def _file(address: str) -> tuple[str, str]:
    """The host and the name of a file. Builds are told apart in its name, its query or a folder above it."""
    host = address.split("/", 3)[2] if address.startswith(("http:", "https:", "//")) and address.count("/") > 2 else ""
    return host, without_hashes(file_name(address))


def machinery_spots(before: ComparedVersion, after: ComparedVersion, noise: Noise, rebuilt: bool) -> Iterator[Spot]:
    """Scripts, handlers, forms and styles."""
    yield from _compared(
        "forms and handlers", "behavioural", before.actions, after.actions, masked_action, noise, False
    )
    yield from _compared("scripts", "behavioural", before.code, after.code, masked_code, noise, rebuilt)
    yield from _renamed("scripts", "behavioural", before.sources, after.sources, noise, rebuilt)
    yield from _compared("styles", "presentation", before.styles, after.styles, masked_styles, noise, rebuilt)
    yield from _renamed("style sheets", "presentation", before.sheets, after.sheets, noise, rebuilt)


def around_spots(before: ComparedVersion, after: ComparedVersion) -> Iterator[Spot]:
    """Menus, headers, footers and asides: shown, but no alarm."""
    if before.around != after.around:
        was, now = Counter(before.around), Counter(after.around)
        for text in was - now:
            yield Spot("removed", ("content",), AROUND, text, "", 0.0, AROUND)
        for text in now - was:
            yield Spot("added", ("content",), AROUND, "", text, 0.0, AROUND)


def _compared(
    place: str, kind: Kind, was: Sequence[str], now: Sequence[str], mask: Callable[[str], str], noise: Noise,
    rebuilt: bool,
) -> Iterator[Spot]:  # fmt: skip
    if was == now:
        return
    gone, come = _difference(was, now)
    if gone or come:
        yield _spot(place, kind, gone, come, REBUILT if rebuilt else _reason(gone, come, mask, noise))


def _reason(gone: list[str], come: list[str], mask: Callable[[str], str], noise: Noise) -> str:
    if not unhabitual((*gone, *come), noise):
        return HABIT
    if noise.files.issuperset(code.strip() for code in (*gone, *come)):
        return OF_THE_SITE
    if {mask(code) for code in gone} == {mask(code) for code in come}:
        return "only numbers and tokens differ"
    if mask is masked_code and (_are_tables(gone, come) or all(is_data(code) for code in (*gone, *come))):
        return "only the data in it differ"
    return ""


def _are_tables(gone: list[str], come: list[str]) -> bool:
    was, now = [names_in_data(code) for code in gone], [names_in_data(code) for code in come]
    return None not in was and was == now


def _renamed(
    place: str, kind: Kind, was: Sequence[str], now: Sequence[str], noise: Noise, rebuilt: bool
) -> Iterator[Spot]:
    gone, come = _difference([*map(of_any_twin, was)], [*map(of_any_twin, now)])
    if gone or come:
        yield _spot(place, kind, gone, come, REBUILT if rebuilt else _reason_for_files(gone, come, noise))


def _reason_for_files(gone: list[str], come: list[str], noise: Noise) -> str:
    was, now = {file_name(address) for address in gone}, {file_name(address) for address in come}
    if noise.files.issuperset(was | now):
        return OF_THE_SITE
    # A library's name without its version: "jquery-3.7.1.min.js".
    if {masked(name) for name in was} == {masked(name) for name in now} and len(gone) == len(come):
        return "another version of the same file" * _same_hosts(gone, come)
    return ""


def _same_hosts(gone: list[str], come: list[str]) -> bool:
    return {_file(address)[0] for address in gone} == {_file(address)[0] for address in come}


def _difference(was: Sequence[str], now: Sequence[str]) -> tuple[list[str], list[str]]:
    before, after = dict.fromkeys(was), dict.fromkeys(now)
    return [one for one in before if one not in after], [one for one in after if one not in before]


def _spot(place: str, kind: Kind, gone: Iterable[str], come: Iterable[str], reason: str) -> Spot:
    return Spot("changed", (kind,), place, _shown(gone), _shown(come), _SHARE, reason, "code")


def _shown(texts: Iterable[str]) -> str:
    return " ".join(" ".join(text[:_SHOWN_CHARACTERS].split()) for text in texts)[:_SHOWN_CHARACTERS]
