"""One document read in the helper process: the reader of its kind, and what is made of that reader's findings."""

import importlib
from types import ModuleType

from whimbrel.documents import archive, kinds
from whimbrel.documents.contract import (
    LARGE,
    PARAGRAPH_BREAK,
    PICTURE,
    DocumentLimits,
    DocumentText,
    Outcome,
    Unreadable,
)
from whimbrel.documents.draft import Draft
from whimbrel.documents.wording import tidy, title_of
from whimbrel.parse.language import language_of
from whimbrel.parse.languages import declared_language

_READERS = {
    kinds.PDF: "pdf", kinds.DOCX: "word", kinds.PPTX: "slides", kinds.ODT: "opendocument", kinds.ODP: "opendocument",
    kinds.ODS: "opendocument", kinds.FEED: "feed", kinds.TEXT: "plain",
}  # fmt: skip


def read(kind: str, mime: str, body: bytes, limits: DocumentLimits) -> Outcome:
    if kind == PICTURE:
        from whimbrel.documents.readers import picture  # brings Pillow

        return picture.drawn(body, limits, picture.LARGE_SIDE if mime == LARGE else picture.SIDE)
    if kinds.is_compound(body):
        return _compound(body)
    if kind in kinds.ZIPPED:
        own = archive.examined(kind, body, limits)
        if isinstance(own, Unreadable):
            return own
        kind = own
    if kind in kinds.UNSUPPORTED:
        return Unreadable("unsupported", f"{kinds.NAMES[kind]} is not read")
    try:
        reader = _reader(kind)
        draft = reader.read(kind, mime, body, limits)
    except ModuleNotFoundError as error:
        # It says nothing about the document: with the package installed it is read.
        return Unreadable(
            "unavailable", f"{kinds.NAMES[kind]} needs {error.name}; `whimbrel index` installs it, or says how to"
        )
    except (MemoryError, SystemExit):
        raise
    except Exception:  # a library answers damage with whatever broke in it, which says nothing to a person
        return Unreadable("damaged", f"called {kinds.NAMES[kind]}, but cut off or damaged inside")
    return draft if isinstance(draft, Unreadable) else finished(kind, draft, limits)


def _reader(kind: str) -> ModuleType:
    return importlib.import_module(f"whimbrel.documents.readers.{_READERS[kind]}")


def _compound(body: bytes) -> Unreadable:
    if kinds.is_encrypted(body):
        return Unreadable("encrypted", "an office document that needs a password")
    return Unreadable("unsupported", "of the office documents before 2007 only Word and PowerPoint are read")


def finished(kind: str, draft: Draft, limits: DocumentLimits) -> Outcome:
    paragraphs, cut = _within([text for one in draft.paragraphs if (text := tidy(one))], limits.characters)
    if not paragraphs:
        what = f"no text on its pages ({draft.pages}), perhaps pictures of it" if draft.pages else "no text in it"
        return Unreadable("empty", what)
    text = PARAGRAPH_BREAK.join(paragraphs)
    return DocumentText(
        title=title_of(draft.title, draft.headline, paragraphs),
        text=text,
        pages=draft.pages,
        # Programs declare their own language in what they write, whatever it is about.
        language=language_of(text) or declared_language(draft.language),
        kind=kind,
        cut=draft.cut + cut,
    )


def _within(paragraphs: list[str], characters: int) -> tuple[list[str], tuple[str, ...]]:
    left = characters
    for at, paragraph in enumerate(paragraphs):
        left -= len(paragraph) + len(PARAGRAPH_BREAK)
        if left < 0:
            kept = [*paragraphs[:at], paragraph[:left]]
            return [one for one in kept if one], (f"text beyond {characters} characters left out",)
    return paragraphs, ()
