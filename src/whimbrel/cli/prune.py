"""`whimbrel prune`."""

import json
import time
from pathlib import Path

import click

from whimbrel import __version__
from whimbrel.cli import exits, options
from whimbrel.cli.words import harmless, size

EPILOG = f"""\b
Examples:
  whimbrel prune --keep 5
  whimbrel prune --keep 1 --dry-run

{exits.LIST}"""


@click.command(epilog=EPILOG)
@click.option(
    "--keep", type=click.IntRange(1), required=True, metavar="N", help="Keep the newest N versions of every page."
)
@click.option("--dry-run", is_flag=True, help="Say what would go; remove nothing.")
@options.repo
@options.as_json
def command(keep: int, dry_run: bool, repo: Path | None, as_json: bool) -> int:
    """Thin old versions out, rows and archived bytes.

    The newest version of every page stays, and so does every body that another page or version shares. What the
    changes were is still told; only the old texts are gone.
    """
    from whimbrel.cli.folder import folder_of, many
    from whimbrel.repository.engines import thin

    done = thin(folder_of(repo), keep, time.time(), f"whimbrel/{__version__}", dry_run=dry_run)
    if as_json:
        said = {"versions": done.versions, "pages": done.pages, "records": done.records, "files": done.files}
        click.echo(json.dumps({"dry_run": dry_run, **said, "freed_bytes": done.freed_bytes, "notes": list(done.notes)}))
        return exits.OK
    verb = "would go" if dry_run else "gone"
    click.echo(f"{verb}: {many(done.versions, 'old version')} of {many(done.pages, 'page')}")
    if done.files:
        click.echo(f"{many(done.files, 'archive file')} written anew, {size(max(0, done.freed_bytes))} freed")
    for note in done.notes:
        click.echo(harmless(note))
    return exits.OK
