"""What happened, as a feed that readers of feeds ask for again and again."""

import hashlib
import time
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from whimbrel.flows.telling.feed import Feed, atom, entries, feed_of, updated
from whimbrel.flows.telling.news import FILTERS, choice_of, chosen
from whimbrel.web import library
from whimbrel.web.desk import Desk

TYPE = "application/atom+xml; charset=utf-8"


def feed(request: Request) -> Response:
    """With the same filters as `whimbrel changes`; 304 where nothing is new to the asker."""
    desk: Desk = request.app.state.desk
    choice = choice_of({name: request.query_params.get(name, "") for name in FILTERS}, time.time())
    if isinstance(choice, str):
        return PlainTextResponse(f"{choice}\n", 400)
    address = str(request.url)
    reader = f"{request.url.scheme}://{request.url.netloc}"
    with library.opened(desk.location) as news:
        if news is None:
            items, about = [], Feed(desk.location.beside.resolve().name, f"whimbrel changes {address}", reader, address)
        else:
            items, about = entries(chosen(news, choice)), feed_of(news, choice, reader, address)
    body = atom(items, about).encode()
    at = datetime.fromtimestamp(int(updated(items, about)), UTC)
    headers = {
        "ETag": f'"{hashlib.sha256(body).hexdigest()[:32]}"',
        "Last-Modified": format_datetime(at, usegmt=True),
        "Cache-Control": "private, no-cache",
    }
    if _has_it(request, headers["ETag"], at):
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=TYPE, headers=headers)


def _has_it(request: Request, tag: str, at: datetime) -> bool:
    """RFC 9110 §13.2.2: a tag is asked for first, and a date only where there is none."""
    tags = request.headers.get("if-none-match")
    if tags is not None:
        return any(one.strip().removeprefix("W/") in (tag, "*") for one in tags.split(","))
    try:
        return at <= parsedate_to_datetime(request.headers["if-modified-since"])
    except (KeyError, ValueError, TypeError):
        return False
