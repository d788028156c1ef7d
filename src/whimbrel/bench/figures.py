"""Runs, and what may be concluded from them."""

from collections.abc import Iterable, Sequence
from statistics import median

from msgspec import Struct

TOLERANCE = 0.005


class PeerRun(Struct, frozen=True):
    """One peer crawling the site once, start-up included. `faults` says what was not as it should be."""

    peer: str
    round: int
    pages: int
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def pages_per_second(self) -> float:
        return self.pages / self.seconds

    @property
    def cpu_ms_a_page(self) -> float:
        return 1000 * self.cpu_seconds / self.pages if self.pages else 0.0


class Spread(Struct, frozen=True):
    """The median of some runs, and how far they lie apart."""

    median: float
    least: float
    most: float


class Summary(Struct, frozen=True):
    peer: str
    runs: int
    pages: int
    seconds: Spread
    pages_per_second: Spread
    cpu_ms_a_page: Spread
    peak_bytes: int


class PeerGoal(Struct, frozen=True):
    """How many times a peer's pages/s are to be reached: `least` has to be, `aim` is hoped for."""

    peer: str
    least: float
    aim: float | None = None


class Ratio(Struct, frozen=True):
    """Ours by theirs, of the runs that followed each other."""

    peer: str
    times: Spread
    goal: PeerGoal
    reached: bool
    aim_reached: bool | None


GOALS = (PeerGoal("scrapy", 30.0), PeerGoal("wget2", 0.7, 1.0))


def spread(values: Iterable[float]) -> Spread:
    known = list(values)
    return Spread(median(known), min(known), max(known))


def summarise(peer: str, runs: Sequence[PeerRun]) -> Summary:
    mine = [run for run in runs if run.peer == peer]
    return Summary(
        peer=peer,
        runs=len(mine),
        pages=round(median(run.pages for run in mine)),
        seconds=spread(run.seconds for run in mine),
        pages_per_second=spread(run.pages_per_second for run in mine),
        cpu_ms_a_page=spread(run.cpu_ms_a_page for run in mine),
        peak_bytes=max(run.peak_bytes for run in mine),
    )


def ratio(runs: Sequence[PeerRun], ours: str, goal: PeerGoal) -> Ratio | None:
    """Pairs the runs of a round: whatever slowed the machine down then slowed both down."""
    theirs = {run.round: run for run in runs if run.peer == goal.peer and run.pages}
    pairs = [(run, theirs[run.round]) for run in runs if run.peer == ours and run.round in theirs]
    if not pairs:
        return None
    times = spread(mine.pages_per_second / other.pages_per_second for mine, other in pairs)
    aim_reached = None if goal.aim is None else times.median >= goal.aim
    return Ratio(goal.peer, times, goal, times.median >= goal.least, aim_reached)


def turns(peers: Sequence[str], round_number: int) -> list[str]:
    """Who runs when: everyone goes first, second, … in turn."""
    start = round_number % len(peers)
    return [*peers[start:], *peers[:start]]


def miscounted(pages: int, expected: int) -> str:
    """Why a run's pages are not the site's, "" where they are."""
    if abs(pages - expected) <= TOLERANCE * expected:
        return ""
    return f"{pages} pages where {expected} can be reached"
