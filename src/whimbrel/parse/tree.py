"""The nesting of a page's elements, without its text. From the kept copy."""

from msgspec import Struct
from turbohtml import Element

from whimbrel.parse.document import is_plain, tree_of


class Node(Struct, frozen=True):
    """An element and the elements inside it, in order."""

    tag: str
    children: "tuple[Node, ...]" = ()


def tree(body: bytes, content_type: str) -> Node:
    """The tree under the root element; a document without markup is one element without a name."""
    if is_plain(content_type):
        return Node("")
    root = tree_of(body, content_type)[0].root
    return _copied(root) if root is not None else Node("")


def tag_sequence(body: bytes, content_type: str) -> list[str]:
    """The names of all elements in the order of their start tags."""
    if is_plain(content_type):
        return []
    return [element.tag for element in tree_of(body, content_type)[0].iter_elements()]


def _copied(root: Element) -> Node:
    # Children are made before their parents, on a stack of our own: no page is too deep for it.
    open_nodes: list[tuple[str, list[Element], list[Node]]] = [(root.tag, _elements(root), [])]
    while True:
        tag, waiting, done = open_nodes[-1]
        if waiting:
            element = waiting.pop()
            open_nodes.append((element.tag, _elements(element), []))
            continue
        open_nodes.pop()
        node = Node(tag, tuple(done))
        if not open_nodes:
            return node
        open_nodes[-1][2].append(node)


def _elements(parent: Element) -> list[Element]:
    """Last child first, so that the next one to visit can be popped."""
    return [child for child in reversed(parent.children) if isinstance(child, Element)]
