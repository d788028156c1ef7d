"""The terms of a topic, seen and edited in the crawl room: the crawl that runs for it uses them, or the next one."""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from whimbrel.api import stored_settings
from whimbrel.api.edited_terms import NAME, save_terms, saved_text, terms_of, uses
from whimbrel.api.seeds import SeedError
from whimbrel.api.topics import topic_asked
from whimbrel.records.request import Topical
from whimbrel.records.verdict import Verdict
from whimbrel.repository.contract import Enquiry
from whimbrel.topic.termfile import TermFile, read
from whimbrel.web.desk import Desk
from whimbrel.web.forms import fields
from whimbrel.web.presentation import page

PATH = "/crawl/terms"
GONE = "There is no topic of this number that a crawl looks for. The crawl room lists those there are."


def show(request: Request) -> Response:
    found = _found(request, request.query_params.get("number", ""))
    if found is None:
        return _gone(request)
    return _page(request, *found, _text(request, found[1]), saved=request.query_params.get("saved", ""))


async def change(request: Request) -> Response:
    return await run_in_threadpool(_change, request, fields(await request.body()))


def _change(request: Request, sent: dict[str, str]) -> Response:
    desk: Desk = request.app.state.desk
    found = _found(request, sent.get("number", ""))
    if found is None:
        return _gone(request)
    kept, topic = found
    text = "" if sent.get("do") == "back" else sent.get("terms", "").replace("\r\n", "\n")
    if sent.get("do") != "back" and not text.strip():
        return _page(request, kept, topic, text, problem="There is no keyword. Write some below [keywords].")
    wrong = save_terms(desk.location.beside, topic, text)
    if wrong is not None:
        return _page(request, kept, topic, text, problem=f"Nothing was saved: {wrong.reason}")
    taken = sent.get("do") != "back" and desk.crawls.terms_edited(topic.topic)
    return RedirectResponse(f"{PATH}?number={kept.number}&saved={'now' if taken else 'later'}", 303)


def _found(request: Request, number: str) -> tuple[Enquiry, Topical] | None:
    desk: Desk = request.app.state.desk
    return topic_asked(desk.location, number)


def _gone(request: Request) -> Response:
    return page(request, "problem.html", 404, title="No such topic", words=GONE, here="crawl", q="")


def _text(request: Request, topic: Topical) -> str:
    desk: Desk = request.app.state.desk
    return _saved(desk, topic) or terms_of(desk.location, topic)


def _saved(desk: Desk, topic: Topical) -> str:
    """What cannot be read can be written anew."""
    try:
        return saved_text(desk.location.beside, topic.topic)
    except SeedError:
        return ""


def _page(
    request: Request, kept: Enquiry, topic: Topical, text: str, *, problem: str = "", saved: str = ""
) -> Response:
    desk: Desk = request.app.state.desk
    told = read(text, NAME)
    waiting = read(_saved(desk, topic), NAME)
    settings = (stored_settings(desk.location) or {}).get("topic", {})
    last = settings.get("subject") == topic.topic
    return page(
        request, "terms.html", 400 if problem else 200, here="crawl", q="", kept=kept, topic=topic, text=text,
        keywords=() if isinstance(told, Verdict) else told.keywords, problem=problem, saved=saved, asked=last,
        waits=isinstance(waiting, TermFile) and not uses(topic, waiting),
        running=desk.crawls.progress() is not None, file=settings.get("terms") or "" if last else "",
    )  # fmt: skip
