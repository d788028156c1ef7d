"""The formats beside JSON lines: each read back by a reader that is not ours."""

import csv
import gzip
import io
import json
import zipfile
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from fastwarc.warc import ArchiveIterator as FastIterator
from fastwarc.warc import WarcRecordType
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from grown_folder import grow, pages_of, small_world
from whimbrel.exchange.archives import search_key
from whimbrel.exchange.export import ExportWanted, export, export_folder, whole_folder
from whimbrel.exchange.markdown import file_name, front_matter, main_markdown
from whimbrel.exchange.tables import guarded, unguarded
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.embedded.reader import Reader
from whimbrel.repository.views import Selection, Site, StoredPage
from whimbrel.urls.normal import normalise

B = ExportWanted(Selection(site=Site("b.example")), at=1_800_000_000.0)
ALL = ExportWanted(at=1_800_000_000.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("formats") / "folder"
    grow(path, small_world())
    return path


def written(folder: Path, name: str, wanted: ExportWanted = ALL) -> bytes:
    out = BytesIO()
    with Reader(folder) as reader:
        assert export(name, reader, wanted, out).all > 0
    return out.getvalue()


def json_lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written(folder, "jsonl").splitlines()]


# CSV.


def test_csv_says_what_json_lines_say(folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(written(folder, "csv").decode(), newline="")))
    for row, page in zip(rows, json_lines(folder), strict=True):
        assert row["links"].split() == page["links"]
        for name in ("url", "title", "text", "digest", "fetched_at", "language"):
            assert unguarded(row[name]) == page[name]
        assert row["duplicate_of"] == page.get("duplicate_of", "")


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", " =1", "'=1", "＝1", "=cmd|' /C calc'!A0"])
def test_no_cell_can_be_a_formula(cell: str) -> None:
    assert guarded(cell) == "'" + cell
    assert unguarded(guarded(cell)) == cell


@given(st.text(alphabet=st.characters() | st.sampled_from("'=+-@ \t\r\n"), max_size=8))
def test_guarding_loses_nothing(text: str) -> None:
    kept = guarded(text)
    assert unguarded(kept) == text
    assert kept.lstrip(" ")[:1] not in ("=", "+", "-", "@")


# Parquet.


def test_parquet_has_typed_columns(folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an extra: requirements/install.py parquet")
    table = parquet.read_table(BytesIO(written(folder, "parquet")))
    read, pages = table.to_pylist(), json_lines(folder)
    assert [row["url"] for row in read] == [page["url"] for page in pages]
    assert [row["links"] for row in read] == [page["links"] for page in pages]
    assert [row["duplicate_of"] for row in read] == [page.get("duplicate_of") for page in pages]
    assert str(table.schema.field("fetched_at").type) == "timestamp[ms, tz=UTC]"
    assert str(table.schema.field("depth").type) == "int32"


# Markdown.


def test_every_kept_page_is_a_file_and_no_twin_is(folder: Path, tmp_path: Path) -> None:
    with Reader(folder) as reader, whole_folder(tmp_path / "md") as part:
        count = export_folder("markdown", reader, ALL, part)
    files = sorted((tmp_path / "md").rglob("*.md"))
    kept = [page for page in json_lines(folder) if "duplicate_of" not in page]
    assert len(files) == count.pages == len(kept)
    texts = {file.read_text() for file in files}
    for page in kept:
        own = [text for text in texts if f'url: "{page["url"]}"\n' in text]
        assert len(own) == 1
        assert f'digest: "{page["digest"]}"' in own[0]
        assert page["title"] in own[0]


def test_markdown_has_the_main_part_with_absolute_links_that_lead_somewhere() -> None:
    page = (
        b"<base href='/docs/'><nav><a href=/menu>menu</a></nav><main><h1>Title</h1><p>See <a href='b?x#y'>b</a>, "
        b"<a href='javascript:alert(1)'>this</a> and <a href='data:text/html,x'>that</a>.</p>"
        b"<script>bad()</script></main>"
    )
    text = main_markdown(page, "text/html", Url("https://example.org/a/"))
    assert "# Title" in text
    assert "[b](https://example.org/docs/b?x#y)" in text
    assert not any(word in text for word in ("javascript:", "data:", "bad()"))


@given(st.text(max_size=60), st.text(max_size=60))
def test_names_are_safe_and_stay_inside(path: str, other: str) -> None:
    url, another = normalise("http://a.example/" + path), normalise("http://a.example/" + other)
    if isinstance(url, Verdict) or isinstance(another, Verdict):
        return
    name = file_name(url)
    host, _, file = name.partition("/")
    assert host == "a.example"
    assert len(file) < 120
    assert not set(file) & set('/\\:*?"<>|\0')
    assert not file.startswith(".")
    assert (name.lower() == file_name(another).lower()) == (url == another)


@pytest.mark.parametrize("url", ["http://con.example/x", "http://[::1]:8080/", "http://a.example:81/", "http://nul/"])
def test_hosts_make_safe_folders(url: str) -> None:
    assert file_name(Url(url)).startswith("host-")
    assert not set(file_name(Url(url)).partition("/")[0]) & set(":[]")


def test_front_matter_cannot_be_broken_out_of() -> None:
    title = 'a "quoted\\" title\n---\nurl: "evil" \u2028\x85\ufeff\U000e0001 ü 🐦'
    url, digest = Url("http://a.example/"), b"\0" * 32
    page = StoredPage(url, 0, "fetched", "", 200, title, "", "text/html", "", digest, 0, 0.0, b"", None)
    lines = front_matter(page).splitlines()
    assert len(lines) == 7
    assert lines[0] == lines[-1] == "---"
    assert lines[2] == r'title: "a \"quoted\\\" title\U0000000a---\U0000000aurl: \"evil\" ' + (
        r'\U00002028\U00000085\U0000feff\U000e0001 ü 🐦"'
    )


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "md"

    def fail() -> None:
        with whole_folder(path) as part:
            (part / "half").write_text("x")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(tmp_path.iterdir()) == []
    path.mkdir()
    (path / "mine").write_text("what the user wrote")
    with pytest.raises(RepositoryError, match="not empty"), whole_folder(path):
        pass
    assert (path / "mine").read_text() == "what the user wrote"
    assert [found.name for found in tmp_path.iterdir()] == ["md"]


# WARC and WACZ.


def answers(data: bytes) -> dict[str, tuple[str, bytes]]:
    """What warcio reads: URL to kind of record and decoded body."""
    read = {}
    for record in ArchiveIterator(BytesIO(data)):
        if record.rec_type in ("response", "revisit"):
            url = record.rec_headers.get_header("WARC-Target-URI")
            read[url] = (record.rec_type, record.content_stream().read() if record.rec_type == "response" else b"")
    return read


def test_a_warc_holds_every_page_and_both_readers_like_it(folder: Path, tmp_path: Path) -> None:
    data = written(folder, "warc")
    path = tmp_path / "all.warc.gz"
    path.write_bytes(data)
    checker = Checker(type("Arguments", (), {"inputs": [str(path)], "verbose": False})())
    checker.process_all()
    assert checker.exit_value == 0
    for record in FastIterator(BytesIO(data), parse_http=True):
        if record.record_type == WarcRecordType.response:
            assert record.verify_payload_digest()
    world = small_world()
    read = answers(data)
    assert pages_of(world) <= set(read)
    assert all(body == world[url].body for url, (kind, body) in read.items() if kind == "response" and url in world)


def test_one_site_leaves_with_the_bytes_it_shares_with_another(tmp_path: Path) -> None:
    world = small_world()
    folder = tmp_path / "folder"
    grow(folder, world, seed=3)
    assert answers(written(folder, "warc"))["http://b.example/copy"][0] == "revisit"
    read = answers(written(folder, "warc", B))
    assert set(read) == {"http://b.example/", "http://b.example/copy", "http://b.example/zipped"}
    for url, (kind, body) in read.items():
        assert (kind, body) == ("response", world[url].body), url


def test_a_wacz_is_what_its_digests_and_its_index_say(folder: Path) -> None:
    package = zipfile.ZipFile(BytesIO(written(folder, "wacz")))
    whole = package.read("datapackage.json")
    described = json.loads(whole)
    assert json.loads(package.read("datapackage-digest.json")) == {
        "path": "datapackage.json",
        "hash": f"sha256:{sha256(whole).hexdigest()}",
    }
    assert described["wacz_version"] == "1.1.1"
    assert {r["path"] for r in described["resources"]} == set(package.namelist()) - {
        "datapackage.json",
        "datapackage-digest.json",
    }
    for resource in described["resources"]:
        data = package.read(resource["path"])
        assert (resource["bytes"], resource["hash"]) == (len(data), f"sha256:{sha256(data).hexdigest()}")
    assert package.getinfo("archive/data.warc.gz").compress_type == zipfile.ZIP_STORED
    assert package.getinfo("indexes/index.cdx.gz").compress_type == zipfile.ZIP_STORED
    lines = gzip.decompress(package.read("indexes/index.cdx.gz")).decode().splitlines()
    assert lines == sorted(lines)
    archive = package.read("archive/data.warc.gz")
    for line in lines:
        key, moment, rest = line.split(" ", 2)
        entry = json.loads(rest)
        at, length = int(entry["offset"]), int(entry["length"])
        (record,) = ArchiveIterator(BytesIO(archive[at : at + length]))
        assert record.rec_headers.get_header("WARC-Target-URI") == entry["url"]
        assert key == search_key(entry["url"])
        assert len(moment) == 14
    listed = [json.loads(line) for line in package.read("pages/pages.jsonl").splitlines()]
    assert listed[0]["format"] == "json-pages-1.0"
    assert {page["url"] for page in listed[1:]} == pages_of(small_world())


def test_index_keys() -> None:
    assert search_key("http://www.Example.org/A?b=2&a=1") == "org,example)/a?a=1&b=2"
    assert search_key("https://example.org:8443/") == "org,example:8443)/"
