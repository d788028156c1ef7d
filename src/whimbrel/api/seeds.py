"""Seeds as people write them."""

import re
from collections.abc import Iterable

from msgspec import Struct

from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.urls.normal import normalise, origin

_USER_INFO = re.compile(r"//[^/?#]*@")


class SeedError(Exception):
    """A seed that is no URL; the message says which and why."""


class Named(Struct, frozen=True):
    """Seeds in normal form. `assumed` are the origins whose https nobody wrote."""

    seeds: list[Url]
    assumed: list[str]


def read_seeds(texts: Iterable[str]) -> list[Url]:
    return read_named(texts).seeds


def read_named(texts: Iterable[str]) -> Named:
    """One may leave the scheme out."""
    seeds: dict[Url, bool] = {}
    for text in texts:
        written = _with_scheme(text.strip())
        url = normalise(written)
        if isinstance(url, Verdict):
            advice = "" if "write it" in url.reason else " Write it like https://example.org/docs/."
            shown = _USER_INFO.sub("//", text.strip())
            raise SeedError(f"{shown!r} cannot be a seed: {url.reason}.{advice}")
        seeds[url] = written != text.strip() and url.startswith("https:")
    said = {origin(url) for url, assumed in seeds.items() if not assumed}
    return Named(list(seeds), sorted({origin(url) for url, assumed in seeds.items() if assumed} - said))


def _with_scheme(text: str) -> str:
    if "://" in text or not text or ":" in text.split("/")[0].rpartition(":")[0]:
        return text
    name = text.split("/")[0].partition(":")[0]
    if not text[0].isalnum() or not ("." in name or name == "localhost"):
        return text
    local = name == "localhost" or name.replace(".", "").isdigit()
    return f"{'http' if local else 'https'}://{text}"
