"""What a bench was to reach, and whether it did: one record for every bench, so that a script can read them all alike.

Every bench module has `goals(report) -> list[Goal]`. What was not measured in a run has no goal in it; where nothing is
to be reached, the list is empty.
"""

from collections.abc import Iterable

from msgspec import Struct


class Goal(Struct, frozen=True):
    """`figure` names what was measured, with its unit; `goal` is words like "≥ 0.95"."""

    figure: str
    value: float
    goal: str | float
    reached: bool


def at_least(figure: str, value: float, least: float) -> Goal:
    return Goal(figure, value, f"≥ {shown(least)}", value >= least)


def at_most(figure: str, value: float, most: float) -> Goal:
    return Goal(figure, value, f"≤ {shown(most)}", value <= most)


def below(figure: str, value: float, bound: float) -> Goal:
    return Goal(figure, value, f"< {shown(bound)}", value < bound)


def holds(figure: str, faults: int) -> Goal:
    """A promise that not one case may break; `faults` did."""
    return Goal(figure, faults, "none", faults == 0)


def lines(goals: Iterable[Goal]) -> list[str]:
    """The goals as a person reads them; a missed one stands out."""
    return [
        f"{'goal reached' if goal.reached else 'goal NOT reached':18}{goal.figure}: {shown(goal.value)}, "
        f"goal {goal.goal if isinstance(goal.goal, str) else shown(goal.goal)}"
        for goal in goals
    ]


def shown(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
