"""A site that answers no more is told once, and once when it is back; one page that fails is no site."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from commands import Ask
from folders import refreshed, rows
from growing_site import Followed, page
from whimbrel.flows.refresh.course import RefreshWish
from whimbrel.flows.refresh.outages import OUTAGE, packed_outage, read_outage
from whimbrel.flows.telling.feed import atom, entries, feed_of
from whimbrel.flows.telling.news import NewsFilter, chosen
from whimbrel.flows.telling.notices import Notices, NoticeWanted
from whimbrel.flows.telling.webhook import Taken
from whimbrel.repository.embedded.opening import open_database
from whimbrel.repository.engines import open_reader
from whimbrel.revisit.classes import YEAR
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

NAMES = ("/a", "/b", "/c")
REFUSED = Reply(b"<p>not you", status=403)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Followed]:
    pages: dict[str, Any] = {name: page(name, "/") for name in NAMES}
    pages["/"] = page("home", *NAMES)
    with TinyWeb(pages) as web:
        site = Followed(web, tmp_path_factory.mktemp("outages") / "folder")
        site.crawl()
        yield site


@pytest.fixture
def site(crawled: Followed, tmp_path: Path) -> Iterator[Followed]:
    before = dict(crawled.web.pages)
    copied = shutil.copytree(crawled.folder, tmp_path / "folder", ignore=shutil.ignore_patterns("*.sock"))
    yield Followed(crawled.web, Path(copied))
    crawled.web.pages.clear()
    crawled.web.pages.update(before)


def refuse(site: Followed, *paths: str) -> dict[str, Any]:
    """These are refused from now on; as they were."""
    were = {path: site.web.pages[path] for path in paths}
    site.web.pages.update(dict.fromkeys(paths, REFUSED))
    return were


def due(site: Followed) -> list[str]:
    """Everything is a year old: what a refresh then asks for."""
    database = open_database(site.folder)
    database.execute("UPDATE url SET visited_at = visited_at - ? WHERE visited_at > 0", (YEAR,))
    database.execute("UPDATE revisit SET history = x''")
    database.execute("UPDATE version SET at = at - ?", (YEAR,))
    for lane, record in database.execute("SELECT lane, record FROM witness WHERE name = ?", (OUTAGE,)).fetchall():
        known = read_outage(record)
        older = replace(known, since=known.since - YEAR, last_at=known.last_at - YEAR) if known.since else known
        database.execute(
            "UPDATE witness SET record = ? WHERE lane = ? AND name = ?", (packed_outage(older), lane, OUTAGE)
        )
    database.close()
    before = len(site.web.log)
    refreshed(site.folder, {}, RefreshWish(sitemaps=False))
    return [one.path for one in site.web.log[before:] if one.path != "/robots.txt"]


def test_a_site_that_refuses_is_told_once_and_once_when_it_is_back(site: Followed) -> None:
    were = refuse(site, "/", *NAMES)
    site.refresh()
    site.refresh()
    assert (len(site.told("away")), site.told("answers")) == (1, [])
    site.web.pages.update(were)
    site.refresh()
    site.refresh()
    assert (len(site.told("away")), len(site.told("answers"))) == (1, 1)
    assert site.told("gone") == site.told("changed") == []


def test_pages_that_are_refused_beside_others_are_no_outage(site: Followed) -> None:
    refuse(site, "/a", "/b")
    site.refresh()
    site.refresh()
    assert site.told("away") == site.told("answers") == []


def test_the_page_that_answered_last_is_asked_before_it_is_told(site: Followed) -> None:
    """Only /a is due, and fails: whether the site is away, another page has to say."""
    refuse(site, "/a")
    database = open_database(site.folder)
    database.execute("UPDATE url SET visited_at = 1.0 WHERE url LIKE '%/a'")
    database.execute("UPDATE version SET at = 1.0 WHERE url IN (SELECT id FROM url WHERE url LIKE '%/a')")
    database.close()
    before = len(site.web.log)
    run = refreshed(site.folder, {}, RefreshWish(sitemaps=False))
    asked = [one.path for one in site.web.log[before:] if one.path != "/robots.txt"]
    assert (asked[:2], run.course.why["sites that may answer no more"]) == (["/a", "/"], 1)
    assert site.told("away") == []


def test_of_a_site_that_is_away_one_page_is_asked_for_until_it_answers(site: Followed) -> None:
    were = refuse(site, "/", *NAMES)
    site.refresh()
    assert len(due(site)) == 1, "the others wait"
    site.web.pages.update(were)
    assert len(due(site)) == 1
    assert len(site.told("answers")) == 1
    assert sorted(due(site)) == ["/", *NAMES], "and are visited when it is back"


def test_a_server_whose_robots_file_fails_is_away(site: Followed) -> None:
    site.refresh()
    database = open_database(site.folder)
    database.execute("UPDATE robots SET at = 1.0")
    database.close()
    site.web.pages["/robots.txt"] = Reply(b"bad gateway", status=502)
    site.refresh()
    site.refresh()
    assert len(site.told("away")) == 1
    assert rows(site.folder, "SELECT kinds FROM change WHERE what = 'away'") == [("http_502",)]


def test_it_is_told_by_its_name_to_everybody(site: Followed, ask: Ask) -> None:
    name = site.web.url("/").split("/")[2]
    taken: list[Any] = []

    def take(notice: Any) -> Taken:
        taken.append(notice)
        return Taken()

    notices = Notices(site.folder, NoticeWanted("mailto://x", NewsFilter(private=False)))
    notices.begin(2e9)
    refuse(site, "/", *NAMES)
    site.refresh()
    assert notices.deliver(take, 2e9, 0).changes == 1
    assert notices.deliver(take, 2e9, 0).changes == 0
    assert [one.title for one in taken] == [f"Away: {name}"]
    assert "the server answers 403 to whatever is asked for" in taken[0].body
    listed = json.loads(ask("changes", "--since", "1h", "--kind", "away", "--repo", site.folder, "--json").stdout)
    assert (listed["what"], listed["kinds"]) == ("away", ["http_403"])
    assert f"away     {name}" in ask("changes", "--since", "1h", "--repo", site.folder).stdout
    with open_reader(site.folder) as reader:
        choice = NewsFilter()
        written = atom(entries(chosen(reader, choice)), feed_of(reader, choice, ""))
    assert f"<title>Away: {name}</title>" in written
