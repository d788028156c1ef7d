"""Coverage, freshness and classes of a folder's sites, as `status` prints them."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from whimbrel.cli.folder import many
from whimbrel.cli.words import duration, number

if TYPE_CHECKING:
    from whimbrel.flows.telling.site_figures import Reach, SiteFigures

SHOWN_SITES = 10
DAY = 86_400.0
LEAST_AGE = 60.0
"""Seconds; less is what a crawl itself takes, and nothing to tell."""
PAGES, RANK = "pages", "rank"
_OVER = (("unique", "unique ones"), ("indexed", "indexed ones"), (RANK, "their weight"))


def as_object(site: "SiteFigures") -> dict[str, object]:
    """Shares of coverage are counted, `fresh` and `age_seconds` are estimated, the rest is what visits found."""
    coverage = {
        over: {"whole": reach.whole, "by_sitemap": reach.by_sitemap, "by_links": reach.by_links}
        for over, reach in site.coverage.items()
    }
    return {**msgspec.to_builtins(site), "coverage": coverage}


def lines(site: "SiteFigures", now: float) -> list[tuple[str, str]]:
    """What a person reads of one site: names and what there is to say."""
    said = [("site", f"{site.host}, {many(int(site.coverage[PAGES].whole), 'page')}{_copies(site)}")]
    said.append(("in sitemaps", _covered(site, lambda reach: reach.by_sitemap)))
    said.append(("reached by links", _covered(site, lambda reach: reach.by_links)))
    if site.upkeep.sample:
        said += [("up to date", _fresh(site)), *([("age", old)] if (old := _old(site, now)) else [])]
        counted = ", ".join(f"{number(count)} {name}" for name, count in site.classes.items())
        said.append(("change classes", counted + _of_sample(site)))
    return said


def _copies(site: "SiteFigures") -> str:
    """Copies were visited as pages were, and are known as twins of those."""
    unique = site.coverage.get("unique")
    count = int(site.coverage[PAGES].whole - unique.whole) if unique else 0
    return f" ({number(count)} of them {'a copy' if count == 1 else 'copies'})" if count else ""


def _covered(site: "SiteFigures", share: Callable[["Reach"], float]) -> str:
    shares = {share(reach) for reach in site.coverage.values()}
    if shares in ({0.0}, {1.0}):
        return "all of its pages" if 1.0 in shares else "none of its pages"
    others = [f"{100 * share(reach):.0f} % of {words}" for over, words in _OVER if (reach := site.coverage.get(over))]
    by = f" by {site.weighed_by}" if RANK in site.coverage else ""
    return f"{100 * share(site.coverage[PAGES]):.0f} % of pages, {', '.join(others)}{by}"


def _fresh(site: "SiteFigures") -> str:
    upkeep = site.upkeep
    measured = "none was visited twice yet"
    if upkeep.seen_again:
        measured = f"at their last visit {number(upkeep.found_as_kept)} of {number(upkeep.seen_again)} were (measured)"
    return f"{100 * upkeep.fresh:.0f} % now (estimated); {measured}{_of_sample(site)}"


def _old(site: "SiteFigures", now: float) -> str:
    upkeep = site.upkeep
    said = (
        "" if upkeep.age_seconds < LEAST_AGE else f"out of date for {_span(upkeep.age_seconds)} on average (estimated)"
    )
    if upkeep.announced and upkeep.announced_at is not None:
        days = max(0.0, now - upkeep.announced_at) / DAY
        waiting = f"{many(upkeep.announced, 'announced change')} not fetched yet, the oldest {days:.1f} days old"
        said = f"{said}; {waiting}" if said else waiting
    return said


def _span(seconds: float) -> str:
    return f"{seconds / DAY:.1f} days" if seconds >= DAY else duration(seconds)


def _of_sample(site: "SiteFigures") -> str:
    pages = int(site.coverage[PAGES].whole)
    return f", from a sample of {number(site.upkeep.sample)}" if site.upkeep.sample < pages else ""
