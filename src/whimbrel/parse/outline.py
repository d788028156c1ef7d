"""The elements of a page in order, each with its depth and class: what the structure of a page is told from."""

from turbohtml import Document, Element

from whimbrel.parse.document import is_plain, tree_of

Step = tuple[int, str, str]
"""The depth of an element (the root's is 0), its name, and its class attribute as written."""


def outline(body: bytes, content_type: str, deepest: int | None = None) -> list[Step]:
    """Every element down to `deepest`, in the order of the start tags; none where there is no markup."""
    if is_plain(content_type):
        return []
    return outline_of(tree_of(body, content_type)[0], deepest)


def outline_of(document: Document, deepest: int | None = None) -> list[Step]:
    """The same of a document that was parsed already."""
    root = document.root
    if root is None:
        return []
    steps: list[Step] = []
    waiting: list[tuple[int, Element]] = [(0, root)]
    while waiting:
        depth, element = waiting.pop()
        classes = element.attr("class")
        steps.append((depth, element.tag, classes if isinstance(classes, str) else ""))
        if deepest is None or depth < deepest:
            below = depth + 1
            waiting += [(below, child) for child in reversed(element.children) if isinstance(child, Element)]
    return steps
