"""What a word that no page holds was meant to be: a word met on a page that is one slip away, or two for long words.

A slip is a letter too many, too few, another one, or two that changed places (Damerau, "A technique for computer
detection and correction of spelling errors", 1964).
"""

from collections.abc import Callable, Iterable

from whimbrel.parse.words import paired
from whimbrel.search.book import Book

SHORTEST, LONGEST = 3, 30
TWO_SLIPS_FROM = 8
MOST_SLIPS = 2
SAME_START = 2
LOOKED_THROUGH_START = 4
"""Words with the same four letters first are read and compared; a slip among these four is made in every way and the
outcome looked up. Making them all takes three times as long, a thousand words to look up for one of fourteen letters.
"""
MOST_SUGGESTED = 6
MEMO_WORDS = 1_000
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


class Speller:
    """Suggests words of one state of the index, and remembers what: whoever pages on or types on asks again."""

    def __init__(self, book: Book, pages_with: Callable[[str], int]) -> None:
        self._book = book
        self._pages_with = pages_with
        self._known: dict[str, list[str]] = {}

    def suggestions(self, word: str) -> list[str]:
        """The nearest words that some page holds, those that most pages hold first."""
        if not SHORTEST <= len(word) <= LONGEST or word.isdigit() or paired(word):
            return []
        if word not in self._known:
            if len(self._known) >= MEMO_WORDS:
                self._known.clear()
            held = [(self._pages_with(other), other) for other in self._near(word)]
            self._known[word] = [other for count, other in sorted(held, reverse=True) if count][:MOST_SUGGESTED]
        return self._known[word]

    def _near(self, word: str) -> set[str]:
        near = set(self._book.among(one_slip(word, LOOKED_THROUGH_START)))
        near |= self._within(word, LOOKED_THROUGH_START, 1)
        if not near and len(word) >= TWO_SLIPS_FROM:
            near = self._within(word, SAME_START, MOST_SLIPS)
        return near

    def _within(self, word: str, same: int, most: int) -> set[str]:
        """Words with the same letters first that are so many slips away."""
        start = word[:same]
        end = start[:-1] + chr(ord(start[-1]) + 1)
        return set(_nearest(word, self._book.words_between(start, end, len(word) - most, len(word) + most), most))


def _nearest(word: str, others: Iterable[str], most: int) -> list[str]:
    letters = frozenset(word)
    return [
        other
        for other in others
        # A slip brings in one letter at most and takes one away; the alignment costs fifty times as much.
        if len(letters.difference(other)) <= most
        and len(frozenset(other) - letters) <= most
        and 0 < slips(word, other, most) <= most
    ]


def one_slip(word: str, among: int = LONGEST) -> set[str]:
    """Every word that one slip makes of it, the slip being among so many of its first letters."""
    letters = _LETTERS + "".join(set(word) - set(_LETTERS))
    cuts = [(word[:at], word[at:]) for at in range(min(len(word) + 1, among))]
    fewer = {left + right[1:] for left, right in cuts if right}
    swapped = {left + right[1] + right[0] + right[2:] for left, right in cuts if len(right) > 1}
    other = {left + letter + right[1:] for left, right in cuts if right for letter in letters}
    more = {left + letter + right for left, right in cuts for letter in letters}
    return (fewer | swapped | other | more) - {word, ""}


def slips(one: str, other: str, most: int = LONGEST) -> int:
    """How many slips lie between two words (optimal string alignment); any number above `most` where they are more."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        new = [i]
        for j, beside in enumerate(other, 1):
            cost = min(row[j] + 1, new[j - 1] + 1, row[j - 1] + (letter != beside))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == beside:
                cost = min(cost, before[j - 2] + 1)
            new.append(cost)
        before, row = row, new
        if min(row) > most and min(before) >= most:
            return most + 1
    return row[-1]
