"""What is not in a folder is said, with the reason and what to do about it."""

from pathlib import Path

import pytest
from test_crawl import LONG, page

from commands import Ask
from folders import consistent, crawl, everything, outcomes, rows
from whimbrel.flows.telling.unseen import unseen
from whimbrel.testing.web import Page, Reply, TinyWeb

SHELL = '<!doctype html><title>App</title><div id="root"></div><script type="module" src="/main.js"></script>'


def said(answer: object) -> dict[str, tuple[int, str]]:
    assert isinstance(answer, list)
    return {one["reason"]: (one["count"], one["advice"]) for one in answer}


def heard(ask: Ask, *arguments: object, code: int = 0) -> dict[str, object]:
    import json

    done = ask(*map(str, arguments), "--json")
    assert done.returncode == code, done.stderr
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("way", ["meta", "header", "rel"])
def test_links_that_are_not_followed_are_counted_once_each(tmp_path: Path, ask: Ask, way: str) -> None:
    links = ["/a", "/b", "/b#part", "/c", "http://elsewhere.example/"]
    rel = ' rel="nofollow"' if way == "rel" else ""
    head = '<meta name="robots" content="noindex, nofollow">' if way == "meta" else ""
    items = "".join(f'<a href="{link}"{rel}>{link}</a>' for link in links)
    headers = (("X-Robots-Tag", "nofollow"),) if way == "header" else ()
    body = f"<title>t</title>{head}<p>{LONG}{items}<a href='/second'>2</a>".encode()
    pages: dict[str, Page] = {"/": Reply(body, headers=headers), "/second": Reply(body + b"two", headers=headers)}
    with TinyWeb(pages) as web:
        answer = heard(ask, "crawl", web.url("/"), "--repo", tmp_path, code=int(way == "meta"))
    count, advice = said(answer["unseen"])["nofollow"]
    assert count == (3 if way == "rel" else 4)
    assert "seeds" in advice
    assert "directives_off_hosts" in advice
    status = heard(ask, "status", "--repo", tmp_path)
    assert said(status["unseen"])["nofollow"][0] == count
    (reason,) = {str(why) for (why,) in rows(tmp_path, "SELECT reason FROM url WHERE rule = 'nofollow'")}
    assert {"meta": "meta robots", "header": "X-Robots-Tag", "rel": "rel: nofollow"}[way] in reason
    told = ask("status", "--repo", tmp_path).stdout.replace("\n", " ")
    assert f"{count} links are not followed, because pages ask so" in " ".join(told.split())


@pytest.mark.parametrize("first", ["/shunning", "/following"])
def test_a_link_that_may_be_followed_outweighs_those_that_may_not(tmp_path: Path, first: str) -> None:
    shunning = f'<p>{LONG} 1</p><a rel="nofollow" href="/target">no</a>'
    pages: dict[str, Page] = {
        "/": page("/shunning", "/1"),
        "/1": page("/following", text=LONG + "1"),
        "/shunning": shunning,
        "/following": page("/target", text=LONG + "2"),
        "/target": page("/beyond", text=LONG + "3"),
        "/beyond": page(text=LONG + "4"),
    }
    with TinyWeb(pages) as web:
        crawl(tmp_path / "usual", web.url("/"))
        other = "/following" if first == "/shunning" else "/shunning"
        web.hold(other)
        web.pages["/target" if first == "/following" else "/1"] = lambda request: (
            web.release(other),
            pages["/target" if first == "/following" else "/1"],
        )[1]
        crawl(tmp_path / first[1:], web.url("/"))
    assert outcomes(tmp_path / first[1:])["/target"] == outcomes(tmp_path / first[1:])["/beyond"] == "fetched"
    assert everything(tmp_path / first[1:]) == everything(tmp_path / "usual")
    consistent(tmp_path / first[1:])


def test_the_owner_of_a_site_can_have_its_wishes_ignored(tmp_path: Path) -> None:
    closed = '<meta name="robots" content="noindex, nofollow">'
    pages: dict[str, Page] = {"/": page("/a", head=closed), "/a": page(text=LONG + "a", head=closed)}
    with TinyWeb(pages) as web:
        crawl(tmp_path / "heeded", web.url("/"))
        crawl(tmp_path / "own", web.url("/"), directives_off_hosts=["127.0.0.1"])
    assert outcomes(tmp_path / "heeded") == {"/": "refused:noindex", "/a": "refused:nofollow"}
    assert outcomes(tmp_path / "own") == {"/": "fetched", "/a": "fetched"}


def test_a_page_that_scripts_are_to_make_is_said_and_alone_it_is_a_failure(tmp_path: Path, ask: Ask) -> None:
    pages: dict[str, Page] = {"/": SHELL, "/about": page("/", text=LONG)}
    with TinyWeb(pages) as web:
        answer = heard(ask, "crawl", web.url("/"), "--repo", tmp_path, code=1)
        count, advice = said(answer["unseen"])["script_made"]
        assert (answer["pages"], count) == (1, 1)
        assert "import" in advice
        words = ask("crawl", "--repo", tmp_path)
        assert words.returncode == 1
        assert "1 page is made by scripts, which are not run" in " ".join(words.stdout.split())
        assert heard(ask, "crawl", web.url("/about"), "--repo", tmp_path)["pages"] == 2
        refreshed = heard(ask, "refresh", "--all", "--repo", tmp_path)
        assert said(refreshed["unseen"])["script_made"][0] == 1
    assert outcomes(tmp_path)["/"] == "unchanged:script_made"


def test_every_way_to_stay_unseen_has_advice(tmp_path: Path, ask: Ask) -> None:
    pages: dict[str, Page] = {
        "/robots.txt": Reply(b"User-agent: *\nDisallow: /private\n", content_type="text/plain"),
        "/": page("/private/1", "/private/2", "/login", "/1", "/film.mp4"),
        "/login": Reply(status=401),
        "/1": page("/2", text=LONG + "1"),
        "/film.mp4": Reply(b"....", content_type="video/mp4"),
    }
    with TinyWeb(pages) as web:
        answer = heard(ask, "crawl", web.url("/"), "--depth", "1", "--repo", tmp_path)
    counted = {reason: count for reason, (count, _) in said(answer["unseen"]).items()}
    assert counted == {"robots": 2, "login": 1, "depth": 1, "type": 1}
    assert all(advice for _, advice in said(answer["unseen"]).values())


def test_what_the_user_left_out_is_not_missed() -> None:
    rules = [("out_of_scope", "scope", 900), ("out_of_scope", "filter", 3), ("refused", "dust", 2)]
    assert unseen(rules, 0) == []
    assert [(one.reason, one.count) for one in unseen(rules, 7)] == [("due", 7)]
