"""One folder, one writer: recovering, committing.

The order of a commit: append to the WARC file, fdatasync, one SQLite transaction that includes the file's new end,
only then return. On opening, every WARC file is cut back to its committed end, so a torn commit leaves no trace.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path

from whimbrel.records.url import Url
from whimbrel.repository.among import among, marks
from whimbrel.repository.contract import Body, KnownUrl, Lease, LeaseWanted, Only, Plan, Queued, RobotsCopy
from whimbrel.repository.embedded.archive import Archive
from whimbrel.repository.embedded.lanes import Lanes
from whimbrel.repository.embedded.opening import ARCHIVE, lock_folder, open_database, unwritten
from whimbrel.repository.embedded.past import NOWHERE, Past
from whimbrel.repository.embedded.requests import Requests
from whimbrel.repository.embedded.roster import Roster
from whimbrel.repository.location import located

_KNOWN = "id, url, lane, depth, hops, run, asset, outcome, rule, target, version, tries, news"
_ONLY = {
    Only.ALL: "TRUE",
    Only.KEPT: "EXISTS (SELECT 1 FROM url WHERE id = d.url AND version IS NOT NULL)",
    Only.ASSETS: "EXISTS (SELECT 1 FROM url WHERE id = d.url AND asset = 1)",
}


class Store:
    """The writing end of a folder. Threads may take turns, but never use it at the same time."""

    def __init__(self, folder: Path, *, rollover_bytes: int = 1 << 30, software: str = "whimbrel") -> None:
        self.location = located(folder)
        self._lock = lock_folder(folder)
        with ExitStack() as on_failure:
            on_failure.callback(os.close, self._lock)
            self._database = on_failure.enter_context(closing(open_database(folder, create=True)))
            self._archive = Archive(folder / ARCHIVE, rollover_bytes, software)
            files = self._database.execute("SELECT id, name, end FROM archive ORDER BY id").fetchall()
            self.notes = self._archive.recover(files)
            self._lanes = Lanes(self._database)
            self.forgotten = frozenset(
                pattern for (pattern,) in self._database.execute("SELECT pattern FROM forgotten")
            )
            self._seq = self._one("SELECT coalesce(max(seq), 0) FROM due")
            self._version = self._one("SELECT coalesce(max(id), 0) FROM version")
            self._event = self._one("SELECT coalesce(max(seq), 0) FROM event")
            self.roster = Roster(self._database)
            self.requests = Requests(self._database)
            self.past = Past(self._database, folder / ARCHIVE)
            self.pages = self._one("SELECT count(*) FROM url WHERE asset = 0 AND outcome IN ('fetched', 'unchanged')")
            self.pictures = 0
            on_failure.pop_all()

    def count_pictures(self) -> None:
        self.pictures = self._one(
            "SELECT count(*) FROM url u JOIN version v ON v.id = u.version"
            " WHERE u.outcome IN ('fetched', 'unchanged') AND v.mime LIKE 'image/%'"
        )

    def close(self) -> None:
        self._archive.close()
        self._database.close()
        os.close(self._lock)

    def commit(self, plan: Plan, now: float) -> int:
        """Makes the plan durable and returns the sequence number of its last event."""
        try:
            return self._commit(plan, now)
        except (OSError, sqlite3.Error) as error:
            raise unwritten(self.location.beside, error) from error

    def _commit(self, plan: Plan, now: float) -> int:
        file, offsets = self._archive.append(plan.pieces, now) if plan.pieces else (self._archive.number, [])
        run = self._database.executemany
        self._database.execute("BEGIN IMMEDIATE")
        try:
            lanes = {row.key: self._lanes.number(row.host) for row in plan.found}
            run(
                "INSERT INTO url (id, url, lane, depth, hops, run, asset, via, found_at, outcome, rule, reason,"
                " news) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(f.key, f.url, lanes[f.key], *f[3:]) for f in plan.found],
            )
            self._queue(plan.queued)
            versions = self._keep(plan, file, offsets)
            run(
                "UPDATE url SET outcome = ?, rule = ?, reason = ?, status = ?, visited_at = ?, target = ?,"
                " tries = tries + 1, version = coalesce(?, version) WHERE id = ?",
                [
                    (s.outcome, s.rule, s.reason, s.status, s.at, s.target, versions.get(s.kept), s.key)
                    for s in plan.settled
                ],
            )
            run("DELETE FROM due WHERE lane = ? AND band = ? AND seq = ?", [lease[:3] for lease in plan.done])
            run(
                "UPDATE due SET at = ?, attempt = attempt + 1 WHERE lane = ? AND band = ? AND seq = ?",
                [(at, *lease[:3]) for lease, at in plan.postponed],
            )
            run("UPDATE url SET depth = ? WHERE id = ?", [(depth, key) for key, depth in plan.depths.items()])
            run(
                "UPDATE url SET outcome = ?, rule = ?, reason = ? WHERE id = ?",
                [(*what, key) for key, what in plan.outcomes.items()],
            )
            run("UPDATE url SET news = 1 WHERE id = ?", [(key,) for key in plan.news])
            run("UPDATE url SET asset = ? WHERE id = ?", [(role, key) for key, role in plan.roles.items()])
            run("UPDATE url SET version = NULL WHERE id = ?", [(key,) for key in plan.left])
            run("INSERT OR REPLACE INTO twins VALUES (?, ?)", list(plan.survivors.items()))
            run("INSERT OR REPLACE INTO pattern VALUES (?, ?)", list(plan.patterns.items()))
            run(
                "INSERT OR REPLACE INTO robots VALUES (?, ?, ?, ?)",
                [(r.origin, r.at, r.status, r.body) for r in plan.robots],
            )
            run(
                "INSERT OR IGNORE INTO seed VALUES (?, ?, ?)",
                [(url, named, now) for url, named in plan.seeds],
            )
            run(
                "UPDATE url SET occurrences = occurrences + ? WHERE id = ?",
                [(count, key) for key, count in plan.occurrences.items()],
            )
            run(
                "INSERT INTO traffic VALUES (?, ?, ?)"
                " ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes, count = count + excluded.count",
                [(kind, *amount) for kind, amount in plan.traffic.items()],
            )
            first = self._event + 1
            run(
                "INSERT INTO event VALUES (?, ?, ?, ?)",
                [(first + i, key, kind, versions.get(kept)) for i, (key, kind, kept) in enumerate(plan.events)],
            )
            run("INSERT OR REPLACE INTO choice VALUES (?, ?, ?)", plan.choices)
            run("INSERT OR REPLACE INTO answer VALUES (?, ?)", list(plan.answers.items()))
            self.past.write(plan, versions)
            if plan.pieces:
                self._database.execute(
                    "INSERT OR REPLACE INTO archive VALUES (?, ?, ?)",
                    (file, self._archive.name, self._archive.end),
                )
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise
        self._event += len(plan.events)
        return self._event

    def _queue(self, queued: Iterable[Queued]) -> None:
        rows = []
        for key, host, band, at in queued:
            self._seq += 1
            rows.append((self._lanes.number(host), band, self._seq, key, at, 0))
        self._database.executemany("INSERT INTO due VALUES (?, ?, ?, ?, ?, ?)", rows)

    def _keep(self, plan: Plan, file: int, offsets: list[int]) -> dict[int, int]:
        """Writes versions, readings and new bodies; returns the version number of each `kept` index."""
        versions, bodies, readings, passing = [], [], [], []
        numbers: dict[int, int] = {}
        for index, kept in enumerate(plan.kept):
            self._version += 1
            numbers[index] = self._version
            if kept.passing:
                place = (NOWHERE, 0, kept.piece)
                passing.append((self._version, kept.passing))
            else:
                place = (file, offsets[kept.piece], plan.pieces[kept.piece].length)
            versions.append((self._version, kept.key, *kept[2:16], *place, int(kept.private), int(kept.quiet)))
            if kept.reading:
                readings.append((self._version, kept.reading))
            if kept.body:
                bodies.append((kept.digest, kept.payload_digest, kept.url, kept.at, *place))
        run = self._database.executemany
        run(f"INSERT INTO version VALUES ({', '.join('?' * 21)})", versions)
        run("INSERT INTO reading VALUES (?, ?)", readings)
        run("INSERT INTO body VALUES (?, ?, ?, ?, ?, ?, ?)", bodies)
        run("INSERT INTO passing VALUES (?, ?)", passing)
        run("UPDATE version SET quiet = 0 WHERE id = ?", [(number,) for number, _ in plan.settled_down])
        run(
            "UPDATE version SET file = ?, offset = ?, length = ? WHERE id = ?",
            [
                (file, offsets[piece], plan.pieces[piece].length, number)
                for number, piece in plan.settled_down
                if piece >= 0
            ],
        )
        for table, column in (("version", "id"), ("reading", "version"), ("passing", "version")):
            run(f"DELETE FROM {table} WHERE {column} = ?", [(number,) for number in plan.passed])
        run("DELETE FROM passing WHERE version = ?", [(number,) for number, _ in plan.settled_down])
        return numbers

    # What deciding needs to know.

    def known(self, keys: Iterable[int]) -> dict[int, KnownUrl]:
        rows = among(self._database, f"SELECT {_KNOWN} FROM url WHERE id IN", keys)
        return {row[0]: KnownUrl(*row) for row in rows}

    def bodies(self, digests: Iterable[bytes]) -> dict[bytes, Body]:
        rows = among(self._database, "SELECT digest, payload_digest, url, at FROM body WHERE digest IN", digests)
        return {row[0]: Body(*row[1:]) for row in rows}

    def survivors(self, groups: Iterable[bytes]) -> dict[bytes, int]:
        return dict(among(self._database, "SELECT id, survivor FROM twins WHERE id IN", groups))

    def patterns(self, names: Iterable[str]) -> dict[str, bytes]:
        return dict(among(self._database, "SELECT id, state FROM pattern WHERE id IN", names))

    def admitted(self, host: str) -> int:
        """How many URLs of a host were let into the queue so far."""
        row = self._database.execute(
            "SELECT count(*) FROM url u JOIN lane l ON l.id = u.lane WHERE l.host = ?"
            " AND u.asset < 2 AND u.outcome <> 'out_of_scope' AND NOT (u.outcome = 'refused' AND u.visited_at IS NULL)",
            (host,),
        ).fetchone()
        return int(row[0])

    def survey(self, now: float, *, refreshing: bool) -> None:
        self._lanes.survey(now, refreshing)

    def surveyed(self, host: str) -> bool:
        return self._lanes.surveyed(host)

    def has_patterns(self) -> bool:
        return self._one("SELECT EXISTS (SELECT 1 FROM pattern)") == 1

    def version_of(self, key: int) -> tuple[bytes, bytes, bytes] | None:
        """Digest, group of twins and packed reading of a URL's newest version."""
        row: tuple[bytes, bytes, bytes] | None = self._database.execute(
            "SELECT v.digest, v.twins, coalesce(r.packed, x'') FROM url u JOIN version v ON v.id = u.version"
            " LEFT JOIN reading r ON r.version = v.id WHERE u.id = ?",
            (key,),
        ).fetchone()
        return row

    # The queue.

    def lanes_due(self, only: Only = Only.ALL) -> list[tuple[int, str, int, float]]:
        """Every lane with something in its queue: number, host, how many, the earliest moment."""
        return self._database.execute(
            "SELECT d.lane, l.host, count(*), min(d.at) FROM due d JOIN lane l ON l.id = d.lane"
            f" WHERE {_ONLY[only]} GROUP BY d.lane"
        ).fetchall()

    def lease(self, wanted: LeaseWanted) -> list[tuple[Lease, KnownUrl]]:
        lane, most, now, leased, newest_first, slices, only, away = wanted
        direction = "DESC" if newest_first else "ASC"
        part = f" AND (d.url & 15) IN ({', '.join(map(str, slices))})" if slices else ""
        part += " AND (SELECT substr(url, 1, ?) FROM url WHERE id = d.url) <> ?" * len(away)
        # Without the URLs: two of three places that are looked at are with a migrant already, or wait.
        rows = self._database.execute(
            "SELECT d.lane, d.band, d.seq, d.url, d.attempt FROM due d WHERE d.lane = ? AND d.at <= ?"
            f"{part} AND {_ONLY[only]} ORDER BY d.band, d.seq {direction} LIMIT ?",
            (lane, now, *(value for origin in away for value in (len(origin) + 1, f"{origin}/")), most + len(leased)),
        )
        leases = [Lease(*row) for row in islice((row for row in rows if row[3] not in leased), most)]
        known = self.known(lease.key for lease in leases)
        return [(lease, known[lease.key]) for lease in leases]

    def refused_by(self, rule: str) -> list[KnownUrl]:
        rows = self._database.execute(f"SELECT {_KNOWN} FROM url WHERE outcome = 'refused' AND rule = ?", (rule,))
        return [KnownUrl(*row) for row in rows]

    def left_out_by(self, rules: Iterable[str], after: int, most: int) -> list[KnownUrl]:
        """URLs that one of these rules keeps from being had and that are not due, in the order of their keys."""
        names = tuple(rules)
        return [
            KnownUrl(*row)
            for row in self._database.execute(
                f"SELECT {_KNOWN} FROM url WHERE id > ? AND rule IN {marks(names)}"
                " AND outcome IN ('refused', 'failed', 'unreachable', 'out_of_scope')"
                " AND id NOT IN (SELECT url FROM due) ORDER BY id LIMIT ?",
                (after, *names, most),
            )
        ]

    def waiting(self, after: int, most: int) -> list[tuple[Lease, KnownUrl]]:
        """URLs that were found and wait for their first visit, with their place in the queue, by their keys."""
        rows = self._database.execute(
            f"SELECT d.lane, d.band, d.seq, d.url, d.attempt, {', '.join('u.' + c for c in _KNOWN.split(', '))}"
            " FROM due d JOIN url u ON u.id = d.url WHERE d.url > ? AND u.outcome = 'discovered'"
            " AND u.version IS NULL AND u.asset <> 2 ORDER BY d.url LIMIT ?",
            (after, most),
        )
        return [(Lease(*row[:5]), KnownUrl(*row[5:])) for row in rows]

    def reasons(self, keys: Iterable[int]) -> dict[int, str]:
        return dict(among(self._database, "SELECT id, reason FROM url WHERE id IN", keys))

    def still_due(self, leases: Iterable[Lease]) -> list[Lease]:
        """Those of these places in the queue that are still there."""
        found = "SELECT 1 FROM due WHERE lane = ? AND band = ? AND seq = ? AND url = ?"
        return [lease for lease in leases if self._database.execute(found, lease[:4]).fetchone()]

    def places_of(self, keys: Iterable[int]) -> list[Lease]:
        """The places in the queue that these URLs have. It is in the order in which it is read, so this looks at all of
        it: for what a person asks by hand, not for every page."""
        return [
            Lease(*row)
            for row in among(self._database, "SELECT lane, band, seq, url, attempt FROM due WHERE url IN", keys)
        ]

    def kin(self, keys: Iterable[int]) -> dict[int, tuple[int | None, int]]:
        """The page by which each URL was found, and how often it has been met."""
        rows = among(self._database, "SELECT id, via, occurrences FROM url WHERE id IN", keys)
        return {key: (via, occurrences) for key, via, occurrences in rows}

    def listed_on(self, lane: int, most: int) -> list[tuple[str, int]]:
        """The pages that a host's sitemaps list, in the order of their URLs."""
        query = "SELECT u.url, u.id FROM listed l JOIN url u ON u.id = l.url WHERE u.lane = ? ORDER BY u.url LIMIT ?"
        return self._database.execute(query, (lane, most)).fetchall()

    def next_due(self, lane: int, now: float, only: Only = Only.ALL) -> float:
        """When the next of a lane's postponed tasks is due; 0 when there is none."""
        query = f"SELECT coalesce(min(at), 0) FROM due d WHERE lane = ? AND at > ? AND {_ONLY[only]}"
        return float(self._database.execute(query, (lane, now)).fetchone()[0])

    def lane(self, host: str) -> int | None:
        return self._lanes.find(host)

    def reband(self, order: str, band: Callable[[int, bool], int]) -> None:
        """Sorts the queue anew when a folder is crawled in another order than before."""
        if self.recall("order") in (None, order):
            return
        rows = self._database.execute(
            "SELECT d.lane, d.band, d.seq, u.depth, u.asset FROM due d JOIN url u ON u.id = d.url"
        ).fetchall()
        self._database.execute("BEGIN IMMEDIATE")
        self._database.executemany(
            "UPDATE due SET band = ? WHERE lane = ? AND band = ? AND seq = ?",
            [(band(depth, bool(asset)), lane, old, seq) for lane, old, seq, depth, asset in rows],
        )
        self._database.execute("COMMIT")

    # What the folder remembers.

    def seeds(self) -> list[tuple[Url, bool]]:
        rows = self._database.execute("SELECT url, named FROM seed ORDER BY at, url").fetchall()
        return [(Url(url), bool(named)) for url, named in rows]

    def private_pages(self, origins: Iterable[str], most: int) -> list[tuple[Url, bytes]]:
        """Kept pages of these origins that were fetched with credentials, and their groups of twins; the nearest to a
        seed first."""
        found: list[tuple[int, str, bytes]] = []
        for origin in origins:
            # "0" is the character after "/".
            found += self._database.execute(
                "SELECT u.depth, u.url, v.twins FROM version v JOIN url u ON u.version = v.id"
                " WHERE v.private AND u.asset = 0 AND u.outcome IN ('fetched', 'unchanged')"
                " AND v.mime = 'text/html' AND u.url >= ? AND u.url < ?"
                " ORDER BY u.depth, u.url LIMIT ?",
                (f"{origin}/", f"{origin}0", most),
            )
        return [(Url(url), group) for _, url, group in sorted(found)[:most]]

    def robots(self, host: str) -> list[RobotsCopy]:
        rows = self._database.execute(
            "SELECT origin, at, status, body FROM robots WHERE origin IN (?, ?)"
            " OR (origin > ? AND origin < ?) OR (origin > ? AND origin < ?)",
            (
                *(f"{scheme}://{host}" for scheme in ("http", "https")),
                *(f"{scheme}://{host}{end}" for scheme in ("http", "https") for end in ":;"),
            ),
        )
        return [RobotsCopy(*row) for row in rows]

    def remember(self, name: str, value: object) -> None:
        self._database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, json.dumps(value)))

    def recall(self, name: str) -> object:
        row = self._database.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return json.loads(row[0]) if row else None

    def _one(self, query: str) -> int:
        return int(self._database.execute(query).fetchone()[0])
