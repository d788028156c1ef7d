"""The scorer beside the papers' formula: what tells pages of the topic from the others, learned while crawling.

The words of the topic are those that were asked for and those of the pages that show it (Rocchio, 1971), each weighed
by how rare it is among the pages met so far, and counted as BM25 counts (Robertson and Zaragoza, 2009), words in the
title, in the address and in links to the page as several. Where nobody showed a page, the ones that say most of what
was asked for stand in, and are chosen anew as better ones come (pseudo-relevance feedback).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from heapq import nlargest
from math import log
from operator import itemgetter

from msgspec import Struct

from whimbrel.topic.calibrating import Bar, ScoresMet, bar
from whimbrel.topic.counting import Counts, PageWords
from whimbrel.topic.relevance import Relevance, said

TERMS = 150
"""Words of a page that may show the topic."""
SATURATION, LENGTH = 1.2, 0.6
ASKED = 1.0
SHOWN = 1.0
"""What the words asked for, and those of the examples, weigh in all beside each other."""
ADOPTED = 5
USUAL_LENGTH = 400.0
MOST_KNOWN, MOST_TOLD = 20_000, 2_000
SHOWN_PARTS = 4
NOTHING = 1e-9
"""What is left where the same is taken away again."""
ALL_LEARNED, LEARNED_EVERY = 100, 4
"""How rare words are is learned from the first pages, and then from one in so many: a share hardly moves any more."""


class Sample(Struct, frozen=True, array_like=True):
    """A page by as many of its words as tell what it is about."""

    length: int
    counts: dict[str, int]


class Learnt(Struct, frozen=True, array_like=True):
    """All that a model has learned, small enough to travel."""

    pages: int
    learned: int
    length: float
    known: dict[str, int]
    adopted: list[tuple[float, Sample]]
    scores: tuple[int, float, float]


class TopicModel:
    """Scores pages from 0 to 1, and learns from each: how long pages are, and on how many each word stands."""

    def __init__(self, asked: Mapping[str, float], examples: Sequence[Sample], learnt: Learnt | None = None) -> None:
        """`asked` are the words of the keyword table that were asked for or are related to them, with their weights."""
        self._asked = dict(asked)
        self._own = {term: weight for term, weight in asked.items() if weight >= ASKED}
        self._examples = list(examples)
        before = learnt or Learnt(0, 0, 0.0, {}, [], (0, 0.0, 0.0))
        self._pages, self._learned, self._length = before.pages, before.learned, before.length
        self._known: Counter[str] = Counter(before.known)
        self._adopted = list(before.adopted)
        self._rest = ScoresMet(*before.scores)
        self._weights: dict[str, float] = {}
        self._terms: frozenset[str] = frozenset()
        self._whole = 1.0
        self._shown: list[float] = []
        self.fit()

    # Pages.

    def relevance(self, page: PageWords) -> Relevance:
        counts, plain = page.of(self._terms)
        worth = self._worth(counts, page.length, self._weights)
        ranked = sorted([(-value, term) for term, value in worth.items()])[:SHOWN_PARTS]
        parts = tuple([(term, -value / self._whole) for value, term in ranked])
        return Relevance(min(1.0, sum(worth.values()) / self._whole), parts, said(plain))

    def score(self, counts: Counts, length: int) -> float:
        """Of a page whose words were counted before, the score alone."""
        return min(1.0, sum(self._worth(counts, length, self._weights).values()) / self._whole)

    @property
    def vocabulary(self) -> frozenset[str] | None:
        """All that will ever be asked of a page; None where pages still to be met may add to it."""
        if len(self._examples) < 2:
            return None
        return frozenset(self._asked).union(*(one.counts for one in self._examples))

    def says_all(self, page: PageWords) -> bool:
        """Whether a page says all that was asked for."""
        return bool(self._own) and len(page.of(self._own)[0]) == len(self._own)

    def take_in(self, page: PageWords, score: float) -> None:
        """Learn from a page that was scored."""
        self._pages += 1
        self._length += page.length
        self._rest.note(score)
        if self._pages <= ALL_LEARNED or self._pages % LEARNED_EVERY == 0:
            self._learn(page.forms())
        if len(self._examples) < 2 and self.says_all(page):
            self._consider(page)

    def _learn(self, forms: set[str]) -> None:
        self._learned += 1
        self._known.update(forms if len(self._known) < MOST_KNOWN else forms & self._known.keys())

    def _consider(self, page: PageWords) -> None:
        """Pages that say all of what was asked for, most of all where it counts, stand in for examples."""
        counts, length = page.joined, page.length
        worth = sum(self._worth(page.of(self._own)[0], length, self._by_rarity(self._own)).values())
        if len(self._adopted) < ADOPTED or worth > self._adopted[-1][0]:
            self._adopted.append((worth, Sample(length, _telling(counts, self._idf))))
            self._adopted = nlargest(ADOPTED, self._adopted, key=lambda pair: pair[0])

    # What was learned.

    @property
    def bar(self) -> Bar:
        return bar(self._shown, self._rest)

    @property
    def shown(self) -> float:
        """What the pages that show the topic score."""
        return sum(self._shown) / len(self._shown) if self._shown else max(1e-6, 2 * self.bar.at)

    def fit(self) -> None:
        """Weighs the words anew, by what is known of their rarity now."""
        samples = self._samples()
        usual = self._usual
        each = [_saturated(one.counts, _half(one.length, usual)) for one in samples]
        together: dict[str, float] = {}
        for one in each:
            for term, value in one.items():
                together[term] = together.get(term, 0.0) + value
        rarity = {term: self._idf(term) for term in (*together, *self._asked)}
        self._weights = self._weighed(together, rarity)
        self._terms = frozenset(self._weights)
        self._whole = sum(self._weights.values()) or 1.0
        self._shown = [self._left_out(one, together, rarity) for one in each]

    def learnt(self) -> Learnt:
        rest = self._rest
        commonest = sorted(self._known.items(), key=itemgetter(1), reverse=True)[:MOST_TOLD]
        known = dict(commonest) | {term: self._known[term] for term in self._weights if term in self._known}
        return Learnt(
            self._pages, self._learned, self._length, known, self._adopted, (rest.pages, rest.average, rest.squares)
        )

    def _samples(self) -> list[Sample]:
        return [*self._examples, *(sample for _, sample in self._adopted if len(self._examples) < 2)]

    def _weighed(self, shown: Mapping[str, float], rarity: Mapping[str, float]) -> dict[str, float]:
        """What each word weighs: half by what was asked for, half by what the examples say (`shown`), by its rarity."""
        asked = sum(self._asked.values()) or 1.0
        whole = sum(shown.values()) or 1.0
        weights = {term: SHOWN * value / whole for term, value in shown.items()}
        for term, weight in self._asked.items():
            weights[term] = weights.get(term, 0.0) + ASKED * weight / asked
        return _heaviest({term: weight * rarity[term] for term, weight in weights.items()})

    def _left_out(self, own: Mapping[str, float], together: Mapping[str, float], rarity: Mapping[str, float]) -> float:
        """What an example would score, had it not been shown. `own` is what it says, `together` what all say."""
        others = {term: left for term, value in together.items() if (left := value - own.get(term, 0.0)) > NOTHING}
        weights = self._weighed(others, rarity)
        return sum(weights[term] * own[term] for term in weights.keys() & own.keys()) / (sum(weights.values()) or 1.0)

    def _by_rarity(self, weights: Mapping[str, float]) -> dict[str, float]:
        return _heaviest({term: weight * self._idf(term) for term, weight in weights.items()})

    def _worth(self, counts: Counts, length: int, weights: Mapping[str, float]) -> dict[str, float]:
        half = _half(length, self._usual)
        return {term: weights[term] * count / (count + half) for term, count in counts.items() if term in weights}

    def _idf(self, term: str) -> float:
        return log(1 + (self._learned + 1) / (self._known[term] + 0.5))

    @property
    def _usual(self) -> float:
        return self._length / self._pages if self._pages else USUAL_LENGTH


def sample_of(page: PageWords) -> Sample:
    """A page that shows the topic, as it travels."""
    return Sample(page.length, _telling(page.joined, lambda term: 1.0))


def _telling(counts: Counts, rarity: Callable[[str], float]) -> dict[str, int]:
    return dict(nlargest(2 * TERMS, counts.items(), key=lambda pair: (pair[1] * rarity(pair[0]), pair[0])))


def _heaviest(weights: Mapping[str, float]) -> dict[str, float]:
    return {term: -weight for weight, term in sorted([(-weight, term) for term, weight in weights.items()])[:TERMS]}


def _saturated(counts: Counts, half: float) -> dict[str, float]:
    return {term: count / (count + half) for term, count in counts.items()}


def _half(length: int, usual: float) -> float:
    """So often a word counts half of what it can count at most, in a page of this length."""
    return SATURATION * (1 - LENGTH + LENGTH * length / usual)
