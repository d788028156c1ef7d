"""The list of URLs behind the counts of the crawl room."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from test_web_pages import words
from web_client import Running

from grown_folder import Served, grow, page
from whimbrel.web.listing_page import SHOWN_URLS

PAGES = 2 * SHOWN_URLS + 30


@pytest.fixture(scope="module")
def long_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hundreds of pages, some of which are missing, refused, broken or on another host."""
    folder = tmp_path_factory.mktemp("long")
    links = [f"/p/{number:03}" for number in range(PAGES)]
    odd = ["/gone/1", "/gone/2", "/private/x", "/broken/y", "http://b.example/", "http://c.example/far"]
    world = {f"http://a.example{link}": Served(page(f"words of page {link}")) for link in links}
    world["http://a.example/"] = Served(page("the start", [*links, *odd]))
    world["http://b.example/"] = Served(page("another host"))
    grow(folder, world)
    return folder


@pytest.fixture
def long(long_folder: Path, serving: Callable[..., Running]) -> Running:
    return serving(long_folder)


def listed(answer: str) -> list[str]:
    return [unescape(url) for url in re.findall(r'<li><a href="/read\?url=([^"&]+)"', answer)]


def test_each_host_leads_to_its_urls(long: Running) -> None:
    room = long.get("/crawl").text
    href = re.search(r'<a href="(/urls\?site=b\.example)">', room)
    assert href is not None
    page = long.get(unescape(href[1])).text
    assert "URLs of" in page
    assert listed(page) == ["http%3A%2F%2Fb.example%2F"]
    kept = long.get("/urls", site="a.example", state="kept").text
    assert f"{PAGES + 1} URLs" in words(kept)
    assert f"{PAGES + 1} kept of a.example" in room


def test_each_error_leads_to_the_urls_that_had_it(long: Running) -> None:
    room = long.get("/crawl").text
    found = dict(re.findall(r'<a href="(/urls\?state=[^"]+rule=[^"]+)">([^<]+)</a></th><td class="n">\d+', room))
    assert set(found.values()) >= {"HTTP 404", "robots", "scope", "protocol"}
    for href, rule in found.items():
        count = re.search(rf'{re.escape(href)}">[^<]+</a></th><td class="n">(\d+)', room)
        page = long.get(unescape(href)).text
        assert count is not None
        assert len(listed(page)) == int(count[1]), rule
    missing = next(href for href, rule in found.items() if rule == "HTTP 404")
    said = words(long.get(unescape(missing)).text)
    assert "http://a.example/gone/1 the server answered 404" in said
    refused = words(long.get("/urls", rule="robots").text)
    assert "http://a.example/private/x Disallow: /private/" in refused


def test_a_long_list_comes_in_pieces_and_whole(long: Running) -> None:
    seen: list[str] = []
    address = "/urls?site=a.example"
    for _ in range(10):
        page = long.get(address).text
        assert f"{PAGES + 5} URLs" in words(page), "all are counted in every piece"
        seen += listed(page)
        following = re.search(r'rel="next" href="([^"]+)"', page)
        if following is None:
            break
        assert len(listed(page)) == SHOWN_URLS
        address = unescape(following[1])
    assert len(seen) == len(set(seen)) == PAGES + 5
    start = re.search(r'rel="first" href="([^"]+)"', page)
    assert start is not None
    assert listed(long.get(unescape(start[1])).text) == seen[:SHOWN_URLS]


def test_a_part_of_the_address_chooses(long: Running) -> None:
    page = long.get("/urls", text="/P/01", state="fetched")
    assert [url[-3:] for url in listed(page.text)] == [f"{number:03}" for number in range(10, 20)]
    assert '<option value="fetched" selected>' in page.text
    assert 'value="/P/01"' in page.text
    assert "0 URLs" in words(long.get("/urls", text="(a+)+$<script>").text)
    assert "<script>" not in long.get("/urls", text="<script>", rule="<script>").text


@pytest.mark.parametrize(
    "asked", [{"site": "no host"}, {"state": "lost"}, {"after": "x y"}, {"after": "99999999999 x"}, {"site": "%"}]
)
def test_a_wrong_choice_is_explained(long: Running, asked: dict[str, str]) -> None:
    answer = long.get("/urls", **asked)
    assert answer.status == 400
    assert 'role="alert"' in answer.text


def test_an_empty_folder_has_none(tmp_path: Path, serving: Callable[..., Running]) -> None:
    answer = serving(tmp_path).get("/urls")
    assert answer.status == 200
    assert "0 URLs None." in words(answer.text)
