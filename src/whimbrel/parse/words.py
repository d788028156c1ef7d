"""From text to the words that are indexed: folded, stemmed by language, Chinese, Japanese and Korean by pairs.

Pages and queries take the same way, so that they meet. The way is made for speed: measured on 10,000 pages of 7 kB,
splitting by a byte table takes 0.05 ms a page where a regular expression takes 0.32, and stemming with a memo of whole
words 0.10. Whole texts go by `stems`, which takes 0.10 for both.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import TypeAlias

import Stemmer

LONGEST_WORD = 64
MEMO_WORDS = 500_000

STEMMED = {
    "en": "english", "de": "german", "fr": "french", "es": "spanish", "it": "italian", "pt": "portuguese",
    "nl": "dutch", "sv": "swedish", "da": "danish", "no": "norwegian", "nb": "norwegian", "fi": "finnish",
    "ru": "russian",
}  # fmt: skip
"""Languages with a Snowball stemmer here; words of all others stay as they are."""

_LOWER = bytes(ord(chr(code).lower()) if chr(code).isalnum() else 0x20 for code in range(256))
"""Latin-1 in lower case, with a space for what is no letter and no digit."""

MARKS = frozenset(
    chr(code)
    for code in (*range(0x300, 0x1E00), *range(0x20D0, 0x2100), *range(0xA800, 0xAC00))
    if unicodedata.category(chr(code)) in ("Mn", "Mc")
)
"""Vowel signs and accents that stand for themselves: letters to a reader, though `str.isalnum` thinks otherwise."""

_WORD = re.compile(f"[\\w{''.join(sorted(MARKS))}]+")
_REST = re.compile(f"(?:[^\\W_]|[{''.join(sorted(MARKS))}])*")
_PAIRED = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"
)
"""Scripts written without spaces between words: kana, Han, (with few) Hangul; Thai, Lao, Burmese, Khmer."""


Spoken: TypeAlias = bytes | list[str]
"""A text in lower case, neither folded nor stemmed: in Latin-1 with spaces between words, or, where it has letters
beyond, its words."""


def spoken(text: str) -> Spoken:
    try:
        return text.encode("latin-1", _SPACE_FOR_SIGNS).translate(_LOWER)
    except UnicodeEncodeError:
        return _WORD.findall(text.lower().replace("_", " "))


def split(text: str) -> list[str]:
    """The words of a text in lower case, neither folded nor stemmed."""
    said = spoken(text)
    return said.decode("latin-1").split() if isinstance(said, bytes) else said


def _space_for_signs(error: UnicodeError) -> tuple[str, int]:
    """Quotation marks and dashes beyond Latin-1 part words like other signs; letters beyond it take the slower way."""
    try:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        if any(character.isalnum() or character in MARKS for character in error.object[error.start : error.end]):
            raise error
        return " ", error.end
    finally:
        # An error that is raised refers to this frame: one that it referred to in turn would be garbage in a circle,
        # with all that the callers hold, until the collector comes by, which it seldom does while an index is built.
        del error


_SPACE_FOR_SIGNS = "whimbrel.space-for-signs"
codecs.register_error(_SPACE_FOR_SIGNS, _space_for_signs)


class Analyser(dict[str, str]):
    """A memo from a word to the tokens it is indexed as, in one language; several tokens are parted by spaces."""

    def __init__(self, language: str = "") -> None:
        super().__init__()
        algorithm = STEMMED.get(language)
        stemmer = Stemmer.Stemmer(algorithm, 0) if algorithm else None  # its own memo is slower
        self._stem = stemmer.stemWord if stemmer else None
        self._stem_all = stemmer.stemWords if stemmer else None
        self.met: list[str] = []
        """Words that were not in the memo, for the spelling table; whoever reads it empties it."""

    def __missing__(self, word: str) -> str:
        if not word.isascii() and _PAIRED.search(word):
            return " ".join(_mixed(word, self))
        if len(self) >= MEMO_WORDS:
            self.clear()
        tokens = self[word] = self.meet(word)
        return tokens

    def meet(self, word: str) -> str:
        """The token of a word that no memo had, and that is of no script indexed by pairs."""
        self.met.append(word)
        folded = fold(word)[:LONGEST_WORD]
        return self._stem(folded) if self._stem else folded

    def stemmed(self, words: Sequence[str]) -> Sequence[str]:
        """The tokens of words in ASCII, all at once; nothing of them is remembered."""
        cut = [word[:LONGEST_WORD] for word in words]
        return self._stem_all(cut) if self._stem_all else cut

    def tokens(self, text: str) -> str:
        """What the index is given for a text: tokens in order, parted by spaces."""
        return self.joined(split(text))

    def joined(self, words: Sequence[str]) -> str:
        """The same of a text that was split already. One getter for all of them takes two thirds of a map's time."""
        if len(words) < 2:
            return self[words[0]] if words else ""
        return " ".join(itemgetter(*words)(self))


class Analysers:
    """One analyser a language, made when it is first needed."""

    def __init__(self) -> None:
        self._plain = Analyser()
        self._by_language: dict[str, Analyser] = {}

    def of(self, language: str) -> Analyser:
        if language not in STEMMED:
            return self._plain
        if language not in self._by_language:
            self._by_language[language] = Analyser(language)
        return self._by_language[language]

    def forms(self, word: str, languages: Iterable[str]) -> list[str]:
        """Every way in which pages in these languages may hold a word: as it is first, then stemmed."""
        ways = [self._plain[word], *(self.of(language)[word] for language in languages)]
        return list(dict.fromkeys(way for way in ways if way))

    def take_met(self) -> set[str]:
        met: set[str] = set()
        for analyser in (self._plain, *self._by_language.values()):
            met.update(analyser.met)
            analyser.met.clear()
        return met


def fold(word: str) -> str:
    """Without accents, and one spelling for characters that are the same to a reader."""
    if word.isascii():
        return word
    apart = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in apart if not unicodedata.combining(c)) or word


def flat(text: str) -> bytes:
    """A text in lower case with spaces for all that is no letter or digit, character for character: what stands at a
    position of the one stands there in the other. Letters beyond Latin-1 become spaces, too."""
    return text.encode("latin-1", "replace").translate(_LOWER)


def in_word(character: str) -> bool:
    return character.isalnum() or character in MARKS


def end_of_word(text: str, at: int) -> int:
    """Where the word ends that holds the position, at most `LONGEST_WORD` further on."""
    rest = _REST.match(text, at, at + LONGEST_WORD)
    return rest.end() if rest is not None else at


def paired(word: str) -> bool:
    """Whether a word is, or holds, a run that is indexed by pairs of characters."""
    return not word.isascii() and _PAIRED.search(word) is not None


def _mixed(word: str, analyser: Analyser) -> list[str]:
    tokens, end = [], 0
    for run in _PAIRED.finditer(word):
        if run.start() > end:
            tokens.append(analyser[word[end : run.start()]])
        tokens += pairs(run.group())
        end = run.end()
    if end < len(word):
        tokens.append(analyser[word[end:]])
    return tokens


def pairs(run: str) -> list[str]:
    """Overlapping pairs of characters; a single character stands for itself."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]
