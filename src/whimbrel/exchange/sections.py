"""A page as Markdown, section by section, each with the fragment that leads to it."""

from msgspec import Struct
from turbohtml import Document, Element, Text
from xxhash import xxh3_64_hexdigest

from whimbrel.exchange.rendering import drop_permalinks, readable
from whimbrel.parse.document import tree_of
from whimbrel.parse.main_part import main_element
from whimbrel.parse.marks import marks
from whimbrel.records.url import Url

_HEADINGS = "h1,h2,h3,h4,h5,h6"
_OPENED, _CLOSED = "\ue000", "\ue001"


class MarkdownSection(Struct, frozen=True):
    """What stands from one heading to the next, its heading included. `mark` is the fragment that leads to it, ""
    where it has none; before the first heading `level` is 0 and `heading` is ""."""

    text: str
    heading: str = ""
    level: int = 0
    mark: str = ""


def sections(body: bytes, content_type: str, url: Url, *, whole: bool = False) -> list[MarkdownSection]:
    """Of the main part of a document, or with `whole` of all of it."""
    document, _ = tree_of(body, content_type)
    all_headings = document.select(_HEADINGS)
    leading_to = dict(zip(all_headings, marks(all_headings), strict=True))
    part: Document | Element = document if whole else main_element(document) or document
    drop_permalinks(part)
    # Which line a heading becomes is the writer's business: it carries its number there, in a form no page can guess.
    secret = xxh3_64_hexdigest(body)
    named: list[tuple[str, int, str]] = []
    for heading in part.select(_HEADINGS):
        named.append((heading.text.strip(), int(heading.tag[1]), leading_to[heading]))
        heading.insert(0, Text(f"{_OPENED}{secret}.{len(named) - 1}{_CLOSED}"))
    return _parted(readable(part, document, url), secret, named)


def _parted(markdown: str, secret: str, named: list[tuple[str, int, str]]) -> list[MarkdownSection]:
    before, *rest = markdown.split(f"{_OPENED}{secret}.")
    opening, line = _cut_before_line(before) if rest else (before, "")
    found = [MarkdownSection(opening.strip())] if opening.strip() else []
    for piece in rest:
        number, _, text = piece.partition(_CLOSED)
        text, following = _cut_before_line(text) if piece is not rest[-1] else (text, "")
        heading, level, mark = named[int(number)]
        found.append(MarkdownSection((line + text).strip(), heading, level, mark))
        line = following
    return found


def _cut_before_line(text: str) -> tuple[str, str]:
    """The line that leads up to the next heading ("## ") belongs to that."""
    end = text.rfind("\n") + 1
    return text[:end], text[end:]
