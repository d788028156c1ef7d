"""Links as they cross the link between two machines: keys are worked out anew, what neighbours share is said once."""

from itertools import groupby

from msgspec import Struct

from whimbrel.records.url import Url
from whimbrel.records.visit import Link
from whimbrel.urls.normal import key as key_of

SCORE_STEPS = 1000
"""What a link promises is an order: thousandths are enough for it."""


class LinkManner(Struct, frozen=True, array_like=True):
    """What links of a page mostly have in common."""

    step: int
    hops: int
    asset: bool
    rule: str
    reason: str
    sitemap: bool


class LinkRun(Struct, frozen=True, array_like=True):
    """Neighbours that were judged alike."""

    manner: LinkManner
    urls: list[Url]
    scores: list[int]


def tight_links(links: list[Link]) -> list[LinkRun] | None:
    """None where a key is not its URL's: such links travel as they are."""
    if any(key_of(link.url) != link.key for link in links):
        return None
    return [_run(manner, list(run)) for manner, run in groupby(links, _manner)]


def loose_links(runs: list[LinkRun]) -> list[Link]:
    return [
        Link(
            key_of(url), url, run.manner.step, run.manner.hops, run.manner.asset, run.manner.rule, run.manner.reason,
            run.manner.sitemap, score / SCORE_STEPS,
        )
        for run in runs
        for url, score in zip(run.urls, run.scores or [0] * len(run.urls), strict=True)
    ]  # fmt: skip


def _manner(link: Link) -> LinkManner:
    return LinkManner(link.step, link.hops, link.asset, link.rule, link.reason, link.sitemap)


def _run(manner: LinkManner, links: list[Link]) -> LinkRun:
    scores = [round(link.score * SCORE_STEPS) for link in links]
    return LinkRun(manner, [link.url for link in links], scores if any(scores) else [])
