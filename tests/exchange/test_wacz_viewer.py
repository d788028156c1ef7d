"""A WACZ in the viewer that it was made for."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import viewer

from folders import PATIENCE
from grown_folder import grow, small_world
from whimbrel.exchange.export import ExportWanted, export
from whimbrel.repository.embedded.reader import Reader
from whimbrel.testing.web import TinyWeb

CHROMIUM = "/usr/bin/chromium"


@pytest.mark.long
def test_kept_pages_and_their_twins_are_shown_by_replayweb_page(tmp_path: Path) -> None:
    playwright: Any = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"{CHROMIUM} is not installed")
    files = viewer.fetched(tmp_path)
    grow(tmp_path / "folder", small_world())
    out = BytesIO()
    with Reader(tmp_path / "folder") as reader:
        export("wacz", reader, ExportWanted(at=1_800_000_000.0), out)
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"], timeout=1000 * PATIENCE
        )
        for url, words in {
            "http://a.example/deep/2": "two steps down",
            "http://a.example/copy/2": "the very same bytes everywhere",  # kept once, under another address
        }.items():
            assert words in _shown(chromium, viewer.pages(files, out.getvalue(), url))
        chromium.close()


def _shown(chromium: Any, pages: Any) -> str:
    """The text of the page inside of the viewer."""
    with TinyWeb(pages) as web:
        tab = chromium.new_page()
        tab.set_default_timeout(1000 * PATIENCE)
        tab.goto(web.url("/"))
        replayed = tab.frame_locator("replay-web-page iframe").frame_locator("iframe.iframe-main").locator("p").first
        replayed.wait_for()
        return str(replayed.inner_text())
