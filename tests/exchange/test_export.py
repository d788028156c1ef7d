"""Export: every page and twin once, with what the site served."""

import json
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from grown_folder import grow, pages_of, small_world
from whimbrel.exchange.export import ExportWanted, UnknownFormat, export, iso, whole_file
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.embedded.reader import Reader
from whimbrel.repository.views import Selection, Site

PROMISED = ["url", "final_url", "status", "title", "text", "digest", "fetched_at", "links"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "folder"
    grow(path, small_world())
    return path


def lines(folder: Path, wanted: ExportWanted = ExportWanted()) -> list[dict[str, Any]]:  # noqa: B008
    out = BytesIO()
    with Reader(folder) as reader:
        count = export("jsonl", reader, wanted, out)
    read = [json.loads(line) for line in out.getvalue().splitlines()]
    assert len(read) == count.all == count.pages + count.twins
    return read


def test_every_page_and_twin_stands_there_once_with_what_was_served(folder: Path) -> None:
    world = small_world()
    read = lines(folder)
    assert {page["url"] for page in read} == pages_of(world)
    assert len({page["url"] for page in read}) == len(read)
    for page in read:
        assert list(page)[: len(PROMISED)] == PROMISED
        assert page["digest"] == f"sha256:{sha256(world[page['url']].body).hexdigest()}"
        assert page["final_url"] == page["url"]
        assert page["status"] == 200


def test_links_are_absolute_and_texts_are_read(folder: Path) -> None:
    start = next(page for page in lines(folder) if page["url"] == "http://a.example/")
    assert "http://a.example/deep/1" in start["links"]
    assert "http://c.example/" in start["links"]
    assert start["title"] == "the start page"
    assert "the start page" in start["text"]
    assert start["language"] == "en"
    assert start["content_type"] == "text/html"


def test_twins_name_a_survivor_that_is_exported_too(folder: Path) -> None:
    read = lines(folder)
    pages = {page["url"] for page in read if "duplicate_of" not in page}
    twins = [page for page in read if "duplicate_of" in page]
    assert twins
    assert all(twin["duplicate_of"] in pages and twin["reason"] in ("same bytes", "same text") for twin in twins)


def test_main_text_comes_from_the_kept_copy_also_a_twins_zipped_one(folder: Path) -> None:
    read = {page["url"]: page for page in lines(folder, ExportWanted(main_text=True))}
    for url in ("http://a.example/near", "http://b.example/copy", "http://a.example/zipped/2"):
        assert "the very same bytes everywhere" in read[url]["main_text"], url
    assert "main_text" not in lines(folder)[0]


def test_one_site_alone(folder: Path) -> None:
    read = lines(folder, ExportWanted(Selection(site=Site("b.example"))))
    assert [page["url"] for page in read] == ["http://b.example/", "http://b.example/copy", "http://b.example/zipped"]


def test_a_format_that_is_not_there_is_answered_with_those_that_are(folder: Path) -> None:
    with Reader(folder) as reader, pytest.raises(UnknownFormat, match="jsonl"):
        export("cuneiform", reader, ExportWanted(), BytesIO())


def test_moments_are_iso_8601_in_utc() -> None:
    assert iso(0.0) == "1970-01-01T00:00:00.000Z"
    assert iso(1_794_789_517.6738) == "2026-11-16T00:38:37.673Z"


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_bytes(b"the old state")

    def fail() -> None:
        with whole_file(path) as out:
            out.write(b"half of the")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_bytes() == b"the old state"
    with whole_file(path) as out:
        out.write(b"the new state")
    assert path.read_bytes() == b"the new state"
    assert [found.name for found in tmp_path.iterdir()] == ["pages.jsonl"]
    with pytest.raises(RepositoryError, match="--output"), whole_file(tmp_path / "no" / "where"):
        pass
