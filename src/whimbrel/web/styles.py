"""Style sheets of kept pages: each address in them becomes that of the kept file, or of nothing.

What a browser may load is decided by the policy the page is served under, not here: a sheet that hides an address
from this reading gets nothing either.
"""

import re
from collections.abc import Callable

from whimbrel.parse import css

NOWHERE = "data:,"
"""Nothing, under every policy for pictures and fonts here: no browser asks for it or complains of it."""

_STRING = r""""(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'"""
_ADDRESS = re.compile(
    rf"/\*.*?(?:\*/|\Z)|(?:(?P<import>@import\s++)(?P<named>{_STRING}))"
    rf"|url\(\s*+(?:{_STRING}|[^\s\"'()]*+)\s*+\)",
    re.IGNORECASE | re.DOTALL,
)
# A style sheet may not end the element it stands in.
_MARKUP = str.maketrans({"<": "\\3c "})


def rewritten(sheet: str, place: Callable[[str], str | None]) -> str:
    """`place` gives the address of a kept file, None where there is none."""

    def replaced(found: re.Match[str]) -> str:
        text = found[0]
        if text.startswith("/*"):
            return ""
        address = next(iter(css.urls(text)), "")
        if not address and "data:" in text[:12].lower():
            return text
        target = place(address) if address else None
        return f'{found["import"] or ""}url("{target or NOWHERE}")'

    return _ADDRESS.sub(replaced, sheet)


def inside_element(sheet: str) -> str:
    return sheet.translate(_MARKUP)
