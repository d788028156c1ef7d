"""Which of the pages that answer are cited by others that do.

A manual that answers a question links to the page with the details, which need not say the words of the question. The
links lie in a file beside the index: a row a page, then where the links of each page lead, as positions of rows.
"""

import os
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from whimbrel.rank.graph import Numbers, Shares
from whimbrel.search.graph import Graph

FILE = "links.npy"
MOST_CITING = 200
"""Pages whose links are read: those whose words fit best."""

BY_ANY = 0.55
"""Of being cited: being linked to by whatever page."""

_LEAST_TEXT = 1e-9

_ROW = np.dtype([("key", np.int64), ("end", np.int64), ("linked", np.int64)])


class Citations:
    """Links between the pages of an index, as they were when the file was read."""

    def __init__(self, place: Path) -> None:
        self._path = place / FILE
        self._seen: tuple[int, int] | None = None
        self._take(np.zeros(0, _ROW), np.zeros(0, np.int32))

    def values(self, keys: Numbers, texts: Shares) -> Shares:
        """How much of these pages is cited, by those of them that fit and by whatever else: between 0 and 1.

        A link says more the fewer pages have it: the sum of the texts, each beside the best, of the pages that link to
        one of `linked` among all is weighed by how far the mean of so many, drawn by chance, would stray. A page that
        all link to, as to what a menu names, is cited by nobody. That it is linked to at all still tells a page of the
        manual from what was made beside it, as listings of source are.
        """
        self._refresh()
        if not len(self._keys) or not len(keys):
            return np.zeros(len(keys))
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        known = self._keys[places] == keys
        linked = np.where(known, self._linked[places], 0)
        others = max(1, len(self._keys) - 1)
        telling = np.sqrt(np.maximum(0.0, 1 / np.maximum(1, linked) - 1 / others))
        sums = self._sums(places, np.flatnonzero(known), texts / max(float(texts.max()), _LEAST_TEXT)) * telling
        answers = sums / max(1.0, float(sums.max()))
        return (1 - BY_ANY) * answers + BY_ANY * np.log1p(linked) / max(self._most_linked, _LEAST_TEXT)

    def _sums(self, places: Numbers, known: Numbers, texts: Shares) -> Shares:
        """What the texts of those that link to each of these pages come to."""
        by_place = known[np.argsort(places[known], kind="stable")]
        citing = known[np.argsort(-texts[known], kind="stable")[:MOST_CITING]]
        spans = [slice(*self._bounds[place : place + 2]) for place in places[citing].tolist()]
        links = np.concatenate([self._targets[span] for span in spans] or [self._targets[:0]])
        given = np.repeat(texts[citing], [span.stop - span.start for span in spans])
        at = np.searchsorted(places[by_place], links)
        inside = at < len(by_place)
        inside[inside] = places[by_place[at[inside]]] == links[inside]
        sums = np.zeros(len(places))
        sums[by_place] = np.bincount(at[inside], given[inside], len(by_place))
        return sums

    def _refresh(self) -> None:
        try:
            with self._path.open("rb") as file:
                state = os.fstat(file.fileno())
                seen = (state.st_mtime_ns, state.st_size)
                if seen != self._seen:
                    table = np.load(file, allow_pickle=False)
                    count = int(table["end"][-1]) if len(table) else 0
                    self._take(table, np.memmap(file, np.int32, "r", file.tell(), (count,)) if count else _NO_LINKS)
                    self._seen = seen
        except (OSError, ValueError, EOFError, IndexError):
            # Pages are not cited by any then; the next catch-up writes the file.
            self._take(np.zeros(0, _ROW), _NO_LINKS)
            self._seen = None

    def _take(self, table: NDArray[Any], targets: NDArray[np.int32]) -> None:
        self._keys: Numbers = np.ascontiguousarray(table["key"])
        self._bounds: Numbers = np.concatenate([[0], table["end"]])
        self._linked: Numbers = np.ascontiguousarray(table["linked"])
        self._most_linked = float(np.log1p(self._linked.max(initial=0)))
        self._targets = targets


_NO_LINKS = np.zeros(0, np.int32)


def write_citations(place: Path, graph: Graph) -> None:
    part = place / f"{FILE}.part"
    with part.open("wb") as out:
        _write(out, graph)
    part.replace(place / FILE)


def _write(out: IO[bytes], graph: Graph) -> None:
    table = np.zeros(len(graph.keys), _ROW)
    table["key"] = graph.keys
    table["end"] = np.cumsum(graph.links_out)
    for _, _, links in graph.pieces():
        table["linked"] += np.bincount(links, minlength=len(table))
    np.save(out, table)
    for _, _, links in graph.pieces():
        out.write(links.tobytes())
