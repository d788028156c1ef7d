"""Was this enough? Who says no is shown what is here of the kinds of the best answers, whatever its words, and what
would be fetched for them; once they confirm it, it is, while they watch."""

import time
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from whimbrel.api.wishing import Proposal, folder_settings, propose
from whimbrel.config import ConfigError
from whimbrel.readers.wishes import WishRefused
from whimbrel.records.deed import Action
from whimbrel.records.url import Url
from whimbrel.records.wish import NewWish, Wish, WishState
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.views import ListedUrl
from whimbrel.search.ask.names import titles
from whimbrel.search.contract import Hit
from whimbrel.urls.normal import key as key_of
from whimbrel.web import library
from whimbrel.web.desk import LONGEST_QUERY, Desk
from whimbrel.web.forms import fields
from whimbrel.web.presentation import link, page
from whimbrel.web.who import Who

MOST_SHOWN = 20
MOST_NEW_SHOWN = 100


class NewPage(Struct, frozen=True):
    """A page that was fetched for a wish; it has a title once the index knows it."""

    url: Url
    title: str


async def answered(request: Request) -> Response:
    sent = fields(await request.body())
    return await run_in_threadpool(_answered, request, sent)


def _answered(request: Request, sent: dict[str, str]) -> Response:
    desk: Desk = request.app.state.desk
    who: Who = request.state.who
    text = _asked(sent)
    if not text or sent.get("answer") != "no":
        return RedirectResponse(link("/", q=text), 303)
    hits = _hits(desk, text)
    if hits:
        desk.note_done(who, hits[0].url, Action.LOW_RATING, text)
    proposal = _proposal(desk, who, text, hits)
    return page(
        request,
        "enough.html",
        here="enough",
        q=text,
        best=hits[0] if hits else None,
        similar=_similar(desk, hits, proposal),
        proposal=proposal,
        wanted=desk.door.readers.more_pages,
    )


async def asked(request: Request) -> Response:
    """The confirmation: nothing but the query is believed of what was sent."""
    sent = fields(await request.body())
    return await run_in_threadpool(_begun, request, sent)


def _begun(request: Request, sent: dict[str, str]) -> Response:
    desk: Desk = request.app.state.desk
    who: Who = request.state.who
    text = _asked(sent)
    hits = _hits(desk, text) if text else ()
    proposal = desk.proposed(who, text) or _proposal(desk, who, text, hits)
    if not hits or not proposal.sites:
        return _problem(request, 400, proposal.why_none or "There is nothing to fetch for this search.", text)
    wish = NewWish(
        who.number if who.recorded else 0,
        text,
        hits[0].url,
        tuple(kind.sought for kind in proposal.kinds),
        tuple(site.host for site in proposal.sites),
        proposal.visits,
        desk.door.readers.more_pages,
    )
    number = desk.wishes.add(wish, desk.door.readers, time.time())
    if isinstance(number, WishRefused):
        return _problem(request, 429, number.words, text)
    desk.note_done(who, hits[0].url, Action.CRAWL_MORE, text)
    desk.granters.tend(time.time(), new=True)
    return RedirectResponse(f"/more/{number}", 303)


def more(request: Request) -> Response:
    """How it goes."""
    return _shown(request, "more.html")


def live(request: Request) -> Response:
    """The moving part alone."""
    return _shown(request, "more_live.html")


def stop(request: Request) -> Response:
    wish = _wish(request)
    if wish is None:
        return _problem(request, 404, "There is no such wish of yours.", "")
    desk: Desk = request.app.state.desk
    desk.wishes.end(wish.number, "it was stopped by you", time.time())
    return RedirectResponse(f"/more/{wish.number}", 303)


def _shown(request: Request, template: str) -> Response:
    desk: Desk = request.app.state.desk
    wish = _wish(request)
    if wish is None:
        return _problem(request, 404, "There is no such wish of yours.", "")
    urls = list(desk.wishes.pages([wish.number]))[:MOST_NEW_SHOWN]
    known = titles(desk.location.beside, [key_of(url) for url in urls])
    new = [NewPage(url, known.get(key_of(url), "")) for url in urls]
    return page(
        request,
        template,
        here="more",
        q=wish.query,
        wish=wish,
        open=wish.state is not WishState.ENDED,
        new=new,
        searchable=sum(bool(each.title) for each in new),
    )


def _wish(request: Request) -> Wish | None:
    """One's own; nobody's belong to the folder."""
    desk: Desk = request.app.state.desk
    number = request.path_params["number"]
    wish = desk.wishes.one(number) if number < 1 << 62 else None
    return wish if wish is not None and wish.reader in (0, request.state.who.number) else None


def _asked(sent: dict[str, str]) -> str:
    return " ".join(sent.get("q", "")[:LONGEST_QUERY].split())


def _hits(desk: Desk, text: str) -> tuple[Hit, ...]:
    return desk.answer(text, 1, desk.door.results, snippets=False, facets=False).hits


def _proposal(desk: Desk, who: Who, text: str, hits: Sequence[Hit]) -> Proposal:
    if not hits:
        return Proposal(why_none="Nothing that is kept answers this search.")
    allowed = desk.wishes.allowance(who.number if who.recorded else 0, desk.door.readers, time.time())
    visits = 0 if isinstance(allowed, WishRefused) else allowed
    try:
        with library.opened(desk.location) as reader:
            if reader is None:
                return Proposal(why_none="Nothing is kept in this folder yet.")
            settings = folder_settings(reader, desk.door.networks)
            found = propose(reader, [hit.url for hit in hits], settings, visits, desk.crawls.barred)
    except (RepositoryError, ConfigError) as error:
        return Proposal(why_none=str(error))
    if isinstance(allowed, WishRefused):
        return replace(found, why_none=allowed.words)
    desk.propose(who, text, found)
    return found


def _similar(desk: Desk, hits: Sequence[Hit], proposal: Proposal) -> list[ListedUrl]:
    """What is here of the kinds and was not among the answers."""
    known = {hit.url for hit in hits}
    alike = [one for one in proposal.pages if one.url not in known][:MOST_SHOWN]
    return library.titled(desk.location.beside, alike)


def _problem(request: Request, status: int, words: str, text: str) -> Response:
    return page(request, "problem.html", status, title="Nothing is fetched", words=words, q=text)
