"""What a sitemap lists (sitemaps.org protocol 0.9): urlset, index, plain text, RSS and Atom, each perhaps compressed.

Any bytes give a `Sitemap` or a refusal, in time and memory that grow with their number and not faster. What was left
out is said in the notes: what lies beyond 50,000 URLs or 50 MB, moments in the future, nonsense, the rest of a broken
file. A host speaks for itself only: URLs of other hosts are kept apart, for a caller that knows whether their
robots.txt names this sitemap (the protocol's cross submission).
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from whimbrel.parse.charset import canonical
from whimbrel.parse.sitemap_xml import Refused, SitemapEntry, walk
from whimbrel.parse.written_dates import unix_seconds
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict, refused
from whimbrel.urls.normal import host, normalise

Kind = Literal["urlset", "index", "text", "rss", "atom"]

RULE = "sitemap"
CHANGE_FREQUENCIES = ("always", "hourly", "daily", "weekly", "monthly", "yearly", "never")
MOST_URLS = 50_000
MOST_BYTES = 50 * 1024 * 1024

_GZIP = b"\x1f\x8b"
_COATS = 2
_CHUNK = 1 << 16
_DAY = 86_400.0
# Sitemaps date from 2005 and pages from 1991: what is older is a clock at nought.
_EARLIEST = 662_688_000.0
_LONGEST_URL = 8192
# Entries that are read in all, those listed before or without a URL included, as a multiple of the URLs that count.
_REPEATS = 4
# ResourceSync (ANSI/NISO Z39.99) uses sitemaps for more than pages: these name other lists, of which those are read.
_LISTS_OF_LISTS = frozenset({"description", "capabilitylist"})
_LISTS = frozenset({"capabilitylist", "resourcelist", "changelist"})
_DUMPS = frozenset({"resourcedump", "changedump", "resourcedump-manifest", "changedump-manifest"})
_DECLARED = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")
_WIDE = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
    (b"<\x00", "utf-16-le"),
    (b"\x00<", "utf-16-be"),
)


class SitemapUrl(Struct, frozen=True):
    """One URL and what the sitemap says about it: `lastmod` in Unix seconds, `changefreq` "" where there is none."""

    url: Url
    lastmod: float | None = None
    changefreq: str = ""
    priority: float | None = None


class Sitemap(Struct, frozen=True):
    """What was read, each URL once, in the order of the file. The URLs of an index are sitemaps.

    `foreign` are those of other hosts; `notes` say what was left out and why, for a person.
    """

    kind: Kind
    urls: tuple[SitemapUrl, ...]
    foreign: tuple[SitemapUrl, ...]
    notes: tuple[str, ...]


class SitemapLimits(Struct, frozen=True):
    urls: int = MOST_URLS
    bytes: int = MOST_BYTES


PROTOCOL = SitemapLimits()


def read_sitemap(body: bytes, url: Url, now: float, limits: SitemapLimits = PROTOCOL) -> Sitemap | Verdict:
    """What `body`, fetched from `url`, lists, or why it is no sitemap. `now` tells which moments lie in the future."""
    notes: list[str] = []
    plain = _unpacked(body, limits.bytes, notes)
    text = _decoded(plain, notes)
    start = text[:1024].lstrip("\ufeff \t\r\n")
    if not start:
        return refused(RULE, "it is empty" if not text.strip() else "it begins with too much white space")
    gathering = _Gathering(url, now, limits.urls)
    if start[0] == "<":
        try:
            walked = walk(text.lstrip("\ufeff"), gathering.take)
        except Refused as reason:
            return refused(RULE, str(reason))
        if walked.kind is None:
            return refused(RULE, f"it is no sitemap or feed: {walked.broken or 'it has no root element'}")
        if walked.broken:
            notes.append(f"{walked.broken}: what stands before was taken")
        if walked.capability in _DUMPS:
            return refused(RULE, f"it lists packed copies of pages (ResourceSync: {walked.capability}), no pages")
        if walked.capability in _LISTS_OF_LISTS:
            gathering.keep_lists()
            return gathering.sitemap("index", notes)
        return gathering.sitemap(walked.kind, notes)
    return _text_sitemap(text, gathering, notes)


def _text_sitemap(text: str, gathering: "_Gathering", notes: list[str]) -> Sitemap | Verdict:
    lines = _lines(text)
    first = next(lines, "")
    if not first.lower().startswith(("http://", "https://")):
        return refused(RULE, "it is neither XML nor a list of URLs: its first line is no http(s) URL")
    if gathering.take(SitemapEntry(first, "", "", "")):
        for line in lines:
            if not gathering.take(SitemapEntry(line, "", "", "")):
                break
    return gathering.sitemap("text", notes)


def _lines(text: str) -> Iterator[str]:
    for found in re.finditer(r"[^\r\n]+", text):
        line = found[0][: _LONGEST_URL + 1].strip("\ufeff \t\x00")
        if line:
            yield line


class _Gathering:
    """The entries of one file, judged as they come."""

    def __init__(self, url: Url, now: float, most: int) -> None:
        self._url, self._host = url, _bare(host(url))
        self._latest = now + _DAY
        self._most = most
        self._own: dict[Url, SitemapUrl] = {}
        self._foreign: dict[Url, SitemapUrl] = {}
        self._lists: dict[Url, str] = {}
        self._left_out: Counter[str] = Counter()
        self._read = 0
        self._full = False

    def keep_lists(self) -> None:
        """Of what a description of lists names, the lists that are read here; packed copies are not."""
        for entries in (self._own, self._foreign):
            for url in [url for url in entries if self._lists.get(url) not in _LISTS]:
                del entries[url]
                self._left_out["ResourceSync lists of other kinds"] += 1

    def take(self, entry: SitemapEntry) -> bool:
        """False where there is no room: the reader may stop."""
        if len(self._own) + len(self._foreign) >= self._most or self._read >= _REPEATS * self._most:
            self._full = True
            return False
        self._read += 1
        if entry.further:
            self._left_out["further URLs in one entry"] += entry.further
        listed = self._listed(entry)
        if listed is not None:
            mine = self._own if _bare(host(listed.url)) == self._host else self._foreign
            if entry.capability:
                self._lists[listed.url] = entry.capability
            if entry.change and listed.url in mine:
                # A list of changes names a page as often as it changed; the last time counts.
                mine[listed.url] = max(mine[listed.url], listed, key=lambda one: one.lastmod or 0.0)
            elif listed.url in self._own or listed.url in self._foreign:
                self._left_out["URLs listed before"] += 1
            else:
                mine[listed.url] = listed
        return True

    def _listed(self, entry: SitemapEntry) -> SitemapUrl | None:
        if not entry.loc:
            self._left_out["entries without a URL"] += 1
            return None
        url = normalise(entry.loc, self._url) if len(entry.loc) <= _LONGEST_URL else None
        if url is None or isinstance(url, Verdict):
            self._left_out["texts that are no http(s) URL"] += 1
            return None
        return SitemapUrl(url, self._lastmod(entry.lastmod), self._changefreq(entry.changefreq), self._priority(entry))

    def _lastmod(self, written: str) -> float | None:
        if not written:
            return None
        moment = unix_seconds(written)
        if moment is None or moment < _EARLIEST:
            self._left_out["lastmod that name no moment"] += 1
            return None
        # A day's grace: zones and clocks differ.
        if moment > self._latest:
            self._left_out["lastmod in the future"] += 1
            return None
        return moment

    def _changefreq(self, written: str) -> str:
        word = written.strip().lower()
        if word and word not in CHANGE_FREQUENCIES:
            self._left_out["changefreq that the protocol does not know"] += 1
            return ""
        return word

    def _priority(self, entry: SitemapEntry) -> float | None:
        if not entry.priority:
            return None
        try:
            value = float(entry.priority.replace(",", "."))
        except ValueError:
            value = -1.0
        if 0.0 <= value <= 1.0:
            return value
        self._left_out["priorities that are not between 0 and 1"] += 1
        return None

    def sitemap(self, kind: Kind, notes: list[str]) -> Sitemap:
        said = [*notes]
        if self._full:
            said.append(f"more than {self._most} URLs: the rest was not read")
        said += [f"{count} {what}: ignored" for what, count in self._left_out.items()]
        if self._foreign:
            said.append(
                f"{len(self._foreign)} URLs of other hosts: kept apart, a sitemap speaks for its own host unless the "
                "robots.txt of the other names it"
            )
        return Sitemap(kind, tuple(self._own.values()), tuple(self._foreign.values()), tuple(said))


def _bare(name: str) -> str:
    return name.removeprefix("www.")


def _unpacked(body: bytes, most: int, notes: list[str]) -> bytes:
    # A file that is compressed already is sometimes compressed again by its server.
    for _ in range(_COATS):
        if not body.startswith(_GZIP):
            break
        body = _gunzipped(body, most, notes)
    if len(body) > most:
        notes.append(f"larger than {most} bytes: the rest was not read")
    return body[:most]


def _gunzipped(packed: bytes, most: int, notes: list[str]) -> bytes:
    """At most one byte more than `most`, so that the caller sees that there was more."""
    plain = bytearray()
    while packed.startswith(_GZIP) and len(plain) <= most:
        member = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            while packed and not member.eof and len(plain) <= most:
                plain += member.decompress(packed, min(_CHUNK, most + 1 - len(plain)))
                packed = member.unconsumed_tail
        except zlib.error as error:
            notes.append(f"damaged gzip ({error}): what could be unpacked was taken")
            break
        if not member.eof and len(plain) <= most:
            notes.append("truncated gzip: what could be unpacked was taken")
        packed = member.unused_data
    return bytes(plain)


def _decoded(body: bytes, notes: list[str]) -> str:
    for mark, codec in _WIDE:
        if body.startswith(mark):
            return body.decode(codec, "replace")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        cut = problem.start >= len(body) - 3
    if cut:
        return body.decode("utf-8-sig", "ignore")
    declared = _DECLARED.match(body.lstrip()[:300])
    name = declared[1].decode("ascii") if declared else ""
    known = canonical(name) if name else ""
    if known and not known.upper().startswith("UTF"):
        return body.decode(f"whatwg-{name}", "replace")
    notes.append(f"the bytes are not {name or 'UTF-8'}: read as windows-1252")
    return body.decode("cp1252", "replace")
