"""Changes by the order in which they were committed, for whoever has to be told of each.

Moments will not do: a visit that was made earlier may come home later. The numbers of changes and versions only grow.
"""

from whimbrel.repository.embedded.changes import NEW, TOLD, Tellings
from whimbrel.repository.embedded.reader import on_site
from whimbrel.repository.views import Position, Site, Told

MOST_VERSIONS = 5_000
"""Looked through for new pages at once."""


class Outgoing(Tellings):
    """A reader that goes through the changes once."""

    def position(self) -> Position:
        row = self._rows(
            "SELECT (SELECT coalesce(max(seq), 0) FROM change), (SELECT coalesce(max(id), 0) FROM version)"
        )
        return Position(*row[0])

    def position_before(self, at: float) -> Position:
        """Where what happened from a moment on begins."""
        end = self.position()
        change = self._rows("SELECT min(seq) FROM change WHERE at >= ?", at)[0][0]
        version = self._rows("SELECT min(id) FROM version WHERE at >= ?", at)[0][0]
        return Position(
            change - 1 if change is not None else end.change, version - 1 if version is not None else end.version
        )

    def position_after(self, done: Position, most: int) -> Position:
        """So far that no more than about `most` changes lie between."""
        end = self.position()
        return Position(min(end.change, done.change + most), min(end.version, done.version + MOST_VERSIONS))

    def told_between(self, done: Position, end: Position, site: Site | None) -> list[Told]:
        """Without the pages that were there when their host was first crawled: how it was found is no news."""
        term, values = on_site(site) if site is not None else ("true", [])
        query = (
            f"SELECT * FROM ({TOLD} WHERE c.seq > ? AND c.seq <= ? AND c.told AND {term}"
            f" UNION ALL {NEW} AND u.news = 1 AND v.id > ? AND v.id <= ? AND {term}) ORDER BY 1, 3"
        )
        arguments = [done.change, end.change, *values, 0.0, done.version, end.version, *values]
        return [Told(*row) for row in self._rows(query, *arguments)]
