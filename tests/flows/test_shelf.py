"""The shelf: bounded, rare structures stay longest, shared by processes, and thrown away when damaged."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from shop_site import item, story
from whimbrel.flows.visit.shelf import FORMAT, FRESH_SECONDS, TOGETHER, Shelf
from whimbrel.parse.outline import outline
from whimbrel.records.url import Url
from whimbrel.records.visit import Archived, Outcome, Visit
from whimbrel.structure.shape import Shaper, signature

MADE = {"item": item(3), "story": story(3, [1, 2], 9), "bare": "<html><body><main><p><b>bare</b></main></body></html>"}
SHAPES = {kind: Shaper().shape(outline(page.encode(), "text/html")) for kind, page in MADE.items()}


def visit(key: int, at: float = 0.0, size: int = 100) -> Visit:
    archived = Archived(random.Random(key).randbytes(size), b"", b"")
    return Visit(key, Url(f"http://site.test/{key}"), 1, Outcome.FETCHED, "", "", 200, at, size, archived=archived)


def put(shelf: Shelf, kind: str, page: Visit) -> bool:
    return shelf.put(signature(SHAPES[kind]), {"structure": kind.encode()}, page)


def there(shelf: Shelf, keys: range) -> list[int]:
    return [key for key in keys if shelf.find(key, 0.0) is not None]


def test_the_commonest_structure_goes_first_and_its_oldest_page() -> None:
    with closing(Shelf(most_pages=4)) as shelf:
        for key, kind in enumerate(["item", "story", "story", "story", "story"]):
            assert put(shelf, kind, visit(key, at=key))
        assert there(shelf, range(5)) == [0, 2, 3, 4]


def test_what_was_sent_home_goes_before_everything_else() -> None:
    with closing(Shelf(most_pages=3)) as shelf:
        for key, kind in enumerate(["item", "story", "story"]):
            put(shelf, kind, visit(key, at=key))
        shelf.serve(0)
        assert shelf.find(0, 0.0) is not None, "home may still put it back"
        put(shelf, "story", visit(3, at=3))
        shelf.write()
        assert there(shelf, range(4)) == [1, 2, 3]


def test_pages_come_rare_structures_first_and_as_they_were_put() -> None:
    with closing(Shelf()) as shelf:
        for key, kind in enumerate(["story", "story", "item", "bare", "story"]):
            put(shelf, kind, visit(key, at=key))
        found = list(shelf.among([0, 1, 2, 77], 0.0))
        assert [page.visit.key for page in found] == [2, 0, 1]
        assert found[0].packed == {"structure": b"item"}
        assert found[0].visit == visit(2, at=2)


def test_what_is_too_large_is_not_kept() -> None:
    with closing(Shelf(most_bytes=10_000)) as shelf:
        assert not put(shelf, "item", visit(2, size=20_000))
        assert (len(shelf), shelf.size) == (0, 0)


def test_a_page_put_again_replaces_its_copy() -> None:
    with closing(Shelf()) as shelf:
        put(shelf, "item", visit(1))
        put(shelf, "story", replace(visit(1), depth=7))
        found = shelf.find(1, 0.0)
        assert found is not None
        assert (found.packed, found.visit.depth, len(shelf)) == ({"structure": b"story"}, 7, 1)


def test_what_is_too_old_is_fetched_anew() -> None:
    with closing(Shelf()) as shelf:
        put(shelf, "item", visit(1, at=1_000.0))
        assert shelf.find(1, 1_000.0 + FRESH_SECONDS) is not None
        assert shelf.find(1, 1_001.0 + FRESH_SECONDS) is None


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(list(SHAPES)), st.integers(0, 4_000)), max_size=20))
@settings(max_examples=40)
def test_neither_bound_is_ever_passed(puts: list[tuple[int, str, int]]) -> None:
    with closing(Shelf(most_pages=5, most_bytes=9_000)) as shelf:
        for at, (key, kind, size) in enumerate(puts):
            put(shelf, kind, visit(key, at, size))
            assert len(shelf) <= 5
            assert shelf.size <= 9_000
            assert len(there(shelf, range(10))) == len(shelf)


def test_two_migrants_share_it_and_the_next_one_finds_it(tmp_path: Path) -> None:
    path = tmp_path / "shelf.sqlite"
    with closing(Shelf(path)) as one, closing(Shelf(path)) as other:
        for key in range(20):
            assert put((one if key % 2 else other), "item", visit(key))
        one.write()
        other.write()
        assert there(one, range(20)) == there(other, range(20)) == list(range(20))
    with closing(Shelf(path)) as later:
        assert len(later) == 20
        assert later.notes == []


def in_the_file(path: Path) -> int:
    """What somebody finds there after its migrant was killed."""
    with closing(sqlite3.connect(path)) as database:
        return int(database.execute("SELECT count(*) FROM page").fetchone()[0])


def test_pages_go_into_the_file_some_together_and_are_found_before(tmp_path: Path) -> None:
    path = tmp_path / "shelf.sqlite"
    with closing(Shelf(path)) as shelf:
        for key in range(TOGETHER - 1):
            put(shelf, "item", visit(key))
        assert in_the_file(path) == 0
        put(shelf, "item", visit(TOGETHER))
        assert in_the_file(path) == TOGETHER
        put(shelf, "item", visit(77))
        assert shelf.find(77, 0.0) is not None
        assert in_the_file(path) == TOGETHER + 1
        put(shelf, "item", visit(88))
    assert in_the_file(path) == TOGETHER + 2


def garbage(path: Path) -> None:
    path.write_bytes(b"no shelf at all" * 500)


def cut_short(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def of_another_release(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA user_version = {FORMAT + 1}")


@pytest.mark.parametrize("damage", [garbage, cut_short, of_another_release])
def test_a_damaged_file_is_told_and_begun_anew(tmp_path: Path, damage: object) -> None:
    path = tmp_path / "shelf.sqlite"
    with closing(Shelf(path)) as shelf:
        for key in range(20):
            put(shelf, "item", visit(key, size=2_000))
    assert callable(damage)
    damage(path)
    with closing(Shelf(path)) as shelf:
        assert len(shelf.notes) == 1
        assert "begun anew" in shelf.notes[0]
        assert len(shelf) == 0
        assert put(shelf, "item", visit(1))
    with closing(Shelf(path)) as shelf:
        assert (len(shelf), shelf.notes) == (1, [])


def test_a_page_whose_bytes_changed_is_not_served(tmp_path: Path) -> None:
    path = tmp_path / "shelf.sqlite"
    with closing(Shelf(path)) as shelf:
        put(shelf, "item", visit(1))
        put(shelf, "item", visit(2))
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE page SET packed = CAST(substr(packed, 1, length(packed) - 1) AS BLOB) WHERE key = 1")
        database.commit()
    with closing(Shelf(path)) as shelf:
        assert there(shelf, range(3)) == [2]
        assert len(shelf) == 1, "it is gone for good"


def test_where_no_file_can_be_written_the_shelf_is_in_memory(tmp_path: Path) -> None:
    with closing(Shelf(tmp_path / "nowhere" / "shelf.sqlite")) as shelf:
        assert "cannot be used" in shelf.notes[0]
        assert put(shelf, "item", visit(1))
        assert len(shelf) == 1
