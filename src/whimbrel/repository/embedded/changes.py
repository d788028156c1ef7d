"""What changed in a folder since some moment, for readers."""

from collections.abc import Collection, Iterator
from typing import Any

from whimbrel.records.role import Role
from whimbrel.records.url import Url
from whimbrel.repository.among import among
from whimbrel.repository.contract import Visited
from whimbrel.repository.embedded.followed import Followed
from whimbrel.repository.embedded.past import CANDIDATE, HERE, WORTH_ASKING
from whimbrel.repository.embedded.reader import on_site
from whimbrel.repository.views import Absent, DeadLinks, Reached, Site, Told

# A picture is told beside a state of its page that may be gone by now: what the page is called is known all the same.
TOLD = """
    SELECT c.at, c.what, u.url, coalesce(v.title, h.title, ''), c.kinds, c.amount, c.before, c.after, t.url, c.details,
      u.reason, c.degree, c.told
    FROM change c JOIN url u ON u.id = c.url LEFT JOIN url t ON t.id = c.target
    LEFT JOIN version v ON v.id = c.after LEFT JOIN version h ON h.id = u.version"""
# Imports bring the past after the present, so the first version is told by its date. It may have been thinned away:
# then a change tells that there was one before.
NEW = """
    SELECT v.at, iif(u.news = 1, 'new', 'first') AS what, u.url, v.title, '', 0.0, NULL, v.id, NULL, x'', '', '', 1
    FROM version v JOIN url u ON u.id = v.url
    WHERE v.at >= ? AND u.asset = 0 AND (u.outcome <> 'duplicate' OR u.news = 1)
    AND NOT EXISTS (SELECT 1 FROM version w WHERE w.url = v.url AND (w.at, w.id) < (v.at, v.id))
    AND NOT EXISTS (SELECT 1 FROM change c WHERE c.url = v.url AND c.before <> v.id AND c.at <= v.at)"""


class Tellings(Followed):
    """A reader that also knows what changed."""

    def candidates(self, most: int | None = None) -> Iterator[Visited]:
        """URLs whose visit could tell something new, by their keys: the first ones are as good as drawn by lot."""
        query = f"{CANDIDATE} WHERE {WORTH_ASKING} ORDER BY u.id LIMIT ?"
        for row in self._database.execute(query, (-1 if most is None else most,)):
            yield Visited(*row)

    def candidates_among(self, keys: Collection[int]) -> list[Visited]:
        query = f"{CANDIDATE} WHERE {WORTH_ASKING} AND u.id IN"
        return [Visited(*row) for row in among(self._database, query, keys)]

    def reached(self) -> Iterator[Reached]:
        """Every page that is here."""
        hosts = dict(self._rows("SELECT id, host FROM lane"))
        rows = self._database.execute(
            "SELECT u.id, u.lane, u.outcome <> 'duplicate', l.url IS NOT NULL, u.depth, u.occurrences"
            " FROM url u LEFT JOIN listed l ON l.url = u.id"
            f" WHERE u.asset = 0 AND u.version IS NOT NULL AND u.outcome IN {HERE}"
        )
        for key, lane, kept, listed, depth, met in rows:
            yield Reached(key, hosts[lane], kept, listed, depth, met)

    def witnesses(self, name: str) -> dict[int, bytes]:
        """What was learned of one kind of signal, by lane."""
        return dict(self._rows("SELECT lane, record FROM witness WHERE name = ?", name))

    def since(self, at: float, site: Site | None = None, *, unread: bool = False) -> Iterator[Told]:
        """Everything that happened from that moment on, in order. A page kept for the first time is new, or first.
        Changes of what nobody reads come only with `unread`."""
        term, values = on_site(site) if site is not None else ("true", [])
        told = f"{TOLD} WHERE c.at >= ? AND c.told >= ? AND {term}"
        query = f"SELECT * FROM ({told} UNION ALL {NEW} AND {term}) ORDER BY 1, 3"
        for row in self._database.execute(query, [at, not unread, *values, at, *values]):
            yield Told(*row)

    def absent(self, site: Site | None = None) -> list[Absent]:
        """Pages that may be gone, those that are asked for first in front."""
        term, values = on_site(site) if site is not None else ("true", [])
        return [
            Absent(*row)
            for row in self._rows(
                "SELECT u.url, v.title, u.reason, r.absence, d.at FROM revisit r JOIN url u ON u.id = r.url"
                " JOIN version v ON v.id = u.version"
                " LEFT JOIN (SELECT url, max(at) AS at FROM due WHERE at > 0 GROUP BY url) d ON d.url = u.id"
                " WHERE r.absence <> x'' AND u.asset = 0 AND u.outcome IN ('fetched', 'unchanged', 'duplicate')"
                f" AND {term} ORDER BY coalesce(d.at, 1e99), u.url",
                *values,
            )
        ]

    def changed_at(self, site: Site) -> Iterator[tuple[Url, float]]:
        """Every page of a site that is here, and when it last really changed."""
        term, values = on_site(site)
        rows: Any = self._database.execute(
            "SELECT u.url, coalesce((SELECT max(c.at) FROM change c WHERE c.url = u.id"
            " AND c.told AND c.what IN ('changed', 'restored')), (SELECT min(v.at) FROM version v WHERE v.url = u.id))"
            f" FROM url u WHERE {term} AND u.asset = 0 AND u.outcome IN ('fetched', 'unchanged') ORDER BY u.url",
            values,
        )
        yield from rows

    def listed(self) -> set[Url]:
        """The URLs that sitemaps list."""
        return {url for (url,) in self._rows("SELECT u.url FROM listed l JOIN url u ON u.id = l.url")}

    def sitemap_notes(self, since: float) -> list[tuple[Url, str]]:
        """The sitemaps visited since then that were not taken whole, and why."""
        return self._rows(
            f"SELECT url, reason FROM url WHERE asset = {Role.SITEMAP} AND visited_at >= ? AND reason <> ''"
            " AND outcome <> 'redirected' AND rule NOT IN ('http_404', 'http_410', 'usual_place') ORDER BY url",
            since,
        )

    def dead_links(self) -> DeadLinks:
        """Dead: gone or never there. Soft: error pages that answer 200. Blank: pages without a word. Redundant:
        addresses of which another shows the same."""
        row = self._rows(
            "SELECT coalesce(sum(u.outcome = 'gone' AND u.rule <> 'soft_404' OR u.rule IN ('http_404', 'http_410',"
            " 'missing') AND u.outcome = 'failed'), 0), coalesce(sum(u.rule = 'soft_404'), 0),"
            " coalesce(sum(u.outcome IN ('fetched', 'unchanged') AND v.size = 0), 0),"
            " coalesce(sum(u.outcome IN ('duplicate', 'redirected')), 0)"
            " FROM url u LEFT JOIN version v ON v.id = u.version WHERE u.asset = 0"
        )[0]
        return DeadLinks(*row)
