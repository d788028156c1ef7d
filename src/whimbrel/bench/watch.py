"""`bench watch`: a watch that is left running tells every change once, whatever happens to sites, to it and to time."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from whimbrel.bench.freshness_sources import FOR_NEW_PAGES, MOST_TICKS, SOONER_GOAL, SourceRow, sources
from whimbrel.bench.goals import Goal, at_least, at_most, holds
from whimbrel.bench.watch_process import KillsReport, RoundsReport, kills, rounds
from whimbrel.bench.watch_world import MonthReport, WatchMonth, month

GROWTH_GOAL = 0.03
"""Of the memory after it had settled: what an allocator keeps back by chance, and no more."""


class WatchTrial(Struct, frozen=True):
    """`rounds` of a real process and `kills` of one; 0 leaves them out. `seeds` worlds that gain pages."""

    month: WatchMonth = WatchMonth()
    rounds: int = 1_000
    kills: int = 60
    seeds: int = 4
    first_seed: int = 1
    ticks: int = MOST_TICKS


class WatchReport(Struct, frozen=True):
    month: MonthReport
    rounds: RoundsReport | None
    kills: KillsReport | None
    sources: list[SourceRow]


def run(trial: WatchTrial, folder: Path, say: Callable[[str], None]) -> WatchReport:
    say(f"{trial.month.days:g} days over {trial.month.sites} sites")
    simulated = month(trial.month, folder / "month")
    killed = lasting = None
    if trial.kills:
        (folder / "kills").mkdir()
        killed = kills(trial.kills, trial.first_seed, folder / "kills", say)
    if trial.rounds:
        (folder / "rounds").mkdir()
        lasting = rounds(trial.rounds, folder / "rounds", say)
    seeds = range(trial.first_seed, trial.first_seed + trial.seeds)
    return WatchReport(simulated, lasting, killed, sources(seeds, trial.ticks, say) if trial.seeds else [])


def goals(report: WatchReport) -> list[Goal]:
    simulated = report.month
    said = [
        holds("changes not told in the round of the visit that saw them", simulated.late),
        holds("changes told that no visit saw, or twice", simulated.unasked + simulated.again),
        holds("sites that fell silent or came back, not told once", simulated.amiss),
    ]
    if report.rounds is not None:
        said += [
            at_most(f"growth of memory over {report.rounds.rounds} rounds", report.rounds.growth, GROWTH_GOAL),
            holds("changes of a real watch not told once", report.rounds.missed),
        ]
    if report.kills is not None:
        said += [
            holds(f"changes lost over {report.kills.kills} kills", report.kills.lost),
            holds("changes told again though it was confirmed", report.kills.repeated),
        ]
    ours = [row for row in report.sources if row.planner == FOR_NEW_PAGES]
    sooner = "new pages known so many times sooner: "
    return [*said, *(at_least(sooner + row.world, row.sooner, SOONER_GOAL) for row in ours)]
