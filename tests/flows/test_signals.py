"""What a site says of its own pages, and how long it is believed."""

from pathlib import Path
from typing import Any

from folders import crawl, refreshed, rows
from whimbrel.flows.refresh.course import RefreshWish
from whimbrel.repository.embedded.opening import open_database
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

HOURS = 3600.0


def sitemap(web: TinyWeb, paths: list[str], changefreq: str) -> Reply:
    entries = "".join(f"<url><loc>{web.url(path)}</loc><changefreq>{changefreq}</changefreq></url>" for path in paths)
    return Reply(f"<urlset>{entries}</urlset>".encode(), content_type="application/xml")


def name_sitemap(web: TinyWeb) -> None:
    web.pages["/robots.txt"] = Reply(f"Sitemap: {web.url('/sitemap.xml')}\n".encode(), content_type="text/plain")


def article(number: int) -> Reply:
    words = " ".join(f"word{number}x{at}" for at in range(60))
    return Reply(f"<title>Page {number}</title><main><p>{words}</p></main>".encode(), etag=f'"{number}"')


def refresh(folder: Path) -> int:
    """What is due; returns how many pages were asked for."""
    standings = refreshed(folder, wish=RefreshWish(expand=False)).standings
    return sum(standings.values()) - standings["listed"]


def pass_hours(folder: Path, hours: float) -> None:
    database = open_database(folder)
    database.execute("UPDATE url SET visited_at = visited_at - ?", (hours * HOURS,))
    database.execute("UPDATE version SET at = at - ?", (hours * HOURS,))
    database.close()


def test_hourly_said_of_pages_that_rest_is_soon_believed_no_more_not_even_of_new_ones(tmp_path: Path) -> None:
    old, new = [f"/{number}" for number in range(30)], [f"/{number}" for number in range(30, 50)]
    pages: dict[str, Any] = {path: article(at) for at, path in enumerate([*old, *new])}
    with TinyWeb({"/": article(1000), **pages}) as web:
        name_sitemap(web)
        web.pages["/sitemap.xml"] = sitemap(web, old, "hourly")
        crawl(tmp_path, web.url("/"), migrants=1)
        pass_hours(tmp_path, 2)
        assert refresh(tmp_path) == 30, "taken at its word, once"
        pass_hours(tmp_path, 2)
        web.pages["/sitemap.xml"] = sitemap(web, [*old, *new], "hourly")
        assert refresh(tmp_path) == 0, "the new ones are no returns"
        assert rows(tmp_path, "SELECT count(*) FROM url WHERE outcome = 'fetched' AND asset = 0") == [(51 - 30,)]
        pass_hours(tmp_path, 2)
        assert refresh(tmp_path) == 0, "nobody believes the hourly of this site any more"


def test_of_a_site_that_was_not_caught_new_pages_are_believed(tmp_path: Path) -> None:
    with TinyWeb({"/": article(1000), **{f"/{number}": article(number) for number in range(10)}}) as web:
        name_sitemap(web)
        web.pages["/sitemap.xml"] = sitemap(web, [f"/{number}" for number in range(10)], "monthly")
        crawl(tmp_path, web.url("/"), migrants=1)
        pass_hours(tmp_path, 9 * 24)
        assert refresh(tmp_path) == 1, "the page that the sitemap does not name, after a week"
