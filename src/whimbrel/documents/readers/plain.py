"""Plain text and markdown."""

import re

from whimbrel.documents.contract import DocumentLimits, Unreadable
from whimbrel.documents.draft import Draft
from whimbrel.parse.charset import decode

_EMPTY_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_HEADING = re.compile(r"^#{1,2}[ \t]+(\S.*?)[ \t]*#*$|^(\S.*)\n(?:=+|-+)[ \t]*$", re.MULTILINE)
_HEADING_WITHIN = 4096
_MOST_NULS = 0.01


def read(kind: str, mime: str, body: bytes, limits: DocumentLimits) -> Draft | Unreadable:
    text, _ = decode(body, mime)
    if text.count("\0") > _MOST_NULS * len(text):
        return Unreadable("mislabelled", "called plain text, but binary")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    heading = _HEADING.search(text[:_HEADING_WITHIN])
    return Draft(paragraphs=_EMPTY_LINES.split(text), headline=(heading[1] or heading[2]) if heading else "")
