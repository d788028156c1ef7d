"""Everything passes here first: the Host header, the key, the form token, and the headers of every answer."""

import math
import secrets
import time
from collections.abc import Callable
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from whimbrel.readers.bookmarks import LARGEST_BYTES as LARGEST_FILE
from whimbrel.readers.sending import token_of
from whimbrel.web.forms import LARGEST_BYTES, BadForm, check_kind, fields
from whimbrel.web.policy import OUR_PAGES, host_name
from whimbrel.web.presentation import page
from whimbrel.web.rights import HOW_TO_SHOW, Rights
from whimbrel.web.seals import SESSION_SECONDS, Seals
from whimbrel.web.settings import Door, is_ours
from whimbrel.web.tries import WrongKeys, sender
from whimbrel.web.uploads import is_upload, uploaded
from whimbrel.web.who import Who

TOKEN_FIELD = "token"
TOKEN_HEADER = "x-whimbrel-token"

_PINGED = "/indexnow"
LARGEST_PING = 4 << 20
"""What sites tell: they have no key of ours, and what they say changes nothing but what a refresh looks at."""
_OPEN = ("/login", "/static/", "/healthz", "/opensearch.xml", "/keep/from", _PINGED)
_TOLD = "/events"
"""What browsers tell of their readers: JSON, with the form's token in it, since a beacon has no headers."""
_BOOKMARKS = "/me/bookmarks"
"""A file comes with this form, which no other has."""
_OWN = (_TOLD, "/consent", "/me/delete", "/enough", "/me/interests", _BOOKMARKS)
"""What is a reader's own to change, wherever they may read."""
# Kept files carry a seal in their address: a sandboxed frame sends no cookies.
_SEALED = "/kept/"
_ASKED = "/mcp"
"""What agents ask: each question is a POST and changes nothing, so it takes the right to read."""
_MEASURED = "/metrics"
_FEEDS = "/saved/"
"""Feeds of saved searches: programs ask for them and show no key. The address holds a token that can be taken back."""


_OURS = [(name.lower().encode(), value.encode()) for name, value in (OUR_PAGES | {"Cache-Control": "no-store"}).items()]
"""What every answer carries that does not say otherwise."""


class WebGuard:
    """An ASGI application around the real one."""

    def __init__(
        self,
        app: ASGIApp,
        door: Door,
        seals: Seals,
        holds_private: Callable[[], bool] = lambda: False,
        who: Callable[[Request], Who] = lambda request: Who(),
    ) -> None:
        self._app = app
        self._rights = Rights(door)
        self._holds_private = holds_private
        self._door = door
        self._seals = seals
        self._wrong_keys = WrongKeys()
        self._who = who

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        now = time.time()
        self._rights.notice(request)
        try:
            answer, body = await self._turned_away(request, now)
        except ClientDisconnect:
            return  # nobody is left to be answered
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
        if (shown := _bearer(request)) is not None and (tried := self._tried(request, shown, now)) is not None:
            return tried, None
        if request.method in ("GET", "HEAD"):
            if _is_drawn_in(request):
                return _refusal(
                    request, 403, "This page opens by itself only, not inside a page of another site."
                ), None
            return await self._without_key(request, now), None
        if request.method != "POST":
            return _refusal(request, 405, "Only GET and POST are understood here."), None
        if not _same_origin(request):
            return _refusal(request, 403, "This form was sent from another site."), None
        body = await _body(request)
        if body is None:
            return _refusal(request, 413, "What was sent is larger than any form here."), None
        if _path(request) == _PINGED:
            return None, body
        if _path(request) == _ASKED:
            return await self._without_key(request, now), body
        if (wrong := _form_refused(request, body)) is not None:
            return wrong, None
        return self._post_refused(request, body, now), body

    async def _without_key(self, request: Request, now: float) -> Response | None:
        path = _path(request)
        if path.startswith((*_OPEN, _SEALED, _FEEDS)) or self._is_owner(request, now):
            return None
        if not self._door.locked and not (self._rights.shared and await run_in_threadpool(self._holds_private)):
            return None
        if path.startswith("/api/") or path in (_ASKED, _MEASURED):
            return _refusal(request, 401, "Send the folder's key: Authorization: Bearer KEY.")
        query = request.scope["query_string"].decode("latin-1")
        return RedirectResponse(f"/login?next={quote(f'{path}?{query}' if query else path)}", 303)

    def _post_refused(self, request: Request, body: bytes, now: float) -> Response | None:
        if _path(request) == "/login":
            return self._tried(request, fields(body).get("key", ""), now)
        own = _path(request) in _OWN
        if (refused := self._rights.refused(own or self._is_owner(request, now))) is not None:
            return _refusal(request, *refused)
        if self._has_key(request):
            return None
        visitor = self._visitor(request, now)
        if not visitor or not self._seals.holds(_token(request, body), "form", visitor):
            return _refusal(request, 403, "This form has expired. Go back, load the page again and send it once more.")
        return None

    def _tried(self, request: Request, key: str, now: float) -> Response | None:
        """Whoever showed too many wrong keys is not told whether this one is right."""
        peer = request.client.host if request.client is not None else ""
        address = sender(peer, request.headers.get("x-forwarded-for", ""), self._door.behind)
        if wait := self._wrong_keys.wait_seconds(address, now):
            answer = _refusal(request, 429, "Too many wrong keys came from your address. Wait a minute.")
            answer.headers["Retry-After"] = str(math.ceil(wait))
            return answer
        if not self._seals.is_key(key):
            self._wrong_keys.note(address, now)
        return None

    def _is_owner(self, request: Request, now: float) -> bool:
        """Whether the key was shown, now or at the login."""
        cookie = request.cookies.get(cookie_name(self._door), "")
        return self._has_key(request) or bool(self._seals.visitor(cookie, trusted=True, now=now))

    def _has_key(self, request: Request) -> bool:
        shown = _bearer(request)
        return shown is not None and self._seals.is_key(shown)

    def _visitor(self, request: Request, now: float) -> str:
        cookie = request.cookies.get(cookie_name(self._door), "")
        return self._seals.visitor(cookie, trusted=self._door.locked, now=now)

    def _new_cookie(self, request: Request, now: float) -> str:
        """A visit of its own for a reader who has none; it is what form tokens are bound to."""
        visitor = self._visitor(request, now)
        cookie = ""
        if not visitor and not self._door.locked and not _path(request).startswith((*_OPEN, _SEALED, _FEEDS, "/api/")):
            visit = self._seals.new_visit(trusted=False, now=now)
            visitor, cookie = visit.partition(".")[0], set_cookie(self._door, visit)
        request.state.visitor = visitor
        request.state.form_token = self._seals.form_token(visitor) if visitor else ""
        refused = self._rights.refused(self._is_owner(request, now))
        request.state.unchangeable = refused[1].removesuffix(HOW_TO_SHOW) if refused is not None else ""
        request.state.nonce = secrets.token_urlsafe(16)
        request.state.who = self._who(request)
        request.state.is_owner = self._is_owner(request, now)
        return cookie


def _bearer(request: Request) -> str | None:
    """The key that a program shows (RFC 6750 §2.1)."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    return key if scheme.lower() == "bearer" else None


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
    most = LARGEST_BYTES + (LARGEST_FILE if _path(request) == _BOOKMARKS else 0)
    if _path(request) == _PINGED:
        most = LARGEST_PING
    async for part in request.stream():
        read += part
        if len(read) > most:
            return None
    return bytes(read)


def _again(body: bytes, receive: Receive) -> Receive:
    waiting = [body]

    async def replay() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return replay


def _form_refused(request: Request, body: bytes) -> Response | None:
    """Why a form cannot be read. What is sent to the JSON interface is no form."""
    if _path(request).startswith("/api/"):
        return None
    if _path(request) == _TOLD:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        return None if kind == "application/json" else _refusal(request, 415, "Batches are read as application/json.")
    if _path(request) == _BOOKMARKS and is_upload(request.headers.get("content-type", "")):
        return None
    try:
        check_kind(request.headers.get("content-type", ""))
        fields(body)
    except BadForm as error:
        return _refusal(request, error.status, str(error))
    return None


def _token(request: Request, body: bytes) -> str:
    given = request.headers.get(TOKEN_HEADER)
    if given is not None:
        return given
    if _path(request) == _TOLD:
        return token_of(body)
    if _path(request) == _BOOKMARKS:
        return uploaded(body, request.headers.get("content-type", "")).get(TOKEN_FIELD, b"").decode("ascii", "replace")
    try:
        return fields(body).get(TOKEN_FIELD, "")
    except BadForm:
        return ""


def _path(request: Request) -> str:
    """Without putting a whole URL together first."""
    path: str = request.scope["path"]
    return path


def _refusal(request: Request, status: int, words: str) -> Response:
    if _path(request).startswith(("/api/", _TOLD, _ASKED, _MEASURED)):
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
