"""What interests me: bookmarks from a browser's file, fields, a start page, and the switch. Part of `/me`."""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from whimbrel.readers.bookmarks import BadBookmarks, read_bookmarks
from whimbrel.readers.interests import fields_of
from whimbrel.records.verdict import Verdict
from whimbrel.urls.normal import normalise
from whimbrel.web.desk import Desk
from whimbrel.web.forms import fields
from whimbrel.web.presentation import page
from whimbrel.web.uploads import uploaded
from whimbrel.web.who import Who

SAY_YES = "What interests you is kept for a reader with a name. Say yes on this page first; then it is yours to delete."


async def say(request: Request) -> Response:
    sent = fields(await request.body())
    return await run_in_threadpool(_said, request, sent)


def _said(request: Request, sent: dict[str, str]) -> Response:
    desk: Desk = request.app.state.desk
    who: Who = request.state.who
    if not who.number:
        return _problem(request, 403, SAY_YES)
    if sent.get("do") in ("on", "off"):
        desk.interests.switch(who.number, sent["do"] == "on")
    else:
        text = sent.get("start", "").strip()
        start = normalise(text if "://" in text else f"https://{text}") if text else None
        if isinstance(start, Verdict):
            words = f"“{text[:200]}” cannot be a start page: {start.reason}. Write it like https://docs.example.org."
            return _problem(request, 400, words)
        desk.interests.say(who.number, fields_of(sent.get("fields", "")), start)
    desk.profiles.forget(who.number)
    return RedirectResponse("/me#interests", 303)


async def bookmarks(request: Request) -> Response:
    sent = await request.body()
    return await run_in_threadpool(_taken, request, sent)


def _taken(request: Request, sent: bytes) -> Response:
    desk: Desk = request.app.state.desk
    who: Who = request.state.who
    if not who.number:
        return _problem(request, 403, SAY_YES)
    file = uploaded(sent, request.headers.get("content-type", "")).get("file")
    read = read_bookmarks(file or b"")
    if isinstance(read, BadBookmarks):
        return _problem(request, 400, read.words)
    desk.interests.keep_bookmarks(who.number, read.bookmarks)
    desk.profiles.forget(who.number)
    left = [f"{read.beyond} older ones were left out"] if read.beyond else []
    left += [f"{read.unread} entries had no address of a web page"] if read.unread else []
    words = (
        f"{len(read.bookmarks)} bookmarks were taken{''.join(f'; {one}' for one in left)}. Nothing of them is fetched."
    )
    return page(request, "problem.html", title="Bookmarks are taken", words=words, q="")


def _problem(request: Request, status: int, words: str) -> Response:
    return page(request, "problem.html", status, title="Nothing was changed", words=words, q="")
