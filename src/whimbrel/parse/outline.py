"""The elements of a page in order, each with its depth and class: what the structure of a page is told from.

A template is more than elements: it also writes words. Headings and the heads of tables say them ("Parameters", "See
also"), page after page, so whoever compares pages from above is given them too, each as a step below its element.
"""

from turbohtml import Document, Element

from whimbrel.parse.document import is_plain, tree_of
from whimbrel.records.outline import WORDS_MARK, Step

LONGEST_HEADING = 80
"""In characters; what is longer is a sentence of the page's own."""

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "th", "dt", "caption", "legend"})
_OWN = ("a", "code")
"""A heading that links, or that quotes code, names what the page is about: content, not template."""


def outline(body: bytes, content_type: str) -> list[Step]:
    """Every element in the order of the start tags; none where there is no markup."""
    if is_plain(content_type):
        return []
    root = tree_of(body, content_type)[0].root
    if root is None:
        return []
    steps: list[Step] = []
    waiting: list[tuple[int, Element]] = [(0, root)]
    while waiting:
        depth, element = waiting.pop()
        steps.append((depth, element.tag, _classes(element)))
        below = depth + 1
        waiting += [(below, child) for child in reversed(element.children) if isinstance(child, Element)]
    return steps


def upper(body: bytes, content_type: str, deepest: int) -> list[Step]:
    """The elements down to a depth, with the words of headings."""
    return [] if is_plain(content_type) else upper_of(tree_of(body, content_type)[0], deepest)


def upper_of(document: Document, deepest: int) -> list[Step]:
    """The same of a document that was parsed already. So near the root one can walk by recursion, in half the time."""
    steps: list[Step] = []
    root = document.root
    if root is None:
        return steps

    def walk(element: Element, depth: int) -> None:
        classes = element.attr("class")
        tag = element.tag
        steps.append((depth, tag, classes if classes.__class__ is str else ""))
        if tag in _HEADINGS and (words := _words(element)):
            steps.append((depth + 1, WORDS_MARK + tag, words))
        if depth < deepest:
            for child in element.children:
                if child.__class__ is Element:
                    walk(child, depth + 1)

    walk(root, 0)
    return steps


def _words(heading: Element) -> str:
    """What a template may have written; "" where it is the page's own. A mark to link to the heading says nothing."""
    words = heading.text.strip()
    if not words or len(words) > LONGEST_HEADING:
        return ""
    if any(any(map(str.isalnum, inner.text)) for inner in heading.iter_elements(_OWN)):
        return ""
    return words


def _classes(element: Element) -> str:
    classes = element.attr("class")
    return classes if isinstance(classes, str) else ""
