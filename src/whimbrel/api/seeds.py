"""Seeds as people write them."""

import re
from collections.abc import Iterable

from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.urls.normal import normalise

_USER_INFO = re.compile(r"//[^/?#]*@")


class SeedError(Exception):
    """A seed that is no URL; the message says which and why."""


def read_seeds(texts: Iterable[str]) -> list[Url]:
    """One may leave the scheme out."""
    seeds: dict[Url, None] = {}
    for text in texts:
        url = normalise(_with_scheme(text.strip()))
        if isinstance(url, Verdict):
            advice = "" if "write it" in url.reason else " Write it like https://example.org/docs/."
            shown = _USER_INFO.sub("//", text.strip())
            raise SeedError(f"{shown!r} cannot be a seed: {url.reason}.{advice}")
        seeds[url] = None
    return list(seeds)


def _with_scheme(text: str) -> str:
    if "://" in text or not text or ":" in text.split("/")[0].rpartition(":")[0]:
        return text
    name = text.split("/")[0].partition(":")[0]
    if not text[0].isalnum() or not ("." in name or name == "localhost"):
        return text
    local = name == "localhost" or name.replace(".", "").isdigit()
    return f"{'http' if local else 'https'}://{text}"
