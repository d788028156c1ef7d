"""Who comes from another machine shows the folder's key once."""

import time

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from whimbrel.web.desk import Desk
from whimbrel.web.forms import fields
from whimbrel.web.guard import set_cookie
from whimbrel.web.presentation import page


def ask(request: Request) -> Response:
    return page(
        request, "login.html", here="login", wrong=False, q="", next=_next(request.query_params.get("next", ""))
    )


async def enter(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    sent = fields(await request.body())
    target = _next(sent.get("next", ""))
    if not desk.seals.is_key(sent.get("key", "")):
        return page(request, "login.html", 403, here="login", wrong=True, q="", next=target)
    answer = RedirectResponse(target, 303)
    visit = desk.seals.new_visit(trusted=True, now=time.time())
    answer.headers.append("Set-Cookie", set_cookie(desk.door, visit))
    return answer


def _next(path: str) -> str:
    """Only into this site: "//elsewhere" and "/\\elsewhere" would lead out of it."""
    inside = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if inside else "/"
