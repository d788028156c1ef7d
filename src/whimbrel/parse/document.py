"""The one place that knows the parser: bytes in, a tree out.

Measured against Lexbor on 29 kB pages: about the same for an ordinary page, and safe where Lexbor is
quadratic (nested blocks). Nesting deeper than 512 becomes siblings inside the parser itself, as in browsers,
so neither a walk nor the end of a tree can run out of stack.
"""

from turbohtml import Document, parse

from whimbrel.parse.charset import declared, label
from whimbrel.parse.hostile import SMALL_BYTES, cut


def tree_of(body: bytes, content_type: str) -> tuple[Document, tuple[str, ...]]:
    """The document's tree, and what was cut before the parser saw it."""
    was_cut: tuple[str, ...] = ()
    if len(body) > SMALL_BYTES:
        body, was_cut = cut(body)
    name = label(content_type) or declared(body, content_type)
    if name is None:
        return parse(body, detect_encoding=True, positions=False), was_cut
    return parse(body, encoding=name, positions=False), was_cut


def is_plain(content_type: str) -> bool:
    """Whether the content type says that there is no markup to read."""
    return content_type[:10].lower() == "text/plain"
