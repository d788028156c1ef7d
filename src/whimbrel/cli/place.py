"""`whimbrel place`: for whoever owns a machine at a site."""

import asyncio
import contextlib
import json
import shlex
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel import __version__
from whimbrel.cli import exits
from whimbrel.cli.words import harmless, size

if TYPE_CHECKING:
    from whimbrel.places.at.joining import PlaceFolder
    from whimbrel.places.link.code import Invitation

EPILOG = f"""\b
Examples:
  whimbrel place join                     # asks for the code of an invitation
  whimbrel place run --dry-run            # what would be read and sent; sends nothing
  whimbrel place run                      # works until Ctrl-C
  whimbrel place status
  whimbrel place log                      # all that left this machine, and why
  whimbrel place page                     # the same in a browser
  whimbrel place pause
  whimbrel place leave                    # leaves no trace
  whimbrel place unit                     # a systemd unit, to run it always

{exits.LIST}"""

ANSWER_SECONDS = 15.0
VERBS = ("join", "run", "status", "log", "page", "pause", "resume", "leave", "unit")


@click.command(epilog=EPILOG)
@click.argument("verb", type=click.Choice(VERBS), metavar="VERB")
@click.argument("code", default="", metavar="[CODE]")
@click.option("--dir", "folder", metavar="DIR", help="Where the place keeps its key and its terms.")
@click.option("--dry-run", is_flag=True, help="With `run`: show what would be read and sent, and send nothing.")
@click.option("--json", "as_json", is_flag=True, help="With `status` and `log`: JSON.")
def command(verb: str, code: str, folder: str | None, dry_run: bool, as_json: bool) -> int:
    """Let migrants of somebody you trust work on this machine, at the site they read, within your limits.

    \b
    join        answers an invitation: makes a key, writes place.toml
    run         dials home and works; needs no open port
    status      whom it works for, what is allowed, what has left
    log         everything that ever left this machine, and why
    page        the same in a browser, on this machine alone, until Ctrl-C
    pause       no more work until `resume`
    resume      goes on
    leave       removes key, terms, log and everything else of it
    unit        prints a systemd unit that runs it always
    """
    from whimbrel.exchange.extras import MissingExtra, need
    from whimbrel.places.at.terms import TermsError, default_folder

    place = Path(folder) if folder else default_folder()
    try:
        need("places")
        return _do(verb, code, place, dry_run, as_json)
    except (MissingExtra, TermsError) as error:
        click.echo(f"whimbrel: {error}", err=True)
        return exits.FAILED


def _do(verb: str, code: str, place: Path, dry_run: bool, as_json: bool) -> int:
    from whimbrel.places.at.joining import PlaceFolder

    folder = PlaceFolder(place)
    if verb == "join":
        return _join(folder, code)
    if not folder.exists:
        click.echo(f"whimbrel: {place} is no place yet. `whimbrel place join` makes one of it.", err=True)
        return exits.NOT_FOUND
    match verb:
        case "run":
            return _dry(folder) if dry_run else _run(folder)
        case "status":
            return _status(folder, as_json)
        case "log":
            return _log(folder, as_json)
        case "page":
            return _page(folder)
        case "leave":
            folder.leave()
            click.echo(f"{place} is gone, with its key: no home can call this machine any more.")
        case "unit":
            click.echo(_unit(place))
        case _:
            folder.pause(verb == "pause")
            paused = "Paused: migrants are sent away. `whimbrel place resume` goes on."
            click.echo(paused if verb == "pause" else "Goes on.")
    return exits.OK


def _join(folder: "PlaceFolder", code: str) -> int:
    from whimbrel.places.at.joining import JoinRefused, join
    from whimbrel.places.link.code import CodeError, read
    from whimbrel.places.link.dial import DialError

    text = code or click.prompt("Code of the invitation", err=True)
    try:
        invitation = read(text)
    except CodeError as error:
        raise click.UsageError(str(error)) from error
    days = max(0.0, (invitation.expires - time.time()) / 86_400)
    click.echo(f"Invited as `{harmless(invitation.place)}` by home {invitation.home.hex()[:16]},")
    click.echo(f"  which is at {', '.join(map(harmless, invitation.servers))},")
    click.echo(f"  to read {', '.join(map(harmless, invitation.sites))} from here and send home what is asked for;")
    click.echo(f"  the code can be used for {days:.1f} more days. It costs what place.toml allows.")
    try:
        membership = asyncio.run(join(folder, invitation, ANSWER_SECONDS, __version__))
    except (DialError, JoinRefused) as error:
        click.echo(f"whimbrel: {error}", err=True)
        click.echo(_what_to_do(folder, invitation, isinstance(error, JoinRefused)), err=True)
        return exits.FAILED
    if membership.jwt:
        click.echo("Joined.")
    else:
        click.echo("Home has not answered yet; `whimbrel place run` asks again until it does.")
    click.echo(f"Terms are in {folder.path / 'place.toml'}: look at them before `whimbrel place run`.")
    return exits.OK


def _what_to_do(folder: "PlaceFolder", invitation: "Invitation", refused: bool) -> str:
    kept = folder.joined(invitation.home.hex())
    as_before = f"Nothing is changed here{f': the membership as `{harmless(kept.place)}` is kept' if kept else ''}."
    if not refused:
        return f"{as_before} Home has to be there for this: `whimbrel places open` on its side. Then join again."
    invite = f"whimbrel places invite {invitation.place} --sites {','.join(invitation.sites)}"
    return f"{as_before} A code works once, for some days. A new one comes from home: `{harmless(invite)}`"


def _dry(folder: "PlaceFolder") -> int:
    from whimbrel.places.at.dry_run import what_would_happen

    for line in asyncio.run(what_would_happen(folder)):
        click.echo(harmless(line))
    click.echo("Nothing was sent.")
    return exits.OK


def _run(folder: "PlaceFolder") -> int:
    from whimbrel.places.at.program import PlaceProgram

    async def run() -> None:
        program = PlaceProgram(folder, _say, __version__)
        if not program.desks:
            raise click.UsageError("no home has been joined; `whimbrel place join`")
        task = asyncio.ensure_future(program.run())
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, task.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await task

    asyncio.run(run())
    return exits.OK


def _say(words: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {harmless(words)}", file=sys.stderr, flush=True)


def _status(folder: "PlaceFolder", as_json: bool) -> int:
    from whimbrel.places.at.diary import Diary
    from whimbrel.places.at.terms import load_terms

    terms, diary, now = load_terms(folder.path), Diary(folder.path), time.time()
    rows = [
        {
            "home": one.home[:16], "place": one.place, "servers": list(one.servers), "sites": list(one.sites),
            "joined": bool(one.jwt), "expires_in_days": round((one.expires_at - now) / 86_400, 1) if one.jwt else None,
            "sent_bytes": diary.total(one.home), "sent_today_bytes": diary.today(one.home, now),
        }
        for one in folder.memberships()
    ]  # fmt: skip
    if as_json:
        click.echo(json.dumps({"paused": folder.paused, "homes": rows}))
        return exits.OK
    click.echo("Paused." if folder.paused else f"Works {terms.place.hours_said}, with {terms.place.cores_said}.")
    for row in rows:
        allowed = next((home for home in terms.home if home.key.startswith(str(row["home"]))), None)
        state = f"joined, for {row['expires_in_days']} more days" if row["joined"] else "not yet answered by home"
        click.echo(f"home {row['home']}, as `{row['place']}`: {state}")
        if allowed is not None:
            click.echo(f"  may read {', '.join(allowed.sites)}: {allowed.requests_per_second:g} requests a second each")
            sent, today = size(diary.total(allowed.key)), size(diary.today(allowed.key, now))
            click.echo(f"  {sent} have left, {today} of {allowed.bytes_a_day} today")
        else:
            click.echo("  place.toml names it no more: it may do nothing")
    return exits.OK


def _log(folder: "PlaceFolder", as_json: bool) -> int:
    import msgspec

    from whimbrel.places.at.diary import leaves

    for leaf in leaves(folder.path):
        if as_json:
            click.echo(msgspec.json.encode(leaf))
            continue
        at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(leaf.at))
        click.echo(f"{at}  {size(leaf.bytes):>9}  {leaf.kind}, {harmless(leaf.why)}")
        for url, outcome in leaf.pages:
            click.echo(f"    {outcome:<12} {harmless(url)}")
    return exits.OK


def _page(folder: "PlaceFolder") -> int:
    import whimbrel
    from whimbrel.places.at.owner_page import OwnerServer

    style = (Path(whimbrel.__file__).parent / "web" / "static" / "whimbrel.css").read_bytes()
    with OwnerServer(folder, style) as server:
        click.echo(f"Open {server.address} on this machine. Ctrl-C ends it.")
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
    return exits.OK


def _unit(place: Path) -> str:
    program = [sys.executable, "-P", "-m", "whimbrel", "place", "run", "--dir", str(place.absolute())]
    return f"""[Unit]
Description=Whimbrel place
After=network-online.target
Wants=network-online.target

[Service]
ExecStart={shlex.join(program)}
Restart=always
RestartSec=10
Delegate=cpu memory
NoNewPrivileges=true
ProtectSystem=strict
PrivateTmp=true
ReadWritePaths={place.absolute()}

[Install]
WantedBy=default.target"""
