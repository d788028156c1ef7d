"""A real server, and a small client to ask it with."""

import http.client
import json
import re
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from whimbrel.search.contract import SearchSettings
from whimbrel.web.server import Background, OpenedServer
from whimbrel.web.settings import Door

PATIENCE_MS = 120_000
"""With a browser: a machine may be busy."""


class Answered:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def cookie(self) -> str:
        return self.headers.get("Set-Cookie", "").partition(";")[0]

    @property
    def form_token(self) -> str:
        found = re.search(r'data-token="([0-9a-f]*)"', self.text)
        assert found is not None
        return found[1]


class Running:
    """A server in a thread of its own."""

    def __init__(self, folder: Path, door: Door, reader_weight: float = 0.0) -> None:
        self.folder = folder
        # What one test reads must not move the answers of another.
        self.opened = OpenedServer(folder, door, SearchSettings(reader_weight=reader_weight))
        self.port = self.opened.port
        self.address = f"http://127.0.0.1:{self.port}"
        self.key = self.opened.key
        self._running = Background(self.opened)

    def __enter__(self) -> "Running":
        self._running.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._running.__exit__(None, None, None)

    def ask(
        self, method: str, path: str, body: bytes | None = None, *, coming_from: str = "127.0.0.1", **headers: str
    ) -> Answered:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120, source_address=(coming_from, 0))
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body, named)
            return Answered(connection.getresponse())
        finally:
            connection.close()

    def get(self, path: str, headers: dict[str, str] | None = None, **parameters: object) -> Answered:
        query = f"?{urlencode(parameters)}" if parameters else ""
        return self.ask("GET", path + query, None, **(headers or {}))

    def post(self, path: str, form: dict[str, str], *, coming_from: str = "127.0.0.1", **headers: str) -> Answered:
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.ask("POST", path, urlencode(form).encode(), coming_from=coming_from, **kind, **headers)

    def visit(self) -> tuple[str, str]:
        """A visitor's cookie, and the token that forms of theirs carry."""
        first = self.get("/crawl")
        return first.cookie, self.get("/crawl", {"Cookie": first.cookie}).form_token

    def reader(self) -> "Reader":
        """Somebody who said yes to being remembered."""
        cookie, token = self.visit()
        form = {"answer": "yes", "back": "/", "token": token}
        said = self.post("/consent", form, Cookie=cookie, User_Agent=PERSON)
        assert said.status == 303
        return Reader(self, f"{cookie}; {said.cookie}", token)


PERSON = "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"


class Reader:
    """Asks with the cookies of one reader."""

    def __init__(self, server: Running, cookies: str, token: str) -> None:
        self._server = server
        self.headers = {"Cookie": cookies, "User-Agent": PERSON}
        self.token = token

    def get(self, path: str, headers: dict[str, str] | None = None, **parameters: object) -> Answered:
        return self._server.get(path, self.headers | (headers or {}), **parameters)

    def post(self, path: str, **form: str) -> Answered:
        return self._server.post(path, form | {"token": self.token}, **self.headers)

    def send(self, batch: dict[str, object], **headers: str) -> Answered:
        body = json.dumps({"token": self.token} | batch).encode()
        return self._server.ask(
            "POST", "/events", body, **({"Content-Type": "application/json"} | self.headers | headers)
        )

    def view(self, url: str, q: str = "") -> dict[str, object]:
        """What a page that is shown tells its script, for a batch."""
        shown = self.get("/read", url=url, q=q).text
        told = {name: re.search(rf' data-{name}="([^"]*)"', shown) for name in ("url", "v", "q", "seal")}
        values = {name: unescape(found[1]) for name, found in told.items() if found is not None}
        return {**values, "v": int(values["v"])}


def follow(page: Any, spot: str) -> None:
    """Clicks what leads to another page and waits until that one is there. The page before may look alike: to wait for
    something on it would find it at once, and what is typed meanwhile is typed into nothing."""
    with page.expect_navigation():
        page.locator(spot).first.click()


def frame_of(page: Any) -> Any:
    page.wait_for_selector("iframe#copy")
    page.frame_locator("iframe#copy").locator("body").wait_for()
    return next(frame for frame in page.frames if "/kept/" in frame.url)


def settle(page: Any) -> None:
    """Until the page and its frames have done what they had in hand, and what they asked for has been asked: a request
    made now comes after those before it."""
    for frame in page.frames:
        if not frame.is_detached() and frame.url.startswith("http"):
            frame.evaluate("() => new Promise(done => setTimeout(() => setTimeout(done)))")
    page.evaluate("() => fetch('/', { cache: 'no-store' }).then(answer => answer.text())")
    page.wait_for_load_state("load")
