"""Words that stand for each other or go together, in English, without asking anybody: a table made of WordNet 3.0.

WordNet® 3.0, © 2006 Princeton University; its licence lies beside this file. A line is a set of words that mean the
same, each with the rank of this meaning among the word's where it is not the first, and the lines that it goes with:
wider, similar, derived. `exchange.wordnet` writes the table.
"""

from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from importlib.resources import files

import zstandard

from whimbrel.parse.words import Analyser
from whimbrel.topic.tables import GoesWith

LANGUAGE = "en"
MEANINGS = 3
"""Of a word, the commonest."""
SHORTEST_STEM = 3
_ENDINGS = (("s", ""), ("es", ""), ("ies", "y"), ("d", ""), ("ed", ""), ("ing", ""), ("ing", "e"), ("ly", ""))
_DIGITS = "0123456789"
_NOTHING = GoesWith()


class Thesaurus:
    """Words are found in whatever form they come: compared as English compares them."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._forms = Analyser(LANGUAGE)
        self._sets: list[str] = []
        self._wider: list[list[str]] = []
        self._meanings: dict[str, list[tuple[int, int]]] = {}
        self._narrower: dict[str, list[int]] = {}
        for at, line in enumerate(lines):
            words, _, wider = line.partition("\t")
            self._sets.append(words)
            self._wider.append(wider.split())
            for word in words.split():
                bare = word.rstrip(_DIGITS)
                rank = int(word[len(bare) :] or 1)
                self._meanings.setdefault(bare, []).append((rank, at))
            for one in self._wider[-1]:
                self._narrower.setdefault(one, []).append(at)

    @cached_property
    def _spelt(self) -> dict[str, list[str]]:
        """By form. Most words are asked for as the table has them, and stemming all takes as long as reading it."""
        spelt: dict[str, list[str]] = {}
        for word in self._meanings:
            spelt.setdefault(self._forms[word], []).append(word)
        return spelt

    def related(self, word: str) -> GoesWith:
        form = self._forms[word.lower()]
        spelt = [word.lower()] if word.lower() in self._meanings else self._spelt.get(form, [])
        ranked = sorted(meaning for one in spelt for meaning in self._meanings[one])[:MEANINGS]
        if not ranked:
            return _NOTHING
        first = ranked[0][1]
        same = self._words([first], form)
        around = [*(at for _, at in ranked[1:]), *map(int, self._wider[first]), *self._narrower.get(str(first), ())]
        near = [one for one in self._words(around, form) if one not in same]
        return GoesWith(tuple(same), tuple(near))

    def _words(self, sets: Iterable[int], but: str) -> list[str]:
        words = dict.fromkeys(word.rstrip(_DIGITS) for at in sets for word in self._sets[at].split())
        return [word for word in words if self._forms[word] != but]


@cache
def thesaurus() -> Thesaurus:
    return Thesaurus(_table().decode("utf-8").splitlines())


def is_word(word: str) -> bool:
    """Whether the table has a word as it is spelt, or what an ending was put to."""
    return any(f" {one} ".encode() in _all_words() for one in (word, *_without_ending(word)))


def _without_ending(word: str) -> Iterator[str]:
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            yield word.removesuffix(ending) + instead


@cache
def _all_words() -> bytes:
    """Parted by spaces: two megabytes that are searched in a fraction of a millisecond, and need no objects."""
    return _table().translate(bytes.maketrans(b"\n\t", b"  "), _DIGITS.encode())


def _table() -> bytes:
    packed = (files("whimbrel.topic") / "wordnet.zst").read_bytes()
    return bytes(zstandard.ZstdDecompressor().decompress(packed))


def relations(language: str, word: str) -> GoesWith:
    """What goes with a word; nothing in a language of which we have no table."""
    return thesaurus().related(word) if language == LANGUAGE else _NOTHING
