"""SimRank beside networkx, which follows the definition pair by pair."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.rank.simrank import EXACT_PAGES, SimRank


def oracle(links: list[tuple[int, int]], count: int) -> np.ndarray:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from((a, b) for a, b in links if a != b)
    found = nx.simrank_similarity(graph, importance_factor=0.8, max_iterations=200, tolerance=1e-6)
    return np.array([[found[a][b] for b in range(count)] for a in range(count)])


def ours(links: list[tuple[int, int]], count: int, seed: int = 1, exact_up_to: int = EXACT_PAGES) -> SimRank:
    pairs = np.array(links, np.int64).reshape(-1, 2)
    return SimRank(pairs[:, 0], pairs[:, 1], count, np.random.default_rng(seed), exact_up_to=exact_up_to)


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.tuples(*[st.integers(0, n - 1)] * 2)))))
def test_few_pages_are_exact(case: tuple[int, list[tuple[int, int]]]) -> None:
    count, links = case
    truth, found = oracle(links, count), ours(links, count)
    assert np.abs(np.array([found.to(page) for page in range(count)]) - truth).max() < 1e-3
    assert np.abs(found.sums() - truth.sum(axis=1)).max() < 1e-2


@pytest.mark.parametrize("seed", [1, 2])
def test_many_pages_are_close(seed: int) -> None:
    chance = np.random.default_rng(seed)
    # Half of the links go to a tenth of the pages, as menus do; some pages have none.
    links = [(int(a), int(b)) for a, b in zip(chance.integers(0, 120, 700), chance.integers(0, 110, 700), strict=True)]
    links += [(a, int(b)) for a in range(100) for b in chance.integers(0, 12, 5)]
    truth = oracle(links, 120)
    found = ours(links, 120, seed, exact_up_to=0)
    assert np.abs(np.array([found.to(page) for page in range(120)]) - truth).max() < 0.05
    assert np.abs(found.sums() / truth.sum(axis=1) - 1).mean() < 0.01
    assert [found.to(page)[page] for page in (0, 5, 119)] == pytest.approx([1, 1, 1], abs=0.05)


def test_pages_in_a_ring_are_like_nothing_but_themselves() -> None:
    found = ours([(at, (at + 1) % 7) for at in range(7)], 7, exact_up_to=0)
    assert np.abs(found.to(3) - np.eye(7)[3]).max() < 1e-3
