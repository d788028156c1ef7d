"""Texts as sets of runs of words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wordy import edited, prose

from whimbrel.dedupe.shingles import WIDTH, resemblance, shingles_of, words_of


def shingles(text: str) -> set[int]:
    return shingles_of(words_of(text))


def test_runs_of_three_words_without_regard_to_case_and_space() -> None:
    assert shingles("One two\n three FOUR") == shingles("one two three four")
    assert len(shingles("one two three four")) == 2
    assert shingles("one two three four") & shingles("two three four five")
    assert not shingles("three two one") & shingles("one two three")


def test_each_run_depends_on_its_three_words_alone() -> None:
    text = list("abcdefgh")
    alone = [shingles(" ".join(text[at : at + WIDTH])) for at in range(len(text) - WIDTH + 1)]
    assert all(len(one) == 1 for one in alone)
    assert set().union(*alone) == shingles(" ".join(text))
    assert len(shingles(" ".join(text))) == len(alone)


@given(st.lists(st.sampled_from("abcd"), min_size=3, max_size=60))
def test_runs_are_one_to_one_with_triples_of_words(words: list[str]) -> None:
    triples = {tuple(words[at : at + WIDTH]) for at in range(len(words) - WIDTH + 1)}
    assert len(shingles(" ".join(words))) == len(triples)


@pytest.mark.parametrize("text", ["", "one", "one two"])
def test_too_little_for_a_run(text: str) -> None:
    assert shingles(text) == set()
    assert resemblance(shingles(text), shingles(text)) == 0.0


def test_scripts_without_spaces_are_read_by_character() -> None:
    assert len(words_of("今日は良い天気です")) == 9
    assert (
        resemblance(
            shingles("今日は良い天気ですね、散歩に行きましょう"), shingles("今日は良い天気ですね、買物に行きましょう")
        )
        > 0.5
    )
    assert words_of("ein Wort, größer als zwei") == "ein wort, größer als zwei".encode().split()


@given(st.text(), st.text())
def test_resemblance_is_symmetric_and_a_share(one: str, other: str) -> None:
    alike = resemblance(shingles(one), shingles(other))
    assert alike == resemblance(shingles(other), shingles(one))
    assert 0.0 <= alike <= 1.0
    assert resemblance(shingles(one), shingles(one)) == (1.0 if shingles(one) else 0.0)


@pytest.mark.parametrize("share", [0.01, 0.02, 0.05])
def test_edits_take_as_much_as_the_formula_says(share: float) -> None:
    text = prose(1, 3000)
    kept = (1 - share) ** WIDTH
    assert resemblance(shingles(text), shingles(edited(text, share))) == pytest.approx(kept / (2 - kept), abs=0.02)
