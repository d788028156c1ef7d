"""Word documents. The text of boxes, tables, content controls and notes counts; headers, footers, deletions do not."""

import io
from typing import Any

from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.part import Part
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml
from docx.package import Package

from whimbrel.documents.archive import mended
from whimbrel.documents.contract import DocumentLimits
from whimbrel.documents.draft import Draft
from whimbrel.documents.readers.markup import Grammar, paragraphs

_GRAMMAR = Grammar(
    paragraphs=frozenset({qn("w:p")}),
    text=frozenset({qn("w:t")}),
    spaces={qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"},
    # A box is written twice, for old programs and for new ones.
    skipped=frozenset({"{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback", qn("w:tabs")}),
)
_NOTES = (RELATIONSHIP_TYPE.FOOTNOTES, RELATIONSHIP_TYPE.ENDNOTES)
_TITLE_STYLES = ("Title", "Heading1")


def read(kind: str, mime: str, body: bytes, limits: DocumentLimits) -> Draft:
    package = Package.open(io.BytesIO(mended(body)))
    main = package.main_document_part
    root = _root(main)
    notes = [relation.target_part for relation in main.rels.values() if relation.reltype in _NOTES]
    found = [text for part in (root, *map(_root, notes)) for text in paragraphs(part, _GRAMMAR)]
    title, language = _properties(package)
    return Draft(paragraphs=found, title=title, headline=_headline(root), language=language)


def _root(part: Part) -> Any:
    """Of some parts, those of documents with macros among them, the library knows only the bytes."""
    element = getattr(part, "element", None)
    return parse_xml(part.blob) if element is None else element


def _properties(package: Package) -> tuple[str, str]:
    # The library makes up a title where the document has no properties.
    if not any(relation.reltype == RELATIONSHIP_TYPE.CORE_PROPERTIES for relation in package.rels.values()):
        return "", ""
    return package.core_properties.title, package.core_properties.language


def _headline(root: Any) -> str:
    for style in _TITLE_STYLES:
        for one in root.iterfind(f".//{qn('w:p')}/{qn('w:pPr')}/{qn('w:pStyle')}[@{qn('w:val')}='{style}']"):
            return "".join(paragraphs(one.getparent().getparent(), _GRAMMAR))
    return ""
