"""`whimbrel status`."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from whimbrel.cli import exits, options, site_lines
from whimbrel.cli.lines import Lines
from whimbrel.cli.words import harmless, number, size

if TYPE_CHECKING:
    from whimbrel.flows.telling.site_figures import SiteFigures
    from whimbrel.repository.contract import Enquiry
    from whimbrel.repository.views import DeadLinks, Overview

EPILOG = f"""\b
Examples:
  whimbrel status
  whimbrel status --repo my-folder
  whimbrel status --json | jq .states
  whimbrel status --migrants
  whimbrel status --why docs.example.org

{exits.LIST}"""

SHOWN_RULES = 12


@click.command(epilog=EPILOG)
@click.option("--migrants", is_flag=True, help="The crawling processes of this folder.")
@click.option("--why", "lane", metavar="HOST", help="Why this migrant got that host.")
@options.repo
@options.as_json
def command(migrants: bool, lane: str | None, repo: Path | None, as_json: bool) -> int:
    """Count what a folder holds: URLs by what became of them, pages, bytes; and how each site is covered and kept up.

    Works while a crawl is running. Every URL known is counted in exactly one state. Whether copies are up to date is
    measured where visits tell and estimated elsewhere; both are said apart.
    """
    from whimbrel.cli.folder import folder_of
    from whimbrel.flows.telling.site_figures import site_figures
    from whimbrel.repository.engines import open_reader
    from whimbrel.search.ranked import link_ranks

    if migrants:
        from whimbrel.cli.migrants import listing

        return listing(folder_of(repo), as_json)
    if lane is not None:
        from whimbrel.cli.choices import show

        return show(folder_of(repo), lane, as_json)
    with open_reader(folder_of(repo)) as reader:
        overview, links, requests = reader.overview(), reader.dead_links(), reader.requests()
        folder = reader.location.beside
        now = time.time()
        room = _collection(reader.recall("settings"))
        sites = site_figures(reader, link_ranks(folder), now)
    if as_json:
        more = {"links": msgspec.to_builtins(links), "requests": [_request(one) for one in requests],
                "collection": room, "sites": [site_lines.as_object(site) for site in sites]}  # fmt: skip
        click.echo(json.dumps(as_object(overview) | more))
        return exits.OK
    Lines().table([*_rows(overview, links, requests, room, folder), *_sites(sites, now)], dim=True)
    return exits.OK


def as_object(overview: "Overview") -> dict[str, object]:
    """The first four keys are promised to scripts."""
    from whimbrel.flows.telling.unseen import unseen

    counts = overview.counts
    rules: dict[str, dict[str, int]] = {}
    for outcome, rule, count in overview.rules:
        rules.setdefault(outcome, {})[rule] = count
    return {
        "known": counts.known,
        "states": counts.states,
        "pages": counts.pages,
        "bytes": counts.bytes,
        "other_bytes": overview.other_bytes,
        "rules": rules,
        "due": overview.due,
        "postponed": overview.postponed,
        "assets": overview.assets,
        "sitemaps": overview.sitemaps,
        "hosts": overview.hosts,
        "traps": [{"rule": t.rule, "reason": t.reason, "urls": t.urls, "example": t.example} for t in overview.traps],
        "seeds": list(overview.seeds),
        "archives": [{"name": name, "bytes": end} for name, end in overview.archives],
        "last_visit_at": overview.last_visit_at,
        "private": overview.private,
        "unseen": msgspec.to_builtins(unseen(overview.rules, overview.unvisited)),
    }


def _collection(settings: object) -> int | None:
    """The size of the collection that the last crawl filled; None where it was none."""
    size = settings.get("crawl", {}).get("collection") if isinstance(settings, dict) else None
    return size if isinstance(size, int) else None


def _request(one: "Enquiry") -> dict[str, object]:
    from whimbrel.flows.requests import worded

    return {
        "request": one.number, "state": one.state, "like": list(one.examples), "found": one.found, "limit": one.most,
        "asked_at": one.asked_at, "finished_at": one.finished_at, "words": worded(one),
    }  # fmt: skip


def _rows(
    overview: "Overview", links: "DeadLinks", requests: "list[Enquiry]", room: int | None, folder: Path
) -> list[tuple[str, str]]:
    from whimbrel.cli.display import traffic
    from whimbrel.cli.folder import many, moment
    from whimbrel.flows.requests import worded
    from whimbrel.flows.telling.unseen import unseen

    counts = overview.counts
    rows: list[tuple[str, str]] = []

    def row(name: str, value: str) -> None:
        rows.append((name, harmless(value)))

    row("folder", str(folder))
    row("seeds", ", ".join(overview.seeds[:5]) + (" …" if len(overview.seeds) > 5 else "") or "none")
    row("pages kept", number(counts.pages))
    if overview.private:
        row("private", f"{number(overview.private)} fetched with credentials; exports leave them out unless asked")
    row("URLs known", f"{number(counts.known)} on {many(overview.hosts, 'host')}")
    for outcome, count in counts.states.items():
        if count:
            row(outcome.replace("_", " "), number(count) + _rules(overview, outcome))
    dead = [f"{number(count)} {one if count == 1 else several}" for one, several, count in _dead(links) if count]
    if dead:
        row("links lead to", ", ".join(dead))
    for one in requests:
        wanted = f" of {number(one.most)} wanted" if one.most is not None else ""
        row(f"request {one.number}", f"{one.state}, {number(one.found)}{wanted} found, {worded(one)}")
    if room is not None:
        row("collection", f"{number(counts.pages)} of {number(room)}, the most important of the pages known")
    if overview.assets:
        are = "is a style sheet or picture" if overview.assets == 1 else "are style sheets and pictures"
        row("assets", f"{number(overview.assets)} of the URLs {are}")
    if overview.sitemaps:
        row("sitemaps", f"{number(overview.sitemaps)} of the URLs")
    row(
        "waiting", number(overview.due) + (f", {number(overview.postponed)} tried before" if overview.postponed else "")
    )
    row("received", traffic(counts.bytes))
    archived = sum(end for _, end in overview.archives)
    row("archive", f"{size(archived)} in {many(len(overview.archives), 'file')}")
    row("last visit", f"{moment(overview.last_visit_at)} UTC" if overview.last_visit_at else "never")
    for missing in unseen(overview.rules, overview.unvisited):
        row("not seen", f"{number(missing.count)} {missing.what}. {missing.advice}")
    for trap in overview.traps:
        name = "trap" if trap.rule == "trap" else "left out"
        row(name, f"{many(trap.urls, 'URL')}: {trap.reason}")
        row("", f"like {trap.example}")
    return rows


def _sites(sites: "list[SiteFigures]", now: float) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for site in sites[: site_lines.SHOWN_SITES]:
        rows += [("", ""), *((name, harmless(said)) for name, said in site_lines.lines(site, now))]
    if len(sites) > site_lines.SHOWN_SITES:
        rows.append(("", f"… {number(len(sites) - site_lines.SHOWN_SITES)} more sites with --json"))
    return rows


def _dead(links: "DeadLinks") -> list[tuple[str, str, int]]:
    """What one is called, what several are, and how many there are."""
    return [
        ("missing page", "missing pages", links.dead),
        ("error page sent as an ordinary page", "error pages sent as ordinary pages", links.soft),
        ("blank page", "blank pages", links.blank),
        ("copy of another page", "copies of other pages", links.redundant),
    ]


_RULES = {"usual_place": "looked for where sitemaps usually are", "entry": "known by an index entry alone"}
"""Rules whose names say nothing to a person. The others are what `pages --rule` takes."""


def _rules(overview: "Overview", outcome: str) -> str:
    """Why, by rule or kind of failure, the most frequent first."""
    counted = [(rule, count) for of, rule, count in overview.rules if of == outcome]
    if not counted:
        return ""
    shown = [f"{number(count)} {_RULES.get(rule, rule)}" for rule, count in counted[:SHOWN_RULES]]
    return f" ({', '.join(shown)}{', …' if len(counted) > SHOWN_RULES else ''})"
