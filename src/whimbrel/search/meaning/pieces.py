"""Words in pieces that have a number each, as byte pair encoding has them (Sennrich, Haddow, Birch, 2016).

Read from a `tokenizer.json` of the library `tokenizers`, of the kind that begins every word with "▁". Its own reader
would bring eleven packages along; of what it does only this is needed, and each word is taken apart once.
"""

from itertools import pairwise
from pathlib import Path

import msgspec
from msgspec import Struct

LONGEST_WORD = 64
MEMO_WORDS = 100_000
"""Some 20 MB."""
_BEGIN = "▁"
_NEVER = 1 << 60


class _Model(Struct, frozen=True):
    vocab: dict[str, int]
    merges: list[str]


class _File(Struct, frozen=True):
    model: _Model


class Pieces(dict[str, tuple[int, ...]]):
    """A memo from a word to the numbers of its pieces. Letters that the file has no piece for are left out: it spells
    them by bytes, which mean nothing."""

    def __init__(self, numbers: dict[str, int], merges: list[str]) -> None:
        super().__init__()
        self._numbers = numbers
        self._places = {pair: place for place, pair in enumerate(merges)}

    def __missing__(self, word: str) -> tuple[int, ...]:
        if len(self) >= MEMO_WORDS:
            self.clear()
        found = self[word] = tuple(
            self._numbers[piece] for piece in self._apart(word[:LONGEST_WORD]) if piece in self._numbers
        )
        return found

    def _apart(self, word: str) -> list[str]:
        """From single letters on, the pair that the file names first is joined, until it names none."""
        pieces = [*_BEGIN, *word]
        while len(pieces) > 1:
            joined = [self._places.get(f"{one} {other}", _NEVER) for one, other in pairwise(pieces)]
            place = min(joined)
            if place == _NEVER:
                break
            at = joined.index(place)
            pieces[at : at + 2] = [pieces[at] + pieces[at + 1]]
        return pieces


def read_pieces(path: Path) -> Pieces:
    model = msgspec.json.decode(path.read_bytes(), type=_File).model
    return Pieces(model.vocab, model.merges)
