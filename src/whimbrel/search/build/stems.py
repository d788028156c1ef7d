"""The tokens of many texts at once, looked up by array operations.

A page has a thousand words. Making a string of each and looking it up in a memo takes 0.15 ms a page, much of it spent
waiting for memory. Here words stay where they are in the bytes of their text, and a number made of their letters is
looked up; only words that are met for the first time become strings.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whimbrel.parse.words import LONGEST_WORD

MEMO_WORDS = 500_000
FEWEST_SLOTS = 1 << 16
SLOTS_A_WORD = 4
"""Most words are found at the first look where three slots of four are empty."""

MOST_BYTES = 1 << 20
"""Of text at once: arrays need twenty times as much memory."""

_BLOCK = 8
_SPACE = 0x20
_LENGTHS = np.uint64(0xFF)
_MASKS = np.array([(1 << 8 * length) - 1 for length in range(_BLOCK + 1)], np.uint64)

Numbers: TypeAlias = NDArray[np.uint64]
Places: TypeAlias = NDArray[np.intp]


class Stems:
    """A memo from words to the tokens that `meet` makes of them, which is asked once a word, for its first letters
    where it is longer than any that is indexed."""

    def __init__(self, meet: Callable[[str], str], most_words: int = MEMO_WORDS) -> None:
        self._meet = meet
        self._most_words = most_words
        # Words are told apart by their numbers alone: without a secret one could be made up that passes for another.
        self._secret = np.frombuffer(os.urandom(2 * _BLOCK), np.uint64) | np.uint64(1)
        self._clear()

    def tokens(self, texts: Sequence[bytes]) -> list[str]:
        """Of each text, in Latin-1 with bytes up to 32 between words, the tokens in order, parted by spaces."""
        found: list[str] = []
        for some in _portions(texts):
            if len(some[0]) > MOST_BYTES:
                found.append("".join(one for piece in _pieces(some[0]) for one in self._found([piece])))
            else:
                found += self._found(some)
        return found

    def _found(self, texts: list[bytes]) -> list[str]:
        data = b" ".join((b"", *texts, b" " * _BLOCK))
        letters = np.frombuffer(data, np.uint8) > _SPACE
        edges = np.flatnonzero(letters[1:] != letters[:-1])
        edges += 1
        starts, ends = edges[0::2], edges[1::2]
        slots = self._slots(data, starts, np.minimum(ends - starts, LONGEST_WORD))
        tokens = self._tokens.take(slots)
        lengths = (tokens & _LENGTHS).astype(np.intp)
        after = np.cumsum(lengths)
        blocks = np.repeat((tokens >> np.uint64(8)).astype(np.intp) - after + lengths, lengths)
        blocks += np.arange(len(blocks))
        out = self._blocks.take(blocks).tobytes()
        words = np.searchsorted(starts, np.cumsum([len(text) + 1 for text in texts]))
        bounds = (np.append(after, 0)[words - 1] * _BLOCK).tolist()  # before the first word stands the 0 at the end
        return [out[begin:end].decode() for begin, end in zip([0, *bounds], bounds, strict=False)]

    # The table: numbers of words in slots, beside each where its token stands; a number that finds its slot taken goes
    # on to the next.

    def _clear(self) -> None:
        self._numbers: Numbers = np.zeros(FEWEST_SLOTS, np.uint64)
        self._tokens: Numbers = np.zeros(FEWEST_SLOTS, np.uint64)
        """The first block of a token, times 256, and how many it has."""
        self._blocks: Numbers = np.zeros(FEWEST_SLOTS, np.uint64)
        """Tokens in UTF-8 with a space behind each, filled up with more."""
        self._words = self._filled = 0

    def _slots(self, data: bytes, starts: Places, lengths: Places) -> Places:
        numbers = self._numbered(data, starts, lengths)
        slots, missing = self._look(numbers)
        if not len(missing):
            return slots
        if self._words and self._words + len(missing) > self._most_words:
            self._clear()
            missing = np.arange(len(numbers))
        size = len(self._numbers)
        new, at = np.unique(numbers[missing], return_index=True)
        begin = starts[missing[at]]
        bounds = zip(begin.tolist(), (begin + lengths[missing[at]]).tolist(), strict=True)
        self._add(new, [data[begin:end].decode("latin-1") for begin, end in bounds])
        if len(self._numbers) != size:
            return self._look(numbers)[0]
        slots[missing] = self._look(numbers[missing])[0]
        return slots

    def _numbered(self, data: bytes, starts: Places, lengths: Places) -> Numbers:
        """A number for each word; none of up to eight letters has that of another."""
        eights: Numbers = np.ndarray((len(data) - _BLOCK + 1,), np.uint64, data, strides=(1,))
        numbers: Numbers = eights[starts]
        numbers &= _MASKS.take(lengths, mode="clip")
        numbers *= self._secret[0]
        done, longer = _BLOCK, np.flatnonzero(lengths > _BLOCK)
        while len(longer):
            left = lengths[longer] - done
            more = eights[starts[longer] + done] & _MASKS.take(left, mode="clip")
            before = numbers[longer]
            numbers[longer] = (before ^ (before >> np.uint64(29)) ^ more) * self._secret[1]
            done, longer = done + _BLOCK, longer[left > _BLOCK]
        numbers ^= numbers >> np.uint64(32)
        return numbers

    def _look(self, numbers: Numbers) -> tuple[Places, Places]:
        """The slot of each number, and the positions of those that have none yet."""
        last = len(self._numbers) - 1
        slots = (numbers & np.uint64(last)).astype(np.intp)
        astray = np.flatnonzero(self._numbers.take(slots) != numbers)
        missing = [astray[:0]]
        while len(astray):
            taken = self._numbers[slots[astray]] != 0
            missing.append(astray[~taken])
            astray = astray[taken]
            slots[astray] = (slots[astray] + 1) & last
            astray = astray[self._numbers[slots[astray]] != numbers[astray]]
        return slots, np.concatenate(missing)

    def _add(self, numbers: Numbers, words: list[str]) -> None:
        made: list[bytes] = []
        places: list[int] = []
        end = self._filled
        for word in words:
            token = self._meet(word).encode()
            length = len(token) // _BLOCK + 1
            made.append(token.ljust(length * _BLOCK))
            places.append(end << 8 | length)
            end += length
        if end > len(self._blocks):
            self._blocks = np.append(self._blocks, np.zeros(max(end, len(self._blocks)), np.uint64))
        self._blocks[self._filled : end] = np.frombuffer(b"".join(made), np.uint64)
        self._filled, self._words = end, self._words + len(words)
        self._widen()
        self._put(numbers, np.array(places, np.uint64))

    def _widen(self) -> None:
        slots = len(self._numbers)
        while slots < self._words * SLOTS_A_WORD:
            slots *= 2
        if slots > len(self._numbers):
            old = np.flatnonzero(self._numbers)
            numbers, tokens = self._numbers[old], self._tokens[old]
            self._numbers, self._tokens = np.zeros(slots, np.uint64), np.zeros(slots, np.uint64)
            self._put(numbers, tokens)

    def _put(self, numbers: Numbers, tokens: Numbers) -> None:
        last = len(self._numbers) - 1
        slots = (numbers & np.uint64(last)).astype(np.intp)
        while len(numbers):
            free = self._numbers[slots] == 0
            self._numbers[slots[free]] = numbers[free]  # of several that want one slot, one has it then
            left = self._numbers[slots] != numbers
            self._tokens[slots[~left]] = tokens[~left]
            numbers, tokens, slots = numbers[left], tokens[left], (slots[left] + 1) & last


def _portions(texts: Sequence[bytes]) -> Iterator[list[bytes]]:
    """A few texts at a time; a long one alone."""
    some: list[bytes] = []
    size = 0
    for text in texts:
        if some and size + len(text) > MOST_BYTES:
            yield some
            some, size = [], 0
        some.append(text)
        size += len(text) + 1
    if some:
        yield some


def _pieces(text: bytes) -> Iterator[bytes]:
    """Cut between words."""
    begin = 0
    while begin < len(text):
        end = text.find(b" ", begin + MOST_BYTES)
        end = end if end >= 0 else len(text)
        yield text[begin:end]
        begin = end
