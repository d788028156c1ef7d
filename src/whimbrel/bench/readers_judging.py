"""How well a way of hearing readers knows what they wish for: agreement of pairs, and the order that it makes."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, stdev

from msgspec import Struct

from whimbrel.behaviour.exploring import Believed
from whimbrel.behaviour.opinions import ANY, Opinions, PageOpinion, for_question, opinions
from whimbrel.behaviour.reading import NEUTRAL
from whimbrel.bench.readers_world import Candidates
from whimbrel.records.deed import Action, Deed
from whimbrel.records.url import Url

Worth = dict[tuple[str, Url], float]
"""By question and page."""
Grades = Sequence[Sequence[int]]


class Heard(Struct, frozen=True):
    """What each way makes of one log: a value from 0 to 1 for (question, page), ½ where it says nothing. `appeal` is
    what clicks alone say once the place is taken out, `counts` how often a page was opened, `believed` what exploration
    goes by."""

    values: dict[str, Worth]
    appeal: Worth
    counts: Worth
    believed: dict[tuple[str, Url], Believed]


WAYS = ("no weight", "hit count", "stars", "paper's weight", "ours")


def heard(deeds: Sequence[Deed], words: Callable[[Url], int]) -> Heard:
    made = opinions(deeds, words)
    counts: Worth = defaultdict(float)
    given: dict[tuple[str, Url], list[float]] = defaultdict(list)
    for deed in deeds:
        if deed.action is Action.OPENED:
            counts[deed.query, deed.page] += 1.0
        elif deed.action is Action.STARS:
            given[deed.query, deed.page].append(deed.amount)
    most: dict[str, float] = defaultdict(float)
    for (query, _), count in counts.items():
        most[query] = max(most[query], count)
    return Heard(
        {
            "no weight": {},
            "hit count": {pair: count / most[pair[0]] for pair, count in counts.items()},
            "stars": {pair: (fmean(stars) - 1.0) / 4.0 for pair, stars in given.items()},
            "paper's weight": _papers(made),
            "ours": _ours(made),
        },
        {pair: opinion.clicks for pair, opinion in made.items() if pair[0] != ANY},
        counts,
        {pair: opinion.believed for pair, opinion in made.items() if opinion.believed is not None},
    )


def _papers(made: Opinions) -> Worth:
    """Of the page, and of the page for the question where it is one of those asked most."""
    return {(query, page): made.get((query, page), PageOpinion()).pattern for query, page in made}


def _ours(made: Opinions) -> Worth:
    """As `readers.voices` puts them together."""
    worth: Worth = {}
    for query, page in made:
        if query == ANY:
            continue
        worth[query, page] = for_question(made.get((ANY, page)), made[query, page]).value
    return worth


def agreement(worth: Mapping[tuple[str, Url], float], questions: Sequence[Candidates], grades: Grades,
              among: Mapping[tuple[str, Url], float] | None = None) -> float:  # fmt: skip
    """Goodman and Kruskal's γ over pairs of different grade; pairs that are worth the same are left out, and so are
    those that `among` leaves equal."""
    right = wrong = 0
    for question, row in zip(questions, grades, strict=True):
        mine = [worth.get((question.query, url), 0.0) for url in question.urls]
        others = [among.get((question.query, url), 0.0) for url in question.urls] if among is not None else None
        for one, grade in enumerate(row):
            for other in range(one):
                if grade == row[other] or (others is not None and others[one] == others[other]):
                    continue
                difference = (mine[one] - mine[other]) * (grade - row[other])
                right, wrong = right + (difference > 0), wrong + (difference < 0)
    return (right - wrong) / max(1, right + wrong)


def ordered(question: Candidates, worth: Mapping[tuple[str, Url], float], weight: float) -> list[int]:
    """As the fused score orders them."""
    scores = [
        score + weight * worth.get((question.query, url), NEUTRAL)
        for url, score in zip(question.urls, question.scores, strict=True)
    ]
    return sorted(range(len(scores)), key=lambda at: (-scores[at], at))


def ndcg(order: Sequence[int], grades: Sequence[int]) -> float:
    return _gain([grades[at] for at in order]) / max(1e-9, _gain(sorted(grades, reverse=True)))


def _gain(grades: Iterable[int]) -> float:
    return math.fsum((2**grade - 1) / math.log2(place + 2) for place, grade in enumerate(grades))


class Mean(Struct, frozen=True):
    """A mean with the half-width of its 95 % interval, over n."""

    mean: float
    within: float
    n: int


def mean(values: Sequence[float]) -> Mean:
    spread = 1.96 * stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return Mean(fmean(values) if values else 0.0, spread, len(values))
