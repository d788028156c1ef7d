"""`whimbrel twins`."""

import json
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from whimbrel.cli import exits, options
from whimbrel.cli.lines import say
from whimbrel.cli.words import harmless, number

if TYPE_CHECKING:
    from whimbrel.dedupe.dust import RuleStanding
    from whimbrel.flows.twins.near import SketchingDone
    from whimbrel.repository.views import Site

SHOWN = 30
PROMPTLY = 1000
"""Events after which the user is told that there is something to wait for."""

EPILOG = f"""\b
Examples:
  whimbrel twins
  whimbrel twins docs.example.org --near --json
  whimbrel twins --rules
  whimbrel twins --undo https://docs.example.org/not-a-copy
  whimbrel twins --undo 'shop.example.org/list/: drop parameter sort'

{exits.LIST}"""


class Twin(Struct, frozen=True):
    """A page that counts as another. Equal bytes and equal text have the similarity 1."""

    kind: str
    url: str
    survivor: str
    similarity: float
    reason: str


@click.command(epilog=EPILOG)
@click.argument("site", required=False, metavar="[SITE]")
@click.option("--exact", "exact", is_flag=True, help="Only pages with the same bytes or the same text.")
@click.option("--near", "near", is_flag=True, help="Only pages with nearly the same text.")
@click.option("--rules", "rules", is_flag=True, help="Only the rules learned for URLs, with what speaks for them.")
@click.option("--undo", metavar="URL|RULE", help="Take a near-twin apart, or withdraw a rule, for good.")
@click.option("--all", "every", is_flag=True, help=f"Show all, not the first {SHOWN} of each.")
@options.repo
@options.as_json
def command(
    site: str | None,
    exact: bool,
    near: bool,
    rules: bool,
    undo: str | None,
    every: bool,
    repo: Path | None,
    as_json: bool,
) -> int:
    """Show duplicates and near-duplicates with reasons, and the rules learned for URLs.

    What the crawl added since the last time is looked at first. Nothing is removed: a twin is only linked to the page
    that counts for it.
    """
    from whimbrel.cli.folder import folder_of, site_named

    folder = folder_of(repo)
    if undo is not None:
        return _undo(folder, undo)
    caught = catch_up(folder)
    parts = [name for name, chosen in (("exact", exact), ("near", near), ("rules", rules)) if chosen]
    wanted = parts or ["exact", "near", "rules"]
    if as_json:
        _show_json(folder, site_named(site), wanted)
    else:
        _show(folder, site_named(site), wanted, None if every else SHOWN)
    if caught is not None and not as_json:
        say(
            f"{number(caught.events)} visits compared, {number(caught.twins)} pages nearly the same as others",
            dim=True,
            err=True,
        )
    return exits.OK


def catch_up(folder: Path) -> "SketchingDone | None":
    from whimbrel.flows.twins.near import Near
    from whimbrel.repository.contract import FolderBusy

    try:
        with Near(folder) as follower:
            waiting = follower.pending()
            if waiting > PROMPTLY:
                say(f"comparing what {number(waiting)} visits brought …", err=True)
            return follower.catch_up(time.time())
    except FolderBusy:
        say("another process is looking for twins in this folder; this is what it has found so far", err=True)
        return None


def _undo(folder: Path, what: str) -> int:
    from whimbrel.cli.folder import url_of
    from whimbrel.flows.twins.near import Near, undo_rule
    from whimbrel.repository.contract import NothingThere
    from whimbrel.urls.normal import key

    if not what.startswith(("http://", "https://")):
        rule = undo_rule(folder, what)
        if rule is None:
            raise NothingThere(
                f"there is no rule {harmless(what)!r}. `whimbrel twins --rules` lists them as they are named."
            )
        say(f"withdrawn for good: {harmless(str(rule))}")
        return exits.OK
    url = url_of(what)
    with Near(folder) as follower:
        follower.catch_up(time.time())
        if not follower.set_apart(key(url), time.time()):
            say(f"{harmless(url)} counts as a page of its own already, and will stay one.")
            return exits.OK
    say(f"{harmless(url)} is a page of its own, now and later.")
    return exits.OK


def _twins(folder: Path, site: "Site | None", parts: list[str]) -> Iterator[Twin]:
    from whimbrel.flows.twins.near import near_twins
    from whimbrel.records.visit import Outcome
    from whimbrel.repository.engines import open_reader
    from whimbrel.repository.views import Selection

    if "exact" in parts:
        with open_reader(folder) as reader:
            for one in reader.urls(Selection(outcomes=(Outcome.DUPLICATE,), site=site)):
                yield Twin("exact", one.url, one.duplicate_of or "", 1.0, one.reason)
    if "near" in parts:
        for twin in near_twins(folder):
            if site is None or site.covers(twin.url):
                yield Twin("near", twin.url, twin.survivor, round(twin.similarity, 4), twin.reason)


def _rules(folder: Path, site: "Site | None") -> Iterator["RuleStanding"]:
    """Learned and withdrawn rules; not the guesses, and not what a rule for the whole site says already."""
    from whimbrel.dedupe.dust import RuleState, redundant
    from whimbrel.flows.twins.near import all_rules

    for name, rules in all_rules(folder).items():
        if site is None or site.covers(f"http://{name}/"):
            for standing in rules.standings:
                if standing.state is not RuleState.GUESS and not redundant(rules, standing):
                    yield standing


def _show_json(folder: Path, site: "Site | None", parts: list[str]) -> None:
    for twin in _twins(folder, site, parts):
        said = {name: getattr(twin, name) for name in Twin.__struct_fields__}
        click.echo(json.dumps(said))
    for standing in _rules(folder, site) if "rules" in parts else ():
        click.echo(json.dumps({
            "kind": "rule", "rule": str(standing.rule), "state": standing.state, "support": standing.support,
            "against": standing.against, "sources": standing.sources,
        }))  # fmt: skip


def _show(folder: Path, site: "Site | None", parts: list[str], most: int | None) -> None:
    from whimbrel.cli.folder import many

    counts = {"exact": 0, "near": 0}
    for kind in counts:
        found = _twins(folder, site, [kind]) if kind in parts else iter(())
        for twin in islice(found, most):
            counts[kind] += 1
            _say(twin)
        rest = sum(1 for _ in found)
        counts[kind] += rest
        if rest:
            say(f"        and {number(rest)} more; --all shows them")
    rules = list(_rules(folder, site)) if "rules" in parts else []
    for standing in rules:
        _say_rule(standing)
    words = [many(counts[kind], f"{kind} twin") for kind in counts if kind in parts]
    words += [many(len(rules), "rule")] if "rules" in parts else []
    say(", ".join(words))


def _say(twin: Twin) -> None:
    alike = "same " if twin.kind == "exact" else f"{twin.similarity:5.0%}"
    say(f"{alike:>6}  {harmless(twin.url)}")
    say(f"{'':6}  counts as {harmless(twin.survivor)}: {harmless(twin.reason)}", dim=True)


def _say_rule(standing: "RuleStanding") -> None:
    sources = ", ".join(standing.sources)
    say(f"{standing.state:>9}  {harmless(str(standing.rule))}")
    say(f"{'':9}  {number(standing.support)} for it ({sources}), {number(standing.against)} against it", dim=True)
