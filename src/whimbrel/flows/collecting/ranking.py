"""PageRank of all that is known: of pages visited, and of URLs never fetched by the links that lead to them."""

import tempfile
from array import array
from collections.abc import Iterator
from functools import partial
from typing import IO

import numpy as np

from whimbrel.flows.collecting.link_file import LinkFile
from whimbrel.rank.graph import Numbers, Shares
from whimbrel.rank.pagerank import settled

PIECE_LINKS = 1 << 20
"""At once: what is made of them takes some twenty megabytes."""
TOLERANCE = 1e-6
_LINK_BYTES = 4


class Standing:
    """Every URL's share of all rank, as it was when it was worked out; 0 for what was not known then."""

    def __init__(self, keys: Numbers, ranks: Shares) -> None:
        self._keys, self._ranks = keys, ranks

    def of(self, keys: Numbers) -> Shares:
        if not len(self._keys):
            return np.zeros(len(keys))
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        found: Shares = np.where(self._keys[at] == keys, self._ranks[at], 0.0)
        return found

    def one(self, key: int) -> float:
        return float(self.of(np.array([key], np.int64))[0])


def ranked(links: LinkFile, others: Numbers) -> Standing:
    """Links lead to pages that were visited and to `others`; what lies beyond is not ranked. They stand in a file
    without a name meanwhile: in memory are a few numbers a URL."""
    visited = np.fromiter(links.sources(), np.int64)
    keys: Numbers = np.union1d(visited, others)
    with tempfile.TemporaryFile() as file:
        links_out = _written(links, keys, file)
        ranks = settled(links_out, partial(_passed_on, file, links_out), tolerance=TOLERANCE)
    return Standing(keys, ranks)


def _written(links: LinkFile, keys: Numbers, file: IO[bytes]) -> Numbers:
    """How many links each URL has; where they lead is written one page after another."""
    links_out: Numbers = np.zeros(len(keys), np.int64)
    for sources, counts, targets in _pieces_of(links):
        pages = np.searchsorted(keys, sources)
        at = np.minimum(np.searchsorted(keys, targets), len(keys) - 1)
        inside = keys[at] == targets
        owners = np.repeat(pages, counts)[inside]
        links_out += np.bincount(owners, minlength=len(keys))
        file.write(at[inside].astype(np.int32).tobytes())
    return links_out


def _pieces_of(links: LinkFile) -> Iterator[tuple[Numbers, Numbers, Numbers]]:
    sources, counts, targets = array("q"), array("q"), bytearray()
    for source, packed in links.rows():
        sources.append(source)
        counts.append(len(packed) // 8)
        targets += packed
        if len(targets) >= 8 * PIECE_LINKS:
            yield np.array(sources, np.int64), np.array(counts, np.int64), np.frombuffer(bytes(targets), np.int64)
            sources, counts, targets = array("q"), array("q"), bytearray()
    yield np.array(sources, np.int64), np.array(counts, np.int64), np.frombuffer(bytes(targets), np.int64)


def _passed_on(file: IO[bytes], links_out: Numbers, shares: Shares) -> Shares:
    """What pages are given by those that link to them, each of which gives its share along every link."""
    given: Shares = np.zeros(len(shares))
    after = np.cumsum(links_out)
    first = before = 0
    file.seek(0)
    while first < len(links_out):
        end = max(first + 1, int(np.searchsorted(after, before + PIECE_LINKS, side="right")))
        count = int(after[end - 1]) - before
        targets = np.frombuffer(file.read(count * _LINK_BYTES), np.int32)
        given += np.bincount(targets, weights=np.repeat(shares[first:end], links_out[first:end]), minlength=len(shares))
        first, before = end, int(after[end - 1])
    return given
