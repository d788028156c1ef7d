"""What is known of a folder's twins and rules, to be read by anyone, also while a crawl or a follower writes."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from whimbrel.dedupe import dust
from whimbrel.dedupe.dust import RuleState
from whimbrel.dedupe.exact import precedes
from whimbrel.dedupe.rewrites import RewriteRule
from whimbrel.dedupe.sketch import estimate
from whimbrel.flows.twins.file import NAME, Sketched, TwinsFile
from whimbrel.flows.twins.pages import TwinPages
from whimbrel.records.url import Url
from whimbrel.repository.location import Where, located
from whimbrel.repository.views import Grouped


class NearTwin(Struct, frozen=True):
    """A page that says nearly what its survivor says; the survivor counts as the page."""

    url: Url
    survivor: Url
    similarity: float
    reason: str


def near_twins(where: Where) -> Iterator[NearTwin]:
    """Every near-twin with its survivor: of each group the page nearest to a seed, then the smallest URL."""
    folder = located(where).beside
    if not (folder / NAME).exists():
        return
    file, pages = TwinsFile(folder, writing=False), TwinPages(where)
    try:
        for leader in file.leaders():
            first = file.page(leader)
            group = [first, *file.members(leader)] if first is not None else []
            yield from _group(group, pages.reader.grouped(member.url for member in group))
    finally:
        pages.close()
        file.close()


def _group(group: list[Sketched], held: dict[int, Grouped]) -> Iterator[NearTwin]:
    present = sorted((member for member in group if member.url in held), key=lambda member: held[member.url].url)
    if not present:
        return
    survivor = present[0]
    for member in present[1:]:
        one, other = held[member.url], held[survivor.url]
        if precedes(one.depth, one.url, other.depth, other.url):
            survivor = member
    for member in present:
        if member is not survivor:
            similarity, reason = _likeness(member, survivor)
            yield NearTwin(held[member.url].url, held[survivor.url].url, similarity, reason)


def _likeness(member: Sketched, survivor: Sketched) -> tuple[float, str]:
    """Measured where one of the two is the page that the other was compared with, else estimated by their sketches."""
    if member.leader == survivor.number:
        return member.similarity, member.reason
    if survivor.leader == member.number:
        return survivor.similarity, survivor.reason
    return estimate(member.sketch, survivor.sketch), member.reason or survivor.reason


def undo_rule(folder: Path, name: str) -> RewriteRule | None:
    """Withdraws the rule of this name for good; None where there is none."""
    file = TwinsFile(folder, writing=True)
    try:
        for site in file.sites():
            rules = file.rules(site)
            for standing in rules.standings:
                if str(standing.rule) == name and standing.state is not RuleState.UNDONE:
                    file.keep_rules(site, dust.undo(rules, standing.rule))
                    return standing.rule
        return None
    finally:
        file.close()
