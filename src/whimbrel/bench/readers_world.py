"""Simulated readers whose wishes are known: what they look at, open and do, as the log would hold it.

A question has ten candidates from a real search, with the scores that text, links and freshness gave them. A wish is
one of them: that page and the one most like it are of grade 2, the next three of grade 1, the rest of grade 0. Where
the start order fits the wish, it is the page that the question was made from; where it does not, any of the ten.

Three kinds of readers: `position` looks at each place by itself; `cascade` goes down from the first and stops at the
first page that is opened; `dependent` goes down and, having opened one, goes on half of the time. (`patient`, who goes
on three times of four, is for choosing constants.)
"""

import random
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from whimbrel.behaviour.exploring import Believed, explored
from whimbrel.records.deed import Action, Deed
from whimbrel.records.url import Url

PLACES = 10
CURVES: Mapping[str, tuple[float, ...]] = {
    "1/√k": tuple((k + 1) ** -0.5 for k in range(PLACES)),
    "1/k": tuple(1.0 / (k + 1) for k in range(PLACES)),
    "0.8ᵏ": tuple(0.8**k for k in range(PLACES)),
    "fold": (1.0, 1.0, 0.9, 0.9, 0.4, 0.4, 0.3, 0.3, 0.2, 0.2),
    "1/k^¾": tuple((k + 1) ** -0.75 for k in range(PLACES)),
    "0.7ᵏ": tuple(0.7**k for k in range(PLACES)),
}
"""How likely a place is looked at. `fold`: what fits on the screen, and what does not. Constants are chosen with the
last two, and judged with the others."""
GOING_ON = {"position": 1.0, "cascade": 0.0, "dependent": 0.5, "patient": 0.75}
"""How likely a reader who opened a page goes on to the next one."""
APPEAL = (0.05, 0.4, 0.75)
"""How likely a page of each grade is opened by who looks at it."""
AT_RANDOM = 0.4
GRADES = (2, 2, 1, 1, 1, 0, 0, 0, 0, 0)
"""Of the candidates, the most like the wish first."""
DOES: Mapping[Action, tuple[float, float, float]] = {
    Action.SCROLL: (0.4, 0.7, 0.9), Action.COPY: (0.02, 0.12, 0.35), Action.FIND: (0.05, 0.1, 0.15),
    Action.HYPERLINK: (0.2, 0.25, 0.25), Action.CLICK: (0.2, 0.3, 0.4), Action.FAVOURITE: (0.01, 0.04, 0.15),
    Action.PRINT: (0.005, 0.02, 0.06), Action.SAVE: (0.005, 0.03, 0.1), Action.BACK: (0.8, 0.4, 0.2),
}  # fmt: skip
"""How likely each action is on an opened page, by its grade."""
READ_SHARE = (0.05, 0.25, 0.7)
"""Of the words of a page, the share that is read, by grade; its logarithm varies by 0.7."""
GIVES_STARS = 0.1
STARS = (1, 3, 5)
WORDS_A_SECOND = 4.0


class Candidates(Struct, frozen=True):
    """A question and its first ten answers: scores without readers, words, and how alike each two are. `wanted` is the
    place, from 0, of the page that the question was made from."""

    query: str
    urls: tuple[Url, ...]
    scores: tuple[float, ...]
    words: tuple[int, ...]
    alike: tuple[tuple[float, ...], ...]
    wanted: int


class World(Struct, frozen=True):
    """Who reads: how they go through the answers, how attention falls, the share of decisions that are made by chance,
    and whether the start order fits what they wish for."""

    model: str
    curve: str
    noise: float
    fitting: bool

    @property
    def name(self) -> str:
        order = "fitting" if self.fitting else "chance"
        return f"{self.model}, {self.curve}, noise {self.noise:g}, start order {order}"


JUDGED = tuple(
    World(model, curve, noise, fitting)
    for model, curve in (
        ("position", "1/√k"), ("position", "1/k"), ("position", "0.8ᵏ"), ("position", "fold"),
        ("cascade", "1/√k"), ("dependent", "1/√k"), ("dependent", "0.8ᵏ"),
    )
    for noise in (0.0, 0.1, 0.3)
    for fitting in (False, True)
)  # fmt: skip
CHOSEN_ON = tuple(
    World(model, curve, 0.2, fitting)
    for model, curve in (("position", "1/k^¾"), ("position", "0.7ᵏ"), ("patient", "0.7ᵏ"), ("patient", "1/k^¾"))
    for fitting in (False, True)
)


def wishes(questions: Sequence[Candidates], world: World, chance: random.Random) -> list[tuple[int, ...]]:
    """The grades of the candidates of each question."""
    return [graded(one, one.wanted if world.fitting else chance.randrange(len(one.urls))) for one in questions]


def graded(question: Candidates, wish: int) -> tuple[int, ...]:
    nearest = sorted(range(len(question.urls)), key=lambda at: (at != wish, -question.alike[wish][at], at))
    grades = dict(zip(nearest, GRADES, strict=True))
    return tuple(grades[at] for at in range(len(question.urls)))


class Crowd:
    """Readers, each new to every question; what they do is drawn from `chance`. `explore` is the share of answers in
    which a page is tried at another place, by what is `believed` of the pages for a question."""

    def __init__(self, world: World, chance: random.Random, explore: float) -> None:
        self.world = world
        self.chance = chance
        self.explore = explore
        self.readers = 0
        self.believed: Mapping[tuple[str, Url], Believed] = {}
        self._curve = CURVES[world.curve]

    def session(
        self, question: Candidates, grades: Sequence[int], order: Sequence[int]
    ) -> tuple[list[Deed], list[int]]:
        """Somebody asks, is shown the candidates in this order, and reads: what the log holds, and what they opened."""
        self.readers += 1
        known = [self.believed.get((question.query, question.urls[page])) for page in order]
        shown = explored(order, known, self.explore, self.chance)
        at = 4000.0 * self.readers
        told = [self._deed(question, page, Action.SHOWN, at, 1.0, place + 1) for place, page in enumerate(shown)]
        opened = [shown[place] for place in self.looked([grades[page] for page in shown])]
        for page in opened:
            told.append(self._deed(question, page, Action.OPENED, at + 1.0, 1.0, 1 + shown.index(page)))
            told += self._read(question, page, grades[page], at + 2.0)
        return told, opened

    def looked(self, grades: Sequence[int]) -> list[int]:
        """The places that are opened."""
        if self.world.model == "position":
            seen = (place for place in range(len(grades)) if self.chance.random() < self._curve[place])
            return [place for place in seen if self._is_drawn(grades[place])]
        return list(self._down(grades))

    def _down(self, grades: Sequence[int]) -> Iterator[int]:
        for place, grade in enumerate(grades):
            if place and self.chance.random() >= self._curve[place] / self._curve[place - 1]:
                return
            if self._is_drawn(grade):
                yield place
                if self.chance.random() >= GOING_ON[self.world.model]:
                    return

    def _is_drawn(self, grade: int) -> bool:
        return self.chance.random() < (AT_RANDOM if self.by_chance() else APPEAL[grade])

    def by_chance(self) -> bool:
        return self.chance.random() < self.world.noise

    def _read(self, question: Candidates, page: int, grade: int, at: float) -> Iterator[Deed]:
        felt = self.chance.randrange(len(APPEAL)) if self.by_chance() else grade
        for action, likely in DOES.items():
            if self.chance.random() < likely[felt]:
                yield self._deed(question, page, action, at, 1.0)
        share = min(1.0, READ_SHARE[felt] * self.chance.lognormvariate(0.0, 0.7))
        seconds = max(1.0, share * question.words[page] / WORDS_A_SECOND)
        yield self._deed(question, page, Action.ACTIVE, at, seconds)
        if self.chance.random() < GIVES_STARS:
            yield self._deed(question, page, Action.STARS, at, float(STARS[felt]))

    def _deed(self, question: Candidates, page: int, action: Action, at: float, amount: float, rank: int = 0) -> Deed:
        return Deed(self.readers, at, question.urls[page], 1, action, amount, question.query, rank)


def start_order(question: Candidates) -> list[int]:
    return sorted(range(len(question.urls)), key=lambda at: (-question.scores[at], at))
