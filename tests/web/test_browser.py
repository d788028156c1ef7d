"""The pages in a real browser: looks, keys, phones, and what a hostile copy can do, which is nothing.

Screenshots go to the folder in TEST_ARTEFACTS, else to the test's own.
"""

import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from kept_shelf import BARE, HOSTILE, HUGE, PLAIN, TIDES
from web_client import Running

from whimbrel.testing.web import TinyWeb

CHROMIUM = "/usr/bin/chromium"
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(not Path(CHROMIUM).exists(), reason=f"{CHROMIUM} is not installed")

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run"]  # fmt: skip
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
LEAST_CONTRAST = 4.5
VIEWS = {
    "home": "/",
    "search": "/?q=estuary",
    "nothing": "/?q=zzzqqq",
    "read": f"/read?url={TIDES}&q=estuary",
    "text": f"/read?url={BARE}",
    "plain": f"/read?url={PLAIN}",
    "changes": f"/read?url={TIDES}&view=changes",
    "links": f"/read?url={TIDES}&view=links",
    "hostile": f"/read?url={HOSTILE}&view=copy",
    "missing": "/read?url=http://never.example/",
    "favourites": "/favourites",
    "crawl": "/crawl",
}
Tab = Any


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def tab(browser: Any, server: Running) -> Iterator[Callable[..., Tab]]:
    """Opens tabs, and checks that none of them asked any other server for anything."""
    contexts = []
    asked: list[str] = []

    def open_tab(**options: Any) -> Tab:
        context = browser.new_context(base_url=server.address, **({"viewport": DESK} | options))
        context.on("request", lambda request: asked.append(request.url))
        context.on("requestfailed", lambda request: asked.remove(request.url) if "csp" in request.failure else None)
        contexts.append(context)
        page = context.new_page()
        page.troubles = []
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        page.on("dialog", lambda dialog: page.troubles.append(f"dialog: {dialog.message}"))
        page.on("popup", lambda popup: page.troubles.append(f"popup: {popup.url}"))
        return page

    yield open_tab
    for context in contexts:
        context.close()
    assert {urlsplit(url).netloc for url in asked if not url.startswith("data:")} <= {urlsplit(server.address).netloc}


@pytest.fixture(scope="module")
def artefacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    named = os.environ.get("TEST_ARTEFACTS")
    folder = Path(named) if named else tmp_path_factory.mktemp("views")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.mark.parametrize("view", VIEWS)
def test_every_view(tab: Callable[..., Tab], artefacts: Path, view: str) -> None:
    """Seen on a desk and a phone, by day and by night; nothing is wider than the screen, every word can be read."""
    for name, options in (
        ("desk-light", {"viewport": DESK, "color_scheme": "light"}),
        ("phone-dark", {"viewport": PHONE, "color_scheme": "dark", "has_touch": True}),
    ):
        page = tab(**options)
        page.goto(VIEWS[view])
        page.screenshot(path=artefacts / f"{view}-{name}.png")
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= options["viewport"]["width"], name
        assert page.evaluate(CONTRAST, LEAST_CONTRAST) == [], name
        assert page.evaluate(NAMELESS) == [], name
        assert page.locator("main").count() == page.locator("h1").count() == 1
        assert page.troubles == []


CONTRAST = """least => {
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * x + .7152 * y + .0722 * z;
  };
  const colour = text => text.match(/[\\d.]+/g).map(Number);
  const ground = element => {
    for (; element; element = element.parentElement) {
      const found = colour(getComputedStyle(element).backgroundColor);
      if (found.length < 4 || found[3] > .9) return found;
    }
    return [255, 255, 255];
  };
  const poor = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility() || element.closest(".unseen, .skip, svg, noscript")) continue;
    const a = light(colour(getComputedStyle(element).color)), b = light(ground(element));
    const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (contrast < least) poor.push(`${node.data.trim().slice(0, 40)}: ${contrast.toFixed(2)}`);
  }
  return poor;
}"""

NAMELESS = """() => Array.from(document.querySelectorAll("a, button, input:not([type=hidden]), select, iframe"))
  .filter(each => each.checkVisibility() && !(each.textContent.trim() || each.getAttribute("aria-label") || each.title
    || (each.labels && each.labels.length)))
  .map(each => each.outerHTML.slice(0, 120))"""


def test_first_search_page_weighs_little(tab: Callable[..., Tab]) -> None:
    page = tab()
    sizes: list[int] = []
    page.on("response", lambda response: sizes.append(len(response.body())))
    page.goto("/?q=estuary", wait_until="networkidle")
    assert 0 < sum(sizes) <= 150_000


def test_usable_without_scripts(tab: Callable[..., Tab]) -> None:
    page = tab(java_script_enabled=False)
    page.goto("/")
    page.fill("#q", "godwits")
    page.click("form.search button")
    page.locator(".hit h2 a").first.click()
    assert "Tides of the estuary" in page.title()
    page.click("text=What changed")
    assert page.locator("ins").count() == 1
    page.click("[aria-label=Favourite]")
    assert page.locator("[aria-label=Favourite]").get_attribute("aria-pressed") == "true"
    page.goto("/favourites")
    page.click("text=Remove")
    assert "None yet" in page.text_content("main")


def test_results_come_while_typing(tab: Callable[..., Tab]) -> None:
    page = tab()
    page.goto("/")
    with page.expect_response("**/seen") as seen:
        page.keyboard.type("godwi")
        page.keyboard.type("ts")
        page.wait_for_selector("mark:has-text('godwits')")
    assert seen.value.status == 204
    assert page.url.endswith("/?q=godwits")
    page.wait_for_function("() => document.getElementById('announce').textContent.includes('1 page')")
    page.fill("#q", "")
    page.wait_for_selector("#welcome", state="visible")


def test_keys(tab: Callable[..., Tab]) -> None:
    page = tab()
    page.goto("/?q=page")
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.locator(".hit").nth(1).get_attribute("class") == "hit here"
    page.keyboard.press("k")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert page.locator("dialog#help").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog#help").is_visible()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.press("ArrowDown")
    title = page.locator(".hit h2").first.text_content()
    page.keyboard.press("Enter")
    page.wait_for_url("**/read?**")
    assert page.locator("h1").text_content().strip() == title.strip()


def test_focus_can_be_seen(tab: Callable[..., Tab]) -> None:
    page = tab()
    page.goto("/crawl")
    for _ in range(6):
        page.keyboard.press("Tab")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def frame_of(page: Tab) -> Any:
    page.wait_for_selector("iframe#copy")
    page.frame_locator("iframe#copy").locator("body").wait_for()
    return next(frame for frame in page.frames if "/kept/" in frame.url)


def test_the_copy_looks_as_it_did(tab: Callable[..., Tab]) -> None:
    page = tab()
    page.goto(f"/read?url={TIDES}")
    frame = frame_of(page)
    assert frame.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(1, 97, 87)"
    frame.wait_for_function("() => document.querySelector('img').naturalWidth === 40")
    assert frame.evaluate("origin") == "null"


def test_links_of_the_copy_open_in_the_reader(tab: Callable[..., Tab]) -> None:
    page = tab()
    page.goto(f"/read?url={TIDES}")
    frame_of(page).click("text=a bare page")
    page.wait_for_url("**/read?url=http%3A%2F%2Fa.example%2Fbare")
    page.click("[aria-label=Back]")
    page.wait_for_url(f"**/read?url={TIDES}")
    frame_of(page).click("text=another place")
    page.wait_for_url("**/read?url=https%3A%2F%2Felsewhere.example%2Fx")
    assert "not kept" in page.text_content("h1")


def test_find_in_page(tab: Callable[..., Tab]) -> None:
    page = tab()
    for address, count in ((f"/read?url={TIDES}", 2), (f"/read?url={TIDES}&view=text", 2)):
        page.goto(address)
        if "view" not in address:
            frame_of(page)
        page.click("[data-do=find]")
        page.fill("#find-text", "the end")
        page.wait_for_function(f"() => document.getElementById('find-count').textContent === '1 of {count}'")
        page.keyboard.press("Enter")
        page.wait_for_function(f"() => document.getElementById('find-count').textContent === '2 of {count}'")
        assert page.text_content("#find-count") == f"2 of {count}"


def test_a_hostile_copy_changes_and_reads_nothing(
    tab: Callable[..., Tab], server: Running, evil: TinyWeb, artefacts: Path
) -> None:
    page = tab()
    loads: list[str] = []
    page.on("request", lambda request: loads.append(request.url))
    page.goto(f"/read?url={HOSTILE}&view=copy")
    frame = frame_of(page)
    address, title = page.url, page.title()
    for spot in ("#js", "#data", "p"):
        frame.locator(spot).first.click(force=True, timeout=2000)
    frame.evaluate("document.querySelector('form').submit()")
    page.wait_for_timeout(1200)
    page.screenshot(path=artefacts / "hostile-touched.png")
    assert evil.log == []
    assert sum("/copy?" in url for url in loads) == 1  # it did not load itself again
    assert page.evaluate("window.owned") is None
    assert frame.evaluate("window.owned") is None
    assert (page.url, page.title()) == (address, title)
    assert page.troubles == []
    assert "A hostile page about estuaries" in frame.locator("body").text_content()
    # What it could reach if it had a script after all: nothing of ours.
    for reach in ("parent.document.title", "document.cookie", "localStorage.length", "top.location.href"):
        assert (
            frame.evaluate(f"(() => {{ try {{ return String({reach}) }} catch (e) {{ return e.name }} }})()")
            == "SecurityError"
        )
    blocked = frame.evaluate(f"fetch('{server.address}/api/favourites').then(() => 'read', () => 'blocked')")
    assert blocked == "blocked"


def test_messages_without_the_token_are_not_heard(tab: Callable[..., Tab]) -> None:
    page = tab()
    page.goto(f"/read?url={HOSTILE}&view=copy")
    frame = frame_of(page)
    wish = "kind: 'open', url: 'http://a.example/bare'"
    frame.evaluate(f"parent.postMessage({{ {wish} }}, '*')")
    frame.evaluate(f"parent.postMessage({{ token: 'guess', {wish} }}, '*')")
    token = page.get_attribute("#copy", "data-token")
    page.evaluate(f"window.postMessage({{ token: '{token}', {wish} }}, '*')")  # from the wrong window
    frame.evaluate(f"parent.postMessage({{ token: '{token}', kind: 'open', url: 'javascript:alert(1)' }}, '*')")
    page.wait_for_timeout(300)
    assert "hostile" in page.url
    frame.evaluate(f"parent.postMessage({{ token: '{token}', {wish} }}, '*')")
    page.wait_for_url("**/read?url=http%3A%2F%2Fa.example%2Fbare")


def test_a_copy_opened_by_itself_is_still_nobodys(tab: Callable[..., Tab], evil: TinyWeb) -> None:
    page = tab()
    page.goto(f"/read?url={HOSTILE}&view=copy")
    page.goto(frame_of(page).url)
    assert page.evaluate("origin") == "null"
    page.wait_for_timeout(300)
    assert evil.log == []
    assert page.evaluate("window.owned") is None


def test_a_huge_copy_does_not_stop_the_reader(tab: Callable[..., Tab]) -> None:
    page = tab()
    page.goto(f"/read?url={HUGE}&view=copy", wait_until="commit")
    began = time.monotonic()
    page.click("text=Links")
    page.wait_for_url("**view=links**")
    assert time.monotonic() - began < 20


def test_crawl_room_renews_itself(tab: Callable[..., Tab]) -> None:
    page = tab()
    page.goto("/crawl")
    with page.expect_response(re.compile("/crawl/live$"), timeout=8000) as renewed:
        pass
    assert renewed.value.ok
    assert page.locator("#live h2").first.text_content().strip() == "No crawl is running"
