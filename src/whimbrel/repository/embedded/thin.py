"""Thinning old versions: their rows and archived bytes go, what others share with them stays.

The order is that of forgetting (`erase`): new archive files, synced; one transaction that switches to them; the old
files removed. A record that holds the body of a version that stays is left where it is.
"""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from whimbrel.repository import warc
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.embedded.archive import sync_folder
from whimbrel.repository.embedded.erase import UNFINISHED, alone, finish, move, recover, remove_strays, size_of
from whimbrel.repository.embedded.opening import ARCHIVE
from whimbrel.repository.embedded.rewrite import GzipMember, Moved, Rewritten, members
from whimbrel.repository.upkeep import Thinned

_BESIDE = ("request", "metadata")


def thin(folder: Path, keep: int, now: float, software: str, *, dry_run: bool = False) -> Thinned:
    """Leaves the `keep` newest versions of every URL, and always the one that counts as its newest; none of a page
    that has left a collection."""
    with alone(folder) as database:
        notes = [] if dry_run else recover(database, folder)
        versions, pages = _choose(database, keep)
        if dry_run or not versions:
            return Thinned(versions, pages, notes=tuple(notes))
        before = size_of(folder)
        try:
            records, files = _replace(database, folder / ARCHIVE, now, software)
        except (OSError, sqlite3.Error, warc.WarcError) as error:
            raise RepositoryError(f"nothing was thinned: {error}. Mend that, then run the command again.") from error
        notes += finish(database, folder)
        return Thinned(versions, pages, records, files, before - size_of(folder), tuple(notes))


def _choose(database: sqlite3.Connection, keep: int) -> tuple[int, int]:
    """Old versions go to the table `thinned`, those of them whose records may go to `spare`."""
    database.execute("CREATE TEMP TABLE thinned (id INTEGER PRIMARY KEY)")
    database.execute(
        "INSERT INTO thinned SELECT id FROM (SELECT v.id, u.version AS newest,"
        " u.outcome = 'refused' AND u.rule = 'collection' AS has_left,"
        " row_number() OVER (PARTITION BY v.url ORDER BY v.at DESC, v.id DESC) AS place"
        " FROM version v JOIN url u ON u.id = v.url)"
        " WHERE has_left OR place > ? AND id <> coalesce(newest, 0)",
        (keep,),
    )
    database.execute("CREATE TEMP TABLE staying (digest BLOB PRIMARY KEY) WITHOUT ROWID")
    database.execute(
        "INSERT OR IGNORE INTO staying SELECT digest FROM version WHERE id NOT IN (SELECT id FROM thinned)"
    )
    database.execute("CREATE TEMP TABLE spare (file INTEGER, offset INTEGER, PRIMARY KEY (file, offset)) WITHOUT ROWID")
    database.execute(
        "INSERT OR IGNORE INTO spare SELECT v.file, v.offset FROM version v JOIN thinned t ON t.id = v.id"
        " LEFT JOIN body b ON b.digest = v.digest AND b.file = v.file AND b.offset = v.offset"
        " WHERE b.digest IS NULL OR v.digest NOT IN (SELECT digest FROM staying)"
    )
    row = database.execute(
        "SELECT count(*), count(DISTINCT v.url) FROM thinned t JOIN version v ON v.id = t.id"
    ).fetchone()
    return int(row[0]), int(row[1])


def _replace(database: sqlite3.Connection, archive: Path, now: float, software: str) -> tuple[int, int]:
    old = database.execute("SELECT id, name, end FROM archive ORDER BY id").fetchall()
    number = max((row[0] for row in old), default=0)
    written: dict[int, tuple[int, str, Rewritten]] = {}
    try:
        for file, name, end in old:
            spare = {offset for (offset,) in database.execute("SELECT offset FROM spare WHERE file = ?", (file,))}
            if spare:
                number += 1
                new = f"whimbrel-{number:05d}.warc.gz"
                header = warc.info(now, new, software)
                written[file] = (number, new, _rewrite(archive / name, end, archive / new, spare, header))
        sync_folder(archive)
        _switch(database, written)
    except BaseException:
        # An interrupt may come after the switch: the database says which files count.
        with suppress(OSError, sqlite3.Error):
            remove_strays(database, archive)
        raise
    return sum(done.dropped for _, _, done in written.values()), len(written)


def _rewrite(source: Path, end: int, target: Path, spare: set[int], header: bytes) -> Rewritten:
    moved: list[Moved] = []
    dropped = 0
    with source.open("rb") as old, target.open("xb") as new:
        new.write(header)
        for member, goes in _judged(source, end, spare):
            if goes:
                dropped += 1
                continue
            old.seek(member.offset)
            moved.append(Moved(member.offset, new.tell(), member.length))
            new.write(old.read(member.length))
        new.flush()
        os.fsync(new.fileno())
        return Rewritten(moved, dropped, new.tell())


def _judged(source: Path, end: int, spare: set[int]) -> Iterator[tuple[GzipMember, bool]]:
    """Every record but the file's first, and whether it goes. Request and metadata stand behind their response."""
    goes = False
    for member in members(source, end):
        kind = member.headers.get("warc-type")
        if kind == "warcinfo":
            continue
        goes = goes if kind in _BESIDE else member.offset in spare
        yield member, goes


def _switch(database: sqlite3.Connection, written: dict[int, tuple[int, str, Rewritten]]) -> None:
    run = database.execute
    run("BEGIN IMMEDIATE")
    try:
        run("DELETE FROM body WHERE (file, offset) IN (SELECT file, offset FROM spare)")
        run("DELETE FROM reading WHERE version IN (SELECT id FROM thinned)")
        run("DELETE FROM passing WHERE version IN (SELECT id FROM thinned)")
        run("UPDATE event SET version = NULL WHERE version IN (SELECT id FROM thinned)")
        run("DELETE FROM version WHERE id IN (SELECT id FROM thinned)")
        move(database, written)
        run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (UNFINISHED, json.dumps(True)))
        run("COMMIT")
    except BaseException:
        if database.in_transaction:
            run("ROLLBACK")
        raise
    for table in ("thinned", "staying", "spare"):
        run(f"DROP TABLE temp.{table}")
