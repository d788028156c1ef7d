"""Endless sites end, long sites do not, and everything real is reached."""

from random import Random

import pytest
import trap_sites as sites
from trap_sites import Site, crawl, real_names, real_pages

from whimbrel.frontier.traps import PatternState, TrapSettings
from whimbrel.frontier.watch import FirstVisit, Watch

ENDLESS: list[tuple[str, Site, str, int]] = [
    ("counter", sites.counter, "/clock", 45),
    ("counter in the path", sites.path_counter, "/n/", 45),
    ("calendar", sites.calendar, "/cal", 110),
    ("calendar with days", sites.calendar_with_days, "/", 1500),
    ("jsessionid", sites.sessions("jsessionid", spelled=";{name}={token}"), "/shop", 130),
    ("sid", sites.sessions("sid"), "/shop", 250),
    ("token without a name", sites.sessions("x"), "/shop", 350),
    ("token in the path", sites.sessions("", spelled="/{token}"), "/shop", 350),
    ("session folders", sites.session_folders, "/session", 600),
    ("relative growth", sites.growth(["more"]), "/grow", 8),
    ("relative growth of five", sites.growth(["a", "b", "c", "d", "e"]), "/grow", 500),
    ("facets", sites.facets("abcdef", 6), "/goods", 650),
]


@pytest.mark.parametrize(("site", "prefix", "most"), [case[1:] for case in ENDLESS], ids=[c[0] for c in ENDLESS])
def test_an_endless_site_is_stopped_and_the_real_pages_reached(site: Site, prefix: str, most: int) -> None:
    result = crawl(real_pages(site))
    trapped = [path for path in result.under(prefix) if not path.startswith("/doc")]
    assert len(trapped) <= most
    assert real_names() <= set(result.visited)
    assert result.refused
    assert {verdict.rule for verdict in result.refused.values()} == {"trap"}


@pytest.mark.parametrize("site", [sites.counter, sites.path_counter, sites.calendar, sites.growth(["more"])])
def test_depth_first_is_stopped_too(site: Site) -> None:
    result = crawl(real_pages(site), newest_first=True)
    assert len(result.visited) < 300
    assert real_names() <= set(result.visited)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("site", [sites.counter, sites.path_counter, sites.calendar])
def test_a_line_ends_at_the_same_page_however_the_answers_arrived(site: Site, seed: int) -> None:
    plain, shuffled = crawl(real_pages(site)), crawl(real_pages(site), shuffled=Random(seed))
    assert set(shuffled.visited) == set(plain.visited)
    assert shuffled.refused == plain.refused


LONG = [
    "/list?page={number}",
    "/post/{number}",
    "/archive/{year}/{month:02}/{day:02}",
    "/archive/{year}-{month:02}-{day:02}.html",
    "/show?id={number}&lang=en",
    "/view?session={number}",
]


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize("template", LONG)
def test_a_long_line_of_pages_with_words_of_their_own_is_crawled_in_full(template: str, newest_first: bool) -> None:
    result = crawl(real_pages(sites.numbered(template, 1000)), newest_first=newest_first)
    assert result.refused == {}
    assert len(result.visited) == 1000 + 60 + 2


def test_a_list_of_pages_that_differ_in_figures_only_is_crawled_in_full() -> None:
    def site(path: str) -> sites.Content | None:
        if path == "/":
            return "All stations", [f"/station/{number}" for number in range(500)]
        number = int(path.rsplit("/", 1)[1])
        return f"Station {number}: {number * 7} mm", [f"/station/{(number + 1) % 500}", "/"]

    result = crawl(site)
    assert result.refused == {}
    assert len(result.visited) == 501


def test_pagination_over_numbered_items_is_crawled_in_full() -> None:
    def site(path: str) -> sites.Content | None:
        if path == "/":
            return "Shop", ["/list?page=1"]
        if path.startswith("/item/"):
            return sites.words(int(path.rsplit("/", 1)[1])), ["/"]
        page = int(path.rsplit("=", 1)[1])
        items = [f"/item/{page * 10 + at}" for at in range(10)]
        return f"Items on page {page}", items + ([f"/list?page={page + 1}"] if page < 200 else [])

    result = crawl(site)
    assert result.refused == {}
    assert len(result.visited) == 1 + 200 * 11


@pytest.mark.parametrize("folders", [[f"docs/{version}" for version in range(12)], list("abcdefghijkl")])
def test_versions_and_mirrors_of_a_manual_are_no_trap(folders: list[str]) -> None:
    manual = sites.numbered("/chapter-{number}.html", 300)

    def site(path: str) -> sites.Content | None:
        if path == "/":
            return "Versions", [f"/{folder}/chapter-0.html" for folder in folders]
        folder, _, page = path[1:].rpartition("/")
        content = manual("/" + page)
        return content and (content[0], [f"/{folder}{link}" for link in content[1]])

    result = crawl(site)
    assert result.refused == {}
    assert len(result.visited) == 1 + len(folders) * 300


def test_a_manual_with_few_facets_is_crawled_in_full() -> None:
    result = crawl(sites.facets("abc", 3), seeds=["/goods"])
    assert result.refused == {}
    assert len(result.visited) == 4**3 + 40


def test_a_forum_with_several_parameters_is_crawled_in_full() -> None:
    def site(path: str) -> sites.Content | None:
        if path == "/":
            return "Forum", [f"/topic?f=1&t={topic}" for topic in range(30)]
        asked = dict(pair.split("=") for pair in path.partition("?")[2].split("&"))
        topic, start = asked["t"], int(asked.get("start", "0"))
        more = [f"/topic?f=1&t={topic}&start={start + 20}"] if start < 400 else []
        views = [f"/topic?f=1&t={topic}&view={view}" for view in ("print", "unread")]
        text = sites.words(int(topic) * 1000 + start) + asked.get("view", "")
        return text, more + (views if start == 0 and "view" not in asked else [])

    result = crawl(site)
    assert result.refused == {}
    assert len(result.visited) == 1 + 30 * 23


def test_the_reason_tells_what_kept_changing() -> None:
    result = crawl(sites.counter, seeds=["/clock?time=1"])
    (verdict,) = result.refused.values()
    assert verdict.reason == (
        "?time= keeps changing: 40 pages in a row led only to more of the same (site.test/clock?time)"
    )


def test_patience_is_a_setting() -> None:
    short = crawl(sites.counter, seeds=["/clock?time=1"], settings=TrapSettings(patience=5))
    assert len(short.visited) == 6
    endless = crawl(sites.counter, seeds=["/clock?time=1"], settings=TrapSettings(patience=0), most=900)
    assert len(endless.visited) < 300


def test_limits_of_pattern_and_depth_end_even_a_site_that_always_tells_something_new() -> None:
    site = sites.numbered("/post/{number}", 400)
    by_pattern = crawl(site, seeds=["/post/0"], settings=TrapSettings(max_pattern_pages=50))
    assert len(by_pattern.visited) == 50
    by_depth = crawl(site, seeds=["/post/0"], settings=TrapSettings(max_depth=30))
    assert len(by_depth.visited) == 31


@pytest.mark.parametrize("site", [sites.calendar, sites.calendar_with_days, sites.facets("abcde", 3)])
def test_a_watch_that_was_stored_and_recalled_after_every_visit_judges_alike(site: Site) -> None:
    class Forgetful(Watch):
        """Keeps nothing in memory: all states pass through the store."""

        __slots__ = ()

        def visit(self, seen: FirstVisit) -> int:
            run = super().visit(seen)
            stored.update(self.drain())
            return run

    stored: dict[str, PatternState] = {}
    forgetful = Forgetful(TrapSettings(), stored.get, capacity=0)
    plain, recalled = crawl(real_pages(site), most=900), crawl(real_pages(site), most=900, watch=forgetful)
    assert recalled.visited == plain.visited
    assert recalled.refused == plain.refused


def test_memory_is_bounded_by_capacity_between_drains() -> None:
    watch = Watch(TrapSettings(), capacity=100)
    for number in range(2000):
        url = sites.Url(f"http://site.test/{sites.words(number, 4).replace(' ', '-')}/{number}")
        watch.visit(FirstVisit(url, 1, 0, number, False, []))
        if number % 50 == 0:
            watch.drain()
            assert len(watch) <= 100
