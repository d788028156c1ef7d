"""What stays the same while a URL counts on.

A pattern is the host and path with digit runs written `#` and random tokens `~`, and the sorted names of the
parameters without their values: `h.org/calendar.php?time`. A URL with nothing variable in it has no pattern.
"""

import re
from enum import IntEnum
from functools import lru_cache

import xxhash

from whimbrel.records.url import Url

_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_NO_WORDS = bytes(byte for byte in range(128) if byte not in _LETTERS)

_VARIABLE = re.compile(r"[0-9?;]")
_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTHS = frozenset(month[:length] for month in _MONTH_NAMES for length in (3, 4, 9))
_UUID = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
# ASP.NET writes its sessions into the path as (S(token)).
_WORDS = re.compile(r"\([sS]\([0-9a-z]+\)\)|[0-9A-Za-z]{8,}")
_HEXADECIMAL = frozenset("0123456789abcdefABCDEF")
_MIXED = re.compile("[A-Za-z]*[0-9]+[A-Za-z]+[0-9]+[A-Za-z]+[0-9]")
_MIXED_LENGTH = 16
_DIGITS = re.compile("[0-9]+")

# Names that servers and shops give to sessions; "sid" and "session" also name stories and talks.
_SURE = r"jsessionid|phpsessid|aspsessionid[a-z]*|oscsid|zenid|cftoken"
_MAYBE = r"sid|ssid|sess|sessid|session|session_?id|s_id|token"
_SESSION = re.compile(rf"(?<=[?&;])(?:(?P<sure>{_SURE})|(?P<maybe>{_MAYBE}))=[^&;?/#]*", re.IGNORECASE)


def shape(text: str) -> int:
    """A 64-bit hash of a page's words alone: pages that differ only in numbers and dates in figures agree."""
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass").translate(None, _NO_WORDS))


def pattern(url: Url) -> str:
    """The URL's pattern, or "" where nothing in it is variable: no query, no parameter, no digit."""
    start = url.find("/", 8)
    if start < 0 or _VARIABLE.search(url, start) is None:
        return ""
    return _pattern(url, start)


# A page's new links are looked at when it is judged and again when they are.
@lru_cache(maxsize=1024)
def _pattern(url: Url, start: int) -> str:
    path, _, query = url[start:].partition("?")
    host = url[url.index("//") + 2 : start]
    path, *parameters = path.split(";")
    collapsed = host + _collapse(path)
    if query:
        parameters += query.replace(";", "&").split("&")
    if not parameters:
        return collapsed
    names = {_DIGITS.sub("#", parameter.partition("=")[0]) for parameter in parameters if parameter}
    return f"{collapsed}?{'&'.join(sorted(names))}"


def place(url: Url) -> str:
    """The host and the first directory of the path, collapsed: the corner of the site the URL lies in."""
    start = url.find("/", 8)
    path = url[start:].partition("?")[0].partition(";")[0]
    end = path.find("/", 1)
    corner = path[: end + 1] if end > 0 else "/"
    return url[url.index("//") + 2 : start] + _collapse(corner)


class Certainty(IntEnum):
    """How surely the blanked part of a URL is a session id."""

    RANDOM = 0
    NAMED = 1
    SURE = 2


@lru_cache(8192)  # asked when a URL is found, tried, judged and begun
def copies(url: Url) -> tuple[str, Certainty]:
    """The URL with its session ids and random tokens blanked, and how surely they are session ids.

    URLs that agree in this are copies of one page if the blanked part is a session's; "" where the URL has
    no such part.
    """
    start = url.find("/", 8)
    if start < 0 or _VARIABLE.search(url, start) is None:
        return "", Certainty.RANDOM
    tail, certainty = url[start:], Certainty.RANDOM
    blanked = _blank_tokens(tail)
    if "=" in tail:
        found = _SESSION.search(tail)
        if found is not None:
            certainty = Certainty.SURE if found["sure"] else Certainty.NAMED
            blanked = _SESSION.sub(lambda match: (match["sure"] or match["maybe"]) + "=~", blanked)
    if blanked == tail:
        return "", certainty
    return url[url.index("//") + 2 : start] + blanked, certainty


def ids(url: Url) -> tuple[str, ...]:
    """The random tokens in a URL; none where one of them is named as a session's."""
    if not copies(url)[0] or _SESSION.search(url, start := url.index("/", 8)) is not None:
        return ()
    rest = _UUID.sub("", url[start:])
    return (*_UUID.findall(url, start), *(word[0] for word in _WORDS.finditer(rest) if _blank(word) == "~"))


def parameters(pattern: str) -> str:
    """The names of a pattern's parameters, joined by "&"; "" where it has none."""
    return pattern.partition("?")[2]


def _collapse(path: str) -> str:
    path = _blank_tokens(path)
    if not _MONTHS.isdisjoint(path.lower().split("/")):
        path = "/".join("#" if segment.lower() in _MONTHS else segment for segment in path.split("/"))
    return _DIGITS.sub("#", path)


def _blank_tokens(text: str) -> str:
    if text.count("-") >= 4:
        text = _UUID.sub("~", text)
    return _WORDS.sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    """`~` for a token: both kinds of hexadecimal digits, or letters and digits that keep changing places."""
    word = match[0]
    if word.isalpha() or word.isdigit():
        return word
    if word[0] == "(" or _HEXADECIMAL.issuperset(word):
        return "~"
    return "~" if len(word) >= _MIXED_LENGTH and _MIXED.match(word) else word
