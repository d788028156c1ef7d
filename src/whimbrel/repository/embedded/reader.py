"""The reading end of a folder: any number of readers, also while a crawl writes.

Each question is answered from one snapshot of the database. Lists are streamed: neither a folder's size nor a page's
text decides how much memory they take.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome
from whimbrel.repository.among import marks
from whimbrel.repository.contract import Counts, Enquiry, NothingThere, Roll
from whimbrel.repository.embedded.copies import Copies
from whimbrel.repository.embedded.requests import every_request
from whimbrel.repository.views import (
    EVERYTHING,
    Detail,
    LaneCounts,
    ListedUrl,
    Overview,
    Selection,
    Site,
    StoredPage,
    Trap,
    Version,
)
from whimbrel.repository.warc import Content
from whimbrel.urls.normal import key as key_of

BATCH = 256
LONGEST_WAY = 1000
SHOWN_TRAPS = 20
BYTES_COUNTED = ("novel", "duplicate", "not_modified")

_KEPT = ("fetched", "unchanged")
_LISTED = """
    SELECT u.id, u.url, u.outcome, u.rule, u.reason, u.status, u.depth, u.found_at, u.visited_at, u.tries,
      u.occurrences, coalesce(v.title, ''), coalesce(v.mime, ''), coalesce(v.size, 0), s.url, u.asset,
      coalesce(v.private, 0)
    FROM url u LEFT JOIN version v ON v.id = u.version
    LEFT JOIN twins t ON u.outcome = 'duplicate' AND t.id = v.twins LEFT JOIN url s ON s.id = t.survivor"""
_PAGE = """
    SELECT u.id, u.url, u.depth, u.outcome, u.reason, v.status, v.title, v.language, v.mime, v.charset, v.digest,
      v.size, v.at, coalesce(r.packed, x''), s.url
    FROM url u JOIN version v ON v.id = u.version LEFT JOIN reading r ON r.version = v.id
    LEFT JOIN twins t ON u.outcome = 'duplicate' AND t.id = v.twins LEFT JOIN url s ON s.id = t.survivor
    WHERE u.id IN"""
_VERSION = """
    SELECT v.id, v.at, v.status, v.mime, v.charset, v.language, v.title, v.canonical, v.digest, v.size, v.received,
      v.etag, v.last_modified, v.cut, v.private, NOT v.quiet
    FROM version v"""


class Reader(Copies):
    """Shows what a folder holds and changes nothing."""

    def __init__(self, folder: Path, *, cache_bytes: int = 0) -> None:
        super().__init__(folder, cache_bytes)
        self._database.create_function("regexp", 2, _found_in, deterministic=True)

    # Counts.

    def counts(self) -> Counts:
        states = dict.fromkeys((str(outcome) for outcome in Outcome), 0)
        pages = 0
        for outcome, asset, count in self._rows("SELECT outcome, asset, count(*) FROM url GROUP BY outcome, asset"):
            states[outcome] = states.get(outcome, 0) + count
            if outcome in _KEPT and not asset:
                pages += count
        traffic = dict(self._rows("SELECT kind, bytes FROM traffic"))
        return Counts(sum(states.values()), states, pages, {kind: traffic.get(kind, 0) for kind in BYTES_COUNTED})

    def migrants(self) -> list[Roll]:
        """Everyone who has worked for this folder, the first born first."""
        return [Roll(*row) for row in self._database.execute("SELECT * FROM migrant ORDER BY born_at, name")]

    def requests(self) -> list[Enquiry]:
        """Every kind of page that was asked for, and how much of it was found."""
        return every_request(self._database)

    def choice(self, host: str) -> bytes | None:
        """The last choice of a migrant for this host, as it was recorded."""
        row = self._database.execute(
            "SELECT record FROM choice JOIN lane ON lane.id = choice.lane WHERE host = ?", (host,)
        ).fetchone()
        return bytes(row[0]) if row else None

    def overview(self) -> Overview:
        self._database.execute("BEGIN")  # one snapshot, so that the counts agree with each other
        try:
            return self._overview()
        finally:
            self._database.execute("COMMIT")

    def _overview(self) -> Overview:
        visited, assets, sitemaps, hosts = self._rows(
            "SELECT max(visited_at), sum(asset = 1), sum(asset = 2), count(DISTINCT lane) FROM url"
        )[0]
        due, postponed = self._rows("SELECT count(*), coalesce(sum(attempt > 0), 0) FROM due")[0]
        other = self._rows("SELECT coalesce(sum(bytes), 0) FROM traffic WHERE kind = 'other'")[0][0]
        rules = self.rules()
        traps = self._rows(
            "SELECT reason, count(*), min(url), rule FROM url WHERE rule IN ('trap', 'fruitless', 'repeated')"
            " GROUP BY 1, 4 ORDER BY 2 DESC, 1 LIMIT ?",
            SHOWN_TRAPS,
        )
        return Overview(
            counts=self.counts(),
            rules=tuple(rules),
            other_bytes=other,
            assets=assets or 0,
            sitemaps=sitemaps or 0,
            hosts=hosts,
            due=due,
            postponed=postponed,
            unvisited=self.unvisited(),
            traps=tuple(Trap(*row) for row in traps),
            seeds=tuple(self.seeds()),
            archives=tuple(self._rows("SELECT name, end FROM archive ORDER BY id")),
            last_visit_at=visited,
            private=self._rows(
                "SELECT count(*) FROM version v JOIN url u ON u.version = v.id WHERE v.private AND u.asset = 0"
            )[0][0],
        )

    def rules(self) -> list[tuple[str, str, int]]:
        """How many URLs each rule decided, by outcome."""
        return self._rows(
            "SELECT outcome, rule, count(*) FROM url WHERE rule <> '' GROUP BY 1, 2 ORDER BY 1, 3 DESC, 2"
        )

    def unvisited(self) -> int:
        query = "SELECT count(*) FROM due d JOIN url u ON u.id = d.url WHERE u.version IS NULL"
        return int(self._rows(query)[0][0])

    def recall(self, name: str) -> object:
        """What a run remembered for the next by this name."""
        rows = self._rows("SELECT value FROM meta WHERE name = ?", name)
        return json.loads(rows[0][0]) if rows else None

    def seeds(self) -> list[Url]:
        """What was named for the folder's crawls."""
        return [url for (url,) in self._rows("SELECT url FROM seed WHERE named ORDER BY at, url")]

    def lanes(self) -> list[LaneCounts]:
        """Every host that is known, by name."""
        rows = self._rows(
            "SELECT l.host, count(*), sum(u.outcome IN ('fetched', 'unchanged') AND u.asset = 0),"
            " (SELECT count(*) FROM due d WHERE d.lane = l.id)"
            " FROM url u JOIN lane l ON l.id = u.lane GROUP BY l.id ORDER BY l.host"
        )
        return [LaneCounts(*row) for row in rows]

    # Lists.

    def urls(self, selection: Selection = EVERYTHING) -> Iterator[ListedUrl]:
        """The chosen URLs, nearest to a seed first, then by name."""
        where, values = self._where(selection)
        query = f"{_LISTED} {where} ORDER BY u.depth, u.url LIMIT ?"
        for row in self._database.execute(query, [*values, _limit(selection)]):
            yield _listed(row)

    def count(self, selection: Selection = EVERYTHING) -> int:
        """How many URLs are chosen."""
        where, values = self._where(selection)
        return int(self._rows(f"SELECT count(*) FROM url u {where}", *values)[0][0])

    def pages(self, selection: Selection = EVERYTHING) -> Iterator[StoredPage]:
        """Kept pages and their twins, nearest to a seed first, then by name; assets only where they are chosen."""
        outcomes = selection.outcomes or (*_KEPT, "duplicate")
        where, values = self._where(selection, outcomes, bool(selection.assets))
        # The texts stay out of the sorting: only keys are sorted, the rest is fetched some rows at a time.
        order = self._database.execute(
            f"SELECT u.id FROM url u {where} AND u.version IS NOT NULL ORDER BY u.depth, u.url LIMIT ?",
            [*values, _limit(selection)],
        )
        while keys := [key for (key,) in order.fetchmany(BATCH)]:
            rows = {row[0]: row[1:] for row in self._rows(f"{_PAGE} {marks(keys)}", *keys)}
            for key in keys:
                yield StoredPage(*rows[key])

    def _where(
        self, selection: Selection, outcomes: tuple[str, ...] | None = None, assets: bool | None = None
    ) -> tuple[str, list[object]]:
        terms, values = ["WHERE true"], list[object]()
        outcomes = selection.outcomes if outcomes is None else outcomes
        assets = selection.assets if assets is None else assets
        for column, wanted in (("u.outcome", outcomes), ("u.rule", selection.rules)):
            if wanted:
                terms.append(f"{column} IN {marks(wanted)}")
                values += wanted
        if assets is not None:
            terms.append("u.asset = ?")
            values.append(int(assets))
        if selection.site is not None:
            term, parts = on_site(selection.site)
            terms.append(term)
            values += parts
        if not selection.private:
            terms.append("NOT EXISTS (SELECT 1 FROM version p WHERE p.id = u.version AND p.private)")
        if selection.match:
            terms.append("u.url REGEXP ?")
            values.append(selection.match)
        if selection.after is not None:
            terms.append("(u.depth, u.url) > (?, ?)")
            values += selection.after
        return " AND ".join(terms), values

    # One URL.

    def one(self, url: Url) -> ListedUrl | None:
        for row in self._rows(f"{_LISTED} WHERE u.id = ?", key_of(url)):
            return _listed(row)
        return None

    def detail(self, url: Url) -> Detail:
        listed = self.one(url)
        if listed is None:
            raise NothingThere(f"{url} is not known in {self.location}")
        target = self._rows("SELECT t.url FROM url u JOIN url t ON t.id = u.target WHERE u.id = ?", listed.key)
        due = self._rows(
            "SELECT min(d.at) FROM url u JOIN due d ON d.lane = u.lane AND d.url = u.id WHERE u.id = ?", listed.key
        )
        packed = self._rows("SELECT packed FROM reading WHERE version = (SELECT version FROM url WHERE id = ?)",
                            listed.key)  # fmt: skip
        return Detail(
            listed=listed,
            target=target[0][0] if target else None,
            via=tuple(self._way_back(listed.key)),
            due_at=due[0][0],
            versions=tuple(self.versions(url)),
            twins=tuple(self._twins(listed)),
            reading=packed[0][0] if packed else b"",
        )

    def _way_back(self, key: int) -> Iterator[Url]:
        passed = {key}
        while len(passed) < LONGEST_WAY:
            rows = self._rows("SELECT p.id, p.url FROM url u JOIN url p ON p.id = u.via WHERE u.id = ?", key)
            if not rows or rows[0][0] in passed:
                return
            key = rows[0][0]
            passed.add(key)
            yield rows[0][1]

    def _twins(self, listed: ListedUrl) -> list[Url]:
        rows = self._rows(
            "SELECT o.url FROM url u JOIN version v ON v.id = u.version JOIN version w ON w.twins = v.twins"
            " JOIN url o ON o.version = w.id AND o.id = w.url"
            " WHERE u.id = ? AND o.id <> u.id AND o.asset = 0 AND u.asset = 0 ORDER BY o.depth, o.url",
            listed.key,
        )
        return [url for (url,) in rows]

    def versions(self, url: Url) -> list[Version]:
        """Every kept state of a URL, oldest first. An import may bring older ones later; that which counts is last."""
        last = "v.id = (SELECT u.version FROM url u WHERE u.id = v.url)"
        rows = self._rows(f"{_VERSION} WHERE v.url = ? ORDER BY {last}, v.at, v.id", key_of(url))
        return [
            Version(*(*row[:-3], tuple(filter(None, row[-3].split("\n"))), bool(row[-2]), bool(row[-1])))
            for row in rows
        ]

    def digests(self) -> Iterator[bytes]:
        """Of every body that is kept."""
        return (digest for (digest,) in self._database.execute("SELECT digest FROM version"))

    def has_private(self, url: Url) -> bool:
        """Whether some kept state of a URL was fetched with credentials."""
        return bool(self._rows("SELECT 1 FROM version WHERE url = ? AND private LIMIT 1", key_of(url)))

    def body(self, url: Url, version: Version | None = None) -> Content:
        """The kept copy as it was received: a version's own head, and the payload that its twins share with it."""
        chosen = version or next(iter(reversed(self.versions(url))), None)
        if chosen is None:
            raise NothingThere(f"no copy of {url} is kept in {self.location}")
        return self.copy(chosen.number)


def on_site(site: Site) -> tuple[str, list[object]]:
    """The SQL term that chooses a site's rows of `url u`, and its values."""
    term, values = "u.lane = (SELECT id FROM lane WHERE host = ?)", list[object]([site.host])
    if site.port:
        # "0" is the character after "/": the range holds exactly what begins with the origin and a slash.
        term += " AND (u.url >= ? AND u.url < ? OR u.url >= ? AND u.url < ?)"
        values += [f"{scheme}://{site.port}{end}" for scheme in ("http", "https") for end in "/0"]
    return term, values


def _listed(row: Any) -> ListedUrl:
    return ListedUrl(*(*row[:-2], bool(row[-2]), bool(row[-1])))


def _limit(selection: Selection) -> int:
    return -1 if selection.limit is None else selection.limit


def _found_in(pattern: str, text: str) -> bool:
    return re.search(pattern, text) is not None
