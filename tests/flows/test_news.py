"""What a site gains after its first crawl is told as new, once; what was there before never is."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from folders import WITHOUT_FORMAT_5, WITHOUT_FORMAT_6, WITHOUT_FORMAT_7
from growing_site import Followed, page, sitemap
from whimbrel.repository.embedded.migrate import migrate
from whimbrel.repository.embedded.opening import open_database
from whimbrel.testing.reply import Reply, redirect
from whimbrel.testing.web import TinyWeb

NAMES = ("/a", "/b", "/c")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Followed]:
    pages: dict[str, Any] = {name: page(name, "/") for name in NAMES}
    pages["/"] = page("home", *NAMES)
    with TinyWeb(pages) as web:
        yield Followed(web, tmp_path / "folder")


def test_a_page_that_a_known_page_gains_is_new_and_what_hangs_below_it_too(site: Followed) -> None:
    site.crawl()
    assert (site.told("new"), len(site.told("first"))) == ([], 4)
    site.web.pages |= {"/": page("home", *NAMES, "/new"), "/new": page("new", "/below"), "/below": page("below")}
    site.refresh()
    assert site.told("new") == ["/below", "/new"]
    site.refresh()
    assert site.told("new") == ["/below", "/new"], "once"
    assert len(site.told("first")) == 4


def test_a_link_in_a_menu_on_every_page_is_found_though_only_noise_differs(tmp_path: Path) -> None:
    names = [f"/{letter}" for letter in "abcdefgh"]

    def pages(*menu: str) -> dict[str, Any]:
        return {name: page(f"article {name}", menu=("/", *menu)) for name in ["/", *menu]}

    with TinyWeb(pages(*names)) as web:
        site = Followed(web, tmp_path / "folder")
        site.crawl()
        web.pages |= pages(*names, "/new")
        site.refresh()
        assert site.told("new") == ["/new"]
        assert site.told("changed") == [], "a menu is what the site repeats"


def test_a_sitemap_that_was_read_before_tells_of_new_pages_and_an_index_of_new_sitemaps(site: Followed) -> None:
    web = site.web
    web.pages["/robots.txt"] = f"Sitemap: {web.url('/map.xml')}\nSitemap: {web.url('/index.xml')}\n"

    def index(*names: str) -> Reply:
        places = "".join(f"<sitemap><loc>{web.url(name)}</loc></sitemap>" for name in names)
        return Reply(
            f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</sitemapindex>'.encode(),
            content_type="application/xml",
        )

    web.pages |= {"/map.xml": sitemap(web.url("/alone")), "/alone": page("alone"), "/index.xml": index("/one.xml")}
    web.pages |= {"/one.xml": sitemap(web.url("/a")), "/listed": page("listed"), "/second": page("second")}
    site.crawl()
    assert (site.told("new"), len(site.told("first"))) == ([], 5)
    web.pages["/map.xml"] = sitemap(web.url("/alone"), web.url("/listed"))
    web.pages |= {"/index.xml": index("/one.xml", "/two.xml"), "/two.xml": sitemap(web.url("/second"))}
    site.refresh()
    assert site.told("new") == ["/listed", "/second"]


def test_a_sitemap_that_was_never_read_before_tells_of_pages_that_were_there(site: Followed) -> None:
    web = site.web
    site.crawl()
    web.pages |= {"/sitemap.xml": sitemap(web.url("/alone")), "/alone": page("alone")}
    site.refresh()
    assert site.told("new") == []
    assert "/alone" in site.told("first")


def test_a_crawl_that_goes_on_under_a_higher_limit_finds_nothing_new(tmp_path: Path) -> None:
    pages: dict[str, Any] = {f"/{n}": page(f"page {n}", f"/{n + 1}", "/") for n in range(1, 12)}
    pages |= {"/": page("home", "/1", "/side"), "/12": page("the last one"), "/side": page("side", "/6")}
    with TinyWeb(pages) as web:
        site = Followed(web, tmp_path / "folder")
        site.crawl(limit=4)
        site.crawl(limit=8)
        site.refresh()
        site.crawl()
        assert (site.told("new"), len(site.told("first"))) == ([], 14)
        web.pages |= {"/7": page("page 7", "/8", "/", "/new"), "/new": page("new")}
        site.refresh()
        assert site.told("new") == ["/new"]


def test_a_second_crawl_of_a_host_that_was_crawled_to_its_end_tells_what_is_new(site: Followed) -> None:
    site.crawl()
    site.web.pages |= {"/": page("home", *NAMES, "/new"), "/new": page("new", "/below"), "/below": page("below")}
    due_again(site.folder, site.web.url("/"))
    site.web.pages["/island"] = page("island", "/shore")
    site.web.pages["/shore"] = page("shore")
    site.crawl(site.web.url("/island"))
    assert site.told("new") == ["/below", "/new"]
    assert {"/island", "/shore"} <= set(site.told("first")), "a person named it: nobody knows since when it is there"


def test_hosts_have_first_crawls_of_their_own(tmp_path: Path) -> None:
    with TinyWeb({}, addresses=("127.0.0.1", "127.0.0.2")) as web:
        one, other = web.url("/"), web.url("/", "127.0.0.2")
        web.pages |= {"/": page("home", "/a"), "/a": page("a")}
        site = Followed(web, tmp_path / "folder")
        site.crawl()
        web.pages["/a"] = page("a", f"{other}from", "/new")
        web.pages |= {"/new": page("new"), "/from": page("from", "/more"), "/more": page("more")}
        site.crawl(other)
        site.refresh()
        assert site.told("new") == ["/new"], "the other host's pages are how it was found"
        assert one != other


def test_a_page_where_there_was_none_is_new_and_one_that_was_not_to_be_had_is_not(site: Followed) -> None:
    web = site.web
    web.pages |= {"/": page("home", *NAMES, "/planned"), "/b": Reply(status=403)}
    site.crawl()
    web.pages |= {"/planned": page("planned", "/below"), "/below": page("below")}
    web.pages |= {"/b": page("/b", "/kin"), "/kin": page("kin")}
    site.refresh()
    assert site.told("new") == ["/below", "/planned"]
    assert {"/b", "/kin"} <= set(site.told("first"))


def test_a_redirect_that_leads_elsewhere_now_leads_to_something_new(site: Followed) -> None:
    web = site.web
    web.pages |= {"/": page("home", *NAMES, "/latest"), "/latest": redirect("/v1", 302), "/v1": page("version one")}
    site.crawl()
    web.pages |= {"/latest": redirect("/v2", 302), "/v2": page("version two")}
    site.refresh()
    assert site.told("new") == ["/v2"]


def test_links_that_were_there_but_not_to_be_followed_are_not_new(site: Followed) -> None:
    web = site.web
    shy = '<meta name="robots" content="nofollow">'
    web.pages |= {"/c": page("c", "/hidden", head=shy), "/hidden": page("hidden"), "/new": page("new")}
    site.crawl()
    web.pages["/c"] = page("c", "/hidden", "/new")
    site.refresh()
    assert site.told("new") == ["/new"]


def test_a_folder_of_format_4_keeps_what_it_told(site: Followed) -> None:
    site.crawl()
    site.web.pages |= {"/": page("home", *NAMES, "/new"), "/new": page("new")}
    site.refresh()
    database = open_database(site.folder)
    database.executescript(f"{WITHOUT_FORMAT_7}; {WITHOUT_FORMAT_6}; {WITHOUT_FORMAT_5}; PRAGMA user_version = 4")
    database.close()
    migrate(site.folder)
    assert site.told("new") == ["/new"]
    site.web.pages |= {"/a": page("/a", "/later"), "/later": page("later")}
    site.refresh()
    assert site.told("new") == ["/later", "/new"]


@pytest.mark.parametrize("verb", ["crawl", "refresh"])
def test_kills_change_nothing_about_what_is_new(tmp_path: Path, verb: str) -> None:
    names = [f"/{n}" for n in range(12)]
    with TinyWeb({name: page(f"page {name}", "/") for name in names}) as web:
        web.pages["/"] = page("home", *names)
        site = Followed(web, tmp_path / "folder")
        command = [sys.executable, "-m", "whimbrel", "crawl", web.url("/"), "--repo", str(site.folder)]
        if verb == "crawl":
            kill(web, command, names[6])
        subprocess.run(command, env=settings(), check=True, stdout=subprocess.DEVNULL, timeout=300)
        assert (site.told("new"), len(site.told("first"))) == ([], 13)
        web.pages["/"] = page("home", *names, "/new/0", "/new/1")
        web.pages |= {f"/new/{n}": page(f"new {n}", f"/new/{n + 2}") for n in range(6)}
        command = [sys.executable, "-m", "whimbrel", "refresh", "--all", "--repo", str(site.folder)]
        if verb == "refresh":
            kill(web, command, "/new/1")
            kill(web, command, "/new/4")
        subprocess.run(command, env=settings(), check=True, stdout=subprocess.DEVNULL, timeout=300)
        assert site.told("new") == [f"/new/{n}" for n in range(6)]
        assert len(site.told("first")) == 13


def kill(web: TinyWeb, command: list[str], path: str) -> None:
    """Kills the command, and all that it had not written, while it waits for this page."""
    web.hold(path)
    running = subprocess.Popen(command, env=settings(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert web.wait_for(path)
    running.send_signal(signal.SIGKILL)
    running.wait()
    web.release(path)


def settings() -> dict[str, str]:
    return os.environ | {"WHIMBREL_CRAWL_MIGRANTS": "1"}


def due_again(folder: Path, url: str) -> None:
    """As if somebody had asked for this page again."""
    database = open_database(folder)
    database.execute("INSERT INTO due SELECT lane, 0, 1000, id, 0.0, 0 FROM url WHERE url = ?", (url,))
    database.close()
