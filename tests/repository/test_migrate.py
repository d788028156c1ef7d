"""Upgrading: step by step, a copy before each, and a crash leaves a format whole."""

import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from folders import WITHOUT_FORMAT_5, WITHOUT_FORMAT_6, WITHOUT_FORMAT_7
from grown_folder import grow, small_world
from whimbrel.repository.contract import FolderBusy, NothingThere, RepositoryError
from whimbrel.repository.embedded.migrate import migrate
from whimbrel.repository.embedded.opening import DATABASE
from whimbrel.repository.embedded.reader import Reader
from whimbrel.repository.embedded.schema import FORMAT
from whimbrel.repository.embedded.store import Store
from whimbrel.repository.upkeep import FormatStep

# Older formats as they might have been: without a column that came later, and without a table.
STEPS = {
    FORMAT - 2: "ALTER TABLE lane ADD COLUMN note TEXT; UPDATE lane SET note = host",
    FORMAT
    - 1: "ALTER TABLE lane DROP COLUMN note; CREATE TABLE forgotten (pattern TEXT PRIMARY KEY, at REAL NOT NULL)",
}

LANE = ("id", "host", "surveyed_at")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "folder"
    grow(path, small_world())
    change(path, f"DROP TABLE forgotten; PRAGMA user_version = {FORMAT - 2}")
    return path


def change(folder: Path, statements: str) -> None:
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        database.executescript(statements)


def format_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as database:
        return int(database.execute("PRAGMA user_version").fetchone()[0])


def columns(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        return [row[1] for row in database.execute("PRAGMA table_info(lane)")]


def test_every_step_is_taken_and_each_state_before_is_kept(folder: Path) -> None:
    with pytest.raises(RepositoryError, match="whimbrel upgrade"):
        Reader(folder)
    steps = migrate(folder, STEPS)
    assert steps == [
        FormatStep(FORMAT - 2, FORMAT - 1, f"{DATABASE}.before-{FORMAT - 1}"),
        FormatStep(FORMAT - 1, FORMAT, f"{DATABASE}.before-{FORMAT}"),
    ]
    assert [format_of(folder / step.copy) for step in steps] == [FORMAT - 2, FORMAT - 1]
    assert [columns(folder / step.copy) for step in steps] == [[*LANE], [*LANE, "note"]]
    with Reader(folder) as reader:
        assert reader.counts().pages > 0
    assert migrate(folder, STEPS) == []


def test_a_step_that_fails_changes_nothing(folder: Path) -> None:
    broken = STEPS | {FORMAT - 1: "ALTER TABLE lane DROP COLUMN note; INSERT INTO nowhere VALUES (1)"}
    with pytest.raises(RepositoryError, match=f"still has format {FORMAT - 1}"):
        migrate(folder, broken)
    assert format_of(folder / DATABASE) == FORMAT - 1
    assert columns(folder / DATABASE) == [*LANE, "note"]
    assert migrate(folder, STEPS)[0].before == FORMAT - 1


def test_a_kill_in_the_middle_of_a_step_leaves_the_old_format(folder: Path) -> None:
    endless = (
        "PRAGMA cache_size = 10; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        " INSERT INTO lane (id, host) SELECT i + 100, i FROM n"
    )
    child = os.fork()
    if child == 0:
        migrate(folder, STEPS | {FORMAT - 1: f"ALTER TABLE lane DROP COLUMN note; {endless}"})
        os._exit(0)
    copy, log = folder / f"{DATABASE}.before-{FORMAT}", folder / f"{DATABASE}-wal"
    while not copy.exists() or log.stat().st_size < 1_000_000:  # now the step is writing
        os.sched_yield()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert format_of(folder / DATABASE) == FORMAT - 1
    assert columns(folder / DATABASE) == [*LANE, "note"]
    migrate(folder, STEPS)
    with Reader(folder) as reader:
        assert reader.counts().known > 0


def test_what_cannot_be_upgraded_is_said(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(RepositoryError, match="does not know how to leave"):
        migrate(folder, {FORMAT - 2: STEPS[FORMAT - 2]})
    assert format_of(folder / DATABASE) == FORMAT - 2
    change(folder, f"PRAGMA user_version = {FORMAT + 1}")
    with pytest.raises(RepositoryError, match="newer"):
        migrate(folder, STEPS)
    with pytest.raises(NothingThere):
        migrate(tmp_path / "nothing")
    change(folder, f"PRAGMA user_version = {FORMAT}")
    change(folder, "CREATE TABLE forgotten (pattern TEXT PRIMARY KEY, at REAL NOT NULL)")
    with closing(Store(folder)), pytest.raises(FolderBusy):
        migrate(folder, STEPS)


def test_a_folder_of_format_3_gains_what_came_later(tmp_path: Path) -> None:
    """By the step that is shipped: what the format lacked is taken out of a folder, and comes back empty."""
    path = tmp_path / "folder"
    grow(path, small_world())
    with closing(sqlite3.connect(path / DATABASE)) as database:
        made = tables(database)
        database.executescript(
            "DROP TABLE request; DROP TABLE answer; ALTER TABLE migrant DROP COLUMN errand;"
            f"INSERT INTO meta VALUES ('request 1', '\"\"'); {WITHOUT_FORMAT_7}; {WITHOUT_FORMAT_6};"
            f"{WITHOUT_FORMAT_5};"
            "PRAGMA user_version = 3;"
        )
    assert [step.before for step in migrate(path)] == [3, 4, 5, 6]
    with closing(sqlite3.connect(path / DATABASE)) as database:
        assert tables(database) == made
        assert database.execute("SELECT count(*) FROM meta WHERE name = 'request 1'").fetchone() == (0,)
    with Reader(path) as reader:
        assert reader.requests() == []
        assert {roll.errand for roll in reader.migrants()} <= {""}


def test_a_folder_of_format_6_is_taken_over_without_the_table_nobody_wrote(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    grow(path, small_world())
    with closing(sqlite3.connect(path / DATABASE)) as database:
        made = tables(database)
        pages = database.execute("SELECT count(*) FROM url").fetchone()
        database.executescript(f"{WITHOUT_FORMAT_7}; PRAGMA user_version = 6;")
        assert "follower" in tables(database)
    with pytest.raises(RepositoryError, match="whimbrel upgrade"):
        Store(path)
    assert migrate(path) == [FormatStep(6, 7, f"{DATABASE}.before-7")]
    with closing(sqlite3.connect(path / DATABASE)) as database:
        assert tables(database) == made
        assert database.execute("SELECT count(*) FROM url").fetchone() == pages
    with closing(Store(path)) as store:
        assert store.pages > 0


def tables(database: sqlite3.Connection) -> dict[str, list[str]]:
    names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")]
    return {name: [row[1] for row in database.execute(f"PRAGMA table_info({name})")] for name in names}
