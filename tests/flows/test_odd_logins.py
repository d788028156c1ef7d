"""Sites that answer a login oddly: what they give cannot break a run, and what they repeat is told to nobody."""

import asyncio
import html
import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, quote_plus

import pytest

from commands import asking
from folders import every_byte, outcomes
from whimbrel.fetch.cookies import given_in
from whimbrel.fetch.credentials import Credentials, Login
from whimbrel.flows.visit.signing_in import sign_in
from whimbrel.records.response import Response
from whimbrel.records.url import Url
from whimbrel.testing.web import Reply, Request, TinyWeb

Told = Callable[..., tuple[int, dict[str, object], str]]
PASSWORD = 'correct&horse "battery" 7391'
FORM = b"<title>Log in</title><form method=post><input name=user><input type=password name=pass></form>"


class Estate(TinyWeb):
    """Its rooms are below /wiki/ and its door is not. Every stranger is given a session of no use."""

    def __init__(self, leads_to: str = "/wiki/", also: str = "") -> None:
        self.leads_to, self.also = leads_to, also
        self.logins = 0
        rooms = dict.fromkeys(["/wiki/", *(f"/wiki/{at}" for at in range(4))], self._room)
        super().__init__(rooms | {"/login": self._door, "/robots.txt": ""})

    def _door(self, request: Request) -> Reply:
        if request.method == "GET":
            return Reply(FORM, headers=(("Set-Cookie", "mark=before-login; Path=/"),))
        sent = parse_qs(request.body.decode())
        if sent.get("pass") != [PASSWORD] or "mark=before-login" not in request.headers.get("cookie", ""):
            return Reply(FORM)
        self.logins += 1
        given = [("Set-Cookie", f"sid=session-{self.logins}-of-ada; Path=/")]
        given += [("Set-Cookie", self.also)] if self.also else []
        return Reply(b"", status=303, headers=(("Location", self.leads_to), *given))

    def _room(self, request: Request) -> Reply:
        if f"sid=session-{self.logins}-of-ada" not in request.headers.get("cookie", "") or not self.logins:
            return Reply(b"<p>Who are you?", status=403, headers=(("Set-Cookie", "sid=of-a-stranger; Path=/"),))
        links = "".join(f"<a href='/wiki/{at}'>{at}</a>" for at in range(4))
        shown = f"{html.escape(PASSWORD)} {quote_plus(PASSWORD)}"
        words = (
            f"<title>{request.path}</title>{links}<p>What {request.path} says. " + f"{request.path[-1]} it is. " * 30
        )
        asks = "<input type=password name=new>" if request.path == "/wiki/" else ""
        return Reply(f"{words}{asks}<p>{shown}".encode())


@pytest.fixture
def command(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Told:
    monkeypatch.setenv("ESTATE_PASSWORD", PASSWORD)
    monkeypatch.chdir(tmp_path)

    def told(*arguments: object) -> tuple[int, dict[str, object], str]:
        done = asking(capfd)(*map(str, arguments), "--json")
        return done.returncode, json.loads(done.stdout.splitlines()[-1]) if done.stdout else {}, done.stderr

    return told


def settle(estate: Estate) -> None:
    Path("whimbrel.toml").write_text(
        f'[[site]]\nprefix = "{estate.url("/wiki/")}"\nlogin = "{estate.url("/login")}"\n'
        'login_fields = { user = "ada" }\nlogin_secrets = { pass = "env:ESTATE_PASSWORD" }\n'
    )


@pytest.mark.parametrize("also", ["", "greeting=Ren\u00e9; Path=/", "shown=1; Path=/; Max-Age=--5"])
def test_a_login_outside_of_its_pages_lets_in_once_and_nothing_repeats_the_password(
    tmp_path: Path, command: Told, also: str
) -> None:
    """The first page asks for a new password, so it is doubted and asked for as a stranger: that costs no session."""
    with Estate(also=also) as estate:
        settle(estate)
        code, answer, said = command("crawl", estate.url("/wiki/"), "--repo", tmp_path / "kept", "--delay", "0.01")
        assert (code, answer["ended"], estate.logins) == (0, "finished", 1), (answer, said)
    kept = {path for path, outcome in outcomes(tmp_path / "kept").items() if outcome == "fetched"}
    assert kept == {"/wiki/", *(f"/wiki/{at}" for at in range(4))}
    held = every_byte(tmp_path / "kept")
    assert b"What /wiki/ says" in held
    for form in (PASSWORD, html.escape(PASSWORD), quote_plus(PASSWORD)):
        assert form.encode() not in held


def test_a_login_that_leads_elsewhere_with_the_password_tells_nobody(tmp_path: Path, command: Told) -> None:
    with Estate(f"https://sso.example/in?pass={quote_plus(PASSWORD)}") as estate:
        settle(estate)
        _, answer, said = command("crawl", estate.url("/wiki/"), "--repo", tmp_path / "kept")
    assert "it leads to another host (https://sso.example)" in str(answer["words"])
    assert quote_plus(PASSWORD) not in str(answer) + said
    assert quote_plus(PASSWORD).encode() not in every_byte(tmp_path / "kept")


class PlayedSite:
    """Shows its form over TLS, and answers what is sent there as it is told to."""

    def __init__(self, action: str, sent: Reply) -> None:
        self._form = FORM.replace(b"<form ", f"<form action='{action}' ".encode())
        self._sent = sent
        self.posted: list[str] = []

    async def fetch(self, url: Url, *, form: bytes | None = None, **_: object) -> Response:
        reply = Reply(self._form) if form is None else self._sent
        self.posted += [url] if form is not None else []
        headers = {name.lower(): value for name, value in reply.headers} | {"content-type": "text/html"}
        return Response(url, reply.status, headers, b"", b"", reply.body, b"", "HTTP/1.1", "", 0.0)

    def leave(self, door: Credentials) -> None: ...
    def is_inside(self, door: Credentials) -> bool:
        return True


@pytest.mark.parametrize(
    ("action", "status", "lets_in", "posted"),
    [
        ("http://a.example/in", 200, False, []),
        ("/in", 307, False, ["https://a.example/in"]),
        ("/in", 303, True, ["https://a.example/in"]),
    ],
)
def test_a_password_goes_over_http_only_where_its_form_came_so(
    action: str, status: int, lets_in: bool, posted: list[str]
) -> None:
    site = PlayedSite(action, Reply(b"<p>Hello", status=status, headers=(("Location", "http://a.example/home"),)))
    login = Login(Url("https://a.example/login"), (("user", "ada"), ("pass", PASSWORD)), ("pass",), "")
    door = Credentials(("http://a.example", "https://a.example"), login=login)

    async def pause(url: Url) -> None: ...

    ended = asyncio.run(sign_in(site, door, pause))  # type: ignore[arg-type]
    assert site.posted == posted
    assert lets_in == (ended is None or "shows its form again" in ended.why)
    assert lets_in or (ended is not None and "over http, where anybody" in ended.why)


@pytest.mark.parametrize(
    ("end", "value"),
    [
        ("Max-Age=--5", "b"), ("Max-Age=\xb2", "b"), ("Max-Age=" + "9" * 5000, "b"), ("Max-Age=", "b"),
        ("Max-Age=0", ""), ("Max-Age=-1", ""), ("Max-Age=3600", "b"),
        ("Expires=Mon, 99999999999999999999 Jan 2020 00:00:00 GMT", "b"),
        ("Expires=Mon, 06 Jan 2020 00:00:00 GMT", ""), ("Expires=soon", "b"),
    ],
)  # fmt: skip
def test_the_end_of_a_cookie_may_be_written_in_any_way(end: str, value: str) -> None:
    (cookie,) = given_in(f"Set-Cookie: a=b; {end}\r\n".encode("latin-1"), "a.example", "/", 1_700_000_000.0)
    assert cookie.value == value
