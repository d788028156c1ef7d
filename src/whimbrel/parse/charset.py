"""Which characters the bytes of a document stand for, after the WHATWG encoding and HTML standards.

A byte order mark wins, then the label in the content type, then the document's own `<meta>`, then a guess.
For markup all but the second are the parser's business; a label it does not know counts as none.
"""

import re
from functools import lru_cache

from turbohtml import parse
from turbohtml.detect import detect

_LABEL = re.compile(r""";\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;,"']+))""", re.IGNORECASE)
_UTF8 = re.compile(rb"""<meta\s(?:[^<>]*[\s;"'])?charset\s*=\s*["']?utf-8["'\s/>]""", re.IGNORECASE)
_PRESCANNED = 1024
_MARKS = (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")


@lru_cache(maxsize=512)
def label(content_type: str) -> str | None:
    """The encoding a content type names, or None where it names none that is known."""
    found = _LABEL.search(content_type)
    if found is None:
        return None
    name: str = found[found.lastindex or 0].strip()
    return name if canonical(name) else None


def declared_utf8(body: bytes) -> str | None:
    """UTF-8 where the document's own `<meta>` says so, as nearly all do; None leaves it to the parser, whose careful
    look costs a fifth of parsing. What stands in a comment says nothing."""
    found = _UTF8.search(body, 0, _PRESCANNED)
    if found is None or body.startswith(_MARKS):
        return None
    in_comment = body.rfind(b"<!--", 0, found.start()) > body.rfind(b"-->", 0, found.start())
    return None if in_comment else "utf-8"


def canonical(name: str) -> str:
    """The standard's spelling of an encoding's name, "" for a name it does not list."""
    try:
        return parse(b"", encoding=name).encoding or ""
    except (LookupError, ValueError):
        return ""


def decode(body: bytes, content_type: str) -> tuple[str, str]:
    """The text of a document without markup, and the encoding it was read in."""
    name = label(content_type)
    if name is None or body.startswith(_MARKS):
        match = detect(body)
        charset, codec = match.encoding or "UTF-8", match.codec or "utf-8"
    else:
        charset, codec = canonical(name), f"whatwg-{name}"
    return body.decode(codec, "replace").removeprefix("\ufeff"), charset.removesuffix("-SIG")
