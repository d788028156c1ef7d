"""What an owner gets for letting migrants in: a sitemap with true dates, a feed of changes, links that lead nowhere;
written beside the place's own files, for the owner to link or copy to where the server shows them."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5
from xml.sax.saxutils import escape, quoteattr

from whimbrel.fetch.site_watch import PageMoved
from whimbrel.flows.telling.saying import moment
from whimbrel.places.at.dead_links import dead_lines
from whimbrel.records.url import Url
from whimbrel.urls.normal import host as host_of
from whimbrel.urls.normal import origin

FOLDER = "gifts"
SITEMAP, FEED, DEAD_LINKS = "sitemap.xml", "changes.atom", "dead-links.txt"
MOST_URLS = 50_000
"""Of one sitemap file, by its standard (sitemaps.org); what is beyond is told in the next ones, named by an index."""
MOST_ENTRIES = 100
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_NAMES = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def write_gifts(
    folder: Path, pages: Iterable[PageMoved], changes: Iterable[PageMoved], dead: Mapping[str, list[Url]] = {}
) -> list[Path]:
    """One folder a host; what was there before is replaced at once, or not at all."""
    listed, told = by_host(pages), by_host(changes)
    written = []
    for host, held in listed.items():
        below = folder / FOLDER / host.replace(":", "_")
        below.mkdir(parents=True, exist_ok=True)
        theirs = {url: holders for url, among in dead.items() if (holders := _of_host(among, host))}
        files = {**sitemaps(held), FEED: feed(origin(held[0].url), told.get(host, [])), DEAD_LINKS: dead_lines(theirs)}
        for name, text in files.items():
            written.append(_write(below / name, text))
    return written


def _of_host(pages: list[Url], host: str) -> list[Url]:
    return [page for page in pages if host_of(page) == host]


def by_host(pages: Iterable[PageMoved]) -> dict[str, list[PageMoved]]:
    hosts: dict[str, list[PageMoved]] = {}
    for page in pages:
        hosts.setdefault(host_of(page.url), []).append(page)
    return hosts


def sitemaps(pages: list[PageMoved], most: int = MOST_URLS) -> dict[str, str]:
    """The files by name: one, or as many as are needed and an index of them."""
    parts = [pages[start : start + most] for start in range(0, len(pages), most)]
    if len(parts) == 1:
        return {SITEMAP: _urlset(parts[0])}
    names = [f"sitemap-{number}.xml" for number in range(1, len(parts) + 1)]
    rows = "".join(
        f"<sitemap><loc>{escape(origin(part[0].url))}/{name}</loc>"
        f"<lastmod>{moment(max(page.at for page in part))}</lastmod></sitemap>\n"
        for name, part in zip(names, parts, strict=True)
    )
    index = f"{_HEAD}<sitemapindex {_NAMES}>\n{rows}</sitemapindex>\n"
    return {**dict(zip(names, map(_urlset, parts), strict=True)), SITEMAP: index}


def _urlset(pages: list[PageMoved]) -> str:
    rows = "".join(f"<url><loc>{escape(page.url)}</loc><lastmod>{moment(page.at)}</lastmod></url>\n" for page in pages)
    return f"{_HEAD}<urlset {_NAMES}>\n{rows}</urlset>\n"


def feed(site: str, changes: list[PageMoved]) -> str:
    """Atom (RFC 4287), the newest first."""
    newest = sorted(changes, key=lambda change: -change.at)[:MOST_ENTRIES]
    updated = moment(newest[0].at if newest else 0.0)
    name = escape(site.partition("//")[2])
    head = (
        f'{_HEAD}<feed xmlns="http://www.w3.org/2005/Atom">\n<title>Changes of {name}</title>\n'
        f"<id>{uuid5(NAMESPACE_URL, site).urn}</id><updated>{updated}</updated><author><name>{name}</name></author>\n"
    )
    return head + "".join(map(_entry, newest)) + "</feed>\n"


def _entry(change: PageMoved) -> str:
    verb = "Gone" if change.gone else "Changed"
    name = uuid5(NAMESPACE_URL, f"{change.url} {change.at}").urn
    return (
        f"<entry><title>{verb}: {escape(change.url)}</title><id>{name}</id><updated>{moment(change.at)}</updated>"
        f"<link href={quoteattr(change.url)}/></entry>\n"
    )


def _write(path: Path, text: str) -> Path:
    part = path.with_name(f"{path.name}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
    return path
