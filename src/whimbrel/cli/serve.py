"""`whimbrel serve`."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, options

if TYPE_CHECKING:
    from whimbrel.web.server import OpenedServer

EPILOG = f"""\b
Examples:
  whimbrel serve
  whimbrel serve --repo my-folder --no-open
  whimbrel serve --host 0.0.0.0 --allow-host library.example.org

{exits.LIST}"""


@click.command(epilog=EPILOG)
@options.repo
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="N",
    default=8765,
    show_default=True,
    help="The port; 0 takes any free one.",
)
@click.option("--allow-host", "allow_hosts", multiple=True, metavar="NAME", help="A further host name to answer to.")
@click.option("--behind", multiple=True, metavar="ADDRESS", help="A proxy in front, whose X-Forwarded-For is believed.")
@click.option("--read-only", is_flag=True, help="Only show: no crawling, no favourites, nothing that changes.")
@click.option(
    "--allow-network", "networks", multiple=True, metavar="NET", help="A network that may be crawled from the browser."
)
@click.option("--open/--no-open", "open_browser", default=None, help="Open a browser.  [default: on a terminal]")
@options.as_json
def command(
    repo: Path | None,
    host: str,
    port: int,
    allow_hosts: tuple[str, ...],
    behind: tuple[str, ...],
    read_only: bool,
    networks: tuple[str, ...],
    open_browser: bool | None,
    as_json: bool,
) -> int:
    """Search, read and crawl in a browser.

    Answers this machine alone. With any other --host readers have to show the folder's key, which the first start
    makes and says. Behind a proxy or with --allow-host, crawling needs the key, and reading only where private pages
    are kept. A crawl may run meanwhile, and goes on when the server ends.
    """
    from whimbrel.cli.folder import folder_of
    from whimbrel.cli.index import need_search
    from whimbrel.cli.running import Interrupts

    need_search()
    from whimbrel.config import load
    from whimbrel.repository.engines import exists
    from whimbrel.web.server import PortTaken, run

    def ready(opened: "OpenedServer") -> None:
        if as_json:
            said = {"address": opened.address, "repo": str(opened.folder), "locked": opened.door.locked}
            click.echo(json.dumps(said))
        else:
            _say(opened)
            if not exists(opened.folder):
                click.echo("Nothing is kept there yet: name a site in the crawl room, or another folder with --repo.")
        if open_browser if open_browser is not None else _has_screen():
            import webbrowser

            webbrowser.open(opened.address)

    names = tuple(name.lower() for name in allow_hosts)
    settings = load(None, os.environ, {})
    try:
        with Interrupts():
            run(
                folder_of(repo),
                host,
                port,
                allow_hosts=names,
                behind=_addresses(behind),
                read_only=read_only,
                networks=_networks(networks),
                ready=ready,
                search=settings.search,
                readers=settings.readers,
            )
    except PortTaken as error:
        raise click.UsageError(str(error)) from error
    except KeyboardInterrupt:
        # It had not begun to answer yet: ending it is what was asked for all the same.
        pass
    return exits.OK


def _addresses(given: tuple[str, ...]) -> tuple[str, ...]:
    from whimbrel.web.settings import address_of

    for text in given:
        if address_of(text.strip("[]")) is None:
            raise click.UsageError(f"--behind {text} is no address. Write it like --behind 127.0.0.1.")
    return given


def _networks(given: tuple[str, ...]) -> tuple[str, ...]:
    from whimbrel.config.values import checked

    networks: tuple[str, ...] = checked("fetch", "allow_networks", list(given), "--allow-network")
    return networks


def _say(opened: "OpenedServer") -> None:
    click.echo(f"{opened.folder} is served at {opened.address}  (Ctrl-C ends it)")
    door = opened.door
    if door.read_only:
        click.echo("Nothing can be changed from there.")
    if not (door.locked or ((door.allow_hosts or door.behind) and not door.read_only)):
        return
    from whimbrel.web.seals import KEY_FILE

    if opened.key_is_new:
        whoever = "Readers have" if door.locked else "Whoever crawls or changes something has"
        click.echo(f"{whoever} to show this key, which is said only now: {opened.key}")
    click.echo(f"The key is in {opened.folder / KEY_FILE}; delete that file for a new one.")


def _has_screen() -> bool:
    import sys

    return sys.stdout.isatty() and bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
