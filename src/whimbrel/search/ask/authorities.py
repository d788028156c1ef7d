"""HITS on demand: which of the pages that answer a query, and of their neighbours, are hubs and which authorities."""

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from whimbrel.rank.graph import Numbers
from whimbrel.rank.hits import hits
from whimbrel.records.url import Url
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.contract import Query
from whimbrel.search.graph import link_graph

ROOT_PAGES = 200
MOST_NEIGHBOURS = 50
"""Of one page, as Kleinberg has it: a page that everybody links to does not bring everybody along."""


class LinkStanding(Struct, frozen=True):
    """A page with its two weights; `answers` says whether it is a hit itself or a neighbour of one."""

    url: Url
    title: str
    hub: float
    authority: float
    answers: bool


def standings(searcher: Searcher, query: Query, now: float, most: int = 10) -> list[LinkStanding]:
    """The strongest authorities around a query, strongest first."""
    found = searcher.find(query, ROOT_PAGES, now)
    _, book, _ = searcher.state()
    keys, sources, targets = link_graph(book)
    if not found.candidates or not len(keys):
        return []
    wanted = np.array([one.key for one in found.candidates], np.int64)
    root = np.isin(keys, wanted)
    chosen = root.copy()
    for here, there in ((sources, targets), (targets, sources)):
        chosen[there[_first_of_each(here, root[here])]] = True
    inside = chosen[sources] & chosen[targets]
    number = np.cumsum(chosen) - 1
    hubs, authorities = hits(number[sources[inside]], number[targets[inside]], int(chosen.sum()))
    those = keys[chosen]
    order = np.argsort(-authorities, kind="stable")[:most]
    rows = book.rows(int(those[at]) for at in order)
    return [
        LinkStanding(row.url, row.title, float(hubs[at]), float(authorities[at]), bool(np.isin(those[at], wanted)))
        for at in order
        if (row := rows.get(int(those[at]))) is not None
    ]


def _first_of_each(pages: Numbers, among: NDArray[np.bool_]) -> Numbers:
    """Positions of links that count: those of root pages, at most so many of each."""
    at = np.flatnonzero(among)
    at = at[np.argsort(pages[at], kind="stable")]
    _, starts, counts = np.unique(pages[at], return_index=True, return_counts=True)
    place = np.arange(len(at)) - np.repeat(starts, counts)
    few: Numbers = at[place < MOST_NEIGHBOURS]
    return few
