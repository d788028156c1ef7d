"""Saved searches: kept, dropped, and what is new among their answers, on the start page and as a feed."""

import hashlib
import time

from msgspec import Struct
from msgspec.structs import replace
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from whimbrel.flows.telling.feed import Feed, atom
from whimbrel.flows.telling.folding import FoldedChange
from whimbrel.flows.telling.news import choice_of, chosen
from whimbrel.readers.keeping import SavedSearch
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.views import Told
from whimbrel.search.contract import Hit
from whimbrel.web import library
from whimbrel.web.desk import LONGEST_QUERY, Desk
from whimbrel.web.feed_page import TYPE
from whimbrel.web.forms import fields
from whimbrel.web.presentation import link, page
from whimbrel.web.who import Who

MOST_HITS = 500
"""Of the best answers to a saved search, among which news is looked for."""
_PAGE = 100
MOST_ENTRIES = 50


class Alert(Struct, frozen=True):
    """A saved search with what came since it was saved, the newest first."""

    saved: SavedSearch
    news: tuple[Hit, ...]


def alert_of(desk: Desk, saved: SavedSearch) -> Alert:
    new = [hit for hit in _answers(desk, saved.query) if _came(hit) > saved.at]
    return Alert(saved, tuple(sorted(new, key=_came, reverse=True)[:MOST_ENTRIES]))


def _answers(desk: Desk, query: str) -> list[Hit]:
    found: list[Hit] = []
    while len(found) < MOST_HITS:
        answer = desk.answer(query, len(found) // _PAGE + 1, _PAGE, snippets=False, facets=False)
        found += answer.hits
        if len(answer.hits) < _PAGE:
            break
    return found


def _came(hit: Hit) -> float:
    """When this state of the page was kept."""
    return max(hit.fetched_at, hit.changed_at or 0.0)


async def change(request: Request) -> Response:
    """Saves a search, drops it, or gives its feed another address."""
    sent = fields(await request.body())
    return await run_in_threadpool(_change, request, sent)


def _change(request: Request, sent: dict[str, str]) -> Response:
    desk: Desk = request.app.state.desk
    who: Who = request.state.who
    query = " ".join(sent.get("q", "")[:LONGEST_QUERY].split())
    number = int(sent["number"]) if sent.get("number", "").isdigit() and len(sent["number"]) < 18 else 0
    if number and sent.get("do") == "renew":
        desk.keeping.renew(number, who.number)
    elif number and sent.get("do") == "drop":
        desk.keeping.drop(number, who.number)
    elif query and sent.get("do") == "save":
        if desk.keeping.save(query, time.time(), who.number) is None:
            words = "So many searches are saved already that one more finds no place. Drop some on the start page."
            return page(request, "problem.html", 409, title="Too many saved searches", words=words, q=query)
    else:
        return page(request, "problem.html", 400, title="Nothing to save", words="Type what to look for first.", q="")
    return RedirectResponse(link("/", q=query) if query else "/saved", 303)


def saved(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    who: Who = request.state.who
    alerts = [alert_of(desk, each) for each in desk.keeping.saved(who.number)]
    return page(request, "saved.html", here="saved", q="", alerts=alerts)


def feed(request: Request) -> Response:
    """New and changed pages that answer a saved search. The address is the permission: it can be taken back."""
    desk: Desk = request.app.state.desk
    saved = desk.keeping.saved_by(request.path_params["token"])
    if saved is None:
        return PlainTextResponse("There is no such feed, or its address was taken back.\n", 404)
    reader = f"{request.url.scheme}://{request.url.netloc}"
    about = Feed(f"“{saved.query}”", f"whimbrel saved {saved.token}", reader, str(request.url), saved.at)
    items = _items(desk, alert_of(desk, saved))
    body = atom(items, about).encode()
    headers = {"ETag": f'"{hashlib.sha256(body).hexdigest()[:32]}"', "Cache-Control": "private, no-cache"}
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=TYPE, headers=headers)


def _items(desk: Desk, alert: Alert) -> list[FoldedChange]:
    """With what changed in them, where the folder knows it."""
    told = {item.told.url: item for item in _happened(desk, alert.saved.at)}
    return [
        told.get(hit.url)
        or FoldedChange(Told(_came(hit), "new", hit.url, hit.title, "", 0.0, None, None, None, b"", ""))
        for hit in alert.news
    ]


def _happened(desk: Desk, since: float) -> list[FoldedChange]:
    choice = choice_of({}, time.time())
    if isinstance(choice, str):
        return []
    try:
        with library.opened(desk.location) as news:
            return list(chosen(news, replace(choice, since=since))) if news is not None else []
    except RepositoryError:
        return []
