"""The crawl room and the login in a real browser."""

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from web_client import Running

from whimbrel.migrants.home.control import NAME as SOCKET
from whimbrel.testing.web import TinyWeb, site
from whimbrel.web.settings import Door

Tab = Any
PHONE = {"width": 360, "height": 740}


def test_crawl_room_renews_itself(tab: Callable[..., Tab]) -> None:
    page = tab()
    with page.expect_response(re.compile("/crawl/live$")) as renewed:
        page.goto("/crawl")
    assert renewed.value.ok
    assert page.locator("#live h2").first.text_content().strip() == "No crawl is running"


def test_who_stands_in_the_room_is_not_thrown_out(tab: Callable[..., Tab]) -> None:
    """An answer that was asked for before somebody stepped in does not replace what they stand on."""
    page = tab()
    page.goto("/crawl")
    page.evaluate("document.querySelector('#live button').dataset.mine = 'yes'")
    held: list[Any] = []
    page.route("**/crawl/live", lambda route: held.append(route))
    with page.expect_request("**/crawl/live"):
        pass
    page.focus("form.add summary")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.mine") == "yes"
    with page.expect_response("**/crawl/live") as answered:
        held[0].continue_()
    answered.value.finished()
    page.evaluate("() => new Promise(done => setTimeout(done))")
    assert page.evaluate("document.activeElement.dataset.mine") == "yes"


def test_a_server_that_ended_is_missed(tab: Callable[..., Tab], shelf: Path, tmp_path: Path, artefacts: Path) -> None:
    """As when `crawl --serve` is killed: nobody is left looking at what was true a while ago."""
    with Running(tmp_path, Door(port=0)) as running:
        port = running.port
        page = tab(running.address)
        page.goto("/crawl")
        assert page.locator("#unheard").is_hidden()
    page.wait_for_selector("#unheard", state="visible")
    page.screenshot(path=artefacts / "unheard.png")
    with Running(tmp_path, Door(port=port)):
        page.wait_for_selector("#unheard", state="hidden")


def test_a_server_that_ended_is_missed_while_typing(tab: Callable[..., Tab], tmp_path: Path) -> None:
    with Running(tmp_path, Door(port=0)) as running:
        page = tab(running.address)
        page.goto("/")
    page.keyboard.type("tide")
    missed = page.wait_for_selector("#results [role=alert]")
    assert missed is not None
    assert "does not answer" in (missed.text_content() or "")


def test_a_crawl_is_watched_and_its_death_told(
    tab: Callable[..., Tab], serving: Callable[..., Running], tmp_path: Path, artefacts: Path
) -> None:
    """Started in the browser, killed by force, gone on with in the browser."""
    server = serving(tmp_path, networks=("127.0.0.0/8",))
    page = tab(server.address)
    with TinyWeb(site(pages=8)) as web:
        web.hold("/page/3.html")
        page.goto("/crawl")
        page.fill("#url", web.url())
        page.click("button.primary")
        page.wait_for_selector("text=A crawl is running")
        assert web.wait_for("/page/3.html")
        page.wait_for_selector(".charts figure")
        for name, options in (("desk", {}), ("phone", {"viewport": PHONE, "color_scheme": "dark"})):
            other = tab(server.address, **options)
            other.goto("/crawl")
            other.screenshot(path=artefacts / f"crawl-live-{name}.png", full_page=True)
            assert other.evaluate("document.documentElement.scrollWidth <= innerWidth")
        kill_the_crawl(tmp_path)
        page.wait_for_selector("text=The crawl was killed")
        page.screenshot(path=artefacts / "crawl-killed.png")
        assert (tmp_path / SOCKET).exists()
        web.release("/page/3.html")
        page.click("text=Resume")
        page.wait_for_function("() => document.querySelector('.figures dd')?.textContent === '8'")
        page.wait_for_selector("text=No crawl is running")


def kill_the_crawl(folder: Path) -> None:
    os.kill(int((folder / "lock").read_text()), signal.SIGKILL)


def test_the_key_lets_in(
    tab: Callable[..., Tab], serving: Callable[..., Running], tmp_path: Path, artefacts: Path
) -> None:
    server = serving(tmp_path, host="0.0.0.0")
    page = tab(server.address)
    page.goto("/crawl")
    assert page.url.endswith("/login?next=/crawl")
    page.screenshot(path=artefacts / "login.png")
    page.fill("#key", "guess")
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=alert]:has-text('not the key')")
    page.fill("#key", server.key)
    page.keyboard.press("Enter")
    page.wait_for_url("**/crawl")
    assert page.locator("h1").text_content() == "Crawl room"
    assert page.troubles == []
