"""How far a place is believed: what raises doubt, what does not, and what is told."""

from pathlib import Path
from random import Random

import pytest

from whimbrel.bench.lies import pages_until_found
from whimbrel.places.home.belief import Compared, Trust, beyond, learn, lies, most_false, share_of, share_of_unchanged
from whimbrel.places.home.book import PlaceBook
from whimbrel.repository.contract import RepositoryError

SHARE = 0.08


@pytest.mark.parametrize(("edited", "most_suspected"), [(0.0, 0), (0.0005, 1), (0.002, 3)])
def test_pages_edited_between_two_looks_put_hardly_anybody_in_doubt(edited: float, most_suspected: int) -> None:
    found = [pages_until_found(edited, Random(seed), 5_000) for seed in range(100)]
    assert sum(page > 0 for page in found) <= most_suspected


def test_more_is_looked_at_first_and_in_doubt_and_nothing_where_nobody_wants_it() -> None:
    trust = Trust()
    assert share_of(trust, SHARE) == 0.5
    for _ in range(25):
        learn(trust, Compared.SAME)
    assert share_of(trust, SHARE) == SHARE
    learn(trust, Compared.UNSTEADY)
    learn(trust, Compared.UNREACHED)
    assert share_of(trust, SHARE) == SHARE
    learn(trust, Compared.DIFFERENT, "https://docs.example.org/a")
    assert share_of(trust, SHARE) == 0.5
    assert share_of(trust, 0.8) == 0.8
    assert share_of(trust, 0.0) == 0.0
    assert trust.unlike == ["https://docs.example.org/a"]


def test_a_hidden_change_is_looked_for_where_one_was_to_be_expected() -> None:
    trust = Trust()
    assert share_of_unchanged(trust, SHARE, 0.0) == 0.5, "at first whatever is said"
    trust.since_doubt = 25
    assert share_of_unchanged(trust, SHARE, 1.0) == SHARE
    assert share_of_unchanged(trust, SHARE, 0.5) == SHARE / 2
    assert 0.0 < share_of_unchanged(trust, SHARE, 0.0) == share_of_unchanged(trust, SHARE, 0.01) < SHARE / 10
    assert share_of_unchanged(trust, 0.0, 1.0) == 0.0
    learn(trust, Compared.DIFFERENT, "https://docs.example.org/a")
    assert share_of_unchanged(trust, SHARE, 0.0) == 0.5


def test_a_place_that_hides_expected_changes_is_found_before_one_that_hides_others() -> None:
    """As fast as one that alters as many, where all of them were to be expected."""

    def median(expected: float | None) -> int:
        found = sorted(
            pages_until_found(0.1, Random(seed), 50_000, expected=expected, truthful=25) for seed in range(40)
        )
        assert found[0] > 0
        return found[20]

    altered, likely, seldom, never = (median(expected) for expected in (None, 1.0, 0.1, 0.0))
    assert likely <= 3 * altered + 50
    assert likely < seldom < never


def test_two_differences_are_never_enough_and_three_soon_are() -> None:
    for checked in (2, 50, 1000):
        assert not lies(Trust(checked=checked, differed=2))
    assert lies(Trust(checked=25, differed=3))
    assert not lies(Trust(checked=2000, differed=3))
    assert lies(Trust(checked=2000, differed=40))
    assert lies(Trust(checked=400_000, differed=4_000))


def test_a_good_record_lets_nobody_lie_for_longer() -> None:
    """Three that differ within a few looks are enough after ten thousand that did not, as they are at first."""
    trust = Trust(checked=10_000, since_doubt=10_000)
    for step in range(21):
        learn(trust, Compared.DIFFERENT if step % 10 == 0 else Compared.SAME, f"https://docs.example.org/{step}")
        assert lies(trust) == (step == 20)
    found = [
        sorted(pages_until_found(0.1, Random(seed), 20_000, truthful=truthful) for seed in range(60))
        for truthful in (25, 10_000)
    ]
    assert found[0] == found[1]


def test_what_is_remembered_of_a_place_stays_small() -> None:
    trust = Trust()
    for step in range(100_000):
        learn(trust, Compared.DIFFERENT if step % 300 == 0 else Compared.SAME, "https://docs.example.org/")
    assert trust.differed == 334
    assert len(trust.differed_at) <= 64


def test_looks_under_way_are_taken_to_go_well_until_they_do_not() -> None:
    """A place that sends faster than home looks is not asked for half of all until home has caught up."""
    trust = Trust()
    assert share_of(trust, SHARE, under_way=24) == 0.5
    assert share_of(trust, SHARE, under_way=25) == SHARE
    assert share_of_unchanged(trust, SHARE, 0.5, under_way=25) == SHARE / 2
    learn(trust, Compared.DIFFERENT, "https://docs.example.org/a")
    assert share_of(trust, SHARE, under_way=24) == 0.5


@pytest.mark.parametrize("truthful", [0, 600])
def test_a_place_that_alters_a_tenth_is_found_within_500_pages_nineteen_times_of_twenty(truthful: int) -> None:
    found = [pages_until_found(0.1, Random(seed), 2_000, share=0.08, truthful=truthful) for seed in range(100)]
    assert sum(0 < page <= 500 for page in found) >= 95


def test_the_bound_that_is_told_grows_narrower() -> None:
    assert beyond(0, 0, 0.0) == 1.0
    bounds = [most_false(Trust(checked=checked)) for checked in (1, 40, 400, 4000)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] < 0.001
    assert "at most" in Trust(fetched=500, checked=40, since_doubt=40).words
    assert "home cannot look for itself (refused)" in Trust(unreached=3, why_unreached="refused").words


@pytest.mark.parametrize("text", [b"", b"{", b"\xff\xfe", b'{"places": {"a": {"trust": {"checked": "many"}}}}'])
def test_a_damaged_book_is_said_and_left_as_it_is(tmp_path: Path, text: bytes) -> None:
    book = PlaceBook(tmp_path)
    book.folder.mkdir()
    (book.folder / "book.json").write_bytes(text)
    with pytest.raises(RepositoryError, match="is damaged"):
        book.read()
    with pytest.raises(RepositoryError, match="is damaged"), book.change():
        pass
    assert (book.folder / "book.json").read_bytes() == text
