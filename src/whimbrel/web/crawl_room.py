"""The crawl room: add a site, watch, stop, go on, and see what changed."""

import time
from collections.abc import Sequence

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from whimbrel.flows.telling.site_figures import SiteFigures
from whimbrel.places.home.book import PlaceBook
from whimbrel.places.home.telling import place_lines
from whimbrel.web.charts import chart, harvest_curve
from whimbrel.web.crawls import ProgressSample
from whimbrel.web.desk import Desk
from whimbrel.web.forms import fields
from whimbrel.web.keep_page import bookmarklet
from whimbrel.web.presentation import ago, page, percent
from whimbrel.web.wanted import SCOPES, wish_of

SHOWN_HOSTS = 50
SHOWN_NOTES = 10
DAY_SECONDS = 86_400.0
LEAST_SAMPLES = 3
"""From which on a chart shows a course."""


def room(request: Request) -> Response:
    return page(request, "crawl.html", here="crawl", q="", wish={}, problem="", scopes=SCOPES, **_values(request))


def live(request: Request) -> Response:
    """The moving part alone."""
    return page(request, "live.html", here="crawl", **_values(request))


def _values(request: Request) -> dict[str, object]:
    address = f"{request.url.scheme}://{request.url.netloc}"
    desk: Desk = request.app.state.desk
    now = time.time()
    invited = PlaceBook(desk.location.beside).read().places.values()
    progress = desk.crawls.sample(now)
    seen = desk.overview()
    overview, lanes = seen if seen is not None else (None, [])
    samples = desk.crawls.samples()
    end = "now" if progress is not None else "end"
    crawled = (lane for lane in lanes if lane.kept or lane.due)
    busiest = sorted(crawled, key=lambda lane: (-lane.due, -lane.kept, lane.host))
    return {
        "progress": progress,
        "stopping": progress is not None and desk.crawls.is_stopping(progress),
        "starting": progress is None and desk.crawls.starting(),
        "ending": desk.crawls.ending() if progress is None else None,
        "elapsed": now - progress.began if progress is not None else 0.0,
        "overview": overview,
        "lanes": busiest[:SHOWN_HOSTS],
        "hosts": len(busiest),
        "sites": [_site(site) for site in desk.sites()[:SHOWN_HOSTS]],
        "charts": [
            chart("Pages a second", samples, of="pages", end=end),
            chart("Outcomes a second", samples, of="outcomes", end=end),
            chart("Bytes a second", samples, of="bytes", end=end),
            *([harvest_curve(samples, end=end)] if _judged(samples) else []),
        ]
        if len(samples) >= LEAST_SAMPLES
        else [],
        "invited": [(place, place_lines(place, now)[1:]) for place in invited],
        "topics": desk.topics()[:SHOWN_HOSTS],
        "notes": progress.notes[-SHOWN_NOTES:] if progress is not None else (),
        "bookmarklet": bookmarklet(request),
        "address_here": address,
        "happened": [(each, ago(each.at, now)) for each in desk.happenings()],
    }


def _judged(samples: Sequence[ProgressSample]) -> bool:
    return bool(samples and samples[-1].progress.judged)


def _site(site: SiteFigures) -> dict[str, object]:
    """What is counted, estimated and measured of one site, in the order of the columns."""
    upkeep = site.upkeep
    measured = upkeep.seen_again and f"{percent(upkeep.found_as_kept / upkeep.seen_again)} of {upkeep.seen_again}"
    return {
        "host": site.host,
        "weighed_by": site.weighed_by,
        "pages": site.coverage["pages"],
        "weight": site.coverage["rank"],
        "fresh": percent(upkeep.fresh) if upkeep.sample else "–",
        "again": measured or "–",
        "age": f"{upkeep.age_seconds / DAY_SECONDS:.1f}" if upkeep.sample else "–",
        "classes": list(site.classes.items()),
    }


async def start(request: Request) -> Response:
    sent = fields(await request.body())
    return await run_in_threadpool(_start, request, sent)


def _start(request: Request, sent: dict[str, str]) -> Response:
    desk: Desk = request.app.state.desk
    wish = wish_of(sent)
    return _answer(request, wish if isinstance(wish, str) else desk.crawls.start(wish), sent)


def resume(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    problem = "There is no crawl to go on with. Add a site." if desk.overview() is None else desk.crawls.start(None)
    return _answer(request, problem, {})


def stop(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    return _answer(request, desk.crawls.stop(), {})


def _answer(request: Request, problem: str, wish: dict[str, str]) -> Response:
    if not problem:
        return RedirectResponse("/crawl", 303)
    values = _values(request)
    return page(request, "crawl.html", 400, here="crawl", q="", wish=wish, problem=problem, scopes=SCOPES, **values)
