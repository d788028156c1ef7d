"""What a repository in memory knows of earlier visits."""

from bisect import bisect
from collections.abc import Collection, Iterable, Iterator

from whimbrel.records.role import Role
from whimbrel.records.task import Validators
from whimbrel.repository.contract import HeldVersion, Returned, Visited
from whimbrel.repository.memory.state import HERE, KEPT, Edition, Tables, UrlRow, locked, visited, worth_asking
from whimbrel.repository.warc import Content


class Past:
    def __init__(self, state: Tables) -> None:
        self.state = state

    def prepare(self) -> None:
        """Nothing is to be made ready."""

    def held(self, keys: Iterable[int]) -> dict[int, HeldVersion]:
        return {
            row.key: HeldVersion(
                row.key, edition.number, edition.kept.at, edition.kept.title, self._returned(row, edition),
                self._announced(row), self._told(row, edition), int(edition.piece < 0),
            )
            for row, edition in self.state.with_edition(list(keys))
        }  # fmt: skip

    def _told(self, row: UrlRow, edition: Edition) -> int:
        told = [one.number for one in self.state.editions_of(row.key) if not one.quiet]
        return max(told, default=edition.number) if edition.quiet else edition.number

    def _returned(self, row: UrlRow, edition: Edition) -> Returned:
        unseen = Returned(row.key, edition.kept.digest, edition.kept.etag, edition.kept.last_modified, b"", 0, b"")
        return self.state.returned.get(row.key, unseen)

    def _announced(self, row: UrlRow) -> float | None:
        listed = self.state.listed.get(row.key)
        return listed.announced_at if listed is not None else None

    def states(self, key: int) -> tuple[float, list[tuple[float, bytes]]]:
        return self.state.rows[key].visited_at or 0.0, [(one.kept.at, one.kept.digest) for one in self._dated(key)]

    def _dated(self, key: int) -> list[Edition]:
        return sorted(self.state.editions_of(key), key=lambda one: (one.kept.at, one.number))

    def copy(self, version: int) -> Content | None:
        edition = self.state.editions.get(version)
        return self.state.copy(edition) if edition is not None else None

    def reading(self, version: int) -> bytes:
        return self.state.readings.get(version, b"")

    def passing(self, version: int) -> tuple[bytes, int]:
        piece = self.state.passing[-version]
        return piece.data, piece.length

    def neighbours(self, lane: int, key: int, most: int) -> list[Content]:
        keys = sorted(self.state.rows)
        at = bisect(keys, key)
        found = []
        for row, edition in self.state.with_edition([*keys[at:], *reversed(keys[: max(0, at - 1)])]):
            if row.lane == lane and not row.asset and row.outcome in KEPT and "html" in edition.kept.mime.lower():
                found.append(edition)
                if len(found) == most:
                    break
        return [self.state.copy(edition) for edition in found]

    def twins_in(self, group: bytes) -> list[int]:
        twins = sorted(
            (row.depth, row.url, row.key)
            for row, edition in self.state.with_edition()
            if edition.kept.twins == group and not row.asset and row.outcome == "duplicate"
        )
        return [key for _, _, key in twins]

    def witness(self, lane: int, name: str) -> bytes:
        return self.state.witnesses.get((lane, name), b"")

    def witnesses(self, name: str) -> dict[int, bytes]:
        return {lane: record for (lane, called), record in self.state.witnesses.items() if called == name}

    def validators(self, keys: Iterable[int]) -> dict[int, Validators]:
        found = {}
        for row, edition in self.state.with_edition(list(keys)):
            returned = self._returned(row, edition)
            if row.outcome in HERE and not returned.unconditional and (returned.etag or returned.last_modified):
                found[row.key] = Validators(returned.etag, returned.last_modified)
        return found

    # What planning asks.

    def queued(self) -> set[int]:
        return self.state.queued()

    def absent(self) -> dict[int, bytes]:
        rows = self.state.rows
        return {
            key: returned.absence
            for key, returned in self.state.returned.items()
            if returned.absence and key in rows and rows[key].outcome in HERE
        }

    @locked
    def hasten(self, moments: dict[int, float]) -> None:
        for _, _, due in self.state.queue():
            due.at = min(due.at, moments.get(due.key, due.at))

    def candidates(self) -> Iterator[Visited]:
        return iter([self._visited(row) for row in self._rows() if worth_asking(row)])

    def candidates_among(self, keys: Collection[int]) -> list[Visited]:
        rows = (self.state.rows[key] for key in keys if key in self.state.rows)
        return [self._visited(row) for row in rows if worth_asking(row)]

    def sitemaps(self) -> list[Visited]:
        return [
            self._visited(row)
            for row in self._rows()
            if row.asset == Role.SITEMAP and (row.outcome != "out_of_scope" or row.rule == "usual_place")
        ]

    def finds(self, since: float) -> list[tuple[int, float, int]]:
        return [
            (row.via, row.found_at, row.key)
            for row in self._rows()
            if row.news and not row.asset and row.via is not None and row.found_at >= since
        ]

    def unread_sitemaps(self) -> list[tuple[int, str]]:
        queued = self.state.queued()
        return [
            (row.key, self.state.names[row.lane].name)
            for row in self._rows()
            if row.asset == Role.SITEMAP
            and row.outcome == "discovered"
            and row.visited_at is None
            and row.key not in queued
        ]

    def origins(self) -> list[tuple[str, int, bytes]]:
        return [(copy.origin, copy.status, copy.body) for _, copy in sorted(self.state.robots.items())]

    def visited_since(self, at: float) -> list[int]:
        return [row.key for row, _ in self.state.with_edition() if row.visited_at is not None and row.visited_at >= at]

    def changed_since(self, at: float) -> set[int]:
        return {one.key for one in self.state.changes.values() if one.at >= at and one.what == "changed" and one.told}

    def taken_at_their_word(self, lane: int, at: float) -> list[int]:
        rows = self.state.rows
        return [key for key in self.visited_since(at) if rows[key].lane == lane and rows[key].status == 304]

    def bytes_of_all(self) -> int:
        every = self.state.with_edition()
        return sum(edition.kept.received for row, edition in every if row.asset < Role.SITEMAP and row.outcome in HERE)

    def pages_in_all(self) -> int:
        return sum(row.asset < Role.SITEMAP and row.outcome in HERE for row in self.state.rows.values())

    def _rows(self) -> list[UrlRow]:
        return [self.state.rows[key] for key in sorted(self.state.rows)]

    def _visited(self, row: UrlRow) -> Visited:
        return visited(self.state, row)
