"""The spots in which two versions of a page differ, by the names under which they are known again at the next visit."""

from collections.abc import Sequence

from whimbrel.change.align import align, moved
from whimbrel.change.blocks import Block
from whimbrel.change.habits import NOTHING, SORTS, Habits, PlaceHeld, held_by, joined, key_of
from whimbrel.change.mask import masked, masked_code, without_texts
from whimbrel.change.rows import differing_rows
from whimbrel.change.version import ComparedVersion

_CODE_KEY_CHARACTERS = 40


def places(blocks: Sequence[Block], at: int) -> set[tuple[str, ...]]:
    """The names by which a place is known again, whatever stands in it: its neighbours, or its path if only one
    block has it."""
    block = blocks[at]
    known: set[tuple[str, ...]] = {
        ("after", block.tag, *_landmark(blocks, range(at - 1, -1, -1))),
        ("before", block.tag, *_landmark(blocks, range(at + 1, len(blocks)))),
    }
    if sum(other.path == block.path for other in blocks) == 1:
        known.add(("only", block.path))
    return known


def _landmark(blocks: Sequence[Block], others: range) -> tuple[str, str]:
    """The next block with a word in it, and how far it is: between numbers alone places cannot be told apart."""
    for distance, other in enumerate(others):
        if has_words(blocks[other].text):
            return masked(blocks[other].text), str(distance)
    return "", str(len(others))


def has_words(text: str) -> bool:
    return any(character.isalpha() for character in masked(text))


def differing(older: ComparedVersion, newer: ComparedVersion, habits: Habits) -> dict[str, dict[int, PlaceHeld]]:
    """The spots in which two versions differ, by sort. `habits` tell what has been there before."""
    found: dict[str, dict[int, PlaceHeld]] = {sort: {} for sort in SORTS}
    if older.markup != newer.markup or not older.markup:
        _differing_blocks(older, newer, found, habits)
    if older.title != newer.title:
        found["title"][key_of(())] = NOTHING
    for was, now in ((older.code, newer.code), (older.styles, newer.styles), (older.actions, newer.actions)):
        found["code"] |= {key_of([code_key(code)]): NOTHING for code in set(was) ^ set(now)}
    return found


def _differing_blocks(
    older: ComparedVersion, newer: ComparedVersion, found: dict[str, dict[int, PlaceHeld]], habits: Habits
) -> None:
    was, now = [block.text for block in older.blocks], [block.text for block in newer.blocks]
    pairs = align(was, now)
    for pair in pairs:
        if pair.before is None or pair.after is None:
            continue
        old, new = older.blocks[pair.before], newer.blocks[pair.after]
        if (old.text, old.links, old.images) != (new.text, new.links, new.images):
            common = places(older.blocks, pair.before) & places(newer.blocks, pair.after)
            found["figure"] |= {key_of(name): NOTHING for name in common}
            if only_numbers(old, new):
                if has_words(new.text):
                    found["number"][key_of((new.tag, masked(new.text)))] = NOTHING
            else:
                held = joined(held_by(old), held_by(new))
                found["place"] |= {key_of(name): held for name in common}
        elif (old.classes, old.dress) != (new.classes, new.dress):
            found["look"] |= {key_of(name): NOTHING for name in places(older.blocks, pair.before)}
    found["row"] |= differing_rows(older.blocks, newer.blocks, habits)
    paths = {newer.blocks[j].path for _, j in moved(pairs, was, now).values()}
    found["order"] |= {key_of([path]): NOTHING for path in paths}
    found["turn"] |= {key_of([text]): NOTHING for text in set(was) ^ set(now)}


def only_numbers(before: Block, after: Block) -> bool:
    """Whether the texts differ, but in nothing but numbers, dates and tokens."""
    return before.text != after.text and masked(before.text) == masked(after.text)


def code_key(code: str) -> str:
    return masked_code(without_texts(code.strip()[: 4 * _CODE_KEY_CHARACTERS]))[:_CODE_KEY_CHARACTERS]
