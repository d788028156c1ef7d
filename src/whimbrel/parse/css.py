"""The files a style sheet asks for: `url(…)`, `src(…)`, `@import`, and strings where a picture is asked for."""

import re
from collections.abc import Iterator

from msgspec import Struct

from whimbrel.parse.css_tokens import Token, tokens

_NAMING = frozenset({"url", "src"})
"""Functions whose one string is an address (CSS Values 4 §4.5, 5 §"The src() function")."""
_PICTURES = frozenset({"image-set", "-webkit-image-set", "image", "cross-fade", "-webkit-cross-fade"})
"""Functions in which strings are addresses beside other things (CSS Images 4 §2)."""
_COLOURS = "rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark"
_GRADIENTS = " ".join(f"{how}{kind}-gradient" for how in ("", "repeating-") for kind in ("linear", "radial", "conic"))
_BESIDE = frozenset([*_NAMING, *_PICTURES, "type", "calc", "min", "max", *_COLOURS.split(), *_GRADIENTS.split()])
"""What those may hold. Any other function in them may give an address that is written elsewhere, as var() does."""
_WORDS = frozenset(
    """
    format tech type local attr counter counters symbols path lang dir var env style if font-tech font-format
    """.split()  # noqa: SIM905
)
"""Functions whose strings are words. Strings of functions that are not listed anywhere here are emptied."""
_MAYBE = re.compile(r"url|src|image|import|cross-fade|\\", re.IGNORECASE)
_PARTNERS = {")": "(", "]": "[", "}": "{"}
_BLANK = re.compile(r"[ \t\n]*")
_PREFIX = re.compile(r"[ \t\n]*[\w-]*[ \t\n]*")
_SURE = (
    "\xb7\xc0-\xd6\xd8-\xf6\xf8-\u037d\u037f-\u1fff\u200c\u200d\u203f\u2040\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff"
    "\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U0010ffff"
)
_ESCAPE_OR_DISPUTED = re.compile(rf"\\[0-9A-Fa-f]{{1,6}}[ \t\n]?|\\?[^\x00-\x7f{_SURE}]|\\.", re.DOTALL)
"""Signs that were part of names until the list of CSS Syntax 3 §4.2 became shorter; as escapes they are for all."""
_UNQUOTED = frozenset(" !#$%&()*+,-./:;=?@[]^_`{|}~")


class Address(Struct, frozen=True, gc=False):
    """Where a sheet names a file; "" where which one cannot be told. `sheet` where that is to be read as a sheet."""

    value: str
    sheet: bool = False


def urls(css: str) -> list[str]:
    """The addresses in a style sheet as written, each once, in order; data: addresses are no files."""
    if not _MAYBE.search(css):
        return []
    written = (piece.value.strip() for piece in pieces(css) if isinstance(piece, Address))
    return list(dict.fromkeys(url for url in written if url and url[:5].lower() != "data:"))


def pieces(css: str) -> Iterator[str | Address]:
    """A sheet in pieces: what was written, without comments, and addresses. With each of those put as `url("…")` they
    are a sheet again that means the same."""
    sheet = list(tokens(css))
    ends, parents = _nested(sheet)
    at = 0
    while at < len(sheet):
        token, end = sheet[at], at
        if token.kind == "function" and token.value in _NAMING:
            end = ends[at]
            yield _named(sheet[at + 1 : end])
        elif token.kind == "function" and token.value in _PICTURES:
            end = ends[at]
            yield from _pictures(sheet, at, ends, parents)
        elif token.kind == "at" and (following := _following(sheet, at)) > at:
            end = ends.get(following, following)
            for each in sheet[at:following]:
                yield from _plain(each, "")
            yield from _ruled(token.value, sheet[following : end + 1])
        else:
            yield from _plain(token, parents.get(at, ""))
        at = end + 1


def quoted(text: str) -> str:
    """A text as the inside of a string, in any sheet and any element."""
    return "".join(sign if sign.isalnum() or sign in _UNQUOTED else f"\\{ord(sign):x} " for sign in text)


def _nested(sheet: list[Token]) -> tuple[dict[int, int], dict[int, str]]:
    """Where each bracket and function ends, and in what each string stands: the name of a function, or "". A bracket
    that closes nothing is a sign like others (CSS Syntax 3 §5.4.7)."""
    ends: dict[int, int] = {}
    parents: dict[int, str] = {}
    still_open: list[int] = []
    for at, token in enumerate(sheet):
        if token.kind in ("open", "function"):
            ends[at] = len(sheet)
            still_open.append(at)
        elif token.kind == "close" and still_open and sheet[still_open[-1]].text[-1] == _PARTNERS[token.text]:
            ends[still_open.pop()] = at
        elif token.kind == "string" and still_open:
            parents[at] = sheet[still_open[-1]].value
    return ends, parents


def _named(inside: list[Token]) -> Address:
    """What `url(` with a string says; anything but a string, as in `src(var(--x))`, may be any address."""
    said = next((token for token in inside if token.kind not in ("space", "comment")), None)
    return Address(said.value if said is not None and said.kind == "string" else "")


def _pictures(sheet: list[Token], start: int, ends: dict[int, int], parents: dict[int, str]) -> Iterator[str | Address]:
    inside = range(start + 1, min(ends[start] + 1, len(sheet)))
    if any(sheet[at].kind == "function" and sheet[at].value not in _BESIDE for at in inside):
        yield Address("")
        return
    yield sheet[start].text
    done = start
    for at in inside:
        token = sheet[at]
        if at <= done:
            continue
        if token.kind == "function" and token.value in _NAMING:
            done = ends[at]
            yield _named(sheet[at + 1 : done])
        elif token.kind == "string" and parents.get(at, "") != "type":
            yield Address(token.value)
        else:
            yield from _plain(token, "")


def _following(sheet: list[Token], at: int) -> int:
    """The place of the address behind `@import`, or behind `@namespace` and a prefix; its own where none is."""
    passed = {"import": _BLANK, "namespace": _PREFIX}.get(sheet[at].value)
    if passed is None:
        return at
    following = at + 1
    while following < len(sheet) and (
        sheet[following].kind == "comment" or passed.fullmatch(sheet[following].text) is not None
    ):
        following += 1
    found = sheet[following] if following < len(sheet) else sheet[at]
    named = found.kind == "function" and found.value in _NAMING
    return following if named or found.kind in ("string", "url") else at


def _ruled(rule: str, inside: list[Token]) -> Iterator[str | Address]:
    """What `@import` asks for is a sheet; what `@namespace` names is no file, and stays as a string."""
    named = _named(inside[1:]) if inside[0].kind == "function" else Address(inside[0].value)
    yield Address(named.value, sheet=True) if rule == "import" else f'"{quoted(named.value)}"'


def _plain(token: Token, parent: str) -> Iterator[str | Address]:
    match token.kind:
        case "url":
            yield Address(token.value)
        case "bad url":
            yield Address("")
        case "comment":
            yield "/**/"  # two names with a comment between them are two names
        case "string":
            known = not parent or parent in _WORDS or parent.startswith("--")
            yield token.text if known else '""'
        case "name" | "function" | "at" if not token.text.isascii():
            yield _ESCAPE_OR_DISPUTED.sub(_escaped, token.text)
        case _:
            yield token.text


def _escaped(found: re.Match[str]) -> str:
    text = found[0]
    return text if text.isascii() else f"\\{ord(text[-1]):x} "
