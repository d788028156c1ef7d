"""A server on loopback over a grown folder, and one that nobody may ask."""

import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra `search` is not installed")
pytest.importorskip("tantivy", reason="the extra `search` is not installed")

from kept_shelf import fill
from web_client import PATIENCE_MS, PERSON, Running

from whimbrel.search.build.indexer import Indexer
from whimbrel.search.contract import DEFAULTS
from whimbrel.testing.web import Reply, TinyWeb
from whimbrel.web.settings import Door

CHROMIUM = "/usr/bin/chromium"
# One turn of the wheel is one scroll: where frames come slowly a smooth one pauses on its way, and counts as several.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-smooth-scrolling", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-first-run"]  # fmt: skip
DESK = {"width": 1280, "height": 900}


@pytest.fixture(scope="session")
def evil() -> Iterator[TinyWeb]:
    """A server that nobody may ask for anything."""
    with TinyWeb({"/": Reply(b"<title>evil</title>")}) as web:
        yield web


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory, evil: TinyWeb) -> Path:
    folder = tmp_path_factory.mktemp("shelf")
    fill(folder, evil.url("").rstrip("/"), time.time())
    with Indexer(folder, DEFAULTS) as indexer:
        indexer.catch_up()
    return folder


@pytest.fixture(scope="session")
def server(shelf: Path) -> Iterator[Running]:
    with Running(shelf, Door(port=0)) as running:
        yield running


@pytest.fixture
def serving() -> Iterator[Callable[..., Running]]:
    """Further servers, ended with the test."""
    started: list[Running] = []

    def start(folder: Path, **door: Any) -> Running:
        running = Running(folder, Door(port=0, **door)).__enter__()
        started.append(running)
        return running

    yield start
    for running in started:
        running.__exit__()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"{CHROMIUM} is not installed")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS, timeout=PATIENCE_MS)
        yield chromium
        chromium.close()


@pytest.fixture
def tab(browser: Any, server: Running) -> Iterator[Callable[..., Any]]:
    """Opens tabs, and checks that none of them asks any other server for anything.

    Requests are held up on their way out, where those that a policy forbids do not come by.
    """
    contexts = []
    foreign: list[str] = []

    def refuse(route: Any) -> None:
        foreign.append(route.request.url)
        route.abort()

    def open_tab(address: str = server.address, **options: Any) -> Any:
        context = browser.new_context(base_url=address, **({"viewport": DESK, "user_agent": PERSON} | options))
        context.set_default_timeout(PATIENCE_MS)
        elsewhere = re.compile(rf"^(?!{re.escape(address)}/|data:|about:|blob:|chrome(-extension)?:)")
        context.route(elsewhere, refuse)
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
    assert foreign == []


@pytest.fixture(scope="session")
def artefacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Screenshots go to the folder in TEST_ARTEFACTS, else to the tests' own."""
    named = os.environ.get("TEST_ARTEFACTS")
    folder = Path(named) if named else tmp_path_factory.mktemp("views")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
