"""What sites tell of their own changes: lists of changes, and pings that came to the server."""

import time
from pathlib import Path
from typing import Any

from test_signals import article, crawl, pass_hours, refresh

from folders import outcomes, refreshed
from whimbrel.flows.refresh.course import RefreshWish
from whimbrel.flows.refresh.pings import MOST_OF_A_HOST, PingBook
from whimbrel.flows.refresh.trusting import PINGS, read_witness
from whimbrel.records.url import Url
from whimbrel.repository.engines import open_writer
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

RS = 'xmlns:rs="http://www.openarchives.org/rs/terms/"'


def xml(body: str) -> Reply:
    return Reply(f"<urlset {RS}>{body}</urlset>".encode(), content_type="application/xml")


def site() -> dict[str, Any]:
    links = "".join(f"<a href=/{at}>{at}</a>" for at in range(12)).encode()
    return {"/": Reply(b"<title>start</title>" + links), **{f"/{at}": article(at) for at in range(12)}}


def test_a_list_of_changes_makes_just_its_pages_due(tmp_path: Path) -> None:
    with TinyWeb(site()) as web:
        crawl(tmp_path, web.url("/"))
        assert web.count("/.well-known/resourcesync") == 0, "a first crawl needs no list of changes"
        pass_hours(tmp_path, 2)
        changed = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 600))
        web.pages["/.well-known/resourcesync"] = xml(
            f'<rs:md capability="description"/><url><loc>{web.url("/caps.xml")}</loc>'
            '<rs:md capability="capabilitylist"/></url>'
        )
        web.pages["/caps.xml"] = xml(
            f'<rs:md capability="capabilitylist"/><url><loc>{web.url("/changes.xml")}</loc>'
            '<rs:md capability="changelist"/></url>'
        )
        web.pages["/changes.xml"] = xml(
            '<rs:md capability="changelist"/>'
            f'<url><loc>{web.url("/3")}</loc><rs:md change="updated" datetime="{changed}"/></url>'
            f'<url><loc>{web.url("/4")}</loc><rs:md change="deleted" datetime="{changed}"/></url>'
            f'<url><loc>{web.url("/new")}</loc><rs:md change="created" datetime="{changed}"/></url>'
        )
        web.pages["/3"], web.pages["/new"] = article(103), article(104)
        del web.pages["/4"]
        before = {path: web.count(path) for path in ("/3", "/4", "/5")}
        refresh(tmp_path)
        asked = {path: web.count(path) - count for path, count in before.items()}
    assert asked == {"/3": 1, "/4": 1, "/5": 0}
    assert outcomes(tmp_path)["/new"] == "fetched"
    assert "/caps.xml" not in {path for path, outcome in outcomes(tmp_path).items() if outcome == "refused"}


def test_a_site_without_lists_is_asked_for_them_once(tmp_path: Path) -> None:
    with TinyWeb(site()) as web:
        crawl(tmp_path, web.url("/"))
        refresh(tmp_path)
        pass_hours(tmp_path, 2)
        refresh(tmp_path)
        assert web.count("/.well-known/resourcesync") == 1


def test_a_small_budget_looks_for_the_lists_of_one_site_after_the_other(tmp_path: Path) -> None:
    with TinyWeb(site(), addresses=("127.0.0.1", "127.0.0.2")) as web:
        for host in ("127.0.0.1", "127.0.0.2"):
            crawl(tmp_path, web.url("/", host))
        asked = []
        for _ in range(3):
            refreshed(tmp_path, wish=RefreshWish(expand=False, budget=4))
            asked.append({one.server[0] for one in web.log if one.path == "/.well-known/resourcesync"})
            pass_hours(tmp_path, 2)
    assert [len(hosts) for hosts in asked] == [1, 2, 2]


def test_a_damaged_file_of_pings_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "pings.sqlite").write_bytes(b"no database at all, and longer than a head would be " * 99)
    assert PingBook(tmp_path).every() == {}
    assert PingBook(tmp_path).add([Url("https://a.example/")], 1000.0) == 1
    assert [ping.url for ping in PingBook(tmp_path).every().values()] == ["https://a.example/"]


def test_pages_that_a_site_told_of_are_due_and_new_ones_are_fetched(tmp_path: Path) -> None:
    with TinyWeb(site()) as web:
        crawl(tmp_path, web.url("/"))
        pass_hours(tmp_path, 2)
        web.pages["/7"], web.pages["/new"] = article(107), article(108)
        told = [Url(web.url("/7")), Url(web.url("/new"))]
        assert PingBook(tmp_path).add(told, time.time() - 60) == 2
        before = {path: web.count(path) for path in ("/7", "/8")}
        refresh(tmp_path)
        assert {path: web.count(path) - count for path, count in before.items()} == {"/7": 1, "/8": 0}
        assert outcomes(tmp_path)["/new"] == "fetched"
        refresh(tmp_path)
        assert web.count("/7") - before["/7"] == 1, "what was looked at is not looked at again"


def test_where_only_what_was_told_is_asked_for_nothing_else_is(tmp_path: Path) -> None:
    """However long everything else is due."""
    with TinyWeb(site()) as web:
        crawl(tmp_path, web.url("/"))
        pass_hours(tmp_path, 10_000)
        web.pages["/7"] = article(107)
        PingBook(tmp_path).add([Url(web.url("/7"))], time.time() - 60)
        before = len(web.log)
        refreshed(tmp_path, wish=RefreshWish(told=True))
        assert [one.path for one in web.log[before:] if one.path != "/robots.txt"] == ["/7"]
        refreshed(tmp_path, wish=RefreshWish(expand=False))
        assert web.count("/8") == 2


def test_a_site_that_cries_wolf_is_heard_no_more(tmp_path: Path) -> None:
    with TinyWeb(site()) as web:
        crawl(tmp_path, web.url("/"))
        asked = []
        for _ in range(4):
            pass_hours(tmp_path, 2)
            PingBook(tmp_path).add([Url(web.url(f"/{at}")) for at in range(12)], time.time() - 60)
            asked.append(refresh(tmp_path))
    assert asked[0] == 12
    assert asked[-1] < 12
    store = open_writer(tmp_path)
    try:
        records = store.past.witnesses(PINGS)
    finally:
        store.close()
    assert [read_witness(record, PINGS).precision < 0.05 for record in records.values()] == [True]


def test_what_is_outside_of_the_scope_is_not_fetched_because_somebody_tells_of_it(tmp_path: Path) -> None:
    with TinyWeb(site()) as web, TinyWeb({"/x": article(1)}) as other:
        crawl(tmp_path, web.url("/"))
        PingBook(tmp_path).add([Url(other.url("/x", host="localhost"))], time.time())
        refresh(tmp_path)
        assert not other.log


def test_there_is_room_for_so_many_of_a_host(tmp_path: Path) -> None:
    book = PingBook(tmp_path)
    urls = [Url(f"https://a.example/{at}") for at in range(MOST_OF_A_HOST + 5)]
    assert book.add(urls, 1000.0) == MOST_OF_A_HOST
    assert book.add(urls[:3], 2000.0) == 3
    assert book.add([Url("https://b.example/")], 2000.0) == 1
    assert max(ping.at for ping in book.every().values()) == 2000.0
