"""The pages in a real browser: looks, keys, phones, screen readers, and no scripts at all."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kept_shelf import BARE, HOSTILE, PAPER, PLAIN, TIDES
from web_client import frame_of

Tab = Any
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
LEAST_CONTRAST = 4.5
VIEWS = {
    "home": "/",
    "search": "/?q=estuary",
    "nothing": "/?q=zzzqqq",
    "misspelt": "/?q=estuarry",
    "read": f"/read?url={TIDES}&q=estuary",
    "text": f"/read?url={BARE}",
    "plain": f"/read?url={PLAIN}",
    "document": f"/read?url={PAPER}",
    "changes": f"/read?url={TIDES}&view=changes",
    "links": f"/read?url={TIDES}&view=links",
    "hostile": f"/read?url={HOSTILE}&view=copy",
    "missing": "/read?url=http://never.example/",
    "favourites": "/favourites",
    "crawl": "/crawl",
}
# What opens where somebody clicks: the view, and what is clicked.
OPENED = {
    "why": ("/?q=estuary", ".why summary"),
    "twins": ("/?q=very same to the last byte", ".twins summary"),
    "help": ("/?q=estuary", "[data-help]"),
    "find": (f"/read?url={TIDES}&view=text", "[data-do=find]"),
    "options": ("/crawl", "form.add summary"),
}


@pytest.mark.parametrize("view", [*VIEWS, *OPENED])
def test_every_view(tab: Callable[..., Tab], artefacts: Path, view: str) -> None:
    """Seen on a desk and a phone, by day and by night; nothing is wider than the screen, every word can be read."""
    for name, screen, options in (
        ("desk-light", DESK, {"color_scheme": "light"}),
        ("phone-dark", PHONE, {"color_scheme": "dark", "has_touch": True}),
    ):
        page = tab(viewport=screen, **options)
        page.goto(VIEWS[view] if view in VIEWS else OPENED[view][0])
        if view in OPENED:
            page.locator(OPENED[view][1]).first.click()
        page.screenshot(path=artefacts / f"{view}-{name}.png")
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= screen["width"], name
        assert page.evaluate(CONTRAST, LEAST_CONTRAST) == [], name
        assert nameless(page) == [], name
        assert page.locator("main").count() == page.locator("h1").count() == 1
        assert page.troubles == []


def nameless(page: Tab) -> list[str]:
    """Roles of what a key reaches and a screen reader has no name for."""
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    found = []
    for node in tree:
        facts = {each["name"]: each["value"].get("value") for each in node.get("properties", ())}
        role = node.get("role", {}).get("value")
        if facts.get("focusable") and not node.get("name", {}).get("value", "").strip() and role != "main":
            found.append(role)
    return found


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


def test_first_search_page_weighs_little(tab: Callable[..., Tab]) -> None:
    page = tab()
    answered: list[Any] = []
    page.on("response", lambda response: answered.append(response))
    page.goto("/?q=estuary", wait_until="networkidle")
    assert len(answered) >= 3
    assert 0 < sum(len(response.body()) for response in answered) <= 150_000


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
        page.wait_for_url("**/?q=godwits")
    assert seen.value.status == 204
    assert page.locator("mark").first.text_content() == "godwits"
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


def test_finding_moves_nothing(tab: Callable[..., Tab]) -> None:
    """Also from within the copy, whose keys are told to the reader's page."""
    page = tab()
    page.goto(f"/read?url={TIDES}")
    before = page.locator("h1").bounding_box()
    frame_of(page).locator("h1").click()
    page.keyboard.press("/")
    page.wait_for_selector("#find-text:focus")
    assert page.locator("h1").bounding_box() == before
    page.keyboard.press("Escape")
    page.wait_for_selector("#find", state="hidden")
    page.keyboard.press("Control+/")
    assert page.locator("#find").is_hidden()


def test_nothing_moves_for_those_who_ask_for_it(tab: Callable[..., Tab]) -> None:
    for motion, behaviour in (("reduce", "auto"), ("no-preference", "smooth")):
        page = tab(reduced_motion=motion)
        page.goto("/?q=estuary")
        assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == behaviour
