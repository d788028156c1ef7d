"""How much of a site a crawl covers by its links, and by its links and its sitemap (P0 ch. 5).

The whole is what lies on the server, reached or not. Some pages are listed and not linked, some linked and not listed.
"""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from whimbrel.flows.packing import unpack
from whimbrel.repository.engines import open_reader


class Ratios(Struct, frozen=True):
    """Shares of all pages, of unique ones, of those a search can find, and of the PageRank of the site; the last is
    None where numpy is not installed."""

    pages: int
    of_all: float
    of_unique: float
    of_indexed: float
    of_rank: float | None


class Coverage(Struct, frozen=True):
    """`through_sitemap`: of what the second crawl holds, what the sitemap lists; the others: of all on the server."""

    on_server: int
    listed: int
    by_links: Ratios
    with_sitemap: Ratios
    through_sitemap: Ratios


class _Crawled(Struct, frozen=True):
    pages: set[str]
    unique: set[str]
    indexed: set[str]
    links: dict[str, list[str]]
    listed: set[str]


def coverage_of(alone: Path, both: Path, on_server: set[str], origin: str) -> Coverage:
    """`alone` was crawled by links, `both` by links and sitemap; paths on the server are relative."""
    without, with_it = _crawled(alone, origin), _crawled(both, origin)
    known = without.pages | with_it.pages
    # Copies of another page count once; what neither crawl reached cannot be told from one and counts as unique.
    copies = {path for path in known if path not in without.unique | with_it.unique}
    whole = _Crawled(
        on_server, on_server - copies, (without.indexed | with_it.indexed) | (on_server - known),
        without.links | with_it.links, with_it.listed,
    )  # fmt: skip
    ranks = _ranks(whole)
    return Coverage(
        len(on_server), len(with_it.listed), _ratios(without, whole, ranks), _ratios(with_it, whole, ranks),
        _ratios(_within(with_it, with_it.listed), with_it, _ranks(with_it)),
    )  # fmt: skip


def _crawled(folder: Path, origin: str) -> _Crawled:
    with open_reader(folder) as reader:
        listed = {_path(url, origin) for url in reader.listed()}
        pages = [page for page in reader.pages() if page.mime.startswith("text/html")]
    links = {
        _path(page.url, origin): [_path(url, origin) for url in unpack(page.reading).urls] if page.reading else []
        for page in pages
    }
    unique = {_path(page.url, origin) for page in pages if page.outcome != "duplicate"}
    indexed = {_path(page.url, origin) for page in pages if page.reading and page.outcome != "duplicate"}
    return _Crawled(links.keys() | set(), unique, indexed, links, listed & links.keys())


def _path(url: str, origin: str) -> str:
    return url.removeprefix(f"{origin}/") or "index.html"


def _within(crawled: _Crawled, paths: Iterable[str]) -> _Crawled:
    chosen = set(paths)
    return _Crawled(
        crawled.pages & chosen, crawled.unique & chosen, crawled.indexed & chosen, crawled.links, crawled.listed
    )


def _ranks(whole: _Crawled) -> dict[str, float]:
    """Empty where numpy, which only searching needs, is not installed."""
    try:
        import numpy as np

        from whimbrel.rank.pagerank import pagerank
    except ModuleNotFoundError:
        return {}
    places = {path: place for place, path in enumerate(sorted(whole.pages))}
    edges = [
        (places[path], places[target])
        for path, targets in whole.links.items()
        if path in places
        for target in targets
        if target in places
    ]
    table = np.array(edges, dtype=np.int64).reshape(-1, 2)
    shares = pagerank(table[:, 0], table[:, 1], len(places))
    return {path: float(shares[place]) for path, place in places.items()}


def _ratios(part: _Crawled, whole: _Crawled, ranks: dict[str, float]) -> Ratios:
    return Ratios(
        len(part.pages),
        len(part.pages & whole.pages) / max(1, len(whole.pages)),
        len(part.unique & whole.unique) / max(1, len(whole.unique)),
        len(part.indexed & whole.indexed) / max(1, len(whole.indexed)),
        sum(ranks.get(path, 0.0) for path in part.pages) / sum(ranks.values()) if ranks else None,
    )
