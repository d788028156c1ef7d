"""Text that pictures show."""

import io
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from folders import crawl
from whimbrel.documents.contract import DocumentLimits, DocumentText, Unreadable
from whimbrel.documents.lettering import Lettering, missing
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.contract import SearchSettings
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

ENGLISH = SearchSettings(text_in_pictures="eng")
reads = pytest.mark.skipif(missing("eng") != "", reason="tesseract is not installed")


def sign(text: str) -> bytes:
    picture = Image.new("RGB", (900, 200), "white")
    ImageDraw.Draw(picture).text((20, 60), text, fill="black", font=ImageFont.load_default(56))
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


@reads
def test_what_a_sign_says_is_read_and_what_cannot_be_drawn_is_not() -> None:
    with Lettering("eng") as lettering:
        said = lettering.read(sign("Harbour regulations"))
        assert isinstance(said, DocumentText)
        assert said.text == "Harbour regulations"
        for body, kind in ((sign(""), "empty"), (b"<svg onload=x>", "unsupported"), (sign("a")[:300], "damaged")):
            unread = lettering.read(body)
            assert isinstance(unread, Unreadable)
            assert unread.kind == kind
        assert isinstance(lettering.read(sign("Harbour regulations")), DocumentText), "the next is read"


@reads
def test_the_program_keeps_to_the_limits_of_documents() -> None:
    with Lettering("eng", DocumentLimits(wall_seconds=0.01)) as lettering:
        told = lettering.read(sign("Harbour regulations"))
    assert isinstance(told, Unreadable)


def test_without_the_program_or_its_data_it_is_said_how_to_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "apt install tesseract-ocr" in missing("eng")


@reads
def test_data_that_is_missing_is_named() -> None:
    assert "no data for xyz" in missing("eng+xyz")


def found(folder: Path, words: str) -> list[str]:
    with Searcher(folder) as searcher:
        return [hit.url.rpartition("/")[2] for hit in searcher.answer(parse(words)).hits]


@reads
def test_a_kept_picture_is_found_by_what_it_shows_where_the_settings_say_so(tmp_path: Path) -> None:
    picture = Reply(sign("Harbour regulations"), content_type="image/png")
    with TinyWeb({"/": "<title>Quay</title><p>boats <img src=/i/7.png>", "/i/7.png": picture}) as web:
        crawl(tmp_path, web.url("/"), assets=True)
    with Indexer(tmp_path) as indexer:
        indexer.catch_up()
    assert found(tmp_path, "type:image regulations") == []
    with Indexer(tmp_path, ENGLISH) as indexer:
        indexer.rebuild()
        indexer.catch_up()
    assert found(tmp_path, "type:image regulations") == ["7.png"]
    assert found(tmp_path, "regulations") == [], "other searches answer as before"


def test_where_the_program_is_missing_the_index_says_so_and_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with TinyWeb({"/": "<title>Quay</title><p>boats"}) as web:
        crawl(tmp_path, web.url("/"))
    monkeypatch.setenv("PATH", "/nowhere")
    with Indexer(tmp_path, ENGLISH) as indexer:
        told = indexer.catch_up()
    assert any("tesseract" in note for note in told.notes)
    assert found(tmp_path, "boats") != []
