"""The migrants and the requests that a repository in memory has known."""

from collections.abc import Sequence

from msgspec.structs import replace

from whimbrel.records.url import Url
from whimbrel.repository.contract import OPEN, Enquiry, Roll
from whimbrel.repository.memory.state import KEPT, RequestRow, Tables, locked

MOST_REMEMBERED = 1_000


def every_request(state: Tables) -> list[Enquiry]:
    found: dict[int, int] = {}
    for key, number in state.answers.items():
        row = state.rows.get(key)
        found[number] = found.get(number, 0) + (row is not None and row.outcome in KEPT)
    return [
        Enquiry(n, a.asked_at, a.examples, a.structure, a.most, found.get(n, 0), a.state, a.finished_at)
        for n, a in sorted(state.requests.items())
    ]


def every_roll(state: Tables) -> list[Roll]:
    return sorted(state.rolls.values(), key=lambda roll: (roll.born_at, roll.name))


class Requests:
    def __init__(self, state: Tables) -> None:
        self.state = state

    @locked
    def every(self) -> list[Enquiry]:
        return every_request(self.state)

    def open(self) -> list[Enquiry]:
        return [one for one in self.every() if one.state == OPEN]

    def asked(self, examples: Sequence[Url]) -> Enquiry | None:
        return next((one for one in self.every() if set(one.examples) == set(examples)), None)

    @locked
    def add(self, examples: Sequence[Url], structure: bytes, most: int | None, now: float) -> int:
        number = max(self.state.requests, default=0) + 1
        self.state.requests[number] = RequestRow(now, tuple(examples), structure, most, OPEN)
        return number

    @locked
    def go_on(self, number: int, most: int | None) -> None:
        if number in self.state.requests:
            asked = self.state.requests[number]
            self.state.requests[number] = replace(asked, state=OPEN, most=most, finished_at=None)

    @locked
    def reword(self, number: int, structure: bytes) -> None:
        if number in self.state.requests:
            self.state.requests[number] = replace(self.state.requests[number], structure=structure)

    @locked
    def end(self, number: int, state: str, now: float) -> bool:
        asked = self.state.requests.get(number)
        if asked is None or asked.state != OPEN:
            return False
        self.state.requests[number] = replace(asked, state=state, finished_at=now)
        return True


class Roster:
    def __init__(self, state: Tables) -> None:
        self.state = state
        self._last = max((int(name[1:]) for name in state.rolls), default=0)

    def name(self) -> str:
        self._last += 1
        return f"m{self._last}"

    @locked
    def save(self, roll: Roll) -> None:
        self.state.rolls[roll.name] = roll

    @locked
    def rolls(self) -> list[Roll]:
        return every_roll(self.state)

    @locked
    def forget_old(self) -> None:
        for roll in every_roll(self.state)[:-MOST_REMEMBERED]:
            if roll.state not in ("asleep", "moving"):
                del self.state.rolls[roll.name]
