"""The search page, whole or only its results."""

import time
from collections.abc import Sequence

from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from whimbrel.records.url import Url
from whimbrel.search.contract import Answer, Facet, Hit
from whimbrel.urls.normal import normalise
from whimbrel.web import kept_files, library
from whimbrel.web.desk import LONGEST_QUERY, NOTHING_YET, Desk
from whimbrel.web.forms import fields
from whimbrel.web.presentation import ago, link, page
from whimbrel.web.saved_page import alert_of
from whimbrel.web.who import Who, is_looked_at

LAST_PAGE = 100
SHOWN_FACETS = 8
SHOWN_ON_HOME = 6


class FacetChoice(Struct, frozen=True):
    """A facet's value: a query that chooses it, or gives it up where it is chosen."""

    name: str
    label: str
    count: int
    query: str
    chosen: bool


class ShownHit(Struct, frozen=True):
    """A hit with its words of time. `lifted` says that it stands higher this once than its score."""

    hit: Hit
    date: str
    changed: str
    new: bool = False
    """Whether it was fetched since for this very search."""
    lifted: bool = False
    thumbnail: str = ""
    """Of a picture: the address of its kept copy, "" where it is not shown."""


def search(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    text = request.query_params.get("q", "")[:LONGEST_QUERY]
    number = page_number(request)
    fragment = "fragment" in request.query_params
    now = time.time()
    if not text.strip():
        return _home(request, desk, now, fragment)
    if not fragment and (typed := _address(desk, text)) is not None:
        return RedirectResponse(link("/read", url=typed, typed=1), 303)
    profile = desk.profiles.of(request.state.who)
    weighed = profile is not None and "plain" not in request.query_params
    answer = desk.answer(text, number, desk.door.results, profile=profile if weighed else None)
    if answer.total and not answer.hits:
        answer = desk.answer(text, _last(answer), desk.door.results, profile=profile if weighed else None)
    who: Who = request.state.who
    hits = desk.explored(who, text, answer)
    offered = [(facet.name, _choices(facet, text)) for facet in answer.facets]
    urls = [hit.url for hit in hits]
    wish, fetched = desk.fetched_for(who, text)
    pictures = _thumbnails(desk, hits)
    if fragment:
        desk.hold_shown(who, text, urls)
    elif is_looked_at(request):
        desk.note_shown(who, text, urls, (answer.page - 1) * answer.size + 1)
    return page(
        request,
        "results.html" if fragment else "search.html",
        here="search",
        q=text,
        answer=answer,
        shown=[
            _shown(hit, now, hit.url in fetched, answer.hits.index(hit) > place, pictures.get(hit.url, ""))
            for place, hit in enumerate(hits)
        ],
        facets=[(name, choices) for name, choices in offered if len(choices) > 1 or any(one.chosen for one in choices)],
        wish=wish,
        fetched=len(fetched),
        empty=NOTHING_YET in answer.notes,
        q_saved=next((each for each in desk.keeping.saved(who.number) if each.query == " ".join(text.split())), None),
        pages=_pages(answer),
        weighed=("yes" if weighed else "no") if profile is not None and desk.search.profile_weight else "",
    )


def _address(desk: Desk, text: str) -> Url | None:
    """The page whose address was typed where words are, if it is kept."""
    if not text.strip().startswith(("http://", "https://")) or " " in text.strip():
        return None
    url = normalise(text.strip())
    with library.opened(desk.location) as reader:
        return url if isinstance(url, str) and reader is not None and library.is_kept(reader, url) else None


async def seen(request: Request) -> Response:
    """Results that were typed for and looked at: counted once, when the typing has stopped."""
    desk: Desk = request.app.state.desk
    sent = fields(await request.body())
    await run_in_threadpool(desk.settle_shown, request.state.who, sent.get("q", "")[:LONGEST_QUERY])
    return Response(status_code=204)


def page_number(request: Request) -> int:
    text = request.query_params.get("page", "1")
    return min(max(1, int(text)), LAST_PAGE) if text.isascii() and text.isdigit() and len(text) < 6 else 1


def _home(request: Request, desk: Desk, now: float, fragment: bool) -> Response:
    if fragment:
        return Response(status_code=204)
    reader = request.state.who.number
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
        favourites=desk.favourites(reader)[:SHOWN_ON_HOME],
        happened=[(each, ago(each.at, now)) for each in desk.happenings()[:SHOWN_ON_HOME]],
        running=desk.crawls.seems_running(now),
        history=[(each, ago(each.at, now)) for each in desk.history(reader, SHOWN_ON_HOME)],
        alerts=[alert_of(desk, each) for each in desk.keeping.saved(reader)[:SHOWN_ON_HOME]],
    )


def _thumbnails(desk: Desk, hits: Sequence[Hit]) -> dict[Url, str]:
    """Where the kept copies of pictures are, as far as they are shown small."""
    found = {}
    with library.opened(desk.location) as reader:
        for hit in hits if reader is not None else ():
            listed = reader.one(hit.url) if hit.type == "image" and reader is not None else None
            if listed is not None and listed.mime.lower() in kept_files.THUMBNAILS:
                found[hit.url] = kept_files.file_address(desk.seals, hit.url, f"{hit.fetched_at:.3f}")
    return found


def _shown(hit: Hit, now: float, new: bool, lifted: bool, thumbnail: str) -> ShownHit:
    """One moment is said once."""
    date = ago(hit.modified_at, now)
    changed = ago(hit.changed_at, now) if hit.changed_at is not None else ""
    return ShownHit(
        hit, "" if changed == date else date, f"changed {changed}" if changed else "", new, lifted, thumbnail
    )


def _choices(facet: Facet, text: str) -> list[FacetChoice]:
    """Pages of which a facet knows nothing cannot be asked for."""
    words = text.split()
    found = []
    for value, count in [each for each in facet.values if each[0]][:SHOWN_FACETS]:
        operator = f"{facet.name}:{value}"
        chosen = operator in words
        query = " ".join(word for word in words if word != operator) if chosen else f"{text.strip()} {operator}"
        found.append(FacetChoice(facet.name, value, count, query, chosen))
    return found


def _pages(answer: Answer) -> Sequence[int]:
    """The numbers of the pages around this one."""
    last = _last(answer)
    return range(max(1, answer.page - 3), min(last, answer.page + 3) + 1) if last > 1 else ()


def _last(answer: Answer) -> int:
    return min(LAST_PAGE, -(-answer.total // answer.size))
