"""Which characters the bytes of a document stand for, after the WHATWG encoding and HTML standards.

A byte order mark wins, then the label in the content type, then the document's own `<meta>`, then its XML declaration,
then a guess. In a document that is sent as XML the declaration decides, and `<meta>` says nothing. For markup the mark,
`<meta>` and the guess are the parser's business; a label it does not know counts as none.
"""

import re
from functools import lru_cache

from turbohtml import parse
from turbohtml.detect import detect

_LABEL = re.compile(r""";\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;,"']+))""", re.IGNORECASE)
_UTF8 = re.compile(rb"""<meta\s(?:[^<>]*[\s;"'])?charset\s*=\s*["']?utf-8["'\s/>]""", re.IGNORECASE)
_META = re.compile(rb"<meta[\s/][^>]*charset", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|$)", re.DOTALL)
_PRESCANNED = 1024
_MARKS = (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")
# "Get an XML encoding" and "prescan a byte stream" of the HTML standard, §13.2.3.2.
_XML = re.compile(rb"""<\?xml[^>]*?encoding[\0-\x20]*=[\0-\x20]*(?:"([^"\0-\x20]*)"|'([^'\0-\x20]*)')""")
_WIDE_XML = {b"<\0?\0x\0": "utf-16le", b"\0<\0?\0x": "utf-16be"}
_SENT_AS_XML = re.compile(r"\s*(?:application|text)/(?:xml|[^\s;]+\+xml)\s*(?:;|$)", re.IGNORECASE)


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


def declared(body: bytes, content_type: str) -> str | None:
    """The encoding that a document without a label declares for itself; None leaves it to the parser."""
    if body.startswith(_MARKS):
        return None
    if not body.startswith((b"<?xml", *_WIDE_XML)):
        return declared_utf8(body)
    if _SENT_AS_XML.match(content_type) or not _META.search(_COMMENT.sub(b"", body[:_PRESCANNED])):
        return _declared_in_xml(body)
    return declared_utf8(body)


def _declared_in_xml(body: bytes) -> str | None:
    wide = _WIDE_XML.get(body[:6])
    found = _XML.match(body, 0, _PRESCANNED)
    if wide is not None or found is None:
        return wide
    name = canonical(found[found.lastindex or 0].decode("ascii", "replace"))
    # Whoever could read as far as here does not read UTF-16.
    return "utf-8" if name.startswith("UTF-16") else name or None


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
