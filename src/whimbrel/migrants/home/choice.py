"""Which migrant gets a lane's work: from what was measured of each to a choice that can be read and done again.

A choice holds all that went into it, so `choose(choice.inputs) == choice`, also after a way through JSON.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from math import fsum, inf, isfinite
from operator import attrgetter
from typing import TypeAlias

from msgspec import Struct, structs
from xxhash import xxh3_64_intdigest

from whimbrel.migrants.home import ahp
from whimbrel.records.verdict import Verdict


class Strategy(StrEnum):
    AHP = "ahp"
    HOST_HASH = "host_hash"
    ROUND_ROBIN = "round_robin"
    WEIGHTED_ROUND_ROBIN = "weighted_round_robin"
    LEAST_LOADED = "least_loaded"


CRITERIA = (
    "load", "URL capacity", "parent rank", "bandwidth", "loading rate", "agent capacity", "latency", "CPU",
)  # fmt: skip
LESS_IS_BETTER = frozenset(("load", "URL capacity", "parent rank", "loading rate", "latency"))

Judgements: TypeAlias = Sequence[Sequence[float | str]]

PAPER_JUDGEMENTS: Judgements = (
    ("1/7", "1/8", 2, "1/4", 1, 3, "1/2"),
    ("1/2", 5, 4, 3, 4, 2),
    (7, 4, 5, 4, 3),
    (1, 1, 1, "1/2"),
    (2, 3, 1),
    (2, "1/2"),
    ("1/3",),
)
"""The paper's seven criteria, and CPU as the last column: like the loading rate, the other measure of how hard a
migrant works; above the network, which waits more than it is waited for; below what is already queued."""

DEFAULT_JUDGEMENTS: Judgements = (
    (8, 9, 5, 5, 9, 9, 2),
    (1, "1/2", "1/2", 1, 1, "1/5"),
    ("1/2", "1/2", 1, 1, "1/5"),
    (1, 2, 2, "1/3"),
    (2, 2, "1/3"),
    (1, "1/5"),
    ("1/5",),
)
"""What a migrant still has to do comes first and how fast it does it second: together they say when new work would be
done. What bounds the pace only sometimes, line and memory, comes third. Links queued and their rank say little more
than the load, and the paper's high weight for them costs pages: `bench schedule` runs both."""


class Measured(Struct, frozen=True, kw_only=True):
    """A live migrant as home knows it. None is not measured (yet).

    `load` counts tasks queued and under way. `url_capacity` is the links queued on its lanes, `parent_rank` their rank
    in multiples of an average page's. `cpu_speed` is in any unit that is the same for all. `finished` tasks took
    `finished_seconds` together. What begins with `home` is of the way between its place and home, over which
    `home_bytes` came for them; `machine_load` is how many processes want each core there.
    """

    name: str
    load: float | None = None
    free_disk_bytes: float | None = None
    latency_seconds: float | None = None
    bandwidth_bytes_per_second: float | None = None
    memory_megabytes: float | None = None
    url_capacity: float | None = None
    parent_rank: float | None = None
    cpu_speed: float | None = None
    finished: float | None = None
    finished_seconds: float | None = None
    home_seconds: float | None = 0.0
    home_bytes_per_second: float | None = None
    home_bytes: float | None = None
    machine_load: float | None = None
    notes: tuple[str, ...] = ()


class Criteria(Struct, frozen=True):
    """What the criteria weigh, in the order of `CRITERIA`, and how consistent the judgements were."""

    weights: tuple[float, ...]
    ratio: float


class TurnsTaken(Struct, frozen=True):
    """What taking turns has to remember: how many were given, and what each is still owed."""

    turn: int = 0
    owed: dict[str, float] = {}


class Inputs(Struct, frozen=True):
    lane: str
    at: float
    strategy: Strategy
    measured: tuple[Measured, ...]
    criteria: Criteria
    state: TurnsTaken = TurnsTaken()


class Alternative(Struct, frozen=True):
    """A migrant's weight under each criterion, and its rank."""

    name: str
    shares: tuple[float, ...]
    rank: float


class Choice(Struct, frozen=True):
    """`chosen` is "" where no migrant is live; `state` is what the next choice starts from."""

    inputs: Inputs
    chosen: str
    criteria: tuple[tuple[str, float], ...]
    alternatives: tuple[Alternative, ...]
    notes: tuple[str, ...]
    state: TurnsTaken


def criteria_of(rows: Judgements) -> Criteria | Verdict:
    """Weighs the judgements once, for all choices; a refusal says what to change."""
    matrix = ahp.matrix_of(rows, CRITERIA)
    if isinstance(matrix, Verdict):
        return matrix
    verdict = ahp.check(matrix, CRITERIA)
    if not verdict.accepted:
        return verdict
    weighed = ahp.weigh(matrix)
    return Criteria(weighed.weights, weighed.ratio)


def _built_in(rows: Judgements) -> Criteria:
    criteria = criteria_of(rows)
    assert isinstance(criteria, Criteria), "the judgements above agree with each other"
    return criteria


DEFAULT_CRITERIA = _built_in(DEFAULT_JUDGEMENTS)
PAPER_CRITERIA = _built_in(PAPER_JUDGEMENTS)


def distrust(measured: Sequence[Measured], leased: Mapping[str, int]) -> tuple[Measured, ...]:
    """A migrant cannot have less to do than home has given it and not got back: that count holds where it claims so."""
    return tuple(_corrected(one, leased.get(one.name, 0)) for one in measured)


def _corrected(one: Measured, leased: int) -> Measured:
    if one.load is not None and one.load >= leased:
        return one
    claim = "does not tell its load" if one.load is None else f"claims a load of {one.load:g}"
    note = f"{one.name} {claim}; {leased} tasks are leased to it"
    return structs.replace(one, load=leased, notes=(*one.notes, note))


_FIGURES = tuple(name for name in Measured.__struct_fields__ if name not in ("name", "notes"))
_figures = attrgetter(*_FIGURES)


def _sound(measured: Sequence[Measured]) -> tuple[Measured, ...]:
    """By name, and without figures that are none: NaN is not equal to itself, and JSON knows no infinity."""
    ordered = sorted(measured, key=attrgetter("name"))
    return tuple([one if _usable(_figures(one)) else _without_nonsense(one) for one in ordered])


def _usable(figures: tuple[float | None, ...]) -> bool:
    known = [figure for figure in figures if figure is not None]
    return not known or (min(known) >= 0.0 and isfinite(sum(known)))


def _without_nonsense(one: Measured) -> Measured:
    values = {name: value for name in _FIGURES if (value := getattr(one, name)) is not None and not 0.0 <= value < inf}
    notes = [f"{one.name} reports {name} = {value:g}, which is no measurement" for name, value in values.items()]
    return structs.replace(one, notes=(*one.notes, *notes), **dict.fromkeys(values)) if values else one


class _Table(Struct, frozen=True):
    """What a strategy made of the measurements: by criterion, the weight of each migrant."""

    criteria: tuple[tuple[str, float], ...]
    shares: tuple[ahp.Shares, ...]
    owed: dict[str, float] = {}


def choose(inputs: Inputs) -> Choice:
    """The migrant of the highest rank; of equal ones the least loaded, then the first by name."""
    measured = _sound(inputs.measured)
    inputs = Inputs(inputs.lane, inputs.at, inputs.strategy, measured, inputs.criteria, inputs.state)
    if not measured:
        return Choice(inputs, "", (), (), ("no migrant is live",), inputs.state)
    table = _TABLES[inputs.strategy](inputs)
    under = [shares.weights for shares in table.shares]
    ranks = ahp.rank([weight for _, weight in table.criteria], under)
    table_rows = zip(measured, zip(*under, strict=True), ranks, strict=True)
    alternatives = tuple([Alternative(one.name, row, rank) for one, row, rank in table_rows])
    best = max(ranks)
    tied = [one for one, rank in zip(measured, ranks, strict=True) if rank == best]
    chosen = min(tied, key=lambda one: inf if one.load is None else one.load).name
    state = TurnsTaken(inputs.state.turn + 1, _paid(table.owed, chosen))
    return Choice(inputs, chosen, table.criteria, alternatives, _notes(table, measured), state)


def _paid(owed: dict[str, float], chosen: str) -> dict[str, float]:
    return {name: due - (name == chosen) for name, due in owed.items()}


def _notes(table: _Table, measured: Sequence[Measured]) -> tuple[str, ...]:
    notes = [note for one in measured for note in one.notes]
    for (name, _), shares in zip(table.criteria, table.shares, strict=True):
        if shares.unknown:
            who = "any" if len(shares.unknown) == len(measured) else ", ".join(measured[i].name for i in shares.unknown)
            notes.append(f"{name} is not measured of {who}: counted as average")
    return tuple(notes)


# What is to be given counts as given: without the one more, an idle migrant would be infinitely better than a busy one.


def _and_one(value: float | None) -> float | None:
    return None if value is None else value + 1.0


def _loading_rate(one: Measured) -> float | None:
    if one.load is None or not one.memory_megabytes:
        return None
    return (one.load + 1.0) / one.memory_megabytes


def _latency(one: Measured) -> float | None:
    """From the site to home, by way of the migrant. One that has asked nothing yet is known by its way home."""
    if one.home_seconds is None:
        return None
    return one.home_seconds + one.latency_seconds if one.latency_seconds is not None else one.home_seconds or None


def _bandwidth(one: Measured) -> float | None:
    """Of the narrower of its two ways."""
    known = [way for way in (one.bandwidth_bytes_per_second, one.home_bytes_per_second) if way is not None]
    return min(known, default=None)


def _cpu(one: Measured) -> float | None:
    """Where more want to run than there are cores, each has its part of one."""
    return None if one.cpu_speed is None else one.cpu_speed / max(1.0, one.machine_load or 0.0)


_COLUMNS: tuple[Callable[[Measured], float | None], ...] = (
    lambda one: _and_one(one.load),
    lambda one: _and_one(one.url_capacity),
    lambda one: _and_one(one.parent_rank),
    _bandwidth,
    _loading_rate,
    attrgetter("free_disk_bytes"),
    _latency,
    _cpu,
)


def _by_ahp(inputs: Inputs) -> _Table:
    shares = tuple(
        ahp.shares([column(one) for one in inputs.measured], name in LESS_IS_BETTER)
        for name, column in zip(CRITERIA, _COLUMNS, strict=True)
    )
    return _Table(tuple(zip(CRITERIA, inputs.criteria.weights, strict=True)), shares)


def _by_load(inputs: Inputs) -> _Table:
    shares = ahp.shares([_and_one(one.load) for one in inputs.measured], less_is_better=True)
    return _Table((("load", 1.0),), (shares,))


def _by_host(inputs: Inputs) -> _Table:
    """The highest of the hashes of lane and name (rendezvous): when a migrant goes, only its own lanes move."""
    hashes = [float(xxh3_64_intdigest(f"{inputs.lane}\n{one.name}".encode()) >> 11) for one in inputs.measured]
    return _Table((("hash", 1.0),), (ahp.shares(hashes),))


def _by_turn(inputs: Inputs) -> _Table:
    number = len(inputs.measured)
    turns = tuple(float(i == inputs.state.turn % number) for i in range(number))
    return _Table((("turn", 1.0),), (ahp.Shares(turns),))


def _by_weighted_turn(inputs: Inputs) -> _Table:
    """Turns in proportion to k / (Σ tᵢ · (m + 1)): k tasks finished in the times tᵢ, m waiting (P0 §4.3.3).

    Everyone's credit grows by its share, the richest is served and pays one: no one gets its turns in a row.
    """
    shares = ahp.shares(_paces(inputs.measured))
    owed = {
        one.name: inputs.state.owed.get(one.name, 0.0) + share
        for one, share in zip(inputs.measured, shares.weights, strict=True)
    }
    lowest = min(owed.values())
    above = [due - lowest for due in owed.values()]
    turns = tuple(due / fsum(above) for due in above) if fsum(above) else (1.0 / len(above),) * len(above)
    table = (("finished a second for each waiting", 0.0), ("turn", 1.0))
    return _Table(table, (shares, ahp.Shares(turns)), owed)


def _paces(measured: Sequence[Measured]) -> list[float | None]:
    """One that has finished nothing, and whose way home is known from earlier, is taken to work as the others do; how
    long that way would be taken is its own."""
    tried = [one for one in measured if one.finished and one.finished_seconds]
    finished = fsum(one.finished or 0.0 for one in tried)
    if not finished:
        return [None] * len(measured)
    seconds = fsum(one.finished_seconds or 0.0 for one in tried)
    carried = fsum(one.home_bytes or 0.0 for one in tried)
    usual = Measured(name="", finished=finished, finished_seconds=seconds, home_bytes=carried)
    return [_pace(one) if one.finished and one.finished_seconds else _foreseen(one, usual) for one in measured]


def _foreseen(one: Measured, usual: Measured) -> float | None:
    way = one.home_bytes_per_second
    return _pace(structs.replace(usual, load=one.load, home_bytes_per_second=way)) if way else None


def _pace(one: Measured) -> float | None:
    if not one.finished or not one.finished_seconds or one.load is None:
        return None
    return one.finished / ((one.finished_seconds + _carrying(one)) * (one.load + 1.0))


def _carrying(one: Measured) -> float:
    """The seconds that the line to home was taken by what was finished."""
    return (one.home_bytes or 0.0) / one.home_bytes_per_second if one.home_bytes_per_second else 0.0


_TABLES: dict[Strategy, Callable[[Inputs], _Table]] = {
    Strategy.AHP: _by_ahp,
    Strategy.HOST_HASH: _by_host,
    Strategy.ROUND_ROBIN: _by_turn,
    Strategy.WEIGHTED_ROUND_ROBIN: _by_weighted_turn,
    Strategy.LEAST_LOADED: _by_load,
}


def rows(choice: Choice) -> list[tuple[str, ...]]:
    """The table behind a choice, ready to print: a head, the criteria's weights, then migrants by falling rank."""
    names = [name for name, _ in choice.criteria]
    weights = [f"{weight:.3f}" for _, weight in choice.criteria]
    ranked = sorted(choice.alternatives, key=lambda one: (one.name != choice.chosen, -one.rank))
    body = [(one.name, *(f"{share:.3f}" for share in one.shares), f"{one.rank:.4f}") for one in ranked]
    return [("migrant", *names, "rank"), ("weight", *weights, ""), *body]
