"""The reader in a real browser: the copy with its files and links, and finding words in it."""

from collections.abc import Callable
from typing import Any

from kept_shelf import TIDES
from web_client import frame_of

Tab = Any
PHONE = {"width": 360, "height": 740}


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


def test_a_narrow_phone_has_room_for_the_reader(tab: Callable[..., Tab]) -> None:
    page = tab(viewport=PHONE)
    page.goto(f"/read?url={TIDES}")
    tops = page.evaluate(
        "Array.from(document.querySelectorAll('.bar .icon'), each => each.getBoundingClientRect().top)"
    )
    assert len(tops) == 9
    assert len(set(tops)) == 1, "its buttons stand in one row"
    assert page.evaluate("(tabs => tabs.scrollWidth <= tabs.clientWidth)(document.querySelector('.tabs'))")
