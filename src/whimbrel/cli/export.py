"""`whimbrel export`."""

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, options

if TYPE_CHECKING:
    from whimbrel.exchange.export import ExportCount, ExportWanted
    from whimbrel.repository.port.reader import Reader

EPILOG = f"""\b
Examples:
  whimbrel export > pages.jsonl
  whimbrel export --format csv --output pages.csv --site docs.example.org
  whimbrel export --format wacz --output docs.wacz
  whimbrel export | jq -r 'select(.duplicate_of == null) | .url'
\b
Formats:
  jsonl     one JSON object a page: url, final_url, status, title, text, digest, fetched_at, links, language,
            content_type, depth; twins carry duplicate_of and reason as well, documents
            that cannot be read carry unread: why
  csv       the same as columns; cells that a spreadsheet would compute begin with an apostrophe
  parquet   the same as typed columns (installs pyarrow on first use)
  markdown  a folder with one file a page, its main part, without twins
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
@click.option("--main-text", is_flag=True, help="Add main_text, the text without menus (slower: reads the copies).")
@click.option("--private", is_flag=True, help="Also pages that were fetched with credentials.")
@options.repo
@options.as_json
def command(
    format_name: str,
    output: str,
    force: bool,
    site: str | None,
    main_text: bool,
    private: bool,
    repo: Path | None,
    as_json: bool,
) -> int:
    """Write the pages out for other tools, twins included, nearest to a seed first.

    Works while a crawl is running: what is written is one moment of the folder. Only jsonl and csv go to standard
    output. A file that an earlier export of the folder left at --output is replaced; any other file only with --force.
    --json closes with a summary, on standard error where the pages themselves go to standard output.
    """
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
    wanted = ExportWanted(Selection(site=site_named(site), private=private), main_text, time.time())
    with open_reader(folder_of(repo)) as reader:
        if format_name == "parquet":
            _need_arrow()
        count = _write(format_name, reader, wanted, output, force)
    _close(count, format_name, output, as_json)
    return exits.OK


def _need_arrow() -> None:
    from whimbrel.exchange.extras import MissingExtra, need

    try:
        need("parquet")
    except MissingExtra as error:
        raise click.ClickException(str(error)) from error


def _write(name: str, reader: "Reader", wanted: "ExportWanted", output: str, force: bool) -> "ExportCount":
    from whimbrel.exchange.export import Into, export, export_folder, format_of, spared, whole_file, whole_folder
    from whimbrel.exchange.ledger import ExportLedger

    if output == "-":
        count = export(name, reader, wanted, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return count
    if format_of(name).into is Into.FOLDER:
        with whole_folder(Path(output)) as folder:
            return export_folder(name, reader, wanted, folder)
    path = Path(output)
    spared(path, reader.location.beside, force=force)
    with whole_file(path) as out:
        count = export(name, reader, wanted, out)
    ExportLedger(reader.location.beside).note(path)
    return count


def _close(count: "ExportCount", format_name: str, output: str, as_json: bool) -> None:
    from whimbrel.cli.folder import many

    archive = format_name in ("warc", "wacz")
    if as_json:
        what = {"documents": count.documents} if archive else {"pages": count.pages, "twins": count.twins}
        click.echo(json.dumps({"format": format_name, "output": output, **what}), err=output == "-")
    elif output != "-":
        twins = f" and {many(count.twins, 'twin')}" if count.twins else ""
        what_words = many(count.documents, "document") if archive else f"{many(count.pages, 'page')}{twins}"
        click.echo(f"{what_words} written to {output}")
