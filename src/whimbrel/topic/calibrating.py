"""Where relevant begins: between what pages score that show the topic and what the other pages of the crawl score.

What a share of words, or any other score, amounts to differs from site to site and from topic to topic. Pages that show
the topic are scored as if each had not been shown (by the others alone); all pages met so far are what they stand out
from. Without pages that show it, what scores far above the rest is relevant.
"""

from collections.abc import Sequence
from math import sqrt

from msgspec import Struct

BETWEEN = 0.4
"""How far from the mean of the rest to that of the examples relevant begins; chosen without data."""
DEVIATIONS = 2.0
FEWEST = 20
"""Pages met before anything is said of the rest."""


class ScoresMet:
    """Scores of all pages met, as their number, mean and spread (Welford, 1962)."""

    def __init__(self, pages: int = 0, average: float = 0.0, squares: float = 0.0) -> None:
        self.pages, self.average, self.squares = pages, average, squares

    def note(self, score: float) -> None:
        self.pages += 1
        off = score - self.average
        self.average += off / self.pages
        self.squares += off * (score - self.average)

    @property
    def spread(self) -> float:
        return sqrt(self.squares / self.pages) if self.pages else 0.0


class Bar(Struct, frozen=True):
    """The score from which on a page is relevant, and where it comes from: given by hand, or from what pages that show
    the topic (`shown`) and all pages met so far (`rest`) score on average. `open`: nothing can be said yet."""

    at: float
    given: bool = False
    shown: float | None = None
    rest: float | None = None

    @property
    def open(self) -> bool:
        return self.at <= 0

    def words(self) -> str:
        """For a person to read, who compares it with that of another page."""
        if self.given:
            return f"{self.at:.3f} is needed, as was asked for"
        if self.open:
            return "too few pages were met to say how much is needed: it has to say all that was asked for"
        rest = "none was met" if self.rest is None else f"they score {self.rest:.3f}"
        if self.shown is None:
            return f"{self.at:.3f} was needed by then: far above the pages met before ({rest})"
        shown = f"those that show it ({self.shown:.3f})"
        return f"{self.at:.3f} was needed by then: between the pages met before ({rest}) and {shown}"


def bar(shown: Sequence[float], rest: ScoresMet, between: float = BETWEEN) -> Bar:
    """`shown` are the scores of the pages that show the topic."""
    known = rest.pages >= FEWEST
    below = rest.average if known else 0.0
    if shown:
        top = sum(shown) / len(shown)
        return Bar(below + between * max(0.0, top - below), shown=top, rest=below if known else None)
    return Bar(below + DEVIATIONS * rest.spread if known else 0.0, rest=below if known else None)


def strength(score: float, at: float, shown: float) -> float:
    """How surely a page is relevant, from 0 to 1: a half at the threshold, all of it where the examples are."""
    if score >= at:
        return min(1.0, 0.5 + 0.5 * (score - at) / (shown - at)) if shown > at else 1.0
    return 0.5 * score / at
