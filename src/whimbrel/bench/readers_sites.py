"""Labelled questions of real manuals: each is made from a page of the site, and has ten answers of a real search."""

import math
import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from whimbrel.bench.machine import Say
from whimbrel.bench.readers_world import PLACES, Candidates
from whimbrel.bench.search import crawl
from whimbrel.bench.search_items import STOP_WORDS, KeptPage, KnownItem, kept_pages, sample
from whimbrel.parse.words import split
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.contract import SearchSettings

KINDS = ("anchor", "paragraph")
TEXT_TAKEN = 20_000
"""Characters of a page that likeness is told by."""


def crawled(site: Path, work: Path, say: Say) -> Path:
    folder = work / site.parent.name
    if not (folder / "index").is_dir():
        crawl(site, folder, say)
        with Indexer(folder) as indexer:
            indexer.rebuild()
    return folder


def questions(folder: Path, count: int, seed: int) -> list[Candidates]:
    """Questions whose own page is among their first ten answers."""
    pages = {page.key: page for page in kept_pages(folder)}
    items = [item for item in sample(list(pages.values()), 4 * count, seed).items if item.kind in KINDS]
    random.Random(seed).shuffle(items)
    found: dict[str, Candidates] = {}
    with Searcher(folder, SearchSettings(meaning_weight=0.0)) as searcher:
        for item in items:
            if len(found) == count:
                break
            made = _candidates(searcher, item, pages)
            if made is not None:
                found[made.query] = made
    return list(found.values())


def _candidates(searcher: Searcher, item: KnownItem, pages: Mapping[int, KeptPage]) -> Candidates | None:
    hits = searcher.answer(parse(item.query), size=PLACES, snippets=False, facets=False).hits
    wanted = next((at for at, hit in enumerate(hits) if hit.key in item.right), None)
    if len(hits) < PLACES or wanted is None or any(hit.key not in pages for hit in hits):
        return None
    texts = [pages[hit.key] for hit in hits]
    counts = [_counted(page) for page in texts]
    return Candidates(
        item.query,
        tuple(hit.url for hit in hits),
        tuple(hit.score for hit in hits),
        tuple(len(page.text.split()) for page in texts),
        tuple(tuple(_alike(one, other) for other in counts) for one in counts),
        wanted,
    )


def _counted(page: KeptPage) -> Mapping[str, float]:
    words = Counter(word for word in split(f"{page.title} {page.text[:TEXT_TAKEN]}") if word not in STOP_WORDS)
    return {word: 1.0 + math.log(count) for word, count in words.items()}


def _alike(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """The cosine of their words."""
    shared = math.fsum(weight * other.get(word, 0.0) for word, weight in one.items())
    return shared / max(1e-9, math.sqrt(_square(one) * _square(other)))


def _square(counted: Mapping[str, float]) -> float:
    return math.fsum(weight * weight for weight in counted.values())
