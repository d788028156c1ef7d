"""What happened in a repository in memory: for followers, and for whoever is told of changes."""

from collections.abc import Callable, Collection, Iterable, Iterator
from heapq import merge

from whimbrel.records.event import EventKind
from whimbrel.records.role import Role
from whimbrel.records.url import Url
from whimbrel.repository.contract import Visited
from whimbrel.repository.memory.reader import Pages
from whimbrel.repository.memory.state import HERE, KEPT, Changed, Edition, UrlRow, locked, visited, worth_asking
from whimbrel.repository.views import (
    Absent,
    BodyMark,
    DeadLinks,
    Event,
    Grouped,
    Newest,
    Position,
    Reached,
    Site,
    Told,
)
from whimbrel.urls.normal import key as key_of

BATCH = 500
MOST_VERSIONS = 5_000
_NEVER = 1e99
_MISSING = ("http_404", "http_410", "missing")


class Followed(Pages):
    @locked
    def last_event(self) -> int:
        return max(self.state.events, default=0)

    @locked
    def events(self, after: int, most: int) -> list[Event]:
        some = sorted(seq for seq in self.state.events if seq > after)[:most]
        return [Event(seq, self.state.events[seq].key, self.state.events[seq].kind) for seq in some]

    @locked
    def events_after(self, after: int) -> int:
        return sum(seq > after for seq in self.state.events)

    @locked
    def urls_after(self, after: int) -> int:
        return len({event.key for seq, event in self.state.events.items() if seq > after})

    @locked
    def forgot(self, after: int, last: int) -> bool:
        return any(event.kind == EventKind.FORGOTTEN for seq, event in self.state.events.items() if after < seq <= last)

    @locked
    def newest(self, keys: Iterable[int]) -> dict[int, Newest]:
        return {row.key: self._state_of(row, edition) for row, edition in self._here(keys)}

    @locked
    def pictures(self, keys: Iterable[int]) -> dict[int, Newest]:
        return {
            row.key: self._state_of(row, edition)
            for row, edition in self.state.with_edition(list(keys))
            if row.outcome in HERE and edition.kept.mime.startswith("image/")
        }

    def _state_of(self, row: UrlRow, edition: Edition) -> Newest:
        kept = edition.kept
        return Newest(
            row.key, row.url, row.outcome in KEPT, edition.number, len(self.state.of_url[row.key]), kept.title,
            kept.language, kept.mime, kept.at, row.visited_at if row.visited_at is not None else kept.at,
            kept.last_modified, kept.twins,
        )  # fmt: skip

    @locked
    def grouped(self, keys: Iterable[int]) -> dict[int, Grouped]:
        found = {}
        for row, edition in self._here(keys):
            kept = edition.kept
            survivor = self.state.rows.get(self.state.survivors.get(kept.twins, 0))
            found[row.key] = Grouped(
                row.key, row.url, row.depth, row.outcome, edition.number, kept.title, kept.mime, kept.twins,
                kept.canonical, survivor.url if survivor is not None else None,
            )  # fmt: skip
        return found

    def _here(self, keys: Iterable[int]) -> Iterator[tuple[UrlRow, Edition]]:
        for row, edition in self.state.with_edition(list(keys)):
            if not row.asset and row.outcome in HERE:
                yield row, edition

    @locked
    def still_there(self, keys: Iterable[int]) -> set[int]:
        return {row.key for row, _ in self.state.with_edition(list(keys))}

    @locked
    def ways(self, keys: Iterable[int]) -> dict[int, Url]:
        rows = self.state.rows
        vias = {key: rows[key].via for key in keys if key in rows}
        return {key: rows[via].url for key, via in vias.items() if via is not None and via in rows}

    @locked
    def redirects(self) -> dict[int, int]:
        rows = self.state.rows.values()
        return {row.key: row.target for row in rows if row.target is not None and row.outcome == "redirected"}

    @locked
    def redirects_since(self, at: float) -> list[tuple[Url, Url, float]]:
        rows = self.state.rows
        return [
            (rows[key].url, rows[target].url, rows[key].visited_at or 0.0)
            for key, target in self.redirects().items()
            if target in rows and (rows[key].visited_at or 0.0) >= at
        ]

    @locked
    def knows_host(self, host: str) -> bool:
        return host in self.state.hosts

    @locked
    def readings(self, versions: Iterable[int]) -> dict[int, bytes]:
        return {number: self.state.readings[number] for number in versions if number in self.state.readings}

    @locked
    def current_readings(self, urls: Collection[Url]) -> Iterator[tuple[Url, bytes]]:
        current = {row.url: edition.number for row, edition in self.state.with_edition([key_of(url) for url in urls])}
        packed = self.state.readings
        return iter([(url, packed[number]) for url, number in current.items() if number in packed])

    @locked
    def marks(self, versions: Iterable[int]) -> dict[int, BodyMark]:
        editions = self.state.editions
        return {n: BodyMark(editions[n].kept.charset, editions[n].kept.digest) for n in versions if n in editions}

    @locked
    def digests(self) -> Iterator[bytes]:
        return iter([edition.kept.digest for edition in self.state.editions.values()])


class Tellings(Followed):
    @locked
    def candidates(self, most: int | None = None) -> Iterator[Visited]:
        rows = [row for key in sorted(self.state.rows) if worth_asking(row := self.state.rows[key])]
        return iter([visited(self.state, row) for row in rows[:most]])

    @locked
    def candidates_among(self, keys: Collection[int]) -> list[Visited]:
        rows = (self.state.rows[key] for key in keys if key in self.state.rows)
        return [visited(self.state, row) for row in rows if worth_asking(row)]

    @locked
    def reached(self) -> Iterator[Reached]:
        here = [row for row, _ in self.state.with_edition() if not row.asset and row.outcome in HERE]
        names, listed = self.state.names, self.state.listed
        return iter(
            [
                Reached(
                    row.key, names[row.lane].name, int(row.outcome in KEPT), int(row.key in listed), row.depth,
                    row.occurrences,
                )
                for row in here
            ]
        )  # fmt: skip

    @locked
    def witnesses(self, name: str) -> dict[int, bytes]:
        return {lane: record for (lane, called), record in self.state.witnesses.items() if called == name}

    @locked
    def since(self, at: float, site: Site | None = None, *, unread: bool = False) -> Iterator[Told]:
        there = self.state.on_site(site)
        changed = [told for one, _, told in self._changed(there, lambda one: one.at >= at) if one.told or unread]
        came = [one for _, one in self._came(there, lambda row, edition: edition.kept.at >= at)]
        return iter(sorted([*changed, *came], key=lambda told: (told.at, told.url)))

    @locked
    def batches(
        self, since: float, until: float, site: Site | None = None, *, firsts: bool = False, unread: bool = False
    ) -> Iterator[list[Told]]:
        there = self.state.on_site(site)
        read = sorted(
            (-told.at, -one.seq, told)
            for one, row, told in self._changed(there, lambda one: since <= one.at < until)
            if (one.told or unread) and (not row.asset or self._shown(one, row))
        )
        came = sorted(
            (-number, told)
            for number, told in self._came(
                there, lambda row, edition: since <= edition.kept.at < until and (firsts or row.news == 1)
            )
        )
        streams = ([told for *_, told in read], [told for _, told in came])
        newest = list(merge(*streams, key=lambda told: -told.at))
        batches = [newest[start : start + BATCH] for start in range(0, len(newest), BATCH)]
        return iter([sorted(batch, key=lambda told: (-told.at, told.url)) for batch in batches])

    def _shown(self, one: Changed, row: UrlRow) -> bool:
        """Of the files that pages are shown with only pictures are news to a reader."""
        edition = self.state.editions.get(one.after or row.version or 0)
        return edition is not None and edition.kept.mime.lower().startswith("image/")

    @locked
    def first_count(self, since: float, until: float, site: Site | None = None) -> int:
        there = self.state.on_site(site)
        return len(self._came(there, lambda row, edition: since <= edition.kept.at < until and not row.news))

    @locked
    def between_versions(self, url: Url, before: int, after: int) -> Told | None:
        every = self._changed(
            lambda row: row.key == key_of(url), lambda one: (one.before, one.after) == (before, after)
        )
        return every[0][2] if every else None

    def _changed(
        self, there: Callable[[UrlRow], bool], wanted: Callable[[Changed], bool]
    ) -> list[tuple[Changed, UrlRow, Told]]:
        rows = self.state.rows
        return [
            (one, rows[one.key], self._told(one, rows[one.key]))
            for one in self.state.changes.values()
            if one.key in rows and there(rows[one.key]) and wanted(one)
        ]

    def _told(self, one: Changed, row: UrlRow) -> Told:
        editions = self.state.editions
        edition = editions.get(one.after or 0) or editions.get(row.version or 0)
        target = self.state.rows.get(one.target) if one.target is not None else None
        return Told(
            one.at, one.what, row.url, edition.kept.title if edition is not None else "", one.kinds, one.amount,
            one.before, one.after, target.url if target is not None else None, one.details, row.reason, one.degree,
            one.told,
        )  # fmt: skip

    def _came(
        self, there: Callable[[UrlRow], bool], wanted: Callable[[UrlRow, Edition], bool]
    ) -> list[tuple[int, Told]]:
        """Pages kept for the first time. The first version may have been thinned away: then a change tells that there
        was one before."""
        before: dict[int, int] = {}
        for one in self.state.changes.values():
            if one.before is not None:
                before[one.key] = min(one.before, before.get(one.key, one.before))
        came = []
        for key, numbers in self.state.of_url.items():
            row, first = self.state.rows[key], self.state.editions[min(numbers)]
            if (
                row.asset
                or (row.outcome == "duplicate" and not row.news)
                or before.get(key, first.number) < first.number
            ):
                continue
            if there(row) and wanted(row, first):
                what = "new" if row.news else "first"
                told = Told(first.kept.at, what, row.url, first.kept.title, "", 0.0, None, first.number, None, b"", "")
                came.append((first.number, told))
        return came

    @locked
    def habits(self, url: Url) -> bytes:
        returned = self.state.returned.get(key_of(url))
        return returned.habits if returned is not None else b""

    @locked
    def groups(self, versions: Iterable[int]) -> dict[int, bytes]:
        editions = self.state.editions
        return {number: editions[number].kept.twins for number in versions if number in editions}

    @locked
    def absent(self, site: Site | None = None) -> list[Absent]:
        there = self.state.on_site(site)
        due = {due.key: due.at for _, _, due in sorted(self.state.queue(), key=lambda one: one[2].at) if due.at > 0}
        found = [
            Absent(row.url, edition.kept.title, row.reason, returned.absence, due.get(row.key))
            for row, edition in self._here(self.state.returned)
            if (returned := self.state.returned[row.key]).absence and there(row)
        ]
        return sorted(found, key=lambda one: (one.due_at if one.due_at is not None else _NEVER, one.url))

    @locked
    def changed_at(self, site: Site) -> Iterator[tuple[Url, float]]:
        there = self.state.on_site(site)
        really: dict[int, float] = {}
        for one in self.state.changes.values():
            if one.told and one.what in ("changed", "restored"):
                really[one.key] = max(one.at, really.get(one.key, one.at))
        found = [
            (row.url, really.get(row.key, min(one.kept.at for one in self.state.editions_of(row.key))))
            for row, _ in self._here(self.state.rows)
            if row.outcome in KEPT and there(row)
        ]
        return iter(sorted(found))

    @locked
    def listed(self) -> set[Url]:
        return {self.state.rows[key].url for key in self.state.listed if key in self.state.rows}

    @locked
    def sitemap_notes(self, since: float) -> list[tuple[Url, str]]:
        passed_over = ("http_404", "http_410", "usual_place")
        return sorted(
            (row.url, row.reason)
            for row in self.state.rows.values()
            if row.asset == Role.SITEMAP
            and row.reason
            and row.outcome != "redirected"
            and row.rule not in passed_over
            and (row.visited_at or 0.0) >= since
        )

    @locked
    def dead_links(self) -> DeadLinks:
        rows = [row for row in self.state.rows.values() if not row.asset]
        blank = (edition.kept.size == 0 for row, edition in self._here(self.state.rows) if row.outcome in KEPT)
        return DeadLinks(
            dead=sum(
                (row.outcome == "gone" and row.rule != "soft_404") or (row.rule in _MISSING and row.outcome == "failed")
                for row in rows
            ),
            soft=sum(row.rule == "soft_404" for row in rows),
            blank=sum(blank),
            redundant=sum(row.outcome in ("duplicate", "redirected") for row in rows),
        )


class MemoryReader(Tellings):
    """All that can be read of a repository in memory."""

    @locked
    def position(self) -> Position:
        return Position(max(self.state.changes, default=0), max(self.state.editions, default=0))

    @locked
    def position_before(self, at: float) -> Position:
        end = self.position()
        change = min((one.seq for one in self.state.changes.values() if one.at >= at), default=end.change + 1)
        version = min(
            (one.number for one in self.state.editions.values() if one.kept.at >= at), default=end.version + 1
        )
        return Position(change - 1, version - 1)

    @locked
    def position_after(self, done: Position, most: int) -> Position:
        end = self.position()
        return Position(min(end.change, done.change + most), min(end.version, done.version + MOST_VERSIONS))

    @locked
    def told_between(self, done: Position, end: Position, site: Site | None) -> list[Told]:
        there = self.state.on_site(site)
        changed = [
            told
            for _, _, told in self._changed(there, lambda one: bool(one.told) and done.change < one.seq <= end.change)
        ]
        came = self._came(there, lambda row, edition: row.news == 1 and done.version < edition.number <= end.version)
        return sorted([*changed, *(told for _, told in came)], key=lambda told: (told.at, told.url))
