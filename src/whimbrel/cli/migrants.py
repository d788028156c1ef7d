"""`whimbrel migrants`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whimbrel.cli import exits, options
from whimbrel.cli.words import harmless, number, size

if TYPE_CHECKING:
    from rich.table import Table

EPILOG = f"""\b
Examples:
  whimbrel migrants                       # who there is, and what each is doing
  whimbrel migrants clone m1              # a second one takes half of m1's work
  whimbrel migrants deactivate m1         # its queue is saved, its process ends
  whimbrel migrants activate m1 --at cellar
  whimbrel migrants dispatch m2 --at cellar
  whimbrel migrants send https://example.org/news

{exits.LIST}"""

_SENT = {
    "new": "sent",
    "sooner": "known already, now first in the queue",
    "again": "visited before, asked for again",
    "in_hand": "with a crawling process already, which does it next",
}
VERBS = ("list", "create", "clone", "dispatch", "retract", "deactivate", "activate", "dispose", "send")


@click.command(epilog=EPILOG)
@click.argument("verb", type=click.Choice(VERBS), default="list", metavar="[VERB]")
@click.argument("names", nargs=-1, metavar="[MIGRANT|URL]...")
@click.option("--at", "--to", "place", metavar="PLACE", help="Where: `here`, or a [[place]] of the settings.")
@options.repo
@options.as_json
def command(verb: str, names: tuple[str, ...], place: str | None, repo: Path | None, as_json: bool) -> int:
    """Show the migrants of a crawl, and tell them by hand what they otherwise do by themselves.

    \b
    list        who there is (the default)
    create      one more migrant
    clone       a new migrant takes a share of another's work
    dispatch    moves one, with its queue, to another place
    retract     brings it back to where it was born
    deactivate  saves its queue and ends its process
    activate    wakes one that sleeps, here or elsewhere
    dispose     ends one for good; its work is for the others
    send        gives a running crawl URLs that come before all others
    """
    from whimbrel.cli.folder import folder_of

    folder = folder_of(repo)
    if verb == "list":
        return listing(folder, as_json)
    if verb == "create":
        names = names or ("",)
    if not names:
        raise click.UsageError(f"say {'which URL' if verb == 'send' else f'which migrant to {verb}'}.")
    answers = [_send(folder, names)] if verb == "send" else [_do(folder, verb, name, place) for name in names]
    for answer in answers:
        click.echo(json.dumps(answer) if as_json else harmless(str(answer.get("error") or answer["words"])))
    return exits.FAILED if any("error" in answer for answer in answers) else exits.OK


def _send(folder: Path, urls: tuple[str, ...]) -> dict[str, Any]:
    from whimbrel import api
    from whimbrel.migrants.home.control import ask

    try:
        seeds = api.read_seeds(urls)
    except api.SeedError as error:
        raise click.UsageError(str(error)) from error
    answer = ask(folder, {"send": list(seeds)})
    if answer is None:
        return {"error": f"no crawl is running on {folder}. Start one with these: whimbrel crawl {' '.join(urls)}"}
    if "error" not in answer:
        told = [f"{answer[name]} {words}" for name, words in _SENT.items() if answer.get(name)]
        answer["words"] = ", ".join(told) or "nothing sent"
    return answer


def _do(folder: Path, verb: str, name: str, place: str | None) -> dict[str, Any]:
    from whimbrel.migrants.home.control import ask

    answer = ask(folder, {"do": verb, "migrant": name, "place": place})
    return answer if answer is not None else _without_a_crawl(folder, verb, name)


def _without_a_crawl(folder: Path, verb: str, name: str) -> dict[str, Any]:
    """Who sleeps can be woken for the next crawl, or disposed of; anything else needs one that runs."""
    from whimbrel.migrants.home.lifecycle import MigrantState
    from whimbrel.repository.engines import open_writer

    if verb == "create":
        return {"error": "no crawl is running. `whimbrel crawl --migrants N` starts one with so many."}
    store = open_writer(folder)
    try:
        rolls = {roll.name: roll for roll in store.roster.rolls()}
        roll = rolls.get(name)
        if roll is None:
            return {"error": f"there is no migrant {name}"}
        if roll.state not in (MigrantState.ASLEEP, MigrantState.MOVING) or verb not in ("activate", "dispose"):
            return {"error": f"{name} is {roll.state}, and no crawl is running. Start one: whimbrel crawl"}
        state = MigrantState.WOKEN if verb == "activate" else MigrantState.DISPOSED
        store.roster.save(roll._replace(state=state, luggage=roll.luggage if verb == "activate" else b""))
    finally:
        store.close()
    done = "wakes with the next `whimbrel crawl`" if verb == "activate" else "is disposed; others do what it had to do"
    return {"ok": True, "words": f"{name} {done}"}


def listing(folder: Path, as_json: bool) -> int:
    rows = crew(folder)
    if as_json:
        click.echo(json.dumps({"migrants": rows}))
        return exits.OK
    from rich.console import Console

    if not rows:
        click.echo("No migrant has worked for this folder yet. `whimbrel crawl URL` starts one.")
        return exits.OK
    Console(highlight=False).print(table(rows))
    return exits.OK


def crew(folder: Path) -> list[dict[str, Any]]:
    """Who works now where a crawl runs, and whom the folder remembers."""
    from whimbrel.migrants.home.control import ask
    from whimbrel.repository.engines import open_reader

    answer = ask(folder, {"ask": "migrants"})
    live: list[dict[str, Any]] = answer.get("migrants", []) if answer else []  # type: ignore[assignment]
    names = {row["name"] for row in live}
    with open_reader(folder) as reader:
        rolls = reader.migrants()
    past = [
        {
            "name": roll.name, "state": _past(roll.state, bool(answer)), "place": roll.place, "parent": roll.parent,
            "born_at": roll.born_at, "visits": roll.visits, "received_bytes": roll.received, "errand": roll.errand,
        }
        for roll in rolls
        if roll.name not in names
    ]  # fmt: skip
    return [*live, *past[::-1]]


def _past(state: str, running: bool) -> str:
    return state if running or state not in ("created", "active") else "lost"


def table(rows: list[dict[str, Any]], most: int = 20) -> "Table":
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, pad_edge=False, header_style="dim")
    special, cloned = any(row.get("errand") for row in rows), any(row["parent"] for row in rows)
    for name, justify in (
        ("migrant", "left"), ("state", "left"), ("place", "left"),
        *([("born of", "left")] if cloned else []), ("visits", "right"), ("received", "right"), ("tasks", "right"),
        ("busy", "right"), ("memory", "right"), ("hosts", "left"),
        *([("made for", "left")] if special else []),
    ):  # fmt: skip
        folds = name in ("hosts", "made for")  # the others are short, and worth nothing without their ends
        drawn.add_column(name, justify=justify, no_wrap=not folds, overflow="fold")  # type: ignore[arg-type]
    for row in rows[:most]:
        alive = row["state"] in ("active", "created", "moving")
        cells = (
            row["name"], row["state"], row["place"],
            *([row["parent"] or "home"] if cloned else []), number(row["visits"]), size(row["received_bytes"]),
            number(row["tasks"]) if "tasks" in row else "", f"{row['busy']:.0%}" if alive and "busy" in row else "",
            size(row["memory_bytes"]) if row.get("memory_bytes") else "", _hosts(row),
            *([row.get("errand") or "any page"] if special else []),
        )  # fmt: skip
        drawn.add_row(*(Text(harmless(cell), style="" if alive else "dim") for cell in cells))
    if len(rows) > most:
        drawn.add_row(Text(f"and {number(len(rows) - most)} before", style="dim"))
    return drawn


def _hosts(row: dict[str, Any]) -> str:
    hosts = row.get("hosts", [])
    more = row.get("host_count", 0) - 2
    return ", ".join(hosts[:2]) + (f" and {number(more)} more" if more > 0 else "")
