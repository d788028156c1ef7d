"""The visible texts of pages that were found, unpacked only as far as they are looked at.

Nine snippets of ten are cut from the first kilobytes of a page, and the longest pages are hundreds of kilobytes.
"""

from collections.abc import Iterable
from pathlib import Path

from whimbrel.search.book import Row
from whimbrel.search.gathering import beginning_of, text_of
from whimbrel.search.papers import texts as paper_texts
from whimbrel.search.snippets import MOST_CHARACTERS, Highlighter, Pieces
from whimbrel.search.source import Source

FIRST_BYTES = 8_000
LONGEST_CHARACTER = 4
"""In bytes: where a text was cut, so much may be missing of the last one."""


class Texts:
    """Of these pages; "" for one that the repository no longer holds."""

    def __init__(self, folder: Path, source: Source, rows: Iterable[Row]) -> None:
        versions = {row.key: row.version for row in rows}
        readings = source.readings(versions.values())
        self._packed = {key: readings[version] for key, version in versions.items() if version in readings}
        others = {key: version for key, version in versions.items() if key not in self._packed}
        places = source.places(others.values()) if others else {}
        digests = {key: places[version].digest for key, version in others.items() if version in places}
        self._papers = paper_texts(folder, digests)

    def whole(self, key: int) -> str:
        packed = self._packed.get(key)
        return text_of(packed) if packed is not None else self._papers.get(key, "")

    def snippet(self, key: int, highlighter: Highlighter) -> Pieces:
        """From the beginning where enough of what was asked for stands together there, else from wherever most does."""
        text = self._beginning(key, FIRST_BYTES)
        found = highlighter.stretch(text)
        if not found.enough and len(text.encode()) >= FIRST_BYTES - LONGEST_CHARACTER:
            found = highlighter.stretch(self._beginning(key, MOST_CHARACTERS))
        return found.pieces

    def _beginning(self, key: int, most_bytes: int) -> str:
        packed = self._packed.get(key)
        return beginning_of(packed, most_bytes) if packed is not None else self._papers.get(key, "")[:most_bytes]
