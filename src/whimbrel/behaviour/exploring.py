"""A little exploration: now and then two neighbours among the answers change places.

A page that only ever stood at one place says nothing of how much the place did for it. Neighbours cost least: what was
first is second at worst.
"""

from collections.abc import Sequence
from typing import TypeVar

Shown = TypeVar("Shown")


def exchanged(count: int, share: float, chance: float) -> int | None:
    """The place, from 0, of the page that changes with the one below it; None most of the time.

    `chance` is a number from 0 up to 1, each as likely as the others, that decides both whether and where.
    """
    if count < 2 or not 0.0 <= chance < share:
        return None
    return min(count - 2, int(chance / share * (count - 1)))


def with_neighbours_exchanged(answers: Sequence[Shown], share: float, chance: float) -> list[Shown]:
    at = exchanged(len(answers), share, chance)
    if at is None:
        return list(answers)
    return [*answers[:at], answers[at + 1], answers[at], *answers[at + 2 :]]
