"""Documents that lack something, forms that were filled in, and files of before 2007."""

import gzip
import zipfile
from io import BytesIO
from pathlib import Path
from shutil import which

import papers
import pytest

from whimbrel.documents import DocumentLimits, DocumentText, Extractor, Unreadable

DOC, PPT = "application/msword", "application/vnd.ms-powerpoint"
# Written by LibreOffice 7.4 out of a document made with python-docx.
OLD_DOC = gzip.decompress((Path(__file__).parent / "files" / "before-2007.doc.gz").read_bytes())


def text_of(extractor: Extractor, body: bytes, mime: str, url: str = "http://a.example/x") -> str:
    found = extractor.read(body, mime, url)
    assert isinstance(found, DocumentText), found
    return found.text


def without(body: bytes, *endings: str) -> bytes:
    """The archive without some of its parts, which others still name."""
    out = BytesIO()
    gone = 0
    with zipfile.ZipFile(BytesIO(body)) as whole, zipfile.ZipFile(out, "w") as part:
        for name in whole.namelist():
            if name.endswith(endings):
                gone += 1
            else:
                part.writestr(name, whole.read(name))
    assert gone == len(endings)
    return out.getvalue()


@pytest.mark.parametrize(
    ("body", "mime", "missing"),
    [
        (papers.word(), papers.DOCX, ("theme/theme1.xml",)),
        (papers.word(), papers.DOCX, ("thumbnail.jpeg",)),
        (papers.word(), papers.DOCX, ("theme/theme1.xml", "thumbnail.jpeg", "app.xml", "fontTable.xml")),
        (papers.presentation(), papers.PPTX, ("thumbnail.jpeg", "theme/theme1.xml")),
    ],
)
def test_parts_that_no_reader_misses_may_be_missing(
    extractor: Extractor, body: bytes, mime: str, missing: tuple[str, ...]
) -> None:
    whole = text_of(extractor, body, mime)
    assert len(whole) > 20
    assert text_of(extractor, without(body, *missing), mime) == whole


def test_a_document_without_its_text_says_so_in_words(extractor: Extractor) -> None:
    found = extractor.read(without(papers.word(), "word/document.xml"), papers.DOCX, "http://a.example/x.docx")
    assert found == Unreadable("damaged", "called Word, but cut off or damaged inside")


def test_forms_tell_what_is_filled_in(extractor: Extractor) -> None:
    found = extractor.read(papers.form_pdf(), papers.PDF, "http://a.example/form.pdf")
    assert isinstance(found, DocumentText)
    assert papers.paragraphs(found) == ["Sighting report", "Numenius phaeopus", "autumn", "The bird was ringed"]


@pytest.mark.parametrize("programs", [("antiword",), ("catdoc",)])
def test_word_before_2007_is_read_by_what_is_installed(
    programs: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(programs, tmp_path, monkeypatch)
    with Extractor() as extractor:
        found = extractor.read(OLD_DOC, DOC, "http://a.example/old.doc")
    assert isinstance(found, DocumentText), found
    assert (found.kind, found.title) == ("doc", "The whimbrel of before 2007")
    assert "warm coasts – and breeds in the far north. Zugvögel ziehen" in found.text


def test_powerpoint_before_2007_is_read_by_catppt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(("catppt",), tmp_path, monkeypatch)
    with Extractor() as extractor:
        found = extractor.read(papers.old_slides("Seven whistles over the moor"), PPT, "http://a.example/old.ppt")
    assert isinstance(found, DocumentText), found
    assert (found.kind, found.text) == ("ppt", "Seven whistles over the moor")


def test_what_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only((), tmp_path, monkeypatch)
    with Extractor() as extractor:
        word = extractor.read(OLD_DOC, DOC, "http://a.example/old.doc")
        slides = extractor.read(papers.old_slides("x"), PPT, "http://a.example/old.ppt")
    assert isinstance(word, Unreadable)
    assert isinstance(slides, Unreadable)
    assert word.passing
    assert "apt install antiword" in word.reason
    assert "apt install catdoc" in slides.reason


def test_the_limits_hold_for_those_programs_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "antiword").write_text("#!/bin/sh\nwhile :; do :; done\n")
    (tmp_path / "antiword").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with Extractor(DocumentLimits(cpu_seconds=1)) as extractor:
        found = extractor.read(OLD_DOC, DOC, "http://a.example/old.doc")
    assert isinstance(found, Unreadable)
    assert found.kind == "too_slow"


def only(programs: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no other program were installed."""
    for name in programs:
        if (path := which(name)) is None:
            pytest.skip(f"{name} is not installed")
        (folder / name).symlink_to(path)
    monkeypatch.setenv("PATH", str(folder))
