"""`whimbrel places`: for whoever runs Whimbrel and has migrants at sites elsewhere."""

import asyncio
import contextlib
import json
import os
import re
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whimbrel.cli import exits, options
from whimbrel.cli.words import harmless

if TYPE_CHECKING:
    from whimbrel.places.home.book import BookedPlace, OwnServer

EPILOG = f"""\b
Examples:
  whimbrel places invite library --sites docs.example.org --expires 30d
  whimbrel places                         # who there is, and how far each is believed
  whimbrel places open                    # lets those in who answer an invitation
  whimbrel places revoke library

{exits.LIST}"""

VERBS = ("list", "invite", "open", "revoke")
_SPAN = re.compile(r"(\d+)([hdw])")
_SECONDS = {"h": 3600.0, "d": 86_400.0, "w": 7 * 86_400.0}


@click.command(epilog=EPILOG)
@click.argument("verb", type=click.Choice(VERBS), default="list", metavar="[VERB]")
@click.argument("name", default="", metavar="[PLACE]")
@click.option("--sites", multiple=True, metavar="HOST", help="A host that the place is at; may be given several times.")
@click.option("--expires", default="30d", metavar="SPAN", help="How long it may work: 12h, 30d, 8w.", show_default=True)
@click.option(
    "--listen", default="", metavar="ADDRESS[:PORT]", help="Where this folder's server listens; loopback unless named."
)
@click.option("--address", default="", metavar="HOST[:PORT]", help="Where places dial it, where that is not the same.")
@options.repo
@options.as_json
def command(
    verb: str, name: str, sites: tuple[str, ...], expires: str, listen: str, address: str, repo: Path | None,
    as_json: bool,
) -> int:  # fmt: skip
    """Have migrants work at a site, on a machine of somebody who agrees.

    \b
    list        places, their sites, limits, load, and how far each is believed (the default)
    invite      makes a code that a machine at the sites joins with, once
    open        is there for places, until Ctrl-C; crawl, refresh and watch are too
    revoke      turns a place away, at once and for good
    """
    from whimbrel.cli.folder import folder_of
    from whimbrel.exchange.extras import MissingExtra, need
    from whimbrel.places.home.identity import AccountMissing
    from whimbrel.places.home.inviting import PlaceRefused

    folder = folder_of(repo)
    if verb == "list":
        return listing(folder, as_json)
    if verb != "open" and not name:
        raise click.UsageError(f"say which place to {verb}.")
    try:
        need("places")
        match verb:
            case "invite":
                return _invite(folder, name, sites, expires, listen, address, as_json)
            case "revoke":
                return _revoke(folder, name)
            case _:
                return _open(folder)
    except (PlaceRefused, MissingExtra, AccountMissing) as error:
        click.echo(f"whimbrel: {error}", err=True)
        return exits.FAILED


def _invite(
    folder: Path, name: str, sites: tuple[str, ...], expires: str, listen: str, address: str, as_json: bool
) -> int:
    from whimbrel.places.home.inviting import WantedPlace, invite

    found = _SPAN.fullmatch(expires)
    if found is None:
        raise click.UsageError(f"--expires {expires}: expected hours, days or weeks, like 12h, 30d or 8w")
    lasts = int(found[1]) * _SECONDS[found[2]]
    hosts = tuple(_host(site) for group in sites for site in group.split(",") if site.strip())
    invited = invite(folder, WantedPlace(name, hosts, lasts, listen, address, _own_server()))
    if as_json:
        click.echo(json.dumps({"code": invited.code, "server": invited.dialled, "seconds": invited.code_seconds}))
        return exits.OK
    click.echo(f"Give this to whoever owns a machine at {', '.join(hosts)}; it can be used once, within "
               f"{invited.code_seconds / 86_400:.0f} days. The place may then work for {expires}.\n")  # fmt: skip
    click.echo(invited.code)
    click.echo("\nThere: `whimbrel place join`, then `whimbrel place run`. It dials "
               f"{invited.dialled}; be there with `whimbrel places open`, or with any crawl.")  # fmt: skip
    if invited.dialled.startswith("127."):
        click.echo("That is this machine only. For others: --listen ADDRESS, one that they can dial.")
    return exits.OK


def _host(text: str) -> str:
    """Also of a URL or of a host with its port: a place speaks for a host, whatever its ports."""
    from whimbrel.api.site_settings import host_named
    from whimbrel.config import ConfigError

    try:
        return host_named(text.strip())
    except ConfigError as error:
        raise click.UsageError(f"--sites: {error}") from error


def _own_server() -> "OwnServer | None":
    """What the settings say of a server that runs already; it is asked for its certificate."""
    from whimbrel.config import ConfigError, load
    from whimbrel.places.home.book import OwnServer
    from whimbrel.places.link.dial import DialError, one_certificate

    wanted = load(None, os.environ, {}).places
    if not wanted.server:
        return None
    servers = tuple(one.strip().rpartition("//")[2] for one in wanted.server.split(",") if one.strip())
    if not wanted.account or not all(":" in server for server in servers):
        raise ConfigError(
            '[places] server takes "nats://HOST:PORT", and `account` says where the key of its account is.'
        )
    try:
        return OwnServer(servers, asyncio.run(one_certificate(servers)), wanted.account)
    except DialError as error:
        raise ConfigError(f"[places] server: {error}. It has to run, with TLS.") from error


def _revoke(folder: Path, name: str) -> int:
    from whimbrel.places.home.book import PlaceBook
    from whimbrel.places.home.inviting import revoke

    at_once = revoke(folder, name)
    click.echo(f"`{name}` is turned away" + (", and was cut off." if at_once else "."))
    if PlaceBook(folder).read().own is not None:
        click.echo("Home hears it no more. Your server still knows its key: `nsc revocations add-user` there.")
    return exits.OK


def _open(folder: Path) -> int:
    from whimbrel.places.home.keeper import Keeper

    async def run() -> None:
        keeper = Keeper(folder)
        await keeper.open()
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, stop.set)
        try:
            click.echo(f"Here for places at {keeper.book.read().dialled}. Ctrl-C ends it.")
            await stop.wait()
        finally:
            await keeper.close()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(run())
    return exits.OK


def listing(folder: Path, as_json: bool) -> int:
    from whimbrel.places.home.book import PlaceBook
    from whimbrel.places.home.telling import place_lines

    places = PlaceBook(folder).read().places.values()
    if as_json:
        click.echo(json.dumps({"places": [told(place) for place in places]}))
        return exits.OK
    if not places:
        click.echo("No place has been invited. `whimbrel places invite NAME --sites HOST` makes a code for one.")
        return exits.OK
    now = time.time()
    for place in places:
        for line in place_lines(place, now):
            click.echo(harmless(line))
    return exits.OK


def told(place: "BookedPlace") -> dict[str, Any]:
    import msgspec

    row: dict[str, Any] = msgspec.to_builtins(place)
    for secret in ("door_key", "invitation"):
        del row[secret]
    return row | {"believed": place.trust.words}
