"""Which actions go together on a page, and the weight that makes (P0 ch. 6).

Apriori (Agrawal and Srikant, "Fast algorithms for mining association rules", 1994): a set is frequent when enough
baskets hold all of it, and it can be so only if all its parts are. The page's weight is the sum of the confidences of
the rules "who did this part did all of the largest frequent set" that reach the least confidence.

Baskets are held item by item, each a whole number with one bit a basket: what two items share is one `and`.
"""

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import combinations

from msgspec import Struct

MIN_SUPPORT = 0.2
MIN_CONFIDENCE = 0.6
MOST_SETS = 50_000
MOST_ITEMS = 16
"""A set of n items has 2ⁿ − 2 rules; more than sixteen things that all readers do alike say no more than sixteen."""

Item = Hashable
Itemset = tuple[Item, ...]


class Association(Struct, frozen=True):
    """Of those who did `given`, a share of `confidence` did all of the set; `support` baskets hold the whole set."""

    given: Itemset
    then: Itemset
    support: int
    confidence: float


class Mined(Struct, frozen=True):
    """Frequent sets with the number of baskets that hold each; the set that was weighed, its rules, and their sum."""

    frequent: dict[Itemset, int]
    largest: Itemset
    rules: list[Association]
    weight: float


class Unminable(Struct, frozen=True):
    """Why no patterns are given, in words."""

    reason: str


def mine(
    baskets: Sequence[Collection[Item]], min_support: float = MIN_SUPPORT, min_confidence: float = MIN_CONFIDENCE
) -> Mined | Unminable:
    """A support that is a whole number is a count of baskets, a fraction a share of them."""
    if not 0.0 <= min_confidence <= 1.0:
        return Unminable("the least confidence is a share from 0 to 1")
    least = least_count(min_support, len(baskets))
    if isinstance(least, Unminable):
        return least
    found = frequent_sets(baskets, least)
    if isinstance(found, Unminable):
        return found
    if not found:
        return Mined({}, (), [], 0.0)
    size = max(map(len, found))
    if size > MOST_ITEMS:
        return Unminable(f"{size} items are always together, and rules are made for {MOST_ITEMS} at most")
    highest = max(count for items, count in found.items() if len(items) == size)
    weighed = [
        (items, associations(items, found, min_confidence))
        for items, count in found.items()
        if len(items) == size and count == highest
    ]
    largest, rules = max(weighed, key=lambda each: _sum(each[1]))  # the first of equals, in the order of items
    return Mined(found, largest, rules, _sum(rules))


def least_count(min_support: float, baskets: int) -> int | Unminable:
    if not math.isfinite(min_support) or min_support <= 0:
        return Unminable("the least support is above 0: a whole number of baskets, or a share below 1")
    if min_support >= 1:
        if min_support != int(min_support):
            return Unminable("a support above 1 is a number of baskets, and that is whole")
        return int(min_support)
    return max(1, math.ceil(min_support * baskets - 1e-9))


def frequent_sets(baskets: Iterable[Collection[Item]], least: int) -> dict[Itemset, int] | Unminable:
    """Every set that at least so many baskets hold, small ones first, items in the order of their first basket."""
    level: dict[Itemset, int] = {(item,): bits for item, bits in _columns(baskets, least).items()}
    found = {items: bits.bit_count() for items, bits in level.items()}
    while level:
        level = _joined(level, found, least)
        found.update((items, bits.bit_count()) for items, bits in level.items())
        if len(found) > MOST_SETS:
            return Unminable(f"more than {MOST_SETS:,} sets are frequent: raise the least support")
    return found


def associations(items: Itemset, counts: Mapping[Itemset, int], min_confidence: float) -> list[Association]:
    support = counts[items]
    made = []
    for size in range(1, len(items)):
        for given in combinations(items, size):
            confidence = support / counts[given]
            if confidence >= min_confidence - 1e-12:
                made.append(Association(given, tuple(item for item in items if item not in given), support, confidence))
    return made


def _columns(baskets: Iterable[Collection[Item]], least: int) -> dict[Item, int]:
    holding: dict[Item, list[int]] = {}
    number = 0
    for number, items in enumerate(baskets, 1):
        for item in dict.fromkeys(items):
            holding.setdefault(item, []).append(number - 1)
    return {item: _bits(places, number) for item, places in holding.items() if len(places) >= least}


def _bits(places: Iterable[int], size: int) -> int:
    marks = bytearray(b"0") * size
    for place in places:
        marks[place] = 49  # "1"
    return int(marks, 2)


def _joined(level: dict[Itemset, int], found: Mapping[Itemset, int], least: int) -> dict[Itemset, int]:
    """Sets one item larger: those that share all but their last item, if every part of them is frequent."""
    larger: dict[Itemset, int] = {}
    families: dict[Itemset, list[tuple[Item, int]]] = {}
    for items, bits in level.items():
        families.setdefault(items[:-1], []).append((items[-1], bits))
    for shared, members in families.items():
        for (one, left), (other, right) in combinations(members, 2):
            joined = (*shared, one, other)
            # A part that is rare makes the whole rare.
            if any(joined[:at] + joined[at + 1 :] not in found for at in range(len(shared))):
                continue
            bits = left & right
            if bits.bit_count() >= least:
                larger[joined] = bits
        if len(larger) + len(found) > MOST_SETS:
            return larger
    return larger


def _sum(rules: Iterable[Association]) -> float:
    return math.fsum(rule.confidence for rule in rules)
