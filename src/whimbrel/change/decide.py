"""Did the page change, how, how much and where (P1 §4): the cheap test first, the paragraphs only where it fails."""

from collections.abc import Iterable, Iterator, Sequence

from whimbrel.change.align import Pair, align, similarity
from whimbrel.change.blocks import Block
from whimbrel.change.machinery import around_spots, is_rebuilt, machinery_spots
from whimbrel.change.mask import masked, timeless, unhashed
from whimbrel.change.noise import QUIET, Noise, places, site_key
from whimbrel.change.version import Version
from whimbrel.records.change import KINDS, NO_CHANGE, Change, Kind, Spot

# A link or a picture inside a paragraph, an element around it, its looks: less than its words.
_ASIDE_SHARE = 0.1
_LEAST_AMOUNT = 0.001

# Elements that only group others (HTML standard §4.3, §4.4.15): a rebuilt site may group differently, no reader sees.
_GROUPS = frozenset({"div", "section", "article", "main", "body", "center", "hgroup", "form", "fieldset"})


def decide(before: Version, after: Version, noise: Noise = QUIET) -> Change:
    """`noise` is what `learn` found in the history up to `before` and in the neighbours."""
    if before.digest == after.digest and before.digests == after.digests:
        return NO_CHANGE
    rebuilt = is_rebuilt(before, after)
    spots = [*_title(before, after), *_main(before, after, noise, rebuilt), *_images(before, after)]
    spots += machinery_spots(before, after, noise, rebuilt)
    alarms = tuple(spot for spot in spots if not spot.reason)
    quiet = [spot for spot in spots if spot.reason]
    quiet += around_spots(before, after)
    found = {kind for spot in alarms for kind in spot.kinds}
    amount = min(1.0, max(_LEAST_AMOUNT, sum(spot.share for spot in alarms))) if alarms else 0.0
    return Change(bool(alarms), tuple(kind for kind in KINDS if kind in found), amount, alarms, tuple(quiet))


def _title(before: Version, after: Version) -> Iterator[Spot]:
    if before.title != after.title:
        numbered = masked(before.title) == masked(after.title)
        share = _ASIDE_SHARE / max(1, len(before.blocks))
        yield Spot(
            "changed", ("content",), "title", before.title, after.title, share, "a number in the title" * numbered
        )


def _main(before: Version, after: Version, noise: Noise, rebuilt: bool) -> list[Spot]:
    if before.markup == after.markup and before.markup:
        return []
    old, new = before.blocks, after.blocks
    pairs = align([block.text for block in old], [block.text for block in new])
    weight = max(1, _weight(old) + _weight(new))
    moved = _moved(pairs, old, new)
    spots = []
    for pair in pairs:
        if pair in moved:
            continue
        if pair.before is None or pair.after is None:
            spots.append(_come_or_gone(pair, old, new, noise, weight))
        elif old[pair.before] != new[pair.after]:
            spots += _edited(old, new, pair.before, pair.after, noise, rebuilt, weight)
    spots += _moves(moved, old, new, weight)
    if not spots and before.tags != after.tags:
        reason = "elements without text, after the site was rebuilt" if rebuilt else ""
        share = abs(len(after.tags) - len(before.tags)) / max(1, len(before.tags), len(after.tags))
        spots.append(Spot("changed", ("structural",), "elements without text", "", "", share, reason))
    return spots


def _weight(blocks: Sequence[Block]) -> int:
    return sum(len(block.text) or 1 for block in blocks)


def _come_or_gone(pair: Pair, old: Sequence[Block], new: Sequence[Block], noise: Noise, weight: int) -> Spot:
    block = old[pair.before] if pair.before is not None else new[pair.after or 0]
    gone = pair.before is not None
    reason = ""
    if site_key(block) in noise.shared:
        reason = "the site repeats it on its pages"
    elif block.text in noise.fickle:
        reason = "it comes and goes"
    return Spot(
        "removed" if gone else "added",
        ("structural", "content"),
        block.place,
        block.text if gone else "",
        "" if gone else block.text,
        (len(block.text) or 1) / weight,
        reason,
    )


def _edited(
    old: Sequence[Block], new: Sequence[Block], i: int, j: int, noise: Noise, rebuilt: bool, weight: int
) -> Iterator[Spot]:
    before, after = old[i], new[j]
    kinds = _kinds(before, after, rebuilt)
    if not kinds:
        return
    size = max(len(before.text), len(after.text), 1)
    touched = max(1 - similarity(before.text, after.text), _ASIDE_SHARE)
    place = after.place if before.tag == after.tag else f"{after.place}, was {before.tag}"
    was, now = _shown(before, after)
    yield Spot("changed", kinds, place, was, now, 2 * touched * size / weight, _reason(old, new, i, j, noise))


def _kinds(before: Block, after: Block, rebuilt: bool) -> tuple[Kind, ...]:
    found: list[Kind] = []
    renamed = _outline(before) != _outline(after)
    if renamed or (before.path != after.path and not rebuilt):
        found.append("structural")
    if (before.text, before.links, before.images) != (after.text, after.links, after.images):
        found.append("content")
    elif renamed or before.dress != after.dress or (before.classes != after.classes and not rebuilt):
        found.append("presentation")
    return tuple(found)


def _outline(block: Block) -> list[str]:
    return [tag for tag in block.path.split("/") if tag not in _GROUPS]


def _shown(before: Block, after: Block) -> tuple[str, str]:
    """What a person is shown: the words, or where these are equal what differs instead."""
    if before.text != after.text:
        return before.text, after.text
    for was, now in ((before.links, after.links), (before.images, after.images)):
        if was != now:
            return " ".join(one for one in was if one not in now), " ".join(one for one in now if one not in was)
    if before.path != after.path:
        return before.path, after.path
    return f"{before.classes} {before.dress}".strip(), f"{after.classes} {after.dress}".strip()


def _reason(old: Sequence[Block], new: Sequence[Block], i: int, j: int, noise: Noise) -> str:
    before, after = old[i], new[j]
    if before.path == after.path:
        if _timeless(before) == _timeless(after) and _timeless(before) != _as_written(before):
            return "only times and tokens differ"
        mask = masked(after.text)
        if mask == masked(before.text) and (after.tag, mask) in noise.varying:
            return "its numbers or dates differ from visit to visit"
        if not noise.rotating.isdisjoint(places(old, i) & places(new, j)):
            return "it differs from visit to visit"
    if site_key(after) != site_key(before) and site_key(after) in noise.shared:
        return "the site repeats it on its pages"
    return ""


def _timeless(block: Block) -> tuple[object, ...]:
    return (
        timeless(block.text),
        tuple(timeless(link) for link in block.links),
        tuple(unhashed(image) for image in block.images),
        block.dress,
    )


def _as_written(block: Block) -> tuple[object, ...]:
    return block.text, block.links, block.images, block.dress


def _moved(pairs: Iterable[Pair], old: Sequence[Block], new: Sequence[Block]) -> dict[Pair, tuple[int, int]]:
    """Paragraphs that left one place and stand, word for word, in another."""
    gone = {old[pair.before].text: pair for pair in pairs if pair.before is not None and pair.after is None}
    found = {}
    for pair in pairs:
        if pair.before is None and pair.after is not None:
            source = gone.pop(new[pair.after].text, None) if new[pair.after].text else None
            if source is not None and source.before is not None:
                found[source] = found[pair] = (source.before, pair.after)
    return found


def _moves(
    moved: dict[Pair, tuple[int, int]], old: Sequence[Block], new: Sequence[Block], weight: int
) -> Iterator[Spot]:
    for i, j in dict.fromkeys(moved.values()):
        share = 2 * _ASIDE_SHARE * len(new[j].text) / weight
        yield Spot("moved", ("structural",), f"{new[j].place}, was {old[i].place}", old[i].text, new[j].text, share)


def _images(before: Version, after: Version) -> Iterator[Spot]:
    for address, was in before.digests.items():
        now = after.digests.get(address)
        if now is not None and now != was:
            share = _ASIDE_SHARE / max(1, len(after.blocks))
            yield Spot("changed", ("image",), f"image {address}", was.hex(), now.hex(), share)
