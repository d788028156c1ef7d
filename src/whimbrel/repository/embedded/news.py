"""What is new in a folder, the newest first, however much there is: rows are read as they are asked for."""

from collections.abc import Collection, Iterable, Iterator
from heapq import merge
from itertools import islice

from whimbrel.records.url import Url
from whimbrel.repository.among import among, marks
from whimbrel.repository.embedded.changes import NEW, TOLD, Tellings
from whimbrel.repository.embedded.reader import on_site
from whimbrel.repository.views import Site, Told
from whimbrel.urls.normal import key as key_of

# Of the files that pages are shown with only pictures are news to a reader.
_READ = "(u.asset = 0 OR v.mime LIKE 'image/%')"

_FEW = 10_000
"""New pages that are looked up one by one and sorted."""

BATCH = 500
"""Changes that are held in memory at a time."""


class News(Tellings):
    """A reader that goes from the newest change back."""

    def batches(
        self, since: float, until: float, site: Site | None = None, *, firsts: bool = False, unread: bool = False
    ) -> Iterator[list[Told]]:
        """Everything, what first crawls found and what nobody reads only where asked for; some hundred at a time, in
        order within each."""
        newest = self._newest(since, until, site, firsts, unread)
        while batch := list(islice(newest, BATCH)):
            yield sorted(batch, key=lambda told: (-told.at, told.url))

    def _newest(self, since: float, until: float, site: Site | None, firsts: bool, unread: bool) -> Iterator[Told]:
        term, values = on_site(site) if site is not None else ("true", [])
        changed = self._database.execute(
            f"{TOLD} WHERE c.at >= ? AND c.at < ? AND c.told >= ? AND {_READ} AND {term}"
            " ORDER BY c.at DESC, c.seq DESC",
            [since, until, not unread, *values],
        )
        came = self._came(since, until, term, values, firsts)
        return merge((Told(*row) for row in changed), came, key=lambda told: -told.at)

    def _came(self, since: float, until: float, term: str, values: list[object], firsts: bool) -> Iterator[Told]:
        """Pages that are here since then: by name where they are few, else the versions are walked back by their dates,
        and only those that are asked for are looked at. Their numbers are no help: imports bring the past later."""
        few = self._rows("SELECT count(*) FROM (SELECT 1 FROM url WHERE news = 1 LIMIT ?)", _FEW + 1)[0][0] <= _FEW
        if few and not firsts:
            wanted = f"v.url IN (SELECT id FROM url WHERE news = 1) AND {term} ORDER BY v.at DESC, v.id DESC"
            yield from self._new(since, until, wanted, values)
            return
        dated = self._database.execute(
            "SELECT id FROM version WHERE at >= ? AND at < ? ORDER BY at DESC, id DESC", [since, until]
        )
        kind = "true" if firsts else "u.news = 1"
        while some := [number for (number,) in dated.fetchmany(BATCH)]:
            wanted = f"{kind} AND {term} AND v.id IN {marks(some)} ORDER BY v.at DESC, v.id DESC"
            yield from self._new(since, until, wanted, [*values, *some])

    def _new(self, since: float, until: float, wanted: str, values: list[object]) -> Iterator[Told]:
        for row in self._database.execute(f"{NEW} AND v.at < ? AND {wanted}", [since, until, *values]):
            yield Told(*row)

    def first_count(self, since: float, until: float, site: Site | None = None) -> int:
        """How many pages first crawls found."""
        term, values = on_site(site) if site is not None else ("true", [])
        query = f"SELECT count(*) FROM ({NEW} AND v.at < ? AND u.news = 0 AND {term})"
        return int(self._rows(query, since, until, *values)[0][0])

    def between_versions(self, url: Url, before: int, after: int) -> Told | None:
        """What was told of the change from one version to another."""
        rows = self._rows(f"{TOLD} WHERE c.url = ? AND c.before = ? AND c.after = ?", key_of(url), before, after)
        return Told(*rows[0]) if rows else None

    def habits(self, url: Url) -> bytes:
        """What on a page differs from visit to visit, packed."""
        rows = self._rows("SELECT habits FROM revisit WHERE url = ?", key_of(url))
        return bytes(rows[0][0]) if rows else b""

    def groups(self, versions: Iterable[int]) -> dict[int, bytes]:
        """The groups of twins that these versions are in: those with the same text have the same."""
        return dict(among(self._database, "SELECT id, twins FROM version WHERE id IN", versions))

    def current_readings(self, urls: Collection[Url]) -> Iterator[tuple[Url, bytes]]:
        """What was last read from these pages, packed, page by page."""
        for url in urls:
            yield from self._rows(
                "SELECT u.url, r.packed FROM url u JOIN reading r ON r.version = u.version WHERE u.id = ?", key_of(url)
            )
