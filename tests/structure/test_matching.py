"""Simple tree matching: the worked example, what holds for all trees, and trees too large to search whole."""

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whimbrel.records.outline import Step
from whimbrel.structure.matching import Forest, TreeMatch, match

BEFORE = "html(head(title) body(center(h1) center(b br) center center(h3) p(br br center(b)) h2))"
AFTER = "html(head(title) body(center(h1) center(b br) center center(b) center(h3) p h2))"

Nested = tuple[str, list["Nested"]]  # type: ignore[misc]


def steps_of(written: str) -> list[Step]:
    steps, depth = [], 0
    for part in re.findall(r"\w+|[()]", written):
        if part in "()":
            depth += 1 if part == "(" else -1
        else:
            steps.append((depth, part, ""))
    return steps


def flat(tree: Nested, depth: int = 0) -> list[Step]:
    return [(depth, tree[0], ""), *(step for child in tree[1] for step in flat(child, depth + 1))]


def by_definition(a: Nested, b: Nested) -> int:
    if a[0] != b[0]:
        return 0
    table = [[0] * (len(b[1]) + 1) for _ in range(len(a[1]) + 1)]
    for i, x in enumerate(a[1], 1):
        for j, y in enumerate(b[1], 1):
            table[i][j] = max(table[i][j - 1], table[i - 1][j], table[i - 1][j - 1] + by_definition(x, y))
    return table[-1][-1] + 1


TREES = st.recursive(
    st.tuples(st.sampled_from("abc"), st.just([])),
    lambda below: st.tuples(st.sampled_from("abc"), st.lists(below, max_size=5)),
    max_leaves=20,
)


def test_the_worked_example() -> None:
    found = match(steps_of(BEFORE), steps_of(AFTER))
    assert found == TreeMatch(14, 18, 16)
    assert round(found.similarity, 4) == 0.8235


@given(TREES, TREES)
@settings(max_examples=300)
def test_as_defined(a: Nested, b: Nested) -> None:
    assert match(flat(a), flat(b)).matched == by_definition(a, b)


@given(TREES, TREES)
@settings(max_examples=100)
def test_symmetric_and_never_above_the_smaller_tree(a: Nested, b: Nested) -> None:
    found, other = match(flat(a), flat(b)), match(flat(b), flat(a))
    assert (found.matched, found.similarity) == (other.matched, other.similarity)
    assert 0 <= found.matched <= min(found.size_a, found.size_b)


@given(TREES)
@settings(max_examples=100)
def test_a_tree_matches_itself_whole(tree: Nested) -> None:
    found = match(flat(tree), flat(tree))
    assert found == TreeMatch(len(flat(tree)), len(flat(tree)), len(flat(tree)))
    assert found.similarity == 1.0


def test_equal_parts_are_kept_once() -> None:
    forest = Forest()
    one = forest.add(steps_of("a(b(c) b(c) b(c))"))
    assert forest.size(one) == 7
    assert forest.add(steps_of("a(b(c) b(c) b(c))")) == one
    assert forest.add(steps_of("b(c)")) < one


def wide(seed: int, siblings: int) -> list[Step]:
    chance = Random(seed)
    steps: list[Step] = [(0, "root", "")]
    for _ in range(siblings):
        steps += [(1, chance.choice("abc"), ""), (2, chance.choice("def"), ""), (2, chance.choice("def"), "")]
    return steps


def test_a_hundred_thousand_siblings_are_answered_with_the_least_that_matches() -> None:
    a, b = wide(1, 33_000), wide(2, 33_000)
    found, other = match(a, b), match(b, a)
    assert found.matched == other.matched
    assert not found.exact
    assert "piece by piece" in found.note
    assert 0.2 * len(a) < found.matched <= min(found.size_a, found.size_b)
    whole = match(wide(1, 200), wide(2, 200))
    assert whole.exact
    assert whole.note == ""


@pytest.mark.parametrize("other", ["a", "b"])
def test_a_hundred_thousand_levels_need_no_stack(other: str) -> None:
    deep: list[Step] = [(depth, "a", "") for depth in range(100_000)]
    found = match(deep, [(0, "a", ""), *((depth, other, "") for depth in range(1, 90_000))])
    assert found.exact
    assert found.matched == (90_000 if other == "a" else 1)
