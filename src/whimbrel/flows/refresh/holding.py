"""What is remembered of a kept page from its visits, unpacked: its history, its habits, since when it is away."""

import msgspec

from whimbrel.change.habits import Habits
from whimbrel.flows.packing import unpacked_habits
from whimbrel.repository.contract import HeldVersion
from whimbrel.revisit import gone
from whimbrel.revisit.history import PageHistory, first_visit, unpacked


def habits_of(held: HeldVersion) -> Habits:
    visits = history_of(held).visits
    return unpacked_habits(held.returned.habits, visits - 1)


def history_of(held: HeldVersion) -> PageHistory:
    return unpacked(held.returned.history) if held.returned.history else first_visit(held.at)


def absence_of(held: HeldVersion) -> gone.Absence | None:
    return unpacked_absence(held.returned.absence)


def unpacked_absence(packed_absence: bytes) -> gone.Absence | None:
    return msgspec.msgpack.decode(packed_absence, type=gone.Absence) if packed_absence else None
