"""Everything passes here first: the Host header, the key, the form token, and the headers of every answer."""

import secrets
import time
from collections import deque
from urllib.parse import parse_qs, quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from whimbrel.web.policy import OUR_PAGES, host_name
from whimbrel.web.presentation import page
from whimbrel.web.seals import SESSION_SECONDS, Seals
from whimbrel.web.settings import Door, is_ours

TOKEN_FIELD = "token"
TOKEN_HEADER = "x-whimbrel-token"
LARGEST_FORM_BYTES = 64 * 1024
MOST_WRONG_KEYS = 10
WRONG_KEYS_WINDOW_SECONDS = 60.0

_OPEN = ("/login", "/static/")
# Kept files carry a seal in their address: a sandboxed frame sends no cookies.
_SEALED = "/kept/"


_OURS = [(name.lower().encode(), value.encode()) for name, value in (OUR_PAGES | {"Cache-Control": "no-store"}).items()]
"""What every answer carries that does not say otherwise."""


class Guard:
    """An ASGI application around the real one."""

    def __init__(self, app: ASGIApp, door: Door, seals: Seals) -> None:
        self._app = app
        self._door = door
        self._seals = seals
        self._wrong_keys: deque[float] = deque()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        now = time.time()
        answer, body = await self._turned_away(request, now)
        if answer is not None:
            await answer(scope, receive, _with_headers(send, ""))
            return
        cookie = self._new_cookie(request, now)
        await self._app(scope, _again(body, receive) if body is not None else receive, _with_headers(send, cookie))

    async def _turned_away(self, request: Request, now: float) -> tuple[Response | None, bytes | None]:
        """An answer where the request goes no further; else the body, where it has been read."""
        host = request.headers.get("host", "")
        if not is_ours(host_name(host), self._door):
            words = (
                f"This server does not answer to the name {host[:100]!r}. Start it with --allow-host to change that."
            )
            return _refusal(request, 421, words), None
        if request.method in ("GET", "HEAD"):
            if _is_drawn_in(request):
                return _refusal(request, 403, "This page is read by itself, not from within another site's."), None
            return self._without_key(request, now), None
        if request.method != "POST":
            return _refusal(request, 405, "Only GET and POST are understood here."), None
        if not _same_origin(request):
            return _refusal(request, 403, "This form was sent from another site."), None
        body = await _body(request)
        if body is None:
            return _refusal(request, 413, "That is more than any form here holds."), None
        return self._post_refused(request, body, now), body

    def _without_key(self, request: Request, now: float) -> Response | None:
        path = _path(request)
        if path.startswith((*_OPEN, _SEALED)) or self._is_known(request, now):
            return None
        if path.startswith("/api/"):
            return _refusal(request, 401, "Send the folder's key: Authorization: Bearer KEY.")
        query = request.scope["query_string"].decode("latin-1")
        return RedirectResponse(f"/login?next={quote(f'{path}?{query}' if query else path)}", 303)

    def _post_refused(self, request: Request, body: bytes, now: float) -> Response | None:
        if self._has_key(request):
            return None
        if _path(request) == "/login":
            return self._too_many_tries(request, now)
        if not self._is_known(request, now):
            return _refusal(request, 401, "Log in first.")
        visitor = self._visitor(request, now)
        if not visitor or not self._seals.holds(_token(request, body), "form", visitor):
            return _refusal(request, 403, "This form has run out. Go back, load the page again and send it anew.")
        return None

    def _too_many_tries(self, request: Request, now: float) -> Response | None:
        while self._wrong_keys and self._wrong_keys[0] < now - WRONG_KEYS_WINDOW_SECONDS:
            self._wrong_keys.popleft()
        if len(self._wrong_keys) >= MOST_WRONG_KEYS:
            return _refusal(request, 429, "Too many tries. Wait a minute.")
        self._wrong_keys.append(now)
        return None

    def _is_known(self, request: Request, now: float) -> bool:
        return not self._door.locked or self._has_key(request) or bool(self._visitor(request, now))

    def _has_key(self, request: Request) -> bool:
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and self._seals.is_key(key)

    def _visitor(self, request: Request, now: float) -> str:
        cookie = request.cookies.get(cookie_name(self._door), "")
        return self._seals.visitor(cookie, trusted=self._door.locked, now=now)

    def _new_cookie(self, request: Request, now: float) -> str:
        """A visit of its own for a reader who has none; it is what form tokens are bound to."""
        visitor = self._visitor(request, now)
        cookie = ""
        if not visitor and not self._door.locked and not _path(request).startswith((*_OPEN, _SEALED, "/api/")):
            visit = self._seals.new_visit(trusted=False, now=now)
            visitor, cookie = visit.partition(".")[0], set_cookie(self._door, visit)
        request.state.visitor = visitor
        request.state.form_token = self._seals.form_token(visitor) if visitor else ""
        request.state.nonce = secrets.token_urlsafe(16)
        return cookie


def cookie_name(door: Door) -> str:
    """Cookies do not tell ports apart; two servers on one machine must not undo each other's."""
    return f"whimbrel-{door.port}"


def set_cookie(door: Door, visit: str) -> str:
    return f"{cookie_name(door)}={visit}; Path=/; Max-Age={SESSION_SECONDS}; HttpOnly; SameSite=Strict"


def _same_origin(request: Request) -> bool:
    """Whether a form was sent from a page of ours, as far as the browser says.

    Under our own referrer policy it calls the origin of our forms "null" (Fetch standard §3.2), which a frame without
    an origin is called too; on loopback and over TLS `Sec-Fetch-Site` tells the two apart. What says nothing at all is
    no browser. The token has to be shown in any case.
    """
    origin = request.headers.get("origin", "null")
    if origin != "null":
        return origin in (f"http://{request.headers['host']}", f"https://{request.headers['host']}")
    return request.headers.get("sec-fetch-site", "same-origin") == "same-origin"


def _is_drawn_in(request: Request) -> bool:
    """Whether another origin's page fetches or shows this as a part of its own, which would make us count and compute.

    Following a link from there is no such thing. Kept files are asked for by a frame without an origin.
    """
    return (
        request.headers.get("sec-fetch-site") in ("cross-site", "same-site")
        and request.headers.get("sec-fetch-mode") != "navigate"
        and not _path(request).startswith(_SEALED)
    )


async def _body(request: Request) -> bytes | None:
    read = bytearray()
    async for part in request.stream():
        read += part
        if len(read) > LARGEST_FORM_BYTES:
            return None
    return bytes(read)


def _again(body: bytes, receive: Receive) -> Receive:
    waiting = [body]

    async def replay() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return replay


def fields(body: bytes) -> dict[str, str]:
    """The fields of a form; of one sent twice, the last."""
    read = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=100)
    return {name: values[-1] for name, values in read.items()}


def _token(request: Request, body: bytes) -> str:
    given = request.headers.get(TOKEN_HEADER)
    if given is not None:
        return given
    try:
        return fields(body).get(TOKEN_FIELD, "")
    except ValueError:
        return ""


def _path(request: Request) -> str:
    """Without putting a whole URL together first."""
    path: str = request.scope["path"]
    return path


def _refusal(request: Request, status: int, words: str) -> Response:
    if _path(request).startswith("/api/"):
        return JSONResponse({"error": words}, status)
    if "text/html" in request.headers.get("accept", ""):
        # Who has yet to show the key is offered no places that only lead back to the login.
        here = "login" if status in (401, 429) else ""
        return page(request, "problem.html", status, here=here, title="That was refused", words=words, q="")
    return Response(words + "\n", status, media_type="text/plain")


def _with_headers(send: Send, cookie: str) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *(pair for pair in _OURS if pair[0] not in given)]
            if cookie:
                message["headers"].append((b"set-cookie", cookie.encode("latin-1")))
        await send(message)

    return sending
