"""What on a page turns over by itself, learned from its own history and from its neighbours.

A block is noise where its dates changed on at least half of the visits or its numbers did on two and half of them,
where its whole text did on two visits and two thirds of them, where it comes and goes, and where the site repeats it
word for word on half of the neighbours. One change of a number is a price; what neighbours show in turns ("in stock",
"sold out") is no line of the site.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

from msgspec import Struct

from whimbrel.change.align import align, moved
from whimbrel.change.blocks import Block
from whimbrel.change.mask import DATE, masked, masked_code, without_texts
from whimbrel.change.version import Version

_VARYING_VISITS, _VARYING_SHARE = 2, 1 / 2
_ROTATING_VISITS, _ROTATING_SHARE = 2, 2 / 3
_FICKLE_TURNS = 2
_SHARED_SHARE = 1 / 2
_CODE_KEY_CHARACTERS = 40

_Key = TypeVar("_Key")


class Noise(Struct, frozen=True):
    """`varying`: blocks by element and masked text. `rotating`: places, `restyled` those that only look different.
    `fickle`: texts. `shuffled`: paths of blocks whose order turns.

    `shared`: what the site repeats, `repeated` its texts alone, `seen` what only some pages show. `code`: the scripts
    and styles that differ from visit to visit, by their beginning. `files`: names of scripts and style sheets, and
    whole inline ones, that the site puts on its pages.
    """

    varying: frozenset[tuple[str, str]] = frozenset()
    rotating: frozenset[tuple[str, ...]] = frozenset()
    fickle: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    code: frozenset[str] = frozenset()
    repeated: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    seen: frozenset[str] = frozenset()
    restyled: frozenset[tuple[str, ...]] = frozenset()
    shuffled: frozenset[str] = frozenset()
    restless_title: bool = False


QUIET = Noise()


def learn(history: Sequence[Version], neighbours: Sequence[Version] = ()) -> Noise:
    """From the versions of a page up to and including the one to compare with, oldest first, and other pages."""
    varied: Counter[tuple[str, str]] = Counter()
    dated: Counter[tuple[str, str]] = Counter()
    replaced: Counter[tuple[str, ...]] = Counter()
    restless: Counter[str] = Counter()
    restyled: Counter[tuple[str, ...]] = Counter()
    shuffled: Counter[str] = Counter()
    for older, newer in pairwise(history):
        edited, dressed, elsewhere = _edited(older, newer)
        restyled.update({name for i, _ in dressed for name in places(older.blocks, i)})
        shuffled.update(elsewhere)
        numbers, dates = _varied(older, newer, edited)
        varied.update(numbers)
        dated.update(dates)
        replaced.update(_replaced(older, newer, edited))
        restless.update(_restless(older, newer))
    visits = max(1, len(history) - 1)
    turns = sum(older.title != newer.title for older, newer in pairwise(history))
    shared, seen = _shared(neighbours)
    return Noise(
        varying=_often(varied, _VARYING_VISITS, _VARYING_SHARE * visits) | _often(dated, 1, _VARYING_SHARE * visits),
        rotating=_often(replaced, _ROTATING_VISITS, _ROTATING_SHARE * visits),
        fickle=frozenset(_fickle(history)),
        shared=shared,
        code=_often(restless, 1, _VARYING_SHARE * visits),
        repeated=texts_of(shared),
        seen=seen,
        restyled=_often(restyled, _ROTATING_VISITS, _ROTATING_SHARE * visits),
        shuffled=_often(shuffled, _ROTATING_VISITS, _ROTATING_SHARE * visits),
        restless_title=turns >= _ROTATING_VISITS and turns >= _ROTATING_SHARE * visits,
        files=_files(neighbours),
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
    """By which a block is known again on another page, in another folder of the site as well."""
    return "\n".join((block.text, *(_whereabouts(link) for link in block.links)))


def _whereabouts(link: str) -> str:
    """A page deeper in the site writes the same menu with more "../"."""
    while link.startswith(("../", "./")):
        link = link.partition("/")[2]
    return link


def texts_of(shared: Iterable[str]) -> frozenset[str]:
    return frozenset(text for key in shared if (text := key.partition("\n")[0]))


def code_key(code: str) -> str:
    return masked_code(without_texts(code.strip()[: 4 * _CODE_KEY_CHARACTERS]))[:_CODE_KEY_CHARACTERS]


_Places = list[tuple[int, int]]


def _edited(older: Version, newer: Version) -> tuple[_Places, _Places, set[str]]:
    """Blocks that say something else, blocks that only look different, and the paths of those that moved."""
    edited: _Places = []
    dressed: _Places = []
    if older.markup == newer.markup and older.markup:
        return edited, dressed, set()
    was, now = [block.text for block in older.blocks], [block.text for block in newer.blocks]
    pairs = align(was, now)
    for pair in pairs:
        if pair.before is not None and pair.after is not None:
            old, new = older.blocks[pair.before], newer.blocks[pair.after]
            if (old.text, old.links, old.images) != (new.text, new.links, new.images):
                edited.append((pair.before, pair.after))
            elif (old.classes, old.dress) != (new.classes, new.dress):
                dressed.append((pair.before, pair.after))
    return edited, dressed, {newer.blocks[j].path for _, j in moved(pairs, was, now).values()}


def _varied(
    older: Version, newer: Version, edited: Iterable[tuple[int, int]]
) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Blocks in which only numbers and dates changed, and those of them with a date."""
    found, dated = set(), set()
    for i, j in edited:
        before, after = masked(older.blocks[i].text), masked(newer.blocks[j].text)
        if before == after:
            found.add((newer.blocks[j].tag, after))
            if DATE.search(newer.blocks[j].text):
                dated.add((newer.blocks[j].tag, after))
    return found, dated


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


def _shared(neighbours: Sequence[Version]) -> tuple[frozenset[str], frozenset[str]]:
    pages = Counter(key for page in neighbours for key in {site_key(block) for block in page.blocks})
    shared = _often(pages, 1, _SHARED_SHARE * len(neighbours))
    return shared, frozenset(pages) - shared


def file_name(address: str) -> str:
    return address.partition("?")[0].rpartition("/")[2]


def _files(neighbours: Sequence[Version]) -> frozenset[str]:
    pages = Counter(
        name
        for page in neighbours
        for name in {*map(file_name, (*page.sources, *page.sheets)), *map(str.strip, (*page.code, *page.styles))}
    )
    return _often(pages, 1, _SHARED_SHARE * len(neighbours))


def _often(counts: Counter[_Key], least: int, share: float) -> frozenset[_Key]:
    return frozenset(key for key, count in counts.items() if count >= least and count >= share)


def unhabitual(codes: Iterable[str], noise: Noise) -> list[str]:
    return [code for code in codes if code_key(code) not in noise.code]
