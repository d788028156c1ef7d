"""Texts in pieces that have a number each, as BERT has them (Devlin and others, 2018).

Read from a `tokenizer.json` of the library `tokenizers`, which would bring eleven packages along; of what it does only
this is needed. Signs stand alone, words are taken apart from the left by the longest piece that is known, each once.
"""

import re
import unicodedata
from itertools import islice
from pathlib import Path

import msgspec
from msgspec import Struct

LONGEST_WORD = 100
MEMO_WORDS = 100_000
"""Some 20 MB."""
BEGIN, END, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"


class _Model(Struct, frozen=True):
    vocab: dict[str, int]


class _File(Struct, frozen=True):
    model: _Model


def _class_of(*kinds: str) -> str:
    """Characters of these categories in a regular expression; those beyond the first plane are of dead scripts."""
    return "".join(re.escape(chr(code)) for code in range(0x10000) if unicodedata.category(chr(code)).startswith(kinds))


_ALONE = re.escape("$+<=>^`|~") + _class_of("P") + "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ceaf"
"""ASCII's signs, all punctuation, and Han, which is written without spaces."""
_TOKENS = re.compile(f"[{_ALONE}]|[^\\s{_ALONE}]+")
_SILENT = re.compile(f"(?![\\t\\n\\r])[{_class_of('Cc', 'Cf')}\ufffd]")
_ACCENTS = re.compile(f"[{_class_of('Mn')}]")


class WordPieces(dict[str, tuple[int, ...]]):
    """A memo from a word to the numbers of its pieces."""

    def __init__(self, numbers: dict[str, int]) -> None:
        super().__init__()
        self._numbers = numbers
        self._begin, self._end, self._unknown = (numbers[name] for name in (BEGIN, END, UNKNOWN))

    def __missing__(self, word: str) -> tuple[int, ...]:
        if len(self) >= MEMO_WORDS:
            self.clear()
        found = self[word] = tuple(self._apart(word))
        return found

    def of(self, text: str, most: int) -> list[int]:
        """At most so many, with those that begin and end a text."""
        found = islice((piece for word in _words(text) for piece in self[word]), max(0, most - 2))
        return [self._begin, *found, self._end]

    def _apart(self, word: str) -> list[int]:
        if len(word) > LONGEST_WORD:
            return [self._unknown]
        found: list[int] = []
        at = 0
        while at < len(word):
            lead = "##" if at else ""
            ends = (end for end in range(len(word), at, -1) if lead + word[at:end] in self._numbers)
            end = next(ends, 0)
            if not end:
                return [self._unknown]
            found.append(self._numbers[lead + word[at:end]])
            at = end
        return found


def read_wordpieces(path: Path) -> WordPieces:
    return WordPieces(msgspec.json.decode(path.read_bytes(), type=_File).model.vocab)


def _words(text: str) -> list[str]:
    if not text.isascii():
        text = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    return _TOKENS.findall(_SILENT.sub("", text).lower())
