"""Sites that change: simulated, and replayed from dated histories."""

import gzip
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime
from enum import Enum
from math import exp
from pathlib import Path
from random import Random

from msgspec import Struct

DAY = 86_400.0
TICK = DAY / 4
YEAR = 365.25 * DAY


class Manner(Struct, frozen=True):
    """How a site announces changes: the share it announces, false alarms for each true change, or at every look."""

    name: str
    recall: float
    false_by_change: float
    always: bool = False


MANNERS = (
    Manner("honest", 0.9, 0.1),
    Manner("careless", 0.5, 1.0),
    Manner("mute", 0.0, 0.0),
    Manner("always now", 0.0, 0.0, always=True),
)


class WorldPage(Struct, frozen=True):
    """`rates` are (from when, changes a second), for those who are told; `changes` and `signals` are moments."""

    importance: float
    manner: Manner
    rates: tuple[tuple[float, float], ...]
    changes: tuple[float, ...]
    signals: tuple[float, ...]

    def rate(self, now: float) -> float:
        return next(rate for start, rate in reversed(self.rates) if start <= now)


class FreshnessWorld(Struct, frozen=True):
    """Pages from moment 0 to `length`; each tick pays for `visits`. Figures are taken from `learned` on."""

    name: str
    seed: int
    pages: tuple[WorldPage, ...]
    length: float
    tick: float
    visits: int
    learned: float


class ImportanceSpread(Enum):
    """How importance is spread over pages. By requests as Azar and others have it (PNAS 2018): freshness is then the
    share of requests that are answered with the present page, and requests follow Zipf's law."""

    ALIKE = "alike"
    PARETO = "pareto"
    ZIPF = "zipf"


class WorldScale(Struct, frozen=True):
    pages: int = 120
    ticks: int = 700
    visits: int = 6


Changes = tuple[list[float], list[tuple[float, float]]]
"""Moments of change, and the rates they come from."""


def _poisson(dice: Random, rate: float, start: float, end: float) -> list[float]:
    moments: list[float] = []
    at = start + dice.expovariate(rate)
    while at < end:
        moments.append(at)
        at += dice.expovariate(rate)
    return moments


def _steady(dice: Random, rate: float, length: float) -> Changes:
    return _poisson(dice, rate, 0.0, length), [(0.0, rate)]


def _bursts(dice: Random, rate: float, length: float) -> Changes:
    """Changes come five at a time, within hours."""
    moments = []
    for start in _poisson(dice, rate / 5, 0.0, length):
        at = start
        while True:
            moments.append(at)
            at += dice.expovariate(1 / (DAY / 12))
            if dice.random() < 0.2:
                break
    return sorted(moment for moment in moments if moment < length), [(0.0, rate)]


def _daily(dice: Random, rate: float, length: float) -> Changes:
    """Changes come in ten hours of the day, five days a week."""
    opens = dice.choice((6, 8, 14)) / 24 * DAY
    share = 10 / 24 * 5 / 7
    moments = _poisson(dice, rate / share, 0.0, length)
    return [m for m in moments if (m - opens) % DAY < 10 / 24 * DAY and m % (7 * DAY) < 5 * DAY], [(0.0, rate)]


def _drift(dice: Random, rate: float, length: float) -> Changes:
    """Every thirty days the rate moves, by a factor of two in the usual case, around where it began."""
    moments: list[float] = []
    rates: list[tuple[float, float]] = []
    start, moved = 0.0, 0.0
    while start < length:
        now = rate * exp(moved)
        rates.append((start, now))
        moments += _poisson(dice, now, start, min(start + 30 * DAY, length))
        start += 30 * DAY
        moved = 0.8 * moved + dice.gauss(0.0, 0.6)
    return moments, rates


def _switching(dice: Random, rate: float, length: float) -> Changes:
    """Busy for weeks, then almost at rest for weeks."""
    moments: list[float] = []
    rates: list[tuple[float, float]] = []
    start, busy = 0.0, dice.random() < 0.5
    while start < length:
        now = rate * (1.8 if busy else 0.2)
        end = min(start + 10 * DAY * dice.randint(1, 7), length)
        rates.append((start, now))
        moments += _poisson(dice, now, start, end)
        start, busy = end, not busy
    return moments, rates


def _lognormal(dice: Random) -> float:
    return dice.lognormvariate(-1.6, 1.2) / DAY


def _pareto(dice: Random) -> float:
    return min(0.05 * dice.paretovariate(0.9), 20.0) / DAY


def _gamma(dice: Random) -> float:
    return max(dice.gammavariate(0.6, 0.5), 0.002) / DAY


def _loguniform(dice: Random) -> float:
    return exp(dice.uniform(-5.0, 1.0)) / DAY


Rates = Callable[[Random], float]
Course = Callable[[Random, float, float], Changes]

SIMULATED: Mapping[str, tuple[Rates, Course]] = {
    "steady": (_lognormal, _steady),
    "heavy tail": (_pareto, _steady),
    "bursts": (_lognormal, _bursts),
    "daily rhythm": (_lognormal, _daily),
    "drift": (_lognormal, _drift),
}

TUNING: Mapping[str, tuple[Rates, Course]] = {
    "gamma rates": (_gamma, _steady),
    "log-uniform rates": (_loguniform, _steady),
    "switching": (_gamma, _switching),
}
"""The constants of `whimbrel.revisit` were chosen on these, with seeds from 101 on. They are in no table."""


def simulated(name: str, seed: int, weights: ImportanceSpread, scale: WorldScale) -> FreshnessWorld:
    rates, course = {**SIMULATED, **TUNING}[name]
    dice = Random(f"{name} {seed}")
    length = scale.ticks * TICK
    pages = []
    for number in range(scale.pages):
        changes, known = course(dice, rates(dice), length)
        pages.append(_page(dice, number, weights, changes, known, length))
    return FreshnessWorld(name, seed, tuple(pages), length, TICK, scale.visits, length / 2)


def _page(
    dice: Random,
    number: int,
    weights: ImportanceSpread,
    changes: list[float],
    rates: list[tuple[float, float]],
    length: float,
) -> WorldPage:
    pareto = dice.paretovariate(1.5)
    importance = {
        ImportanceSpread.ALIKE: 1.0,
        ImportanceSpread.PARETO: pareto,
        ImportanceSpread.ZIPF: 1.0 / (number + 1),
    }[weights]
    manner = MANNERS[number % len(MANNERS)]
    signals = [moment for moment in changes if dice.random() < manner.recall]
    false_rate = manner.false_by_change * len(changes) / length
    if false_rate > 0:
        signals += _poisson(dice, false_rate, 0.0, length)
    return WorldPage(importance, manner, tuple(rates), tuple(changes), tuple(sorted(signals)))


def replayed(
    name: str,
    histories: Sequence[Sequence[float]],
    seed: int,
    weights: ImportanceSpread,
    scale: WorldScale,
    length: float,
) -> FreshnessWorld:
    """Real moments of change, counted from 0. Who is told rates is told each page's own mean of the figured half."""
    dice = Random(f"{name} {seed}")
    chosen = dice.sample(list(histories), min(scale.pages, len(histories)))
    tick = length / scale.ticks
    pages = []
    for number, moments in enumerate(chosen):
        counted = sum(moment >= length / 2 for moment in moments)
        rates = [(0.0, max(counted, 0.1) / (length / 2))]
        pages.append(_page(dice, number, weights, list(moments), rates, length))
    visits = max(1, round(scale.visits * len(pages) / scale.pages))
    return FreshnessWorld(name, seed, tuple(pages), length, tick, visits, length / 2)


YEARS = 12


def changelogs(folder: Path) -> list[list[float]]:
    """The releases of every Debian source package installed here, over twelve years to 2023, as moments from 0.

    A package counts when its changelog reaches back to the beginning; packages from one source share a changelog, which
    counts once.
    """
    end = datetime.fromisoformat("2023-01-01T00:00:00+00:00").timestamp()
    start = end - YEARS * YEAR
    histories: dict[tuple[float, ...], None] = {}
    for path in sorted(folder.glob("*/changelog.Debian.gz")):
        moments = _releases(path)
        if moments and min(moments) < start:
            within = sorted(moment - start for moment in moments if start <= moment < end)
            histories.setdefault(tuple(within))
    return [list(history) for history in histories if history]


def _releases(path: Path) -> list[float]:
    moments = []
    try:
        text = gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
    except (OSError, EOFError, gzip.BadGzipFile):
        return []
    for line in text.splitlines():
        if line.startswith(" -- "):
            try:
                moments.append(parsedate_to_datetime(line.rpartition(">")[2].strip()).timestamp())
            except (ValueError, TypeError, IndexError):
                continue
    return moments
