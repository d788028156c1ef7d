"""`whimbrel sitemap`."""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, options
from whimbrel.cli.words import number

if TYPE_CHECKING:
    from whimbrel.records.url import Url

EPILOG = f"""\b
Examples:
  whimbrel sitemap docs.example.org > sitemap.xml
  whimbrel sitemap docs.example.org --output sitemap.xml

{exits.LIST}"""

MOST_URLS, MOST_BYTES = 50_000, 50 << 20
"""The protocol's limits for one file (sitemaps.org)."""


_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
_FOOT = "</urlset>\n"


@click.command(epilog=EPILOG)
@click.argument("site", metavar="SITE")
@click.option("--output", "-o", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Write there; beyond 50,000 pages an index and parts beside it.")  # fmt: skip
@options.repo
@options.as_json
def command(site: str, output: Path | None, repo: Path | None, as_json: bool) -> int:
    """Write a sitemap of what is known of a site, with lastmod from real changes.

    lastmod is when a change was seen, or when the page was first kept; noise does not move it.
    """
    from whimbrel.cli.folder import folder_of, site_named
    from whimbrel.repository.contract import NothingThere
    from whimbrel.repository.engines import open_reader

    named = site_named(site)
    assert named is not None
    folder = folder_of(repo)
    with open_reader(folder) as reader:
        pages = list(reader.changed_at(named))
    if not pages:
        raise NothingThere(f"no page of {named} is kept in {folder}. `whimbrel pages` lists what is.")
    if as_json:
        for url, at in pages:
            click.echo(json.dumps({"url": url, "lastmod": at}))
        return exits.OK
    parts = list(in_parts(pages))
    if output is None:
        if len(parts) > 1:
            raise click.UsageError(
                f"{number(len(pages))} pages do not fit into one sitemap; name a file: --output FILE"
            )
        sys.stdout.write(urlset(pages))
        return exits.OK
    for path, text in _files(output, parts):
        path.write_text(text, encoding="utf-8")
        click.echo(f"{path} written", err=True)
    return exits.OK


def in_parts(
    pages: "Iterable[tuple[Url, float]]", most_urls: int = MOST_URLS, most_bytes: int = MOST_BYTES
) -> "Iterator[list[tuple[Url, float]]]":
    """As many pages in each as one file may hold."""
    part, size = list["tuple[Url, float]"](), len(_HEAD) + len(_FOOT)
    for page in pages:
        length = len(_entry(*page).encode())
        if part and (len(part) == most_urls or size + length > most_bytes):
            yield part
            part, size = [], len(_HEAD) + len(_FOOT)
        part.append(page)
        size += length
    if part:
        yield part


def urlset(pages: "list[tuple[Url, float]]") -> str:
    return f"{_HEAD}{''.join(_entry(url, at) for url, at in pages)}{_FOOT}"


def _entry(url: "Url", at: float) -> str:
    from xml.sax.saxutils import escape

    from whimbrel.flows.telling.saying import moment

    return f"<url><loc>{escape(url)}</loc><lastmod>{moment(at)}</lastmod></url>\n"


def _files(output: Path, parts: "list[list[tuple[Url, float]]]") -> "list[tuple[Path, str]]":
    from xml.sax.saxutils import escape

    from whimbrel.flows.telling.saying import moment
    from whimbrel.urls.normal import origin

    if len(parts) == 1:
        return [(output, urlset(parts[0]))]
    files, rows = [], []
    for place, part in enumerate(parts, 1):
        path = output.with_name(f"{output.stem}-{place}{output.suffix or '.xml'}")
        files.append((path, urlset(part)))
        newest = moment(max(at for _, at in part))
        loc = escape(f"{origin(parts[0][0][0])}/{path.name}")
        rows.append(f"<sitemap><loc>{loc}</loc><lastmod>{newest}</lastmod></sitemap>")
    index = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        + "\n".join(rows)
        + "\n</sitemapindex>\n"
    )
    return [*files, (output, index)]
