"""Numbers for links: one for a target and what a link calls it, counted up from 1."""

from array import array
from collections.abc import Iterable

from xxhash import xxh3_64_intdigest

from whimbrel.records.url import Url
from whimbrel.urls.normal import key as key_of

MEMO_LINKS = 300_000
_ALL_BITS = (1 << 64) - 1


class Links(dict[tuple[Url, str], int]):
    """A memo of links met lately: most links of a site are on many of its pages. Behind it, the numbers of all links,
    as (hash, number) of whatever the book holds."""

    def __init__(self, known: Iterable[tuple[int, int]]) -> None:
        super().__init__()
        # A dropped text keeps its number under a hash that no link has, so that counting up stays right.
        self._numbers = {(seal & _ALL_BITS) if seal else -number: number for seal, number in known}
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
        seal = xxh3_64_intdigest(text.encode("utf-8", "replace"), target & _ALL_BITS)
        number = self._numbers.get(seal)
        if number is None:
            number = self._numbers[seal] = len(self._numbers) + 1
            self._new.append((target, number, seal - (1 << 64) if seal >> 63 else seal, text))
            self._fresh.add(target)
        if len(self) >= MEMO_LINKS:
            self.clear()
        self[link] = number
        return number
