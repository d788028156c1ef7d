"""Who is answered, and under which headers."""

import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from web_client import Running

from whimbrel.web.policy import host_name
from whimbrel.web.seals import KEY_FILE, Seals
from whimbrel.web.settings import Door, is_loopback, is_ours
from whimbrel.web.tries import MOST_ADDRESSES, MOST_WRONG, WrongKeys, origin_of, sender

PAGES = ("/", "/?q=estuary", "/crawl", "/crawl/live", "/favourites", "/read?url=http://a.example/tides", "/nowhere",
         "/api/status", "/api/openapi.json")  # fmt: skip


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_strict(server: Running, path: str) -> None:
    headers = server.get(path).headers
    policy = headers["Content-Security-Policy"]
    for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "form-action 'self'", "base-uri 'none'",
                 "frame-ancestors 'none'"):  # fmt: skip
        assert part in policy.split("; ")
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers.get("Access-Control-Allow-Origin") is None


@pytest.mark.parametrize("path", PAGES)
def test_no_page_holds_script_or_style_of_its_own(server: Running, path: str) -> None:
    text = server.get(path).text
    assert "<script>" not in text
    assert " style=" not in text
    assert "<style" not in text


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "a b", "10.0.0.1"])
def test_foreign_names_are_refused(server: Running, host: str) -> None:
    for path in ("/", "/api/status", "/static/whimbrel.css", "/login"):
        assert server.get(path, {"Host": host}).status == 421


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1", "[::1]:8765", "LOCALHOST", "127.0.0.2"])
def test_names_of_this_machine_are_answered(server: Running, host: str) -> None:
    assert server.get("/favourites", {"Host": host}).status == 200


def test_a_form_needs_its_token(server: Running) -> None:
    cookie, token = server.visit()
    form = {"url": "http://a.example/bare", "keep": "yes"}
    assert server.post("/favourite", form).status == 403
    assert server.post("/favourite", form, Cookie=cookie).status == 403
    assert server.post("/favourite", form | {"token": token}).status == 403
    assert server.post("/favourite", form | {"token": token[:-1] + "x"}, Cookie=cookie).status == 403
    assert server.get("/api/favourites").json() == {"favourites": []}
    assert server.post("/favourite", form | {"token": token}, Cookie=cookie).status == 303
    assert [each["url"] for each in server.get("/api/favourites").json()["favourites"]] == ["http://a.example/bare"]
    assert server.post("/favourite", form | {"keep": "no", "token": token}, Cookie=cookie).status == 303


def test_a_refusal_is_a_page_for_a_browser(server: Running) -> None:
    refused = server.post("/favourite", {"url": "http://a.example/bare"}, Accept="text/html,*/*")
    assert refused.status == 403
    assert "<h1>" in refused.text
    assert "This form has expired." in refused.text
    assert "default-src 'none'" in refused.headers["Content-Security-Policy"]
    assert "<h1>" not in server.post("/favourite", {"url": "http://a.example/bare"}).text


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1", "https://127.0.0.1:1"])
def test_a_form_from_elsewhere_is_refused(server: Running, origin: str) -> None:
    cookie, token = server.visit()
    form = {"url": "http://a.example/", "keep": "yes", "token": token}
    assert server.post("/favourite", form, Cookie=cookie, Origin=origin).status == 403
    assert server.post("/crawl/stop", form, Cookie=cookie, Origin=origin).status == 403


def test_a_form_from_a_frame_without_origin_is_refused(server: Running) -> None:
    cookie, token = server.visit()
    form = {"url": "http://a.example/", "keep": "no", "token": token}
    for site in ("cross-site", "same-site", "none"):
        assert server.post("/favourite", form, Cookie=cookie, Origin="null", Sec_Fetch_Site=site).status == 403
    assert server.post("/favourite", form, Cookie=cookie, Origin="null", Sec_Fetch_Site="same-origin").status == 303


def test_a_form_from_here_names_its_origin(server: Running) -> None:
    cookie, token = server.visit()
    answer = server.post("/favourite", {"url": "http://a.example/", "keep": "no", "token": token},
                         Cookie=cookie, Origin=server.address)  # fmt: skip
    assert answer.status == 303


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_no_page_is_a_part_of_anothers(server: Running, site: str) -> None:
    """What another origin's page fetches or draws in is not even computed; a link from there is followed."""
    for path in ("/?q=estuary", "/read?url=http://a.example/tides&q=estuary", "/api/search?q=estuary"):
        assert server.get(path, {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}).status == 403
        assert server.get(path, {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}).status == 200
        assert server.get(path, {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}).status == 200


def test_every_post_is_guarded(server: Running) -> None:
    for path in ("/seen", "/favourite", "/crawl/start", "/crawl/stop", "/crawl/resume", "/api/crawl", "/api/crawl/stop",
                 "/api/crawl/resume"):  # fmt: skip
        assert server.post(path, {}).status == 403, path


def test_other_methods_and_large_bodies_are_refused(server: Running) -> None:
    assert server.ask("DELETE", "/favourite").status == 405
    assert server.ask("POST", "/favourite", b"x" * 100_000).status == 413


def test_cookies_are_kept_from_scripts_and_other_sites(server: Running) -> None:
    cookie = server.get("/").headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


def test_another_address_needs_the_key(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path, host="0.0.0.0")
    assert server.opened.key_is_new
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600
    assert server.get("/").status == 303
    assert server.get("/crawl").headers["Location"] == "/login?next=/crawl"
    assert server.get("/read?url=http://a.example/x%26y").headers["Location"] == (
        "/login?next=/read%3Furl%3Dhttp%3A//a.example/x%2526y"
    )
    assert server.get("/api/status").status == 401
    assert server.get("/static/whimbrel.css").status == 200
    asked = server.get("/login")
    assert asked.status == 200
    assert 'href="/crawl"' not in asked.text, "nothing is offered that only leads back here"
    assert server.post("/crawl/stop", {}).status == 401


def test_the_key_opens(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path, host="0.0.0.0")
    assert server.post("/login", {"key": "wrong"}).status == 403
    entered = server.post("/login", {"key": server.key, "next": "/crawl"})
    assert (entered.status, entered.headers["Location"]) == (303, "/crawl")
    assert "HttpOnly" in entered.headers["Set-Cookie"]
    assert "SameSite=Strict" in entered.headers["Set-Cookie"]
    page = server.get("/crawl", {"Cookie": entered.cookie})
    assert page.status == 200
    assert server.post("/crawl/stop", {"token": page.form_token}, Cookie=entered.cookie).status == 400
    assert server.get("/api/crawl", {"Authorization": f"Bearer {server.key}"}).status == 200
    assert server.get("/api/crawl", {"Authorization": f"Bearer {server.key}x"}).status == 401


def test_a_passer_bys_cookie_is_no_login(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path, host="0.0.0.0")
    visit = Seals(server.key).new_visit(trusted=False, now=1e9 * 2)
    assert server.get("/crawl", {"Cookie": f"whimbrel-{server.port}={visit}"}).status == 303


def test_guessing_is_slowed_down_for_the_guesser_alone(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path, host="0.0.0.0")
    guesser = "127.0.0.2"
    codes = [server.post("/login", {"key": f"guess {number}"}, coming_from=guesser).status for number in range(12)]
    assert codes == [403] * 10 + [429] * 2
    refused = server.post("/login", {"key": server.key}, coming_from=guesser)
    assert (refused.status, refused.text) == (429, "Too many wrong keys came from your address. Wait a minute.\n")
    assert 0 < int(refused.headers["Retry-After"]) <= 60
    assert server.post("/login", {"key": server.key}).status == 303, "somebody else"
    bearer = {"Authorization": f"Bearer {server.key}"}
    assert server.ask("GET", "/api/crawl", coming_from=guesser, **bearer).status == 429
    assert server.ask("GET", "/api/crawl", **bearer).status == 200


def test_right_keys_close_nothing(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path, host="0.0.0.0")
    assert {server.post("/login", {"key": server.key}).status for _ in range(30)} == {303}
    assert {server.get("/api/crawl", {"Authorization": f"Bearer {server.key}"}).status for _ in range(30)} == {200}


def test_keys_that_programs_show_are_tries_too(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path, host="0.0.0.0")
    codes = [server.get("/api/crawl", {"Authorization": f"Bearer {number}"}).status for number in range(12)]
    assert codes == [401] * 10 + [429] * 2


def test_behind_a_proxy_that_was_named_tries_are_counted_by_visitor(
    serving: Callable[..., Running], tmp_path: Path
) -> None:
    server = serving(tmp_path / "named", host="0.0.0.0", behind=("127.0.0.2",))

    def wrong(server: Running, visitor: str, coming_from: str) -> int:
        return server.post("/login", {"key": "x"}, coming_from=coming_from, **{"X-Forwarded-For": visitor}).status

    assert [wrong(server, "made up, 192.0.2.7", "127.0.0.2") for _ in range(11)] == [403] * 10 + [429]
    assert wrong(server, "192.0.2.8", "127.0.0.2") == 403
    assert [wrong(server, f"192.0.2.{number}", "127.0.0.3") for number in range(11)] == [403] * 10 + [429], (
        "anybody can write that header"
    )


def test_wrong_keys_are_forgotten_after_a_minute() -> None:
    wrong = WrongKeys()
    for number in range(MOST_WRONG):
        assert wrong.wait_seconds("192.0.2.1", number) == 0
        wrong.note("192.0.2.1", number)
    assert wrong.wait_seconds("192.0.2.1", 20.0) == pytest.approx(40.0)
    assert wrong.wait_seconds("192.0.2.1", 60.0) == 0
    assert wrong.wait_seconds("192.0.2.2", 20.0) == 0


def test_wrong_keys_take_little_memory() -> None:
    wrong = WrongKeys()
    for number in range(3 * MOST_ADDRESSES):
        wrong.note(f"2001:db8:{number:x}::1", float(number))
    assert len(wrong._moments) == MOST_ADDRESSES


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("no address", "no address"),
    ],
)
def test_by_what_tries_are_counted(address: str, origin: str) -> None:
    assert origin_of(address) == origin


@given(st.text(), st.text(), st.lists(st.text(), max_size=3))
def test_a_header_of_any_kind_names_a_sender(peer: str, forwarded: str, behind: list[str]) -> None:
    told = sender(peer, forwarded, tuple(behind))
    assert told == peer or told in forwarded


def test_a_login_leads_nowhere_else(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path, host="0.0.0.0")
    for path in ("//evil.example", "https://evil.example", "/\\evil.example", ""):
        assert server.post("/login", {"key": server.key, "next": path}).headers["Location"] == "/"


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("localhost", True),
        ("::1", True),
        ("127.8.0.1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.2", False),
        ("localhost.evil", False),
    ],
)
def test_what_is_loopback(host: str, local: bool) -> None:
    assert is_loopback(host) is local
    assert Door(host).locked is not local


def test_names_behind_an_open_door() -> None:
    door = Door("0.0.0.0", allow_hosts=("library.example.org",))
    assert is_ours("library.example.org", door)
    assert is_ours("192.168.1.7", door)
    assert not is_ours("evil.example", door)
    assert not is_ours("", door)


@given(st.text())
def test_any_host_header_is_read_without_falling(text: str) -> None:
    assert host_name(text) == host_name(text).lower()


@given(st.text(), st.lists(st.text(), max_size=3), st.lists(st.text(), max_size=3))
def test_a_seal_holds_for_what_it_was_made_for(key: str, parts: list[str], others: list[str]) -> None:
    seals = Seals(key)
    seal = seals.seal("purpose", *parts)
    assert seals.holds(seal, "purpose", *parts)
    assert seals.holds(seal, "purpose", *others) is (parts == others)
    assert not seals.holds(seal, "other", *parts)


def test_a_visit_runs_out() -> None:
    seals = Seals("key")
    visit = seals.new_visit(trusted=True, now=1000.0)
    assert seals.visitor(visit, trusted=True, now=2000.0)
    assert not seals.visitor(visit, trusted=True, now=1000.0 + 31 * 86_400)
    assert not seals.visitor(visit.replace(".", ".9", 1), trusted=True, now=2000.0)
    assert not seals.visitor("", trusted=False, now=0.0)
