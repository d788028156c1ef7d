"""A crawl looks for a sitemap at the usual place, once a host, and says nothing where there is none."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import Ask
from growing_site import Followed, page, sitemap
from whimbrel.repository.embedded.reader import Reader
from whimbrel.testing.reply import Page, Reply, redirect, unavailable
from whimbrel.testing.web import TinyWeb


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Followed]:
    monkeypatch.setenv("WHIMBREL_CRAWL_MIGRANTS", "1")
    with TinyWeb({"/": page("home", "/a"), "/a": page("a"), "/alone": page("alone")}) as web:
        yield Followed(web, tmp_path / "folder")


def kept(site: Followed) -> list[str]:
    with Reader(site.folder) as reader:
        return sorted(one.url.removeprefix(site.web.url("")) for one in reader.pages())


def test_what_it_lists_comes_in_and_stands_behind_all_that_links_lead_to(site: Followed) -> None:
    web = site.web
    names = [f"/{n}" for n in range(6)]
    web.pages |= {name: page(f"page {name}", f"/{n + 1}") for n, name in enumerate(names[:-1])}
    web.pages |= {"/": page("home", "/0"), "/5": page("the last")}
    web.pages["/sitemap.xml"] = sitemap(*(web.url(name) for name in ["/alone", *reversed(names)]))
    site.crawl()
    assert kept(site) == sorted(["/", "/alone", *names])
    asked = [request.path for request in web.log if request.path not in ("/robots.txt", "/")]
    assert asked == [*names, "/sitemap.xml", "/alone"]
    with Reader(site.folder) as reader:
        assert {one.depth for one in reader.pages() if one.url != web.url("/alone")} == set(range(7))


def test_under_a_limit_the_pages_that_links_lead_to_are_kept(site: Followed) -> None:
    site.web.pages["/sitemap.xml"] = sitemap(*(site.web.url(name) for name in ("/alone", "/a", "/")))
    site.crawl(limit=2)
    assert kept(site) == ["/", "/a"]


def test_with_a_depth_it_is_not_asked_for(site: Followed) -> None:
    site.web.pages["/sitemap.xml"] = sitemap(site.web.url("/alone"))
    site.crawl(depth=3)
    assert kept(site) == ["/", "/a"]
    assert site.web.count("/sitemap.xml") == 0


def test_a_page_that_links_to_it_makes_no_page_of_it(site: Followed) -> None:
    site.web.pages |= {"/": page("home", "/a", "/sitemap.xml"), "/sitemap.xml": sitemap(site.web.url("/alone"))}
    site.crawl()
    assert kept(site) == ["/", "/a", "/alone"]


def test_a_redirect_to_a_sitemap_is_followed_and_one_to_a_page_is_not(site: Followed) -> None:
    web = site.web
    web.pages |= {"/sitemap.xml": redirect("/wp-sitemap.xml", 301), "/wp-sitemap.xml": sitemap(web.url("/alone"))}
    site.crawl()
    assert kept(site) == ["/", "/a", "/alone"]


def test_a_page_behind_a_redirect_stays_a_page(site: Followed) -> None:
    web = site.web
    web.pages |= {"/": page("home", "/a"), "/a": page("a", "/b"), "/b": page("b", "/map"), "/map": page("map")}
    web.pages["/sitemap.xml"] = redirect("/map", 302)
    site.crawl()
    assert kept(site) == ["/", "/a", "/b", "/map"]


@pytest.mark.parametrize(
    "answer",
    [
        Reply(b"nothing", status=404),
        page("a start page for everything"),
        redirect("/login", 302),
        unavailable(status=500),
        Reply(b"secret", status=403),
    ],
    ids=["404", "html", "redirect", "500", "403"],
)
def test_that_there_is_none_is_no_failure(site: Followed, ask: Ask, answer: Page) -> None:
    web = site.web
    web.pages["/sitemap.xml"] = answer
    said = ask("crawl", web.url("/"), "--repo", site.folder, "--json")
    told = json.loads(said.stdout)
    assert (said.returncode, told["ended"], told["pages"]) == (0, "finished", 2)
    assert (told["visits"], told["outcomes"], told["errors"], told["unseen"]) == (2, {"fetched": 2}, {}, [])
    assert said.stderr.count("sitemap") == 0
    assert web.count("/sitemap.xml") == 1
    states = json.loads(ask("status", "--repo", site.folder, "--json").stdout)["states"]
    assert states["failed"] == states["unreachable"] == states["discovered"] == 0
    ask("crawl", web.url("/"), "--repo", site.folder)
    assert web.count("/sitemap.xml") == 1, "once a host"
    refreshed = json.loads(ask("refresh", "--all", "--repo", site.folder, "--json").stdout)
    assert (web.count("/sitemap.xml"), refreshed["new"], refreshed["asked"]) == (2, 0, 2)


def test_robots_txt_is_obeyed_and_its_own_sitemaps_come_first(site: Followed, ask: Ask) -> None:
    web = site.web
    web.pages["/robots.txt"] = "User-agent: *\nDisallow: /sitemap.xml\n"
    told = json.loads(ask("crawl", web.url("/"), "--repo", site.folder, "--json").stdout)
    assert (web.count("/sitemap.xml"), told["outcomes"], told["unseen"]) == (0, {"fetched": 2}, [])


def test_a_site_that_names_its_sitemaps_is_taken_at_its_word(site: Followed) -> None:
    web = site.web
    web.pages["/robots.txt"] = f"Sitemap: {web.url('/map.xml')}\n"
    web.pages["/map.xml"] = sitemap(web.url("/alone"))
    site.crawl()
    assert (web.count("/sitemap.xml"), kept(site)) == (0, ["/", "/a", "/alone"])


def test_no_other_host_is_asked(tmp_path: Path) -> None:
    with TinyWeb({}, addresses=("127.0.0.1", "127.0.0.2")) as web:
        web.pages |= {"/": page("home", web.url("/there", "127.0.0.2")), "/there": page("there")}
        Followed(web, tmp_path / "folder").crawl()
        assert {request.server[0] for request in web.log} == {"127.0.0.1"}
