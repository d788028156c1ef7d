"""Link ranks beside networkx, and the one formula."""

import math

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networkx.algorithms.link_analysis.hits_alg import _hits_python
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python

from whimbrel.rank.fuse import (
    PARTS,
    Columns,
    Values,
    Weights,
    freshness_values,
    link_values,
    points,
    scores,
)
from whimbrel.rank.graph import distinct
from whimbrel.rank.hits import hits
from whimbrel.rank.pagerank import pagerank

COUNT = 8
LINKS = st.lists(st.tuples(st.integers(0, COUNT - 1), st.integers(0, COUNT - 1)), max_size=40)
SHARE = st.floats(0, 1)


def arrays(links: list[tuple[int, int]]) -> tuple["np.ndarray", "np.ndarray"]:  # type: ignore[type-arg]
    both = np.array(links, np.int64).reshape(-1, 2)
    return distinct(both[:, 0], both[:, 1], COUNT)


def graph(links: list[tuple[int, int]]) -> "networkx.DiGraph":
    made = networkx.DiGraph()
    made.add_nodes_from(range(COUNT))
    made.add_edges_from((one, other) for one, other in links if one != other)
    return made


@given(LINKS)
def test_pagerank_is_that_of_networkx_and_sums_to_one(links: list[tuple[int, int]]) -> None:
    ours = pagerank(*arrays(links), COUNT)
    assert ours.sum() == pytest.approx(1.0)
    theirs = _pagerank_python(graph(links), alpha=0.85, tol=1e-10, max_iter=500)
    assert ours == pytest.approx([theirs[page] for page in range(COUNT)], abs=1e-6)


def test_a_page_without_links_sends_its_readers_anywhere() -> None:
    ranks = pagerank(np.array([0]), np.array([1]), 2)
    # r0 = 0.85·r1/2 + 0.075 and r1 = 0.85·(r0 + r1/2) + 0.075
    assert ranks == pytest.approx([0.350877, 0.649123], abs=1e-5)
    assert pagerank(np.array([], np.int64), np.array([], np.int64), 0).size == 0


def test_hits_are_those_of_networkx() -> None:
    links = [(0, 1), (0, 2), (3, 1), (3, 2), (4, 2), (5, 2), (2, 6)]
    hubs, authorities = hits(*arrays(links), COUNT)
    their_hubs, theirs = _hits_python(graph(links), max_iter=5000, tol=1e-12)
    assert hubs == pytest.approx([their_hubs[page] for page in range(COUNT)], abs=1e-5)
    assert authorities == pytest.approx([theirs[page] for page in range(COUNT)], abs=1e-5)


@given(LINKS)
def test_hits_sum_to_one(links: list[tuple[int, int]]) -> None:
    for weights in hits(*arrays(links), COUNT):
        assert weights.sum() == pytest.approx(1.0)


@given(st.tuples(*[SHARE] * len(PARTS)), st.tuples(*[SHARE] * len(PARTS)))
def test_the_parts_add_up(values: tuple[float, ...], weights: tuple[float, ...]) -> None:
    worth = points(Values(*values), Weights(*weights))
    assert tuple(worth) == PARTS
    columns = Columns(*(np.array([value]) for value in values))
    assert sum(worth.values()) == pytest.approx(float(scores(columns, Weights(*weights))[0]))


def test_freshness_halves() -> None:
    days = np.array([0, -5, 30, 60]) * 86_400.0
    assert freshness_values(days, 30) == pytest.approx([1.0, 1.0, 0.5, 0.25])


@given(st.floats(1e-9, 1.0), st.integers(1, 10**6))
def test_link_values_lie_between_nothing_and_one(rank: float, pages: int) -> None:
    (value,) = link_values(np.array([rank]), 1.0, pages)
    assert 0.0 < value <= 1.0
    assert link_values(np.array([0.0, rank]), rank, pages) == pytest.approx([0.0, 1.0])
    assert link_values(np.array([0.0]), 0.0, pages) == [0.0]


@given(
    st.lists(st.tuples(SHARE, SHARE, SHARE, st.floats(-1e6, 1e9)), min_size=1, max_size=8),
    st.tuples(*[SHARE] * len(PARTS)),
)
def test_many_scores_at_once_are_those_of_each(
    pages: list[tuple[float, float, float, float]], weights: tuple[float, ...]
) -> None:
    text, meaning, ranks, ages = (np.array(column) for column in zip(*pages, strict=True))
    highest, weigh = float(ranks.max()), Weights(*weights)
    together = scores(Columns(text, meaning, link_values(ranks, highest, 9), freshness_values(ages, 30.0)), weigh)
    alone = [
        sum(points(Values(words, near, _linked(rank, highest), 0.5 ** (max(0.0, age) / (30 * 86_400))), weigh).values())
        for words, near, rank, age in pages
    ]
    assert together == pytest.approx(alone)


def _linked(rank: float, highest: float) -> float:
    """The formula by itself, for nine pages."""
    return min(1.0, math.log1p(9 * rank) / math.log1p(9 * highest)) if rank > 0 else 0.0
