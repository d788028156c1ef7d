"""`whimbrel upgrade`."""

import json
from pathlib import Path

import click

from whimbrel.cli import exits, options

EPILOG = f"""\b
Examples:
  whimbrel upgrade
  whimbrel upgrade --repo my-folder --json

{exits.LIST}"""


@click.command(epilog=EPILOG)
@options.repo
@options.as_json
def command(repo: Path | None, as_json: bool) -> int:
    """Bring a folder to this release's format.

    The database is copied beside itself before each step, as crawl.sqlite.before-N; remove the copies when you are
    content. A folder that is up to date is left as it is.
    """
    from whimbrel.cli.folder import folder_of
    from whimbrel.repository.engines import newest_format, upgrade

    folder = folder_of(repo)
    steps, newest = upgrade(folder), newest_format(folder)
    if as_json:
        said = [{"before": step.before, "after": step.after, "copy": step.copy} for step in steps]
        click.echo(json.dumps({"repo": str(folder), "format": newest, "steps": said}))
        return exits.OK
    for step in steps:
        click.echo(f"format {step.before} became {step.after}; the state before is kept in {step.copy}")
    if not steps:
        click.echo(f"{folder} has format {newest}, this release's own: nothing to do")
    return exits.OK
