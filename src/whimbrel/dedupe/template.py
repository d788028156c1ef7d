"""What a site says on every page, so that it is not taken for what two pages have in common."""

import re
from collections.abc import Iterator
from itertools import filterfalse

from msgspec import Struct, field
from xxhash import xxh3_64_intdigest

COMMON_PAGES = 8
"""Different pages of a site that have a line, or a word of their titles, before it is the template's. Twins are not
counted: a page and seven copies of it would otherwise have no line of their own."""

SAMPLED_PAGES = 500
"""After so many pages of a site its template is known; only what is common is kept from then on."""

YOUNG_PAGES = 4 * COMMON_PAGES
"""Until so many pages of a site were met, what two of them share or differ in may turn out to be the template's. Two
releases that come mixed need twice eight, and as many again where half of them are short."""

_WORD = re.compile(r"\w+(?:[.'_-]\w+)*")
_NUMBER = re.compile(r"v?\d+(?:[.'_-]\d+)*")


class Own(Struct, frozen=True):
    """What is left of a page without its site's template: lines and title words; and which of these were left out."""

    text: str
    title: frozenset[str] = frozenset()
    usual: frozenset[str] = frozenset()
    left_out: str = ""


class Template(Struct):
    """What was met on a site, by hash, and on how many of its sampled pages."""

    pages: int = 0
    met: dict[int, int] = field(default_factory=dict)

    @property
    def learned(self) -> bool:
        return self.pages >= SAMPLED_PAGES

    @property
    def young(self) -> bool:
        return self.pages < YOUNG_PAGES

    def learn(self, title: str, text: str) -> bool:
        """Counts a page that is nobody's twin; False where the sample is complete."""
        if self.learned:
            return False
        self.pages += 1
        for hash in {*map(_hash_of_line, _lines(text)), *map(_hash_of_word, words_in(title))}:
            self.met[hash] = self.met.get(hash, 0) + 1
        if self.learned:
            self.met = {hash: pages for hash, pages in self.met.items() if pages >= COMMON_PAGES}
        return True

    def own(self, title: str, text: str) -> Own:
        lines, left_out = list[str](), list[str]()
        for line in _lines(text):
            (left_out if self._common(_hash_of_line(line)) else lines).append(line)
        named = frozenset(words_in(title))
        usual = frozenset(word for word in named if self._common(_hash_of_word(word)))
        return Own("\n".join(lines), named - usual, usual, "\n".join(left_out))

    def _common(self, hash: int) -> bool:
        return self.met.get(hash, 0) >= COMMON_PAGES


def words_in(text: str) -> list[str]:
    """Words without the punctuation around them, without regard to case."""
    return _WORD.findall(text.lower())


def is_number(word: str) -> bool:
    """A chapter's, a year, a release; not a name with a digit in it."""
    return _NUMBER.fullmatch(word) is not None


def subject_of(title: str) -> str:
    """What a title names, numbers aside: by this a page is found in another edition."""
    words = words_in(title)
    return " ".join(filterfalse(is_number, words)) or " ".join(words)


def _lines(text: str) -> Iterator[str]:
    return (line for part in text.splitlines() if (line := part.strip()))


def _hash_of_line(line: str) -> int:
    return xxh3_64_intdigest(line.encode("utf-8", "surrogatepass"))


def _hash_of_word(word: str) -> int:
    return xxh3_64_intdigest(word.encode("utf-8", "surrogatepass"), seed=1)
