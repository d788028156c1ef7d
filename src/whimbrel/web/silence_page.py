"""Not to be told of something again: what of a change can be silenced, what is silenced, and how it is taken back."""

import time

from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from whimbrel.flows.attention.book import REACHES, AttentionBook, Reach, Silence
from whimbrel.flows.telling.silencing import offered, silence, told_by
from whimbrel.urls.normal import authority
from whimbrel.web import changes_page, library
from whimbrel.web.desk import Desk
from whimbrel.web.forms import fields
from whimbrel.web.presentation import clock, page, placed

PATH = "/changes/silenced"


class ShownSilence(Struct, frozen=True):
    said: Silence
    site: str
    since: str
    places: tuple[str, ...]


def ask(request: Request) -> Response:
    """Which places of a change are meant, and how far the word reaches."""
    desk: Desk = request.app.state.desk
    with library.opened(desk.location) as reader:
        told = told_by(reader, request.query_params.get("change", "")) if reader is not None else "Nothing is kept yet."
        if reader is None or isinstance(told, str):
            return _none(request, str(told))
        offer = offered(reader, told)
    return page(
        request, "silence.html", here="changes", q="", offer=offer, site=authority(told.url), at=clock(told.at),
        change=request.query_params["change"], back=_back(request.query_params.get("back", "")),
    )  # fmt: skip


async def say(request: Request) -> Response:
    # A box that is ticked is a field of its own, so that the last of them does not win.
    return await run_in_threadpool(_say, request, fields(await request.body()))


def _say(request: Request, sent: dict[str, str]) -> Response:
    desk: Desk = request.app.state.desk
    reach: Reach = next((one for one in REACHES if one == sent.get("reach")), "place")
    numbers = [int(name[6:]) for name in sent if name.startswith("place-") and name[6:].isdecimal() and len(name) < 12]
    with library.opened(desk.location) as reader, AttentionBook(desk.location) as book:
        told = told_by(reader, sent.get("change", "")) if reader is not None else "Nothing is kept yet."
        if reader is None or isinstance(told, str):
            return _none(request, str(told))
        offer = offered(reader, told)
        if reach != "page" and offer.places and not numbers:
            words = "Tick the places of which you do not want to be told, or choose the whole page."
            return page(request, "problem.html", 400, title="Nothing was ticked", words=words, q="")
        number = silence(book, offer, numbers, reach, time.time())
    if isinstance(number, str):
        return page(request, "problem.html", 400, title="This cannot be silenced", words=number, q="")
    desk.forget_happenings()
    back = _back(sent.get("back", ""))
    return RedirectResponse(f"{back}{'&' if '?' in back else '?'}said={number}", 303)


def silences(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    with AttentionBook(desk.location) as book:
        known = [
            ShownSilence(one, authority(one.url), clock(one.at), tuple(map(_in_words, one.said)))
            for one in reversed(book.silences())
        ]
    return page(request, "silenced.html", here="changes", q="", silences=known)


async def undo(request: Request) -> Response:
    return await run_in_threadpool(_undo, request, fields(await request.body()))


def _undo(request: Request, sent: dict[str, str]) -> Response:
    desk: Desk = request.app.state.desk
    number = sent.get("number", "")
    with AttentionBook(desk.location) as book:
        taken = book.undo(int(number)) if number.isdecimal() and len(number) < 18 else None
    if taken is None:
        return _none(request, "There is no such silence, or it was taken back already.")
    desk.forget_happenings()
    return RedirectResponse(_back(sent.get("back", PATH)), 303)


def _back(given: str) -> str:
    """Only to the changes room: an address from elsewhere leads nobody away."""
    path = given.partition("?")[0].partition("#")[0]
    return given[:4_000] if path in (changes_page.PATH, PATH) and given.isprintable() else changes_page.PATH


def _in_words(said: str) -> str:
    """What it takes, and the place by what readers call it."""
    takes, colon, place = said.partition(": ")
    return f"{takes}{colon}{placed(place)}"


def _none(request: Request, words: str) -> Response:
    return page(request, "problem.html", 404, here="changes", title="No such change", words=words, q="")
