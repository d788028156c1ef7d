"""The headings of a page, from its kept copy.

They are cut out by a pattern: on 3,000 pages of 26 kB that took 0.03 ms a page beside 0.04 for reading the copy;
parsing it again takes 0.3 ms.
"""

import re
from html import unescape
from itertools import islice

MOST_HEADINGS = 64

_HEADING = re.compile(rb"<h([1-4])(?:\s[^>]*)?>(.{0,2000}?)</h\1\s*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")


def headings(markup: bytes, charset: str) -> str:
    """Texts of h1 to h4 in order, the first few dozen, each in a line; entities decoded, tags dropped."""
    found = islice(_HEADING.finditer(markup), MOST_HEADINGS)
    lines = b"\n".join(b" ".join(heading[2].split()) for heading in found)
    return unescape(_TAG.sub(" ", _decoded(lines, charset)))


def _decoded(inside: bytes, charset: str) -> str:
    try:
        return inside.decode(charset or "utf-8", "replace")
    except LookupError:
        return inside.decode("utf-8", "replace")
