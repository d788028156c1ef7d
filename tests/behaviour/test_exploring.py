"""A little exploration: neighbours change places now and then, and nothing else moves."""

from hypothesis import given
from hypothesis import strategies as st

from whimbrel.behaviour.exploring import exchanged, with_neighbours_exchanged

chances = st.floats(0.0, 1.0, exclude_max=True)


@given(st.lists(st.integers(), max_size=12, unique=True), st.floats(0.0, 1.0), chances)
def test_two_neighbours_at_most_change_places(answers: list[int], share: float, chance: float) -> None:
    shown = with_neighbours_exchanged(answers, share, chance)
    moved = [place for place, (one, other) in enumerate(zip(answers, shown, strict=True)) if one != other]
    assert sorted(shown) == sorted(answers)
    assert moved == [] or (len(moved) == 2 and moved[1] == moved[0] + 1)
    assert bool(moved) == (len(answers) > 1 and chance < share)


def test_every_place_is_as_likely_and_the_share_is_kept() -> None:
    drawn = [exchanged(5, 0.25, number / 1024) for number in range(1024)]
    assert [drawn.count(place) for place in range(4)] == [64, 64, 64, 64]
    assert drawn.count(None) == 768


def test_it_can_be_switched_off() -> None:
    assert with_neighbours_exchanged("abc", 0.0, 0.0) == ["a", "b", "c"]
