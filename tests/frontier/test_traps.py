"""Evidence, and what a URL gives away by itself."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.frontier import traps
from whimbrel.frontier.traps import EMPTY, PatternState, TrapSettings
from whimbrel.records.url import Url

SETTINGS = TrapSettings()


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("/a/b/a/b/a/b/a/b", "occurs more than 3 times"),
        ("/x/x/x/x/", "occurs more than 3 times"),
        ("/1/1/1/1/1/1/1/", "occurs more than 3 times"),
        ("/q?a=1&a=1&a=1&a=1", "occurs more than 3 times"),
        ("/" + "y" * 2048, "longer than 2048"),
        ("/" + "/".join(map(str, range(50))), "more than 40 segments"),
        ("/login?next=%2525252Flogin", "wraps an escaped URL"),
    ],
)
def test_a_url_that_gives_itself_away(path: str, part: str) -> None:
    verdict = traps.by_form(Url("http://h.test" + path), 3, SETTINGS)
    assert not verdict.accepted
    assert verdict.rule == "trap"
    assert part in verdict.reason


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/2011/11/11/11.html",
        "/1/1/1/1/",
        "/a/b/a/b/a/b",
        "/boost/libs/geometry/doc/html/geometry/reference/geometry.html",
        "/search?tag=a&tag=b&tag=c&tag=d&tag=e",
    ],
)
def test_a_url_that_only_looks_odd(path: str) -> None:
    assert traps.by_form(Url("http://h.test" + path), 3, SETTINGS).accepted


def test_limits_are_settings_and_nought_is_no_limit() -> None:
    free = TrapSettings(max_url_length=0, max_path_segments=0, max_depth=0, max_repeats=0)
    assert traps.by_form(Url("http://h.test/" + "/".join(map(str, range(2000)))), 10**6, free).accepted
    assert traps.by_form(Url("http://h.test" + "/x" * 2000), 1, free).accepted
    assert not traps.by_form(Url("http://h.test/"), 5001, SETTINGS).accepted


VISITS = st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 70_000), st.booleans(), st.booleans()))


@given(VISITS)
def test_counts_follow_the_visits(visits: list[tuple[int, int, bool, bool]]) -> None:
    state, barren, dull = EMPTY, 0, 0
    for shape, depth, novel, nothing in visits:
        state = traps.after_visit(state, shape, depth, novel, nothing)
        barren, dull = (barren + 1 if nothing else 0), (0 if novel else dull + 1)
        assert (state.barren, state.dull) == (barren, dull)
    assert state.fetched == len(visits)
    assert state.stale == sum(nothing for *_, nothing in visits)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 70_000)), min_size=1))
def test_a_shape_is_remembered_at_its_smallest_depth(visits: list[tuple[int, int]]) -> None:
    state, smallest = EMPTY, dict[int, int]()
    for shape, depth in visits:
        state = traps.after_visit(state, shape, depth, True, False)
        smallest[shape] = min(smallest.get(shape, 0xFFFF), depth)
    assert {shape: traps.shape_depth(state, shape) for shape in range(41) if shape in smallest} == smallest
    assert all(traps.shape_depth(state, shape) is None for shape in range(41) if shape not in smallest)


@given(st.lists(st.integers(0, 2**64 - 1), max_size=400), st.lists(st.text("abc", min_size=1), max_size=90))
def test_a_state_stays_small_and_survives_storing(numbers: list[int], names: list[str]) -> None:
    state = traps.with_sets(EMPTY, names)
    for number in numbers:
        state = traps.after_visit(state, number, 1, True, False)
        if not traps.knows_target(state, number):
            state = traps.with_target(state, number)
        assert traps.knows_target(state, number)
    assert len(state.shapes) <= 512
    assert len(state.depths) * 2 == len(state.shapes)
    assert len(state.targets) <= 256
    assert len(state.sets) <= 64
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=PatternState) == state


def test_free_combinations_are_facets() -> None:
    facets = traps.with_sets(EMPTY, ["a", "b", "c", "a&b", "a&c", "b&c", "a&b&c"])
    assert traps.combinations(facets, "a&b") == 4
    assert traps.combinations(facets, "a") == 0
    with_core = traps.with_sets(EMPTY, ["k", "a&k", "b&k", "a&b&k"])
    assert traps.combinations(with_core, "a&b&k") == 1


def test_parameters_that_need_each_other_are_no_facets() -> None:
    manager = traps.with_sets(
        EMPTY, ["option", "option&view", "id&option&view", "Itemid&id&option&view", "id&option&task"]
    )
    assert all(traps.combinations(manager, names) == 0 for names in manager.sets)
