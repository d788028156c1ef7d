"""What becomes of a URL: every outcome, on a real server, through home and a migrant."""

from pathlib import Path

import pytest

from folders import check_archives, check_archives_by_command, consistent, crawl, everything, outcomes, rows
from whimbrel.testing.reply import redirect, unavailable
from whimbrel.testing.web import Page, Reply, TinyWeb, site

LONG = " ".join(f"word{number}" for number in range(60))


def page(*links: str, text: str = LONG, head: str = "") -> str:
    items = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    return f"<!doctype html><html><head><title>T</title>{head}</head><body><p>{text}</p><ul>{items}</ul></body></html>"


def result(tmp_path: Path, pages: dict[str, Page], *paths: str, **options: object) -> dict[str, str]:
    with TinyWeb(pages) as web:
        crawl(tmp_path, *(web.url(path) for path in paths or ("/",)), **options)
    consistent(tmp_path)
    check_archives(tmp_path)
    return outcomes(tmp_path)


def test_a_site_is_crawled_whole(tmp_path: Path) -> None:
    pages = site(40, 6, seed=3, duplicates=4, redirects=3, missing=2)
    found = result(tmp_path, pages)
    check_archives_by_command(tmp_path)
    assert sorted(found.values()).count("fetched") == 40
    assert sorted(found.values()).count("duplicate") == 4
    assert sorted(found.values()).count("redirected") == 3
    assert sorted(found.values()).count("failed:http_404") == 2


def test_redirects_are_followed_and_vetted_hop_by_hop(tmp_path: Path) -> None:
    found = result(
        tmp_path,
        {
            "/": page("/a", "/loop", "/self", "/away", "/bad"),
            "/a": redirect("/b", 301),
            "/b": redirect("/c?x#f", 308),
            "/c?x": page(text=LONG + " c"),
            "/loop": redirect("/pool"),
            "/pool": redirect("/loop"),
            "/self": redirect("/self"),
            "/away": redirect("http://10.0.0.1/secret"),
            "/bad": redirect("http://"),
        },
        scope="host",
    )
    assert found["/a"] == found["/b"] == "redirected"
    assert found["/c?x"] == "fetched"
    assert found["/loop"] == found["/pool"] == "redirected"
    assert found["/self"] == found["/bad"] == "failed:redirect"
    assert found["/secret"] == "out_of_scope:scope"


def test_a_redirect_cannot_lead_into_a_private_network(tmp_path: Path) -> None:
    # The seed's own redirect takes the scope along, but never past the guard.
    found = result(tmp_path, {"/": redirect("http://[::ffff:10.0.0.1]/meta")})
    assert found == {"/": "redirected", "/meta": "refused:address"}


def test_a_seed_that_moved_takes_its_scope_along(tmp_path: Path) -> None:
    moved = {"/": page("/next", text=LONG + " 1"), "/next": page(text=LONG + " 2")}
    with TinyWeb(moved, addresses=("127.0.0.2",)) as new, TinyWeb({"/": redirect(new.url("/"), 301)}) as old:
        crawl(tmp_path, old.url("/"), allow_networks=["127.0.0.0/8"])
    counted = rows(tmp_path, "SELECT outcome, count(*) FROM url WHERE asset < 2 GROUP BY outcome ORDER BY outcome")
    assert counted == [("fetched", 2), ("redirected", 1)]


def test_robots_and_directives(tmp_path: Path) -> None:
    found = result(
        tmp_path,
        {
            "/robots.txt": Reply(b"User-agent: *\nDisallow: /private\n", content_type="text/plain"),
            "/": page("/private/x", "/hidden", "/unkept", "/closed", "/header", "/open"),
            "/hidden": page("/from-hidden", text=LONG + "h", head='<meta name="robots" content="noindex">'),
            "/unkept": page(text=LONG + "u", head='<meta name="whimbrel" content="noarchive">'),
            "/closed": page("/from-closed", text=LONG + "c", head='<meta name="robots" content="nofollow">'),
            "/header": Reply(page("/from-header", text=LONG + "x").encode(), headers=(("X-Robots-Tag", "none"),)),
            "/open": '<p>o</p><a rel="nofollow" href="/shunned">s</a><a href="/welcome">w</a>',
            "/from-hidden": page(text=LONG + "fh"),
            "/welcome": page(text=LONG + "w"),
        },
    )
    assert found["/private/x"] == "refused:robots"
    assert found["/hidden"] == "refused:noindex"
    assert found["/unkept"] == "refused:noarchive"
    assert found["/header"] == "refused:noindex"
    assert found["/from-hidden"] == "fetched"
    assert found["/from-closed"] == found["/from-header"] == found["/shunned"] == "refused:nofollow"
    assert found["/welcome"] == "fetched"


@pytest.mark.parametrize("answer", [unavailable(), Reply(status=500), unavailable("7200", 429)])
def test_robots_that_cannot_be_had_means_not_now(tmp_path: Path, answer: Reply) -> None:
    with TinyWeb({"/robots.txt": answer, "/": page()}) as web:
        ended = crawl(tmp_path, web.url("/"))
        assert web.count("/") == 0
        assert ended.why == "waiting"
        assert outcomes(tmp_path) == {"/": "discovered"}
        web.pages["/robots.txt"] = Reply(status=404)
        assert crawl(tmp_path).why == "finished"
    assert outcomes(tmp_path) == {"/": "fetched"}


def test_twins_survive_by_place_not_by_arrival(tmp_path: Path) -> None:
    same, dressed = page(text=LONG), page(text=LONG).replace("<p>", '<p class="x">')
    found = result(tmp_path, {"/": page("/z", "/a", "/deep/", text="start"), "/z": same, "/a": same, "/deep/": dressed})
    assert (found["/a"], found["/z"], found["/deep/"]) == ("fetched", "duplicate", "duplicate")
    reasons = dict(rows(tmp_path, "SELECT url, reason FROM url WHERE outcome = 'duplicate'"))
    assert sorted(str(reason) for reason in reasons.values()) == ["same bytes", "same text"]


def test_depth_is_the_shortest_distance(tmp_path: Path) -> None:
    pages = {
        "/": page("/slow", "/1", text="start"),
        "/1": page("/2", text=LONG + "1"),
        "/2": page("/target", text=LONG + "2"),
        "/slow": page("/target", text=LONG + "s"),
        "/target": page("/beyond", text=LONG + "t"),
        "/beyond": page(text=LONG + "b"),
    }
    with TinyWeb(pages) as web:
        web.hold("/slow")
        web.pages["/target"] = lambda request: (web.release("/slow"), page("/beyond", text=LONG + "t"))[1]
        crawl(tmp_path, web.url("/"), depth=3)
    # /target was first met three links away; the slow page shows that it is two, so /beyond is within reach.
    assert outcomes(tmp_path)["/beyond"] == "fetched"
    depths = {str(url).rpartition("/")[2]: depth for url, depth in rows(tmp_path, "SELECT url, depth FROM url")}
    assert (depths["target"], depths["beyond"]) == (2, 3)


def test_what_lies_too_deep_is_known_but_not_visited(tmp_path: Path) -> None:
    found = result(tmp_path, {"/": page("/1"), "/1": page("/2", text=LONG + "1"), "/2": page()}, depth=1)
    assert found == {"/": "fetched", "/1": "fetched", "/2": "out_of_scope:depth"}


def test_a_server_that_is_away_is_tried_again_then_unreachable(tmp_path: Path) -> None:
    pages: dict[str, Page] = {
        "/": page("/tired", "/broken", text="start"),
        "/tired": [unavailable("0"), page(text=LONG + "back")],
        "/broken": Reply(status=500),
    }
    found = result(tmp_path, pages)
    assert found["/tired"] == "fetched"
    assert found["/broken"] == "unreachable:http_500"


def test_filters_types_and_assets(tmp_path: Path) -> None:
    pages: dict[str, Page] = {
        "/": page("/keep", "/drop/x", "/pic.png", head='<link rel="stylesheet" href="/s.css">')
        + '<img src="/pic.png">',
        "/keep": page(text=LONG + "k"),
        "/s.css": Reply(b"body{background:url(/bg.png)}", content_type="text/css"),
        "/bg.png": Reply(b"\x89PNG bg", content_type="image/png"),
        "/pic.png": Reply(b"\x89PNG pic", content_type="image/png"),
    }
    found = result(tmp_path / "plain", pages, exclude=["/drop/"])
    assert found == {"/": "fetched", "/keep": "fetched", "/drop/x": "out_of_scope:filter", "/pic.png": "refused:type"}
    found = result(tmp_path / "assets", pages, exclude=["/drop/"], assets=True)
    assert found["/s.css"] == found["/bg.png"] == "fetched"
    ((kept,),) = rows(tmp_path / "assets", "SELECT count(*) FROM url WHERE asset = 0 AND outcome = 'fetched'")
    assert kept == 2


def dressed(count: int) -> dict[str, Page]:
    """Pages in a row, each with a picture of its own and one style sheet for all, which asks for another picture."""
    pages: dict[str, Page] = {
        "/s.css": Reply(b"body{background:url(/bg.png)}", content_type="text/css"),
        "/bg.png": Reply(b"\x89PNG bg", content_type="image/png"),
    }
    sheet = '<link rel="stylesheet" href="/s.css">'
    for number in range(count):
        links = [f"/{other}" for other in range(count)]
        pages[f"/{number}"] = page(*links, text=f"{LONG} {number}", head=sheet) + f'<img src="/{number}.png">'
        pages[f"/{number}.png"] = Reply(f"\x89PNG {number}".encode(), content_type="image/png")
    return pages


@pytest.mark.parametrize("migrants", ["1", "2"])
def test_at_the_limit_the_kept_pages_are_dressed(tmp_path: Path, migrants: str) -> None:
    found = result(tmp_path, dressed(9), "/0", limit=4, assets=True, migrants=migrants)
    kept = {path for path, outcome in found.items() if outcome == "fetched"}
    pages = {path for path in kept if path[1:].isdigit()}
    assert len(pages) == 4
    assert kept - pages == {"/s.css", "/bg.png", *(f"{path}.png" for path in pages)}


def test_what_a_stopped_run_left_undressed_is_fetched_by_the_next(tmp_path: Path) -> None:
    with TinyWeb(dressed(9)) as web:
        assert crawl(tmp_path, web.url("/0"), limit=4, assets=True, visits=4).why == "budget"
        assert rows(tmp_path, "SELECT count(*) FROM url WHERE asset = 0 AND outcome = 'fetched'") > [(0,)]
        assert rows(tmp_path, "SELECT count(*) FROM url WHERE asset = 1 AND outcome = 'discovered'") > [(0,)]
        ended = crawl(tmp_path, web.url("/0"), limit=4, assets=True)
        again = crawl(tmp_path, web.url("/0"), limit=4, assets=True)
        assert web.count("/s.css") == web.count("/bg.png") == 1
    assert ended.why == again.why == "limit"
    assert rows(tmp_path, "SELECT count(*) FROM url WHERE asset = 1 AND outcome = 'discovered'") == [(0,)]


def test_a_calendar_without_end_is_stopped_with_a_reason(tmp_path: Path) -> None:
    def month(request: object) -> str:
        number = int(str(getattr(request, "path", "")).rpartition("=")[2])
        return page(f"/calendar?month={number + 1}", text=f"Month {number}. Nothing on. " * 20)

    class Calendar(dict[str, Page]):
        def get(self, path: str, default: Page = "") -> Page:  # type: ignore[override]
            return month if path.startswith("/calendar?") else super().get(path, default)

    with TinyWeb({"/": page("/calendar?month=1", "/other"), "/other": page(text=LONG + "o")}) as web:
        web.pages = Calendar(web.pages)
        ended = crawl(tmp_path, web.url("/"), limit=2000)
    assert ended.why == "finished"
    trapped = rows(tmp_path, "SELECT url, reason FROM url WHERE rule = 'trap'")
    assert len(trapped) == 1
    assert "month" in str(trapped[0][1])
    assert outcomes(tmp_path)["/other"] == "fetched"


@pytest.mark.parametrize("order", ["breadth", "depth"])
@pytest.mark.parametrize("limit", [1, 2, 7, 30, 59, 60, 61])
def test_the_limit_is_exact(tmp_path: Path, limit: int, order: str) -> None:
    with TinyWeb(site(60, 8, seed=limit, duplicates=9, missing=3)) as web:
        ended = crawl(tmp_path, web.url("/"), limit=limit, order=order)
        ((kept,),) = rows(tmp_path, "SELECT count(*) FROM url WHERE outcome = 'fetched'")
        assert kept == min(limit, 60)
        assert ended.why == ("limit" if limit <= 60 else "finished")
        # The limit is the folder's: asking again changes nothing, a higher one goes on.
        crawl(tmp_path, limit=limit, order=order)
        crawl(tmp_path, limit=limit + 5, order=order)
    ((kept,),) = rows(tmp_path, "SELECT count(*) FROM url WHERE outcome = 'fetched'")
    assert kept == min(limit + 5, 60)
    consistent(tmp_path)


def test_a_finished_folder_says_so_and_new_seeds_add_to_it(tmp_path: Path) -> None:
    with TinyWeb(site(10, 3) | {"/island": page(text="an island")}) as web:
        assert crawl(tmp_path, web.url("/")).why == "finished"
        asked = len(web.log)
        assert crawl(tmp_path, web.url("/")).why == "finished"
        assert len(web.log) == asked
        crawl(tmp_path, web.url("/island"))
    assert outcomes(tmp_path)["/island"] == "fetched"


def test_orders_end_with_the_same_result(tmp_path: Path) -> None:
    with TinyWeb(site(80, 6, seed=5, duplicates=10, redirects=5, missing=5)) as web:
        crawl(tmp_path / "breadth", web.url("/"), order="breadth")
        crawl(tmp_path / "depth", web.url("/"), order="depth")
    assert everything(tmp_path / "breadth") == everything(tmp_path / "depth")
