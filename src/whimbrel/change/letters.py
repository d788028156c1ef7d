"""Texts that look the same to a reader however they are written."""

import re
from unicodedata import normalize

UNSEEN = "\u00ad\u200b\u2060\ufeff"
"""Marks that show nothing and command nothing: possible breaks within words, and the mark of byte order."""
_DIRECTIONS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
# Joiners of letters are seen.
_INVISIBLE = dict.fromkeys(map(ord, UNSEEN + _DIRECTIONS))
# What editors put in place of what is on a keyboard.
_TYPED = {
    ord(mark): typed for marks, typed in (("‘’‚‛", "'"), ("“”„‟", '"'), ("‐‑–—―", "-"), ("…", "...")) for mark in marks
}
_BEFORE_A_SIGN = re.compile(r"\s+(?=[,.;:!?)\]…])|(?<=[(\[])\s+")
_DASHES = re.compile(r"-{2,}")


def readable(text: str) -> str:
    """Without marks that nobody sees, its accents in one piece with their letters."""
    return text if text.isascii() else normalize("NFC", text.translate(_INVISIBLE))


def as_typed(text: str) -> str:
    """With plain quotes and dashes, and no space before a sign that ends something: elements around words leave one."""
    return _DASHES.sub("-", _BEFORE_A_SIGN.sub("", text.translate(_TYPED)))
