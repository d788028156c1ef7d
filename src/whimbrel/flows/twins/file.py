"""`twins.sqlite`: what is known of near-twins and of rules for URLs. It can be made anew from the folder, but for what
the user took apart.

One writer, held by a kernel lock; any number of readers. A batch of events and how far the following came are one
transaction, so a kill costs at most a batch of work.
"""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

import msgspec

from whimbrel.dedupe.dust import NO_RULES, Rules
from whimbrel.dedupe.template import Template
from whimbrel.repository.contract import FolderBusy, RepositoryError

NAME = "twins.sqlite"
LOCK = "twins.lock"
FORMAT = 7

_TABLES = f"""
BEGIN;
CREATE TABLE meta (name TEXT PRIMARY KEY, value REAL NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE page (
  number INTEGER PRIMARY KEY AUTOINCREMENT, url INTEGER NOT NULL UNIQUE, version INTEGER NOT NULL,
  leader INTEGER, similarity REAL NOT NULL, reason TEXT NOT NULL, sketch BLOB NOT NULL, bands BLOB NOT NULL
) STRICT;
CREATE INDEX page_leader ON page (leader) WHERE leader IS NOT NULL;
CREATE TABLE apart (url INTEGER PRIMARY KEY, at REAL NOT NULL) STRICT;
CREATE TABLE template (site TEXT PRIMARY KEY, state BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE variant (
  target INTEGER NOT NULL, rule TEXT NOT NULL, url INTEGER NOT NULL, content BLOB NOT NULL, PRIMARY KEY (target, rule)
) STRICT, WITHOUT ROWID;
CREATE INDEX variant_url ON variant (url);
CREATE TABLE evidence (url INTEGER NOT NULL, rule TEXT NOT NULL, same INTEGER NOT NULL, PRIMARY KEY (url, rule))
  STRICT, WITHOUT ROWID;
CREATE TABLE rules (site TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
PRAGMA user_version = {FORMAT};
COMMIT;
"""
# Sketches of another kind cannot be compared: all pages are sketched anew. What was learned of URLs stays.
_ANEW = f"""
BEGIN;
DELETE FROM page;
DELETE FROM template;
DELETE FROM meta WHERE name = 'seq';
PRAGMA user_version = {FORMAT};
COMMIT;
"""
_PAGE = "number, url, version, leader, similarity, reason, sketch"

_templates = msgspec.msgpack.Decoder(Template)
_rules = msgspec.json.Decoder(Rules)


class Sketched(NamedTuple):
    """A page in the index. `leader` is the page whose near-twin it is, None where it leads or stands alone."""

    number: int
    url: int
    version: int
    leader: int | None
    similarity: float
    reason: str
    sketch: bytes


class Variant(NamedTuple):
    """A URL that a rule would rewrite to a target, and what it held."""

    rule: str
    url: int
    content: bytes


class TwinsFile:
    """The tables, one question each. The writer opens it `writing`; whoever else does is told who holds it."""

    def __init__(self, folder: Path, *, writing: bool) -> None:
        self._lock = _locked(folder) if writing else -1
        try:
            self._database = _opened(folder, writing)
        except BaseException:
            self._unlock()
            raise

    def close(self) -> None:
        self._database.close()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    # A batch.

    def begin(self) -> None:
        self._database.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        self._database.execute("COMMIT")

    def roll_back(self) -> None:
        if self._database.in_transaction:
            self._database.execute("ROLLBACK")

    def recall(self, name: str) -> float:
        row = self._database.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return float(row[0]) if row else 0.0

    def remember(self, name: str, value: float) -> None:
        self._database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, float(value)))

    # Pages.

    def page(self, number: int) -> Sketched | None:
        row = self._database.execute(f"SELECT {_PAGE} FROM page WHERE number = ?", (number,)).fetchone()
        return Sketched(*row) if row else None

    def page_at(self, url: int) -> Sketched | None:
        row = self._database.execute(f"SELECT {_PAGE} FROM page WHERE url = ?", (url,)).fetchone()
        return Sketched(*row) if row else None

    def members(self, leader: int) -> list[Sketched]:
        rows = self._database.execute(f"SELECT {_PAGE} FROM page WHERE leader = ? ORDER BY number", (leader,))
        return [Sketched(*row) for row in rows]

    def leaders(self) -> Iterator[int]:
        return (
            number for (number,) in self._database.execute("SELECT DISTINCT leader FROM page WHERE leader IS NOT NULL")
        )

    def all_bands(self) -> Iterator[tuple[int, bytes]]:
        return iter(self._database.execute("SELECT number, bands FROM page WHERE bands <> x'' ORDER BY number"))

    def count(self) -> int:
        return int(self._database.execute("SELECT count(*) FROM page").fetchone()[0])

    def add(self, url: int, version: int, sketch: bytes, bands: bytes) -> int:
        done = self._database.execute(
            "INSERT INTO page (url, version, similarity, reason, sketch, bands) VALUES (?, ?, 0, '', ?, ?)",
            (url, version, sketch, bands),
        )
        return int(done.lastrowid or 0)

    def link(self, number: int, leader: int | None, similarity: float, reason: str) -> None:
        self._database.execute(
            "UPDATE page SET leader = ?, similarity = ?, reason = ? WHERE number = ?",
            (leader, similarity, reason, number),
        )

    def unindex(self, number: int) -> None:
        self._database.execute("UPDATE page SET bands = x'' WHERE number = ?", (number,))

    def remove(self, number: int) -> None:
        self._database.execute("DELETE FROM page WHERE number = ?", (number,))

    # What the user took apart.

    def apart(self) -> set[int]:
        return {url for (url,) in self._database.execute("SELECT url FROM apart")}

    def set_apart(self, url: int, now: float) -> None:
        self._database.execute("INSERT OR IGNORE INTO apart VALUES (?, ?)", (url, now))

    # Sites.

    def template(self, site: str) -> Template:
        row = self._database.execute("SELECT state FROM template WHERE site = ?", (site,)).fetchone()
        return _templates.decode(row[0]) if row else Template()

    def keep_template(self, site: str, template: Template) -> None:
        state = msgspec.msgpack.encode(template)
        self._database.execute("INSERT OR REPLACE INTO template VALUES (?, ?)", (site, state))

    def rules(self, site: str) -> Rules:
        row = self._database.execute("SELECT state FROM rules WHERE site = ?", (site,)).fetchone()
        return _rules.decode(row[0]) if row else NO_RULES

    def keep_rules(self, site: str, rules: Rules) -> None:
        state = msgspec.json.encode(rules).decode()
        self._database.execute("INSERT OR REPLACE INTO rules VALUES (?, ?)", (site, state))

    def sites(self) -> list[str]:
        """Sites with rules, or guesses at some."""
        return [site for (site,) in self._database.execute("SELECT site FROM rules ORDER BY site")]

    def sites_seen(self) -> list[str]:
        return [site for (site,) in self._database.execute("SELECT site FROM rules UNION SELECT site FROM template")]

    def forget_site(self, site: str) -> None:
        for table in ("rules", "template"):
            self._database.execute(f"DELETE FROM {table} WHERE site = ?", (site,))

    # Evidence.

    def variants(self, target: int) -> list[Variant]:
        rows = self._database.execute("SELECT rule, url, content FROM variant WHERE target = ?", (target,))
        return [Variant(*row) for row in rows]

    def keep_variant(self, target: int, variant: Variant) -> None:
        self._database.execute(
            "INSERT INTO variant VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET content = excluded.content WHERE url = excluded.url",
            (target, *variant),
        )

    def keep_evidence(self, url: int, rule: str, same: bool) -> bool:
        """False where exactly this was known."""
        done = self._database.execute(
            "INSERT INTO evidence VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET same = excluded.same"
            " WHERE same <> excluded.same",
            (url, rule, int(same)),
        )
        return done.rowcount > 0

    def forget_url(self, url: int) -> None:
        for table in ("variant", "evidence", "apart"):
            self._database.execute(f"DELETE FROM {table} WHERE url = ?", (url,))


def _opened(folder: Path, writing: bool) -> sqlite3.Connection:
    path = folder / NAME
    with ExitStack() as on_failure:
        try:
            database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
            on_failure.enter_context(closing(database))
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")  # what a power cut takes is followed again
            database.execute("PRAGMA secure_delete = ON")
            found = int(database.execute("PRAGMA user_version").fetchone()[0])
            if found == 0:
                database.executescript(_TABLES)
            elif found < FORMAT and writing:
                database.executescript(_ANEW)
            if not writing:
                database.execute("PRAGMA query_only = ON")
        except sqlite3.Error as error:
            raise RepositoryError(
                f"{path} cannot be used ({error}). It can be made anew: remove it and run `whimbrel twins` again; "
                "only what was taken apart with --undo is lost with it."
            ) from error
        if found > FORMAT:
            raise RepositoryError(f"{path} was written by a newer Whimbrel. Install the newer release.")
        on_failure.pop_all()
    return database


def _locked(folder: Path) -> int:
    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise FolderBusy(
            f"another process is looking for twins in {folder}. Wait for it, or stop it, and try again."
        ) from error
    return descriptor


def rules_of(folder: Path, site: str) -> Rules:
    """What was learned about a site's URLs; `dust.rewrite` and `dust.sampled` apply it."""
    if not (folder / NAME).exists():
        return NO_RULES
    file = TwinsFile(folder, writing=False)
    try:
        return file.rules(site)
    finally:
        file.close()


def all_rules(folder: Path) -> dict[str, Rules]:
    if not (folder / NAME).exists():
        return {}
    file = TwinsFile(folder, writing=False)
    try:
        return {site: file.rules(site) for site in file.sites()}
    finally:
        file.close()
