"""Pages that are missing: named while they are waited for, and confirmed sooner where somebody asks for it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commands import Ask
from growing_site import Followed, page
from whimbrel.flows.refresh.absent import hastened, missing
from whimbrel.repository.embedded.changes import Tellings
from whimbrel.repository.embedded.opening import open_database
from whimbrel.repository.embedded.store import Store
from whimbrel.revisit.classes import DAY
from whimbrel.revisit.gone import CONFIRM_SECONDS
from whimbrel.testing.reply import Reply, redirect
from whimbrel.testing.web import TinyWeb

NAMES = ("/a", "/b", "/c", "/d")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Followed]:
    monkeypatch.setenv("WHIMBREL_CRAWL_MIGRANTS", "1")
    pages: dict[str, Any] = {name: page(name, "/") for name in NAMES}
    pages["/"] = page("home", *NAMES)
    with TinyWeb(pages) as web:
        yield Followed(web, tmp_path / "folder")


def waited_for(site: Followed) -> dict[str, str]:
    with Tellings(site.folder) as reader:
        return {one.url.removeprefix(site.web.url("")): one.reason for one in missing(reader)}


def due(folder: Path) -> list[float]:
    database = open_database(folder)
    moments = [at for (at,) in database.execute("SELECT at FROM due ORDER BY at")]
    database.close()
    return moments


def test_missing_pages_are_named_with_the_moment_that_decides(site: Followed, ask: Ask) -> None:
    site.crawl()
    del site.web.pages["/a"]
    site.web.pages["/b"] = redirect("/login", 302)
    said = ask("refresh", "--all", "--repo", site.folder)
    assert f"missing: {site.web.url('/a')}" in said.stdout
    assert "status 404 since 20" in said.stdout
    assert "status 302 to" in said.stdout
    assert "--confirm" in said.stdout
    assert "not yet visited" not in said.stdout, "both are kept and named: nothing is to be gone on with"
    answer = json.loads(ask("refresh", "--repo", site.folder, "--json").stdout)
    assert {one["url"] for one in answer["missing"]} == {site.web.url("/a"), site.web.url("/b")}
    assert answer["unseen"] == json.loads(ask("status", "--repo", site.folder, "--json").stdout)["unseen"] == []
    for one in answer["missing"]:
        assert one["asked_again_at"] - one["since"] == pytest.approx(DAY)
    assert site.told("gone") == []


def test_they_are_confirmed_where_somebody_asks(site: Followed, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHIMBREL_REFRESH_CONFIRM_AFTER_SECONDS", "0")
    site.crawl()
    del site.web.pages["/a"], site.web.pages["/b"]
    ask("refresh", "--all", "--repo", site.folder)
    site.web.pages["/b"] = page("/b", "/")
    del site.web.pages["/c"]
    answer = json.loads(ask("refresh", "--all", "--confirm", "--repo", site.folder, "--json").stdout)
    assert answer["because"] == {"pages that were missing": 2}
    assert answer["missing"] == []
    assert site.told("gone") == ["/a", "/c"], "also what this refresh found missing is asked for twice"
    assert waited_for(site) == {}
    assert site.web.count("/c") == 4, "by the crawl, the first refresh, and twice by the second"


def test_the_second_question_leaves_a_wait_after_the_first_answer(site: Followed) -> None:
    site.crawl()
    del site.web.pages["/a"]
    site.refresh()
    with Tellings(site.folder) as reader:
        since = missing(reader)[0].since
    store = Store(site.folder)
    assert list(hastened(store.past, since + 5.0, CONFIRM_SECONDS).values()) == [since + CONFIRM_SECONDS]
    assert list(hastened(store.past, since + 99.0, CONFIRM_SECONDS).values()) == [since + 99.0]
    store.close()
    assert due(site.folder) == [since + CONFIRM_SECONDS], "never later than it was"


def test_a_page_that_was_away_at_the_second_question_is_asked_for_all_the_same(site: Followed) -> None:
    site.crawl()
    del site.web.pages["/a"]
    site.refresh()
    database = open_database(site.folder)
    database.execute("DELETE FROM due")
    database.close()
    assert list(waited_for(site)) == ["/a"]
    site.refresh(confirm=True, **{"refresh.confirm_after_seconds": 0.0})
    assert site.told("gone") == ["/a"]


def test_410_is_told_at_once(site: Followed) -> None:
    site.crawl()
    site.web.pages["/a"] = Reply(b"taken away", status=410)
    site.refresh()
    assert site.told("gone") == ["/a"]
    assert waited_for(site) == {}


def test_a_page_that_asks_not_to_be_kept_is_waited_for_no_more(site: Followed) -> None:
    site.crawl()
    del site.web.pages["/a"]
    site.refresh()
    site.web.pages["/a"] = page("/a", head='<meta name="robots" content="noindex">')
    site.refresh(confirm=True, **{"refresh.confirm_after_seconds": 0.0})
    assert waited_for(site) == {}
    assert site.told("gone") == []
