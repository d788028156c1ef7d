"""The pages as a browser without scripts gets them."""

import re
import time
from html import unescape
from pathlib import Path

import pytest
from kept_shelf import BARE, HOSTILE, HUGE, NAMED, PAPER, PLAIN, SCAN, STRANGE, TIDES
from web_client import Running

from grown_folder import Served, grow
from whimbrel.readers.log import ReaderLog
from whimbrel.readers.tallies import Tallies
from whimbrel.search.build.indexer import Indexer
from whimbrel.urls.normal import key, normalise
from whimbrel.web.settings import Door


def words(text: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())


def test_home_says_what_is_kept(server: Running) -> None:
    home = server.get("/")
    assert re.search(r"\d+ pages kept from 1 site", words(home.text))
    assert "Tides of the estuary" in home.text  # changed lately


def test_search_finds_and_marks(server: Running) -> None:
    page = server.get("/", q="godwits")
    assert page.status == 200
    assert "<mark>godwits</mark>" in page.text
    assert "Why is this here?" in page.text
    assert f"/read?url={TIDES.replace(':', '%3A').replace('/', '%2F')}&amp;q=godwits" in page.text
    assert "3 versions" in page.text
    assert re.search(r"changed 1\d minutes ago", page.text)


def test_a_hit_in_a_long_page_opens_at_its_section(tmp_path: Path) -> None:
    said = "The bird is here and the bill is there, and so on and on. " * 60
    body = (
        f"<h2 id=birds>Birds</h2><p>{said}</p><ul><li>Bills of birds</ul><h2 id=bills>Bills of birds</h2><p>{said}</p>"
    )
    grow(tmp_path, {"http://a.example/": Served(body.encode())})
    with Indexer(tmp_path) as indexer:
        indexer.catch_up()
    with Running(tmp_path, Door(port=0)) as running:
        found = re.search(r'class="open" href="([^"]+)"', running.get("/", q="what is the bill of a bird").text)
        assert found is not None
        address = unescape(found[1])
        assert address.endswith("&at=bills#begin")
        text = running.get(address.partition("#")[0] + "&view=text").text
    assert re.findall(r'<(\w+) id="begin"[^>]*>([^<]*)', text) == [("h2", "Bills of birds")]


def test_only_what_narrows_is_offered(server: Running) -> None:
    """One page is of one site, one type and one language: choosing these changes nothing."""
    assert 'class="facets"' not in server.get("/", q="godwits").text
    assert "html ×" not in server.get("/", q="godwits type:html").text
    assert 'aria-current="true"><span>html</span>' in server.get("/", q="godwits type:html").text
    assert "<span>pdf</span>" in server.get("/", q="site:a.example").text


def test_only_what_can_be_asked_for_is_offered(server: Running) -> None:
    """A PDF of no known language is counted in no choice: `lang:` with nothing behind it chooses nothing."""
    page = server.get("/", q="site:a.example").text
    assert "<h2>Type</h2>" in page
    assert not re.search(r"(site|type|lang)%3A[&\"]", page)


def test_beyond_the_last_page_is_the_last(server: Running) -> None:
    first, beyond = (server.get("/", q="estuary", page=number).text for number in (1, 50))
    assert re.findall(r'data-keys="([^"]+)"', beyond) == re.findall(r'data-keys="([^"]+)"', first)


def test_an_endless_query_is_cut(server: Running) -> None:
    assert len(server.get("/", q="x" * 100_000).body) < 60_000


def test_only_the_results(server: Running) -> None:
    part = server.get("/", q="estuary", fragment=1).text
    assert "<html" not in part
    assert 'class="hit"' in part


def test_twins_are_folded(server: Running) -> None:
    page = server.get("/", q='"the very same to the last byte"').text
    assert page.count('class="hit"') == 1
    assert "1 twin" in page


def test_titles_and_addresses_are_escaped(server: Running) -> None:
    page = server.get("/", q='strange "<script>alert(2)</script>').text
    assert "<script>alert" not in page
    read = server.get("/read", url=STRANGE)
    assert read.status == 200
    assert "<script>alert" not in read.text
    assert "&lt;script&gt;alert(&#39;title&#39;)" in read.text


STRANGE_QUERIES = ("x" * 10_000, "😀" * 5_000, '"unbalanced', "the of and", "שלום עולם", "site:", "-", "\x00",
                   "a" * 300 + " OR (", "type:pdf before:soon")  # fmt: skip


@pytest.mark.parametrize("query", STRANGE_QUERIES)
def test_strange_queries_are_answered(server: Running, query: str) -> None:
    assert server.get("/", q=query).status == 200
    assert server.get("/api/search", q=query).status == 200


@pytest.mark.parametrize("page", ["0", "-1", "x", "99999999999", "2"])
def test_strange_page_numbers(server: Running, page: str) -> None:
    assert server.get("/", q="estuary", page=page).status == 200


def tallied(folder: Path, url: str) -> tuple[int, int]:
    normal = normalise(url)
    assert isinstance(normal, str)
    with ReaderLog(folder) as log:
        return Tallies(log).of(key(normal))


def test_shown_and_opened_are_counted(server: Running, shelf: Path) -> None:
    reader = server.reader()
    before = tallied(shelf, BARE)
    reader.get("/", q="looks were not kept")
    reader.get("/read", url=BARE, q="looks were not kept")
    assert tallied(shelf, BARE) == (before[0] + 1, before[1] + 1)


NO_READERS = {
    "has not been asked": {"Cookie": ""},
    "calls itself a program": {"User-Agent": "SomeBot/2.0"},
    "says nothing of itself": {"User-Agent": ""},
    "fetches ahead": {"Sec-Purpose": "prefetch"},
    "draws ahead": {"Sec-Purpose": "prefetch;prerender"},
    "wears a cookie of its own making": {"Cookie": "whimbrel-reader-{port}=somebody.0123456789"},
}


@pytest.mark.parametrize("headers", NO_READERS.values(), ids=NO_READERS)
def test_whoever_is_no_reader_counts_for_nothing(server: Running, shelf: Path, headers: dict[str, str]) -> None:
    reader = server.reader()
    before = tallied(shelf, BARE)
    headers = {name: value.replace("{port}", str(server.port)) for name, value in headers.items()}
    assert reader.get("/", headers, q="looks were not kept").status == 200
    assert reader.get("/read", headers, url=BARE, q="looks were not kept").status == 200
    assert tallied(shelf, BARE) == before


def test_looking_at_it_otherwise_is_no_further_click(server: Running, shelf: Path) -> None:
    reader = server.reader()
    before = tallied(shelf, TIDES)
    page = reader.get("/read", url=TIDES, view="links", q="tides").text
    assert tallied(shelf, TIDES) == before
    assert "back to <q>tides</q>" in page
    assert page.count("&amp;q=tides") == 4 + 2 * 3, "every view and every version leads back to the results"


def test_typed_results_are_counted_when_they_settle(server: Running, shelf: Path) -> None:
    reader = server.reader()
    before = tallied(shelf, PLAIN)[0]
    reader.get("/", q="plain text birds", fragment=1)
    assert tallied(shelf, PLAIN)[0] == before
    assert reader.post("/seen", q="another query").status == 204
    assert tallied(shelf, PLAIN)[0] == before, "of what was not shown nothing is counted"
    reader.get("/", q="plain text birds", fragment=1)
    for _ in range(2):
        assert reader.post("/seen", q="plain text birds").status == 204
    assert tallied(shelf, PLAIN)[0] == before + 1


def test_reader_shows_the_copy_where_its_files_are_kept(server: Running) -> None:
    page = server.get("/read", url=TIDES).text
    assert 'sandbox="allow-scripts"' in page
    assert page.count('aria-current="true"') == 1
    frame = re.search(r'src="(/kept/[^"]+)"', page)
    assert frame is not None
    copy = server.get(unescape(frame[1]))
    assert copy.status == 200
    policy = copy.headers["Content-Security-Policy"]
    nonce = re.search(r"script-src 'nonce-([^']+)'", policy)
    assert nonce is not None
    assert f'<script nonce="{nonce[1]}">' in copy.text
    assert policy.startswith("sandbox allow-scripts; default-src 'none'; ")
    for part in ("form-action 'none'", "base-uri 'none'", f"frame-ancestors {server.address}"):
        assert part in policy.split("; ")
    assert copy.headers["X-Content-Type-Options"] == "nosniff"
    assert "godwits" in copy.text
    sheet = re.search(r'<link rel="stylesheet" href="([^"]+)"', copy.text)
    picture = re.search(r'<img[^>]* src="([^"]+)"', copy.text)
    assert sheet is not None
    assert picture is not None
    styles = server.get(unescape(sheet[1]))
    assert styles.headers["Content-Type"] == "text/css; charset=utf-8"
    assert '@import url("/kept/' in styles.text
    more = re.search(r'@import url\("([^"]+)"\)', styles.text)
    assert more is not None
    imported = server.get(more[1]).text
    assert 'background: url("data:,")' in imported, "what is not kept is not asked for"
    font = re.search(r'src: url\("(/kept/[^"]+)"\)', imported)
    assert font is not None
    letters = server.get(font[1])
    assert (letters.status, letters.headers["Access-Control-Allow-Origin"]) == (200, "null")
    drawn = server.get(unescape(picture[1]))
    assert drawn.headers.get("Access-Control-Allow-Origin") is None
    assert drawn.headers["Content-Type"] == "image/svg+xml"
    assert drawn.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")


def test_kept_files_need_their_seal(server: Running) -> None:
    page = server.get("/read", url=TIDES).text
    frame = re.search(r'src="(/kept/([0-9a-f]+)/copy[^"]+)"', page)
    assert frame is not None
    address = unescape(frame[1])
    assert server.get(address.replace(frame[2], "0" * 40)).status == 403
    assert server.get(address.replace("tides", "bare")).status == 403
    assert server.get(address.partition("&frame=")[0]).status == 400
    assert server.get(address.replace("/copy?", "/save?")).status == 403


def test_save_gives_the_kept_bytes(server: Running) -> None:
    page = server.get("/read", url=HOSTILE).text
    save = re.search(r'href="(/kept/[0-9a-f]+/save[^"]+)"', page)
    assert save is not None
    saved = server.get(unescape(save[1]))
    assert saved.headers["Content-Type"] == "application/octet-stream"
    assert saved.headers["Content-Disposition"] == 'attachment; filename="hostile.html"'
    assert b"window.owned = 1" in saved.body


def test_a_bare_page_is_shown_as_text_and_says_so(server: Running) -> None:
    page = server.get("/read", url=BARE).text
    assert "Shown as plain text" in page
    assert "<iframe" not in page
    assert "a page whose looks were not kept" in page


def test_a_plain_text(server: Running) -> None:
    page = server.get("/read", url=PLAIN).text
    assert "has &lt;b&gt;no&lt;/b&gt; markup" in page


def test_a_pdf_is_given_to_the_browser_and_nothing_else_is(server: Running) -> None:
    page = server.get("/read", url=PAPER)
    assert "<iframe" not in page.text
    held = re.search(r'<object[^>]* data="(/kept/[^"]+)"', page.text)
    assert held is not None
    assert f"object-src {server.address}/kept/" in page.headers["Content-Security-Policy"]
    assert "object-src" not in server.get("/read", url=TIDES).headers["Content-Security-Policy"]
    assert "object-src" not in server.get("/read", url=PAPER, view="text").headers["Content-Security-Policy"]
    given = server.get(unescape(held[1]))
    assert given.body.startswith(b"%PDF-")
    assert given.headers["Content-Type"] == "application/pdf"
    assert given.headers["Content-Disposition"] == 'inline; filename="paper.pdf"'
    assert given.headers["X-Content-Type-Options"] == "nosniff"
    assert given.headers["Content-Security-Policy"].startswith("default-src 'none'; ")
    assert given.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    seal = held[1].split("/")[2]
    assert server.get(unescape(held[1]).replace(seal, "0" * 40)).status == 403
    assert server.get(unescape(held[1]).replace("paper.pdf", "named.pdf")).status == 403
    fake = server.get("/read", url="http://a.example/fake.pdf", view="copy").text
    assert "<object" not in fake, "what only says that it is one is none"


@pytest.mark.parametrize(
    ("url", "title"),
    [
        (NAMED, "A census of waders"),
        (PAPER, "Counting waders at high water"),
        (SCAN, "Annual survey of the mudflat"),
        ("http://a.example/two%20scans.pdf", "two scans.pdf"),
    ],
)
def test_a_document_has_a_title(server: Running, url: str, title: str) -> None:
    """Its own, else its first line, else what links call it, else the name of its file."""
    for page in (server.get("/read", url=url), server.get("/read", url=url, view="text")):
        assert re.search(rf"<h1[^>]*><bdi>{title}</bdi></h1>", page.text)
        assert f"<title>{title} · Whimbrel</title>" in page.text
    hits = server.get("/", q="site:a.example type:pdf").text
    assert re.search(rf'<a class="open"[^>]*>{title}</a>', hits)
    assert f"<bdi>{title}</bdi>" in server.get("/urls", text=".pdf").text
    cookie, token = server.visit()
    server.post("/favourite", {"url": url, "keep": "yes", "token": token}, Cookie=cookie)
    assert f"<bdi>{title}</bdi>" in server.get("/favourites").text
    server.post("/favourite", {"url": url, "keep": "no", "token": token}, Cookie=cookie)


def test_a_document_is_shown_as_text(server: Running) -> None:
    page = server.get("/read", url=PAPER, view="text")
    assert "Counting waders at high water" in page.text
    assert "<object" not in page.text
    said = words(page.text)
    assert re.search(r"Kept \d days ago PDF \d+ B", said)
    assert "Shown as the text that could be read from it." in said
    assert "open the PDF by itself" in said
    assert "As it looked" in said
    assert "As it looked" not in words(server.get("/read", url=PLAIN).text), "there is no such view"


def test_what_changed_by_paragraph(server: Running) -> None:
    page = server.get("/read", url=TIDES, view="changes").text
    assert "<ins>A new flock of forty godwits" in page
    assert "never changes at all" not in page
    opinions = words(page.partition("What simpler ways of comparing make of it")[2].partition("</details>")[0])
    for way in ("tree by levels", "fingerprint of tags", "RMS of symbols differs", "checksum by importance differs"):
        assert way in opinions
    versions = re.findall(r'<option value="(\d+)"', page)
    earlier = server.get("/read", url=TIDES, view="changes", **{"from": versions[0]}).text
    assert "<del>nine.</del> <ins>ten today.</ins>" in earlier


def test_an_older_version(server: Running) -> None:
    page = server.get("/read", url=TIDES, view="text").text
    numbers = sorted({int(number) for number in re.findall(r"&amp;v=(\d+)", page)})
    assert len(numbers) == 3
    assert "at nine" in server.get("/read", url=TIDES, view="text", v=numbers[0]).text
    missing = server.get("/read", url=TIDES, v=999_999)
    assert missing.status == 404
    assert "This version is not kept" in missing.text
    assert f'href="/read?url={TIDES.replace(":", "%3A").replace("/", "%2F")}"' in missing.text


def test_a_star_keeps_its_reader_where_they_are(server: Running) -> None:
    cookie, token = server.visit()
    form = {"url": TIDES, "v": "1", "view": "text", "q": "tides", "keep": "no", "token": token}
    page = server.get("/read", url=TIDES, view="text", q="tides").text
    for name in ("v", "view", "q"):
        assert f'<input type="hidden" name="{name}" value=' in page
    back = server.post("/favourite", form, Cookie=cookie).headers["Location"]
    assert back.endswith("&v=1&view=text&q=tides")


def test_links_in_and_out(server: Running) -> None:
    page = words(server.get("/read", url=TIDES, view="links").text)
    assert "a bare page" in page
    assert "elsewhere.example/x · not known" in page or "elsewhere.example/x · out of scope" in page
    assert "The <estuary> & its birds" in page  # links here


@pytest.mark.parametrize(
    "url", ["http://a.example/gone", "http://never.example/", "nonsense", "", "javascript:alert(1)"]
)
def test_what_is_not_kept_is_said(server: Running, url: str) -> None:
    page = server.get("/read", url=url)
    assert page.status in (400, 404)
    assert 'href="javascript' not in page.text
    assert "not kept" in page.text or "no address" in page.text


def test_a_huge_page_is_cut(server: Running) -> None:
    began = time.process_time()
    frame = re.search(r'src="(/kept/[^"]+)"', server.get("/read", url=HUGE).text)
    assert frame is not None
    assert server.get(unescape(frame[1])).status == 200
    assert time.process_time() - began < 10


def test_first_search_page_is_small(server: Running) -> None:
    page = server.get("/", q="estuary")
    parts = re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)
    size = len(page.body) + sum(len(server.get(unescape(part)).body) for part in parts)
    assert size <= 150_000


def test_crawl_room_counts(server: Running) -> None:
    page = words(server.get("/crawl").text)
    assert "No crawl is running" in page
    assert "Changes of the last days" in page
    assert "Tides of the estuary" in page


def test_a_wrong_wish_is_explained(server: Running) -> None:
    cookie, token = server.visit()
    for form, said in (
        ({"url": ""}, "cannot be crawled"),
        ({"url": "file:///etc/passwd"}, "cannot be crawled"),
        ({"url": "https://x.example", "limit": "many"}, "are numbers"),
        ({"url": "https://x.example", "scope": "all"}, "scope is one of"),
        ({"url": "https://x.example", "delay": "-1"}, "between 0 and"),
    ):
        answer = server.post("/crawl/start", {**form, "token": token}, Cookie=cookie)
        assert answer.status == 400, form
        assert said in words(answer.text)


def test_nothing_to_stop(server: Running) -> None:
    cookie, token = server.visit()
    answer = server.post("/crawl/stop", {"token": token}, Cookie=cookie)
    assert "No crawl is running on this folder." in answer.text
