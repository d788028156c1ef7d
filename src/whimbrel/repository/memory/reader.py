"""The reading end of a repository in memory: URLs, pages, versions, copies, counts."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Self

from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome
from whimbrel.repository.contract import Counts, Enquiry, NothingThere, Roll
from whimbrel.repository.location import Location
from whimbrel.repository.members import Record
from whimbrel.repository.memory.books import every_request, every_roll
from whimbrel.repository.memory.state import FILE, HERE, KEPT, Edition, Tables, UrlRow, locked
from whimbrel.repository.views import (
    EVERYTHING,
    Detail,
    LaneCounts,
    ListedUrl,
    Overview,
    Selection,
    Stand,
    StoredPage,
    Trap,
    Version,
)
from whimbrel.repository.warc import Content
from whimbrel.urls.normal import key as key_of

LONGEST_WAY = 1000
SHOWN_TRAPS = 20
BYTES_COUNTED = ("novel", "duplicate", "not_modified")
_TRAPS = ("trap", "fruitless", "repeated")


class Pages:
    """Shows what is kept and changes nothing."""

    def __init__(self, location: Location, state: Tables) -> None:
        self.location = location
        self.state = state

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is held."""

    # Counts.

    @locked
    def counts(self) -> Counts:
        states = dict.fromkeys((str(outcome) for outcome in Outcome), 0)
        states |= Counter(row.outcome for row in self.state.rows.values())
        pages = sum(row.outcome in KEPT and not row.asset for row in self.state.rows.values())
        traffic = {kind: self.state.traffic.get(kind, (0, 0))[0] for kind in BYTES_COUNTED}
        return Counts(len(self.state.rows), states, pages, traffic)

    @locked
    def migrants(self) -> list[Roll]:
        return every_roll(self.state)

    @locked
    def requests(self) -> list[Enquiry]:
        return every_request(self.state)

    @locked
    def choice(self, host: str) -> bytes | None:
        known = self.state.hosts.get(host)
        chosen = self.state.choices.get(known.number) if known is not None else None
        return chosen[1] if chosen is not None else None

    @locked
    def overview(self) -> Overview:
        rows = self.state.rows.values()
        queue = [due for _, _, due in self.state.queue()]
        return Overview(
            counts=self.counts(),
            rules=tuple(self.rules()),
            other_bytes=self.state.traffic.get("other", (0, 0))[0],
            assets=sum(row.asset == 1 for row in rows),
            sitemaps=sum(row.asset == 2 for row in rows),
            hosts=len({row.lane for row in rows}),
            due=len(queue),
            postponed=sum(due.attempt > 0 for due in queue),
            unvisited=self.unvisited(),
            traps=tuple(self._traps()),
            seeds=tuple(self.seeds()),
            archives=((FILE, self.state.end),) if self.state.end else (),
            last_visit_at=max((row.visited_at for row in rows if row.visited_at is not None), default=None),
            private=sum(edition.kept.private and not row.asset for row, edition in self.state.with_edition()),
        )

    def _traps(self) -> list[Trap]:
        reasons: dict[tuple[str, str], list[Url]] = {}
        for row in self.state.rows.values():
            if row.rule in _TRAPS:
                reasons.setdefault((row.reason, row.rule), []).append(row.url)
        traps = [Trap(reason, len(urls), min(urls), rule) for (reason, rule), urls in reasons.items()]
        return sorted(traps, key=lambda trap: (-trap.urls, trap.reason))[:SHOWN_TRAPS]

    @locked
    def rules(self) -> list[tuple[str, str, int]]:
        counted = Counter((row.outcome, row.rule) for row in self.state.rows.values() if row.rule)
        every = [(outcome, rule, count) for (outcome, rule), count in counted.items()]
        return sorted(every, key=lambda one: (one[0], -one[2], one[1]))

    @locked
    def unvisited(self) -> int:
        return sum(self.state.rows[due.key].version is None for _, _, due in self.state.queue())

    @locked
    def recall(self, name: str) -> object:
        said = self.state.meta.get(name)
        return json.loads(said) if said is not None else None

    @locked
    def seeds(self) -> list[Url]:
        named = [(at, url) for url, (by_user, at) in self.state.seeds.items() if by_user]
        return [url for _, url in sorted(named)]

    @locked
    def lanes(self) -> list[LaneCounts]:
        known, kept = Counter[int](), Counter[int]()
        for row in self.state.rows.values():
            known[row.lane] += 1
            kept[row.lane] += row.outcome in KEPT and not row.asset
        lanes = [
            LaneCounts(self.state.names[lane].name, known[lane], kept[lane], len(self.state.due.get(lane, ())))
            for lane in known
        ]
        return sorted(lanes, key=lambda lane: lane.host)

    # Lists.

    @locked
    def urls(self, selection: Selection = EVERYTHING) -> Iterator[ListedUrl]:
        return iter([self._listed(row) for row in self._chosen(selection)[: selection.limit]])

    @locked
    def count(self, selection: Selection = EVERYTHING) -> int:
        return len(self._chosen(selection))

    @locked
    def pages(self, selection: Selection = EVERYTHING) -> Iterator[StoredPage]:
        rows = self._chosen(selection, selection.outcomes or HERE, bool(selection.assets))
        kept = [(row, edition) for row in rows if (edition := self.state.edition(row)) is not None]
        return iter([self._page(row, edition) for row, edition in kept[: selection.limit]])

    def _chosen(
        self, selection: Selection, outcomes: tuple[str, ...] | None = None, assets: bool | None = None
    ) -> list[UrlRow]:
        outcomes = selection.outcomes if outcomes is None else outcomes
        assets = selection.assets if assets is None else assets
        there = self.state.on_site(selection.site)
        match = re.compile(selection.match)
        rows = [
            row
            for row in self.state.rows.values()
            if (not outcomes or row.outcome in outcomes)
            and (not selection.rules or row.rule in selection.rules)
            and (assets is None or row.asset == int(assets))
            and there(row)
            and (selection.private or not self._is_private(row))
            and match.search(row.url)
            and (selection.after is None or (row.depth, row.url) > selection.after)
        ]
        return sorted(rows, key=lambda row: (row.depth, row.url))

    def _is_private(self, row: UrlRow) -> bool:
        edition = self.state.edition(row)
        return edition is not None and edition.kept.private

    def _page(self, row: UrlRow, edition: Edition) -> StoredPage:
        kept, reading = edition.kept, self.state.readings.get(edition.number, b"")
        return StoredPage(
            row.url, row.depth, row.outcome, row.reason, kept.status, kept.title, kept.language, kept.mime,
            kept.charset, kept.digest, kept.size, kept.at, reading, self.state.survivor(row),
        )  # fmt: skip

    def _listed(self, row: UrlRow) -> ListedUrl:
        edition = self.state.edition(row)
        title, mime, size = (
            (edition.kept.title, edition.kept.mime, edition.kept.size) if edition is not None else ("", "", 0)
        )
        return ListedUrl(
            row.key, row.url, row.outcome, row.rule, row.reason, row.status, row.depth, row.found_at, row.visited_at,
            row.tries, row.occurrences, title, mime, size, self.state.survivor(row), bool(row.asset),
            edition is not None and edition.kept.private,
        )  # fmt: skip

    # One URL.

    @locked
    def one(self, url: Url) -> ListedUrl | None:
        row = self.state.rows.get(key_of(url))
        return self._listed(row) if row is not None else None

    @locked
    def detail(self, url: Url) -> Detail:
        row = self.state.rows.get(key_of(url))
        if row is None:
            raise NothingThere(f"{url} is not known in {self.location}")
        target = self.state.rows.get(row.target) if row.target is not None else None
        places = self.state.due.get(row.lane, {}).values()
        return Detail(
            listed=self._listed(row),
            target=target.url if target is not None else None,
            via=tuple(self._way_back(row)),
            due_at=min((due.at for due in places if due.key == row.key), default=None),
            versions=tuple(self.versions(url)),
            twins=tuple(self._twins(row)),
            reading=self.state.readings.get(row.version or 0, b""),
        )

    def _way_back(self, row: UrlRow) -> Iterator[Url]:
        passed = {row.key}
        while len(passed) < LONGEST_WAY and row.via in self.state.rows and row.via not in passed:
            row = self.state.rows[row.via]
            passed.add(row.key)
            yield row.url

    def _twins(self, row: UrlRow) -> list[Url]:
        own = self.state.edition(row)
        if own is None or row.asset:
            return []
        twins = sorted(
            (other.depth, other.url)
            for other, edition in self.state.with_edition()
            if edition.kept.twins == own.kept.twins and other.key != row.key and not other.asset
        )
        return [url for _, url in twins]

    @locked
    def versions(self, url: Url) -> list[Version]:
        row = self.state.rows.get(key_of(url))
        newest = row.version if row is not None else None
        every = sorted(
            self.state.editions_of(key_of(url)), key=lambda one: (one.number == newest, one.kept.at, one.number)
        )
        return list(map(_version, every))

    @locked
    def has_private(self, url: Url) -> bool:
        return any(one.kept.private for one in self.state.editions_of(key_of(url)))

    @locked
    def body(self, url: Url, version: Version | None = None) -> Content:
        chosen = version or next(iter(reversed(self.versions(url))), None)
        if chosen is None:
            raise NothingThere(f"no copy of {url} is kept in {self.location}")
        return self.copy(chosen.number)

    @locked
    def copy(self, version: int) -> Content:
        return self.state.copy(self._edition(version))

    @locked
    def stands(self, url: Url) -> dict[int, Stand]:
        every = self.state.editions_of(key_of(url))
        return {one.number: self.state.stand(one.piece) for one in every if one.piece >= 0}

    @locked
    def record(self, version: int) -> bytes:
        return self.state.member(self._edition(version).piece)

    @locked
    def records(self) -> Iterator[Record]:
        return iter(list(self.state.records()))

    def _edition(self, version: int) -> Edition:
        if version not in self.state.editions:
            raise NothingThere(f"no version {version} is kept in {self.location}")
        return self.state.editions[version]


def _version(one: Edition) -> Version:
    kept = one.kept
    return Version(
        one.number, kept.at, kept.status, kept.mime, kept.charset, kept.language, kept.title, kept.canonical,
        kept.digest, kept.size, kept.received, kept.etag, kept.last_modified,
        tuple(filter(None, kept.cut.split("\n"))), kept.private, not one.quiet,
    )  # fmt: skip
