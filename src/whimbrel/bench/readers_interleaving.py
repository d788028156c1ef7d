"""Which weight readers prefer: two orders shown as one, and whose pages they open (Radlinski, Kurup and Joachims, "How
does clickthrough data reflect retrieval quality?", 2008: team draft)."""

import random
from collections.abc import Mapping, Sequence

from msgspec import Struct

from whimbrel.bench.readers_judging import Grades, Mean, Worth, mean, ordered
from whimbrel.bench.readers_world import Candidates, Crowd

WEIGHTS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
MOST_LOST = 0.005
"""Of nDCG, to readers who click at random: what a weight may cost where there is nothing to hear. Half of what may be
lost where it is judged, since readers there are others."""


class Preferred(Struct, frozen=True):
    """How many more looks were won by the order with this weight than by the one without, as a share of all; and what
    nDCG@10 it costs, at worst, where readers click at random."""

    weight: float
    won: Mean
    lost: float = 0.0


def team_draft(one: Sequence[int], other: Sequence[int], chance: random.Random) -> tuple[list[int], Mapping[int, bool]]:
    """Both orders as one, and which pages are the other's: each picks its best that is left, in turns drawn by lot."""
    shown: list[int] = []
    theirs: dict[int, bool] = {}
    picked = {False: 0, True: 0}
    while len(shown) < len(one):
        turn = picked[True] < picked[False] or (picked[True] == picked[False] and chance.random() < 0.5)
        page = next(page for page in (other if turn else one) if page not in theirs)
        shown.append(page)
        theirs[page] = turn
        picked[turn] += 1
    return shown, theirs


def preference(
    crowd: Crowd,
    questions: Sequence[Candidates],
    grades: Grades,
    worth: Worth,
    weights: tuple[float, float],
    looks: int,
) -> list[float]:
    """Of each look 1 where the order with the second weight won, -1 where that with the first did, 0 for neither."""
    told = []
    for question, row in zip(questions, grades, strict=True):
        one, other = (ordered(question, worth, weight) for weight in weights)
        for _ in range(looks):
            shown, theirs = team_draft(one, other, crowd.chance)
            opened = [shown[place] for place in crowd.looked([row[page] for page in shown])]
            lead = sum(1 if theirs[page] else -1 for page in opened)
            told.append(float((lead > 0) - (lead < 0)))
    return told


def chosen(preferred: Sequence[Preferred]) -> float:
    """The least weight that is not surely worse than the best of those that cost little where readers click at random;
    0 where none surely wins against none."""
    safe = [each for each in preferred if each.lost <= MOST_LOST]
    best = max(safe, key=lambda each: each.won.mean, default=None)
    if best is None or best.won.mean - best.won.within <= 0.0:
        return 0.0
    return min(each.weight for each in safe if each.won.mean >= best.won.mean - best.won.within)


def preferred(won: Mapping[float, Sequence[float]], lost: Mapping[float, float]) -> list[Preferred]:
    return [Preferred(weight, mean(told), lost.get(weight, 0.0)) for weight, told in won.items() if told]
