"""`check sitemap`: what a sitemap or feed lists, and what was left out of it."""

import binascii
from base64 import b64decode
from collections.abc import Mapping
from time import time

from whimbrel.parse.sitemaps import SitemapUrl, read_sitemap
from whimbrel.records.verdict import Verdict
from whimbrel.urls.normal import normalise

SEND = 'send {"body_b64": "aHR0cHM6Ly9leGFtcGxlLm9yZy9h", "url": "https://example.org/sitemap.txt"}'


def check_sitemap(line: Mapping[str, object]) -> dict[str, object]:
    """`{body_b64, url}` to `{kind, urls, foreign, notes}`, or to `{error, reason}` where it is no sitemap.

    `lastmod` is in Unix seconds.
    """
    if not isinstance(line, Mapping):
        return {"error": f"not a JSON object: {SEND}"}
    encoded, address = line.get("body_b64"), line.get("url")
    if not isinstance(encoded, str):
        return {"error": f'"body_b64" must be the file in Base64: {SEND}'}
    if not isinstance(address, str):
        return {"error": f'"url" must be a text: {SEND}'}
    try:
        body = b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as problem:
        return {"error": f'"body_b64" is not Base64 ({problem}): {SEND}'}
    url = normalise(address, None)
    if isinstance(url, Verdict):
        return {"error": f'"url": {url.reason}: {SEND}'}
    sitemap = read_sitemap(body, url, time())
    if isinstance(sitemap, Verdict):
        return {"error": "not a sitemap", "reason": sitemap.reason}
    return {
        "kind": sitemap.kind,
        "urls": [_entry(listed) for listed in sitemap.urls],
        "foreign": [_entry(listed) for listed in sitemap.foreign],
        "notes": list(sitemap.notes),
    }


def _entry(listed: SitemapUrl) -> dict[str, object]:
    return {
        "url": listed.url,
        "lastmod": listed.lastmod,
        "changefreq": listed.changefreq or None,
        "priority": listed.priority,
    }
