"""The papers' context manager (P4 §2.4): does a page use the words in the sense in which they were asked for?

A word that is merely there may mean something else. Beside a word that was asked for, another keyword stands within a
few words, where the page means the same: one that was asked for too, one that the seed pages say, or a related one.
"""

from collections.abc import Collection, Sequence

WITHIN = 30
"""Words to either side: about two sentences."""


def in_sense(places: Sequence[tuple[int, str]], asked: Collection[str], keywords: frozenset[str]) -> bool:
    """Whether two different keywords, one of them asked for, stand near each other, by the `places` of all keywords.
    Where there is one keyword in all nothing can be said against the page."""
    if len(keywords) < 2:
        return True
    last: dict[str, int] = {}
    for at, word in places:
        for other, where in last.items():
            if other != word and at - where <= WITHIN and (word in asked or other in asked):
                return True
        last[word] = at
    return False
