"""The search page, whole or only its results."""

import time
from collections.abc import Sequence

from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from whimbrel.search.contract import Answer, Facet, Hit
from whimbrel.web.desk import LONGEST_QUERY, NOTHING_YET, Desk
from whimbrel.web.forms import fields
from whimbrel.web.presentation import ago, page

LAST_PAGE = 100
SHOWN_FACETS = 8
SHOWN_ON_HOME = 6


class Choice(Struct, frozen=True):
    """A facet's value: a query that chooses it, or gives it up where it is chosen."""

    name: str
    label: str
    count: int
    query: str
    chosen: bool


class Shown(Struct, frozen=True):
    """A hit with its words of time."""

    hit: Hit
    date: str
    changed: str


def search(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    text = request.query_params.get("q", "")[:LONGEST_QUERY]
    number = page_number(request)
    fragment = "fragment" in request.query_params
    now = time.time()
    if not text.strip():
        return _home(request, desk, now, fragment)
    answer = desk.answer(text, number, desk.door.results)
    if answer.total and not answer.hits:
        answer = desk.answer(text, _last(answer), desk.door.results)
    offered = [(facet.name, _choices(facet, text)) for facet in answer.facets]
    if not fragment:
        desk.count_shown([hit.key for hit in answer.hits])
    return page(
        request,
        "results.html" if fragment else "search.html",
        here="search",
        q=text,
        answer=answer,
        shown=[_shown(hit, now) for hit in answer.hits],
        facets=[(name, choices) for name, choices in offered if len(choices) > 1 or any(one.chosen for one in choices)],
        empty=NOTHING_YET in answer.notes,
        pages=_pages(answer),
    )


async def seen(request: Request) -> Response:
    """Results that were typed for and looked at: counted once, when the typing has stopped."""
    desk: Desk = request.app.state.desk
    sent = fields(await request.body())
    keys = [int(key) for key in sent.get("keys", "").split(",")[:50] if key.lstrip("-").isdigit() and len(key) < 21]
    if keys:
        fitting = [key for key in keys if -(1 << 63) <= key < 1 << 63]
        await run_in_threadpool(desk.count_shown, fitting)
    return Response(status_code=204)


def page_number(request: Request) -> int:
    text = request.query_params.get("page", "1")
    return min(max(1, int(text)), LAST_PAGE) if text.isascii() and text.isdigit() and len(text) < 6 else 1


def _home(request: Request, desk: Desk, now: float, fragment: bool) -> Response:
    if fragment:
        return Response(status_code=204)
    seen = desk.overview()
    overview, lanes = seen if seen is not None else (None, [])
    busiest = sorted((lane for lane in lanes if lane.kept), key=lambda lane: (-lane.kept, lane.host))
    return page(
        request,
        "home.html",
        here="search",
        q="",
        overview=overview,
        lanes=busiest[:SHOWN_ON_HOME],
        sites=len(busiest),
        last_visit=ago(overview.last_visit_at, now) if overview and overview.last_visit_at else "",
        favourites=desk.favourites()[:SHOWN_ON_HOME],
        happened=[(each, ago(each.at, now)) for each in desk.happenings()[:SHOWN_ON_HOME]],
        running=desk.crawls.seems_running(now),
    )


def _shown(hit: Hit, now: float) -> Shown:
    """One moment is said once."""
    date = ago(hit.modified_at, now)
    changed = ago(hit.changed_at, now) if hit.changed_at is not None else ""
    return Shown(hit, "" if changed == date else date, f"changed {changed}" if changed else "")


def _choices(facet: Facet, text: str) -> list[Choice]:
    """Pages of which a facet knows nothing cannot be asked for."""
    words = text.split()
    found = []
    for value, count in [each for each in facet.values if each[0]][:SHOWN_FACETS]:
        operator = f"{facet.name}:{value}"
        chosen = operator in words
        query = " ".join(word for word in words if word != operator) if chosen else f"{text.strip()} {operator}"
        found.append(Choice(facet.name, value, count, query, chosen))
    return found


def _pages(answer: Answer) -> Sequence[int]:
    """The numbers of the pages around this one."""
    last = _last(answer)
    return range(max(1, answer.page - 3), min(last, answer.page + 3) + 1) if last > 1 else ()


def _last(answer: Answer) -> int:
    return min(LAST_PAGE, -(-answer.total // answer.size))
