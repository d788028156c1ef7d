"""A part of a document as Markdown: what its author stressed, where its links lead, no signs for browsers alone."""

import re
import unicodedata
from collections.abc import Callable

from turbohtml import Document, Element, Markdown, Text

from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.urls.normal import href

_ADDRESSES = ("http:", "https:", "mailto:", "tel:")
_UNREAD = "script,style,noscript,template,iframe,noframes,noembed"
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_CODE_OR_GAP = re.compile(r"^( *`{3,})[^\n]*\n.*?^\1 *$|\n{3,}", re.MULTILINE | re.DOTALL)
_STRESSED = {"em": "*", "i": "*", "strong": "**", "b": "**"}


def readable(part: Document | Element, document: Document, url: Url) -> str:
    """A part of a document as Markdown. Changes it."""
    part.remove(_UNREAD)
    drop_permalinks(part)
    for link in part.select("a[title]"):
        del link.attrs["title"]  # mostly the address or the words once more
    part.rewrite_links(_absolute(document, url))
    return _CODE_OR_GAP.sub(lambda found: found[0] if found[1] else "\n\n", part.to_markdown(_STYLE)).strip()


def drop_permalinks(part: Document | Element) -> None:
    """Links into the page itself that say no word ("¶") go; a heading that is one keeps its words alone."""
    for link in part.select('a[href^="#"]'):
        if link.find("img") is not None:
            continue
        if not any(character.isalnum() for character in link.text):
            link.decompose()
        elif _within(link, _HEADINGS):
            link.unwrap()


def _within(element: Element, tags: tuple[str, ...]) -> bool:
    return any(isinstance(above, Element) and above.tag in tags for above in element.ancestors)


def _absolute(document: Document, url: Url) -> Callable[[str], str]:
    """Links as they are meant. What is no address (a script, data) leads nowhere: some viewers would run it."""
    declared = document.find("base", href=True)
    resolved = href(declared.attr("href") or "", url) if declared is not None else url
    base = url if isinstance(resolved, Verdict) else resolved

    def absolute(text: str) -> str:
        target = href(text, base)
        return "" if isinstance(target, Verdict) or not target.startswith(_ADDRESSES) else target

    return absolute


def _stressed(element: Element, said: str) -> str:
    """With asterisks where Markdown takes them for stress, without where a reader would see them. The parser's own
    writer goes over to HTML's tags, for a whole document, when one stress in it is not plain."""
    core = said.strip()
    sign = _STRESSED[element.tag]
    if not element.text.strip() or "\n\n" in core or _within(element, _SAME[sign]):
        return said
    start = said.index(core)
    before, after = said[:start] or _neighbour(element, -1), said[start + len(core) :] or _neighbour(element, 1)
    if not (_opens(before[-1:], core[0]) and _opens(after[:1], core[-1])):
        return said
    return f"{said[:start]}{sign}{core}{sign}{said[start + len(core) :]}"


_SAME = {sign: tuple(tag for tag, other in _STRESSED.items() if other == sign) for sign in _STRESSED.values()}
_STYLE = Markdown(converters=dict.fromkeys(_STRESSED, _stressed))


def _opens(outside: str, inside: str) -> bool:
    """CommonMark 0.31 §6.2: a sign between a letter outside and punctuation inside opens and closes nothing. Beside
    another sign it would be read as one with it."""
    if outside == "*":
        return False
    return not outside or outside.isspace() or _is_punctuation(outside) or not _is_punctuation(inside)


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _neighbour(element: Element, way: int) -> str:
    """The text beside an element in its line; "" at an end of it, or beside a picture."""
    beside = element.previous_sibling if way < 0 else element.next_sibling
    if isinstance(beside, Text):
        return beside.text
    if not isinstance(beside, Element):
        return ""
    return "*" if beside.tag in _STRESSED else beside.text
