"""How near a page is to what interests a reader, from 0 to 1.

The papers' formula (P4): `0.5·bookmarks + 0.3·history + 0.2·start page`, each the share of the page's words, counted as
often as they stand there, that are among the keywords of that part. Fields of interest, for which the paper prints no
weight, count as bookmarks. On real pages a share of words is small and differs little from page to page.

Beside it the page is asked for the words that tell the reader's pages from all others: each is worth its share of the
profile, by the same three weights, times how rare it is among all pages. What a page makes of them says the word index
(BM25), set against the page that makes most of them.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import log

from msgspec import Struct

BOOKMARKS, HISTORY, START = 0.5, 0.3, 0.2
KEYWORDS = 200
"""Of each part, the most frequent: the papers' n."""
TELLING = 40
"""Words that a page is asked for."""
COMMON = 0.2
"""A word on more than this share of the pages tells nothing."""


class ReaderProfile(Struct, frozen=True):
    """Words, without those that say nothing, and how often each stands in what a reader put aside, read, and begins
    with."""

    bookmarks: Mapping[str, int]
    history: Mapping[str, int]
    start: Mapping[str, int]

    @property
    def parts(self) -> tuple[tuple[float, Mapping[str, int]], ...]:
        return ((BOOKMARKS, self.bookmarks), (HISTORY, self.history), (START, self.start))

    @property
    def empty(self) -> bool:
        return not (self.bookmarks or self.history or self.start)


def papers_score(words: Sequence[str], profile: ReaderProfile) -> float:
    """By the papers' formula, for a page of these words."""
    if not words:
        return 0.0
    counts = Counter(words)
    return sum(
        weight * sum(counts[word] for word in _keywords(part)) / len(words) for weight, part in profile.parts if part
    )


def _keywords(part: Mapping[str, int]) -> list[str]:
    return sorted(part, key=lambda word: (-part[word], word))[:KEYWORDS]


def telling(profile: ReaderProfile, pages_with: Callable[[str], int], pages: int) -> dict[str, float]:
    """The words that say most of the reader, and what each counts, the most 1. `pages_with` says on how many of all
    `pages` a word stands; what is on none cannot be asked for."""
    shares: Counter[str] = Counter()
    for weight, part in profile.parts:
        whole = sum(part.values())
        for word in _keywords(part):
            shares[word] += weight * part[word] / whole  # type: ignore[assignment]
    rare = {word: pages_with(word) for word in shares}
    worth = {
        word: share * log((pages + 1) / rare[word])
        for word, share in shares.items()
        if 0 < rare[word] <= COMMON * pages
    }
    best = sorted(worth, key=lambda word: (-worth[word], word))[:TELLING]
    return {word: shares[word] / max(shares[one] for one in best) for word in best}
