"""The files a style sheet asks for (CSS Syntax Level 3 §4.3, read for `url(…)` and `@import` only)."""

import re

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
# Every repetition is possessive: a long run of blanks or an open quote is read once, not once for each start.
_STRING = r""""((?:[^"\\\n]|\\.)*+)"|'((?:[^'\\\n]|\\.)*+)'"""
_BARE = r"""((?:[^\s"'()\\]|\\[0-9A-Fa-f]{1,6}\s?|\\.)*+)"""
_URL = re.compile(rf"url\(\s*+(?:{_STRING}|{_BARE})\s*+\)|@import\s++(?:{_STRING})", re.IGNORECASE | re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9A-Fa-f]{1,6})\s?|\n|(.))", re.DOTALL)


def urls(css: str) -> list[str]:
    """The addresses in a style sheet as written, each once, in order; data: addresses are no files."""
    if "/*" in css:
        css = _COMMENT.sub(" ", css)
    written = (_unescape(next(filter(None, found), "")) for found in _URL.findall(css))
    return list(dict.fromkeys(url for url in written if url and url[:5].lower() != "data:"))


def _unescape(text: str) -> str:
    return _ESCAPE.sub(_character, text).strip() if "\\" in text else text.strip()


def _character(escape: re.Match[str]) -> str:
    if not escape[1]:
        return escape[2] or ""
    code = int(escape[1], 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
