"""Sketches estimate resemblance, and bands find what is alike."""

from random import Random
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wordy import edited, prose

from whimbrel.dedupe.shingles import resemblance, shingles_of, words_of
from whimbrel.dedupe.sketch import BANDS, BINS, bands_of, estimate, least_hashes, packed

HASHES = st.sets(st.integers(0, 2**64 - 1), max_size=40)


def by_definition(shingles: set[int]) -> dict[int, int]:
    return {bin: min(h for h in shingles if h % BINS == bin) for bin in {h % BINS for h in shingles}}


@given(HASHES)
def test_every_bin_holds_its_least_hash_or_borrows_one(shingles: set[int]) -> None:
    least, own = least_hashes(shingles), by_definition(shingles)
    assert len(least) == BINS
    for bin, hash in enumerate(least):
        assert hash == own[bin] if bin in own else hash in (own.values() or (0,))


def test_the_short_way_for_long_texts_gives_the_same() -> None:
    chance = Random(1)
    shingles = {chance.getrandbits(64) for _ in range(5000)}
    assert least_hashes(shingles) == [hash for _, hash in sorted(by_definition(shingles).items())]
    crowded = {hash // 97 * 96 for hash in shingles}  # one bin only: the short way must not be taken
    assert set(least_hashes(crowded)) == {min(crowded)}


@pytest.mark.parametrize(("words", "share"), [(60, 0.05), (200, 0.02), (200, 0.1), (1500, 0.05)])
def test_the_estimate_is_unbiased(words: int, share: float) -> None:
    errors = []
    for seed in range(40):
        text = prose(seed, words)
        sets = [shingles_of(words_of(one)) for one in (text, edited(text, share, seed))]
        sketches = [packed(least_hashes(one)) for one in sets]
        errors.append(estimate(*sketches) - resemblance(*sets))
    assert abs(mean(errors)) < 0.025
    assert mean(map(abs, errors)) < 0.06


@settings(max_examples=30)
@given(HASHES, HASHES)
def test_equal_texts_are_estimated_equal(one: set[int], other: set[int]) -> None:
    assert estimate(packed(least_hashes(one)), packed(least_hashes(one))) == 1.0
    assert bands_of(least_hashes(one)) == bands_of(least_hashes(set(one)))
    assert len(bands_of(least_hashes(other))) == BANDS
    assert 0 not in bands_of(least_hashes(other))
