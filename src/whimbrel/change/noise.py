"""What on a page turns over by itself, learned from its own history and from its neighbours.

A block is noise where its numbers and dates changed on at least half of the visits, where its whole text did on two
visits and two thirds of them, where it comes and goes, and where the site repeats it on half of the neighbours.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

from msgspec import Struct

from whimbrel.change.align import align
from whimbrel.change.blocks import Block
from whimbrel.change.mask import masked, masked_code
from whimbrel.change.version import Version

_VARYING_SHARE = 1 / 2
_ROTATING_VISITS, _ROTATING_SHARE = 2, 2 / 3
_FICKLE_TURNS = 2
_SHARED_SHARE = 1 / 2
_CODE_KEY_CHARACTERS = 40

_Key = TypeVar("_Key")


class Noise(Struct, frozen=True):
    """`varying`: blocks by element and masked text. `rotating`: places. `fickle`: texts.

    `shared`: what the site repeats. `code`: the scripts and styles that differ from visit to visit, by their beginning.
    """

    varying: frozenset[tuple[str, str]] = frozenset()
    rotating: frozenset[tuple[str, ...]] = frozenset()
    fickle: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    code: frozenset[str] = frozenset()


QUIET = Noise()


def learn(history: Sequence[Version], neighbours: Sequence[Version] = ()) -> Noise:
    """From the versions of a page up to and including the one to compare with, oldest first, and other pages."""
    varied: Counter[tuple[str, str]] = Counter()
    replaced: Counter[tuple[str, ...]] = Counter()
    restless: Counter[str] = Counter()
    for older, newer in pairwise(history):
        edited = [*_edited(older, newer)]
        varied.update(_varied(older, newer, edited))
        replaced.update(_replaced(older, newer, edited))
        restless.update(_restless(older, newer))
    visits = max(1, len(history) - 1)
    return Noise(
        varying=_often(varied, 1, _VARYING_SHARE * visits),
        rotating=_often(replaced, _ROTATING_VISITS, _ROTATING_SHARE * visits),
        fickle=frozenset(_fickle(history)),
        shared=_shared(neighbours),
        code=_often(restless, 1, _VARYING_SHARE * visits),
    )


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


def site_key(block: Block) -> str:
    """By which a block is known again on another page."""
    return "\n".join((masked(block.text), *block.links))


def code_key(code: str) -> str:
    return masked_code(code.strip()[: 4 * _CODE_KEY_CHARACTERS])[:_CODE_KEY_CHARACTERS]


def _edited(older: Version, newer: Version) -> Iterator[tuple[int, int]]:
    if older.markup == newer.markup and older.markup:
        return
    for pair in align([block.text for block in older.blocks], [block.text for block in newer.blocks]):
        if pair.before is not None and pair.after is not None:
            old, new = older.blocks[pair.before], newer.blocks[pair.after]
            if old.text != new.text or old.links != new.links or old.images != new.images:
                yield pair.before, pair.after


def _varied(older: Version, newer: Version, edited: Iterable[tuple[int, int]]) -> set[tuple[str, str]]:
    found = set()
    for i, j in edited:
        before, after = masked(older.blocks[i].text), masked(newer.blocks[j].text)
        if before == after:
            found.add((newer.blocks[j].tag, after))
    return found


def _replaced(older: Version, newer: Version, edited: Iterable[tuple[int, int]]) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    for i, j in edited:
        found |= places(older.blocks, i) & places(newer.blocks, j)
    return found


def _restless(older: Version, newer: Version) -> set[str]:
    return {
        code_key(code)
        for was, now in ((older.code, newer.code), (older.styles, newer.styles), (older.actions, newer.actions))
        for code in set(was) ^ set(now)
    }


def _fickle(history: Sequence[Version]) -> Iterator[str]:
    """Texts that came and went again at least once, or the other way round."""
    turns: Counter[str] = Counter()
    for older, newer in pairwise(history):
        if older.markup != newer.markup or not older.markup:
            turns.update({block.text for block in older.blocks} ^ {block.text for block in newer.blocks})
    return (text for text, count in turns.items() if count >= _FICKLE_TURNS)


def _shared(neighbours: Sequence[Version]) -> frozenset[str]:
    pages = Counter(key for page in neighbours for key in {site_key(block) for block in page.blocks})
    return _often(pages, 1, _SHARED_SHARE * len(neighbours))


def _often(counts: Counter[_Key], least: int, share: float) -> frozenset[_Key]:
    return frozenset(key for key, count in counts.items() if count >= least and count >= share)


def unhabitual(codes: Iterable[str], noise: Noise) -> list[str]:
    return [code for code in codes if code_key(code) not in noise.code]
