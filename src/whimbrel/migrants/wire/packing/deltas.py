"""Numbers that grow by little, as their steps: small ones, alike, of which a compressor makes nearly nothing."""

from collections.abc import Iterable
from itertools import accumulate


def steps(numbers: Iterable[int]) -> list[int]:
    before, found = 0, []
    for number in numbers:
        found.append(number - before)
        before = number
    return found


def walked(found: Iterable[int]) -> list[int]:
    return list(accumulate(found))
