"""The reader in a real browser: the copy with its files and links, and finding words in it."""

from collections.abc import Callable
from typing import Any

import pytest
from kept_shelf import TIDES
from web_client import follow, frame_of

Tab = Any


def test_the_copy_looks_as_it_did(tab: Callable[..., Tab]) -> None:
    page = tab()
    page.goto(f"/read?url={TIDES}")
    frame = frame_of(page)
    assert frame.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(1, 97, 87)"
    frame.wait_for_function("() => document.querySelector('img').naturalWidth === 40")
    assert frame.evaluate("origin") == "null"


def test_the_copy_gets_its_kept_files_and_asks_for_no_others(tab: Callable[..., Tab]) -> None:
    page = tab()
    failed: list[str] = []
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.on("response", lambda response: failed.extend([response.url] * (not response.ok)))
    with page.expect_response("**letters.woff2**") as letters:
        page.goto(f"/read?url={TIDES}")
    letters.value.finished()
    assert frame_of(page).evaluate("Array.from(document.fonts, each => each.family)") == ["f"]
    assert failed == []


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
    assert page.evaluate("[CSS.highlights.get('found').size, CSS.highlights.get('here').size]") == [2, 1]


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


PHONES = ({"width": 390, "height": 844}, {"width": 360, "height": 640})
HIGHEST_HEAD = 56


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_the_page_has_the_screen(tab: Callable[..., Tab], scheme: str) -> None:
    """What is above the kept page is one line; below it nothing is cut off."""
    for screen in PHONES:
        page = tab(viewport=screen, color_scheme=scheme)
        page.goto(f"/read?url={TIDES}&q=estuary")
        copy = page.locator("iframe#copy").bounding_box()
        assert copy["y"] <= HIGHEST_HEAD
        assert (copy["width"], copy["y"] + copy["height"]) == (screen["width"], screen["height"])
        page.goto(f"/read?url={TIDES}&view=text")
        assert page.locator("header.top").bounding_box()["height"] <= HIGHEST_HEAD
        assert page.evaluate(FIRST_SHOWN) == "H1", "then comes what is read"


FIRST_SHOWN = """() => {
  const shown = Array.from(document.querySelectorAll("main *")).filter(each => each.checkVisibility());
  return shown[0].tagName;
}"""


@pytest.mark.parametrize("scripts", [True, False])
def test_what_is_folded_is_reached_by_keys(tab: Callable[..., Tab], scripts: bool) -> None:
    page = tab(viewport=PHONES[0], java_script_enabled=scripts)
    page.goto(f"/read?url={TIDES}&q=estuary")
    page.locator(".tabs").wait_for(state="hidden")
    page.focus(".search button")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    opener = [node for node in tree if node.get("name", {}).get("value", "").startswith("This page: ")]
    assert [each["value"]["value"] for each in opener[0]["properties"] if each["name"] == "expanded"] == [True]
    reached = []
    while "Crawl room" not in reached and len(reached) < 30:  # the last of them; keys in the copy are its own
        page.keyboard.press("Tab")
        reached.append(page.evaluate(NAME_OF_FOCUS))
    for name in ("Text", "What changed 3 versions", "Links", "Favourite", "Print", "Save", "Favourites", "Crawl room"):
        assert name in reached, name
    assert ("Find in page" in reached) == scripts, "finding takes a script"
    page.keyboard.press("Escape")
    page.locator(".tabs").wait_for(state="hidden")


NAME_OF_FOCUS = """() => {
  const here = document.activeElement;
  return here.getAttribute("aria-label") || here.textContent.trim().replace(/\\s+/g, " ");
}"""


def test_a_touch_of_the_copy_folds_again(tab: Callable[..., Tab]) -> None:
    page = tab(viewport=PHONES[0])
    page.goto(f"/read?url={TIDES}")
    frame_of(page)
    page.click(".fold")
    assert page.locator(".tabs").is_visible()
    page.mouse.click(200, 800)
    page.wait_for_selector(".tabs", state="hidden")
    page.click(".fold")
    page.click("[data-do=find]")
    page.fill("#find-text", "the end")
    page.wait_for_function("() => document.getElementById('find-count').textContent === '1 of 2'")
    page.keyboard.press("Escape")
    page.wait_for_selector(".fold:focus")


def test_a_folded_head_is_whole(tab: Callable[..., Tab]) -> None:
    for screen in (*PHONES, {"width": 768, "height": 1024}):
        page = tab(viewport=screen)
        page.goto(f"/read?url={TIDES}&q=estuary")
        page.click(".fold")
        box = page.locator("#about").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= screen["width"]
        assert box["y"] + box["height"] <= screen["height"]
        tops = page.evaluate("Array.from(document.querySelectorAll('.bar .icon'), each => each.offsetTop)")
        assert len(tops) == 8
        assert len(set(tops)) == 1, "its buttons stand in one row"


def test_the_query_that_led_here_can_be_changed(tab: Callable[..., Tab]) -> None:
    for screen in (PHONES[0], {"width": 1280, "height": 900}):
        page = tab(viewport=screen)
        page.goto("/?q=godwits")
        follow(page, ".hit h2 a")
        assert "/read?" in page.url
        assert page.input_value("#q") == "godwits"
        page.fill("#q", "curlews")
        page.keyboard.press("Enter")
        page.wait_for_url("**/?q=curlews")
        page.goto("/read?url=http://a.example/gone&q=godwits")
        assert page.input_value("#q") == "godwits"
