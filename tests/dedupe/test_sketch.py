"""Sketches estimate resemblance, and bands find what is alike."""

from array import array
from collections.abc import Iterable
from random import Random
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wordy import edited, prose

from whimbrel.dedupe.shingles import resemblance, shingles_of, words_of
from whimbrel.dedupe.sketch import BINS, HASHES, estimate, hashes_of, least_of, packed

SHINGLES = st.sets(st.integers(0, 2**30 - 1), max_size=40)


def bin_of(shingle: int) -> int:
    return (shingle % 256) * BINS // 256


def by_definition(shingles: Iterable[int]) -> dict[int, int]:
    return {bin: min(one for one in shingles if bin_of(one) == bin) for bin in {*map(bin_of, shingles)}}


def least(shingles: Iterable[int]) -> list[int]:
    return least_of(array("I", shingles))


@given(SHINGLES)
def test_every_bin_holds_its_least_shingle_or_borrows_one(shingles: set[int]) -> None:
    found, own = least(shingles), by_definition(shingles)
    assert len(found) == BINS
    for bin, shingle in enumerate(found):
        assert shingle == own[bin] if bin in own else shingle in (own.values() or (0,))


def test_long_texts_fill_every_bin_and_one_bin_lends_to_all() -> None:
    chance = Random(1)
    shingles = {chance.getrandbits(30) for _ in range(5000)}
    assert least(shingles) == [shingle for _, shingle in sorted(by_definition(shingles).items())]
    crowded = {shingle >> 8 << 8 for shingle in shingles}
    assert set(least(crowded)) == {min(crowded)}


@pytest.mark.parametrize(("words", "share"), [(60, 0.05), (200, 0.02), (200, 0.1), (1500, 0.05)])
def test_the_estimate_is_unbiased(words: int, share: float) -> None:
    errors = []
    for seed in range(40):
        text = prose(seed, words)
        sets = [shingles_of(words_of(one)) for one in (text, edited(text, share, seed))]
        sketches = [packed(least(one)) for one in sets]
        errors.append(estimate(*sketches) - resemblance(*sets))
    assert abs(mean(errors)) < 0.025
    assert mean(map(abs, errors)) < 0.06


@settings(max_examples=30)
@given(SHINGLES, SHINGLES)
def test_equal_texts_are_estimated_equal(one: set[int], other: set[int]) -> None:
    assert estimate(packed(least(one)), packed(least(one))) == 1.0
    assert hashes_of(least(one), "") == hashes_of(least(set(one)), "")
    assert len(hashes_of(least(other), "drain")) == HASHES
    assert 0 not in hashes_of(least(other), "")


def test_pages_meet_by_text_or_title_and_short_ones_by_both() -> None:
    one, other = (least(shingles_of(words_of(prose(seed, 200)))) for seed in (1, 2))

    def shared(*hashes: list[int]) -> int:
        return sum(map(int.__eq__, *hashes))

    assert shared(hashes_of(one, "drain"), hashes_of(one, "sink")) == HASHES - 1
    assert shared(hashes_of(one, "drain"), hashes_of(other, "drain")) == 1
    assert shared(hashes_of(one, ""), hashes_of(other, "")) == 0
    assert shared(hashes_of(one, "drain", short=True), hashes_of(one, "sink", short=True)) == 0
    assert shared(hashes_of(one, "drain", short=True), hashes_of(one, "drain", short=True)) == HASHES
    assert shared(hashes_of(one, "drain", short=True), hashes_of(one, "drain")) == 1
