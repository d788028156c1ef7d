"""The index of bands: finds what shares a band, forgets, grows, and stays small."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from whimbrel.dedupe.bands import MOST_ALIKE, BandIndex
from whimbrel.dedupe.sketch import HASHES

TEXT = st.lists(st.integers(1, 30), min_size=HASHES, max_size=HASHES)


def drawn(chance: Random) -> list[int]:
    return [chance.randrange(1, 1 << 32) for _ in range(HASHES)]


@settings(max_examples=60)
@given(st.lists(TEXT, max_size=MOST_ALIKE))
def test_it_finds_what_a_comparison_with_all_finds(texts: list[list[int]]) -> None:
    index = BandIndex()
    for number, bands in enumerate(texts):
        shared = {at: sum(map(int.__eq__, bands, other)) for at, other in enumerate(texts[:number])}
        found = index.meet(bands)
        assert dict(found) == {at: count for at, count in shared.items() if count}
        assert [count for _, count in found] == sorted((count for _, count in found), reverse=True)


def test_it_grows_and_loses_nothing() -> None:
    chance, index = Random(1), BandIndex()
    texts = [drawn(chance) for _ in range(3000)]
    for bands in texts:
        index.meet(bands)
    assert len(index) == 3000
    assert all((at, HASHES) in index.meet(texts[at]) for at in range(0, 3000, 37))


def test_a_hash_that_everybody_has_finds_a_few_only() -> None:
    chance, index = Random(1), BandIndex()
    found = [len(index.meet([7, *drawn(chance)[1:]])) for _ in range(100)]
    assert max(found) == MOST_ALIKE


def test_what_is_forgotten_is_not_found_and_hides_nobody() -> None:
    index = BandIndex()
    bands = [9] * HASHES
    for _ in range(3):
        index.meet(bands)
    index.forget(1)
    assert sorted(number for number, _ in index.meet(bands)) == [0, 2]


def test_memory_is_bounded() -> None:
    chance, index = Random(1), BandIndex()
    for _ in range(4000):
        index.meet(drawn(chance))
    assert index.size_bytes / len(index) <= 68 + 204
