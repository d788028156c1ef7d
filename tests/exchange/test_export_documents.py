"""What PDF and office files say is in every export that carries text, word for word what search reads."""

import csv
import io
import json
import sqlite3
from contextlib import closing
from io import BytesIO
from pathlib import Path

import papers
import pytest

from commands import run
from grown_folder import SEED, Served, grow, page
from whimbrel.exchange.export import ExportWanted, export, export_folder
from whimbrel.repository.embedded.reader import Reader
from whimbrel.search.build.indexer import Indexer

WORDS = "The quokka is no wader"
FILES = {
    "bird.pdf": Served(papers.small_pdf(WORDS), mime=papers.PDF),
    "zug.odt": Served(papers.open_text(), mime=papers.ODT),
    "bird.docx": Served(papers.word(), mime=papers.DOCX),
    "locked.pdf": Served(papers.encrypted_pdf(), mime=papers.PDF),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pages = {f"{SEED}{name}": served for name, served in FILES.items()}
    grow(tmp_path / "folder", {SEED: Served(page("a shelf of papers", list(pages))), **pages})
    return tmp_path / "folder"


def written(folder: Path, name: str) -> bytes:
    out = BytesIO()
    with Reader(folder) as reader:
        export(name, reader, ExportWanted(main_text=True, at=1_800_000_000.0), out)
    return out.getvalue()


def lines(folder: Path) -> dict[str, dict[str, str]]:
    pages = [json.loads(line) for line in written(folder, "jsonl").splitlines()]
    return {page["url"].removeprefix(SEED): page for page in pages}


def read_before(folder: Path) -> dict[bytes, tuple[str, str]]:
    with closing(sqlite3.connect(folder / "index" / "documents.sqlite")) as database:
        return {row[0]: row[1:] for row in database.execute("SELECT digest, failure, reason FROM paper")}


def test_the_words_are_those_that_search_reads(folder: Path, tmp_path: Path) -> None:
    told = lines(folder)
    assert WORDS in told["bird.pdf"]["text"]
    assert all(told[name]["text"] == told[name]["main_text"] != "" for name in ("bird.pdf", "zug.odt", "bird.docx"))
    assert told["zug.odt"]["title"]
    assert "unread" not in told["bird.pdf"]
    assert "password" in told["locked.pdf"]["unread"]
    assert told["locked.pdf"]["text"] == ""
    kept = read_before(folder)
    with Indexer(folder) as indexer:
        indexer.catch_up()
    assert len(kept) == len(FILES)
    assert read_before(folder) == kept
    assert lines(folder) == told


def test_tables_and_markdown_have_them_too(folder: Path, tmp_path: Path) -> None:
    told = lines(folder)
    rows = {row["url"].removeprefix(SEED): row for row in csv.DictReader(io.StringIO(written(folder, "csv").decode()))}
    assert {name: row["text"] for name, row in rows.items()} == {name: one["text"] for name, one in told.items()}
    assert rows["locked.pdf"]["unread"] == told["locked.pdf"]["unread"]
    with Reader(folder) as reader:
        export_folder("markdown", reader, ExportWanted(), tmp_path)
    files = {path.name.rpartition("-")[0]: path.read_text() for path in tmp_path.rglob("*.md")}
    assert files["bird.pdf"].rstrip().endswith(told["bird.pdf"]["text"])
    assert f'unread: "{told["locked.pdf"]["unread"]}"' in files["locked.pdf"]
    assert "unread" not in files["bird.pdf"]


def test_parquet_has_them_too(folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an extra: requirements/install.py parquet")
    read = parquet.read_table(BytesIO(written(folder, "parquet"))).to_pylist()
    assert {row["url"]: row["text"] for row in read} == {one["url"]: one["text"] for one in lines(folder).values()}


def test_what_is_forgotten_is_not_kept_as_text(folder: Path) -> None:
    lines(folder)
    before = len(read_before(folder))
    done = run("forget", f"{SEED}bird.pdf", "--yes", "--repo", str(folder))
    assert done.returncode == 0, done.stderr
    assert len(read_before(folder)) == before - 1
