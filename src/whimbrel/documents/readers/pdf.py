"""PDF by PDFium: the text of each page in its order, paragraphs told by the distance of lines and the size of type."""

import ctypes
import math
import re
import time
from collections.abc import Iterator
from itertools import pairwise
from statistics import median

import pypdfium2
from msgspec import Struct
from pypdfium2 import raw

from whimbrel.documents import kinds
from whimbrel.documents.contract import DocumentLimits, Unreadable
from whimbrel.documents.draft import Draft
from whimbrel.documents.readers import fields

_HEADLINE_CHARACTERS = 200
_WIDER = 1.15
_LARGER = 1.15
_BROKEN_WORD = "\ufffe"  # PDFium puts it where a hyphen ends a line, and joins the halves
# Scripts without spaces between words: no space where a line ends.
_UNSPACED = re.compile("[\u2e80-\u2fff\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff65\U00020000-\U0003ffff]")


class PdfLine(Struct, frozen=True):
    """Where its first and its last character stand on the page, in points from the bottom, and the largest type in it.

    A line whose last word PDFium joined with its other half goes on over several lines of the page.
    """

    text: str
    first: float
    last: float
    size: float


def read(kind: str, mime: str, body: bytes, limits: DocumentLimits) -> Draft | Unreadable:
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        return _refusal(error, body)
    document.init_forms()
    until = time.process_time() + limits.cpu_seconds / 2
    pages = len(document)
    found: list[str] = []
    headline = ""
    read_pages = characters = 0
    for number in range(min(pages, limits.pages)):
        if time.process_time() > until or characters > limits.characters:
            break
        lines, filled_in = _contents(document, number)
        paragraphs = _paragraphs(lines)
        headline = headline or _headline(paragraphs)
        found += [*(line.text for line in paragraphs), *filled_in]
        characters += sum(len(line.text) for line in paragraphs) + sum(map(len, filled_in))
        read_pages += 1
    cut = (f"{pages - read_pages} of {pages} pages left out",) if read_pages < pages else ()
    title = document.get_metadata_value("Title")
    return Draft(paragraphs=found, pages=pages, title=title, headline=headline, language=_language(document), cut=cut)


def _refusal(error: pypdfium2.PdfiumError, body: bytes) -> Unreadable:
    if error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
        return Unreadable("encrypted", "a PDF that needs a password or a security handler")
    if kinds.looks_like_html(body[: kinds.SNIFFED_BYTES]):
        return Unreadable("mislabelled", "called PDF, but HTML")
    if b"%PDF-" not in body[: kinds.SNIFFED_BYTES]:
        return Unreadable("mislabelled", "called PDF, but none")
    return Unreadable("damaged", "a broken PDF, of which no page can be found")


def _language(document: pypdfium2.PdfDocument) -> str:
    size = raw.FPDFCatalog_GetLanguage(document, None, 0)
    if size <= 2:
        return ""
    buffer = ctypes.create_string_buffer(size)
    raw.FPDFCatalog_GetLanguage(document, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return buffer.raw[: size - 2].decode("utf-16-le", "ignore")


def _contents(document: pypdfium2.PdfDocument, number: int) -> tuple[list[PdfLine], list[str]]:
    """The lines of a page, and what is filled in there. One broken page is no reason to leave the others out."""
    try:
        page = document[number]
        try:
            return list(_lines_of(page.get_textpage())), fields.filled_in(document, page)
        finally:
            page.close()
    except pypdfium2.PdfiumError:
        return [], []


def _lines_of(text_page: pypdfium2.PdfTextPage) -> Iterator[PdfLine]:
    at = 0
    for text in text_page.get_text_range().split("\r\n"):
        bare = text.strip()
        if bare:
            start = at + text.index(bare)
            first, size = _place(text_page, start)
            last, size_at_end = _place(text_page, start + len(bare) - 1)
            yield PdfLine(_whole(bare), first, last, max(size, size_at_end))
        at += len(text) + 2


def _place(text_page: pypdfium2.PdfTextPage, at: int) -> tuple[float, float]:
    """Where the base line of a character is, and the size of its type; zeros where that is not known."""
    index = raw.FPDFText_GetCharIndexFromTextIndex(text_page, at)
    x, y, matrix = ctypes.c_double(), ctypes.c_double(), raw.FS_MATRIX()
    if index < 0 or not raw.FPDFText_GetCharOrigin(text_page, index, x, y):
        return 0.0, 0.0
    raw.FPDFText_GetMatrix(text_page, index, matrix)
    return y.value, raw.FPDFText_GetFontSize(text_page, index) * math.hypot(matrix.c, matrix.d)


def _whole(text: str) -> str:
    """A word that had a hyphen before keeps this one too."""
    if _BROKEN_WORD not in text:
        return text
    *halves, last = text.split(_BROKEN_WORD)
    return "".join(half + "-" * ("-" in half.rpartition(" ")[2]) for half in halves) + last


def _paragraphs(lines: list[PdfLine]) -> list[PdfLine]:
    drops = [before.last - line.first for before, line in pairwise(lines)]
    usual = median(falling) if (falling := [drop for drop in drops if drop > 0]) else 0.0
    paragraphs: list[list[PdfLine]] = []
    for line, drop in zip(lines, [0.0, *drops], strict=False):
        if paragraphs and not _parted(paragraphs[-1][-1], line, drop, usual):
            paragraphs[-1].append(line)
        else:
            paragraphs.append([line])
    return [PdfLine(_joined(one), one[0].first, one[-1].last, one[0].size) for one in paragraphs]


def _parted(before: PdfLine, line: PdfLine, drop: float, usual: float) -> bool:
    low, high = sorted((before.size, line.size))
    return drop < -usual or drop > _WIDER * usual or high > _LARGER * low


def _joined(lines: list[PdfLine]) -> str:
    text = lines[0].text
    for line in lines[1:]:
        unspaced = _UNSPACED.match(text[-1:]) and _UNSPACED.match(line.text[:1])
        text += line.text if unspaced else " " + line.text
    return text


def _headline(paragraphs: list[PdfLine]) -> str:
    """The largest type on the page, where it stands out."""
    if not paragraphs:
        return ""
    fit = [one for one in paragraphs if len(one.text) <= _HEADLINE_CHARACTERS and any(c.isalpha() for c in one.text)]
    largest = max(fit, key=lambda one: one.size, default=paragraphs[0])
    longest = max(paragraphs, key=lambda one: len(one.text))
    return largest.text if largest.size > _LARGER * longest.size or len(paragraphs) == 1 else ""
