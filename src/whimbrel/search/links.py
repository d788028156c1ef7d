"""Numbers for links: one for a target and what a link calls it, counted up from 1."""

from array import array
from collections.abc import Iterable

from xxhash import xxh3_64_intdigest

from whimbrel.records.url import Url
from whimbrel.search.link_numbers import LinkNumbers
from whimbrel.urls.normal import key as key_of

MEMO_LINKS = 50_000
_ALL_BITS = (1 << 64) - 1


class Links(dict[tuple[Url, str], int]):
    """A memo of links met lately: most links of a site are on many of its pages. Behind it, the numbers of all links by
    their digests. `known` are (hash, number) of whatever the book holds."""

    def __init__(self, digests: LinkNumbers, known: Iterable[tuple[int, int]]) -> None:
        super().__init__()
        self._digests = digests
        self._last = 0
        for digest, number in known:
            self._last = max(self._last, number)
            if digest:  # a dropped text keeps its number and has no hash
                digests.number(digest & _ALL_BITS, number)
        self._new: list[tuple[int, int, int, str]] = []
        self._fresh: set[int] = set()

    def numbers(self, urls: Iterable[Url], texts: Iterable[str]) -> bytes:
        """Those of links on one page, each once, four bytes each."""
        return array("I", sorted(set(map(self.__getitem__, zip(urls, texts, strict=True))))).tobytes()

    def take_new(self) -> tuple[list[tuple[int, int, int, str]], set[int]]:
        """Links that were met for the first time since this was asked, as rows of `anchor`, and their targets."""
        new, fresh = self._new, self._fresh
        self._new, self._fresh = [], set()
        return new, fresh

    def __missing__(self, link: tuple[Url, str]) -> int:
        url, text = link
        target = key_of(url)
        digest = xxh3_64_intdigest(text.encode("utf-8", "replace"), target & _ALL_BITS) or 1
        number = self._digests.number(digest, self._last + 1)
        if number > self._last:
            self._last = number
            self._new.append((target, number, digest - (1 << 64) if digest >> 63 else digest, text))
            self._fresh.add(target)
        if len(self) >= MEMO_LINKS:
            self.clear()
        self[link] = number
        return number
