"""Forgetting on purpose: rows and archived bytes go, and what shared them with others stays whole.

The order: new archive files without the forgotten records, synced; one SQLite transaction that switches to them and
deletes the rows; the old files removed; the database's free pages given back. A crash leaves the old state or the
new one. `Store` removes files that no commit knows, and a note in the database says when the last step is missing.
"""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from whimbrel.records.event import EventKind
from whimbrel.records.url import Url
from whimbrel.repository import warc
from whimbrel.repository.contract import NothingThere, RepositoryError
from whimbrel.repository.embedded import heirs
from whimbrel.repository.embedded.archive import Archive, sync_folder
from whimbrel.repository.embedded.opening import ARCHIVE, DATABASE, lock_folder, open_database
from whimbrel.repository.embedded.reader import on_site
from whimbrel.repository.embedded.rewrite import RecordChanges, Rewritten, concerned, rewrite
from whimbrel.repository.location import SHELF
from whimbrel.repository.upkeep import Erased, ForgetTarget, Losses
from whimbrel.repository.views import Site
from whimbrel.urls.normal import key as key_of

UNFINISHED = "erasing"

_LEAVING = "(SELECT id FROM leaving)"


def survey(folder: Path, target: ForgetTarget) -> Losses:
    """What forgetting would cost; changes nothing."""
    database = open_database(folder)
    try:
        _choose(database, target)
        losses = _losses(database)
        _refuse_nothing(database, target, losses, folder)
        return losses
    finally:
        database.close()


def erase(folder: Path, target: ForgetTarget, now: float, software: str, *, allow_again: bool = False) -> Erased:
    """Forgets, for good. Unless `allow_again`, later crawls refuse what was forgotten."""
    with alone(folder) as database:
        notes = recover(database, folder)
        _choose(database, target)
        losses = _losses(database)
        _refuse_nothing(database, target, losses, folder)
        before = size_of(folder)
        try:
            records, files = _replace(database, folder, target, now, software, allow_again)
        except (OSError, sqlite3.Error, warc.WarcError) as error:
            raise RepositoryError(f"nothing was forgotten: {error}. Mend that, then run the command again.") from error
        notes += finish(database, folder)
        return Erased(losses, records, files, before - size_of(folder), tuple(notes))


@contextmanager
def alone(folder: Path) -> Iterator[sqlite3.Connection]:
    """The folder's database, with the folder locked."""
    open_database(folder).close()  # says what is wrong before the lock makes a folder
    lock = lock_folder(folder)
    try:
        database = open_database(folder)
        try:
            yield database
        finally:
            database.close()
    finally:
        os.close(lock)


def recover(database: sqlite3.Connection, folder: Path) -> list[str]:
    """Completes what was cut short before; says what that was."""
    files = database.execute("SELECT id, name, end FROM archive ORDER BY id").fetchall()
    notes = Archive(folder / ARCHIVE, 0, "").recover(files)
    if database.execute("SELECT 1 FROM meta WHERE name = ?", (UNFINISHED,)).fetchone():
        notes += ["an earlier forgetting or thinning was cut short; it is complete now", *finish(database, folder)]
    return notes


def _choose(database: sqlite3.Connection, target: ForgetTarget) -> None:
    database.execute("CREATE TEMP TABLE leaving (id INTEGER PRIMARY KEY)")
    database.executemany(
        "INSERT OR IGNORE INTO leaving SELECT id FROM url WHERE id = ?", [(key_of(url),) for url in target.urls]
    )
    if target.site is not None:
        term, values = on_site(target.site)
        database.execute(f"INSERT OR IGNORE INTO leaving SELECT u.id FROM url u WHERE {term}", values)


def _losses(database: sqlite3.Connection) -> Losses:
    urls, pages = database.execute(
        "SELECT count(*), coalesce(sum(asset = 0 AND outcome IN ('fetched', 'unchanged')), 0)"
        f" FROM url WHERE id IN {_LEAVING}"
    ).fetchone()
    versions = database.execute(f"SELECT count(*) FROM version WHERE url IN {_LEAVING}").fetchone()[0]
    return Losses(urls, pages, versions, sum(place.key is not None for place in heirs.survivors(database)))


def _refuse_nothing(database: sqlite3.Connection, target: ForgetTarget, losses: Losses, folder: Path) -> None:
    """Every URL named has to be known, or forgotten before."""
    known = (
        {url for (url,) in database.execute(f"SELECT url FROM url WHERE id IN {_LEAVING}")} if target.urls else set()
    )
    noted = {pattern for (pattern,) in database.execute("SELECT pattern FROM forgotten")}
    missing = [url for url in target.urls if url not in known and url not in noted]
    if target.site is not None and not losses.urls and str(target.site) not in noted:
        missing.append(Url(str(target.site)))
    if missing:
        raise NothingThere(
            f"nothing is known of {', '.join(missing)} in {folder}. `whimbrel pages --match RE` finds what is."
        )


def _replace(
    database: sqlite3.Connection, folder: Path, target: ForgetTarget, now: float, software: str, allow_again: bool
) -> tuple[int, int]:
    archive = folder / ARCHIVE
    rehomed = heirs.bodies(database, archive)
    changes = RecordChanges(target.covers, heirs.carried(rehomed), heirs.referred(rehomed))
    old = database.execute("SELECT id, name, end FROM archive ORDER BY id").fetchall()
    number = max((row[0] for row in old), default=0)
    written: dict[int, tuple[int, str, Rewritten]] = {}
    try:
        for file, name, end in old:
            if concerned(archive / name, end, changes):
                number += 1
                new = f"whimbrel-{number:05d}.warc.gz"
                header = warc.info(now, new, software)
                written[file] = (number, new, rewrite(archive / name, end, archive / new, changes, header))
        sync_folder(archive)
        _switch(database, target, written, rehomed, now, allow_again)
    except BaseException:
        # An interrupt may come after the switch: the database says which files count.
        with suppress(OSError, sqlite3.Error):
            remove_strays(database, archive)
        raise
    return sum(done.dropped for _, _, done in written.values()), len(written)


def _switch(
    database: sqlite3.Connection,
    target: ForgetTarget,
    written: dict[int, tuple[int, str, Rewritten]],
    rehomed: list[heirs.Rehomed],
    now: float,
    allow_again: bool,
) -> None:
    database.execute("PRAGMA secure_delete = ON")
    database.execute("BEGIN IMMEDIATE")
    try:
        survivors = heirs.survivors(database)
        seq = int(database.execute("SELECT coalesce(max(seq), 0) FROM event").fetchone()[0])
        move(database, written)
        heirs.settle(database, survivors, rehomed)
        leaving = [key for (key,) in database.execute("SELECT id FROM leaving ORDER BY id")]
        _delete(database, target)
        events: list[tuple[int, str, int | None]] = [(key, EventKind.FORGOTTEN, None) for key in leaving]
        events += [(heir.key, EventKind.KEPT, heir.version) for heir in survivors if heir.key is not None]
        database.executemany(
            "INSERT INTO event VALUES (?, ?, ?, ?)", [(seq + i, *event) for i, event in enumerate(events, 1)]
        )
        if allow_again:
            database.executemany("DELETE FROM forgotten WHERE pattern = ?", [(p,) for p in target.patterns()])
        else:
            database.executemany("INSERT OR IGNORE INTO forgotten VALUES (?, ?)", [(p, now) for p in target.patterns()])
        database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (UNFINISHED, json.dumps(True)))
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def move(database: sqlite3.Connection, written: dict[int, tuple[int, str, Rewritten]]) -> None:
    """Versions and bodies stand where the new files have them."""
    database.execute(
        "CREATE TEMP TABLE moved (file INTEGER, old INTEGER, to_file INTEGER, offset INTEGER, length INTEGER,"
        " PRIMARY KEY (file, old)) WITHOUT ROWID"
    )
    for file, (number, name, done) in written.items():
        rows = ((file, m.old, number, m.offset, m.length) for m in done.moved)
        database.executemany("INSERT INTO moved VALUES (?, ?, ?, ?, ?)", rows)
        database.execute("DELETE FROM archive WHERE id = ?", (file,))
        database.execute("INSERT INTO archive VALUES (?, ?, ?)", (number, name, done.end))
    for table in ("version", "body"):
        database.execute(
            f"UPDATE {table} SET file = m.to_file, offset = m.offset, length = m.length"
            f" FROM moved m WHERE m.file = {table}.file AND m.old = {table}.offset"
        )


def _delete(database: sqlite3.Connection, target: ForgetTarget) -> None:
    run = database.execute
    run(f"DELETE FROM reading WHERE version IN (SELECT id FROM version WHERE url IN {_LEAVING})")
    run(f"DELETE FROM passing WHERE version IN (SELECT id FROM version WHERE url IN {_LEAVING})")
    run(f"DELETE FROM version WHERE url IN {_LEAVING}")
    run(f"DELETE FROM due WHERE url IN {_LEAVING}")
    for table in ("event", "revisit", "change", "listed", "answer"):
        run(f"DELETE FROM {table} WHERE url IN {_LEAVING}")
    run(f"UPDATE change SET target = NULL WHERE target IN {_LEAVING}")
    run(f"UPDATE url SET via = NULL WHERE via IN {_LEAVING}")
    run(f"UPDATE url SET target = NULL WHERE target IN {_LEAVING}")
    run(f"DELETE FROM url WHERE id IN {_LEAVING}")
    for number, examples in run("SELECT id, examples FROM request").fetchall():
        if any(map(target.covers, json.loads(examples))):
            run("DELETE FROM request WHERE id = ?", (number,))
    if target.site is not None:
        _delete_site(database, target.site)


def _delete_site(database: sqlite3.Connection, site: Site) -> None:
    """A single forgotten URL stays a seed, because the scope of the crawl hangs on it; a site does not."""
    seeds = [(url,) for (url,) in database.execute("SELECT url FROM seed") if site.covers(url)]
    database.executemany("DELETE FROM seed WHERE url = ?", seeds)
    origins = [(origin,) for (origin,) in database.execute("SELECT origin FROM robots") if site.covers(f"{origin}/")]
    database.executemany("DELETE FROM robots WHERE origin = ?", origins)
    database.execute("DELETE FROM pattern WHERE instr(id, ?)", (str(site),))
    if not site.port:
        database.execute("DELETE FROM witness WHERE lane = (SELECT id FROM lane WHERE host = ?)", (site.host,))
        # The number of a lane is never given away again; only its name goes.
        database.execute("UPDATE lane SET host = 'forgotten/' || id WHERE host = ?", (site.host,))


def finish(database: sqlite3.Connection, folder: Path) -> list[str]:
    """Removes what the new state no longer knows; may be repeated."""
    notes = []
    remove_strays(database, folder / ARCHIVE)
    for shelf in folder.glob(f"{SHELF}*"):
        shelf.unlink()
    for copy in sorted(folder.glob(f"{DATABASE}.before-*")):
        copy.unlink()
        notes.append(f"{copy.name} removed: a copy from before an upgrade still held what was forgotten")
    for table in ("leaving", "moved"):
        database.execute(f"DROP TABLE IF EXISTS temp.{table}")
    database.execute("PRAGMA secure_delete = ON")
    database.execute("VACUUM")
    busy = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    if busy:
        notes.append(
            "another process reads the folder, so crawl.sqlite-wal still holds old pages; "
            "run the same command again when it has ended"
        )
        return notes
    database.execute("DELETE FROM meta WHERE name = ?", (UNFINISHED,))
    return notes


def remove_strays(database: sqlite3.Connection, archive: Path) -> None:
    known = {name for (name,) in database.execute("SELECT name FROM archive")}
    for path in archive.glob("*.warc.gz"):
        if path.name not in known:
            path.unlink()
    sync_folder(archive)


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
