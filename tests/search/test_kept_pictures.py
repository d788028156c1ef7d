"""Pictures that a crawl kept: found by what pages say of them, and never where nobody asked for pictures."""

import sqlite3
import struct
import subprocess
import sys
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from small_library import NOW

from whimbrel.records.url import Url
from whimbrel.repository.embedded.erase import erase
from whimbrel.repository.upkeep import ForgetTarget
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.contract import Answer
from whimbrel.search.picture_book import FILE
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

SHORE = """<!doctype html><html lang=en><title>The shore in winter</title><h1>The shore</h1>
<p>Dunlins gather on the mudflat when the tide runs out.</p>
<figure><img src=/i/dsc001.png alt="A curlew probing for worms"><figcaption>Taken at Gweedore in <b>January</b>
</figcaption></figure><p>Nobody was about.</p>"""
HARBOUR = """<!doctype html><html lang=en><title>The harbour</title><h1>The harbour</h1>
<p>Boats come in at dusk. <picture><source srcset="/i/boat.webp 1x, /i/boat-large.webp 2x"><img src=/i/boat.png
title="Trawlers unloading"></picture> Their catch is mackerel.</p><img src=/i/RustyAnchor.png>
<img src="data:image/png;base64,AAAA" alt="a blank"><img src=/i/copy-of-anchor.png alt="the same again">"""


def png(colour: int, side: int = 8) -> Reply:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = b"".join(b"\0" + bytes([colour] * 3 * side) for _ in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    data = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return Reply(b"\x89PNG\r\n\x1a\n" + data, content_type="image/png")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("pictured") / "folder"
    webp = {path: Reply(path.encode(), content_type="image/webp") for path in ("/i/boat.webp", "/i/boat-large.webp")}
    pages = {
        "/": f"{SHORE}<a href=/harbour>the harbour</a>",
        "/harbour": HARBOUR,
        "/i/dsc001.png": png(1), "/i/boat.png": png(2), "/i/RustyAnchor.png": png(3), "/i/copy-of-anchor.png": png(3),
        **webp,
    }  # fmt: skip
    with TinyWeb(pages) as web:
        crawl(web.url("/"), folder, "--assets")
        return folder, web.url("").rstrip("/")


@pytest.fixture
def shelf(crawled: tuple[Path, str], tmp_path: Path) -> tuple[Path, str]:
    subprocess.run(["cp", "-r", crawled[0], tmp_path / "shelf"], check=True)
    return tmp_path / "shelf", crawled[1]


def crawl(url: str, folder: Path, *options: str) -> None:
    command = [sys.executable, "-m", "whimbrel", "crawl", url, "--repo", str(folder), "--json", *options]
    subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)


def asked(folder: Path, text: str, **options: int) -> Answer:
    with Indexer(folder) as indexer:
        indexer.catch_up()
    with Searcher(folder) as searcher:
        return searcher.answer(parse(text), now=NOW, **options)  # type: ignore[arg-type]


def found(folder: Path, text: str) -> list[str]:
    return ["/" + hit.url.split("/", 3)[3] for hit in asked(folder, text).hits]


def test_pictures_are_found_by_all_that_pages_say_of_them(shelf: tuple[Path, str]) -> None:
    folder, _ = shelf
    curlew, boat, anchor = ["/i/dsc001.png"], ["/i/boat.png"], ["/i/RustyAnchor.png"]
    wanted = {
        "curlews": curlew, '"probing for worms"': curlew, "gweedore": curlew, "dunlin": curlew, "dsc001": curlew,
        "trawler": boat, "mackerel -anchor": boat, "rusty": anchor, "winter": curlew, "nowhere": [],
        "curlew -worm": [], 'curlew "at gweedore"': curlew, 'curlew "at sea"': [],
    }  # fmt: skip
    assert {words: found(folder, f"type:image {words}")[:1] for words in wanted} == wanted


def test_a_picture_names_the_page_that_shows_it_and_what_that_says(shelf: tuple[Path, str]) -> None:
    folder, site = shelf
    answer = asked(folder, "type:image curlew january")
    (hit,) = answer.hits
    assert (hit.title, hit.linked_from, hit.type) == ("A curlew probing for worms", f"{site}/", "image")
    assert ("January", True) in hit.snippet
    assert (answer.total, answer.pending, hit.language) == (1, 0, "en")
    assert sum(part.points for part in hit.parts) == pytest.approx(hit.score)


def test_the_same_bytes_are_one_hit_and_stand_ins_are_none(shelf: tuple[Path, str]) -> None:
    folder, _ = shelf
    answer = asked(folder, "type:image")
    assert answer.total == len(answer.hits) == 3
    assert {hit.url.rpartition("/")[2]: hit.twins for hit in answer.hits} == {
        "dsc001.png": 0, "boat.png": 0, "RustyAnchor.png": 1
    } or {hit.url.rpartition("/")[2]: hit.twins for hit in answer.hits} == {
        "dsc001.png": 0, "boat.png": 0, "copy-of-anchor.png": 1
    }  # fmt: skip
    assert dict(answer.facets[1].values) == {"image": 3}


def test_without_type_image_no_picture_is_found(shelf: tuple[Path, str]) -> None:
    folder, _ = shelf
    for words in ("curlew", "RustyAnchor", "dsc001", "harbour", "type:other", "site:127.0.0.1"):
        assert all("/i/" not in path for path in found(folder, words))


def test_filters_choose_pictures_and_what_means_nothing_for_them_is_said(shelf: tuple[Path, str]) -> None:
    folder, _ = shelf
    assert len(found(folder, "type:image site:127.0.0.1 lang:en")) == 3
    assert found(folder, "type:image site:elsewhere.example curlew") == []
    assert found(folder, "type:image curlew before:2001") == []
    said = asked(folder, "type:image type:pdf has:Product curlew")
    assert len(said.hits) == 1
    assert [note.partition(":")[0] for note in said.notes] == ["pictures are searched by themselves", "has"]
    assert asked(folder, "type:image curlew", page=2).hits == ()
    assert found(folder, 'type:image "" \' ) OR * NEAR(') == []


def test_a_forgotten_page_takes_its_words_along(shelf: tuple[Path, str]) -> None:
    folder, site = shelf
    assert found(folder, "type:image gweedore") == ["/i/dsc001.png"]
    erase(folder, ForgetTarget(urls=(Url(f"{site}/"),)), NOW, "test")
    assert found(folder, "type:image gweedore") == []
    assert found(folder, "type:image dsc001") == ["/i/dsc001.png"]
    held = b"".join(path.read_bytes() for path in (folder / "index").glob(f"{FILE}*"))
    assert b"gweedor" not in held.lower()
    erase(folder, ForgetTarget(urls=(Url(f"{site}/i/dsc001.png"),)), NOW, "test")
    assert found(folder, "type:image dsc001") == []


def test_an_index_of_another_form_or_a_damaged_one_is_built_anew_once(shelf: tuple[Path, str]) -> None:
    folder, _ = shelf
    assert found(folder, "type:image curlew")
    with closing(sqlite3.connect(folder / "index" / FILE)) as database:
        database.execute("PRAGMA user_version = 99")
    assert found(folder, "type:image curlew")
    (folder / "index" / FILE).write_bytes(b"no database at all" * 100)
    assert found(folder, "type:image curlew")
