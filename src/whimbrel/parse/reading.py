"""What a reader takes from a page: its main text and its paragraphs. From the kept copy."""

from turbohtml import Document, Element

from whimbrel.parse.charset import decode
from whimbrel.parse.document import is_plain, tree_of
from whimbrel.parse.html import visible_text
from whimbrel.parse.main_part import main_blocks

_PARAGRAPHS = ("p", "li", "dd", "blockquote", "pre", "td", "figcaption", "h1", "h2", "h3", "h4", "h5", "h6")
_UNREAD = "script,style,noscript,template,iframe,noframes,noembed"


def main_text(body: bytes, content_type: str, *, quick: bool = False) -> str:
    """The text without menus, headers and footers, a line for each block; all of it where no main part stands out.

    `quick` judges by less, for whoever reads many pages.
    """
    if is_plain(content_type):
        return decode(body, content_type)[0].strip()
    document, _ = tree_of(body, content_type)
    return "\n".join(main_blocks(document, quick=quick)) or visible_text(document)


def paragraphs(body: bytes, content_type: str) -> list[str]:
    """The paragraphs of the main part in order, headings and list items among them, none of them empty."""
    if is_plain(content_type):
        return _blocks_of_text(decode(body, content_type)[0])
    document, _ = tree_of(body, content_type)
    part: Document | Element = document.main_content() or document
    part.remove(_UNREAD)
    innermost = (element for element in part.iter_elements(_PARAGRAPHS) if element.find(list(_PARAGRAPHS)) is None)
    texts = [text for element in innermost if (text := " ".join(element.text.split()))]
    if texts:
        return texts
    text = visible_text(document)
    return [text] if text else []


def _blocks_of_text(text: str) -> list[str]:
    lines = "\n".join(line.strip() for line in text.splitlines())
    return [block for part in lines.split("\n\n") if (block := " ".join(part.split()))]
