"""Pages that were fetched but not of the kind asked for, kept where they are for the next request.

The shelf is bounded by count and by bytes. What goes first is the oldest page of the structure that has the most: a
later request for a rare structure is the one that a crawl would serve worst.
"""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from msgspec import Struct

from whimbrel.structure.shape import Shape, signature

PAGES = 2_000
BYTES = 64 << 20
_PATH_BYTES = 70
"""Of a shape in memory, a path: its number and its place in a set, measured with sys.getsizeof."""

Kept = TypeVar("Kept")


class Shelved(Struct, Generic[Kept], frozen=True):
    """A page on the shelf: its shape, to judge it again, and what to send home should it be wanted."""

    key: int
    shape: Shape
    kept: Kept
    size: int


class Shelf(Generic[Kept]):
    """Pages by their structure. A page that is put again replaces the copy before it."""

    def __init__(self, most_pages: int = PAGES, most_bytes: int = BYTES) -> None:
        self._most_pages, self._most_bytes = most_pages, most_bytes
        self._by_structure: dict[int, dict[int, Shelved[Kept]]] = {}
        self._structure_of: dict[int, int] = {}
        self.size = 0
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._structure_of)

    def __contains__(self, key: int) -> bool:
        return key in self._structure_of

    @property
    def structures(self) -> int:
        return len(self._by_structure)

    def put(self, key: int, shape: Shape, kept: Kept, size: int) -> bool:
        """Whether it is on the shelf now: a page larger than the shelf is not, nor one without a structure."""
        self.take(key)
        whole = size + _PATH_BYTES * len(shape.paths)
        if shape.is_empty or whole > self._most_bytes or not self._most_pages:
            return False
        structure = signature(shape)
        self._by_structure.setdefault(structure, {})[key] = Shelved(key, shape, kept, whole)
        self._structure_of[key] = structure
        self.size += whole
        while len(self) > self._most_pages or self.size > self._most_bytes:
            self.take(self._to_drop())
            self.dropped += 1
        return key in self

    def take(self, key: int) -> Shelved[Kept] | None:
        """A page from the shelf, or None where it is not there."""
        structure = self._structure_of.pop(key, None)
        if structure is None:
            return None
        pages = self._by_structure[structure]
        taken = pages.pop(key)
        self.size -= taken.size
        if not pages:
            del self._by_structure[structure]
        return taken

    def search(self, matches: Callable[[Shape], bool]) -> Iterator[Shelved[Kept]]:
        """The pages that match, taken off the shelf; rare structures first."""
        for pages in sorted(self._by_structure.values(), key=len):
            for page in list(pages.values()):
                if matches(page.shape):
                    self.take(page.key)
                    yield page

    def _to_drop(self) -> int:
        fullest = max(self._by_structure.values(), key=len)
        return next(iter(fullest))
