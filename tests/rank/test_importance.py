"""How much a page matters, and where its link rank comes from."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.rank.importance import importance
from whimbrel.search.ranked import FILE, link_ranks


def test_an_ordinary_page_counts_one() -> None:
    assert importance(1.0) == importance(1.0, 0.5) == 1.0
    assert importance(3.0) == 2.0
    assert importance(0.0) == 0.5


@given(st.floats(0, 1), st.floats(0, 100))
def test_an_owner_who_says_the_same_of_all_pages_says_nothing(said: float, times: float) -> None:
    assert importance(times, said, said) == importance(times)


def test_priority_is_within_a_factor_of_two_of_the_usual() -> None:
    assert (importance(1.0, 1.0), importance(1.0, 0.0), importance(1.0, 7.0)) == (2.0, 0.5, 2.0)


def test_ranks_are_read_without_numpy_as_numpy_wrote_them(tmp_path: Path) -> None:
    table = np.zeros(3, np.dtype([("key", np.int64), ("rank", np.float64)]))
    table["key"], table["rank"] = [-5, 7, 1 << 62], [0.5, 0.25, 0.25]
    (tmp_path / "index").mkdir()
    np.save(tmp_path / "index" / FILE, table)
    assert link_ranks(tmp_path) == {-5: 0.5, 7: 0.25, 1 << 62: 0.25}


@pytest.mark.parametrize("damage", [b"", b"\x93NUMPY", b"no table at all, but long", b"\x93NUMPY\x01\x00\x04\x00{}  1"])
def test_a_table_that_cannot_be_read_is_none(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / FILE).write_bytes(damage)
    assert link_ranks(tmp_path) == {}
    assert link_ranks(tmp_path / "nowhere") == {}
