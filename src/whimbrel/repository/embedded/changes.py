"""What changed in a folder since some moment, for readers."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from whimbrel.records.url import Url
from whimbrel.repository.embedded.past import SITEMAP
from whimbrel.repository.embedded.reader import Reader, on_site
from whimbrel.repository.views import Site

TOLD = """
    SELECT c.at, c.what, u.url, coalesce(v.title, ''), c.kinds, c.amount, c.before, c.after, t.url, c.details, u.reason
    FROM change c JOIN url u ON u.id = c.url LEFT JOIN url t ON t.id = c.target
    LEFT JOIN version v ON v.id = coalesce(c.after, u.version)"""
# When a host was first seen to differ: what was known of it by then is how it was found, and no news.
_LATER = f"""
    SELECT lane, min(at) AS at FROM (
      SELECT u.lane, c.at FROM change c JOIN url u ON u.id = c.url
      UNION ALL SELECT u.lane, v.at FROM url u JOIN version v ON v.url = u.id WHERE u.asset = {SITEMAP}
      AND EXISTS (SELECT 1 FROM version w WHERE w.url = v.url AND w.id < v.id)
    ) GROUP BY lane"""
# The first version may have been thinned away: then a change tells that there was one before.
NEW = f"""
    SELECT v.at, iif(u.found_at < coalesce(l.at, 1e99), 'first', 'new') AS what, u.url, v.title, '', 0.0, NULL, v.id,
    NULL, x'', ''
    FROM version v JOIN url u ON u.id = v.url LEFT JOIN ({_LATER}) l ON l.lane = u.lane
    WHERE v.at >= ? AND u.asset = 0 AND (u.outcome <> 'duplicate' OR u.found_at >= l.at)
    AND NOT EXISTS (SELECT 1 FROM version w WHERE w.url = v.url AND w.id < v.id)
    AND NOT EXISTS (SELECT 1 FROM change c WHERE c.url = v.url AND c.before < v.id)"""


class Told(Struct, frozen=True):
    """One change. `what` is new, changed, moved, gone or restored, or first for a page that was there when its host was
    crawled for the first time; `target` is where a moved page went; `details` are packed spots; versions are numbers,
    None where there is none."""

    at: float
    what: str
    url: Url
    title: str
    kinds: str
    amount: float
    before: int | None
    after: int | None
    target: Url | None
    details: bytes
    reason: str


class DeadLinks(Struct, frozen=True):
    """What the links of a folder lead to besides pages: nothing any more, error pages, copies of other pages."""

    dead: int
    soft: int
    blank: int
    redundant: int


class Changes(Reader):
    """A reader that also knows what changed."""

    def __enter__(self) -> "Changes":
        return self

    def since(self, at: float, site: Site | None = None) -> Iterator[Told]:
        """Everything that happened from that moment on, in order. A page kept for the first time is new, or first."""
        term, values = on_site(site) if site is not None else ("true", [])
        query = f"SELECT * FROM ({TOLD} WHERE c.at >= ? AND {term} UNION ALL {NEW} AND {term}) ORDER BY 1, 3"
        for row in self._database.execute(query, [at, *values, at, *values]):
            yield Told(*row)

    def lately(self, since: float, most: int) -> list[Told]:
        """The latest pages that came, moved, went or came back from that moment on, the latest first."""
        term = "c.at >= ? AND c.what IN ('moved', 'gone', 'restored') AND u.asset = 0 ORDER BY c.at DESC LIMIT ?"
        told = [Told(*row) for row in self._database.execute(f"{TOLD} WHERE {term}", (since, most))]
        return sorted([*told, *self._came(since, most)], key=lambda one: -one.at)[:most]

    def _came(self, since: float, most: int) -> Iterator[Told]:
        """Numbers of versions grow with time, so that those of a long first crawl need not be looked at."""
        began = self._database.execute(f"SELECT min(at) FROM ({_LATER})").fetchone()[0]
        if began is None:
            return
        last = "SELECT id FROM version WHERE at < ? ORDER BY id DESC LIMIT 1"
        query = f"SELECT * FROM ({NEW} AND v.id > coalesce(({last}), 0)) WHERE what = 'new' ORDER BY 1 DESC LIMIT ?"
        yield from (Told(*row) for row in self._database.execute(query, (since, began, most)))

    def changed_at(self, site: Site) -> Iterator[tuple[Url, float]]:
        """Every page of a site that is here, and when it last really changed."""
        term, values = on_site(site)
        rows: Any = self._database.execute(
            "SELECT u.url, coalesce((SELECT max(c.at) FROM change c WHERE c.url = u.id"
            " AND c.what IN ('changed', 'restored')), (SELECT min(v.at) FROM version v WHERE v.url = u.id))"
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
            f"SELECT url, reason FROM url WHERE asset = {SITEMAP} AND visited_at >= ? AND reason <> ''"
            " AND rule NOT IN ('http_404', 'http_410') ORDER BY url",
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
