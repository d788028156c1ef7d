"""The papers' formulas, the sense of words, and where relevant begins."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.topic.calibrating import FEWEST, Bar, ScoresMet, bar, strength
from whimbrel.topic.counting import CountedPart, PageWords
from whimbrel.topic.harvest import HarvestWatch
from whimbrel.topic.relevance import papers_relevance, profile_score
from whimbrel.topic.sense import WITHIN, in_sense

SUN = frozenset({"sun"})


def page(half: float = 0.5, documents: float | None = None) -> PageWords:
    """Of which so much of every part is a keyword."""
    part = CountedPart(mixed(half))
    return PageWords(part, part, part, part, None if documents is None else CountedPart(mixed(documents)), "")


def mixed(share: float) -> Counter[str]:
    return Counter({"sun": round(100 * share), "moon": 100 - round(100 * share)})


def test_the_papers_example() -> None:
    """P4 §2.9: half of every part is a keyword, and so the page scores a half."""
    told = papers_relevance(page(), SUN)
    assert told.score == pytest.approx(0.5)
    assert dict(told.parts) == pytest.approx({"address": 0.1, "meta": 0.2, "head": 0.05, "body": 0.15})
    assert papers_relevance(page(), SUN, ((1.0, {"moon": 1, "sun": 1}),)).score == pytest.approx(0.75)


def test_documents_count_for_three_tenths() -> None:
    assert papers_relevance(page(0.0, 1.0), SUN).score == pytest.approx(0.3)
    assert papers_relevance(page(1.0, 0.0), SUN).score == pytest.approx(0.7)


def test_a_profile_is_weighed_by_its_parts() -> None:
    parts = ((0.5, {"sun": 2}), (0.3, {"moon": 1}), (0.2, {"star": 1}))
    assert profile_score(CountedPart(Counter(sun=1, moon=1)), parts) == pytest.approx(0.4)


counts = st.dictionaries(st.sampled_from(["sun", "moon", "star"]), st.integers(0, 9))


@given(counts, counts, counts, counts, st.none() | counts)
def test_no_page_scores_more_than_one(
    address: dict[str, int], meta: dict[str, int], head: dict[str, int], body: dict[str, int],
    documents: dict[str, int] | None,
) -> None:  # fmt: skip
    parts = map(CountedPart, (address, meta, head, body))
    page = PageWords(*parts, None if documents is None else CountedPart(documents), "")
    told = papers_relevance(page, frozenset({"sun", "star"}))
    assert 0 <= told.score <= 1 + 1e-9
    assert told.score == pytest.approx(sum(value for _, value in told.parts))


def test_words_that_stand_apart_are_in_another_sense() -> None:
    apart = [(0, "python"), (WITHIN + 1, "loop")]
    near = [(0, "python"), (6, "loop")]
    keywords = frozenset({"python", "loop", "await"})
    assert not in_sense(apart, {"python"}, keywords)
    assert in_sense(near, {"python"}, keywords)
    assert not in_sense([(0, "loop"), (1, "await")], {"python"}, keywords)
    assert in_sense([(0, "python")], {"python"}, frozenset({"python"}))


def test_relevant_begins_between_the_rest_and_the_examples() -> None:
    rest = ScoresMet()
    for _ in range(30):
        rest.note(0.1)
    assert 0.1 < bar([0.5, 0.7], rest).at < 0.6
    assert bar([0.5], ScoresMet()).at < 0.5
    rest.note(0.9)
    assert rest.average < bar([], rest).at < 0.9


def test_a_bar_says_where_it_comes_from() -> None:
    rest = ScoresMet()
    assert "too few pages were met" in bar([], rest).words()
    assert bar([0.5], rest).words() == (
        "0.200 was needed by then: between the pages met before (none was met) and those that show it (0.500)"
    )
    for _ in range(FEWEST):
        rest.note(0.1)
    assert "(they score 0.100) and those that show it (0.500)" in bar([0.5], rest).words()
    assert "far above the pages met before (they score 0.100)" in bar([], rest).words()
    assert Bar(0.3, given=True).words() == "0.300 is needed, as was asked for"


@given(st.floats(0, 1), st.floats(0.01, 1), st.floats(0, 1))
def test_strength_is_a_half_at_the_threshold(score: float, at: float, shown: float) -> None:
    told = strength(score, at, shown)
    assert 0 <= told <= 1
    assert (told >= 0.5) == (score >= at)


def test_a_harvest_falls_when_the_last_pages_bring_nothing() -> None:
    watch = HarvestWatch(100)
    for number in range(200):
        watch.note(number % 2 == 0)
    assert not watch.fallen
    assert watch.recent == 0.5
    for _ in range(96):
        watch.note(False)
    assert watch.fallen
    assert "of the last 100 pages" in watch.words()


def test_a_harvest_that_never_was_ends_a_run_late_and_one_without_patience_never() -> None:
    hopeless, patient = HarvestWatch(50), HarvestWatch(0)
    for _ in range(199):
        hopeless.note(False)
        patient.note(False)
    assert not hopeless.fallen
    hopeless.note(False)
    assert hopeless.fallen
    assert not patient.fallen
    assert patient.rate == 0
