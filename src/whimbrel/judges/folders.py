"""What a link promises by the folder it leads into: how often pages of that folder were wanted."""

from collections.abc import Iterable
from typing import TypeAlias
from urllib.parse import urlsplit

import msgspec

from whimbrel.records.request import Fitted
from whimbrel.records.url import Url

FITTED_EVERY = 20
"""Pages after which what was learned is worth being kept."""
REMEMBERED = 10_000
UNKNOWN = 0.5
"""What a link promises into a folder of which no page was seen."""

_Counts: TypeAlias = dict[str, tuple[int, int]]

_counts = msgspec.msgpack.Decoder(_Counts)


class FolderCounts:
    """Pages that were wanted, and all pages, by folder."""

    def __init__(self, before: Iterable[tuple[int, bytes]]) -> None:
        """`before` are counts of earlier runs, each with the number of pages they rest on: the one with the most
        counts."""
        self._pages, packed = max(before, default=(0, b""))
        self._counts: _Counts = _read(packed)
        self._fit: tuple[bytes, int] | None = None

    def note(self, url: Url, wanted: bool) -> None:
        self._count(_folder(url), wanted)
        self._pages += 1
        if self._pages % FITTED_EVERY == 0:
            self._fit = (msgspec.msgpack.encode(self._counts), self._pages)

    def _count(self, folder: str, wanted: bool) -> None:
        if folder in self._counts or len(self._counts) < REMEMBERED:
            had, pages = self._counts.get(folder, (0, 0))
            self._counts[folder] = (had + wanted, pages + 1)

    def promise(self, url: Url) -> float:
        had, pages = self._counts.get(_folder(url), (0, 0))
        return (had + UNKNOWN) / (pages + 1)

    def fitted(self, requests: Iterable[int]) -> list[Fitted]:
        """What was learned for these since it was asked for last."""
        fit, self._fit = self._fit, None
        return [] if fit is None else [Fitted(number, *fit) for number in requests]


def _read(packed: bytes) -> _Counts:
    try:
        return _counts.decode(packed) if packed else {}
    except msgspec.DecodeError:
        return {}


def _folder(url: Url) -> str:
    parts = urlsplit(url)
    return f"{parts.netloc}{parts.path.rpartition('/')[0]}"
