"""What a person names again is asked again, and what changed in the settings counts."""

import os
from pathlib import Path

import pytest

from commands import run
from folders import consistent, crawl, outcomes, rows
from whimbrel.api.resting import RESTS_ON, SEEDS
from whimbrel.config import describe
from whimbrel.records.url import Url
from whimbrel.testing.reply import redirect
from whimbrel.testing.web import Page, Reply, Request, TinyWeb

PAGE = "<title>a page</title><p>words enough</p>"
DENIED = Reply(b"who are you?", status=401, headers=(("WWW-Authenticate", "Basic"),))


def locked(request: Request) -> Reply:
    return Reply(PAGE.encode()) if "authorization" in request.headers else DENIED


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ([Reply(status=404), PAGE], "fetched"),
        ([Reply(status=410), PAGE], "fetched"),
        ([Reply(status=403), Reply(status=403)], "failed:http_403"),
        ([Reply(PAGE.encode(), content_type="image/png"), PAGE], "fetched"),
        ([Reply(b"x", headers=(("X-Robots-Tag", "noindex"),)), PAGE], "fetched"),
        ([Reply(raw=b"\x00"), PAGE], "fetched"),
    ],
    ids=["missing", "gone", "forbidden twice", "another type", "noindex", "garbage"],
)
def test_a_seed_that_could_not_be_had_is_asked_again(tmp_path: Path, first: list[Page], then: str) -> None:
    with TinyWeb({"/": first}) as web:
        crawl(tmp_path, web.url("/"))
        assert not outcomes(tmp_path)["/"].startswith("fetched")
        crawl(tmp_path, web.url("/"))
        assert web.count("/") == 2
        crawl(tmp_path)
        assert web.count("/") == 2
    assert outcomes(tmp_path)["/"] == then
    consistent(tmp_path)


def test_all_tries_are_had_again_and_nothing_is_waited_for(tmp_path: Path) -> None:
    """The second crawl ended while the third try was due in an hour."""
    away = Reply(status=503, headers=(("Retry-After", "3600"),))
    with TinyWeb({"/": [away, PAGE]}) as web:
        assert crawl(tmp_path, web.url("/")).why == "waiting"
        assert crawl(tmp_path).why == "waiting"
        assert crawl(tmp_path, web.url("/")).why == "finished"
    assert outcomes(tmp_path) == {"/": "fetched"}


def test_what_a_seed_leads_to_is_asked_again(tmp_path: Path) -> None:
    with TinyWeb({"/": redirect("/b"), "/b": redirect("/c"), "/c": [Reply(status=403), PAGE]}) as web:
        crawl(tmp_path, web.url("/"))
        crawl(tmp_path, web.url("/"))
    assert outcomes(tmp_path) == {"/": "redirected", "/b": "redirected", "/c": "fetched"}
    consistent(tmp_path)


def test_robots_is_read_anew_for_a_seed_that_it_forbade(tmp_path: Path) -> None:
    robots = ["User-agent: *\nDisallow: /", "User-agent: *\nDisallow: /private"]
    with TinyWeb({"/": PAGE, "/robots.txt": robots}) as web:
        crawl(tmp_path, web.url("/"))
        assert outcomes(tmp_path) == {"/": "refused:robots"}
        crawl(tmp_path)
        assert web.count("/robots.txt") == 1
        crawl(tmp_path, web.url("/"))
    assert outcomes(tmp_path) == {"/": "fetched"}


def test_what_was_kept_is_not_asked_again(tmp_path: Path) -> None:
    with TinyWeb({"/": redirect("/b"), "/b": PAGE}) as web:
        for _ in range(2):
            done = run("crawl", web.url("/"), "--repo", tmp_path)
            assert done.returncode == 0
        assert (web.count("/"), web.count("/b")) == (1, 1)


def test_a_login_that_comes_later_counts(tmp_path: Path) -> None:
    with TinyWeb({"/": locked}) as web:
        without = run("crawl", web.url("/"), "--repo", tmp_path)
        assert without.returncode == 1
        assert f"{web.url('/')} is not kept: the server answered 401. Give it with --auth" in " ".join(
            without.stdout.split()
        )
        env = os.environ | {"SITE_LOGIN": "me:secret"}
        given = run("crawl", web.url("/"), "--auth", "env:SITE_LOGIN", "--repo", tmp_path, env=env)
    assert given.returncode == 0, given.stdout + given.stderr
    assert outcomes(tmp_path) == {"/": "fetched"}


LINKS = "".join(f"<a href='{path}'>x</a>" for path in ("/a", "/big", "/picture", "/robots-off", "/locked"))
SITE: dict[str, Page] = {
    "/": f"<title>start</title>{LINKS}",
    "/robots.txt": "User-agent: *\nDisallow: /robots-off",
    "/a": "<title>a</title><a href='/b'>b</a>",
    "/b": "<title>b</title>",
    "/big": f"<title>big</title>{'word ' * 1000}",
    "/picture": Reply(b"picture", content_type="image/png"),
    "/robots-off": "<title>off</title>",
    "/locked": DENIED,
}


@pytest.mark.parametrize(
    ("before", "after", "path", "was", "became"),
    [
        ({"exclude": ("/a",)}, {}, "/a", "out_of_scope:filter", "fetched"),
        ({"include": ("/big",)}, {"include": ("/big", "/a$")}, "/a", "out_of_scope:filter", "fetched"),
        ({"exclude": ("/a",)}, {"exclude": ("/a", "/c")}, "/a", "out_of_scope:filter", "out_of_scope:filter"),
        ({"exclude": ("/a",)}, {"depth": 0}, "/a", "out_of_scope:filter", "out_of_scope:depth"),
        ({"depth": 1}, {"depth": 2}, "/b", "out_of_scope:depth", "fetched"),
        ({"scope": "list"}, {"scope": "host"}, "/a", "out_of_scope:scope", "fetched"),
        ({"max_size_bytes": 1000}, {}, "/big", "failed:too_large", "fetched"),
        ({}, {"types": ("any",)}, "/picture", "refused:type", "fetched"),
        ({}, {"robots_off_hosts": ("127.0.0.1",)}, "/robots-off", "refused:robots", "fetched"),
        ({"limit": 1}, {"exclude": ("/a",)}, "/a", "discovered", "out_of_scope:filter"),
    ],
)  # fmt: skip
def test_settings_that_changed_count(
    tmp_path: Path, before: dict[str, object], after: dict[str, object], path: str, was: str, became: str
) -> None:
    """Also for a crawl that names nothing: what was said of a URL rests on the settings of then."""
    with TinyWeb(SITE) as web:
        crawl(tmp_path, web.url("/"), **before)
        assert outcomes(tmp_path)[path] == was
        crawl(tmp_path, **after)
        settled = outcomes(tmp_path)
        assert settled[path] == became
        asked = len(web.log)
        crawl(tmp_path, **after)
        assert (outcomes(tmp_path), len(web.log)) == (settled, asked)
    consistent(tmp_path)


def test_a_new_seed_widens_what_was_out_of_scope(tmp_path: Path) -> None:
    with TinyWeb({"/": PAGE}, addresses=("127.0.0.2",)) as other, TinyWeb({}) as web:
        web.pages["/"] = f"<a href='{other.url('/deep')}'>x</a>"
        other.pages["/deep"] = PAGE
        crawl(tmp_path, web.url("/"))
        assert outcomes(tmp_path)["/deep"] == "out_of_scope:scope"
        crawl(tmp_path, other.url("/"))
    assert outcomes(tmp_path)["/deep"] in ("fetched", "duplicate")


def test_settings_that_verdicts_rest_on_exist() -> None:
    known = {f"{setting.section}.{setting.key}" for setting in describe()}
    assert {name for names in RESTS_ON.values() for name in names} - known == {SEEDS}


def test_no_secret_is_kept_to_tell_that_it_changed(tmp_path: Path) -> None:
    config = tmp_path / "settings.toml"
    with TinyWeb({"/": locked}) as web:
        config.write_text(f"[[site]]\nprefix = '{web.url('/')}'\nauth = 'env:SITE_LOGIN'\n")
        env = os.environ | {"SITE_LOGIN": "me:pa55word"}
        run("crawl", web.url("/"), "--config", config, "--repo", tmp_path / "data", env=env)
    ((kept,),) = rows(tmp_path / "data", "SELECT value FROM meta WHERE name = 'judged under'")
    assert "pa55word" not in str(kept)
    assert "env:SITE_LOGIN" in str(kept)


# What a command says of what it was given.


def test_a_command_of_which_nothing_is_kept_has_failed(tmp_path: Path) -> None:
    with TinyWeb({"/": "<a href='/rest'>x</a>", "/rest": PAGE, "/no": Reply(status=404)}) as web:
        assert run("crawl", web.url("/"), "--limit", "1", "--repo", tmp_path).returncode == 0
        # The rest of the folder goes on well; what was asked for did not.
        done = run("crawl", web.url("/no"), web.url("/nor"), "--repo", tmp_path)
        assert done.returncode == 1
        told = " ".join(done.stdout.split())
        for path in ("/no", "/nor"):
            assert f"{web.url(path)} is not kept: the server answered 404. Check the address." in told
        assert run("crawl", web.url("/no"), web.url("/"), "--repo", tmp_path).returncode == 0
        assert run("crawl", web.url("/rest"), "--repo", tmp_path).returncode == 0
    assert outcomes(tmp_path)["/rest"] == "fetched"


def test_a_seed_that_asks_not_to_be_kept_may_lead_to_what_is(tmp_path: Path) -> None:
    start = "<meta name=robots content=noindex><a href='/a'>x</a>"
    with TinyWeb({"/": start, "/a": PAGE}) as web:
        assert run("crawl", web.url("/"), "--repo", tmp_path).returncode == 0


def test_a_limit_is_no_failure_of_what_it_left_out(tmp_path: Path) -> None:
    with TinyWeb({"/": PAGE, "/b": PAGE + "b"}) as web:
        assert run("crawl", web.url("/"), "--limit", "1", "--repo", tmp_path).returncode == 0
        done = run("crawl", web.url("/b"), "--limit", "1", "--repo", tmp_path)
    assert done.returncode == 0
    assert f"{Url(web.url('/b'))} has not been visited" in " ".join(done.stdout.split())
