"""The rules of a run, whoever starts it: what it may spend, what it writes down, when it is over and what it saved.

The command, the pages in a browser and the library run through here, so that none of them keeps rules of its own.
"""

import time

from whimbrel.api.log import logged
from whimbrel.api.opening import OpenedCrawl, Refreshing
from whimbrel.api.refused_logins import noted
from whimbrel.api.travelling import reached, tally
from whimbrel.flows.refresh.saving import Savings, savings
from whimbrel.migrants.home.ending import RunEnd
from whimbrel.records.ending import Why


async def run_crawl(opened: OpenedCrawl) -> RunEnd:
    """Runs it to the end of its queue, its limit or its time."""
    settings = opened.settings
    since = time.time()
    try:
        async with reached(opened.far, opened.checker, opened.manager, opened.brief):
            with logged(opened.manager, settings.log.file), noted(opened.manager, opened.store):
                return await opened.manager.run(settings.crawl.time_limit_seconds)
    finally:
        tally(opened.far, list(opened.store.roster.rolls()), since)


async def run_refresh(refreshing: Refreshing) -> RunEnd:
    """Runs it to the end of its plan, its budget or its time."""
    ended = await run_crawl(refreshing.opened)
    if ended.why in (Why.FINISHED, Why.WAITING, Why.BUDGET):
        refreshing.course.finish()
    return ended


def saved_by(refreshing: Refreshing) -> Savings:
    """What a refresh found and did not have to fetch; asked before the folder is closed."""
    progress = refreshing.opened.manager.progress
    new = progress.visits - sum(progress.standings.values())
    received = sum(progress.bytes.values())
    return savings(refreshing.course, refreshing.opened.store, progress.visits, new, progress.standings, received)
