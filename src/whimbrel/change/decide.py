"""Did the page change, how, how much and where (P1 §4): the cheap test first, the paragraphs only where it fails."""

from collections.abc import Iterable, Iterator, Sequence

from whimbrel.change.address import lasting_file, lasting_link
from whimbrel.change.align import Pair, align, moved, similarity
from whimbrel.change.blocks import Block
from whimbrel.change.machinery import around_spots, is_rebuilt, machinery_spots
from whimbrel.change.mask import masked, timeless
from whimbrel.change.noise import QUIET, Noise, places, site_key
from whimbrel.change.passing import lasting
from whimbrel.change.tokens import lasting_class
from whimbrel.change.version import Version
from whimbrel.records.change import KINDS, NO_CHANGE, Change, Kind, Spot

# A link or a picture inside a paragraph, an element around it, its looks: less than its words.
_ASIDE_SHARE = 0.1
_LEAST_AMOUNT = 0.001

# Elements that only group others (HTML standard §4.3, §4.4.15): a rebuilt site may group differently, no reader sees.
_GROUPS = frozenset({"div", "section", "article", "main", "body", "center", "hgroup", "form", "fieldset"})
# Without text in them these cannot be seen either.
_UNSEEN = _GROUPS | {"a", "abbr", "b", "em", "i", "ins", "small", "span", "strong", "time", "wbr"}


def decide(before: Version, after: Version, noise: Noise = QUIET) -> Change:
    """`noise` is what `learn` found in the history up to `before` and in the neighbours."""
    if before.digest == after.digest and before.digests == after.digests:
        return NO_CHANGE
    rebuilt = is_rebuilt(before, after)
    spots = [*_title(before, after, noise), *_main(before, after, noise, rebuilt), *_images(before, after)]
    spots += machinery_spots(before, after, noise, rebuilt)
    alarms = tuple(spot for spot in spots if not spot.reason)
    quiet = [spot for spot in spots if spot.reason]
    quiet += around_spots(before, after)
    found = {kind for spot in alarms for kind in spot.kinds}
    amount = min(1.0, max(_LEAST_AMOUNT, sum(spot.share for spot in alarms))) if alarms else 0.0
    return Change(bool(alarms), tuple(kind for kind in KINDS if kind in found), amount, alarms, tuple(quiet))


def _title(before: Version, after: Version, noise: Noise) -> Iterator[Spot]:
    if before.title != after.title:
        reason = "it differs from visit to visit" if noise.restless_title else ""
        if masked(before.title) == masked(after.title):
            reason = "a number in the title"
        share = _ASIDE_SHARE / max(1, len(before.blocks))
        yield Spot("changed", ("content",), "title", before.title, after.title, share, reason)


def _main(before: Version, after: Version, noise: Noise, rebuilt: bool) -> list[Spot]:
    if before.markup == after.markup and before.markup:
        return []
    old, new = before.blocks, after.blocks
    was, now = [block.text for block in old], [block.text for block in new]
    pairs = align(was, now)
    weight = max(1, _weight(old) + _weight(new))
    elsewhere = moved(pairs, was, now)
    spots = []
    for pair in pairs:
        if pair in elsewhere:
            continue
        if pair.before is None or pair.after is None:
            spots.append(_come_or_gone(pair, old, new, noise, weight))
        elif old[pair.before] != new[pair.after]:
            spots += _edited(old, new, pair.before, pair.after, noise, rebuilt, weight)
    spots += _moves(elsewhere, old, new, noise, weight)
    return spots or _textless(before, after, rebuilt)


def _textless(before: Version, after: Version, rebuilt: bool) -> list[Spot]:
    """Rules, pictures, fields: elements that are seen though they hold no text."""
    was, now = ([tag for tag in version.tags if tag not in _UNSEEN] for version in (before, after))
    if was == now:
        return []
    reason = "elements without text, after the site was rebuilt" if rebuilt else ""
    share = abs(len(now) - len(was)) / max(1, len(was), len(now))
    return [Spot("changed", ("structural",), "elements without text", "", "", share, reason)]


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
    elif renamed or _dress(before) != _dress(after) or (_classes(before) != _classes(after) and not rebuilt):
        found.append("presentation")
    return tuple(found)


def _dress(block: Block) -> list[str]:
    return [_style(part) if part.startswith("style=") else part for part in block.dress.split("\n")]


def _style(declarations: str) -> str:
    parts = ("".join(part.split()) for part in declarations.removeprefix("style=").split(";"))
    return ";".join(sorted(part for part in parts if part))


def _classes(block: Block) -> list[str]:
    """In any order, and without what tools invent anew for each build."""
    return sorted(name for word in block.classes.split() if (name := lasting_class(word)))


def _outline(block: Block) -> list[str]:
    return [tag for tag in block.path.split("/") if tag not in _GROUPS]


def _shown(before: Block, after: Block) -> tuple[str, str]:
    """What a person is shown: the words, or where these are equal what differs instead."""
    if before.text != after.text:
        return before.text, after.text
    for was, now in ((before.links, after.links), (before.images, after.images)):
        if was != now:
            return _unlike(was, now), _unlike(now, was)
    if before.path != after.path:
        return before.path, after.path
    return _worn(before), _worn(after)


def _worn(block: Block) -> str:
    return " ".join(f"{block.classes} {block.dress}".split())


def _unlike(these: Iterable[object], those: Sequence[object]) -> str:
    return " ".join(" ".join(one) if isinstance(one, tuple) else str(one) for one in these if one not in those)


def _reason(old: Sequence[Block], new: Sequence[Block], i: int, j: int, noise: Noise) -> str:
    before, after = old[i], new[j]
    if before.path == after.path:
        if _as_written(before) != _as_written(after) and _timeless(before) == _timeless(after):
            return "only times, counters and tokens differ"
        mask = masked(after.text)
        if mask == masked(before.text) and (after.tag, mask) in noise.varying:
            return "its numbers or dates differ from visit to visit"
        if mask == masked(before.text) and not noise.repeated.isdisjoint((before.text, after.text)):
            return "a number in what the site repeats on its pages"
        if noise.rotating and not noise.rotating.isdisjoint(places(old, i) & places(new, j)):
            return "it differs from visit to visit"
        if noise.restyled and _is_only_dressed(before, after) and not noise.restyled.isdisjoint(places(old, i)):
            return "its looks differ from visit to visit"
    key, was = site_key(after), site_key(before)
    if key != was and key in noise.shared and was not in noise.seen:
        return "the site repeats it on its pages"
    return ""


def _is_only_dressed(before: Block, after: Block) -> bool:
    return (before.text, before.links, before.images) == (after.text, after.links, after.images)


def _timeless(block: Block) -> tuple[object, ...]:
    return (
        timeless(lasting(block.text)),
        tuple(lasting_link(link) for link in block.links),
        tuple((lasting_file(address), says) for address, says in block.images),
        _dress(block),
    )


def _as_written(block: Block) -> tuple[object, ...]:
    return block.text, block.links, block.images, block.dress


def _moves(
    elsewhere: dict[Pair, tuple[int, int]], old: Sequence[Block], new: Sequence[Block], noise: Noise, weight: int
) -> Iterator[Spot]:
    for i, j in dict.fromkeys(elsewhere.values()):
        share = 2 * _ASIDE_SHARE * len(new[j].text) / weight
        place = f"{new[j].place}, was {old[i].place}"
        reason = "its order differs from visit to visit" if new[j].path in noise.shuffled else ""
        yield Spot("moved", ("structural",), place, old[i].text, new[j].text, share, reason)


def _images(before: Version, after: Version) -> Iterator[Spot]:
    for address, was in before.digests.items():
        now = after.digests.get(address)
        if now is not None and now != was:
            share = _ASIDE_SHARE / max(1, len(after.blocks))
            yield Spot("changed", ("image",), f"image {address}", was.hex(), now.hex(), share)
