"""What changed in a folder since some moment, for readers."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from whimbrel.records.url import Url
from whimbrel.repository.embedded.past import SITEMAP
from whimbrel.repository.embedded.reader import Reader, on_site
from whimbrel.repository.views import Site

_TOLD = """
    SELECT c.at, c.what, u.url, coalesce(v.title, ''), c.kinds, c.amount, c.before, c.after, t.url, c.details, u.reason
    FROM change c JOIN url u ON u.id = c.url LEFT JOIN url t ON t.id = c.target
    LEFT JOIN version v ON v.id = coalesce(c.after, u.version)"""
# The first version may have been thinned away: then a change tells that there was one before.
_NEW = f"""
    SELECT v.at, 'new', u.url, v.title, '', 0.0, NULL, v.id, NULL, x'', ''
    FROM version v JOIN url u ON u.id = v.url
    WHERE v.at >= ? AND u.asset < {SITEMAP}
    AND NOT EXISTS (SELECT 1 FROM version w WHERE w.url = v.url AND w.id < v.id)
    AND NOT EXISTS (SELECT 1 FROM change c WHERE c.url = v.url AND c.before < v.id)"""


class Told(Struct, frozen=True):
    """One change. `what` is new, changed, moved, gone or restored; `target` is where a moved page went; `details` are
    packed spots; versions are numbers, None where there is none."""

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
        """Everything that happened from that moment on, in order. A page kept for the first time is new."""
        term, values = on_site(site) if site is not None else ("true", [])
        query = f"SELECT * FROM ({_TOLD} WHERE c.at >= ? AND {term} UNION ALL {_NEW} AND {term}) ORDER BY 1, 3"
        for row in self._database.execute(query, [at, *values, at, *values]):
            yield Told(*row)

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
