"""Documents that a crawl kept: found by what they say, read once, and no danger to the index."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import papers
import pytest
from small_library import NOW

from whimbrel.documents.contract import DocumentLimits
from whimbrel.records.url import Url
from whimbrel.repository.embedded.erase import erase
from whimbrel.repository.upkeep import ForgetTarget
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.build.indexer import Indexer
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

LINKS = {"/bird.pdf": "field guide", "/zug.odt": "Vogelzug", "/locked.pdf": "strongbox inventory"}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with a page, a PDF, an OpenDocument text and an encrypted PDF, and the site's address."""
    folder = tmp_path_factory.mktemp("crawled") / "folder"
    links = "".join(f'<a href="{path}">{text}</a> ' for path, text in LINKS.items())
    pages = {
        "/": f"<title>Shelf</title><p>Papers about birds, and where they are kept.</p>{links}",
        "/bird.pdf": Reply(papers.small_pdf("The quokka is no wader"), content_type=papers.PDF),
        "/zug.odt": Reply(papers.open_text(), content_type=papers.ODT),
        "/locked.pdf": Reply(papers.encrypted_pdf(), content_type=papers.PDF),
    }
    with TinyWeb(pages) as web:
        command = [sys.executable, "-m", "whimbrel", "crawl", web.url("/"), "--repo", str(folder), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
        assert json.loads(done.stdout)["pages"] == 4
        return folder, web.url("/")


@pytest.fixture
def shelf(crawled: tuple[Path, str], tmp_path: Path) -> tuple[Path, str]:
    """The folder anew for each test."""
    folder, address = crawled
    subprocess.run(["cp", "-r", folder, tmp_path / "shelf"], check=True)
    return tmp_path / "shelf", address


def noted(folder: Path) -> list[tuple[str, bytes]]:
    database = sqlite3.connect(folder / "index" / "documents.sqlite")
    rows = database.execute("SELECT failure, digest FROM paper ORDER BY 1, 2").fetchall()
    database.close()
    return rows


@pytest.mark.parametrize(
    ("typed", "path", "kind", "marked"),
    [
        ("quokka", "bird.pdf", "pdf", ["quokka"]),
        ("Regenbrachvogel zieht", "zug.odt", "document", ["Regenbrachvogel", "zieht"]),
        ("field guide", "bird.pdf", "pdf", []),
        ("strongbox inventory", "locked.pdf", "pdf", []),
    ],
)
def test_documents_are_found_by_their_words_and_by_their_links(
    shelf: tuple[Path, str], typed: str, path: str, kind: str, marked: list[str]
) -> None:
    folder, address = shelf
    with Indexer(folder) as indexer:
        assert indexer.catch_up().indexed == 4
    with Searcher(folder) as searcher:
        hit = next(hit for hit in searcher.answer(parse(typed), now=NOW).hits if hit.type != "html")
    assert (hit.url, hit.type, hit.linked_from) == (address + path, kind, address)
    assert [text for text, on in hit.snippet if on] == marked


def test_what_cannot_be_read_is_noted_with_its_kind(shelf: tuple[Path, str]) -> None:
    with Indexer(shelf[0]) as indexer:
        indexer.catch_up()
        assert indexer.documents() == {"read": 2, "encrypted": 1}


def alter(folder: Path, statement: str) -> None:
    """Changes what was noted of documents behind the indexer's back."""
    with closing(sqlite3.connect(folder / "index" / "documents.sqlite")) as database, database:
        database.execute(statement)


def test_the_same_bytes_are_never_read_twice(shelf: tuple[Path, str]) -> None:
    folder, _ = shelf
    with Indexer(folder) as indexer:
        indexer.catch_up()
    # A mark in what was noted is still there after a rebuild, and is what is found: nobody read the documents again.
    alter(folder, "UPDATE paper SET title = 'noted before'")
    with Indexer(folder) as indexer:
        assert indexer.rebuild().indexed == 4
    with Searcher(folder) as searcher:
        assert [hit.title for hit in searcher.answer(parse("quokka"), now=NOW).hits] == ["noted before"]


def test_what_a_forgotten_document_said_goes_too(shelf: tuple[Path, str]) -> None:
    folder, address = shelf
    with Indexer(folder) as indexer:
        indexer.catch_up()
    before = noted(folder)
    erase(folder, ForgetTarget(urls=(Url(f"{address}bird.pdf"),)), NOW, "test")
    with Indexer(folder) as indexer:
        indexer.catch_up()
    assert len(noted(folder)) == len(before) - 1
    with Searcher(folder) as searcher:
        assert searcher.answer(parse("quokka"), now=NOW).total == 0


def test_a_document_that_takes_the_helper_down_does_not_stop_the_index(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    pages = {
        "/": '<title>Shelf</title><p>Two papers.</p><a href="/loop.pdf">loop</a> <a href="/bird.pdf">bird</a>',
        "/loop.pdf": Reply(papers.looping_pdf(), content_type=papers.PDF),
        "/bird.pdf": Reply(papers.small_pdf("The quokka is no wader"), content_type=papers.PDF),
    }
    with TinyWeb(pages) as web:
        command = [sys.executable, "-m", "whimbrel", "crawl", web.url("/"), "--repo", str(folder)]
        subprocess.run(command, capture_output=True, timeout=300, check=True)
    with Indexer(folder, limits=DocumentLimits(cpu_seconds=1, wall_seconds=120.0)) as indexer:
        assert indexer.catch_up().indexed == 3
        outcomes = indexer.documents()
    assert outcomes["read"] == 1
    assert set(outcomes) - {"read"} <= {"too_slow", "crashed", "out_of_memory"}
    assert sum(outcomes.values()) == 2
    with Searcher(folder) as searcher:
        assert searcher.answer(parse("quokka"), now=NOW).total == 1


def test_a_document_whose_note_is_damaged_is_read_again(shelf: tuple[Path, str]) -> None:
    folder, _ = shelf
    with Indexer(folder) as indexer:
        indexer.catch_up()
    alter(folder, "UPDATE paper SET text = x'1f8b08ffffffff' WHERE failure = ''")
    with Searcher(folder) as searcher:
        assert searcher.answer(parse("quokka"), now=NOW).total == 1
    with Indexer(folder) as indexer:
        indexer.rebuild()
    with Searcher(folder) as searcher:
        hit = searcher.answer(parse("quokka"), now=NOW).hits[0]
        assert [text for text, marked in hit.snippet if marked] == ["quokka"]


def test_notes_that_are_damaged_inside_are_made_anew(shelf: tuple[Path, str]) -> None:
    folder, _ = shelf
    with Indexer(folder) as indexer:
        indexer.catch_up()
    path = folder / "index" / "documents.sqlite"
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with Indexer(folder) as indexer:
        indexer.rebuild()
        assert sum(indexer.documents().values()) == 3


def test_damaged_notes_are_made_anew(shelf: tuple[Path, str]) -> None:
    folder, _ = shelf
    (folder / "index").mkdir()
    (folder / "index" / "documents.sqlite").write_bytes(b"no database at all" * 300)
    with Indexer(folder) as indexer:
        indexer.catch_up()
        assert sum(indexer.documents().values()) == 3
