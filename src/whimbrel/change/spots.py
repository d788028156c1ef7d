"""The spots in which two versions of a page differ, by the names under which they are known again at the next visit."""

from collections.abc import Sequence

from whimbrel.change.align import align, moved
from whimbrel.change.blocks import Block
from whimbrel.change.habits import NOTHING, SORTS, Held, held_by, joined, key_of
from whimbrel.change.mask import masked, masked_code, without_texts
from whimbrel.change.version import Version

_CODE_KEY_CHARACTERS = 40


def places(blocks: Sequence[Block], at: int) -> set[tuple[str, ...]]:
    """The names by which a place is known again, whatever stands in it: its neighbours, or its path if only one
    block has it."""
    block = blocks[at]
    known: set[tuple[str, ...]] = {
        ("after", block.tag, masked(blocks[at - 1].text) if at else ""),
        ("before", block.tag, masked(blocks[at + 1].text) if at + 1 < len(blocks) else ""),
    }
    if sum(other.path == block.path for other in blocks) == 1:
        known.add(("only", block.path))
    return known


def differing(older: Version, newer: Version) -> dict[str, dict[int, Held]]:
    """The spots in which two versions differ, by sort."""
    found: dict[str, dict[int, Held]] = {sort: {} for sort in SORTS}
    if older.markup != newer.markup or not older.markup:
        _differing_blocks(older, newer, found)
    if older.title != newer.title:
        found["title"][key_of(())] = NOTHING
    for was, now in ((older.code, newer.code), (older.styles, newer.styles), (older.actions, newer.actions)):
        found["code"] |= {key_of([code_key(code)]): NOTHING for code in set(was) ^ set(now)}
    return found


def _differing_blocks(older: Version, newer: Version, found: dict[str, dict[int, Held]]) -> None:
    was, now = [block.text for block in older.blocks], [block.text for block in newer.blocks]
    pairs = align(was, now)
    for pair in pairs:
        if pair.before is None or pair.after is None:
            continue
        old, new = older.blocks[pair.before], newer.blocks[pair.after]
        if only_numbers(old, new):
            found["number"][key_of((new.tag, masked(new.text)))] = NOTHING
        elif (old.text, old.links, old.images) != (new.text, new.links, new.images):
            held = joined(held_by(old), held_by(new))
            common = places(older.blocks, pair.before) & places(newer.blocks, pair.after)
            found["place"] |= {key_of(name): held for name in common}
        elif (old.classes, old.dress) != (new.classes, new.dress):
            found["look"] |= {key_of(name): NOTHING for name in places(older.blocks, pair.before)}
    paths = {newer.blocks[j].path for _, j in moved(pairs, was, now).values()}
    found["order"] |= {key_of([path]): NOTHING for path in paths}
    found["turn"] |= {key_of([text]): NOTHING for text in set(was) ^ set(now)}


def only_numbers(before: Block, after: Block) -> bool:
    """Whether the texts differ, but in nothing but numbers, dates and tokens."""
    return before.text != after.text and masked(before.text) == masked(after.text)


def code_key(code: str) -> str:
    return masked_code(without_texts(code.strip()[: 4 * _CODE_KEY_CHARACTERS]))[:_CODE_KEY_CHARACTERS]
