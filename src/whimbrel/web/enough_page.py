"""Was this enough? Who says no is shown what is here of the same kind as the best answer, whatever its words."""

from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from whimbrel.exchange import kinds
from whimbrel.records.deed import Action
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.views import ListedUrl, Selection, Site
from whimbrel.search.contract import Hit
from whimbrel.urls.normal import host as host_of
from whimbrel.web import library
from whimbrel.web.desk import LONGEST_QUERY, Desk
from whimbrel.web.forms import fields
from whimbrel.web.presentation import link, page
from whimbrel.web.who import Who

MOST_LOOKED_AT = 2_000
"""Pages of the site that are compared: some seconds of work."""
MOST_SHOWN = 20


class Similar(Struct, frozen=True):
    """Kept pages of the kind of the best answer that were not among the answers shown; `why_none` where none can be
    told."""

    pages: tuple[ListedUrl, ...] = ()
    why_none: str = ""


async def answered(request: Request) -> Response:
    sent = fields(await request.body())
    return await run_in_threadpool(_answered, request, sent)


def _answered(request: Request, sent: dict[str, str]) -> Response:
    desk: Desk = request.app.state.desk
    who: Who = request.state.who
    text = " ".join(sent.get("q", "")[:LONGEST_QUERY].split())
    if not text or sent.get("answer") != "no":
        return RedirectResponse(link("/", q=text), 303)
    hits = desk.answer(text, 1, desk.door.results, snippets=False, facets=False).hits
    if hits:
        desk.note_done(who, hits[0].url, Action.LOW_RATING, text)
    similar = _similar(desk, hits) if hits else Similar(why_none="Nothing that is kept answers this search.")
    best = hits[0] if hits else None
    return page(request, "enough.html", here="enough", q=text, best=best, similar=similar)


def _similar(desk: Desk, hits: tuple[Hit, ...]) -> Similar:
    best = hits[0].url
    try:
        with library.opened(desk.location) as reader:
            if reader is None:
                return Similar()
            found = kinds.like(reader, [best], Selection(site=Site(host_of(best)), limit=MOST_LOOKED_AT))
    except RepositoryError as error:
        return Similar(why_none=str(error))
    if isinstance(found, Verdict):
        return Similar(why_none="The best answer shows no kind of page by which others could be found.")
    known: set[Url] = {hit.url for hit in hits}
    alike = [one.listed for one in found.found if one.listed.url not in known][:MOST_SHOWN]
    titled = library.titled(desk.location.beside, alike)
    return Similar(tuple(titled), "" if titled else "No other page of its kind is kept.")
