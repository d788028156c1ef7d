"""`whimbrel export`."""

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click
from msgspec.structs import replace

from whimbrel.cli import exits, options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whimbrel.exchange.export import ExportCount, ExportWanted
    from whimbrel.repository.port.reader import Reader

ARCHIVES = ("warc", "wacz")
KEPT = ("fetched", "unchanged")

EPILOG = f"""\b
Examples:
  whimbrel export > pages.jsonl
  whimbrel export --format csv --output pages.csv --site docs.example.org
  whimbrel export --format wacz --output docs.wacz
  whimbrel export --since '7 days' --no-near-twins --main-text --output news.jsonl
  whimbrel export --has Product --data --output products.jsonl
  whimbrel export --like https://shop.example.org/item/1 --fields --format csv --output items.csv
  whimbrel export | jq -r 'select(.duplicate_of == null) | .url'
\b
Formats:
  jsonl     one JSON object a page: url, final_url, status, title, text, digest, fetched_at, links, language,
            content_type, depth; twins carry duplicate_of and reason as well, documents
            that cannot be read carry unread: why
  csv       the same as columns; cells that a spreadsheet would compute begin with an apostrophe
  parquet   the same as typed columns (installs pyarrow on first use)
  markdown  a folder with one file a page, its main part, without twins
  llms-txt  one file that leads a language model to the pages, by site and folder
  zim       one file for Kiwix, its main parts to read offline (by zimwriterfs, of Debian's zim-tools)
  warc      the kept records as they are, in one .warc.gz
  wacz      the same with an index and a list of pages, for replay tools

{exits.LIST}"""


@click.command(epilog=EPILOG)
@click.option(
    "--format", "format_name", default="jsonl", metavar="NAME", help="The format; see below.  [default: jsonl]"
)
@click.option("--output", default="-", metavar="PATH|-", help="File to write; there when complete.  [default: -]")
@click.option("--force", is_flag=True, help="Replace the file at --output, whoever wrote it.")
@click.option("--site", metavar="HOST", help="Only this host's pages.")
@click.option("--match", metavar="RE", help="Only URLs in which this regular expression is found.")
@click.option("--since", metavar="TIME", help="Only pages that are new or changed since: 2026-03-01, '3 days', 12h.")
@click.option("--no-near-twins", is_flag=True, help="Without twins and pages that say nearly the same as another.")
@click.option("--has", "has", default="", metavar="TYPE", help="Only pages that describe such a thing for machines.")
@click.option("--like", "likes", multiple=True, metavar="URL", help="Only pages of the kind that this one shows.")
@click.option("--fields", is_flag=True, help="With --like: a table of what those pages differ in, named by its labels.")
@click.option("--data", is_flag=True, help="Add data: JSON-LD, microdata, RDFa, OpenGraph (slower: reads the copies).")
@click.option("--main-text", is_flag=True, help="Add main_text, the text without menus (slower: reads the copies).")
@click.option("--private", is_flag=True, help="Also pages that were fetched with credentials.")
@options.repo
@options.as_json
def command(
    format_name: str,
    output: str,
    force: bool,
    site: str | None,
    match: str | None,
    since: str | None,
    no_near_twins: bool,
    has: str,
    likes: tuple[str, ...],
    fields: bool,
    data: bool,
    main_text: bool,
    private: bool,
    repo: Path | None,
    as_json: bool,
) -> int:
    """Write the pages out for other tools, twins included, nearest to a seed first.

    Works while a crawl is running: what is written is one moment of the folder. Only jsonl, csv and llms-txt go to
    standard output. A file that an earlier export of the folder left at --output is replaced; any other file only
    with --force. --json closes with a summary, on standard error where the pages themselves go to standard
    output.
    """
    from whimbrel.cli.choosing import matching, not_near_twins, pages_like, since_when
    from whimbrel.cli.folder import folder_of, site_named
    from whimbrel.exchange.export import ExportWanted, Into, UnknownFormat, format_of
    from whimbrel.repository.engines import open_reader
    from whimbrel.repository.views import Selection

    try:
        into = format_of(format_name).into
    except UnknownFormat as error:
        raise click.UsageError(str(error)) from error
    if output == "-" and into is not Into.STREAM:
        what = "a folder" if into is Into.FOLDER else "a file"
        raise click.UsageError(f"{format_name} needs {what} to write to: name one with --output.")
    chosen = {"--match": match, "--since": since, "--no-near-twins": no_near_twins, "--has": has, "--like": likes}
    _refuse(format_name, fields, chosen)
    now = time.time()
    folder = folder_of(repo)
    outcomes = KEPT if no_near_twins else ()
    selection = Selection(outcomes=outcomes, site=site_named(site), match=matching(match), private=private)
    wanted = ExportWanted(selection, main_text, now, data, has, since_when(since, now))
    with open_reader(folder) as reader:
        if format_name == "parquet":
            _need_arrow()
        wanted = replace(wanted, only=pages_like(reader, likes, selection))
        if no_near_twins:
            wanted = replace(wanted, without=not_near_twins(folder))
        count = _write(format_name, reader, wanted, output, force, fields=fields)
        left_out = 0 if private else reader.overview().private
    _close(count, format_name, output, as_json)
    if left_out and not as_json:
        _say_private(left_out)
    return exits.OK


def _say_private(pages: int) -> None:
    from whimbrel.cli.folder import many

    verb = "is" if pages == 1 else "are"
    said = f"{many(pages, 'page')} of this folder {verb} private (fetched with credentials) and left out"
    click.echo(f"{said}; --private takes private pages along", err=True)


def _refuse(name: str, fields: bool, chosen: "Mapping[str, object]") -> None:
    from whimbrel.exchange.field_tables import WRITERS

    given = [flag for flag, value in chosen.items() if value]
    if name in ARCHIVES and given:
        raise click.UsageError(f"{given[0]} chooses pages, and {name} holds the archive as it is. Leave it out.")
    if fields and not chosen["--like"]:
        raise click.UsageError("--fields needs to know which kind of page: name one with --like URL.")
    if fields and name not in WRITERS:
        raise click.UsageError(f"--fields gives a table, which {name} is not. The formats are: {', '.join(WRITERS)}.")


def _need_arrow() -> None:
    from whimbrel.exchange.extras import MissingExtra, need

    try:
        need("parquet")
    except MissingExtra as error:
        raise click.ClickException(str(error)) from error


def _write(
    name: str, reader: "Reader", wanted: "ExportWanted", output: str, force: bool, *, fields: bool
) -> "ExportCount":
    from whimbrel.exchange import export as plainly
    from whimbrel.exchange.export import Into, export_folder, format_of, spared, whole_file, whole_folder
    from whimbrel.exchange.extras import MissingExtra
    from whimbrel.exchange.field_tables import TooFewOfAKind, write_fields
    from whimbrel.exchange.ledger import ExportLedger

    def export(out: BinaryIO) -> "ExportCount":
        try:
            return (write_fields if fields else plainly.export)(name, reader, wanted, out)
        except (TooFewOfAKind, MissingExtra) as error:
            raise click.ClickException(str(error)) from error

    if output == "-":
        count = export(sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return count
    if format_of(name).into is Into.FOLDER:
        with whole_folder(Path(output)) as folder:
            return export_folder(name, reader, wanted, folder)
    path = Path(output)
    spared(path, reader.location.beside, force=force)
    with whole_file(path) as out:
        count = export(out)
    ExportLedger(reader.location.beside).note(path)
    return count


def _close(count: "ExportCount", format_name: str, output: str, as_json: bool) -> None:
    from whimbrel.cli.folder import many

    archive = format_name in ARCHIVES
    if as_json:
        what = {"documents": count.documents} if archive else {"pages": count.pages, "twins": count.twins}
        click.echo(json.dumps({"format": format_name, "output": output, **what}), err=output == "-")
    elif output != "-":
        twins = f" and {many(count.twins, 'twin')}" if count.twins else ""
        what_words = many(count.documents, "document") if archive else f"{many(count.pages, 'page')}{twins}"
        click.echo(f"{what_words} written to {output}")
