"""The pages that a search endpoint answers with: OpenSearch's RSS or Atom, or JSON as most endpoints have it.

In JSON results are objects that name their page as `url`, `link` or `href`, in a list or in lists within objects
(`{"results": […]}`, `{"web": {"results": […]}}`): the longest such list counts.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from whimbrel.parse.sitemaps import read_sitemap
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict, refused
from whimbrel.urls.normal import normalise

RULE = "endpoint"
MOST_DEEP = 6
_NAMES = ("url", "link", "href")


def pages_answered(body: bytes, asked: Url, now: float) -> list[Url] | Verdict:
    """Each once, in the order of the answer; `asked` is what it was the answer to."""
    start = body[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:1] in (b"{", b"["):
        try:
            read = msgspec.json.decode(body)
        except (msgspec.DecodeError, RecursionError) as error:
            return refused(RULE, f"it is no JSON: {error}")
        lists = [_named(one) for one in _lists(read, 0)]
        urls = (normalise(text, asked) for text in max(lists, key=len, default=[]))
        return list(dict.fromkeys(url for url in urls if not isinstance(url, Verdict)))
    if start[:1] != b"<" or start[:14].lower().startswith((b"<!doctype html", b"<html")):
        return refused(RULE, "it is neither JSON nor the RSS or Atom of OpenSearch")
    listed = read_sitemap(body, asked, now)
    return listed if isinstance(listed, Verdict) else [one.url for one in (*listed.urls, *listed.foreign)]


def _lists(read: Any, deep: int) -> Iterator[list[Any]]:
    if isinstance(read, list):
        yield read
    elif isinstance(read, dict) and deep < MOST_DEEP:
        for value in read.values():
            yield from _lists(value, deep + 1)


def _named(results: list[Any]) -> list[str]:
    found = []
    for one in results:
        texts = (one.get(name) for name in _NAMES) if isinstance(one, dict) else ()
        found += [text for text in texts if isinstance(text, str)][:1]
    return found
