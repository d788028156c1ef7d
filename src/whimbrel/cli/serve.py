"""`whimbrel serve`."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, options

if TYPE_CHECKING:
    from whimbrel.web.server import Opened

EPILOG = f"""\b
Examples:
  whimbrel serve
  whimbrel serve --repo my-folder --no-open
  whimbrel serve --host 0.0.0.0 --allow-host library.example.org

{exits.LIST}"""


@click.command(epilog=EPILOG)
@options.repo
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", show_default=True, help="Where to listen.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes any free one.")
@click.option("--allow-host", "allow_hosts", multiple=True, metavar="NAME", help="A further name we go by.")
@click.option("--open/--no-open", "open_browser", default=None, help="Open a browser.  [default: on a terminal]")
@options.as_json
def command(
    repo: Path | None, host: str, port: int, allow_hosts: tuple[str, ...], open_browser: bool | None, as_json: bool
) -> int:
    """Search, read and crawl in a browser.

    Answers this machine alone. With any other --host readers have to show the folder's key, which the first start
    makes and says. A crawl may run meanwhile, and goes on when the server ends.
    """
    from whimbrel.cli.folder import folder_of
    from whimbrel.exchange.extras import MissingExtra, need

    try:
        for module in ("starlette", "uvicorn", "jinja2", "tantivy"):
            need("search", module)
    except MissingExtra as error:
        raise click.ClickException(str(error)) from error
    from whimbrel.config import load
    from whimbrel.web.server import PortTaken, run

    def ready(opened: "Opened") -> None:
        if as_json:
            said = {"address": opened.address, "repo": str(opened.folder), "locked": opened.door.locked}
            click.echo(json.dumps(said))
        else:
            _say(opened)
        if open_browser if open_browser is not None else _has_screen():
            import webbrowser

            webbrowser.open(opened.address)

    try:
        names = tuple(name.lower() for name in allow_hosts)
        run(folder_of(repo), host, port, allow_hosts=names, ready=ready, search=load(None, os.environ, {}).search)
    except PortTaken as error:
        raise click.UsageError(str(error)) from error
    return exits.OK


def _say(opened: "Opened") -> None:
    click.echo(f"{opened.folder} is served at {opened.address}  (Ctrl-C ends it)")
    if not opened.door.locked:
        return
    from whimbrel.web.seals import KEY_FILE

    if opened.key_is_new:
        click.echo(f"Readers have to show this key, which is said only now: {opened.key}")
    click.echo(f"The key is in {opened.folder / KEY_FILE}; delete that file for a new one.")


def _has_screen() -> bool:
    import sys

    return sys.stdout.isatty() and bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
