"""`whimbrel export`."""

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, options

if TYPE_CHECKING:
    from whimbrel.exchange.export import Wanted
    from whimbrel.repository.embedded.reader import Reader

EPILOG = f"""\b
Examples:
  whimbrel export > pages.jsonl
  whimbrel export --format csv --output pages.csv --site docs.example.org
  whimbrel export --format wacz --output docs.wacz
  whimbrel export | jq -r 'select(.duplicate_of == null) | .url'
\b
Formats:
  jsonl     one JSON object a page: url, final_url, status, title, text, digest, fetched_at, links, language,
            content_type, depth; twins carry duplicate_of and reason as well
  csv       the same as columns; cells that a spreadsheet would compute begin with an apostrophe
  parquet   the same as typed columns (installs pyarrow on first use)
  markdown  a folder with one file a page, its main part, without twins
  warc      the kept records as they are, in one .warc.gz
  wacz      the same with an index and a list of pages, for replay tools

{exits.LIST}"""


@click.command(epilog=EPILOG)
@click.option("--format", "format_name", default="jsonl", metavar="NAME", help="How.  [default: jsonl]")
@click.option("--output", default="-", metavar="PATH|-", help="Where to; it appears when complete.  [default: -]")
@click.option("--site", metavar="HOST", help="Only this host's pages.")
@click.option("--main-text", is_flag=True, help="Add main_text, the text without menus (slower: reads the copies).")
@options.repo
@options.as_json
def command(format_name: str, output: str, site: str | None, main_text: bool, repo: Path | None, as_json: bool) -> int:
    """Write the pages out for other tools, twins included, nearest to a seed first.

    Works while a crawl is running: what is written is one moment of the folder. Only jsonl and csv go to standard
    output. --json closes with a summary, on standard error where the pages themselves go to standard output.
    """
    from whimbrel.cli.folder import folder_of, site_named
    from whimbrel.exchange.export import Into, UnknownFormat, Wanted, format_of
    from whimbrel.repository.embedded.reader import Reader
    from whimbrel.repository.views import Selection

    try:
        into = format_of(format_name).into
    except UnknownFormat as error:
        raise click.UsageError(str(error)) from error
    if output == "-" and into is not Into.STREAM:
        what = "a folder" if into is Into.FOLDER else "a file"
        raise click.UsageError(f"{format_name} needs {what} to write to: name one with --output.")
    wanted = Wanted(Selection(site=site_named(site)), main_text, time.time())
    with Reader(folder_of(repo)) as reader:
        if format_name == "parquet":
            _need_arrow()
        count = _write(format_name, reader, wanted, output)
    _close(count, format_name, output, as_json)
    return exits.OK


def _need_arrow() -> None:
    from whimbrel.exchange.extras import MissingExtra, need

    try:
        need("parquet", "pyarrow")
    except MissingExtra as error:
        raise click.ClickException(str(error)) from error


def _write(name: str, reader: "Reader", wanted: "Wanted", output: str) -> int:
    from whimbrel.exchange.export import Into, export, export_folder, format_of, whole_file, whole_folder

    if output == "-":
        count = export(name, reader, wanted, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return count
    if format_of(name).into is Into.FOLDER:
        with whole_folder(Path(output)) as folder:
            return export_folder(name, reader, wanted, folder)
    with whole_file(Path(output)) as out:
        return export(name, reader, wanted, out)


def _close(count: int, format_name: str, output: str, as_json: bool) -> None:
    if as_json:
        said = {"format": format_name, "output": output, "pages": count}
        click.echo(json.dumps(said), err=output == "-")
    elif output != "-":
        click.echo(f"{count} pages written to {output}")
