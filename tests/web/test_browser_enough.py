"""No, this was not enough: what will happen is said, it happens while the reader watches, and comes into the search."""

import http.client
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from web_client import PERSON, Running, follow

from folders import finish
from shop_site import shop
from whimbrel.readers.log import ReaderLog
from whimbrel.readers.wishes import Wishes
from whimbrel.records.deed import Action
from whimbrel.records.wish import WishState
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.contract import DEFAULTS
from whimbrel.testing.web import TinyWeb

Tab = Any
LOOKS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("desk", {}),
    ("phone-dark", {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}),
)


def shelved(folder: Path, web: TinyWeb, *flags: str) -> Path:
    """A part of the shop, kept and searchable."""
    finish(folder, web.url(), "--limit", "25", *flags)
    with Indexer(folder, DEFAULTS) as indexer:
        indexer.catch_up()
    return folder


def test_no_leads_to_pages_that_are_then_in_the_same_search(
    tab: Callable[..., Tab], serving: Callable[..., Running], tmp_path: Path, artefacts: Path
) -> None:
    with TinyWeb(shop()) as web:
        folder = shelved(tmp_path / "folder", web)
        server = serving(folder)
        page = tab(server.address)
        page.goto("/?q=buy")
        follow(page, ".ask button[value=yes]")
        before = int(page.locator(".answer").get_attribute("data-total"))
        page.evaluate("document.querySelector('.enough').classList.add('asked')")
        page.click(".enough button[value=no]")
        page.wait_for_selector("h1:has-text('More of this kind')")
        said = page.locator("section.card").inner_text()
        assert "127.0.0.1" in said
        assert re.search(r"At most 200 pages are asked for, and at most 50", said)
        assert "It takes about" in said
        asked = len(web.log)
        for name, options in LOOKS:
            page.set_viewport_size(options.get("viewport", {"width": 1280, "height": 900}))
            page.emulate_media(color_scheme=options.get("color_scheme", "light"))
            page.screenshot(path=artefacts / f"enough-{name}.png", full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert len(web.log) == asked, "nothing is fetched before it is confirmed"
        page.click("text=Fetch them")
        page.wait_for_url("**/more/1")
        page.wait_for_selector("#live h2:has-text('It is done')")
        page.wait_for_function("() => !document.querySelector('#live [data-running=yes]')")
        for name, options in LOOKS:
            page.set_viewport_size(options.get("viewport", {"width": 1280, "height": 900}))
            page.emulate_media(color_scheme=options.get("color_scheme", "light"))
            page.screenshot(path=artefacts / f"more-{name}.png", full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.click("text=Search again")
        page.wait_for_selector(".badge.is-new")
        assert int(page.locator(".answer").get_attribute("data-total")) == 40
        assert before < 40
        assert f"{40 - before} pages were fetched for this search" in page.locator(".said").inner_text()
        page.screenshot(path=artefacts / "enough-results.png", full_page=True)
        assert page.troubles == []
        stranger = tab(server.address)
        stranger.goto("/more/1")
        assert stranger.locator("h1").text_content() == "Nothing is fetched", "a reader's wish is theirs"
    with ReaderLog(folder) as log:
        done = [each.action for each in log.deeds()]
        (wish,) = Wishes(log).every()
    assert done.count(Action.LOW_RATING) == done.count(Action.CRAWL_MORE) == 1
    assert wish.found == 40 - before


def test_a_wish_is_refused_with_the_rule(serving: Callable[..., Running], tmp_path: Path) -> None:
    with TinyWeb(shop()) as web:
        folder = shelved(tmp_path / "folder", web)
        shared = serving(folder, allow_hosts=("library.example.org",))
        cookie, token = shared.visit()
        form = {"q": "buy", "answer": "no", "token": token}
        shown = shared.post("/enough", form, Cookie=cookie, User_Agent=PERSON, Accept="text/html").text
        assert "needs the folder" in shown
        assert "Fetch them" not in shown
        refused = shared.post("/more", form, Cookie=cookie, User_Agent=PERSON, Accept="text/html")
        assert refused.status == 401
        assert "Log in at /login" in refused.text
        # The host was named in the browser alone, and the server may not crawl its own machine.
        strange = shelved(tmp_path / "strange", web, "--from-browser", "--allow-network", "127.0.0.0/8")
        asked = len(web.log)
        server = serving(strange)
        cookie, token = server.visit()
        form = {"q": "buy", "answer": "no", "token": token}
        shown = server.post("/enough", form, Cookie=cookie, User_Agent=PERSON, Accept="text/html").text
        assert "own networks" in shown
        again = server.post("/more", form, Cookie=cookie, User_Agent=PERSON, Accept="text/html")
        assert again.status == 400
        assert "own networks" in again.text
        assert len(web.log) == asked
        for bad in ("/more/0", "/more/99999999999999999999", "/more/7/live"):
            assert server.get(bad).status == 404
    for one in (folder, strange):
        with ReaderLog(one) as log:
            assert Wishes(log).every() == []


def test_a_wish_survives_the_server(tmp_path: Path) -> None:
    """Killed by force after it acknowledged; what was begun is begun once, and ends."""
    with TinyWeb(shop()) as web:
        folder = shelved(tmp_path / "folder", web)
        held = next(f"/item/{one}" for one in range(40) if not web.count(f"/item/{one}"))
        web.hold(held)
        first = served(folder)
        try:
            number = asked_for_more(address_of(first))
        finally:
            first.kill()
            first.communicate()
        second = served(folder)
        try:
            address_of(second)
            assert web.wait_for(held)
            web.release(held)
            with ReaderLog(folder) as log:
                until = time.monotonic() + 300
                while (wish := Wishes(log).one(number)) is not None and wish.state is not WishState.ENDED:
                    assert time.monotonic() < until
        finally:
            second.kill()
            second.communicate()
        items = [one.path for one in web.log if one.path.startswith("/item/")]
    assert len(items) == len(set(items)) == 40, "nothing is fetched twice"
    assert wish is not None
    assert wish.visited <= wish.visits


def served(folder: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "whimbrel", "serve", "--repo", str(folder), "--port", "0", "--no-open", "--json"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ)


def address_of(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return str(json.loads(process.stdout.readline())["address"])


def asked_for_more(address: str) -> int:
    """By hand, as a browser would: the form of the page that says what will happen."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)
    connection.request("GET", "/crawl", headers={"User-Agent": PERSON})
    shown = connection.getresponse()
    cookie = shown.headers["Set-Cookie"].partition(";")[0]
    token = re.search(rb'data-token="([0-9a-f]+)"', shown.read())
    assert token is not None
    kind = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": cookie, "User-Agent": PERSON}
    form = urlencode({"q": "buy", "token": token[1].decode()})
    connection.request("POST", "/more", form, kind)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    assert answer.status == 303, answer.headers
    return int(answer.headers["Location"].rpartition("/")[2])
