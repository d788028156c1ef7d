"""Style sheets of kept pages: each address in them becomes that of the kept file, or of nothing.

The policy that a page is served under says the same again; but what is written here is harmless without it.
"""

import re
from collections.abc import Callable

from whimbrel.parse.css import Address, pieces, quoted

NOWHERE = "data:,"
"""Nothing, under every policy for pictures and fonts here: no browser asks for it or complains of it."""
_HELD = re.compile(r"data:(?:image|font|application/(?:x-)?font)[^,]*,", re.IGNORECASE)
"""Pictures and fonts that stand in the sheet itself. A sheet in a data: address could ask for anything."""
_PARTED = re.compile(r"[^\\]*[ \t\n:,;({\[]|/\*\*/")


def rewritten(sheet: str, place: Callable[[str], str | None]) -> str:
    """`place` gives the address of a kept file, None where there is none."""
    written = [""]
    for piece in pieces(sheet):
        if isinstance(piece, Address):
            # It may stand in place of a string, before which a name needs no space; with it a name would go on.
            parted = not written[-1] or _PARTED.fullmatch(written[-1]) is not None
            written.append(f"{'' if parted else '/**/'}{_put(piece, place)}")
        elif piece:
            written.append(piece)
    return "".join(written)


def _put(address: Address, place: Callable[[str], str | None]) -> str:
    written = address.value.strip()
    if written[:5].lower() == "data:":
        target = written if _HELD.match(written) and not address.sheet else NOWHERE
    else:
        target = (place(written) if written else None) or NOWHERE
    return f'url("{quoted(target)}")'


def inside_element(sheet: str) -> str:
    """A style sheet may not end the element it stands in."""
    return sheet.replace("</", "<\\/")
