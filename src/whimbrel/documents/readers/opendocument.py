"""OpenDocument texts, presentations and spreadsheets. A row of a sheet is a paragraph."""

import io
import zipfile

from lxml import etree
from odfdo import Document

from whimbrel.documents import kinds
from whimbrel.documents.contract import DocumentLimits
from whimbrel.documents.draft import Draft
from whimbrel.documents.readers.markup import Grammar, paragraphs

_NAMES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
    "presentation": "urn:oasis:names:tc:opendocument:xmlns:presentation:1.0",
}


def _named(*names: str) -> list[str]:
    return [f"{{{_NAMES[space]}}}{name}" for space, _, name in (one.partition(":") for one in names)]


_SPACES = dict(zip(_named("text:s", "text:tab", "text:line-break"), (" ", "\t", "\n"), strict=True))
_SKIPPED = frozenset(_named("text:tracked-changes", "office:annotation", "office:forms", "text:note-citation"))
_RUNNING = Grammar(frozenset(_named("text:p", "text:h")), None, _SPACES, _SKIPPED)
_ROW, _CELL_TEXT = _named("table:table-row", "text:p")
_SHEET = Grammar(frozenset({_ROW}), None, _SPACES | {_CELL_TEXT: "\t"}, _SKIPPED)
_PAGES = {kinds.ODP: ".//draw:page", kinds.ODS: ".//table:table"}
_HEADLINES = {
    kinds.ODT: (".//text:p[@text:style-name='Title']", ".//text:h"),
    kinds.ODP: (".//draw:frame[@presentation:class='title']//text:p",),
}


def read(kind: str, mime: str, body: bytes, limits: DocumentLimits) -> Draft:
    # The library's own text repeats that of boxes and notes inside a paragraph, and takes four times as long.
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        content = archive.read("content.xml")
    root = etree.fromstring(content, etree.XMLParser(resolve_entities=False))
    found = list(paragraphs(root, _SHEET if kind == kinds.ODS else _RUNNING))
    meta = Document(io.BytesIO(body)).meta
    return Draft(
        paragraphs=found,
        pages=_pages(kind, root, meta.statistic or {}),
        title=meta.title or "",
        headline=_headline(kind, root),
        language=meta.language or "",
    )


def _pages(kind: str, root: etree._Element, statistic: dict[str, int]) -> int:
    if kind in _PAGES:
        return len(root.findall(_PAGES[kind], _NAMES))
    return int(statistic.get("meta:page-count", 0))


def _headline(kind: str, root: etree._Element) -> str:
    for path in _HEADLINES.get(kind, ()):
        for element in root.iterfind(path, _NAMES):
            return "".join(paragraphs(element, _RUNNING))
    return ""
