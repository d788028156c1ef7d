"""PowerPoint presentations: what stands on each slide, then its notes."""

import io
from collections.abc import Iterator

from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.oxml.ns import qn
from pptx.package import Package
from pptx.slide import Slide

from whimbrel.documents.archive import mended
from whimbrel.documents.contract import DocumentLimits
from whimbrel.documents.draft import Draft
from whimbrel.documents.readers.markup import Grammar, paragraphs

_GRAMMAR = Grammar(
    paragraphs=frozenset({qn("a:p")}),
    text=frozenset({qn("a:t")}),
    spaces={qn("a:br"): "\n"},
    skipped=frozenset({"{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"}),
)


def read(kind: str, mime: str, body: bytes, limits: DocumentLimits) -> Draft:
    package = Package.open(io.BytesIO(mended(body)))
    slides = list(package.presentation_part.presentation.slides)
    taken = slides[: limits.pages]
    found = [text for slide in taken for text in _texts(slide)]
    title, language = _properties(package)
    headline = next((text for slide in taken[:1] if (text := _headline(slide))), "")
    cut = (f"{len(slides) - limits.pages} slides left out",) if len(slides) > limits.pages else ()
    return Draft(paragraphs=found, pages=len(slides), title=title, headline=headline, language=language, cut=cut)


def _texts(slide: Slide) -> Iterator[str]:
    yield from paragraphs(slide.element, _GRAMMAR)
    if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) is not None:
        yield from notes.text.split("\n")


def _headline(slide: Slide) -> str:
    title = slide.shapes.title
    return title.text_frame.text if title is not None else ""


def _properties(package: Package) -> tuple[str, str]:
    # The library makes up a title where the presentation has no properties.
    try:
        package.part_related_by(RELATIONSHIP_TYPE.CORE_PROPERTIES)
    except KeyError:
        return "", ""
    return package.core_properties.title, package.core_properties.language
