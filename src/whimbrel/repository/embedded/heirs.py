"""What becomes of bytes and places that a forgotten URL shared with its twins.

Two things can be inherited. The *body*: the one response record with the bytes that twins' revisit records lean on.
The *place* of the survivor among twins. Either heir is the smallest that stays: by depth, then by URL. All questions
here are about the URLs in the temporary table `leaving`.
"""

import sqlite3
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from whimbrel.repository import warc
from whimbrel.repository.embedded.rewrite import RecordPlace


class Heir(Struct, frozen=True):
    """The version that holds a body from now on. `carries`: its record has to take the bytes over first."""

    version: int
    url: str
    at: float
    date: str
    payload_digest: bytes
    file: str
    offset: int
    carries: bool


class Rehomed(Struct, frozen=True):
    """A body whose record goes, and who holds it from now on. `leaning` are the records of all that stay."""

    digest: bytes
    place: RecordPlace
    heir: Heir | None
    leaning: list[tuple[str, int]]


class Survivor(Struct, frozen=True):
    """A group of twins whose survivor goes. `key` is the URL that takes its place, None where nobody is left."""

    group: bytes
    key: int | None
    version: int | None
    digest: bytes


def bodies(database: sqlite3.Connection, archive: Path) -> list[Rehomed]:
    """Every body that goes with its record."""
    names = dict(database.execute("SELECT id, name FROM archive").fetchall())
    database.execute(
        "CREATE TEMP TABLE orphan AS SELECT DISTINCT b.digest, b.file, b.offset, b.length FROM version v"
        " JOIN body b ON b.digest = v.digest AND b.file = v.file AND b.offset = v.offset"
        " WHERE v.url IN (SELECT id FROM leaving)"
    )
    staying = database.execute(
        "SELECT v.digest, v.id, u.url, v.at, v.file, v.offset, v.length FROM version v JOIN url u ON u.id = v.url"
        " WHERE v.digest IN (SELECT digest FROM orphan) AND v.url NOT IN (SELECT id FROM leaving) AND v.file > 0"
        " ORDER BY v.digest, u.depth, u.url, v.id"
    )
    twins = {
        digest: [
            _Twin(version, url, at, names[file], offset, length) for _, version, url, at, file, offset, length in rows
        ]
        for digest, rows in groupby(staying, key=lambda row: row[0])
    }
    rehomed = []
    for digest, file, offset, length in database.execute("SELECT * FROM orphan").fetchall():
        left = twins.get(digest, [])
        place = RecordPlace(archive / names[file], offset, length)
        rehomed.append(Rehomed(digest, place, _heir(left, archive), [(twin.file, twin.offset) for twin in left]))
    database.execute("DROP TABLE orphan")
    return rehomed


class _Twin(NamedTuple):
    version: int
    url: str
    at: float
    file: str
    offset: int
    length: int


def _heir(twins: list[_Twin], archive: Path) -> Heir | None:
    """The first whose record leans on the body; where none does, the first of those with bytes of their own."""
    own = None
    for twin in twins:
        record = warc.read(archive / twin.file, twin.offset, twin.length)
        leans = record.warc_headers["warc-type"] == "revisit"
        if leans or own is None:
            date = record.warc_headers["warc-date"]
            digest = b"" if leans else sha256(record.payload).digest()
            heir = Heir(twin.version, twin.url, twin.at, date, digest, twin.file, twin.offset, leans)
            if leans:
                return heir
            own = heir
    return own


def carried(rehomed: list[Rehomed]) -> dict[tuple[str, int], RecordPlace]:
    """The records that take bytes over, and from where."""
    return {(b.heir.file, b.heir.offset): b.place for b in rehomed if b.heir is not None and b.heir.carries}


def referred(rehomed: list[Rehomed]) -> dict[tuple[str, int], tuple[str, str]]:
    """What the other records that lean on a body refer to instead."""
    return {place: (b.heir.url, b.heir.date) for b in rehomed if b.heir is not None for place in b.leaning}


def survivors(database: sqlite3.Connection) -> list[Survivor]:
    """Every group of twins that loses its survivor, and who takes the place."""
    groups = database.execute(
        "SELECT DISTINCT t.id FROM version v JOIN twins t ON t.id = v.twins"
        " WHERE v.url IN (SELECT id FROM leaving) AND t.survivor IN (SELECT id FROM leaving) ORDER BY t.id"
    ).fetchall()
    if not groups:
        return []
    database.execute("CREATE TEMP TABLE bereft (id BLOB PRIMARY KEY) WITHOUT ROWID")
    database.executemany("INSERT INTO bereft VALUES (?)", groups)
    staying = database.execute(
        "SELECT v.twins, u.id, v.id, v.digest FROM url u JOIN version v ON v.id = u.version"
        " WHERE v.twins IN (SELECT id FROM bereft) AND u.id NOT IN (SELECT id FROM leaving) AND u.asset = 0"
        " AND u.outcome IN ('duplicate', 'fetched', 'unchanged') ORDER BY v.twins, u.depth, u.url"
    ).fetchall()
    database.execute("DROP TABLE bereft")
    first: dict[bytes, Survivor] = {}
    for row in staying:
        first.setdefault(row[0], Survivor(*row))
    return [first.get(group, Survivor(group, None, None, b"")) for (group,) in groups]


def settle(database: sqlite3.Connection, places: list[Survivor], rehomed: list[Rehomed]) -> None:
    """Writes the inheritance down; versions already stand where they will stand."""
    run = database.executemany
    run("DELETE FROM twins WHERE id = ?", [(place.group,) for place in places if place.key is None])
    taken = [place for place in places if place.key is not None]
    run("UPDATE twins SET survivor = ? WHERE id = ?", [(place.key, place.group) for place in taken])
    run("UPDATE url SET outcome = 'fetched', reason = '' WHERE id = ? AND outcome = 'duplicate'",
        [(place.key,) for place in taken])  # fmt: skip
    run(
        "UPDATE url SET reason = CASE WHEN v.digest = ? THEN 'same bytes' ELSE 'same text' END FROM version v"
        " WHERE v.id = url.version AND v.twins = ? AND url.outcome = 'duplicate'",
        [(place.digest, place.group) for place in taken],
    )
    run("DELETE FROM body WHERE digest = ?", [(body.digest,) for body in rehomed if body.heir is None])
    # An heir that takes the bytes over has the payload digest of the body already.
    run(
        "UPDATE body SET payload_digest = coalesce(nullif(?, x''), payload_digest), url = ?, at = ?, file = v.file,"
        " offset = v.offset, length = v.length FROM version v WHERE v.id = ? AND body.digest = ?",
        [(h.payload_digest, h.url, h.at, h.version, b.digest) for b in rehomed if (h := b.heir) is not None],
    )
