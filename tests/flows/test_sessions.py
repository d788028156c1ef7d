"""With a session: links that act are left alone, and a session that is over is noticed before anything is lost."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from commands import asking
from folders import outcomes, rows
from whimbrel.testing.reply import redirect
from whimbrel.testing.web import Reply, Request, TinyWeb

Told = Callable[..., tuple[int, dict[str, object], str]]
TOKEN = "s3ss10n-of-ada-4471"
PAGES = 8
FORM = "<title>Log in</title><form method=post><input name=user><input type='password' name=p></form>"


class Club(TinyWeb):
    """A site with a login. `away` is how it meets one it does not know; `ends_at` the path that ends the session."""

    def __init__(
        self, away: str = "form", more: dict[str, object] | None = None, links: str = "", ends_at: str = "/bye"
    ):
        self.known = True
        self.away = away
        self.ends_at = ends_at
        self._links = links
        paths = ["/", "/bye", "/gone", *(f"/page/{number}" for number in range(PAGES))]
        super().__init__(dict.fromkeys(paths, self._meet) | {"/login": FORM, "/robots.txt": ""} | (more or {}))  # type: ignore[arg-type]

    def _meet(self, request: Request) -> Reply | str:
        if not self.known or TOKEN not in request.headers.get("cookie", ""):
            return self._turn_away(request)
        if request.path == self.ends_at:
            self.known = False
            return Reply(b"<p>You are logged out.", headers=(("Set-Cookie", "sid=; Path=/; Max-Age=0"),))
        links = "".join(f"<a href='/page/{number}'>{number}</a>" for number in range(PAGES))
        words = f"<p>What the club says of {request.path}. " + f"{request.path[-1]} words of it. " * 30
        return f"<title>{request.path}</title>{self._links}{links}{words}"

    def _turn_away(self, request: Request) -> Reply | str:
        answers: dict[str, Reply | str] = {
            "401": Reply(b"<p>who?", status=401),
            "403": Reply(b"<p>not you", status=403),
            "404": Reply(b"<p>no such page", status=404),
            "redirect": redirect("/login"),
            "form": FORM.replace("<form", f"<p>{request.path}<form"),
            "words": "<title>Welcome</title><p>Members see more here. " + "Come in and stay. " * 30,
        }
        return answers[self.away]


@pytest.fixture
def command(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Told:
    """The exit code, the JSON and the rest of what a command says."""
    monkeypatch.setenv("CLUB", f"sid={TOKEN}")

    def told(*arguments: object) -> tuple[int, dict[str, object], str]:
        done = asking(capfd)(*map(str, arguments), "--json")
        return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr

    return told


def kept(folder: Path) -> set[str]:
    return {path for path, outcome in outcomes(folder).items() if outcome in ("fetched", "unchanged")}


EVERYTHING = {"/", *(f"/page/{number}" for number in range(PAGES))}


@pytest.mark.parametrize("away", ["401", "403", "404", "redirect", "form", "words"])
def test_a_session_lost_before_a_refresh_is_said_and_changes_nothing(tmp_path: Path, command: Told, away: str) -> None:
    with Club(away) as club:
        code, _, said = command("crawl", club.url(), "--cookies", "env:CLUB", "--repo", tmp_path)
        assert (code, kept(tmp_path)) == (0, EVERYTHING), said
        before = rows(tmp_path, "SELECT url, outcome, version FROM url WHERE NOT asset ORDER BY url")
        club.known = False
        code, answer, said = command("refresh", "--all", "--repo", tmp_path, "--migrants", "1")
        assert (code, answer["ended"]) == (1, "session"), said
        assert club.url("")[:-1] in str(answer["words"])
        assert "no longer knows us" in str(answer["words"])
        if away == "words":  # the first of them cannot be told from a page that changed
            assert rows(tmp_path, "SELECT count(*) FROM change")[0][0] <= 1
        else:
            assert rows(tmp_path, "SELECT url, outcome, version FROM url WHERE NOT asset ORDER BY url") == before
            assert rows(tmp_path, "SELECT * FROM change") == []
        club.known = True
        code, answer, said = command("refresh", "--all", "--repo", tmp_path)
        assert (code, answer["ended"]) == (0, "finished"), said
        assert kept(tmp_path) == EVERYTHING


@pytest.mark.parametrize("away", ["401", "form"])
def test_a_session_that_ends_stops_the_crawl_and_the_rest_stays_due(tmp_path: Path, command: Told, away: str) -> None:
    with Club(away, links="<a href='/bye'>Leave us</a>") as club:
        code, answer, said = command("crawl", club.url(), "--cookies", "env:CLUB", "--repo", tmp_path, "--delay", "0.1")
        assert (code, answer["ended"]) == (1, "session"), (answer, said)
        assert "/login" not in kept(tmp_path)
        assert rows(tmp_path, "SELECT rule FROM url WHERE url LIKE '%/bye'") == [("avoid",)]
        club.known = True
        code, answer, said = command("crawl", "--repo", tmp_path)
        assert (code, answer["ended"]) == (0, "finished"), (answer, said)
        assert kept(tmp_path) == EVERYTHING
        assert club.count("/bye") == 1  # learned


@pytest.mark.parametrize("away", ["403", "redirect", "form"])
def test_credentials_that_do_not_work_are_said_at_once(tmp_path: Path, command: Told, away: str) -> None:
    with Club(away) as club:
        club.known = False
        code, answer, _ = command("crawl", club.url(), "--cookies", "env:CLUB", "--repo", tmp_path)
        assert (code, answer["ended"]) == (1, "session")
        assert "does not accept the credentials" in str(answer["words"])
        assert kept(tmp_path) == set()
        club.known = True
        assert command("crawl", "--repo", tmp_path)[0] == 0
    assert kept(tmp_path) == EVERYTHING


def test_what_only_looks_like_it_is_no_lost_session(tmp_path: Path, command: Told) -> None:
    """Forbidden, moved and missing pages, one that asks for a password, and copies."""
    same = "<p>the same words twice " * 30
    more = {"/forbidden": Reply(b"no", status=403), "/old": redirect("/page/1"), "/away": redirect("/login"),
            "/me/password": f"<title>Change it</title>{FORM}<p>your account", "/copy/1": same, "/copy/2": same,
            "/nobody": Reply(b"no", status=401)}  # fmt: skip
    links = "".join(f"<a href='{path}'>x</a>" for path in (*more, "/nowhere"))
    with Club(more=more, links=links, ends_at="") as club:
        code, answer, said = command("crawl", club.url(), "--cookies", "env:CLUB", "--repo", tmp_path)
        assert (code, answer["ended"]) == (0, "finished"), said
        found = outcomes(tmp_path)
        assert {*EVERYTHING, "/me/password"} <= kept(tmp_path)
        expected = {"/forbidden": "failed:http_403", "/nobody": "failed:http_401", "/nowhere": "failed:http_404",
                    "/old": "redirected"}  # fmt: skip
        assert {path: found[path] for path in expected} == expected
        _, answer, said = command("refresh", "--all", "--repo", tmp_path)
        assert answer["ended"] == "finished", answer


ACTS = ["/logout", "/users/sign_out", "/wp-login.php?action=logout&_wpnonce=1", "/index.php?title=Special:UserLogout",
        "/page/1/delete", "/item?do=upvote&id=7", "/act?id=1&csrf_token=9f", "/seen?x=a8f31c99e2b7"]  # fmt: skip
NO_ACTS = ["/how-to-log-out-of-it", "/blog/delete-old-files", "/item?id=7", "/vote-results", "/search?q=logout+help"]


@pytest.mark.parametrize("credentials", [True, False])
def test_links_that_act_are_not_followed_with_a_session(tmp_path: Path, command: Told, credentials: bool) -> None:
    links = "<form><input type=hidden name=t value=a8f31c99e2b7></form>"
    links += "".join(f"<a href='{path.replace('&', '&amp;')}'>x</a>" for path in (*ACTS, *NO_ACTS))
    with TinyWeb({"/": f"<title>T</title>{links}", "/robots.txt": ""}) as web:
        flags = ["--cookies", "env:CLUB"] if credentials else []
        command("crawl", web.url("/"), *flags, "--repo", tmp_path)
    asked = {request.path for request in web.log}
    assert asked >= set(NO_ACTS)
    assert asked.isdisjoint(ACTS) if credentials else asked >= set(ACTS)
    if credentials:
        assert rows(tmp_path, "SELECT count(*) FROM url WHERE rule = 'avoid'") == [(len(ACTS),)]


def test_what_to_avoid_is_a_setting(tmp_path: Path, command: Told) -> None:
    settings = tmp_path / "settings.toml"
    with TinyWeb({"/": "<a href='/logout'>x</a><a href='/adios'>y</a>", "/robots.txt": ""}) as web:
        settings.write_text(f'[[site]]\nprefix = "{web.url("/")}"\ncookies = "env:CLUB"\navoid = ["/adios$"]')
        command("crawl", web.url("/"), "--config", settings, "--repo", tmp_path / "data")
        assert (web.count("/logout"), web.count("/adios")) == (1, 0)


def test_a_site_that_always_asks_for_a_password_is_crawled(tmp_path: Path, command: Told) -> None:
    """Its pages carry a login form for others also while they know us."""
    with Club("form", links=FORM, ends_at="") as club:
        code, answer, said = command("crawl", club.url(), "--cookies", "env:CLUB", "--repo", tmp_path)
        assert (code, kept(tmp_path)) == (0, EVERYTHING), (answer, said)
        assert len(club.log) <= len(EVERYTHING) + 24
        assert command("refresh", "--all", "--repo", tmp_path)[1]["ended"] == "finished"


def test_a_copy_of_the_only_page_seen_so_far_is_no_lost_session(tmp_path: Path, command: Told) -> None:
    words = "<a href='/index.html'>home</a><a href='/next'>n</a>" + "<p>home of the club " * 30
    with TinyWeb({"/": words, "/index.html": words, "/next": "<p>next", "/robots.txt": ""}) as web:
        code, answer, _ = command("crawl", web.url("/"), "--cookies", "env:CLUB", "--repo", tmp_path, "--delay", "0.1")
    assert (code, answer["ended"]) == (0, "finished"), answer
