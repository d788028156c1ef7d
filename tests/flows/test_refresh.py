"""A real site that changes: every change is told once and rightly, noise and accidents are not."""

import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from folders import WITHOUT_FORMAT_5, WITHOUT_FORMAT_6, WITHOUT_FORMAT_7, check_archives, crawl, refreshed, rows
from whimbrel.flows.refresh.course import Course, RefreshWish
from whimbrel.flows.refresh.trusting import LASTMOD, Trusting, believed, fetched_whole, read_witness
from whimbrel.frontier.order import Order
from whimbrel.records.url import Url
from whimbrel.repository.embedded.changes import Tellings
from whimbrel.repository.embedded.erase import erase
from whimbrel.repository.embedded.migrate import migrate
from whimbrel.repository.embedded.opening import open_database
from whimbrel.repository.embedded.reader import Reader
from whimbrel.repository.embedded.store import Store
from whimbrel.repository.upkeep import ForgetTarget
from whimbrel.repository.views import Told
from whimbrel.revisit.classes import DAY, HOUR
from whimbrel.revisit.history import first_visit, unpacked
from whimbrel.testing.clock import JumpingClock
from whimbrel.testing.reply import Reply, redirect, unavailable
from whimbrel.testing.web import TinyWeb
from whimbrel.urls.normal import key as key_of

WORDS = (
    "wader", "shore", "tide", "estuary", "mudflat", "curlew", "feather", "migrate", "coast", "marsh", "heath", "moor",
    "bill", "flight", "season",
)  # fmt: skip

ROUNDS = ("first", "second")


def text(name: str) -> str:
    turn = sum(map(ord, name)) % len(WORDS)
    return " ".join([name, *WORDS[turn:], *WORDS[:turn]] * 3)


def page(name: str, *links: str, more: str = "", etag: str = "") -> Reply:
    items = "".join(f'<li><a href="{link}">to {link}</a></li>' for link in links)
    body = (
        f"<!doctype html><html lang=en><head><title>{name}</title></head><body><main><h1>{name}</h1>"
        f"<p>{text(name)}</p><p>{text(name + ' two')}</p>{more}<ul>{items}</ul></main></body></html>"
    )
    return Reply(body.encode(), etag=etag or f'"{hash((name, links, more))}"')


def alter(folder: Path, statement: str) -> None:
    """Makes time pass for a folder."""
    database = open_database(folder)
    database.execute(statement)
    database.close()


class World:
    """A tiny web, and the folder that follows it."""

    def __init__(self, web: TinyWeb, folder: Path) -> None:
        self.web = web
        self.folder = folder
        self.seen = 0.0
        self.settings: dict[str, object] = {"crawl.migrants": 1, "refresh.gone_after_seconds": 0.0}

    def crawl(self, **options: Any) -> None:
        crawl(self.folder, self.web.url("/"), migrants=1, **options)
        self.news()

    def refresh(self, *, everything: bool = True, budget: int | None = None) -> Counter[str]:
        done = refreshed(self.folder, self.settings, RefreshWish(everything=everything, budget=budget))
        self.course = done.course
        return done.standings

    def news(self) -> list[Told]:
        """What changed since the last time this was asked; how a host was found is no change."""
        with Tellings(self.folder) as reader:
            told = [one for one in reader.since(0.0) if one.at > self.seen and one.what != "first"]
        self.seen = max([one.at for one in told], default=self.seen)
        return told

    def told(self) -> list[tuple[str, str]]:
        return sorted((one.what, one.url.removeprefix(self.web.url(""))) for one in self.news())

    def pages(self) -> int:
        with Reader(self.folder) as reader:
            return reader.counts().pages


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    names = ("a", "b", "c", "d")
    pages: dict[str, Any] = {f"/{name}": page(name, "/") for name in names}
    pages["/"] = page("home", *pages)
    with TinyWeb(pages) as web:
        yield World(web, tmp_path / "folder")


def test_every_change_is_told_once_with_its_kind(world: World) -> None:
    web = world.web
    world.crawl()
    assert world.refresh()["not modified"] + world.refresh()["same bytes"] >= 5
    assert world.told() == []

    before = page("a", "/")
    web.pages["/a"] = page("a", "/", more="<p>The curlews came back on Tuesday, earlier than ever.</p>")
    del web.pages["/b"]
    web.pages["/c"] = redirect("/c2", 301)
    web.pages["/c2"] = page("c, as it is called now", "/")
    world.refresh()
    news = {(one.what, one.url.removeprefix(web.url(""))): one for one in world.news()}
    assert set(news) == {("changed", "/a"), ("gone", "/b"), ("moved", "/c"), ("new", "/c2")}
    changed = news["changed", "/a"]
    assert changed.kinds == "structural,content"
    assert 0 < changed.amount < 0.5
    assert news["moved", "/c"].target == web.url("/c2")

    world.refresh()
    assert world.told() == [], "told once"

    web.pages["/b"] = page("b", "/")
    web.pages["/"] = page("home", "/a", "/b", "/c", "/d", "/e")
    web.pages["/e"] = page("e", "/")
    world.refresh()
    assert world.told() == [("changed", "/"), ("new", "/e"), ("restored", "/b")]
    with Reader(world.folder) as reader:
        versions = reader.versions(Url(web.url("/a")))
        assert len(versions) == 2
        assert reader.body(Url(web.url("/a")), versions[0]).payload == before.body, "old versions stay readable"
        assert reader.counts().states["gone"] == 0
    check_archives(world.folder)


def test_noise_raises_no_alarm_and_fills_no_archive(world: World) -> None:
    web = world.web
    world.crawl()
    for second in range(3):
        stamp = f"<p>Served at 12:30:0{second} by node 8f3a1b2c9d4e{second}a</p>"
        web.pages["/a"] = page("a", "/", more=stamp)
        world.refresh()
        if second == 0:
            assert [what for what, _ in world.told()] == ["changed"], "a paragraph that was not there before"
    assert world.told() == []
    with Reader(world.folder) as reader:
        versions = reader.versions(Url(web.url("/a")))
        assert [version.told for version in versions] == [True, True, False], "one state of noise, whatever came"
        assert b"12:30:00" in reader.body(Url(web.url("/a")), versions[1]).payload
        assert b"12:30:02" in reader.body(Url(web.url("/a"))).payload, "what is kept is what was last received"
    assert world.refresh()["same bytes"] + world.refresh()["not modified"] >= 4, "the digest of the noise is known"

    world.settings["refresh.keep_noise"] = True
    web.pages["/a"] = page("a", "/", more="<p>Served at 12:30:09 by node 8f3a1b2c9d4e9a</p>")
    world.refresh()
    assert world.told() == []
    with Reader(world.folder) as reader:
        assert len(reader.versions(Url(web.url("/a")))) == 3


def test_accidents_change_nothing(world: World) -> None:
    web = world.web
    world.settings["refresh.gone_after_seconds"] = DAY
    world.crawl()
    pages, kept = world.pages(), dict(web.pages)
    web.pages["/a"] = Reply(b"<title>404 Not found</title><p>Sorry, nothing here.</p>")
    web.pages["/b"] = Reply(b"", status=404)
    web.pages["/c"] = unavailable(status=500)
    web.pages["/d"] = redirect("/login", 302)
    found = world.refresh()
    assert (found["missing"], found["away"]) == (3, 1)
    assert world.told() == []
    assert world.pages() == pages
    assert not rows(world.folder, "SELECT 1 FROM url WHERE url LIKE '%/login'")

    # What is in doubt waits for its second visit; nobody calls it gone before.
    assert world.refresh()["gone"] == 0
    web.pages.update(kept)
    alter(world.folder, "UPDATE due SET at = 0")  # the wait is over
    world.refresh()
    assert world.told() == []
    assert world.pages() == pages


def test_gone_is_seen_twice_after_a_wait(world: World) -> None:
    world.settings["refresh.gone_after_seconds"] = DAY
    world.crawl()
    del world.web.pages["/b"]
    assert world.refresh()["missing"] == 1
    ((at,),) = rows(world.folder, "SELECT at FROM due")
    ((visited,),) = rows(world.folder, "SELECT visited_at FROM url WHERE url LIKE '%/b'")
    assert float(str(at)) - float(str(visited)) == pytest.approx(DAY, abs=60)
    assert world.told() == []


def test_validators_that_stay_while_pages_change_are_found_out(tmp_path: Path) -> None:
    names = [f"/{word}" for word in WORDS[:12]]
    pages: dict[str, Any] = {name: page(name, "/", etag='"same"') for name in names}
    pages["/"] = page("home", *names, etag='"same"')
    with TinyWeb(pages) as web:
        world = World(web, tmp_path / "folder")
        world.crawl()
        for name in names:
            web.pages[name] = page(name, "/", more=f"<p>News of {name}: it is in.</p>", etag='"same"')
        web.pages["/"] = page("home", *names, more="<p>All pages have news.</p>", etag='"same"')
        found = world.refresh()
        assert found["not modified"] > 0, "it was believed at first"
        assert found["changed"] == 13, "and asked again for whole pages"
        assert world.course.why["validators that lie"] > 0
        assert world.refresh()["not modified"] == 0, "the site has lost its word"


def listed(web: TinyWeb, pages: dict[str, str]) -> Reply:
    rows = "".join(f"<url><loc>{web.url(path)}</loc><lastmod>{day}</lastmod></url>" for path, day in pages.items())
    body = f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'
    return Reply(body.encode(), content_type="application/xml")


def test_a_sitemap_brings_pages_no_link_reaches_and_spares_visits(tmp_path: Path) -> None:
    names = [f"/{word}" for word in WORDS[:10]]
    pages: dict[str, Any] = {name: page(name, "/") for name in names}
    pages["/"] = page("home", *names[:5])
    with TinyWeb(pages) as web:
        web.pages["/robots.txt"] = Reply(f"Sitemap: {web.url('/index.xml')}\n".encode(), content_type="text/plain")
        index = f"<sitemapindex><sitemap><loc>{web.url('/map.xml')}</loc></sitemap></sitemapindex>"
        web.pages["/index.xml"] = Reply(index.encode(), content_type="application/xml")
        web.pages["/map.xml"] = listed(web, dict.fromkeys(names, "2026-01-01"))
        world = World(web, tmp_path / "folder")
        world.crawl()
        assert world.pages() == 11, "five of them are linked from nowhere"
        assert rows(world.folder, "SELECT count(*) FROM url WHERE asset = 2") == [(2,)]

        # A site whose sitemap announces every change earns its say.
        for round_ in range(2):
            changed = dict.fromkeys(names[:5], f"2026-02-0{round_ + 1}")
            for name in changed:
                web.pages[name] = page(name, "/", more=f"<p>News of {name}, told the {ROUNDS[round_]} time.</p>")
            web.pages["/map.xml"] = listed(web, dict.fromkeys(names, "2026-01-01") | changed)
            world.refresh()
            assert [what for what, _ in world.told()] == ["changed"] * 5
        ((record,),) = rows(world.folder, "SELECT record FROM witness WHERE name = 'lastmod'")
        assert believed(bytes(record), LASTMOD)

        asked = len(web.log)
        web.pages[names[3]] = page(names[3], "/", more="<p>Something else altogether.</p>")
        web.pages["/map.xml"] = listed(web, dict.fromkeys(names, "2026-01-01") | {names[3]: "2026-03-01"})
        alter(world.folder, f"UPDATE url SET visited_at = visited_at - {2 * HOUR} WHERE asset = 2")
        found = world.refresh(everything=False)
        assert world.told() == [("changed", names[3])]
        assert found["listed"] + found["not modified"] + found["same bytes"] >= 1
        assert len(web.log) - asked < 11, "not every page was asked for"


def test_a_lying_sitemap_never_earns_a_say() -> None:
    class Nothing:
        def witness(self, lane: int, name: str) -> bytes:
            return b""

    trusting = Trusting(Nothing(), everything=False)
    history = first_visit(0.0)
    for _ in range(30):  # says nothing while pages change
        trusting.lastmod_said(1, history, 0, True, DAY)
    for _ in range(30):  # says "now" for everything, changed or not
        trusting.lastmod_said(2, history, 1, False, DAY)
    told = trusting.drain()
    assert not believed(told[1, LASTMOD], LASTMOD)
    assert read_witness(told[2, LASTMOD], LASTMOD).precision < 0.05
    assert trusting.drain() == {}


def test_samples_are_few_and_differ() -> None:
    keys = list(range(5_000))
    one, other = fetched_whole(keys, 1), fetched_whole(keys, 2)
    assert len(one) == len(other) == 10
    assert set(one) != set(other)
    assert fetched_whole(keys[:9], 1) == []


def test_a_twin_takes_the_place_of_a_page_that_changed(tmp_path: Path) -> None:
    copy = page("twin", "/")
    with TinyWeb({"/": page("home", "/x", "/y"), "/x": copy, "/y": copy}) as web:
        world = World(web, tmp_path / "folder")
        world.crawl()
        assert world.pages() == 2
        web.pages["/x"] = page("a page of its own", "/")
        world.refresh()
        assert world.told() == [("changed", "/x")]
        assert world.pages() == 3
        assert rows(world.folder, "SELECT count(*) FROM url WHERE outcome = 'duplicate'") == [(0,)]
        web.pages["/x"] = copy
        world.refresh()
        assert world.pages() == 2
        assert rows(world.folder, "SELECT url FROM url WHERE outcome = 'duplicate'") == [(web.url("/y"),)]


def test_a_refresh_goes_on_where_the_limit_ended_a_crawl(world: World) -> None:
    world.settings["crawl.limit"] = 3
    world.crawl(limit=3)
    assert world.pages() == 3
    world.web.pages["/"] = page("home", "/a", "/b", more="<p>Something new at the door.</p>")
    found = world.refresh()
    assert found["changed"] == 1
    assert world.pages() == 3


def test_what_is_due_follows_the_clock(world: World) -> None:
    world.crawl()
    ((latest,),) = rows(world.folder, "SELECT max(visited_at) FROM url")
    clock = JumpingClock(float(str(latest)))

    def due(wish: RefreshWish) -> int:
        store = Store(world.folder)
        try:
            return Course(store, wish, Order.BREADTH, clock()).more(clock())
        finally:
            store.remember("refresh", None)
            store.close()
            alter(world.folder, "DELETE FROM due")

    quiet = RefreshWish(sitemaps=False)
    assert due(quiet) == 0, "crawled a moment ago"
    assert due(RefreshWish(sitemaps=False, everything=True)) == 5
    clock.jump(1.2 * DAY)
    assert due(quiet) == 0
    assert due(RefreshWish(sitemaps=False, rounds=True)) >= 1, "P2 visits a page daily at first"
    assert due(RefreshWish(sitemaps=False, budget=2)) == 2
    clock.jump(8 * DAY)
    assert due(quiet) == 5, "about weekly until more is known"


def state(folder: Path) -> list[tuple[object, ...]]:
    return sorted(
        rows(
            folder,
            "SELECT u.url, u.outcome, hex(v.digest), (SELECT count(*) FROM version w WHERE w.url = u.id),"
            " (SELECT group_concat(c.what) FROM change c WHERE c.url = u.id) FROM url u"
            " LEFT JOIN version v ON v.id = u.version",
        ),
        key=str,
    )


@pytest.mark.parametrize("kill_at", [4, 9])
def test_killed_and_gone_on_with_is_the_same_as_never_killed(tmp_path: Path, kill_at: int) -> None:
    names = [f"/{word}" for word in WORDS[:14]]
    pages: dict[str, Any] = {name: page(name, "/") for name in names}
    pages["/"] = page("home", *names)
    with TinyWeb(pages) as web:
        world = World(web, tmp_path / "folder")
        world.crawl()
        shutil.copytree(world.folder, tmp_path / "killed")
        for name in names[:7]:
            web.pages[name] = page(name, "/", more=f"<p>What the tide brought to {name}.</p>")
        del web.pages[names[9]]
        world.refresh()

        command = [sys.executable, "-m", "whimbrel", "refresh", "--all", "--repo", str(tmp_path / "killed")]
        settings = os.environ | {"WHIMBREL_REFRESH_GONE_AFTER_SECONDS": "0", "WHIMBREL_CRAWL_MIGRANTS": "1"}
        asked = len(web.log)
        web.hold(names[kill_at])
        refreshing = subprocess.Popen(command, env=settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert web.wait_for_requests(asked + kill_at)
        refreshing.send_signal(signal.SIGKILL)
        refreshing.wait()
        web.release(names[kill_at])
        subprocess.run(command, env=settings, check=True, stdout=subprocess.DEVNULL, timeout=300)
        assert state(tmp_path / "killed") == state(world.folder)
        check_archives(tmp_path / "killed")


def test_the_budget_is_kept(world: World) -> None:
    world.crawl()
    found = world.refresh(everything=False, budget=2)
    assert sum(found.values()) == 2


def test_what_changed_leads_to_its_neighbours(world: World) -> None:
    world.crawl()
    world.web.pages["/"] = page("home", "/a", "/b", "/c", "/d", more="<p>News from all the shores.</p>")
    world.web.pages["/a"] = page("a", "/", more="<p>What nobody was due to see.</p>")
    # Only the home page rested for a week; the others are not due.
    alter(world.folder, f"UPDATE url SET visited_at = visited_at - {8 * DAY} WHERE url LIKE '%/'")
    alter(world.folder, f"UPDATE version SET at = at - {8 * DAY} WHERE url IN (SELECT id FROM url WHERE url LIKE '%/')")
    found = world.refresh(everything=False)
    assert world.course.why["pages whose neighbours changed"] == 4
    assert found["changed"] == 2
    held = Store(world.folder)
    try:
        home = key_of(Url(world.web.url("/")))
        history = unpacked(held.past.held([home])[home].returned.history)
    finally:
        held.close()
    assert history.threshold < 0.4, "one of four children changed: it moved towards that"


def test_forgetting_takes_the_history_along(world: World) -> None:
    world.crawl()
    world.web.pages["/a"] = page("a", "/", more="<p>Something to remember.</p>")
    world.refresh()
    assert rows(world.folder, "SELECT count(*) FROM change") == [(1,)]
    erase(world.folder, ForgetTarget((Url(world.web.url("/a")),)), 2e9, "whimbrel")
    assert rows(world.folder, "SELECT count(*) FROM change") == [(0,)]
    assert rows(world.folder, "SELECT count(*) FROM revisit WHERE url NOT IN (SELECT id FROM url)") == [(0,)]


def test_a_folder_of_the_format_before_can_be_refreshed(world: World) -> None:
    world.crawl()
    for statement in (WITHOUT_FORMAT_7, *WITHOUT_FORMAT_6.split(";")):
        alter(world.folder, statement)
    for table in ("answer", "request", "revisit", "change", "listed", "witness"):
        alter(world.folder, f"DROP TABLE {table}")
    for statement in ("ALTER TABLE migrant DROP COLUMN errand", *WITHOUT_FORMAT_5.split(";")):
        alter(world.folder, statement)
    alter(world.folder, "PRAGMA user_version = 2")
    assert [step.after for step in migrate(world.folder)][:1] == [3]
    assert sum(world.refresh().values()) == 5
