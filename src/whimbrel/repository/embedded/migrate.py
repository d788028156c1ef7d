"""Brings an older folder to this release's format, one step at a time.

Before each step the database is copied beside itself. A step is one transaction that ends with the new number, so a
crash leaves the format before the step or after it.
"""

import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path

from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.embedded.opening import DATABASE, lock_folder, open_database
from whimbrel.repository.embedded.schema import FORMAT, MIGRATIONS
from whimbrel.repository.upkeep import FormatStep


def migrate(folder: Path, migrations: Mapping[int, str] = MIGRATIONS, target: int = FORMAT) -> list[FormatStep]:
    """Takes every step that is missing and says which; none where the folder is up to date."""
    open_database(folder, any_format=True).close()  # says what is wrong before the lock makes a folder
    lock = lock_folder(folder)
    try:
        database = open_database(folder, any_format=True)
        try:
            found = int(database.execute("PRAGMA user_version").fetchone()[0])
            _refuse_gaps(folder, found, target, migrations)
            return [_step(database, folder, number, migrations[number]) for number in range(found, target)]
        finally:
            database.close()
    finally:
        os.close(lock)


def _refuse_gaps(folder: Path, found: int, target: int, migrations: Mapping[int, str]) -> None:
    missing = [number for number in range(found, target) if number not in migrations]
    if missing:
        raise RepositoryError(
            f"{folder} has format {found}, and this release does not know how to leave format {missing[0]}. "
            "Upgrade with an older release first, or crawl into a new folder."
        )


def _step(database: sqlite3.Connection, folder: Path, number: int, statements: str) -> FormatStep:
    copy = folder / f"{DATABASE}.before-{number + 1}"
    try:
        _copy(database, copy)
        database.executescript(f"BEGIN IMMEDIATE; {statements}; PRAGMA user_version = {number + 1}; COMMIT;")
    except (OSError, sqlite3.Error) as error:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise RepositoryError(
            f"{folder} could not be brought from format {number} to {number + 1} ({error}). It still has format "
            f"{number}; free some space or mend the disk, then run the command again."
        ) from error
    return FormatStep(number, number + 1, copy.name)


def _copy(database: sqlite3.Connection, path: Path) -> None:
    """A complete copy or none; the write-ahead log is folded in."""
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    copied = sqlite3.connect(part)
    try:
        database.backup(copied)
    finally:
        copied.close()
    descriptor = os.open(part, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    part.replace(path)
