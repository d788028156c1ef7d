"""Did the page change, how, how much and where (P1 §4): the cheap test first, the paragraphs only where it fails."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from whimbrel.change.align import Pair, align, moved, similarity
from whimbrel.change.blocks import GROUPS, Block, outline
from whimbrel.change.degree import is_read
from whimbrel.change.lasting_blocks import as_lasts, as_read, as_written, dress_of, parameters_apart
from whimbrel.change.letters import as_typed
from whimbrel.change.machinery import around_spots, is_rebuilt, machinery_spots
from whimbrel.change.mask import is_set_anew, masked, unstamped, untokened
from whimbrel.change.moments import with_moments
from whimbrel.change.noise import QUIET, Noise, site_key, title_numbers
from whimbrel.change.passing import lasting
from whimbrel.change.rows import TurningRows
from whimbrel.change.showing import aspects, elements
from whimbrel.change.spots import Name, PlaceNames, numbers_apart, only_numbers, parameter_name, roll_name, rolled
from whimbrel.change.ties import REASON as TIED
from whimbrel.change.ties import in_old_order
from whimbrel.change.tokens import lasting_class
from whimbrel.change.version import ComparedVersion
from whimbrel.records.change import KINDS, NO_CHANGE, Aspect, Change, Kind, Spot

# A link or a picture inside a paragraph, an element around it, its looks: less than its words.
_ASIDE_SHARE = 0.1
_LEAST_AMOUNT = 0.001

# Without text in them these cannot be seen either.
_UNSEEN = GROUPS | {"a", "abbr", "b", "em", "i", "ins", "small", "span", "strong", "time", "wbr"}


_WAITING = re.compile(r"^\(\d+\+?\)\s*")
_STRUCK = frozenset({"del", "s", "strike"})

COMES_AND_GOES = "it comes and goes"
ROLLS = "its numbers or dates differ from visit to visit"
COUNTED = "it counts, as the same place of the site's other pages does"
ROW = "its row differs from visit to visit"
WRITTEN_OTHERWISE = "it says the same and leads to the same, written otherwise"
STAMPED = "only times, counters and tokens differ"
BY_LOT = "a random string, which may be another at every look"
SITES_LINE = "the site repeats it on its pages"
SITES_NUMBER = "a number in what the site repeats on its pages"


class _Terms(Struct, frozen=True):
    """What blocks are judged by. `weight` is what both versions together weigh, `address` where the page stands, `was`
    and `now` name the places of both, `rows` are theirs; of `rolled` texts one came and one went."""

    noise: Noise
    rebuilt: bool
    weight: int
    address: str
    was: PlaceNames
    now: PlaceNames
    rows: TurningRows
    rolled: set[Name]


def decide(before: ComparedVersion, after: ComparedVersion, noise: Noise = QUIET) -> Change:
    """`noise` is what `learn` found in the history up to `before` and in the neighbours."""
    if before.digest == after.digest and before.digests == after.digests:
        return NO_CHANGE
    rebuilt = is_rebuilt(before, after)
    spots = [*_title(before, after, noise), *_main(before, after, noise, rebuilt), *_images(before, after)]
    spots += machinery_spots(before, after, noise, rebuilt)
    quiet = [spot for spot in spots if spot.reason]
    quiet += around_spots(before, after)
    return changed_in(tuple(spot for spot in spots if not spot.reason), tuple(quiet))


def changed_in(where: tuple[Spot, ...], noise: tuple[Spot, ...]) -> Change:
    """The change that these places amount to."""
    alarms = tuple(spot for spot in where if is_read(spot.kinds))
    found = {kind for spot in where for kind in spot.kinds}
    # What nobody reads is shown with the rest and adds nothing to how much changed, unless it is all there is.
    amount = min(1.0, max(_LEAST_AMOUNT, sum(spot.share for spot in alarms or where))) if where else 0.0
    return Change(bool(alarms), tuple(kind for kind in KINDS if kind in found), amount, where, noise)


def _title(before: ComparedVersion, after: ComparedVersion, noise: Noise) -> Iterator[Spot]:
    if before.title != after.title:
        reason = "it differs from visit to visit" if noise.habits.has("title") else ""
        if masked(before.title) == masked(after.title) and _is_passing(before.title, after.title, noise):
            reason = "a number in the title"
        if as_typed(before.title) == as_typed(after.title):
            reason = "it says the same, written otherwise"
        share = _ASIDE_SHARE / max(1, len(before.blocks))
        yield Spot("changed", ("content",), "title", before.title, after.title, share, reason)


def _is_passing(was: str, now: str, noise: Noise) -> bool:
    """How many messages wait for the reader, or a number that the titles of the site's other pages bear as well."""
    if _WAITING.sub("", was) == _WAITING.sub("", now):
        return True
    before, after = title_numbers(was), title_numbers(now)
    return noise.titles.issuperset(before - after) or noise.titles.issuperset(after - before)


def _main(before: ComparedVersion, after: ComparedVersion, noise: Noise, rebuilt: bool) -> list[Spot]:
    if before.markup == after.markup and before.markup:
        return []
    old, new = before.blocks, in_old_order(before.blocks, after.blocks)
    was, now = [block.text for block in old], [block.text for block in new]
    pairs = align(was, now)
    names = PlaceNames(old), PlaceNames(new)
    rows = TurningRows(old, new, noise.habits)
    elsewhere = moved(pairs, was, now)
    weight = max(1, _weight(old) + _weight(new))
    terms = _Terms(noise, rebuilt, weight, after.address, *names, rows, rolled(pairs, elsewhere, old, new))
    spots = []
    for pair in pairs:
        if pair in elsewhere:
            continue
        if pair.before is None or pair.after is None:
            spots.append(_come_or_gone(pair, old, new, terms))
        elif old[pair.before] != new[pair.after]:
            spots += _edited(old, new, pair.before, pair.after, terms)
    spots += _moves(elsewhere, old, new, terms)
    spots += _tied(after.blocks, new)
    return spots or _textless(before, after, rebuilt)


def _tied(written: Sequence[Block], ordered: Sequence[Block]) -> Iterator[Spot]:
    for block, instead in zip(written, ordered, strict=True):
        if block is not instead and block.text != instead.text:
            yield Spot("moved", ("structural",), block.place, instead.text, block.text, 0.0, TIED)


def _textless(before: ComparedVersion, after: ComparedVersion, rebuilt: bool) -> list[Spot]:
    """Rules, pictures, fields: elements that are seen though they hold no text."""
    was, now = ([tag for tag in version.tags if tag not in _UNSEEN] for version in (before, after))
    if was == now:
        return []
    reason = "elements without text, after the site was rebuilt" if rebuilt else ""
    share = abs(len(now) - len(was)) / max(1, len(was), len(now))
    seen = elements(was, now)
    place = "elements without text"
    return [Spot("changed", ("presentation",), place, seen.before, seen.after, share, reason, seen.what)]


def _weight(blocks: Sequence[Block]) -> int:
    return sum(len(block.text) or 1 for block in blocks)


def _come_or_gone(pair: Pair, old: Sequence[Block], new: Sequence[Block], terms: _Terms) -> Spot:
    block = old[pair.before] if pair.before is not None else new[pair.after or 0]
    gone = pair.before is not None
    reason = ""
    if terms.noise.habits.has("turn", block.text):
        reason = COMES_AND_GOES
    elif site_key(block) in terms.noise.shared:
        reason = SITES_LINE
    elif (name := roll_name(block)) in terms.rolled and _is_known_to_roll(block, name, terms.noise):
        reason = ROLLS
    elif terms.rows.explain(old, pair.before) if pair.before is not None else terms.rows.explain(new, pair.after or 0):
        reason = ROW
    return Spot(
        "removed" if gone else "added",
        # A box without a word may hold a picture or a frame; whether there is one is a matter of looks.
        ("structural", "content") if block.text else ("presentation",),
        block.place,
        block.text if gone else "",
        "" if gone else block.text,
        (len(block.text) or 1) / terms.weight,
        reason,
        beside=_pictured(block, gone),
    )


def _is_known_to_roll(block: Block, name: Name, noise: Noise) -> bool:
    return noise.habits.has("number", *name) or noise.habits.has("number", block.tag, masked(block.text))


def _pictured(block: Block, gone: bool) -> tuple[Aspect, ...]:
    """A picture without words is all there is to show of its block."""
    shown = " ".join(" ".join(image).strip() for image in block.images)
    return (Aspect("pictures", shown if gone else "", "" if gone else shown),) if shown and not block.text else ()


def _edited(old: Sequence[Block], new: Sequence[Block], i: int, j: int, terms: _Terms) -> Iterator[Spot]:
    before, after = old[i], new[j]
    kinds = _kinds(before, after, terms.rebuilt)
    if not kinds:
        return
    size = max(len(before.text), len(after.text), 1)
    share = 2 * max(1 - similarity(before.text, after.text), _ASIDE_SHARE) * size / terms.weight
    place = after.place if before.tag == after.tag else f"{after.place}, was {before.tag}"
    first, *rest = aspects(before, after)
    reason = _reason(old, new, i, j, terms)
    yield Spot("changed", kinds, place, first.before, first.after, share, reason, first.what, tuple(rest))


def _kinds(before: Block, after: Block, rebuilt: bool) -> tuple[Kind, ...]:
    if not before.text and not after.text and _captions(before) == _captions(after):
        return ("presentation",)
    found: list[Kind] = []
    renamed = outline(before) != outline(after)
    grouped = before.path != after.path and not rebuilt
    if renamed and not rebuilt:
        found.append("structural")
    if _read(before) != _read(after):
        found.append("content")
    elif renamed or grouped or before.images != after.images or _looks(before, rebuilt) != _looks(after, rebuilt):
        found.append("presentation")
    return tuple(found)


def _read(block: Block) -> tuple[object, ...]:
    return block.text, block.links, _captions(block), _struck(block)


def _looks(block: Block, rebuilt: bool) -> tuple[list[str], list[str]]:
    """The classes of a site that was built anew say nothing."""
    return dress_of(block), [] if rebuilt else _classes(block)


def _captions(block: Block) -> list[str]:
    """What is said in the place of pictures. Where they lie tells nothing: one picture has many addresses."""
    return [said for _, said in block.images if said]


def _struck(block: Block) -> int:
    """What is struck out is no longer so."""
    return sum(part in _STRUCK for part in block.dress.split("\n"))


def _classes(block: Block) -> list[str]:
    """In any order, and without what tools invent anew for each build."""
    return sorted(name for word in block.classes.split() if (name := lasting_class(word)))


def _reason(old: Sequence[Block], new: Sequence[Block], i: int, j: int, terms: _Terms) -> str:
    before, after, noise = old[i], new[j], terms.noise
    if outline(before) == outline(after):
        if as_written(before) != as_written(after):
            if as_read(before, terms.address) == as_read(after, terms.address):
                return WRITTEN_OTHERWISE
            if as_lasts(before, terms.address) == as_lasts(after, terms.address) and not _is_set_anew(before, after):
                return BY_LOT if _may_be_meant(before, after, i, j, terms) else STAMPED
        if _is_known_to_pass(parameters_apart(before, after), noise):
            return "it differs from visit to visit"
        if only_numbers(before, after):
            if _are_known_to_move(before, after, i, j, terms):
                return ROLLS
            if noise.counting.is_counted(before, new, j):
                return COUNTED
            if not noise.repeated.isdisjoint((before.text, after.text)):
                return SITES_NUMBER
        elif any(noise.habits.expects("place", after, *name) for name in terms.was.of(i) & terms.now.of(j)):
            return "it differs from visit to visit"
        if terms.rows.explain(new, j) and terms.rows.explain(old, i):
            return ROW
        if _is_only_dressed(before, after) and any(noise.habits.has("look", *name) for name in terms.was.of(i)):
            return "its looks differ from visit to visit"
    key, was = site_key(after), site_key(before)
    if key != was and key in noise.shared and was not in noise.seen:
        return SITES_LINE
    return ""


def _are_known_to_move(before: Block, after: Block, i: int, j: int, terms: _Terms) -> bool:
    """Whether the numbers of a text differ from visit to visit: all of those that differ now, if there are several."""
    habits, names, said = terms.noise.habits, terms.was.of(i) & terms.now.of(j), terms.now.text(j)
    if not (said and habits.has("number", *said)) and not any(habits.has("figure", *name) for name in names):
        return False
    return not any(
        all(habits.has_rested("figure", *name, one) for name in names) for one in numbers_apart(before, after) if names
    )


def _is_known_to_pass(parameters: set[tuple[str, str]] | None, noise: Noise) -> bool:
    return bool(parameters) and all(noise.habits.has("figure", *parameter_name(*one)) for one in parameters or ())


def _is_set_anew(before: Block, after: Block) -> bool:
    return is_set_anew(*(lasting(with_moments(block.text, block.moments)) for block in (before, after)))


def _may_be_meant(before: Block, after: Block, i: int, j: int, terms: _Terms) -> bool:
    """A random string may be a key or an address that somebody put there, unless the place or the site is known for
    it."""
    if untokened(before.text) == before.text or unstamped(lasting(before.text)) == unstamped(lasting(after.text)):
        return False
    if not terms.noise.repeated.isdisjoint((before.text, after.text)):
        return False
    return not any(terms.noise.habits.has("figure", *name) for name in terms.was.of(i) & terms.now.of(j))


def in_doubt(change: Change) -> Change:
    """The change as it is told where what may be drawn by lot is not."""
    meant = tuple(replace(spot, reason="") for spot in change.noise if spot.reason == BY_LOT)
    return changed_in((*change.where, *meant), tuple(spot for spot in change.noise if spot.reason != BY_LOT))


def _is_only_dressed(before: Block, after: Block) -> bool:
    return (before.text, before.links, before.images) == (after.text, after.links, after.images)


def _moves(
    elsewhere: dict[Pair, tuple[int, int]], old: Sequence[Block], new: Sequence[Block], terms: _Terms
) -> Iterator[Spot]:
    for i, j in dict.fromkeys(elsewhere.values()):
        share = 2 * _ASIDE_SHARE * len(new[j].text) / terms.weight
        place = f"{new[j].place}, was {old[i].place}"
        known = terms.noise.habits.has("order", new[j].path) or terms.rows.explain(new, j)
        reason = "its order differs from visit to visit" if known else ""
        yield Spot("moved", ("structural",), place, old[i].text, new[j].text, share, reason)


def _images(before: ComparedVersion, after: ComparedVersion) -> Iterator[Spot]:
    for address, was in before.digests.items():
        now = after.digests.get(address)
        if now is not None and now != was:
            share = _ASIDE_SHARE / max(1, len(after.blocks))
            yield Spot("changed", ("image",), f"image {address}", was.hex(), now.hex(), share, shows="bytes")
