"""Opening the log's file: making it, bringing an older one up to date, saving what can be of a damaged one."""

import logging
import sqlite3
from contextlib import suppress
from pathlib import Path

from whimbrel.readers.contract import LogDamaged
from whimbrel.readers.tables import FORMAT, SINCE_2, TABLES

FILE = "readers.sqlite"
DAMAGED = "readers.damaged.sqlite"
OLD_COUNTS = Path("index") / "states.sqlite"
"""Where earlier releases counted what was shown and opened."""
WAIT_SECONDS = 10.0

logger = logging.getLogger(__name__)


def opened(folder: Path, wait_seconds: float = WAIT_SECONDS) -> sqlite3.Connection:
    """Every commit is on the disk when it returns."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return _ready(folder, wait_seconds)
    except sqlite3.OperationalError:
        raise  # busy, full, not allowed: nothing is wrong with the file
    except sqlite3.DatabaseError:
        _save_what_can_be(folder)
        logger.warning(
            "%s was damaged, as after a fault of the disk. What can be read of it was saved; the rest is in %s.",
            folder / FILE, folder / DAMAGED,
        )  # fmt: skip
        return _ready(folder, wait_seconds)


def _ready(folder: Path, wait_seconds: float) -> sqlite3.Connection:
    database = sqlite3.connect(folder / FILE, isolation_level=None, check_same_thread=False, timeout=wait_seconds)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        # What is deleted is overwritten, not only unlinked.
        database.execute("PRAGMA secure_delete = ON")
        found = _format(database)
        if found > FORMAT:
            raise LogDamaged(f"{folder / FILE} was written by a later release of Whimbrel. Use that one.")
        if found < FORMAT:
            # Where the file is another user's of the same group, it stays as they made it.
            with suppress(PermissionError):
                (folder / FILE).chmod(0o600)
        if found < FORMAT or (folder / OLD_COUNTS).exists():
            _upgrade(database, folder)
    except BaseException:
        database.close()
        raise
    return database


def _format(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def _upgrade(database: sqlite3.Connection, folder: Path) -> None:
    """In one transaction, so that a kill leaves the old or the new. Counts are taken over once, by a mark."""
    counts = folder / OLD_COUNTS
    if counts.exists():
        database.execute("ATTACH ? AS old", (str(counts),))
    try:
        database.execute("BEGIN IMMEDIATE")
        try:
            if (found := _format(database)) < FORMAT:
                _lay_out(database, found)
            if counts.exists() and not _marked(database):
                _take_counts(database)
            database.execute("COMMIT")
        except BaseException:
            if database.in_transaction:
                database.execute("ROLLBACK")
            raise
    finally:
        if counts.exists():
            database.execute("DETACH old")
    for name in (counts, *counts.parent.glob(f"{counts.name}-*")):
        name.unlink(missing_ok=True)


def _lay_out(database: sqlite3.Connection, found: int) -> None:
    if found < 1:
        _begin(database)
    _make(database, SINCE_2)
    database.execute(f"PRAGMA user_version = {FORMAT}")


def _begin(database: sqlite3.Connection) -> None:
    kept = _has(database, "main", "favourite")
    if kept:
        database.execute("ALTER TABLE favourite RENAME TO favourite_before")
    _make(database, TABLES)
    if kept:
        database.execute("INSERT INTO favourite SELECT 0, url, title, at FROM favourite_before")
        database.execute("DROP TABLE favourite_before")


def _make(database: sqlite3.Connection, tables: str) -> None:
    for statement in tables.split(";"):
        if statement.strip():
            database.execute(statement)


def _take_counts(database: sqlite3.Connection) -> None:
    if _has(database, "old", "state"):
        database.execute(
            "INSERT INTO tally SELECT key, shown, clicked FROM old.state WHERE true"
            " ON CONFLICT DO UPDATE SET shown = shown + excluded.shown, opened = opened + excluded.opened"
        )
    database.execute("INSERT OR REPLACE INTO meta VALUES ('counts_taken', 1)")


def _marked(database: sqlite3.Connection) -> bool:
    return database.execute("SELECT 1 FROM meta WHERE name = 'counts_taken'").fetchone() is not None


def _has(database: sqlite3.Connection, schema: str, table: str) -> bool:
    found = database.execute(f"SELECT 1 FROM {schema}.sqlite_master WHERE type = 'table' AND name = ?", (table,))
    return found.fetchone() is not None


def _save_what_can_be(folder: Path) -> None:
    """A file cut in the middle: every row that can still be read goes into a new one; the old is set aside."""
    for suffix in ("", "-wal", "-shm"):
        if (folder / f"{FILE}{suffix}").exists():
            (folder / f"{FILE}{suffix}").replace(folder / f"{DAMAGED}{suffix}")
    fresh = _ready(folder, WAIT_SECONDS)
    try:
        damaged = sqlite3.connect(folder / DAMAGED, isolation_level=None)
        try:
            # Without it, a file that is shorter than it says is not read at all (lockBtree in SQLite's btree.c).
            damaged.execute("PRAGMA writable_schema = ON")
            names = [name for (name,) in fresh.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            fresh.execute("BEGIN IMMEDIATE")
            for name in names:
                if not name.startswith("sqlite_"):
                    _copy(damaged, fresh, name)
            fresh.execute("COMMIT")
        finally:
            damaged.close()
    finally:
        fresh.close()


def _copy(damaged: sqlite3.Connection, fresh: sqlite3.Connection, table: str) -> None:
    """Row by row, up to the first that is lost; then from the other end."""
    places = ", ".join("?" * len(fresh.execute(f"PRAGMA table_info({table})").fetchall()))
    for order in ("", " ORDER BY 1 DESC"):
        try:
            for row in damaged.execute(f"SELECT * FROM {table}{order}"):
                fresh.execute(f"INSERT OR IGNORE INTO {table} VALUES ({places})", row)
            return
        except sqlite3.DatabaseError:
            continue
