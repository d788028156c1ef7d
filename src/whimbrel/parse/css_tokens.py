"""The tokens of a style sheet (CSS Syntax Level 3 §3.3 and §4.3).

A browser reads `u\\72l(x)`, `URL( x )` and `url(x)` as one and the same; whoever looks for addresses has to read as it
does, to the letter. What stands together without meaning anything here is one token: a sheet has tens of thousands.
"""

import re
from collections.abc import Iterator
from functools import cache

from msgspec import Struct

_HEX = r"\\[0-9A-Fa-f]{1,6}[ \t\n]?"
_ESCAPE = rf"(?:{_HEX}|\\[^\n0-9A-Fa-f]|\\\Z)"
_START = r"[A-Za-z_\x80-\U0010ffff]"
_INNER = r"[A-Za-z0-9_\x80-\U0010ffff-]"
_IDENT = rf"(?:--|-?(?:{_START}|{_ESCAPE}))(?:{_INNER}|{_ESCAPE})*+"
_NUMBER = r"[+-]?(?:[0-9]++(?:\.[0-9]++)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?"
# Signs, and names without escapes that open no bracket: most of a sheet, taken in one go.
_DULL = r"(?:[ \t\n:;,>~=!*|^$?&]|\.(?![0-9])|[A-Za-z_][A-Za-z0-9_-]*+(?![\\(\x80-\U0010ffff]))++"
_BLANKS = re.compile(r"[ \t\n]*+")
_BARE = re.compile(rf"""((?:[^ \t\n"'()\\\x00-\x08\x0b\x0e-\x1f\x7f]|{_ESCAPE})*+)[ \t\n]*+(?:\)|\Z)""")
_REMNANTS = re.compile(r"(?:[^)\\]|\\.?)*+\)?", re.DOTALL)
_ESCAPED = re.compile(r"\\(?:([0-9A-Fa-f]{1,6})[ \t\n]?|\n|(.)|\Z)", re.DOTALL)
_NEWLINES = re.compile(r"\r\n?|\f")
_UNREADABLE = re.compile("[\0\ud800-\udfff]")


class Token(Struct, frozen=True, gc=False):
    """`kind` is string, bad string, url, bad url, function, at, open, close, comment, edge (`<!--`, `-->`), space,
    name (with what is written like one) or other. `text` is what was written, `value` what it means: a name in lower
    case, a string or an address without its escapes."""

    kind: str
    text: str
    value: str = ""


@cache
def _token() -> re.Pattern[str]:
    """Compiled where there is a sheet: it takes a tenth of the time in which a migrant starts."""
    return re.compile(
        rf"(?P<other>{_DULL})"
        r"|(?P<comment>/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z))"
        r"""|(?P<string>"(?:[^"\\\n]|\\.|\\\Z)*+"?|'(?:[^'\\\n]|\\.|\\\Z)*+'?)"""
        rf"|(?P<number>{_NUMBER}(?:%|{_IDENT})?)"
        r"|(?P<edge><!--|-->)"
        rf"|(?P<name>{_IDENT})(?P<call>\()?"
        rf"|(?P<at>@{_IDENT})"
        rf"|(?P<hash>\#(?:{_INNER}|{_ESCAPE})++)"
        r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<sign>.)",
        re.DOTALL,
    )


def tokens(css: str) -> Iterator[Token]:
    css = _UNREADABLE.sub("\ufffd", _NEWLINES.sub("\n", css))
    token_at = _token().match
    at, size = 0, len(css)
    while at < size:
        found = token_at(css, at)
        assert found is not None
        at = found.end()
        kind, text = found.lastgroup or "", found[0]
        if kind == "other" and not text.strip(" \t\n"):
            yield Token("space", text)
        elif kind == "string":
            yield _string(text, at == size)
        elif kind == "call":
            name = unescaped(found["name"]).lower()
            token = _address(css, found.start(), at) if name == "url" else None
            yield token or Token("function", text, name)
            at += len(token.text) - len(text) if token else 0
        elif kind == "at":
            yield Token(kind, text, unescaped(text[1:]).lower())
        elif kind in ("name", "number", "hash"):
            yield Token("name", text)
        else:
            yield Token("other" if kind == "sign" else kind, text)


def _string(text: str, last: bool) -> Token:
    """One that a line end cuts is none; one that the end of the sheet cuts is whole."""
    quote = text[0]
    closed = len(text) > 1 and text.endswith(quote) and not _is_escaped(text, len(text) - 1)
    if closed:
        return Token("string", text, unescaped(text[1:-1]))
    if not last:
        return Token("bad string", text)
    inside = text[1:-1] if _is_escaped(text, len(text)) else text[1:]
    return Token("string", f"{quote}{inside}{quote}", unescaped(inside))


def _is_escaped(text: str, at: int) -> bool:
    """Whether an odd number of backslashes stands before the place."""
    return (at - len(text[:at].rstrip("\\"))) % 2 == 1


def _address(css: str, start: int, at: int) -> Token | None:
    """An address without quotation marks, behind `url(`; None where one begins or the sheet ends."""
    inside = _BLANKS.match(css, at)
    first = inside.end() if inside is not None else at
    if css[first : first + 1] in ('"', "'"):
        return None
    bare = _BARE.match(css, first)
    if bare is not None:
        return Token("url", css[start : bare.end()], unescaped(bare[1]))
    rest = _REMNANTS.match(css, first)
    return Token("bad url", css[start : rest.end() if rest is not None else len(css)])


def unescaped(text: str) -> str:
    return _ESCAPED.sub(_character, text) if "\\" in text else text


def _character(escape: re.Match[str]) -> str:
    if not escape[1]:
        return escape[2] or ("\ufffd" if escape[0] == "\\" else "")
    code = int(escape[1], 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
