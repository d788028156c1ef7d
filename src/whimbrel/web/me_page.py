"""What is kept of me: the yes or no, all that is kept, as a file, and its end."""

import time

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from whimbrel.readers.contract import TooMuch
from whimbrel.readers.mine import Mine
from whimbrel.records.deed import Action
from whimbrel.web.desk import Desk
from whimbrel.web.forms import fields
from whimbrel.web.presentation import ago, page
from whimbrel.web.tries import origin_of, sender
from whimbrel.web.who import Who

SHOWN_ROWS = 50
SHOWN_PAGES = 30
NAMES = {
    Action.SCROLL: "Scrolled",
    Action.COPY: "Copied text",
    Action.FIND: "Looked for words in the page",
    Action.BACK: "Went back",
    Action.OPEN_URL: "Opened an address",
    Action.FORWARD: "Went forward",
    Action.STOP: "Stopped loading",
    Action.FAVOURITE: "Added to the favourites",
    Action.PRINT: "Printed",
    Action.SAVE: "Saved",
    Action.HYPERLINK: "Followed a link",
    Action.HOME: "Went to the start page",
    Action.CLICK: "Clicked in the page",
    Action.TIME: "Had the page open",
    Action.ACTIVE: "Read it",
    Action.KEY_UP: "Keys up",
    Action.KEY_DOWN: "Keys down",
    Action.REFRESH: "Loaded it again",
    Action.STARS: "Gave stars",
    Action.SHOWN: "Was shown it as a result",
    Action.OPENED: "Opened it from results",
    Action.LOW_RATING: "Said that it was not enough",
    Action.CRAWL_MORE: "Asked for more",
}
SECONDS = (Action.TIME, Action.ACTIVE)


def me(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    who: Who = request.state.who
    now = time.time()
    mine = Mine(desk.log, who.number) if who.number else None
    done = mine.done() if mine is not None else []
    return page(
        request,
        "me.html",
        here="me",
        q="",
        done=[(NAMES[each.action], each, each.action in SECONDS) for each in done],
        rows=[
            (ago(at, now), url, NAMES[action], amount if action in (*SECONDS, Action.STARS) else 0, query, rank)
            for at, url, _, action, amount, query, rank in (mine.rows(SHOWN_ROWS) if mine is not None else [])
        ],
        counted=sum(each.count for each in done),
        history=[(each, ago(each.at, now)) for each in desk.history(who.number, SHOWN_PAGES)],
        favourites=len(desk.keeping.favourites(who.number)),
        starred=desk.keeping.starred(who.number),
        saved=desk.keeping.saved(who.number),
        keep_days=desk.door.readers.keep_days,
        interests=desk.interests.of(who.number) if who.number else None,
        wishes=[wish for wish in desk.wishes.every() if who.number and wish.reader == who.number],
        formula=desk.search.profile_formula if desk.search.profile_weight else "",
    )


async def consent(request: Request) -> Response:
    """Yes, or no."""
    sent = fields(await request.body())
    return await run_in_threadpool(_consent, request, sent)


def _consent(request: Request, sent: dict[str, str]) -> Response:
    desk: Desk = request.app.state.desk
    who: Who = request.state.who
    back = sent.get("back", "/me")
    # Only into this site: "//elsewhere" and "/\\elsewhere" would lead out of it.
    inside = back.startswith("/") and not back.startswith(("//", "/\\")) and back.isprintable()
    answer = RedirectResponse(back if inside else "/me", 303)
    if sent.get("answer") not in ("yes", "no"):
        return page(request, "problem.html", 400, title="That was no answer", words="Say yes or no.", q="")
    yes = sent["answer"] == "yes"
    if yes and not who.may_ask:
        words = "Nothing is remembered here: the server does not ask, or this browser calls itself a program."
        return page(request, "problem.html", 403, title="Nothing is remembered here", words=words, q="")
    if who.number:
        desk.log.switch(who.number, yes)
    elif yes:
        peer = request.client.host if request.client is not None else ""
        origin = origin_of(sender(peer, request.headers.get("x-forwarded-for", ""), desk.door.behind))
        try:
            answer.headers.append("Set-Cookie", desk.readership.join(origin, time.time()))
        except TooMuch as error:
            return page(request, "problem.html", 429, title="Not today", words=str(error), q="")
    else:
        answer.headers.append("Set-Cookie", desk.readership.refusal())
    return answer


def export(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    who: Who = request.state.who
    kept = Mine(desk.log, who.number).export()
    headers = {"Content-Disposition": 'attachment; filename="what-is-kept-of-me.json"'}
    return JSONResponse(kept, headers=headers)


def delete(request: Request) -> Response:
    """Everything of this reader, and the reader. What anybody put aside without a name belongs to the folder."""
    desk: Desk = request.app.state.desk
    who: Who = request.state.who
    if who.number:
        Mine(desk.log, who.number).delete()
        desk.voices.forget()
        desk.profiles.forget(who.number)
    answer = RedirectResponse("/me", 303)
    answer.headers.append("Set-Cookie", desk.readership.refusal())
    return answer
