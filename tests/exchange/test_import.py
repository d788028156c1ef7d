"""Import: the same as a crawl would have made of it, whatever else stands in the file."""

import gzip
import json
import sqlite3
import zipfile
from datetime import UTC, datetime
from math import inf
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grown_folder import SEED, grow, page, small_world
from whimbrel.api import CONTENT_TYPES
from whimbrel.exchange import imports
from whimbrel.exchange.export import ExportWanted, export
from whimbrel.exchange.follow import follow
from whimbrel.exchange.imports import Imported, Importer, ImportLimits
from whimbrel.exchange.sources import unchunked
from whimbrel.exchange.warcs import MOST_TORN, Fault
from whimbrel.flows.gather.deciding import Terms
from whimbrel.frontier.order import Order
from whimbrel.records.url import Url
from whimbrel.repository.embedded.erase import erase
from whimbrel.repository.embedded.news import BATCH, News
from whimbrel.repository.embedded.reader import Reader
from whimbrel.repository.embedded.store import Store
from whimbrel.repository.upkeep import ForgetTarget
from whimbrel.repository.views import Selection

NOW = 1_800_000_000.0
TYPES = tuple(prefix for prefixes in CONTENT_TYPES.values() for prefix in prefixes)

LIMITS = ImportLimits(Terms(None, None, Order.BREADTH), 1 << 20, TYPES, True)


def take(folder: Path, *files: Path, limit: int | None = None, assets: bool = True, largest: int = 1 << 20) -> Imported:
    return take_all(folder, files, ImportLimits(Terms(limit, None, Order.BREADTH), largest, TYPES, assets))[0]


def take_all(folder: Path, files: tuple[Path, ...], limits: ImportLimits) -> tuple[Imported, list[Fault]]:
    store = Store(folder)
    importer = Importer(store, limits, lambda: NOW)
    try:
        faults = [fault for path in files for fault in importer.take_file(path)]
    finally:
        importer.close()
        store.close()
    return importer.imported, faults


def faults_of(folder: Path, path: Path) -> list[Fault]:
    return take_all(folder, (path,), LIMITS)[1]


def exported(folder: Path, name: str, path: Path) -> Path:
    with Reader(folder) as reader, path.open("wb") as out:
        export(name, reader, ExportWanted(at=NOW), out)
    return path


def visited(folder: Path) -> list[tuple[object, ...]]:
    """URLs that were answered, with what became of them."""
    database = sqlite3.connect(folder / "crawl.sqlite")
    try:
        return database.execute(
            "SELECT u.url, u.depth, u.outcome, u.rule, u.reason, u.asset, hex(v.digest), v.title, s.url FROM url u"
            " LEFT JOIN version v ON v.id = u.version LEFT JOIN twins t ON t.id = v.twins"
            " LEFT JOIN url s ON s.id = t.survivor WHERE u.status > 0 ORDER BY u.url"
        ).fetchall()
    finally:
        database.close()


def json_lines(path: Path, *pages: object) -> Path:
    path.write_text("".join(f"{entry if isinstance(entry, str) else json.dumps(entry)}\n" for entry in pages))
    return path


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", ["warc", "wacz"])
def test_out_and_in_again_is_the_same(tmp_path: Path, seed: int, name: str) -> None:
    grow(tmp_path / "one", small_world(), seed=seed)
    file = exported(tmp_path / "one", name, tmp_path / "file")
    imported = take(tmp_path / "other", file)
    assert imported.faults == 0
    assert visited(tmp_path / "other") == visited(tmp_path / "one")
    with Reader(tmp_path / "one") as one, Reader(tmp_path / "other") as other:
        for listed in one.urls(Selection(outcomes=("fetched", "duplicate"))):
            assert one.body(listed.url).payload == other.body(listed.url).payload


def test_a_second_time_changes_nothing(tmp_path: Path) -> None:
    grow(tmp_path / "one", small_world())
    file = exported(tmp_path / "one", "warc", tmp_path / "file.warc.gz")
    first = take(tmp_path / "other", file)
    before = (tmp_path / "other" / "archive" / "whimbrel-00001.warc.gz").read_bytes()
    state = visited(tmp_path / "other")
    again = take(tmp_path / "other", file)
    assert again.already == sum(first.outcomes.values())
    assert not again.outcomes
    assert visited(tmp_path / "other") == state
    assert (tmp_path / "other" / "archive" / "whimbrel-00001.warc.gz").read_bytes() == before


@pytest.mark.parametrize("calls", [1, 5, 9, 14, 19, 24])
def test_an_import_that_was_cut_off_is_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    grow(tmp_path / "one", small_world(), seed=2)
    file = exported(tmp_path / "one", "warc", tmp_path / "file.warc.gz")
    monkeypatch.setattr(imports, "COMMIT_VISITS", 3)
    ticks = iter(range(calls))

    def now() -> float:
        if next(ticks, None) is None:
            raise KeyboardInterrupt
        return NOW

    store = Store(tmp_path / "other")
    importer = Importer(store, LIMITS, now)
    with pytest.raises(KeyboardInterrupt):
        list(importer.take_file(file))
    importer.close()
    store.close()
    take(tmp_path / "other", file)
    assert visited(tmp_path / "other") == visited(tmp_path / "one")


def test_what_stands_before_the_end_of_a_cut_file_is_taken(tmp_path: Path) -> None:
    grow(tmp_path / "one", small_world())
    file = exported(tmp_path / "one", "warc", tmp_path / "file.warc.gz")
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    imported = take(tmp_path / "other", file)
    assert imported.faults == 1
    assert 0 < imported.good < len(visited(tmp_path / "one"))


def test_into_the_folder_it_came_from_changes_nothing(tmp_path: Path) -> None:
    grow(tmp_path / "one", small_world())
    file = exported(tmp_path / "one", "warc", tmp_path / "file.warc.gz")
    before = visited(tmp_path / "one")
    assert not take(tmp_path / "one", file).outcomes
    assert visited(tmp_path / "one") == before


def test_a_page_that_waits_in_the_queue_is_done_when_it_comes_in(tmp_path: Path) -> None:
    first = json_lines(tmp_path / "a.jsonl", {"url": SEED, "html": page("start", ["/next"]).decode()})
    take(tmp_path / "folder", first)
    store = Store(tmp_path / "folder")
    assert follow(store, Order.BREADTH, {"a.example"}, NOW) == 1
    assert follow(store, Order.BREADTH, {"a.example"}, NOW) == 0
    assert [row[2] for row in store.lanes_due()] == [1]
    store.close()
    take(tmp_path / "folder", json_lines(tmp_path / "b.jsonl", {"url": f"{SEED}next", "text": "the next page"}))
    store = Store(tmp_path / "folder")
    assert store.lanes_due() == []
    store.close()


def test_links_are_not_queued_and_not_known_unless_that_is_asked_for(tmp_path: Path) -> None:
    file = json_lines(tmp_path / "a.jsonl", {"url": SEED, "html": page("start", ["/x", "http://c.example/"]).decode()})
    take(tmp_path / "folder", file)
    with Reader(tmp_path / "folder") as reader:
        assert [listed.url for listed in reader.urls()] == [SEED]
        assert reader.overview().due == 0
    store = Store(tmp_path / "folder")
    follow(store, Order.BREADTH, {"a.example"}, NOW)
    store.close()
    with Reader(tmp_path / "folder") as reader:
        assert [(listed.url, listed.depth) for listed in reader.urls()] == [(SEED, 0), (f"{SEED}x", 1)]
        assert reader.detail(Url(f"{SEED}x")).via == (SEED,)


# Tables.


def test_json_lines_good_and_bad(tmp_path: Path) -> None:
    file = json_lines(
        tmp_path / "pages.jsonl",
        {"url": "https://example.org/a", "title": "A  title\u0007", "text": "some text"},
        "not json",
        {"url": "https://example.org/b", "html": "<title>B</title><p>words</p>", "title": "not this"},
        [1, 2],
        {"title": "no url", "text": "x"},
        {"url": "ftp://example.org/", "text": "x"},
        {"url": "https://example.org/c"},
        "",
        {"url": "https://example.org/d", "text": "far", "depth": 3, "fetched_at": "2020-01-02T03:04:05Z"},
    )
    faults = faults_of(tmp_path / "folder", file)
    assert [fault.position for fault in faults] == ["line 2", "line 4", "line 5", "line 6", "line 7"]
    with Reader(tmp_path / "folder") as reader:
        pages = {stored.url: stored for stored in reader.pages()}
        assert {url[-1]: stored.title for url, stored in pages.items()} == {"a": "A title", "b": "B", "d": ""}
        assert pages[Url("https://example.org/d")].depth == 3
        assert pages[Url("https://example.org/d")].fetched_at == 1_577_934_245.0
        assert pages[Url("https://example.org/a")].fetched_at == NOW


def test_csv_comes_back_as_it_went_out(tmp_path: Path) -> None:
    body = "=cmd|' /C calc'!A0 " + "with enough words to be a page of its own " * 9
    first = json_lines(tmp_path / "a.jsonl", {"url": SEED, "title": "=1+1", "text": body})
    take(tmp_path / "one", first)
    file = exported(tmp_path / "one", "csv", tmp_path / "pages.csv")
    assert b"'=1+1" in file.read_bytes()
    assert take(tmp_path / "other", file).outcomes == {"fetched": 1}
    assert visited(tmp_path / "other") == visited(tmp_path / "one")


def test_csv_says_what_is_wrong_with_a_row(tmp_path: Path) -> None:
    file = tmp_path / "pages.csv"
    file.write_text("URL,Text\nhttp://a.example/1,one\nhttp://a.example/2\n\nnowhere,three\nhttp://a.example/4,four\n")
    assert [fault.position for fault in faults_of(tmp_path / "folder", file)] == ["line 3", "line 5"]
    file.write_text("address;body\nhttp://a.example/;x\n")
    assert "columns" in faults_of(tmp_path / "folder", file)[0].why


# Limits and rules.


def test_the_limit_holds_and_leaves_no_trace_of_the_rest(tmp_path: Path) -> None:
    pages = [{"url": f"http://a.example/{n}", "html": page(f"page number {n}").decode()} for n in range(9)]
    imported = take(tmp_path / "folder", json_lines(tmp_path / "p.jsonl", *pages), limit=4)
    assert imported.passed_over == {"limit": 5}
    with Reader(tmp_path / "folder") as reader:
        assert (reader.counts().pages, reader.counts().known) == (4, 4)


def test_what_was_forgotten_does_not_come_back(tmp_path: Path) -> None:
    grow(tmp_path / "one", small_world())
    file = exported(tmp_path / "one", "warc", tmp_path / "file.warc.gz")
    erase(tmp_path / "one", ForgetTarget(urls=(Url("http://a.example/deep/1"),)), NOW, "test")
    take(tmp_path / "one", file)
    with Reader(tmp_path / "one") as reader:
        assert reader.versions(Url("http://a.example/deep/1")) == []


def test_another_version_of_a_kept_page_is_one_and_only_once(tmp_path: Path) -> None:
    file = json_lines(tmp_path / "p.jsonl", {"url": SEED, "text": "old"}, {"url": SEED, "text": "new"})
    imported = take(tmp_path / "folder", file)
    assert (imported.outcomes, imported.versions, imported.passed_over) == ({"fetched": 1}, 1, {})
    again = take(tmp_path / "folder", file)
    assert (again.versions, again.already) == (0, 2)
    with Reader(tmp_path / "folder") as reader:
        assert [reader.body(SEED, version).payload for version in reader.versions(SEED)] == [b"old", b"new"]
        assert reader.body(SEED).payload == b"new"


def test_what_comes_from_the_past_is_told_at_its_date(tmp_path: Path) -> None:
    """Its versions have larger numbers than those of the present."""
    later, urls = "2026-05-01T00:00:00Z", [f"http://a.example/{number}" for number in range(BATCH + 100)]
    present = [{"url": url, "text": f"now {url}", "fetched_at": later} for url in urls]
    past = [
        {"url": url, "text": f"then {url}", "fetched_at": f"2020-01-{1 + number % 28:02}T00:00:00Z"}
        for number, url in enumerate([*urls[:50], *(f"{url}/old" for url in urls)])
    ]
    take(tmp_path / "folder", json_lines(tmp_path / "present.jsonl", *present))
    take(tmp_path / "folder", json_lines(tmp_path / "past.jsonl", *past))
    with News(tmp_path / "folder") as news:
        told = [one for batch in news.batches(0.0, inf, firsts=True) for one in batch if one.what == "first"]
        assert [one.at for one in told] == sorted((one.at for one in told), reverse=True)
        assert len(told) == len({one.url for one in told}) == 2 * len(urls)
        dates = {one.url: datetime.fromtimestamp(one.at, UTC).year for one in told}
        assert [dates[Url(url)] for url in (urls[0], urls[49], urls[50])] == [2020, 2020, 2026]
        assert news.first_count(0.0, datetime(2021, 1, 1, tzinfo=UTC).timestamp()) == 50 + len(urls)


# Other programs' archives.


Answer = tuple[str, str, list[tuple[str, str]], bytes]


def archive(*records: Answer, zipped: bool = True) -> bytes:
    """WARC/1.0 as an older program writes it, without digests and requests."""
    parts = [warc_record("warcinfo", "", b"software: another program\r\n")]
    for url, status, headers, body in records:
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
        parts.append(warc_record("response", url, f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body))
    return b"".join(gzip.compress(part, mtime=0) if zipped else part for part in parts)


def warc_record(kind: str, url: str, block: bytes) -> bytes:
    target = f"WARC-Target-URI: {url}\r\n" if url else ""
    head = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: 2014-08-20T06:36:13Z\r\n{target}"
    return f"{head}Content-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n"


def foreign(path: Path, *records: Answer, zipped: bool = True) -> Path:
    path.write_bytes(archive(*records, zipped=zipped))
    return path


HTML = ("Content-Type", "text/html")
FOREIGN = (
    ("http://a.example/1", "200 OK", [HTML], page("the first page")),
    ("http://a.example/2", "200 OK", [HTML, ("Content-Encoding", "gzip")], gzip.compress(page("the second page"))),
    ("http://a.example/3", "200 OK", [HTML, ("Transfer-Encoding", "chunked")], b"5\r\n<p>ok\r\n0\r\n\r\n"),
    ("http://a.example/4", "404 Not Found", [HTML], b"gone"),
    ("http://a.example/5", "302 Found", [("Location", "/1")], b""),
    ("http://a.example/i.png", "200 OK", [("Content-Type", "image/png")], b"\x89PNG"),
    ("http://a.example/robots.txt", "200 OK", [("Content-Type", "text/plain")], b"User-agent: *\nAllow: /"),
)


@pytest.mark.parametrize("shape", ["members", "plain", "whole", "wacz"])
def test_archives_of_every_shape(tmp_path: Path, shape: str) -> None:
    file = foreign(tmp_path / "file", *FOREIGN, zipped=shape in ("members", "wacz"))
    if shape == "whole":
        file.write_bytes(gzip.compress(file.read_bytes()))
    if shape == "wacz":
        with zipfile.ZipFile(tmp_path / "file.wacz", "w") as package:
            package.write(file, "archive/data.warc.gz")
        file = tmp_path / "file.wacz"
    imported = take(tmp_path / "folder", file, assets=False)
    assert imported.faults == 0
    assert imported.passed_over == {"type": 1, "robots.txt": 1}
    outcomes = {str(row[0])[-1]: row[2] for row in visited(tmp_path / "folder")}
    assert outcomes == {"1": "fetched", "2": "fetched", "3": "fetched", "4": "failed", "5": "redirected"}
    with Reader(tmp_path / "folder") as reader:
        assert reader.body(Url("http://a.example/3")).payload == b"<p>ok"
        assert reader.detail(Url("http://a.example/5")).target == "http://a.example/1"


def test_damage_costs_the_damaged_record_alone(tmp_path: Path) -> None:
    file = foreign(tmp_path / "file", *FOREIGN[:3])
    data = bytearray(file.read_bytes())
    second = data.index(b"\x1f\x8b\x08", data.index(b"\x1f\x8b\x08", 1) + 1)
    data[second + 60] ^= 0xFF
    file.write_bytes(data)
    faults = faults_of(tmp_path / "folder", file)
    assert [fault.position for fault in faults] == [f"byte {second}"]
    assert [row[0] for row in visited(tmp_path / "folder")] == ["http://a.example/1", "http://a.example/3"]


def test_a_file_of_nothing_but_damage_is_given_up(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"WARC/1.0\r\n\r\n" * 5_000)
    faults = faults_of(tmp_path / "folder", file)
    assert len(faults) == MOST_TORN + 1
    assert "left alone" in faults[-1].why
    file.write_bytes(b"\x1f\x8b\x08 rubbish" * 5_000)
    assert len(faults_of(tmp_path / "folder", file)) == 1


def test_a_record_that_is_too_large_is_passed_over(tmp_path: Path) -> None:
    bomb = gzip.compress(b"<p>" + b"a" * (3 << 20))
    file = foreign(
        tmp_path / "file",
        ("http://a.example/0", "200 OK", [HTML], b"<p>" + b"x" * (5 << 20)),
        ("http://a.example/b", "200 OK", [HTML, ("Content-Encoding", "gzip")], bomb),
        FOREIGN[0],
    )
    faults = faults_of(tmp_path / "folder", file)
    assert len(faults) == 2
    assert all("1048576" in fault.why or "bytes" in fault.why for fault in faults)
    assert [row[0] for row in visited(tmp_path / "folder")] == ["http://a.example/1"]


BREAKABLE = {zipped: archive(*FOREIGN[:3], zipped=zipped) for zipped in (True, False)}


@settings(max_examples=60)
@given(data=st.data(), zipped=st.booleans())
def test_whatever_is_broken_the_import_ends_and_names_it(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, zipped: bool
) -> None:
    folder = tmp_path_factory.mktemp("broken")
    file = folder / "file"
    bytes_ = bytearray(BREAKABLE[zipped])
    for _ in range(data.draw(st.integers(1, 4))):
        bytes_[data.draw(st.integers(2, len(bytes_) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(bytes_[: data.draw(st.integers(4, len(bytes_)))])
    imported = take(folder / "folder", file)
    with Reader(folder / "folder") as reader:
        assert reader.counts().known >= sum(imported.outcomes.values())
        for listed in reader.urls(Selection(outcomes=("fetched",))):
            assert reader.body(listed.url).head.startswith(b"HTTP/1.1 200")


def test_chunks() -> None:
    assert unchunked(b"3;x=y\r\nabc\r\n2\r\nde\r\n0\r\n\r\n") == b"abcde"
    assert unchunked(b"<p>never chunked") == b"<p>never chunked"
    assert unchunked(b"3\r\nabc\r\n9\r\ncut") == b"abccut"
