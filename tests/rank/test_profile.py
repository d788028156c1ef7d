"""The papers' profile formula by hand, and the words that tell a reader's pages from others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.rank.profile import TELLING, ReaderProfile, papers_score, telling

words = st.sampled_from(["tide", "wader", "kelp", "engine", "rust", "loop"])
parts = st.dictionaries(words, st.integers(1, 50))
profiles = st.builds(ReaderProfile, parts, parts, parts)


def test_the_papers_formula() -> None:
    profile = ReaderProfile({"tide": 3, "wader": 1}, {"kelp": 2}, {"tide": 1})
    page = ["tide", "tide", "wader", "kelp", "engine"]
    # Bookmarks: 3 of 5 words; history: 1 of 5; start page: 2 of 5.
    assert papers_score(page, profile) == pytest.approx(0.5 * 3 / 5 + 0.3 * 1 / 5 + 0.2 * 2 / 5)
    assert papers_score([], profile) == 0.0


@given(profiles, st.lists(words))
def test_the_papers_formula_stays_within_bounds(profile: ReaderProfile, page: list[str]) -> None:
    assert 0.0 <= papers_score(page, profile) <= 1.0 + 1e-9


def test_words_tell_by_their_share_and_their_rarity() -> None:
    profile = ReaderProfile({"tide": 5, "page": 9, "unheard": 9}, {"wader": 2}, {})
    counts = {"tide": 10, "page": 900, "wader": 10, "unheard": 0}
    told = telling(profile, counts.__getitem__, 1000)
    assert list(told) == ["wader", "tide"], "what every page says, and what none does, tells nothing"
    assert told["wader"] == 1.0
    assert told["tide"] == pytest.approx((0.5 * 5 / 23) / 0.3)


@given(profiles, st.integers(1, 200))
def test_no_more_words_than_are_asked_for(profile: ReaderProfile, pages: int) -> None:
    told = telling(profile, lambda word: len(word), pages)
    assert len(told) <= TELLING
    assert all(0 < amount <= 1 for amount in told.values())
