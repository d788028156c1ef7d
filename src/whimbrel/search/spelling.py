"""What a word that no page holds was meant to be: a word met on a page that is one slip away, or two for long words.

A slip is a letter too many, too few, another one, or two that changed places (Damerau, "A technique for computer
detection and correction of spelling errors", 1964).
"""

from collections.abc import Callable

from whimbrel.search.book import Book
from whimbrel.search.words import paired

SHORTEST, LONGEST = 4, 30
TWO_SLIPS_FROM = 8
MOST_SLIPS = 2
SAME_START = 2
MOST_SUGGESTED = 6
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def suggestions(word: str, book: Book, pages_with: Callable[[str], int]) -> list[str]:
    """The nearest words that some page holds, those that most pages hold first."""
    if not SHORTEST <= len(word) <= LONGEST or word.isdigit() or paired(word):
        return []
    near = book.among(one_slip(word))
    if not near and len(word) >= TWO_SLIPS_FROM:
        start = word[:SAME_START]
        end = start[:-1] + chr(ord(start[-1]) + 1)
        letters = frozenset(word)
        near = [
            other
            for other in book.words_between(start, end, len(word) - MOST_SLIPS, len(word) + MOST_SLIPS)
            # A slip brings in one letter at most and takes one away; the alignment costs fifty times as much.
            if len(letters.difference(other)) <= MOST_SLIPS
            and len(frozenset(other) - letters) <= MOST_SLIPS
            and slips(word, other) <= MOST_SLIPS
        ]
    held = [(pages_with(other), other) for other in near if other != word]
    return [other for count, other in sorted(held, reverse=True) if count][:MOST_SUGGESTED]


def one_slip(word: str) -> set[str]:
    letters = _LETTERS + "".join(set(word) - set(_LETTERS))
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    fewer = {left + right[1:] for left, right in cuts if right}
    swapped = {left + right[1] + right[0] + right[2:] for left, right in cuts if len(right) > 1}
    other = {left + letter + right[1:] for left, right in cuts if right for letter in letters}
    more = {left + letter + right for left, right in cuts for letter in letters}
    return (fewer | swapped | other | more) - {word, ""}


def slips(one: str, other: str) -> int:
    """How many slips lie between two words (optimal string alignment)."""
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
    return row[-1]
