"""The normal form of a URL: the WHATWG URL standard first, then RFC 3986 §6.2.2 on what it leaves open.

The standard (by ada) lower-cases scheme and host, maps international names to their `xn--` spelling, drops
the default port, resolves dot segments (`%2e%2e` too) and gives an empty path its `/`. Ours on top: no
fragment, no user info, escaped unreserved characters decoded, the remaining escapes in upper case.
"""

import re

from ada_url import check_url, join_url, normalize_url
from msgspec import Struct
from xxhash import xxh3_64_intdigest

from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict, refused

RULE = "url"

DEFAULT_DOCUMENTS = frozenset(
    f"{name}.{extension}"
    for name in ("index", "default")
    for extension in ("html", "htm", "shtml", "xhtml", "php", "asp", "aspx", "jsp")
)

_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_ESCAPE_OR_REST = re.compile(r"%[0-9A-F]{2}|[^%]+|%")
_SCHEME = re.compile(r"[\x00-\x20]*([A-Za-z][A-Za-z0-9+.-]*):")


def _spellings(decodable: str) -> dict[str, str]:
    """Every way to write an escape, and what becomes of it when the characters of `decodable` are decoded."""
    normal = {}
    for code in range(256):
        upper = f"%{code:02X}"
        kept = chr(code) if chr(code) in decodable else upper
        high, low = upper[1], upper[2]
        for first in {high, high.lower()}:
            for second in {low, low.lower()}:
                normal[f"%{first}{second}"] = kept
    return normal


_DECODED = _spellings(_UNRESERVED)
# Beside a stray "%" a decoded hex digit could complete a new escape ("%%341" -> "%41" -> "A"): a URL that
# has one keeps its escaped hex digits.
_DECODED_BESIDE_STRAY = _spellings("".join(c for c in _UNRESERVED if c not in "0123456789ABCDEFabcdef"))


def href(text: str, base: str | None = None) -> str | Verdict:
    """The URL as the WHATWG standard writes it, of any scheme, or a refusal where the standard says failure."""
    try:
        return normalize_url(text) if base is None else join_url(base, text)
    except ValueError:
        whole_text = _with_whole_characters(text)
        whole_base = None if base is None else _with_whole_characters(base)
        if whole_text != text or whole_base != base:
            return href(whole_text, whole_base)
        return refused(RULE, _why_not(text, base))


def normalise(text: str, base: str | None = None) -> Url | Verdict:
    """The normal form of `text`, read relative to `base` where there is one."""
    plain = href(text, base)
    if not isinstance(plain, str):
        return plain
    if not plain.startswith(("http://", "https://")):
        scheme = plain[: plain.index(":")][:40]
        return refused(RULE, f"scheme {scheme} is neither http nor https")
    return _normal_form(plain)


def _normal_form(plain: str) -> Url:
    fragment = plain.find("#")
    if fragment >= 0:
        plain = plain[:fragment]
    plain = without_user_info(plain)
    if "%" in plain:
        spelling = _DECODED_BESIDE_STRAY if _STRAY_PERCENT.search(plain) else _DECODED
        plain = _ESCAPE.sub(lambda escape: spelling[escape[0]], plain)
    return Url(plain)


def without_user_info(plain: str) -> str:
    """An http(s) href without name and password; inside them the standard escapes "/" and "@"."""
    if "@" not in plain:
        return plain
    start = plain.index("//") + 2
    end = plain.index("/", start)
    return plain[:start] + plain[start:end].rpartition("@")[2] + plain[end:]


def _with_whole_characters(text: str) -> str:
    """Lone surrogates become U+FFFD, as the standard's strings of scalar values demand (Infra §4.6)."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _why_not(text: str, base: str | None) -> str:
    """The text itself stays out of the reason: it may hold a password."""
    if base is not None and not check_url(base):
        return "not a URL: the base it is relative to is not a URL itself"
    scheme = _SCHEME.match(text)
    if scheme is None:
        if base is None:
            return "not a URL: it has no scheme; write it in full, like https://example.org/"
        return "not a URL: it cannot be read relative to this base"
    if scheme[1].lower() not in ("http", "https"):
        return f"not a URL: what follows {scheme[1][:40]}: is malformed"
    if text[scheme.end() :].strip("/\\ \t\r\n")[:1] in ("", "?", "#"):
        return "not a URL: it has no host"
    return "not a URL: its host or port is malformed"


def key(url: Url) -> int:
    """xxh3-64 of the URL as a signed number, which is what an SQLite INTEGER holds."""
    return (xxh3_64_intdigest(url.encode()) ^ 0x8000_0000_0000_0000) - 0x8000_0000_0000_0000


def authority(url: Url) -> str:
    """Host, and port where it is not the scheme's default."""
    # A host has at least one character, so the path's slash is never before the ninth.
    return url[url.index("/") + 2 : url.index("/", 8)]


def host(url: Url) -> str:
    """Host without port; an IPv6 address keeps its brackets."""
    name = url[url.index("/") + 2 : url.index("/", 8)]
    colon = name.rfind(":")
    return name if colon < 0 or name[-1] == "]" else name[:colon]


def origin(url: Url) -> str:
    """Scheme, host and port: what one robots.txt speaks for."""
    return url[: url.index("/", 8)]


class Rewrites(Struct, frozen=True):
    """What a site's owner can vouch for. Off by default: each can merge pages that differ."""

    lower_path: bool = False
    drop_trailing_slash: bool = False
    drop_default_document: bool = False


NO_REWRITES = Rewrites()


def rewrite(url: Url, rewrites: Rewrites) -> Url:
    """`url` after the chosen rewrites; doing it twice changes nothing."""
    if rewrites == NO_REWRITES:
        return url
    site = origin(url)
    path, mark, query = url[len(site) :].partition("?")
    if rewrites.lower_path:
        path = _lower(path)
    shorter = _shorten(path, rewrites)
    while shorter != path:
        path, shorter = shorter, _shorten(shorter, rewrites)
    return Url(site + path + mark + query)


def _lower(path: str) -> str:
    return _ESCAPE_OR_REST.sub(lambda part: part[0] if part[0][0] == "%" else part[0].lower(), path)


def _shorten(path: str, rewrites: Rewrites) -> str:
    if rewrites.drop_default_document:
        directory, slash, document = path.rpartition("/")
        if document in DEFAULT_DOCUMENTS:
            path = directory + slash
    if rewrites.drop_trailing_slash:
        path = path.rstrip("/") or "/"
    return path
