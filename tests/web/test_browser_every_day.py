"""A day with the changes room, by keyboard alone, on a phone and on a desk; axe looks at every page of it."""

import re
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import feedparser
import pytest
from test_browser_axe import LOOKED
from test_browser_axe import axe as axe
from web_client import PERSON, Running

from changing_folder import LINES, grow_changing
from changing_folder import page as written
from whimbrel.testing.web import TinyWeb

Tab = Any
SCREENS = {"phone": {"width": 390, "height": 844}, "desk": {"width": 1280, "height": 900}}
MOST_STEPS = 150


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("days") / "folder"
    with ThreadPoolExecutor(1) as beside:  # where a browser is driven, a loop is running already
        beside.submit(grow_changing, folder).result()
    return folder


@pytest.fixture
def elsewhere() -> Iterator[TinyWeb]:
    with TinyWeb({"/": written("Elsewhere", *LINES), "/robots.txt": written("none")}) as web:
        yield web


def reach(page: Tab, words: str) -> None:
    """Tabs on until what is in focus is called so, as somebody does who has no mouse."""
    called = """() => {
      const here = document.activeElement;
      return here === document.body ? "" : (here.labels?.[0] || here).textContent + " " + (here.ariaLabel || "");
    }"""
    for _ in range(MOST_STEPS):
        page.keyboard.press("Tab")
        if words in " ".join(page.evaluate(called).split()):
            return
    raise AssertionError(f"{words!r} cannot be reached by the keyboard on {page.url}")


def enter(page: Tab, words: str) -> None:
    reach(page, words)
    with page.expect_navigation(wait_until="load"):
        page.keyboard.press("Enter")


@pytest.fixture
def day(
    browser: Any, serving: Callable[..., Running], grown: Path, elsewhere: TinyWeb, tmp_path: Path, artefacts: Path
) -> Callable[..., None]:
    def spend(screen: str, axe: str = "") -> None:
        look = _Look(axe, artefacts, screen)
        folder = Path(shutil.copytree(grown, tmp_path / "folder", ignore=shutil.ignore_patterns("*.sock")))
        server = serving(folder, networks=("127.0.0.0/8",))
        context = browser.new_context(
            base_url=server.address, viewport=SCREENS[screen], user_agent=PERSON, bypass_csp=bool(axe),
            has_touch=screen == "phone",
        )  # fmt: skip
        context.set_default_timeout(120_000)
        try:
            _a_day(context.new_page(), server, elsewhere, look)
        finally:
            context.close()
        assert server.get("/api/page", url=elsewhere.url("/")).json()["outcome"] == "fetched"

    return spend


@pytest.mark.parametrize("screen", SCREENS)
def test_a_day_by_keyboard_alone(day: Callable[..., None], screen: str) -> None:
    day(screen)


@pytest.mark.long
@pytest.mark.parametrize("screen", SCREENS)
def test_axe_finds_nothing_all_day(day: Callable[..., None], axe: str, screen: str) -> None:
    day(screen, axe)


def _a_day(page: Tab, server: Running, elsewhere: TinyWeb, look: "_Look") -> None:
    # Find a change.
    page.goto("/")
    enter(page, "Changes")
    reach(page, "Words")
    page.keyboard.type("eight")
    with page.expect_navigation(wait_until="load"):
        page.keyboard.press("Enter")
    assert page.locator(".told").count() == 1
    look(page, "found")
    # Read its difference.
    enter(page, "Bird")
    assert "eight times" in page.locator(".changes ins").all_inner_texts()[-1]
    look(page, "difference")
    page.go_back(wait_until="load")
    # Subscribe.
    reach(page, "Feed of this view")
    feed = page.evaluate("document.activeElement.href")
    assert [entry.title for entry in feedparser.parse(server.get(feed.removeprefix(server.address)).body).entries] == [
        "Changed: Bird"
    ]
    # Mark it, silence it, and undo that.
    enter(page, "Seen: Bird")
    assert page.locator(".told.seen").count() == 1
    enter(page, "Don’t tell me of this again: Bird")
    look(page, "silence")
    enter(page, "Don’t tell me again")
    assert page.locator(".told").count() == 0
    look(page, "silenced")
    enter(page, "1 silenced")
    named = page.locator(".listed li a").bounding_box()
    assert named["height"] < 40, "its name stands in one line"
    assert "paragraph 4 under “Bird”" in page.locator(".listed li").inner_text()
    look(page, "silences")
    page.go_back(wait_until="load")
    enter(page, "Undo")
    assert page.locator(".told").count() == 1
    # Keep the page one is on.
    page.goto("/crawl")
    reach(page, "Keep the page you are on")
    page.keyboard.press("Enter")
    look(page, "bookmarklet")
    script = page.locator(".around a.badge").get_attribute("href").removeprefix("javascript:")
    page.goto(elsewhere.url("/"))
    with page.expect_navigation(url=re.compile(r"/keep\?"), wait_until="load"):
        page.evaluate(script)
    assert "Elsewhere" in page.locator("main").inner_text()
    look(page, "keep")
    enter(page, "Keep it")
    assert page.url == f"{server.address}/crawl"
    page.wait_for_selector("#live h2:has-text('ended'), #live h2:has-text('No crawl is running')")


class _Look:
    """A picture of each page, and axe's word where it was asked for."""

    def __init__(self, axe: str, artefacts: Path, screen: str) -> None:
        self._axe = axe
        self._artefacts, self._screen = artefacts, screen

    def __call__(self, page: Tab, name: str) -> None:
        page.screenshot(path=self._artefacts / f"day-{name}-{self._screen}.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= SCREENS[self._screen]["width"], name
        if self._axe:
            page.evaluate(self._axe)
            assert page.evaluate(LOOKED) == [], name
