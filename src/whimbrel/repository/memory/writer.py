"""The writing end of a repository in memory."""

import json
from collections.abc import Callable, Iterable

from whimbrel.records.url import Url
from whimbrel.repository.contract import Body, FolderBusy, KnownUrl, Lease, LeaseWanted, Only, Plan, RobotsCopy
from whimbrel.repository.location import Location
from whimbrel.repository.memory.books import Requests, Roster
from whimbrel.repository.memory.commit import commit
from whimbrel.repository.memory.past import Past
from whimbrel.repository.memory.state import KEPT, Due, Tables, UrlRow, locked

_LEFT_OUT = ("refused", "failed", "unreachable", "out_of_scope")


class MemoryWriter:
    """Threads may take turns, but never use it at the same time; readers may look meanwhile."""

    def __init__(self, location: Location, state: Tables, software: str) -> None:
        with state.lock:
            if state.written:
                raise FolderBusy(f"another command is using {location}. Wait for it, or choose another.")
            state.written = True
        self.location, self.state = location, state
        self._software = software
        self.notes: list[str] = []
        self.forgotten = frozenset(state.forgotten)
        self.roster, self.requests, self.past = Roster(state), Requests(state), Past(state)
        self.pages = sum(not row.asset and row.outcome in KEPT for row in state.rows.values())
        self.pictures = 0

    def count_pictures(self) -> None:
        self.pictures = sum(
            row.outcome in KEPT and edition.kept.mime.startswith("image/")
            for row, edition in self.state.with_edition(list(self.state.rows))
        )

    def close(self) -> None:
        self.state.written = False

    @locked
    def commit(self, plan: Plan, now: float) -> int:
        return commit(self.state, plan, now, self._software)

    # What deciding needs to know.

    def known(self, keys: Iterable[int]) -> dict[int, KnownUrl]:
        rows = self.state.rows
        return {key: _known(rows[key]) for key in keys if key in rows}

    def bodies(self, digests: Iterable[bytes]) -> dict[bytes, Body]:
        return {digest: self.state.bodies[digest][0] for digest in digests if digest in self.state.bodies}

    def survivors(self, groups: Iterable[bytes]) -> dict[bytes, int]:
        return {group: self.state.survivors[group] for group in groups if group in self.state.survivors}

    def patterns(self, names: Iterable[str]) -> dict[str, bytes]:
        return {name: self.state.patterns[name] for name in names if name in self.state.patterns}

    def has_patterns(self) -> bool:
        return bool(self.state.patterns)

    def admitted(self, host: str) -> int:
        lane = self.lane(host)
        return sum(
            row.lane == lane
            and row.asset < 2
            and row.outcome != "out_of_scope"
            and not (row.outcome == "refused" and row.visited_at is None)
            for row in self.state.rows.values()
        )

    @locked
    def survey(self, now: float, *, refreshing: bool) -> None:
        state = self.state
        waiting = set() if refreshing else {lane for lane, _, due in state.queue() if _unvisited(state.rows[due.key])}
        kept = {row.lane for row in state.rows.values() if not row.asset and row.version is not None}
        for host in state.hosts.values():
            if host.surveyed_at is None and host.number in kept - waiting:
                host.surveyed_at = now

    def surveyed(self, host: str) -> bool:
        known = self.state.hosts.get(host)
        return known is not None and known.surveyed_at is not None

    def version_of(self, key: int) -> tuple[bytes, bytes, bytes] | None:
        row = self.state.rows.get(key)
        edition = self.state.edition(row) if row is not None else None
        if edition is None:
            return None
        return edition.kept.digest, edition.kept.twins, self.state.readings.get(edition.number, b"")

    def refused_by(self, rule: str) -> list[KnownUrl]:
        return [_known(row) for row in self._by_key() if row.outcome == "refused" and row.rule == rule]

    def left_out_by(self, rules: Iterable[str], after: int, most: int) -> list[KnownUrl]:
        names, queued = frozenset(rules), self.state.queued()
        found = [
            _known(row)
            for row in self._by_key()
            if row.key > after and row.rule in names and row.outcome in _LEFT_OUT and row.key not in queued
        ]
        return found[:most]

    def reasons(self, keys: Iterable[int]) -> dict[int, str]:
        return {key: self.state.rows[key].reason for key in keys if key in self.state.rows}

    def kin(self, keys: Iterable[int]) -> dict[int, tuple[int | None, int]]:
        rows = self.state.rows
        return {key: (rows[key].via, rows[key].occurrences) for key in keys if key in rows}

    def listed_on(self, lane: int, most: int) -> list[tuple[str, int]]:
        rows = (self.state.rows[key] for key in self.state.listed if key in self.state.rows)
        return sorted((str(row.url), row.key) for row in rows if row.lane == lane)[:most]

    # The queue.

    def lane(self, host: str) -> int | None:
        known = self.state.hosts.get(host)
        return known.number if known is not None else None

    def lanes_due(self, only: Only = Only.ALL) -> list[tuple[int, str, int, float]]:
        found = []
        for lane, places in sorted(self.state.due.items()):
            moments = [due.at for due in places.values() if self._counts(due, only)]
            if moments:
                found.append((lane, self.state.names[lane].name, len(moments), min(moments)))
        return found

    def lease(self, wanted: LeaseWanted) -> list[tuple[Lease, KnownUrl]]:
        lane, most, now, leased, newest_first, slices, only, away = wanted
        unasked = tuple(f"{origin}/" for origin in away)
        places: list[tuple[Lease, KnownUrl]] = []
        queue = self.state.due.get(lane, {})
        for band, seq in sorted(queue, key=lambda place: (place[0], -place[1] if newest_first else place[1])):
            due = queue[band, seq]
            row = self.state.rows[due.key]
            if due.at > now or due.key in leased or not self._counts(due, only):
                continue
            if (slices and due.key & 15 not in slices) or row.url.startswith(unasked):
                continue
            places.append((Lease(lane, band, seq, due.key, due.attempt), _known(row)))
            if len(places) == most:
                break
        return places

    def waiting(self, after: int, most: int) -> list[tuple[Lease, KnownUrl]]:
        found = []
        for lane, (band, seq), due in self.state.queue():
            row = self.state.rows[due.key]
            if row.key > after and row.outcome == "discovered" and row.version is None and row.asset != 2:
                found.append((Lease(lane, band, seq, due.key, due.attempt), _known(row)))
        return sorted(found, key=lambda place: place[0].key)[:most]

    def still_due(self, leases: Iterable[Lease]) -> list[Lease]:
        return [
            lease
            for lease in leases
            if (due := self.state.due.get(lease.lane, {}).get((lease.band, lease.seq))) and due.key == lease.key
        ]

    def places_of(self, keys: Iterable[int]) -> list[Lease]:
        wanted = set(keys)
        return [
            Lease(lane, *place, due.key, due.attempt) for lane, place, due in self.state.queue() if due.key in wanted
        ]

    def next_due(self, lane: int, now: float, only: Only = Only.ALL) -> float:
        queue = self.state.due.get(lane, {}).values()
        return min((due.at for due in queue if due.at > now and self._counts(due, only)), default=0.0)

    @locked
    def reband(self, order: str, band: Callable[[int, bool], int]) -> None:
        if self.recall("order") in (None, order):
            return
        for lane, places in self.state.due.items():
            rows = self.state.rows
            self.state.due[lane] = {
                (band(rows[due.key].depth, bool(rows[due.key].asset)), seq): due for (_, seq), due in places.items()
            }

    # What is remembered.

    def seeds(self) -> list[tuple[Url, bool]]:
        every = sorted(self.state.seeds.items(), key=lambda seed: (seed[1][1], seed[0]))
        return [(url, named) for url, (named, _) in every]

    def private_pages(self, origins: Iterable[str], most: int) -> list[tuple[Url, bytes]]:
        starts = tuple(f"{origin}/" for origin in origins)
        found = sorted(
            (row.depth, row.url, edition.kept.twins)
            for row, edition in self.state.with_edition()
            if edition.kept.private
            and not row.asset
            and row.outcome in KEPT
            and edition.kept.mime == "text/html"
            and row.url.startswith(starts)
        )
        return [(url, group) for _, url, group in found[:most]]

    def robots(self, host: str) -> list[RobotsCopy]:
        bare = tuple(f"{scheme}://{host}" for scheme in ("http", "https"))
        ports = tuple(f"{origin}:" for origin in bare)
        every = sorted(self.state.robots.items())
        return [copy for origin, copy in every if origin in bare or origin.startswith(ports)]

    @locked
    def remember(self, name: str, value: object) -> None:
        self.state.meta[name] = json.dumps(value)

    def recall(self, name: str) -> object:
        said = self.state.meta.get(name)
        return json.loads(said) if said is not None else None

    def _by_key(self) -> list[UrlRow]:
        return [self.state.rows[key] for key in sorted(self.state.rows)]

    def _counts(self, due: Due, only: Only) -> bool:
        if only is Only.ALL:
            return True
        row = self.state.rows[due.key]
        return row.version is not None if only is Only.KEPT else row.asset == 1


def _unvisited(row: UrlRow) -> bool:
    """Whether it was found by a first crawl and waits to be visited."""
    return row.visited_at is None and row.outcome == "discovered" and not row.news and not row.asset


def _known(row: UrlRow) -> KnownUrl:
    return KnownUrl(
        row.key, row.url, row.lane, row.depth, row.hops, row.run, row.asset, row.outcome, row.rule, row.target,
        row.version, row.tries, row.news,
    )  # fmt: skip
