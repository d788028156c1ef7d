"""The log of what readers did: on the disk before it is acknowledged, and counted once."""

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.readers.contract import LATEST_DAYS, MOST_A_DAY, NEW_A_DAY, Bundle, Did, LogDamaged, TooMuch
from whimbrel.readers.keeping import ReaderKeeping
from whimbrel.readers.log import TWICE_SECONDS, ReaderLog
from whimbrel.readers.mine import Mine
from whimbrel.readers.opening import DAMAGED, FILE, OLD_COUNTS
from whimbrel.readers.tallies import Tallies
from whimbrel.records.deed import Action, Deed
from whimbrel.records.url import Url
from whimbrel.urls.normal import key as key_of

NOW = 1_800_000_000.0
DAY = 86_400.0
PAGE = Url("http://a.example/page")
OTHER = Url("http://a.example/other")


def bundle(
    name: str, reader: int = 1, *, url: Url = PAGE, did: int = 2, query: str = "tides", at: float = NOW
) -> Bundle:
    deeds = tuple(Did(Action.SCROLL, 1.0, at) for _ in range(did))
    return Bundle(reader, name, url, key_of(url), 1, query, deeds, 0.5)


def deed(reader: int, action: Action, *, url: Url = PAGE, query: str = "tides", rank: int = 0, at: float = NOW) -> Deed:
    return Deed(reader, at, url, 1, action, 1.0, query, rank)


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 9)), max_size=40), st.randoms())
def test_however_often_and_in_whatever_groups_batches_come_each_counts_once(
    sent: list[tuple[int, int]], chance: Random
) -> None:
    with TemporaryDirectory() as folder, ReaderLog(Path(folder)) as log:
        new: list[tuple[int, int]] = []
        left = list(sent)
        while left:
            group = [left.pop() for _ in range(chance.randint(1, len(left)))]
            taken = log.take([bundle(f"batch-{number}", reader) for reader, number in group], NOW)
            new += [one for one, is_new in zip(group, taken, strict=True) if is_new]
        assert sorted(new) == sorted(set(sent))
        assert len(list(log.deeds())) == 2 * len(set(sent))


KILLED = """
import os, sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from whimbrel.readers.contract import Bundle, Did
from whimbrel.readers.log import TWICE_SECONDS, ReaderLog
from whimbrel.records.deed import Action
log = ReaderLog(Path(sys.argv[1]))
number = int(sys.argv[2])
while True:
    names = [f"batch-{number + step:09}" for step in range(3)]
    log.take([Bundle(1, name, "http://a.example/", 1, 1, "", (Did(Action.COPY, 1.0, 5.0),)) for name in names], 5.0)
    os.write(1, "".join(name + "\\n" for name in names).encode())
    number += 3
"""


def test_what_was_acknowledged_outlives_kills_and_is_counted_once(tmp_path: Path) -> None:
    acknowledged: list[str] = []
    for round in range(4):
        begin = str(len(acknowledged))
        process = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path), begin], stdout=subprocess.PIPE)
        assert process.stdout is not None
        acknowledged += [process.stdout.readline().decode().strip() for _ in range(10 + 7 * round)]
        process.send_signal(signal.SIGKILL)
        acknowledged += process.stdout.read().decode().split()
        process.wait()
        process.stdout.close()
        with ReaderLog(tmp_path) as log:
            written = log.take([bundle(name, did=1) for name in acknowledged], NOW)
            assert not any(written), "all of them are known"
            with log.reading() as database:
                names = [name for (name,) in database.execute("SELECT name FROM batch ORDER BY name")]
                # A group whose acknowledgement the kill cut off may be there too, whole.
                assert set(acknowledged) <= set(names)
                assert len(names) - len(acknowledged) in (0, 1, 2, 3)
                assert database.execute("SELECT count(*) FROM deed").fetchone() == (len(names),)
            acknowledged = names


def test_a_journal_cut_in_the_middle_loses_only_what_was_not_acknowledged(tmp_path: Path) -> None:
    """As a machine that went down leaves it: cut back to the last sync."""
    log = ReaderLog(tmp_path)
    log.take([bundle("first-batch")], NOW)
    synced = (tmp_path / f"{FILE}-wal").stat().st_size
    log.take([bundle("second-batch")], NOW)
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / FILE).write_bytes((tmp_path / FILE).read_bytes())
    journal = (tmp_path / f"{FILE}-wal").read_bytes()
    log.close()
    file = (copy / FILE).read_bytes()
    for cut, second_is_new in ((synced, True), (synced + 100, True), (len(journal) - 1, True), (len(journal), False)):
        (copy / FILE).write_bytes(file)
        (copy / f"{FILE}-wal").write_bytes(journal[:cut])
        (copy / f"{FILE}-shm").unlink(missing_ok=True)
        with ReaderLog(copy) as again:
            taken = again.take([bundle("first-batch"), bundle("second-batch")], NOW)
            assert taken == [False, second_is_new], cut
            assert len(list(again.deeds())) == 4


def test_a_damaged_file_is_set_aside_and_what_can_be_read_is_saved(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with ReaderLog(tmp_path) as log:
        log.join("somebody", "here", NOW)
        ReaderKeeping(log).add(PAGE, "A page", NOW)
        for number in range(300):
            log.take([bundle(f"batch-{number:09}", did=20)], NOW)
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(whole[: len(whole) // 2])
    assert not caplog.records
    with ReaderLog(tmp_path) as log:
        assert f"the rest is in {tmp_path / DAMAGED}" in caplog.text, "it is told"
        assert ReaderKeeping(log).is_favourite(PAGE)
        assert log.reader_of("somebody") == (1, True)
        assert log.take([bundle("another-batch")], NOW) == [True]
    assert (tmp_path / DAMAGED).exists()


def test_what_a_later_release_wrote_is_left_alone(tmp_path: Path) -> None:
    with ReaderLog(tmp_path) as log, log.reading() as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(LogDamaged, match="later release"):
        ReaderLog(tmp_path)


def test_favourites_and_counts_of_an_earlier_release_are_taken_over_once(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE) as before:
        before.execute("CREATE TABLE favourite (url TEXT PRIMARY KEY, title TEXT NOT NULL, at REAL NOT NULL) STRICT")
        before.execute("INSERT INTO favourite VALUES (?, 'A page', 5.0)", (PAGE,))
    (tmp_path / OLD_COUNTS).parent.mkdir()
    with sqlite3.connect(tmp_path / OLD_COUNTS) as counts:
        counts.execute("CREATE TABLE state (key INTEGER PRIMARY KEY, shown INTEGER, clicked INTEGER) STRICT")
        counts.execute("INSERT INTO state VALUES (?, 7, 2), (12, 1, 0)", (key_of(PAGE),))
    held = (tmp_path / OLD_COUNTS).read_bytes()
    with ReaderLog(tmp_path) as log:
        assert [each.url for each in ReaderKeeping(log).favourites()] == [PAGE]
        assert Tallies(log).of(key_of(PAGE)) == (7, 2)
    assert not (tmp_path / OLD_COUNTS).exists()
    # Killed after the counts were taken and before their file was removed.
    (tmp_path / OLD_COUNTS).write_bytes(held)
    with ReaderLog(tmp_path) as log:
        assert Tallies(log).of(key_of(PAGE)) == (7, 2)
    assert not (tmp_path / OLD_COUNTS).exists()


def test_the_rank_is_where_the_reader_was_shown_it(tmp_path: Path) -> None:
    with ReaderLog(tmp_path) as log:
        log.note(
            [deed(1, Action.SHOWN, rank=4), deed(2, Action.SHOWN, rank=9), deed(1, Action.SHOWN, url=OTHER, rank=5)]
        )
        log.take([bundle("one-batch", 1), bundle("two-batch", 2), bundle("no-query", 1, query="")], NOW)
        log.take([bundle("never-shown", 3)], NOW)
        scrolls = [(each.reader, each.query, each.rank) for each in log.deeds() if each.action is Action.SCROLL]
    assert sorted(set(scrolls)) == [(1, "", 0), (1, "tides", 4), (2, "tides", 9), (3, "tides", 0)]


def test_a_double_click_and_a_way_back_count_once(tmp_path: Path) -> None:
    with ReaderLog(tmp_path) as log:
        log.note([deed(1, Action.OPENED, at=NOW + wait) for wait in (0, 0.3, 1500, TWICE_SECONDS + 1)])
        log.note([deed(2, Action.OPENED), deed(1, Action.OPENED, url=OTHER), deed(1, Action.OPENED, query="ebb")])
        assert Tallies(log).of(key_of(PAGE)) == (0, 4)
        assert Tallies(log).of(key_of(OTHER)) == (0, 1)
        log.note([deed(1, Action.SHOWN, rank=rank, at=NOW + wait) for wait, rank in ((0, 3), (9, 3), (20, 1))])
        assert Tallies(log).of(key_of(PAGE)) == (2, 4)


def test_old_rows_become_sums_and_lose_nothing_of_them(tmp_path: Path) -> None:
    with ReaderLog(tmp_path) as log:
        log.join("one", "here", NOW)
        log.take([bundle("old", at=NOW - 400 * DAY), bundle("older", at=NOW - 500 * DAY)], NOW - 400 * DAY)
        log.take([bundle("new")], NOW)
        before = Mine(log, 1).done()
        assert log.fold(365, NOW) == 4
        assert log.fold(365, NOW) == 0
        assert Mine(log, 1).done() == before
        assert len(list(log.deeds())) == 2
        with log.reading() as database:
            assert database.execute("SELECT name FROM batch").fetchall() == [("new",)]


def test_names_of_batches_are_known_for_as_long_as_a_browser_may_keep_them(tmp_path: Path) -> None:
    with ReaderLog(tmp_path) as log:
        log.take([bundle("kept-back")], NOW)
        log.fold(365, NOW + LATEST_DAYS * DAY)
        assert log.take([bundle("kept-back")], NOW + LATEST_DAYS * DAY) == [False]


def test_one_reader_does_no_more_in_a_day_than_a_person(tmp_path: Path) -> None:
    with ReaderLog(tmp_path) as log:
        full = [bundle(f"batch-{number:09}", did=500) for number in range(MOST_A_DAY // 500)]
        assert all(taken is True for taken in log.take(full, NOW))
        refused, other = log.take([bundle("one-more"), bundle("another", 2)], NOW)
        assert isinstance(refused, TooMuch)
        assert other is True
        assert log.take([bundle("one-more")], NOW + DAY) == [True], "it can be sent again tomorrow"
        assert len(list(log.deeds())) == MOST_A_DAY + 4


def test_a_thousand_readers_of_one_machine_are_a_hundred(tmp_path: Path) -> None:
    with ReaderLog(tmp_path) as log:
        for number in range(NEW_A_DAY):
            log.join(f"reader-{number}", "one machine", NOW)
        with pytest.raises(TooMuch, match="tomorrow"):
            log.join("one too many", "one machine", NOW)
        assert log.reader_of("one too many") is None
        assert log.join("elsewhere", "another machine", NOW)
        assert log.join("tomorrow", "one machine", NOW + DAY + 1)


def test_a_forgotten_page_takes_along_what_was_done_with_it(tmp_path: Path) -> None:
    with ReaderLog(tmp_path) as log:
        log.take([bundle("one-batch"), bundle("two-batch", url=OTHER)], NOW)
        log.note([deed(1, Action.SHOWN), deed(1, Action.SHOWN, url=OTHER)])
        log.forget_pages([key_of(PAGE)])
        assert {each.page for each in log.deeds()} == {OTHER}
        assert Tallies(log).of(key_of(PAGE)) == (0, 0)
        log.take([bundle("three-batch")], NOW)
        assert {each.page for each in log.deeds()} == {PAGE, OTHER}


def test_what_a_reader_deletes_is_in_no_file_any_more(tmp_path: Path) -> None:
    secret, url = "flibbertigibbet", Url("http://a.example/quisquilious")
    (tmp_path / DAMAGED).write_bytes(secret.encode())
    with ReaderLog(tmp_path) as log:
        one, two = log.join("first-reader", "here", NOW), log.join("second-reader", "here", NOW)
        keeping = ReaderKeeping(log)
        for reader in (one, two):
            log.note([deed(reader, Action.SHOWN), deed(reader, Action.OPENED)])
        log.note([deed(one, Action.SHOWN, url=url, query=secret)])
        log.take([bundle("old-batch", one, url=url, query=secret, at=NOW - 400 * DAY)], NOW)
        log.fold(365, NOW)
        log.take([bundle("new-batch", one, url=url, query=secret)], NOW)
        keeping.add(url, secret, NOW, one)
        keeping.give_stars(url, secret, 5, NOW, one)
        keeping.save(secret, NOW, one)
        kept = Mine(log, two).export()
        assert secret in str(Mine(log, one).export())
        Mine(log, one).delete()
        assert log.reader_of("first-reader") is None
        assert Mine(log, one).done() == []
        assert Mine(log, two).export() == kept
        assert Tallies(log).of(key_of(PAGE)) == (1, 1)
        for file in tmp_path.rglob("*"):
            held = file.read_bytes()
            assert not any(each.encode() in held for each in (secret, url, "first-reader", "new-batch")), file
        assert log.join("third-reader", "here", NOW) == 3, "a number is given once"


def test_put_aside_without_a_yes_it_is_the_folders(tmp_path: Path) -> None:
    with ReaderLog(tmp_path) as log:
        keeping = ReaderKeeping(log)
        assert keeping.add(PAGE, "A page", NOW)
        assert not keeping.add(PAGE, "A page", NOW, reader=1)
        assert keeping.add(OTHER, "Another", NOW + 1, reader=1)
        assert [each.url for each in keeping.favourites(1)] == [OTHER, PAGE]
        assert [each.url for each in keeping.favourites(2)] == [PAGE]
        keeping.remove(PAGE, reader=1)
        assert keeping.favourites() == []
        keeping.give_stars(PAGE, "A page", 4, NOW, reader=1)
        keeping.give_stars(PAGE, "A page", 2, NOW, reader=1)
        assert (keeping.stars(PAGE, 1), keeping.stars(PAGE, 2)) == (2, 0)
        with pytest.raises(ValueError, match="1 to 5"):
            keeping.give_stars(PAGE, "A page", 6, NOW)
        keeping.give_stars(PAGE, "A page", 0, NOW, reader=1)
        assert keeping.starred(1) == []


def test_a_saved_search_has_an_address_that_can_be_taken_back(tmp_path: Path) -> None:
    with ReaderLog(tmp_path) as log:
        keeping = ReaderKeeping(log)
        saved = keeping.save("tides", NOW, 1)
        assert saved is not None
        assert keeping.save("tides", NOW, 1) == saved
        assert keeping.saved_by(saved.token) == saved
        keeping.renew(saved.number, 2)
        assert keeping.saved_by(saved.token) == saved, "another reader's is not theirs to renew"
        keeping.renew(saved.number, 1)
        assert keeping.saved_by(saved.token) is None
        keeping.drop(saved.number, 1)
        assert keeping.saved(1) == []


def test_a_late_batch_does_not_move_where_the_reader_was(tmp_path: Path) -> None:
    with ReaderLog(tmp_path) as log:
        log.take([bundle("late-one")], NOW)
        early = bundle("early-one", at=NOW - 60)
        log.take([Bundle(*(*[getattr(early, name) for name in early.__struct_fields__[:-1]], 0.1))], NOW)
        assert ReaderKeeping(log).place(1, key_of(PAGE)) == 0.5
        assert [each.url for each in ReaderKeeping(log).history(1, 10)] == [PAGE]


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    with ReaderLog(tmp_path):
        assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
