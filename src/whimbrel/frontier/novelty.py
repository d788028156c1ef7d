"""How much of what a page says no page before it has said: runs of four words, by their hashes."""

import re

import xxhash

_SEEN_BITS = 1 << 20
_FRAMED = 10
"""A page counts as having at least a tenth of its own: a date that changes in its frame is no news."""
_ID = re.compile(r"[0-9]{4,}|(?=.*[0-9])[0-9a-f]{6,}")


def sample(text: str) -> bytes:
    """Hashes of an eighth of a page's runs of four words, the same on every page; ids and long numbers are left out."""
    words = [word for word in re.findall(r"\w+", text) if not _ID.fullmatch(word)]
    hashes = {
        xxhash.xxh32_intdigest(" ".join(words[at : at + 4]).encode("utf-8", "surrogatepass"))
        for at in range(len(words) - 3)
    }
    chosen = sorted(number for number in hashes if number % 8 == 0)[:256]
    return b"".join((number >> 3).to_bytes(4, "big") for number in chosen)


class Novelty:
    """What was said so far, and what the last page of each kind said. A kind is one of a form."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._seen = bytearray(_SEEN_BITS // 8)
        self._marked = 0
        self._last: dict[tuple[str, str], frozenset[int]] = {}

    def of(self, kind: tuple[str, str], words: bytes) -> float:
        """The share of a page's words that no page before it had, beside those that the last page of its kind had too,
        which are its frame; all of them where it has no sample."""
        if not words:
            return 1.0
        if self._marked > _SEEN_BITS // 4:  # too full to tell: what was said long ago counts as new again
            self._seen, self._marked = bytearray(_SEEN_BITS // 8), 0
        places = {int.from_bytes(words[at : at + 4], "big") % _SEEN_BITS for at in range(0, len(words), 4)}
        new = {place for place in places if not self._seen[place >> 3] & 1 << (place & 7)}
        for place in new:
            self._seen[place >> 3] |= 1 << (place & 7)
        self._marked += len(new)
        own = len(places - self._last.get(kind, frozenset()))
        self._last.pop(kind, None)
        self._last[kind] = frozenset(places)
        if len(self._last) > self._capacity:
            del self._last[next(iter(self._last))]
        return len(new) / max(own, len(places) / _FRAMED)
