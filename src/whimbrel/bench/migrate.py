"""What it is worth to go to the data: a place at the site beside a central crawl, on machines far from each other.

They are network namespaces with a NAT between (`namespaces`), the programs are those that people start (`far`). What
needs them is left out where they cannot be had, and said. Places that lie are simulated.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

from msgspec import Struct

from whimbrel.bench.far_faults import CUT_SECONDS, POINTS, FaultRow, far_faults, fault_goals
from whimbrel.bench.far_fresh import far_fresh, fresh_goals
from whimbrel.bench.far_moves import MoveRow, far_moves, move_goals
from whimbrel.bench.far_times import LoadRow, TimeRow, far_times, time_goals
from whimbrel.bench.goals import Goal, at_least, at_most
from whimbrel.bench.lies import (
    GOAL_SHARE,
    PAGES,
    TRUTHFUL,
    USUAL_SHARE,
    HiddenRow,
    LieRow,
    hidden_table,
    table,
)
from whimbrel.bench.machine import Say, need_package
from whimbrel.bench.migrate_far import far_first_crawls, far_refreshes
from whimbrel.bench.migrate_rows import GZIP_LEVEL, LinkRow, MigrateSite
from whimbrel.bench.namespaces import hindrance
from whimbrel.bench.server import NGINX

PARTS = ("bytes", "time", "fresh", "moves", "faults", "lies")
ALTERED, LEAST_FOUND = 0.1, 0.95


class MigrateReport(Struct, frozen=True):
    """`hindrance` is why there were no machines far from each other."""

    gzip_level: int
    hindrance: str = ""
    rows: tuple[LinkRow, ...] = ()
    times: tuple[TimeRow, ...] = ()
    loads: tuple[LoadRow, ...] = ()
    fresh_seconds: tuple[float, ...] = ()
    moves: tuple[MoveRow, ...] = ()
    faults: tuple[FaultRow, ...] = ()
    lies: tuple[LieRow, ...] = ()
    hidden: tuple[HiddenRow, ...] = ()


def goals(report: MigrateReport) -> list[Goal]:
    crossed = [
        at_most(f"bytes over the link, {row.name}: of a central crawl", row.ratio, row.most)
        for row in report.rows
        if row.most is not None
    ]
    found = [
        at_least(
            f"of places that alter {row.false:.0%} of the pages, {_since(row)}, found within {PAGES} at a share of "
            f"{row.share:.0%}", row.found, LEAST_FOUND,
        )
        for row in report.lies
        if row.false == ALTERED and row.share == GOAL_SHARE
    ]  # fmt: skip
    return [
        *crossed,
        *time_goals(report.loads),
        *fresh_goals(report.fresh_seconds),
        *move_goals(report.moves),
        *fault_goals(report.faults),
        *found,
    ]


def run(
    manuals: Sequence[MigrateSite], data: Path | None, folder: Path, say: Say, *, parts: Collection[str] = PARTS,
    peers: bool = True, points: int = POINTS, cut_seconds: float = CUT_SECONDS, draws: int = 1,
) -> MigrateReport:  # fmt: skip
    why = hindrance() if set(parts) - {"lies"} else ""
    rows: list[LinkRow] = []
    times: tuple[list[TimeRow], list[LoadRow]] = ([], [])
    fresh: list[float] = []
    moves: list[MoveRow] = []
    faults: list[FaultRow] = []
    if why:
        say(f"without machines far from each other: {why}")
    else:
        need_package(NGINX, "nginx-light", say)
        for manual in manuals:
            if not manual.folder.is_dir():
                need_package(manual.folder, manual.package, say)
        if "bytes" in parts:
            rows = [row for one in manuals for row in far_first_crawls(one, folder / one.package, say, peers, draws)]
            rows += far_refreshes(data, folder / "changing", say, draws) if data is not None else []
        if "time" in parts and manuals:
            times = far_times(manuals[-1], folder / "times", say)
        if "fresh" in parts:
            fresh = far_fresh(folder / "fresh", say)
        if "moves" in parts:
            moves = far_moves(folder / "moves", say)
        if "faults" in parts:
            faults = far_faults(folder / "faults", say, points, cut_seconds)
    lies, hidden = (_lies(), hidden_table()) if "lies" in parts else ((), ())
    return MigrateReport(
        GZIP_LEVEL, why, tuple(rows), tuple(times[0]), tuple(times[1]), tuple(fresh), tuple(moves), tuple(faults),
        lies, hidden,
    )  # fmt: skip


def _lies() -> tuple[LieRow, ...]:
    """At the usual share, and at the one for which a goal is set; of liars at once, and of those who wait."""
    waits = (0, TRUTHFUL)
    usual = [row for truthful in waits for row in table(USUAL_SHARE, truthful)]
    return (*usual, *(row for truthful in waits for row in table(GOAL_SHARE, truthful, (ALTERED,))))


def _since(row: LieRow) -> str:
    return f"after {row.truthful} true ones that home looked at" if row.truthful else "from the first on"
