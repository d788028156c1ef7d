"""`whimbrel sitemap`."""

import json
import sys
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
  whimbrel sitemap docs.example.org --output site/sitemap.xml

{exits.LIST}"""

MOST_URLS = 50_000
"""The protocol's limit for one file."""


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
    from whimbrel.repository.embedded.changes import Changes

    named = site_named(site)
    assert named is not None
    folder = folder_of(repo)
    with Changes(folder) as reader:
        pages = list(reader.changed_at(named))
    if not pages:
        raise NothingThere(f"no page of {named} is kept in {folder}. `whimbrel pages` lists what is.")
    if as_json:
        for url, at in pages:
            click.echo(json.dumps({"url": url, "lastmod": at}))
        return exits.OK
    if output is None:
        if len(pages) > MOST_URLS:
            raise click.UsageError(
                f"{number(len(pages))} pages do not fit into one sitemap; name a file: --output FILE"
            )
        sys.stdout.write(urlset(pages))
        return exits.OK
    for path, text in _files(output, pages, pages[0][0]):
        path.write_text(text, encoding="utf-8")
        click.echo(f"{path} written", err=True)
    return exits.OK


def urlset(pages: "list[tuple[Url, float]]") -> str:
    from xml.sax.saxutils import escape

    from whimbrel.flows.telling import moment

    rows = "".join(f"<url><loc>{escape(url)}</loc><lastmod>{moment(at)}</lastmod></url>\n" for url, at in pages)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'
    )


def _files(output: Path, pages: "list[tuple[Url, float]]", first: "Url") -> "list[tuple[Path, str]]":
    from xml.sax.saxutils import escape

    from whimbrel.flows.telling import moment
    from whimbrel.urls.normal import origin

    if len(pages) <= MOST_URLS:
        return [(output, urlset(pages))]
    parts, rows = [], []
    for place, start in enumerate(range(0, len(pages), MOST_URLS), 1):
        part = pages[start : start + MOST_URLS]
        path = output.with_name(f"{output.stem}-{place}{output.suffix or '.xml'}")
        parts.append((path, urlset(part)))
        newest = moment(max(at for _, at in part))
        rows.append(
            f"<sitemap><loc>{escape(f'{origin(first)}/{path.name}')}</loc><lastmod>{newest}</lastmod></sitemap>"
        )
    index = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        + "\n".join(rows)
        + "\n</sitemapindex>\n"
    )
    return [*parts, (output, index)]
