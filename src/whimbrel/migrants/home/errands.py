"""What a run is sent out for: the open requests, how much each has found, and when it has enough."""

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from whimbrel.flows.requests import fitted_anew
from whimbrel.records.ending import Why
from whimbrel.records.request import RULE, RULES, Fitted
from whimbrel.records.visit import Outcome, Visit
from whimbrel.repository.contract import DONE, Enquiry, Lease, Plan
from whimbrel.repository.port.writer import Writer
from whimbrel.topic.harvest import HarvestWatch


class Errands:
    """Home's book of the requests that its migrants carry. Without any, nothing here costs anything."""

    def __init__(self, store: Writer, requests: Sequence[Enquiry] = (), patience: int = 0) -> None:
        """`patience` is the number of pages over which the harvest of a topic is looked at; 0: it never ends a run."""
        self._store = store
        self.harvest = HarvestWatch(patience) if requests else None
        self._open = {one.number: one for one in requests}
        self._numbers = tuple(self._open)
        self._found = Counter({one.number: one.found for one in requests})

    def renew(self, requests: Sequence[Enquiry]) -> None:
        """Others stand in the place of some; what was harvested so far counts on."""
        self._open = {one.number: one for one in requests}
        self._numbers = tuple(dict.fromkeys((*self._numbers, *self._open)))
        self._found.update({one.number: one.found for one in requests if one.number not in self._found})

    @property
    def open(self) -> list[Enquiry]:
        """Those that have not enough yet."""
        return list(self._open.values())

    @property
    def found(self) -> int:
        """Pages kept for the requests of this run, in all."""
        return sum(self._found[number] for number in self._numbers)

    def assign(self, visits: list[tuple[Visit, Lease]]) -> list[tuple[Visit, Lease]]:
        """Each page to the first of the requests it serves that has not enough yet."""
        if not self._open:
            return visits
        for visit, _ in visits:
            if self.harvest is not None and (visit.requests or visit.rule in RULES):
                self.harvest.note(bool(visit.requests))
        expected = self._found.copy()
        return [(self._assigned(visit, expected), lease) for visit, lease in visits]

    def _assigned(self, visit: Visit, expected: Counter[int]) -> Visit:
        if not visit.requests:
            return visit
        for number in visit.requests:
            # With one request the limit of the run is its own, and that knows twins, which take no room.
            if number in self._open and (len(self._open) == 1 or not self._enough(number, expected)):
                expected[number] += 1
                return replace(visit, requests=[number])
        reason = f"request {', '.join(map(str, visit.requests))} has all it asked for"
        return Visit(
            visit.key, visit.url, visit.depth, Outcome.REFUSED, RULE, reason, visit.status, visit.at,
            visit.received_bytes, links=visit.links,
        )  # fmt: skip

    def _enough(self, number: int, found: Counter[int]) -> bool:
        most = self._open[number].most
        return most is not None and found[number] >= most

    def note(self, visits: Sequence[tuple[Visit, Lease]], plan: Plan) -> None:
        """What the commit has to remember of who served whom."""
        plan.answers = {visit.key: visit.requests[0] for visit, _ in visits if visit.requests}

    def settle(self, plan: Plan, fitted: Sequence[Fitted], now: float) -> list[int]:
        """After the commit: which requests have enough now. They are done."""
        kept = {settled.key for settled in plan.settled if settled.outcome == Outcome.FETCHED}
        self._found.update(number for key, number in plan.answers.items() if key in kept)
        for fit in fitted:
            self._reword(fit)
        if not any(self._enough(number, self._found) for number in self._open):
            return []
        # Twins took places of each other: what the folder has is what counts.
        self._found = Counter({one.number: one.found for one in self._store.requests.every()})
        return self._finish([number for number in self._open if self._enough(number, self._found)], now)

    def end(self, why: Why, now: float) -> None:
        """The run is over; where everything was visited there is nothing more to find."""
        if why is Why.FINISHED:
            self._finish(list(self._open), now)

    def _finish(self, numbers: list[int], now: float) -> list[int]:
        for number in numbers:
            del self._open[number]
            self._store.requests.end(number, DONE, now)
        return numbers

    def _reword(self, fit: Fitted) -> None:
        """The judge that saw the most pages is the one to go on with."""
        asked = self._open.get(fit.number)
        structure = fitted_anew(asked.structure, fit) if asked is not None else None
        if asked is not None and structure is not None:
            self._open[fit.number] = replace(asked, structure=structure)
            self._store.requests.reword(fit.number, structure)
