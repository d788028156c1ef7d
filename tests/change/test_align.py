"""Which paragraph became which."""

from hypothesis import given
from hypothesis import strategies as st

from whimbrel.change.align import Pair, align


def test_an_insertion_at_the_top_changes_one_paragraph() -> None:
    before = [f"paragraph number {n}" for n in range(50)]
    pairs = align(before, ["something quite new", *before])
    assert pairs == [Pair(None, 0), *(Pair(n, n + 1) for n in range(50))]


def test_repeated_paragraphs_do_not_confuse() -> None:
    assert align(["a", "x", "a", "y", "a"], ["a", "x", "a", "a"]) == [
        Pair(0, 0), Pair(1, 1), Pair(2, 2), Pair(3, None), Pair(4, 3),
    ]  # fmt: skip


def test_an_edited_paragraph_is_paired_by_its_words() -> None:
    before = ["one two three four", "alpha beta gamma delta"]
    after = ["alpha beta gamma epsilon", "one two three five", "new"]
    found = {(pair.before, pair.after) for pair in align(before, after)}
    assert {(0, 1), (1, 0), (None, 2)} == found


def test_a_date_written_anew_is_the_same_paragraph() -> None:
    before = ["Updated: August 19, 2021", "x y z"]
    assert Pair(0, 0) in align(before, ["Updated: 26. September 2023", "q r s", "t u v"])


def test_many_paragraphs_without_any_in_common() -> None:
    pairs = align([f"a{n}" for n in range(500)], [f"b{n}" for n in range(500)])
    assert len(pairs) == 1000


@given(st.lists(st.sampled_from("abcde"), max_size=12), st.lists(st.sampled_from("abcde"), max_size=12))
def test_every_paragraph_stands_once_and_equal_lists_pair_up(before: list[str], after: list[str]) -> None:
    pairs = align(before, after)
    assert sorted(p.before for p in pairs if p.before is not None) == list(range(len(before)))
    assert sorted(p.after for p in pairs if p.after is not None) == list(range(len(after)))
    assert align(before, before) == [Pair(n, n) for n in range(len(before))]
