"""What a folder holds, by name; its lock, and its database as far as this release can work with it."""

import fcntl
import os
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

from whimbrel.repository.contract import FolderBusy, NothingThere, RepositoryError
from whimbrel.repository.embedded.schema import FORMAT, TABLES

DATABASE = "crawl.sqlite"
ARCHIVE = "archive"


def unwritten(folder: Path, error: OSError | sqlite3.Error) -> RepositoryError:
    """What to tell when a write failed."""
    return RepositoryError(
        f"{folder} could not be written ({getattr(error, 'strerror', None) or error}). Everything committed before is "
        "safe; free some space or mend the disk, then run the same command again."
    )


def lock_folder(folder: Path) -> int:
    """A kernel lock: it goes with the process, however that ends."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        why = "it is a file, not a folder" if folder.is_file() else error.strerror
        raise RepositoryError(f"{folder} cannot be used: {why}. Choose another folder with --repo.") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
        os.close(descriptor)
        raise FolderBusy(
            f"another command is using {folder}{f' (process {holder})' if holder else ''}. "
            "Wait for it, stop it, or choose another folder with --repo."
        ) from error
    os.truncate(descriptor, 0)
    os.pwrite(descriptor, str(os.getpid()).encode(), 0)
    return descriptor


def open_database(folder: Path, *, create: bool = False, any_format: bool = False) -> sqlite3.Connection:
    """The folder's database, refused where this release cannot work with it."""
    path = folder / DATABASE
    if not create and not path.exists():
        raise NothingThere(
            f"{folder} holds no crawl. Start one with `whimbrel crawl URL --repo {folder}`, "
            "or name another folder with --repo."
        )
    with ExitStack() as on_failure:
        try:
            database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
            on_failure.enter_context(closing(database))
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")
            database.execute("PRAGMA cache_size = -65536")
            found = int(database.execute("PRAGMA user_version").fetchone()[0])
            if found == 0 and create:
                database.executescript(f"BEGIN; {TABLES} PRAGMA user_version = {FORMAT}; COMMIT;")
                found = FORMAT
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN")):
                raise unwritten(folder, error) from error
            raise RepositoryError(
                f"{path} cannot be read as a Whimbrel database ({error}). "
                "Restore it from a copy, or choose another folder with --repo."
            ) from error
        if found > FORMAT:
            raise RepositoryError(
                f"{folder} was written by a newer Whimbrel (format {found}, this one knows {FORMAT}). "
                "Install the newer release."
            )
        if found < FORMAT and not any_format:
            raise RepositoryError(
                f"{folder} was written by an older Whimbrel (format {found}, now {FORMAT}). "
                f"Run `whimbrel upgrade --repo {folder}`."
            )
        on_failure.pop_all()
    return database
