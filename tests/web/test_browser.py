"""The pages in a real browser: looks, keys, phones, screen readers, and no scripts at all."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kept_shelf import BARE, HOSTILE, PAPER, PLAIN, TIDES
from web_client import follow

Tab = Any
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 740}
LEAST_CONTRAST = 4.5
COMPLAINED_OF = ("hostile", "missing", "wrong")
"""Views whose browser has something to say: of what a copy tried, and of an answer 404 or 400."""
VIEWS = {
    "home": "/",
    "search": "/?q=estuary",
    "listed": "/?q=site:a.example",
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
    "me": "/me",
    "saved": "/saved",
    "crawl": "/crawl",
    "like": "/crawl/like?q=estuary",
    "urls": "/urls?site=a.example",
    "wrong": "/urls?state=lost",
    "changed": "/changes",
}
# What opens where somebody clicks: the view, and what is clicked.
OPENED = {
    "why": ("/?q=estuary", ".why summary"),
    "twins": ("/?q=very same to the last byte", ".twins summary"),
    "help": ("/?q=estuary", "[data-help]"),
    "find": (f"/read?url={TIDES}&view=text", "[data-do=find]"),
    "folded": (f"/read?url={TIDES}&q=estuary", ".timeline a[aria-current]"),
    "options": ("/crawl", "form.add summary"),
    "opinions": (f"/read?url={TIDES}&view=changes", ".opinions summary"),
}


@pytest.mark.parametrize("view", [*VIEWS, *OPENED])
def test_every_view(tab: Callable[..., Tab], artefacts: Path, view: str) -> None:
    """Seen on a desk and a phone, by day and by night; nothing is wider than the screen, every word can be read."""
    for name, screen, options in (
        ("desk-light", DESK, {"color_scheme": "light"}),
        ("phone-dark", PHONE, {"color_scheme": "dark", "has_touch": True}),
    ):
        page = tab(viewport=screen, **options)
        said: list[str] = []
        page.on("console", lambda message, said=said: said.extend([message.text] * (message.type == "error")))
        page.goto(VIEWS[view] if view in VIEWS else OPENED[view][0])
        if view in OPENED:
            if page.locator(".fold").is_visible() and not page.locator(OPENED[view][1]).first.is_visible():
                page.click(".fold")
            page.locator(OPENED[view][1]).first.click()
        page.screenshot(path=artefacts / f"{view}-{name}.png")
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= screen["width"], name
        assert page.evaluate(CONTRAST, LEAST_CONTRAST) == [], name
        assert nameless(page) == [], name
        assert page.evaluate(SKIPPED_HEADINGS) == [], name
        assert view in COMPLAINED_OF or said == [], name
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


SKIPPED_HEADINGS = """() => {
  const all = Array.from(document.querySelectorAll("h1, h2, h3, h4, h5, h6")).filter(each => each.checkVisibility());
  const levels = all.map(each => Number(each.tagName[1]));
  return levels.filter((level, i) => i && level > levels[i - 1] + 1);
}"""
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


def test_a_page_begins_where_its_bar_does(tab: Callable[..., Tab]) -> None:
    page = tab(viewport={"width": 1600, "height": 900})
    for address, first in (("/?q=estuary", ".count"), ("/crawl", "h1"), ("/favourites", "h1"),
                           (f"/read?url={TIDES}", "h1"),
                           (f"/read?url={TIDES}", ".about"),
                           (f"/read?url={BARE}&view=changes", "p.changes")):  # fmt: skip
        page.goto(address)
        left = [page.locator(spot).first.bounding_box()["x"] for spot in (".wordmark", first)]
        assert left[0] == left[1], address


@pytest.mark.parametrize("width", [360, 390, 768, 1000, 1280])
def test_a_query_can_be_read_while_it_is_typed(tab: Callable[..., Tab], width: int) -> None:
    page = tab(viewport={"width": width, "height": 800})
    for address in ("/?q=estuary", "/favourites", "/urls", f"/read?url={TIDES}", "/read?url=http://never.example/"):
        page.goto(address)
        assert page.locator("#q").bounding_box()["width"] >= 170, address
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address


def test_a_printed_page_says_where_it_is_from(tab: Callable[..., Tab]) -> None:
    page = tab(color_scheme="dark")
    page.emulate_media(media="print")
    page.goto(f"/read?url={TIDES}&view=text")
    assert page.locator(".printed").inner_text().startswith(f"{TIDES}\nKept on ")
    assert page.locator("header, nav, form").filter(visible=True).count() == 0
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate(CONTRAST, LEAST_CONTRAST) == []
    page.goto("/?q=estuary")
    assert page.locator(".facets, .folds, .pages, form").filter(visible=True).count() == 0
    page.goto(f"/read?url={TIDES}&view=changes")
    assert "underline" in page.locator("ins").first.evaluate("each => getComputedStyle(each).textDecorationLine")


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
    follow(page, "form.search button")
    follow(page, ".hit h2 a")
    assert "Tides of the estuary" in page.title()
    follow(page, "text=What changed")
    assert page.locator("ins", has_text="godwits").count() == 1
    follow(page, "[aria-label=Favourite]")
    assert page.locator("[aria-label=Favourite]").get_attribute("aria-pressed") == "true"
    page.goto("/favourites")
    follow(page, "text=Remove")
    assert "None yet" in page.text_content("main")


def test_results_come_while_typing(tab: Callable[..., Tab]) -> None:
    page = tab()
    page.goto("/")
    with page.expect_navigation():  # letters typed before the next page is there would be nobody's
        page.click(".ask button[value=yes]")  # what was shown counts for those who said yes
    with page.expect_response("**/seen") as seen:
        page.keyboard.type("godwi")
        page.keyboard.type("ts")
        page.wait_for_url("**/?q=godwits")
    assert seen.value.status == 204
    assert page.locator("mark").first.text_content() == "godwits"
    page.wait_for_function("() => document.getElementById('announce').textContent.includes('1 page')")
    page.fill("#q", "")
    page.wait_for_selector("#welcome", state="visible")


def test_results_stay_while_the_next_words_are_thought_of(tab: Callable[..., Tab]) -> None:
    page = tab()
    page.clock.install()
    page.goto("/?q=godwits")
    page.fill("#q", "the end")
    page.wait_for_function("() => document.querySelector('h1').textContent === 'Results for the end'")
    page.fill("#q", "")
    page.clock.run_for(2000)
    assert page.locator(".hit").count() > 0


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
    page.goto(f"/read?url={TIDES}&view=text")
    page.focus(".places a:last-of-type")
    for _ in range(4 + 8 + 3):  # views, buttons, versions
        page.keyboard.press("Tab")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        assert page.evaluate(CUT_RING) == []


CUT_RING = """() => {
  const here = document.activeElement, style = getComputedStyle(here);
  const reach = parseFloat(style.outlineWidth) + parseFloat(style.outlineOffset);
  const box = here.getBoundingClientRect(), cutting = [];
  for (let around = here.parentElement; around; around = around.parentElement) {
    const edge = around.getBoundingClientRect();
    if (getComputedStyle(around).overflowX === "visible") continue;
    if (box.top - reach < edge.top || box.bottom + reach > edge.bottom) cutting.push(around.className);
  }
  return cutting;
}"""


def test_nothing_moves_for_those_who_ask_for_it(tab: Callable[..., Tab]) -> None:
    for motion, behaviour in (("reduce", "auto"), ("no-preference", "smooth")):
        page = tab(reduced_motion=motion)
        page.goto("/?q=estuary")
        assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == behaviour
