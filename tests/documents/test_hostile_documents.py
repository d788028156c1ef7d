"""Encrypted, looping, enormous and lying documents: a typed answer, and the next one is read."""

import papers
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from whimbrel.documents import DocumentLimits, DocumentText, Extractor, Unreadable
from whimbrel.documents.kinds import _ENDINGS, _MIMES

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
SEALED = b"<manifest:manifest xmlns:manifest='m'><manifest:encryption-data/></manifest:manifest>"
LAUGHING_TEXT = papers.laughs("<office:document-content xmlns:office='o'>LAUGH</office:document-content>")
LAUGHING_FEED = papers.laughs("<rss version='2.0'><channel><title>LAUGH</title></channel></rss>")


def unreadable(extractor: Extractor, body: bytes, mime: str, url: str = "") -> Unreadable:
    found = extractor.read(body, mime, url)
    assert isinstance(found, Unreadable), found
    return found


@pytest.mark.parametrize(
    ("body", "mime", "kind", "reason"),
    [
        (papers.encrypted_pdf(), papers.PDF, "encrypted", "password"),
        (OLE + bytes(500) + "EncryptedPackage".encode("utf-16-le"), papers.DOCX, "encrypted", "password"),
        (papers.changed(papers.open_text(), **{"META-INF__manifest_xml": SEALED}), papers.ODT, "encrypted", "password"),
        (papers.small_pdf()[:200], papers.PDF, "damaged", "no page"),
        (papers.word()[:-500], papers.DOCX, "damaged", "zip"),
        (papers.changed(papers.word(), word__document_xml=b"<w:document"), papers.DOCX, "damaged", "damaged inside"),
        (papers.pdf([papers.stream(b"")]), papers.PDF, "empty", "pictures"),
        (b" \n ", "text/plain", "empty", "no text"),
        (b"", papers.PDF, "empty", "no bytes"),
        (b"<!doctype html><p>Not found", papers.PDF, "mislabelled", "HTML"),
        (b"<html><p>Please log in", papers.DOCX, "mislabelled", "HTML"),
        (b"<html><p>Please log in", "application/rss+xml", "mislabelled", "HTML"),
        (papers.zip_of(holiday=b"pictures"), papers.DOCX, "mislabelled", "some other zip archive"),
        (b"\x7fELF" + bytes(5000), "text/plain", "mislabelled", "binary"),
        (OLE + bytes(500), "application/msword", "unsupported", "before 2007"),
        (b"{\\rtf1 hello}", "application/rtf", "unsupported", "Rich Text"),
        (papers.zip_of(**{"xl/workbook.xml": b"<x/>"}), papers.DOCX, "unsupported", "Excel"),
        (b"\x89PNG", "image/png", "unsupported", "image/png"),
        (papers.changed(papers.open_text(), content_xml=LAUGHING_TEXT), papers.ODT, "unsupported", "entities"),
        (papers.changed(papers.open_text(), content_xml=LAUGHING_TEXT.decode().encode("utf-16")), papers.ODT,
         "unsupported", "entities"),
        (LAUGHING_FEED, "application/rss+xml", "unsupported", "entities"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 20 else "",
)  # fmt: skip
def test_a_typed_answer(extractor: Extractor, body: bytes, mime: str, kind: str, reason: str) -> None:
    found = unreadable(extractor, body, mime)
    assert found.kind == kind, found
    assert reason in found.reason


@pytest.mark.parametrize(
    ("members", "limits", "reason"),
    [
        ({"word/media/a.bin": 300_000}, DocumentLimits(unpacked_bytes=200_000), "300000 bytes when unpacked"),
        ({"word/media/a.bin": 17 << 20}, DocumentLimits(), "zip bomb"),
        ({f"word/{number}": 0 for number in range(11)}, DocumentLimits(members=10), "11 files"),
    ],
)
def test_an_archive_that_unpacks_to_too_much(members: dict[str, int], limits: DocumentLimits, reason: str) -> None:
    body = papers.zip_of(**{name: bytes(size) for name, size in members.items()})
    with Extractor(limits) as extractor:
        found = unreadable(extractor, body, papers.DOCX)
    assert (found.kind, reason in found.reason) == ("too_large", True), found


def test_an_enormous_body_is_not_even_sent() -> None:
    with Extractor(DocumentLimits(body_bytes=100)) as extractor:
        assert unreadable(extractor, papers.small_pdf(), papers.PDF).kind == "too_large"
        assert extractor.pid is None


def test_a_document_by_another_name_is_read_as_what_it_is(extractor: Extractor) -> None:
    found = extractor.read(papers.presentation(), papers.DOCX, "")
    assert isinstance(found, DocumentText)
    assert found.kind == "pptx"


def test_a_cut_off_pdf_is_read_as_far_as_it_goes(extractor: Extractor) -> None:
    body = papers.pdf([papers.lines((10, 700, "still here"))])
    found = extractor.read(body[: body.rindex(b"startxref")], papers.PDF, "")
    assert isinstance(found, DocumentText)
    assert found.text == "still here"


def test_a_member_that_unpacks_to_more_than_it_states(extractor: Extractor) -> None:
    """Its directory says 10 bytes; what comes after them is not unpacked, and its checksum then fails."""
    body = papers.changed(papers.word(), word__document_xml=b"<w:document>" + bytes(1 << 20))
    at = body.rindex(b"word/document.xml") - 46
    lying = body[: at + 24] + (10).to_bytes(4, "little") + body[at + 28 :]
    assert unreadable(extractor, lying, papers.DOCX).kind == "damaged"


def test_one_that_loops_is_ended_by_the_processor_limit() -> None:
    with Extractor(DocumentLimits(cpu_seconds=1)) as extractor:
        assert unreadable(extractor, papers.looping_pdf(), papers.PDF) == Unreadable(
            "too_slow", "not read within 1 s of processor time"
        )
        assert isinstance(extractor.read(papers.small_pdf(), papers.PDF, ""), DocumentText)


def test_one_that_loops_is_ended_by_the_clock() -> None:
    with Extractor(DocumentLimits(wall_seconds=0.5)) as extractor:
        assert unreadable(extractor, papers.looping_pdf(), papers.PDF).kind == "too_slow"
        assert extractor.pid is None


def test_one_that_swells_is_ended_by_the_memory_limit() -> None:
    with Extractor(DocumentLimits(address_space_bytes=192 << 20)) as extractor:
        assert unreadable(extractor, papers.swelling_pdf(), papers.PDF).kind == "out_of_memory"
        assert isinstance(extractor.read(papers.small_pdf(), papers.PDF, ""), DocumentText)
    assert extractor.statistics().peak_bytes < 192 << 20


_STARTS = (b"", b"%PDF-1.7\n", b"PK\x03\x04", OLE, b"<rss version='2.0'>", b"\xff\xfe", papers.small_pdf()[:300])


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    st.sampled_from(_STARTS), st.binary(max_size=300), st.sampled_from([*_MIMES, "", "\ud800", "x/y"]),
    st.sampled_from([*_ENDINGS, "", "\udfff"]),
)  # fmt: skip
def test_random_bytes_end_as_text_or_reason(
    extractor: Extractor, start: bytes, rest: bytes, mime: str, ending: str
) -> None:
    found = extractor.read(start + rest, mime, f"http://site.test/file.{ending}")
    assert isinstance(found, DocumentText | Unreadable)
    assert not (isinstance(found, Unreadable) and found.kind in ("crashed", "unavailable", "too_slow")), found


_HONEST = (
    (papers.small_pdf(), papers.PDF),
    (papers.word(), papers.DOCX),
    (papers.presentation(), papers.PPTX),
    (papers.open_text(), papers.ODT),
)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    st.sampled_from(_HONEST),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=20),
)  # fmt: skip
def test_flipped_bytes_end_as_text_or_reason(
    extractor: Extractor, document: tuple[bytes, str], flips: list[tuple[float, int]]
) -> None:
    body = bytearray(document[0])
    for place, value in flips:
        body[int(place * len(body))] = value
    assert isinstance(extractor.read(bytes(body), document[1], ""), DocumentText | Unreadable)
