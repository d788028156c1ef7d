"""Which paragraph became which: an insertion at the top changes one paragraph, not all.

Patience alignment: paragraphs that stand once in both versions hold the rest in place; between them the ends are
matched, and what is left is paired by its words.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from whimbrel.change.mask import masked

SIMILAR = 0.5
"""The share of common words from which two paragraphs are one that was edited."""

_MOST_PAIRINGS = 4_000
_MOST_REPLACED = 3


class Pair(Struct, frozen=True):
    """The places of a paragraph before and after; one of them is None where it came or went."""

    before: int | None
    after: int | None


def align(before: Sequence[str], after: Sequence[str]) -> list[Pair]:
    """Every paragraph of both versions once, in the order of the page."""
    pairs: list[Pair] = []
    # Parts still to be aligned, the last first, and ends already found equal (-1, how many, where, where): no
    # recursion, however many paragraphs there are.
    waiting = [(0, len(before), 0, len(after))]
    while waiting:
        low, high, left, right = waiting.pop()
        if low < 0:
            pairs += (Pair(left + n, right + n) for n in range(high))
            continue
        head = _common(before, after, low, high, left, right)
        pairs += (Pair(low + n, left + n) for n in range(head))
        low, left = low + head, left + head
        tail = _common_end(before, after, low, high, left, right)
        if tail:
            waiting.append((-1, tail, high - tail, right - tail))
            high, right = high - tail, right - tail
        anchors = _anchors(before, after, low, high, left, right)
        if not anchors:
            pairs += _paired(before, after, range(low, high), range(left, right))
            continue
        bounds = [*anchors, (high, right)]
        parts = []
        for here, there in bounds:
            parts.append((low, here, left, there))
            low, left = here, there
        waiting += reversed(parts)
    return list(_parted(pairs, before, after))


def _parted(pairs: Iterable[Pair], before: Sequence[str], after: Sequence[str]) -> Iterator[Pair]:
    """A paragraph that stands once in both versions became no other, wherever it went."""
    old, new = Counter(before), Counter(after)

    def went_elsewhere(text: str) -> bool:
        return bool(text) and old[text] == new[text] == 1

    for pair in pairs:
        if pair.before is None or pair.after is None or before[pair.before] == after[pair.after]:
            yield pair
        elif went_elsewhere(before[pair.before]) or went_elsewhere(after[pair.after]):
            yield Pair(pair.before, None)
            yield Pair(None, pair.after)
        else:
            yield pair


def moved(pairs: Iterable[Pair], before: Sequence[str], after: Sequence[str]) -> dict[Pair, tuple[int, int]]:
    """Paragraphs that left one place and stand, word for word, in another."""
    gone = {before[pair.before]: pair for pair in pairs if pair.before is not None and pair.after is None}
    found = {}
    for pair in pairs:
        if pair.before is None and pair.after is not None and after[pair.after]:
            source = gone.pop(after[pair.after], None)
            if source is not None and source.before is not None:
                found[source] = found[pair] = (source.before, pair.after)
    return found


def similarity(before: str, after: str) -> float:
    """The share of common words (Dice), 1 for equal texts."""
    old, new = before.split(), after.split()
    if not old and not new:
        return 1.0
    return 2 * (Counter(old) & Counter(new)).total() / (len(old) + len(new))


def _common(before: Sequence[str], after: Sequence[str], low: int, high: int, left: int, right: int) -> int:
    count = 0
    while low + count < high and left + count < right and before[low + count] == after[left + count]:
        count += 1
    return count


def _common_end(before: Sequence[str], after: Sequence[str], low: int, high: int, left: int, right: int) -> int:
    count = 0
    while high - count > low and right - count > left and before[high - count - 1] == after[right - count - 1]:
        count += 1
    return count


def _anchors(
    before: Sequence[str], after: Sequence[str], low: int, high: int, left: int, right: int
) -> list[tuple[int, int]]:
    """Paragraphs that stand once in both parts, as many as keep their order."""
    old, new = Counter(before[low:high]), Counter(after[left:right])
    there = {after[n]: n for n in range(left, right) if new[after[n]] == 1}
    common = [(n, there[before[n]]) for n in range(low, high) if old[before[n]] == 1 and before[n] in there]
    return _rising(common)


def _rising(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part in which both numbers rise."""
    tops: list[int] = []
    ends: list[int] = []
    above: list[int] = []
    for n, (_, there) in enumerate(places):
        pile = bisect_left(tops, there)
        above.append(ends[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(there)
            ends.append(n)
        else:
            tops[pile], ends[pile] = there, n
    found = []
    n = ends[-1] if ends else -1
    while n >= 0:
        found.append(places[n])
        n = above[n]
    return found[::-1]


def _paired(before: Sequence[str], after: Sequence[str], old: range, new: range) -> list[Pair]:
    """A part without a common paragraph: the most similar become pairs, then what stands alone on both sides."""
    pairs: dict[int, int] = {}
    if len(old) * len(new) <= _MOST_PAIRINGS:
        # A date written anew may leave hardly a word in common.
        here, there = {i: masked(before[i]) for i in old}, {j: masked(after[j]) for j in new}
        likeness = sorted(
            ((alike, i, j) for i in old for j in new if (alike := similarity(here[i], there[j])) >= SIMILAR),
            key=lambda found: (-found[0], found[1], found[2]),
        )
        taken: set[int] = set()
        for _, i, j in likeness:
            if i not in pairs and j not in taken:
                pairs[i] = j
                taken.add(j)
    return _joined(_in_order(old, new, pairs))


def _in_order(old: range, new: range, pairs: dict[int, int]) -> list[Pair]:
    taken = set(pairs.values())
    found = []
    come = [j for j in new if j not in taken]
    for i in old:
        j = pairs.get(i)
        while come and j is not None and come[0] < j:
            found.append(Pair(None, come.pop(0)))
        found.append(Pair(i, j))
    return found + [Pair(None, j) for j in come]


def _joined(pairs: list[Pair]) -> list[Pair]:
    """Where as many paragraphs went as came, and only a few, each was replaced by the other in its place."""
    found: list[Pair] = []
    start = 0
    while start < len(pairs):
        end = start
        while end < len(pairs) and None in (pairs[end].before, pairs[end].after):
            end += 1
        run = pairs[start:end]
        gone = [pair.before for pair in run if pair.before is not None]
        come = [pair.after for pair in run if pair.after is not None]
        replaced = len(gone) == len(come) <= _MOST_REPLACED
        found += [Pair(i, j) for i, j in zip(gone, come, strict=True)] if replaced else run
        found += pairs[end : end + 1]
        start = end + 1
    return found
