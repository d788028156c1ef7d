"""Numbers and foreign text as a terminal shows them."""

import unicodedata

from whimbrel.change.letters import UNSEEN

_JOINERS = "\u200c\u200d"  # they show how letters and emoji are written, and command nothing
_UNITS = ("B", "KB", "MB", "GB", "TB")


def size(count: float) -> str:
    for unit in _UNITS:
        if count < 1000 or unit == _UNITS[-1]:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.1f} {unit}"
        count /= 1000
    raise AssertionError("the last unit takes everything")


def duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def number(count: int) -> str:
    return f"{count:,}".replace(",", "\u202f")


def harmless(text: str) -> str:
    """Foreign text without what a terminal would obey: control characters, escapes, direction marks."""
    return "".join(c if c.isprintable() or c == " " else _stand_in(c) for c in text)


def _stand_in(character: str) -> str:
    if character in _JOINERS:
        return character
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return "" if character in UNSEEN else " " if character in "\t\r\n\x0b\x0c\x85\u2028\u2029" else "\ufffd"
    return character
