"""PDFs in a real browser: shown by its own viewer, and unable to do anything."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kept_shelf import PAPER, hostile_papers
from web_client import Running, settle

from whimbrel.testing.web import TinyWeb

Tab = Any
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
VIEWER = "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/"


def viewer_of(page: Tab) -> Any:
    """The viewer's own frame, once it has read the document."""
    page.wait_for_selector("object.paper")
    while not (found := [frame for frame in page.frames if frame.url.startswith(VIEWER)]):
        page.wait_for_event("framenavigated")
    found[0].locator("#pagelength", has_text="1").wait_for(state="attached")
    return found[0]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_pdf_is_shown(tab: Callable[..., Tab], artefacts: Path, scheme: str) -> None:
    for name, screen in (("desk", DESK), ("phone", PHONE)):
        page = tab(viewport=screen, color_scheme=scheme)
        said: list[str] = []
        page.on("console", lambda message, said=said: said.extend([message.text] * (message.type == "error")))
        page.goto(f"/read?url={PAPER}&q=waders")
        assert viewer_of(page).locator("#pagelength").text_content() == "1"
        held = page.locator("object.paper").bounding_box()
        assert (held["width"], held["y"] + held["height"]) == (screen["width"], screen["height"])
        assert name == "desk" or held["y"] <= 56
        page.screenshot(path=artefacts / f"paper-{name}-{scheme}.png")
        assert said == []
        assert page.troubles == []


def test_a_hostile_pdf_asks_nobody_and_changes_nothing(tab: Callable[..., Tab], server: Running, evil: TinyWeb) -> None:
    for url in hostile_papers(evil.url("").rstrip("/")):
        page = tab()
        page.goto(f"/read?url={url}")
        viewer_of(page)
        settle(page)
        assert page.url.endswith(url)
        assert page.evaluate("window.owned") is None
        ours = (f"{server.address}/", VIEWER)
        assert [frame.url for frame in page.frames if frame.url and not frame.url.startswith(ours)] == []
        assert page.troubles == []
        page.close()
    assert evil.log == []


def test_where_no_viewer_is_the_pdf_can_be_opened(tab: Callable[..., Tab]) -> None:
    """What stands inside the object, which browsers without a viewer show."""
    page = tab()
    page.goto(f"/read?url={PAPER}")
    page.evaluate("document.body.append(document.querySelector('object.paper .notice'))")
    link = page.locator("body > .notice a", has_text="Open the PDF")
    address = link.get_attribute("href")
    assert address.startswith("/kept/")
    assert page.request.get(address).headers["content-type"] == "application/pdf"
    page.click("body > .notice >> text=read its text")
    page.wait_for_selector("article.text")
