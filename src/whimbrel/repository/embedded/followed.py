"""What followers read of a folder: events, and pages as they stand now.

Events say which URLs to look at again; what is so is read from the tables as they stand. An event may therefore be read
twice, late, or after a newer one, and a follower ends the same.
"""

from collections.abc import Iterable

from whimbrel.records.event import EventKind
from whimbrel.records.url import Url
from whimbrel.repository.among import among
from whimbrel.repository.embedded.reader import Reader
from whimbrel.repository.views import BodyMark, Event, Grouped, Newest

_KEPT = ("fetched", "unchanged")
_GROUPED = """
    SELECT u.id, u.url, u.depth, u.outcome, u.version, v.title, v.mime, v.twins, v.canonical, s.url
    FROM url u JOIN version v ON v.id = u.version
    LEFT JOIN twins t ON t.id = v.twins LEFT JOIN url s ON s.id = t.survivor
    WHERE u.asset = 0 AND u.outcome IN ('fetched', 'unchanged', 'duplicate') AND u.id IN"""


class Followed(Reader):
    """A reader that tells followers what happened."""

    def last_event(self) -> int:
        return int(self._rows("SELECT coalesce(max(seq), 0) FROM event")[0][0])

    def events(self, after: int, most: int) -> list[Event]:
        """Oldest first."""
        rows = self._rows("SELECT seq, url, kind FROM event WHERE seq > ? ORDER BY seq LIMIT ?", after, most)
        return [Event(*row) for row in rows]

    def events_after(self, after: int) -> int:
        """How many there are."""
        return int(self._rows("SELECT count(*) FROM event WHERE seq > ?", after)[0][0])

    def urls_after(self, after: int) -> int:
        """How many URLs have events after that one."""
        return int(self._rows("SELECT count(DISTINCT url) FROM event WHERE seq > ?", after)[0][0])

    def forgot(self, after: int, last: int) -> bool:
        """Whether one of these events tells that a URL was forgotten on purpose."""
        query = "SELECT 1 FROM event WHERE seq > ? AND seq <= ? AND kind = ? LIMIT 1"
        return bool(self._rows(query, after, last, EventKind.FORGOTTEN))

    def newest(self, keys: Iterable[int]) -> dict[int, Newest]:
        """The pages and twins among these URLs; what is missing is no page, or no longer."""
        return self._states("u.asset = 0", keys)

    def pictures(self, keys: Iterable[int]) -> dict[int, Newest]:
        """The kept pictures among these URLs, whether pages are shown with them or they stand for themselves."""
        return self._states("v.mime LIKE 'image/%'", keys)

    def _states(self, which: str, keys: Iterable[int]) -> dict[int, Newest]:
        rows = among(
            self._database,
            "SELECT u.id, u.url, u.outcome, u.version, "
            " (SELECT count(*) FROM version o WHERE o.url = u.id AND NOT o.quiet), v.title,"
            " v.language, v.mime, v.at, coalesce(u.visited_at, v.at), v.last_modified, v.twins"
            " FROM url u JOIN version v ON v.id = u.version"
            f" WHERE {which} AND u.outcome IN ('fetched', 'unchanged', 'duplicate') AND u.id IN",
            keys,
        )
        return {row[0]: Newest(row[0], row[1], row[2] in _KEPT, *row[3:]) for row in rows}

    def grouped(self, keys: Iterable[int]) -> dict[int, Grouped]:
        """Those of these URLs that are pages with a kept version."""
        return {row[0]: Grouped(*row) for row in among(self._database, _GROUPED, keys)}

    def still_there(self, keys: Iterable[int]) -> set[int]:
        return {
            row[0]
            for row in among(self._database, "SELECT u.id FROM url u WHERE u.version IS NOT NULL AND u.id IN", keys)
        }

    def ways(self, keys: Iterable[int]) -> dict[int, Url]:
        """The pages on which these URLs were first found."""
        return dict(
            among(self._database, "SELECT u.id, p.url FROM url u JOIN url p ON p.id = u.via WHERE u.id IN", keys)
        )

    def redirects(self) -> dict[int, int]:
        """Every URL that redirects, and where to. No event tells of them: all URLs are read."""
        return dict(self._rows("SELECT id, target FROM url WHERE target IS NOT NULL AND outcome = 'redirected'"))

    def redirects_since(self, at: float) -> list[tuple[Url, Url, float]]:
        """From, to and when, of redirects met since then."""
        return self._rows(
            "SELECT u.url, t.url, u.visited_at FROM url u JOIN url t ON t.id = u.target"
            " WHERE u.outcome = 'redirected' AND u.visited_at >= ?",
            at,
        )

    def knows_host(self, host: str) -> bool:
        return bool(self._rows("SELECT 1 FROM lane WHERE host = ?", host))

    def readings(self, versions: Iterable[int]) -> dict[int, bytes]:
        """What was read from these versions, packed; documents have none, and some may have been thinned out."""
        return dict(among(self._database, "SELECT r.version, r.packed FROM reading r WHERE r.version IN", versions))

    def marks(self, versions: Iterable[int]) -> dict[int, BodyMark]:
        rows = among(self._database, "SELECT v.id, v.charset, v.digest FROM version v WHERE v.id IN", versions)
        return {row[0]: BodyMark(*row[1:]) for row in rows}
