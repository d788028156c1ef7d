"""What a folder knows of earlier visits: the writing side of revisits and changes, and what deciding asks of it.

The index over groups of twins is made when a folder is refreshed for the first time: a crawl alone never asks who else
has a page's text, and would pay for it with every page.
"""

import sqlite3
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from whimbrel.records.role import Role
from whimbrel.records.task import Validators
from whimbrel.repository import warc
from whimbrel.repository.among import among
from whimbrel.repository.contract import HeldVersion, Plan, Returned, Visited

NOWHERE = 0
"""`version.file` of a state that stands in no archive file, but in the table `passing`."""

_LOOKED_THROUGH = 2_000
HERE = "('fetched', 'unchanged', 'duplicate')"
_HELD = """
    SELECT u.id, v.id, v.at, v.title, coalesce(r.digest, v.digest), coalesce(r.etag, v.etag),
      coalesce(r.last_modified, v.last_modified), coalesce(r.absence, x''),
      coalesce(r.unconditional, 0), coalesce(r.history, x''), coalesce(r.habits, x''),
      iif(l.lastmod IS NULL, NULL, max(l.lastmod, l.moved_at)),
      iif(v.quiet, coalesce((SELECT max(w.id) FROM version w WHERE w.url = u.id AND NOT w.quiet), v.id), v.id),
      v.file = 0
    FROM url u JOIN version v ON v.id = u.version LEFT JOIN revisit r ON r.url = u.id
    LEFT JOIN listed l ON l.url = u.id WHERE u.id IN"""
CANDIDATE = """
    SELECT u.id, u.url, h.host, u.lane, u.depth, u.asset, u.outcome, coalesce(v.at, u.visited_at, 0.0),
      coalesce(u.visited_at, 0.0), coalesce(r.history, x''),
      iif(l.lastmod IS NULL, NULL, max(l.lastmod, l.moved_at)), coalesce(l.changefreq, ''), l.priority,
      l.url IS NOT NULL, u.occurrences
    FROM url u JOIN lane h ON h.id = u.lane LEFT JOIN version v ON v.id = u.version
    LEFT JOIN revisit r ON r.url = u.id LEFT JOIN listed l ON l.url = u.id"""
WORTH_ASKING = (
    f"u.asset < {Role.SITEMAP} AND u.visited_at IS NOT NULL AND (u.version IS NOT NULL AND u.outcome <> 'out_of_scope'"
    " OR u.outcome IN ('failed', 'unreachable', 'redirected'))"
)


class Past:
    """Shares the store's connection and its thread."""

    def __init__(self, database: sqlite3.Connection, archive: Path) -> None:
        self._database = database
        self._archive = archive

    def write(self, plan: Plan, versions: dict[int, int]) -> None:
        """Within the transaction of a commit; `versions` are the numbers of what the plan keeps."""
        run = self._database.executemany
        run("DELETE FROM twins WHERE id = ?", [(group,) for group in plan.dissolved if group not in plan.survivors])
        run("INSERT OR REPLACE INTO revisit VALUES (?, ?, ?, ?, ?, ?, ?, ?)", plan.returned)
        run(
            "INSERT INTO change (url, at, what, kinds, amount, before, after, target, details, degree, told)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(*note[:6], versions.get(note.kept, note.after), *note[7:11]) for note in plan.noted],
        )
        # A date without a time of day says little; that it moved says that something happened.
        run(
            "INSERT INTO listed VALUES (?, ?, ?, ?, ?, 0.0) ON CONFLICT DO UPDATE SET"
            " moved_at = iif(excluded.lastmod > lastmod, excluded.at, moved_at), lastmod = excluded.lastmod,"
            " changefreq = excluded.changefreq, priority = excluded.priority, at = excluded.at",
            [(key, *said) for key, said in plan.listed.items()],
        )
        run("INSERT OR REPLACE INTO witness VALUES (?, ?, ?)", [(*who, said) for who, said in plan.witnesses.items()])

    def prepare(self) -> None:
        """Before the first refresh of a folder."""
        self._database.execute("CREATE INDEX IF NOT EXISTS version_twins ON version (twins)")

    # What deciding asks.

    def held(self, keys: Iterable[int]) -> dict[int, HeldVersion]:
        return {
            row[0]: HeldVersion(row[0], row[1], row[2], row[3], Returned(row[0], *row[4:11]), *row[11:])
            for row in among(self._database, _HELD, keys)
        }

    def states(self, key: int) -> tuple[float, list[tuple[float, bytes]]]:
        """When a page was last visited, and the moments and digests of its kept versions, oldest first."""
        visited = self._database.execute("SELECT coalesce(visited_at, 0.0) FROM url WHERE id = ?", (key,)).fetchone()
        kept = self._database.execute("SELECT at, digest FROM version WHERE url = ? ORDER BY at, id", (key,)).fetchall()
        return visited[0], kept

    def copy(self, version: int) -> warc.Content | None:
        """The copy that is kept of a version; None where it was thinned out."""
        row = self._database.execute(
            "SELECT id, digest, file, offset, length FROM version WHERE id = ?", (version,)
        ).fetchone()
        return self._copy(*row) if row else None

    def reading(self, version: int) -> bytes:
        """What was read in a version, packed; nothing where nothing was."""
        row = self._database.execute("SELECT packed FROM reading WHERE version = ?", (version,)).fetchone()
        return bytes(row[0]) if row else b""

    def passing(self, version: int) -> tuple[bytes, int]:
        """The records of a version that was noise, and how long the first of them is."""
        row = self._database.execute(
            "SELECT p.records, v.length FROM passing p JOIN version v ON v.id = p.version WHERE p.version = ?",
            (version,),
        ).fetchone()
        return bytes(row[0]), row[1]

    def neighbours(self, lane: int, key: int, most: int) -> list[warc.Content]:
        """Copies of other pages of the site. Keys are hashes, so those beside it are as good as drawn by lot."""
        rows: list[Any] = []
        for side in ("id > ? ORDER BY id", "id < ? ORDER BY id DESC"):
            rows += self._database.execute(
                "SELECT v.id, v.digest, v.file, v.offset, v.length FROM"
                f" (SELECT lane, asset, outcome, version FROM url WHERE {side} LIMIT ?) u"
                " JOIN version v ON v.id = u.version WHERE u.lane = ? AND u.asset = 0"
                " AND u.outcome IN ('fetched', 'unchanged') AND v.mime LIKE '%html%' LIMIT ?",
                (key, _LOOKED_THROUGH, lane, most - len(rows)),
            ).fetchall()
        return [self._copy(*row) for row in rows]

    def twins_in(self, group: bytes) -> list[int]:
        """The URLs that count as copies of the group's survivor, the next survivor first."""
        rows = self._database.execute(
            "SELECT u.id FROM version v JOIN url u ON u.version = v.id WHERE v.twins = ? AND u.asset = 0"
            " AND u.outcome = 'duplicate' ORDER BY u.depth, u.url",
            (group,),
        )
        return [key for (key,) in rows]

    def witness(self, lane: int, name: str) -> bytes:
        row = self._database.execute("SELECT record FROM witness WHERE lane = ? AND name = ?", (lane, name)).fetchone()
        return bytes(row[0]) if row else b""

    def witnesses(self, name: str) -> dict[int, bytes]:
        """What was learned of one kind of signal, by lane."""
        return dict(self._database.execute("SELECT lane, record FROM witness WHERE name = ?", (name,)).fetchall())

    # What handing out asks.

    def validators(self, keys: Iterable[int]) -> dict[int, Validators]:
        """By which a server may answer that nothing changed. A page that is not here any more is asked for whole."""
        rows = among(
            self._database,
            "SELECT u.id, coalesce(r.etag, v.etag), coalesce(r.last_modified, v.last_modified)"
            " FROM url u JOIN version v ON v.id = u.version LEFT JOIN revisit r ON r.url = u.id"
            " WHERE u.outcome IN ('fetched', 'unchanged', 'duplicate') AND coalesce(r.unconditional, 0) = 0"
            " AND u.id IN",
            keys,
        )
        return {key: Validators(etag, modified) for key, etag, modified in rows if etag or modified}

    # What planning asks.

    def queued(self) -> set[int]:
        return {key for (key,) in self._database.execute("SELECT url FROM due")}

    def absent(self) -> dict[int, bytes]:
        """The kept pages that were missing or in doubt at their last visits, and since when, packed."""
        rows = self._database.execute(
            "SELECT r.url, r.absence FROM revisit r JOIN url u ON u.id = r.url"
            f" WHERE r.absence <> x'' AND u.outcome IN {HERE}"
        )
        return dict(rows.fetchall())

    def hasten(self, moments: dict[int, float]) -> None:
        """Those of these URLs that are queued are due then, where that is sooner."""
        run = self._database.execute
        run("CREATE TEMP TABLE hastened (url INTEGER PRIMARY KEY, at REAL NOT NULL)")
        self._database.executemany("INSERT INTO hastened VALUES (?, ?)", moments.items())
        run("UPDATE due SET at = h.at FROM hastened h WHERE h.url = due.url AND h.at < due.at")
        run("DROP TABLE hastened")

    def candidates(self) -> Iterator[Visited]:
        """Every URL whose visit could tell something new."""
        for row in self._database.execute(f"{CANDIDATE} WHERE {WORTH_ASKING}"):
            yield Visited(*row)

    def candidates_among(self, keys: Collection[int]) -> list[Visited]:
        return [Visited(*row) for row in among(self._database, f"{CANDIDATE} WHERE {WORTH_ASKING} AND u.id IN", keys)]

    def sitemaps(self) -> list[Visited]:
        rows = self._database.execute(
            f"{CANDIDATE} WHERE u.asset = {Role.SITEMAP} AND (u.outcome <> 'out_of_scope' OR u.rule = 'usual_place')"
        )
        return [Visited(*row) for row in rows]

    def finds(self, since: float) -> list[tuple[int, float, int]]:
        """The pages found as news since then: through which URL, when, and which."""
        query = "SELECT via, found_at, id FROM url WHERE news = 1 AND asset = 0 AND via IS NOT NULL AND found_at >= ?"
        return self._database.execute(query, (since,)).fetchall()

    def unread_sitemaps(self) -> list[tuple[int, str]]:
        """Those that nobody has asked for yet and that are not queued, with their hosts."""
        return self._database.execute(
            "SELECT u.id, l.host FROM url u JOIN lane l ON l.id = u.lane"
            f" WHERE u.asset = {Role.SITEMAP} AND u.outcome = 'discovered' AND u.visited_at IS NULL"
            " AND u.id NOT IN (SELECT url FROM due)"
        ).fetchall()

    def origins(self) -> list[tuple[str, int, bytes]]:
        """The sites whose robots.txt was asked for, its status and text."""
        return self._database.execute("SELECT origin, status, body FROM robots ORDER BY origin").fetchall()

    def visited_since(self, at: float) -> list[int]:
        rows = self._database.execute("SELECT id FROM url WHERE visited_at >= ? AND version IS NOT NULL", (at,))
        return [key for (key,) in rows]

    def changed_since(self, at: float) -> set[int]:
        rows = self._database.execute("SELECT url FROM change WHERE at >= ? AND what = 'changed' AND told", (at,))
        return {key for (key,) in rows}

    def taken_at_their_word(self, lane: int, at: float) -> list[int]:
        """The pages of a lane that were answered with 304 since then."""
        rows = self._database.execute(
            "SELECT id FROM url WHERE lane = ? AND status = 304 AND visited_at >= ? AND version IS NOT NULL", (lane, at)
        )
        return [key for (key,) in rows]

    def bytes_of_all(self) -> int:
        """What fetching every kept page anew would take, going by the last time."""
        row = self._database.execute(
            "SELECT coalesce(sum(v.received), 0) FROM url u JOIN version v ON v.id = u.version"
            f" WHERE u.asset < {Role.SITEMAP} AND u.outcome IN ('fetched', 'unchanged', 'duplicate')"
        ).fetchone()
        return int(row[0])

    def pages_in_all(self) -> int:
        row = self._database.execute(
            f"SELECT count(*) FROM url WHERE asset < {Role.SITEMAP}"
            " AND outcome IN ('fetched', 'unchanged', 'duplicate')"
        ).fetchone()
        return int(row[0])

    def _copy(self, version: int, digest: bytes, file: int, offset: int, length: int) -> warc.Content:
        if file == NOWHERE:
            return warc.parsed(self.passing(version)[0][:length], "crawl.sqlite")
        content = warc.read(self._archive / self._name(file), offset, length)
        if content.warc_headers.get("warc-type") != "revisit":
            return content
        body = self._database.execute("SELECT file, offset, length FROM body WHERE digest = ?", (digest,)).fetchone()
        payload = warc.read(self._archive / self._name(body[0]), *body[1:]).payload
        return warc.Content(content.warc_headers, content.head, payload)

    def _name(self, file: int) -> str:
        return str(self._database.execute("SELECT name FROM archive WHERE id = ?", (file,)).fetchone()[0])
