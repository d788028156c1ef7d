"""Sitemaps and servers that misbehave, as a stranger meets them: nothing wrong is concluded, and it is said what was
ignored."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from whimbrel.flows.listing import MOST_NESTED
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

Call = Callable[..., Any]
WORDS = "harbour lantern meadow copper violet winter orchard signal marble quiet river amber".split()  # noqa: SIM905


def text(number: int) -> str:
    return " ".join(f"{word}{number * 31 + at}" for at, word in enumerate(WORDS * 8))


def page(number: int, *links: str, etag: str = "") -> Reply:
    anchors = "".join(f'<a href="{link}">{link}</a>' for link in links)
    return Reply(f"<title>Page {number}</title><main><p>{text(number)}</p>{anchors}</main>".encode(), etag=etag)


def entries(web: TinyWeb, written: dict[str, str], element: str = "url") -> str:
    return "".join(f"<{element}><loc>{web.url(path)}</loc>{more}</{element}>" for path, more in written.items())


def truncated(web: TinyWeb) -> dict[str, str]:
    return {"/sitemap.xml": f"<urlset>{entries(web, {'/100': ''})}<url><loc>{web.url('/101')}"}


def cyclic(web: TinyWeb) -> dict[str, str]:
    both = {"/sitemap.xml": "", "/other.xml": ""}
    maps = {path: f"<sitemapindex>{entries(web, both, 'sitemap')}</sitemapindex>" for path in both}
    maps["/other.xml"] = maps["/other.xml"].replace(
        "</sitemapindex>", f"{entries(web, {'/c.xml': ''}, 'sitemap')}</sitemapindex>"
    )
    return {**maps, "/c.xml": f"<urlset>{entries(web, {'/100': ''})}</urlset>"}


def nested(web: TinyWeb) -> dict[str, str]:
    """One index in another, five deep; the fourth leads no further."""
    names = ["/sitemap.xml", *(f"/{number}.xml" for number in range(5))]
    return {
        name: f"<sitemapindex>{entries(web, {following: ''}, 'sitemap')}</sitemapindex>"
        for name, following in pairwise(names)
    }


def bomb(web: TinyWeb) -> dict[str, str]:
    declared = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "ha"}">' for n in range(9))
    return {"/sitemap.xml": f"<!DOCTYPE x [{declared}]><urlset>{entries(web, {'/100': '&e8;'})}</urlset>"}


def moments(web: TinyWeb) -> dict[str, str]:
    said = {
        "/100": "2999-01-01",
        "/101": "2026-11-10T25:99:00Z",
        "/102": "03/04/2026",
        "/103": "2026-01-10T10:00-99:00",
    }
    listed = entries(web, {path: f"<lastmod>{moment}</lastmod>" for path, moment in said.items()})
    return {"/sitemap.xml": f"<urlset>{listed}</urlset>"}


@pytest.mark.parametrize(
    ("maps", "said", "pages"),
    [
        (truncated, "not well-formed at line 1 (no element found): what stands before was taken", 4),
        (cyclic, "it lists itself; that entry is ignored", 4),
        (nested, f"sitemaps nested more than {MOST_NESTED} deep: 1 not read", 3),
        (bomb, "it declares the entity 'e0': entities are never expanded", 3),
        (moments, "1 lastmod in the future: ignored; 3 lastmod that name no moment: ignored", 7),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_what_was_ignored_in_a_sitemap_is_said(
    call: Call, tmp_path: Path, maps: Callable[[TinyWeb], dict[str, str]], said: str, pages: int
) -> None:
    folder = tmp_path / "f"
    with TinyWeb(
        {"/": page(99, "/0", "/1"), **{f"/{number}": page(number) for number in (0, 1, *range(100, 110))}}
    ) as web:
        web.pages["/robots.txt"] = Reply(f"Sitemap: {web.url('/sitemap.xml')}\n".encode(), content_type="text/plain")
        for path, body in maps(web).items():
            web.pages[path] = Reply(body.encode(), content_type="application/xml")
        crawled = call("crawl", web.url("/"), "--repo", folder)
        assert said in crawled.out
        assert call("status", "--repo", folder, "--json").object["pages"] == pages
        again = call("refresh", "--all", "--repo", folder)
        assert said in again.out, "and again when it is read again"
    assert call("changes", "--repo", folder, "--json").out.count('"changed"') == 0


def test_more_than_fifty_thousand_urls(call: Call, tmp_path: Path) -> None:
    """None of them in the scope of the crawl, so that the sitemap alone is what it takes."""
    with TinyWeb({"/d/": page(99)}) as web:
        web.pages["/robots.txt"] = Reply(f"Sitemap: {web.url('/d/s.xml')}\n".encode(), content_type="text/plain")
        listed = entries(web, {f"/x{number}": "" for number in range(50_001)})
        web.pages["/d/s.xml"] = Reply(f"<urlset>{listed}</urlset>".encode(), content_type="application/xml")
        said = call("crawl", web.url("/d/"), "--repo", tmp_path / "f", "--scope", "prefix")
    assert "more than 50000 URLs: the rest was not read" in said.out


def test_an_error_page_of_once_and_pages_that_vanish_behind_a_200(call: Call, tmp_path: Path) -> None:
    folder, names = tmp_path / "f", [f"/{number}" for number in range(6)]
    pages = {name: page(at) for at, name in enumerate(names)}
    lost = Reply(b"<title>Not found</title><h1>Sorry</h1><p>The page you asked for does not exist.</p>")
    with TinyWeb({"/": page(99, *names), **pages}) as web:
        call("crawl", web.url("/"), "--repo", folder)
        web.pages |= {"/1": lost, "/2": Reply(b"", 403), "/3": Reply(b"")}
        first = call("refresh", "--all", "--repo", folder)
        assert "missing or in doubt, asked again before they count as gone" in first.out
        assert "not reached, kept as they are" in first.out
        told = [one["what"] for one in call("changes", "--repo", folder, "--json").lines]
        assert told == ["missing"] * 2
        web.pages |= pages
        call("refresh", "--all", "--repo", folder)
        assert [one["what"] for one in call("changes", "--repo", folder, "--json").lines] == told
        assert call("status", "--repo", folder, "--json").object["states"]["gone"] == 0


def test_error_pages_that_answer_200_are_counted_from_the_first_crawl_on(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "f"
    lost = Reply(b"<title>404 Not found</title><p>The page you asked for does not exist.</p>", etag='"lost"')
    with TinyWeb({"/": page(99, "/0", "/lost"), "/0": page(0), "/lost": lost}) as web:
        for verb in (("crawl", web.url("/")), ("refresh", "--all"), ("refresh", "--all")):
            call(*verb, "--repo", folder)
            assert call("status", "--repo", folder, "--json").object["links"]["soft"] == 1, verb
        web.pages["/lost"] = page(7)
        call("refresh", "--all", "--repo", folder)
        assert call("status", "--repo", folder, "--json").object["links"]["soft"] == 0


def test_a_server_whose_validators_mean_nothing_costs_traffic_and_no_alarm(call: Call, tmp_path: Path) -> None:
    folder, count = tmp_path / "f", iter(range(1000))
    names = [f"/{number}" for number in range(6)]

    def ever_new(number: int) -> Callable[[object], Reply]:
        return lambda request: page(number, etag=f'"{next(count)}"')

    with TinyWeb({"/": page(99, *names), **{name: ever_new(at) for at, name in enumerate(names)}}) as web:
        call("crawl", web.url("/"), "--repo", folder)
        answer = call("refresh", "--all", "--repo", folder, "--json").object
    assert answer["found"]["same_bytes"] >= 6
    assert answer["found"]["changed"] == 0
