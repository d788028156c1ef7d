"""A little exploration: a page is tried higher now and then, by what is believed of it, and nothing else moves."""

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from whimbrel.behaviour.exploring import Believed, explored

shares = st.floats(0.0, 1.0)
believed = st.none() | st.builds(Believed, shares, st.floats(0.0, 0.5))


@given(st.lists(believed, max_size=12), shares, st.integers(0, 2**32))
def test_one_page_at_most_rises(known: list[Believed | None], share: float, seed: int) -> None:
    answers = list(range(len(known)))
    shown = explored(answers, known, share, random.Random(seed))
    risen = [page for place, page in enumerate(shown) if page > place]
    assert sorted(shown) == answers
    assert len(risen) <= 1
    assert [page for page in shown if page not in risen] == [page for page in answers if page not in risen]
    assert bool(risen) == (len(answers) > 1 and random.Random(seed).random() < share)
    assert shown == explored(answers, known, share, random.Random(seed)), "the same chance, the same answers"


def test_where_nothing_is_known_neighbours_change_places() -> None:
    chance = random.Random(4)
    shown = [explored("abcde", [None] * 5, 1.0, chance) for _ in range(400)]
    first = Counter(next(place for place, page in enumerate(each) if page != "abcde"[place]) for each in shown)
    assert set(first) == {0, 1, 2, 3}
    assert min(first.values()) > 70
    assert all(sum(page != own for page, own in zip(each, "abcde", strict=True)) == 2 for each in shown)


def test_what_is_in_doubt_is_tried_first_and_what_is_surely_known_is_not() -> None:
    """First, known and good; then known and good, known and bad, hardly known, new."""
    known = [Believed(0.7, 0.02), Believed(0.7, 0.02), Believed(0.05, 0.02), Believed(0.3, 0.25), None]
    chance = random.Random(5)
    tried = Counter(explored("fgbhn", known, 1.0, chance)[0] for _ in range(400))
    assert 150 < tried["h"] < 220
    assert 150 < tried["n"] < 220
    assert 0 < tried["g"] < 40
    assert 0 < tried["b"] < 40
    assert tried["f"] == 0


def test_it_can_be_switched_off() -> None:
    assert explored("abc", [Believed(0.1, 0.5)] * 3, 0.0, random.Random(1)) == ["a", "b", "c"]
