"""`whimbrel import`."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, options
from whimbrel.cli.folder import many
from whimbrel.cli.lines import say
from whimbrel.cli.words import harmless

if TYPE_CHECKING:
    from whimbrel.config import Settings
    from whimbrel.exchange.imports import Imported, Importer, ImportLimits
    from whimbrel.repository.port.writer import Writer

SHOWN_FAULTS = 100

EPILOG = f"""\b
Examples:
  whimbrel import old-crawl.warc.gz
  whimbrel import docs.wacz pages.jsonl --repo my-folder
  whimbrel import docs.wacz --follow && whimbrel crawl https://docs.example.org
\b
Formats, told apart by how a file begins:
  WARC   plain or compressed, from any program
  WACZ   the WARC files in it
  JSONL  one object a line: url, text or html, perhaps title, fetched_at, depth
  CSV    the same as columns, which the first row names

{exits.LIST}"""


@click.command(epilog=EPILOG)
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path, exists=True, dir_okay=False)
)
@click.option("--follow", is_flag=True, help="Queue what the pages link to on their own hosts, for the next crawl.")
@click.option("--limit", type=click.IntRange(0), metavar="N", help="Keep at most N pages in the folder, in all.")
@click.option("--assets", is_flag=True, help="Take images and style sheets in as well.")
@options.config
@options.repo
@options.as_json
def command(
    files: tuple[Path, ...],
    follow: bool,
    limit: int | None,
    assets: bool,
    config: Path | None,
    repo: Path | None,
    as_json: bool,
) -> int:
    """Take archives and tables of pages in, as if a crawl had fetched them.

    Nothing is fetched. What the folder already has stays as it is, so an import that was cut off is simply run again.
    Records that cannot be used are named on standard error and passed over; the exit code is 1 when none could be used.
    """
    from whimbrel.config import load
    from whimbrel.exchange.imports import Importer
    from whimbrel.repository.engines import open_writer

    flags: dict[str, object] = {"crawl.limit": limit} if limit is not None else {}
    settings = load(config, os.environ, flags | ({"crawl.assets": True} if assets else {}))
    store = open_writer(repo or Path(settings.repository.path), rollover_bytes=settings.repository.warc_file_bytes)
    try:
        limits = _limits(settings, store.recall("order"))
        importer = Importer(store, limits, time.time)
        try:
            faults = list(_take_all(importer, files))
        finally:
            importer.close()
        queued = _follow(store, limits, importer) if follow else 0
    finally:
        store.close()
    _close(importer.imported, faults, queued, as_json)
    return exits.OK if importer.imported.good else exits.FAILED


def _limits(settings: "Settings", order: object) -> "ImportLimits":
    from whimbrel.api import accepted_types, patience_for
    from whimbrel.exchange.imports import ImportLimits
    from whimbrel.flows.gather.deciding import Terms
    from whimbrel.frontier.order import Order

    crawl = settings.crawl
    return ImportLimits(
        Terms(crawl.limit, None, Order(order) if isinstance(order, str) else Order(crawl.order)),
        settings.fetch.max_size_bytes,
        accepted_types(crawl.types),
        crawl.assets,
        patience=patience_for(settings),
    )


def _take_all(importer: "Importer", files: tuple[Path, ...]) -> Iterator[dict[str, str]]:
    """The faults that the summary names; all of them are said at once."""
    for path in files:
        for fault in importer.take_file(path):
            click.echo(harmless(f"whimbrel: {path}: {fault.position}: {fault.why}"), err=True)
            if importer.imported.faults <= SHOWN_FAULTS:
                yield {"file": str(path), "position": fault.position, "why": fault.why}


def _follow(store: "Writer", limits: "ImportLimits", importer: "Importer") -> int:
    from whimbrel.exchange.follow import follow

    return follow(store, limits.terms.order, importer.authorities, time.time())


def _close(imported: "Imported", faults: list[dict[str, str]], queued: int, as_json: bool) -> None:
    if as_json:
        said = {
            "outcomes": dict(imported.outcomes),
            "versions": imported.versions,
            "already": imported.already,
            "passed_over": dict(imported.passed_over),
            "queued": queued,
            "bad": imported.faults,
            "faults": faults,
        }
        click.echo(json.dumps(said))
        return
    taken = ", ".join(f"{count} {outcome}" for outcome, count in sorted(imported.outcomes.items()))
    further = f"{imported.versions} further versions of pages; " if imported.versions else ""
    click.echo(f"taken in: {taken or 'nothing'}; {further}{imported.already} already there; {imported.faults} bad")
    for why, count in sorted(imported.passed_over.items()):
        click.echo(f"passed over ({why}): {count}")
    if queued:
        say(f"{many(queued, 'link')} queued; `whimbrel crawl URL` goes on from there")
