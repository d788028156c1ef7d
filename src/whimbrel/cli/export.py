"""`whimbrel export`."""

import json
import sys
from pathlib import Path

import click

from whimbrel.cli import exits, options

EPILOG = f"""\b
Examples:
  whimbrel export > pages.jsonl
  whimbrel export --output pages.jsonl --site docs.example.org
  whimbrel export | jq -r 'select(.duplicate_of == null) | .url'
\b
Formats:
  jsonl  one JSON object a page: url, final_url, status, title, text, digest, fetched_at, links, language,
         content_type, depth; twins carry duplicate_of and reason as well

{exits.LIST}"""


@click.command(epilog=EPILOG)
@click.option("--format", "format_name", default="jsonl", metavar="NAME", help="How.  [default: jsonl]")
@click.option("--output", default="-", metavar="FILE|-", help="Where to; it appears when complete.  [default: -]")
@click.option("--site", metavar="HOST", help="Only this host's pages.")
@click.option("--main-text", is_flag=True, help="Add main_text, the text without menus (slower: reads the copies).")
@options.repo
@options.as_json
def command(format_name: str, output: str, site: str | None, main_text: bool, repo: Path | None, as_json: bool) -> int:
    """Write the pages out for other tools, twins included, nearest to a seed first.

    Works while a crawl is running: what is written is one moment of the folder. --json closes with a summary, on
    standard error where the pages themselves go to standard output.
    """
    from whimbrel.cli.folder import folder_of, site_named
    from whimbrel.exchange.export import UnknownFormat, Wanted, export, format_of, whole_file
    from whimbrel.repository.embedded.reader import Reader
    from whimbrel.repository.views import Selection

    try:
        format_of(format_name)
    except UnknownFormat as error:
        raise click.UsageError(str(error)) from error
    wanted = Wanted(Selection(site=site_named(site)), main_text)
    with Reader(folder_of(repo)) as reader:
        if output == "-":
            count = export(format_name, reader, wanted, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        else:
            with whole_file(Path(output)) as out:
                count = export(format_name, reader, wanted, out)
    _close(count, format_name, output, as_json)
    return exits.OK


def _close(count: int, format_name: str, output: str, as_json: bool) -> None:
    if as_json:
        said = {"format": format_name, "output": output, "pages": count}
        click.echo(json.dumps(said), err=output == "-")
    elif output != "-":
        click.echo(f"{count} pages written to {output}")
