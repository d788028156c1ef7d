"""Pages whose main text people marked, how near a text comes to it, and which blocks of a page it is made of.

The set is WCXB (M. Foley 2026, CC-BY-4.0): real pages of seven kinds, `truth.jsonl.gz` and `html/ID.html.gz`.
"""

import gzip
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.json import decode

from whimbrel.urls.scope import registrable_domain

_WORD = re.compile(r"\w+")
_GRAM = 4
_AROUND, _MOST_WORDS = 8, 30


class MainText(Struct, frozen=True):
    """A line of the set: what people say is the main text of a page. Nothing, for some."""

    id: str
    url: str
    kind: str
    main_text: str

    @property
    def site(self) -> str:
        return registrable_domain(urlsplit(self.url).hostname or self.id)


def truths(folder: Path) -> list[MainText]:
    with gzip.open(folder / "truth.jsonl.gz") as lines:
        return [decode(line, type=MainText) for line in lines]


def html_of(folder: Path, page: str) -> bytes:
    return gzip.decompress((folder / "html" / f"{page}.html.gz").read_bytes())


def words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def f1(text: str, truth: str) -> float:
    """Over words as multisets; 1 where there is nothing to find and nothing was found."""
    ours, theirs = Counter(words(text)), Counter(words(truth))
    both = sum((ours & theirs).values())
    if not both:
        return float(not ours and not theirs)
    return 2 * both / (ours.total() + theirs.total())


def shares(texts: Sequence[str], truth: str) -> list[float]:
    """The share of each block that is in the main text: by runs of four words, of all its words where it has fewer.

    A block of up to four words may stand on the page more often than in the main text, in a menu and in the article:
    the main text's are then those with most of it around them.
    """
    marked = words(truth)
    runs = {size: Counter(_runs(marked, size)) for size in range(1, _GRAM + 1)}
    blocks = [words(text) for text in texts]
    found = [_share(block, runs) for block in blocks]
    count = Counter(tuple(block) for block in blocks if len(block) <= _GRAM)
    open_ones: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at, block in enumerate(blocks):
        if found[at] and len(block) <= _GRAM and count[tuple(block)] > runs[len(block)][tuple(block)]:
            open_ones[tuple(block)].append(at)
    unsure = {at for places in open_ones.values() for at in places}
    settled = list(found)
    for block_words, places in open_ones.items():
        around = sorted(((_around(at, found, blocks, unsure), at) for at in places), reverse=True)
        most = runs[len(block_words)][block_words]
        for rank, (share, at) in enumerate(around):
            settled[at] = float(rank < most and share > 0.1)
    return settled


def _runs(of: Sequence[str], size: int) -> list[tuple[str, ...]]:
    return [tuple(of[at : at + size]) for at in range(len(of) - size + 1)]


def _share(block: Sequence[str], runs: dict[int, Counter[tuple[str, ...]]]) -> float:
    size = min(_GRAM, len(block))
    if not size:
        return 0.0
    own = _runs(block, size)
    return sum(run in runs[size] for run in own) / len(own)


def _around(at: int, found: Sequence[float], blocks: Sequence[Sequence[str]], unsure: set[int]) -> float:
    kept = of = 0.0
    for other in range(max(0, at - _AROUND), min(len(found), at + _AROUND + 1)):
        if other not in unsure:
            weight = min(len(blocks[other]), _MOST_WORDS) / (1 + abs(at - other))
            kept += weight * found[other]
            of += weight
    return kept / of if of else 0.0
