"""Pages that somebody knows and looks for: queries made from a kept site, each with the pages that answer it.

Four kinds. `title`: the page's title. `anchor`: the text of a link to it, one that leads nowhere else on the site, and
that is kept out of the index wherever it leads there. `paragraph`: five different words of one paragraph, in order,
none of them a stop word. `typo`: the title with one slip in one word of four letters or more. Pages of equal title, or
that say the same paragraph wherever it stands on them, are equally right. What many pages have as a paragraph is the
site's, like a copyright line, and nobody looks for a page by it.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from whimbrel.flows.copies import copy_of
from whimbrel.flows.packing import unpack
from whimbrel.parse.reading import paragraphs
from whimbrel.parse.stops import stop_words
from whimbrel.parse.words import split
from whimbrel.repository.engines import open_reader
from whimbrel.urls.normal import key as key_of

KINDS = ("title", "anchor", "paragraph", "typo")
WORDS_TAKEN = 5
LEAST_WORDS = 12
SHORTEST_SLIPPED = 4
FURNITURE = 0.1
"""Of the pages: what more of them have as a paragraph."""
Name = TypeVar("Name", bound=Hashable)
STOP_WORDS = stop_words("en")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class KeptPage(Struct, frozen=True):
    key: int
    title: str
    text: str
    links: tuple[tuple[int, str], ...]
    paragraphs: tuple[str, ...]


class KnownItem(Struct, frozen=True):
    """A query and the keys of the pages that are right."""

    kind: str
    query: str
    right: frozenset[int]


class Items(Struct, frozen=True):
    items: list[KnownItem]
    left_out: frozenset[tuple[int, str]]
    """The anchors that the index must not know: the key of the target, and the text."""


def kept_pages(folder: Path) -> list[KeptPage]:
    """Every kept page of a folder that was read, twins left out."""
    with open_reader(folder) as source:
        keys = sorted({event.url for event in source.events(0, 1 << 40)})
        kept = [one for one in source.newest(keys).values() if one.survivor]
        readings = source.readings(one.version for one in kept)
        marks = source.marks(one.version for one in kept)
        pages = []
        for one in kept:
            if one.version not in readings:
                continue
            reading = unpack(readings[one.version])
            copy = copy_of(source, one.version)
            parts = paragraphs(copy.body, f"{one.mime}; charset={marks[one.version].charset}") if copy else []
            links = tuple((key_of(url), text) for url, text in zip(reading.urls, reading.anchors, strict=True))
            pages.append(KeptPage(one.key, one.title, reading.text, links, tuple(parts)))
        return pages


def sample(pages: list[KeptPage], count: int, seed: int) -> Items:
    """So many items of each kind, fewer where the site has no more."""
    chance = random.Random(seed)
    by_title = _together((tuple(split(page.title)), page.key) for page in pages)
    named = [page for page in pages if split(page.title)]
    titled = chance.sample(named, k=min(count, len(named)))
    items = [KnownItem("title", page.title, by_title[tuple(split(page.title))]) for page in titled]
    for page in titled:
        typed = slipped(page.title, chance)
        if typed is not None:
            items.append(KnownItem("typo", typed, by_title[tuple(split(page.title))]))
    anchors, left_out = _anchors(pages, count, chance)
    return Items([*items, *anchors, *_paragraphs(pages, count, chance)], left_out)


def _anchors(
    pages: list[KeptPage], count: int, chance: random.Random
) -> tuple[list[KnownItem], frozenset[tuple[int, str]]]:
    kept = {page.key for page in pages}
    targets = _together((tuple(split(text)), target) for page in pages for target, text in page.links)
    single = {words: next(iter(goals)) for words, goals in targets.items() if words and len(goals) == 1}
    sure = {words: goal for words, goal in single.items() if goal in kept}
    chosen = chance.sample(sorted(sure), k=min(count, len(sure)))
    written = defaultdict(set)
    for page in pages:
        for target, text in page.links:
            written[tuple(split(text)), target].add(text)
    left_out = frozenset((sure[words], text) for words in chosen for text in written[words, sure[words]])
    return [KnownItem("anchor", " ".join(words), frozenset((sure[words],))) for words in chosen], left_out


def _paragraphs(pages: list[KeptPage], count: int, chance: random.Random) -> list[KnownItem]:
    mains = _together((part, page.key) for page in pages for part in set(page.paragraphs))
    furniture = {part for part, holders in mains.items() if len(holders) > max(1, FURNITURE * len(pages))}
    said = {page.key: _apart(page.text) for page in pages}
    right: dict[str, frozenset[int]] = {}
    items: list[KnownItem] = []
    order = list(pages)
    chance.shuffle(order)
    for page in order:
        own = [part for part in page.paragraphs if part not in furniture]
        worded = [(part, list(dict.fromkeys(w for w in split(part) if w not in STOP_WORDS))) for part in own]
        long = [(part, words) for part, words in worded if len(words) >= LEAST_WORDS]
        if long:
            part, words = chance.choice(long)
            places = sorted(chance.sample(range(len(words)), WORDS_TAKEN))
            if part not in right:
                needle = _apart(part)
                right[part] = mains[part] | {key for key, text in said.items() if needle in text}
            items.append(KnownItem("paragraph", " ".join(words[at] for at in places), right[part]))
        if len(items) == count:
            break
    return items


def _apart(text: str) -> str:
    return f" {' '.join(split(text))} "


def slipped(text: str, chance: random.Random) -> str | None:
    """The text with one slip: a letter lost, doubled by another, replaced, or swapped with its neighbour."""
    pieces = text.split(" ")
    long = [at for at, piece in enumerate(pieces) if len(piece) >= SHORTEST_SLIPPED and piece.isalpha()]
    if not long:
        return None
    at = chance.choice(long)
    word = pieces[at]
    for _ in range(20):
        new = chance.choice(_SLIPS)(word, chance.randrange(len(word) - 1), chance)
        if new.lower() != word.lower():
            return " ".join([*pieces[:at], new, *pieces[at + 1 :]])
    return None


_SLIPS: tuple[Callable[[str, int, random.Random], str], ...] = (
    lambda word, at, _: word[:at] + word[at + 1 :],
    lambda word, at, chance: word[:at] + chance.choice(_LETTERS) + word[at:],
    lambda word, at, chance: word[:at] + chance.choice(_LETTERS) + word[at + 1 :],
    lambda word, at, _: word[:at] + word[at + 1] + word[at] + word[at + 2 :],
)


def _together(pairs: Iterable[tuple[Name, int]]) -> dict[Name, frozenset[int]]:
    found: dict[Name, set[int]] = defaultdict(set)
    for name, key in pairs:
        found[name].add(key)
    return {name: frozenset(keys) for name, keys in found.items()}
