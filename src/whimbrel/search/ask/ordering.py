"""Pages ordered by how like the others they are, in the words of a query and by their links (`rank.likeness`), with
BM25 and PageRank beside it."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from whimbrel.parse.words import Analysers, split
from whimbrel.rank.graph import Numbers, Shares
from whimbrel.rank.likeness import CONTENT, STRUCTURE, bm25, likeness_sums, query_weights
from whimbrel.rank.pagerank import pagerank
from whimbrel.rank.simrank import SimRank
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict, refused
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.book import BookRow
from whimbrel.search.graph import link_graph

MOST_PAGES = 50_000
"""All of them are read."""

_AT_ONCE = 256


class OrderedPage(Struct, frozen=True):
    """`found` is how often the page says words of the query; `by_pagerank` and `by_bm25` are its places in those
    orders, from 1."""

    url: Url
    title: str
    total: float
    content: float
    structure: float
    found: int
    by_pagerank: int
    by_bm25: int


class Ordering(Struct, frozen=True):
    """The best first. `precision` is the share of pages that say a word of the query."""

    query: str
    pages: tuple[OrderedPage, ...]
    precision: float
    seconds: float


def order(searcher: Searcher, query: str, site: str, chance: np.random.Generator) -> Ordering | Verdict:
    began = time.perf_counter()
    words = list(dict.fromkeys(split(query)))
    if not words:
        return refused("query", f"there is no word in {query!r} to order pages by")
    _, book, asker = searcher.state()
    keys, sources, targets = link_graph(book)
    rows = [row for row in book.rows(keys.tolist()).values() if not site or row.site == site]
    if not rows:
        return refused("query", f"no page of {site} is indexed" if site else "no page is indexed")
    if len(rows) > MOST_PAGES:
        return refused("query", f"{len(rows):,} pages are more than can be ordered, {MOST_PAGES:,}: name one --site")
    counts, most, lengths = _counted(searcher, rows, [set(asker.lexicon.forms(word)) for word in words])
    sources, targets = _among(keys, sources, targets, np.array([row.key for row in rows]))
    content = CONTENT * likeness_sums(query_weights(counts, most))
    structure = STRUCTURE * SimRank(sources, targets, len(rows), chance).sums()
    found = counts.sum(axis=1)
    places = _places(pagerank(sources, targets, len(rows))), _places(bm25(counts, lengths))
    best = np.argsort(-(content + structure), kind="stable")
    return Ordering(
        query,
        tuple(
            OrderedPage(
                rows[at].url, rows[at].title, float(content[at] + structure[at]), float(content[at]),
                float(structure[at]), int(found[at]), int(places[0][at]), int(places[1][at]),
            )
            for at in best
        ),
        float((found > 0).mean()),
        time.perf_counter() - began,
    )  # fmt: skip


def _counted(
    searcher: Searcher, rows: Sequence[BookRow], forms: Sequence[set[str]]
) -> tuple[NDArray[np.int64], Numbers, Numbers]:
    """How often each page says each word, its commonest word, and any word."""
    analysers = Analysers()
    counts: NDArray[np.int64] = np.zeros((len(rows), len(forms)), np.int64)
    most: Numbers = np.zeros(len(rows), np.int64)
    lengths: Numbers = np.zeros(len(rows), np.int64)
    for at, (row, text) in enumerate(_texts(searcher, rows)):
        said = Counter(analysers.of(row.language).tokens(text).split())
        counts[at] = [sum(said[form] for form in word) for word in forms]
        most[at], lengths[at] = max(said.values(), default=0), said.total()
    return counts, most, lengths


def _texts(searcher: Searcher, rows: Sequence[BookRow]) -> Iterator[tuple[BookRow, str]]:
    for first in range(0, len(rows), _AT_ONCE):
        some = rows[first : first + _AT_ONCE]
        texts = searcher.texts(some)
        for row in some:
            yield row, texts.whole(row.key)


def _among(keys: Numbers, sources: Numbers, targets: Numbers, chosen: Numbers) -> tuple[Numbers, Numbers]:
    """The links between the chosen pages, by their places there."""
    place: Numbers = np.full(len(keys), -1, np.int64)
    place[np.searchsorted(keys, chosen)] = np.arange(len(chosen))
    sources, targets = place[sources], place[targets]
    inside = (sources >= 0) & (targets >= 0)
    return sources[inside], targets[inside]


def _places(scores: Shares) -> Numbers:
    """Of each page among all, the highest score first."""
    places: Numbers = np.empty(len(scores), np.int64)
    places[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return places
