"""How much of a page changed, in six degrees (P1 §2, after Fetterly and others 2003: none, nothing in the text, and
the text by thirds of what stayed)."""

from collections.abc import Collection
from typing import Literal, get_args

Degree = Literal["none", "trivial", "small", "medium", "large", "complete"]
DEGREES: tuple[Degree, ...] = get_args(Degree)

UNREAD = frozenset({"presentation", "behavioural"})
"""Kinds of change that leave every word and link as it was: recorded, and told to those who ask for them."""


def is_read(kinds: Collection[str]) -> bool:
    return not UNREAD.issuperset(kinds)


def degree(kinds: Collection[str], amount: float) -> Degree:
    if not kinds:
        return "none"
    if UNREAD.issuperset(kinds):
        return "trivial"
    if amount >= 1:
        return "complete"
    return "small" if amount < 1 / 3 else "medium" if amount < 2 / 3 else "large"


def at_least(least: Degree) -> frozenset[Degree]:
    return frozenset(DEGREES[DEGREES.index(least) :])
