"""URLs looked at once more: because a person names them again, or because what was said of them rested on settings that
have changed."""

from collections.abc import Callable, Iterable

from whimbrel.flows.gather.batch import Batch
from whimbrel.flows.gather.meeting import Meeting
from whimbrel.flows.twins.dusting import RULE as DUST
from whimbrel.records.request import RULES
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.records.visit import Link, Outcome
from whimbrel.repository.contract import KnownUrl, Lease, RobotsCopy
from whimbrel.urls.normal import origin as origin_of

NOT_HAD = frozenset({Outcome.FAILED, Outcome.REFUSED, Outcome.GONE, Outcome.UNREACHABLE})
_BY_THEMSELVES = frozenset({"forgotten", *RULES, DUST})
"""Lifted by other means: `forget --allow-again`, another request, a rule of the site's that is no longer believed."""
_UNREAD = 0
"""A robots.txt with this status has to be asked for."""


class Reconsidering:
    def __init__(self, batch: Batch, meeting: Meeting) -> None:
        self._batch = batch
        self._meeting = meeting

    def ask_again(self, named: Iterable[Link]) -> None:
        """What a person names again is asked again: what could not be had, with all its tries, and what is put off."""
        batch = self._batch
        new = {found.key for found in batch.plan.found} | {place.key for place in batch.plan.queued}
        wanted: dict[int, KnownUrl] = {}
        for link in named:
            if link.key not in new:
                wanted |= self._wanted(batch.rows[link.key])
        places = batch.memory.places_of(wanted) if wanted else []
        put_off = {lease.key for lease in places if lease.attempt}
        again = {row.key: row for row in wanted.values() if row.outcome != Outcome.DISCOVERED or row.key in put_off}
        batch.plan.done += [lease for lease in places if lease.key in again]
        for row in again.values():
            if row.rule == "robots":
                batch.plan.robots.append(RobotsCopy(origin_of(row.url), 0.0, _UNREAD, b""))
            batch.welcome(row)

    def _wanted(self, row: KnownUrl) -> dict[int, KnownUrl]:
        """The URL itself, and what it led to, where that could not be had."""
        chain = {row.key: row}
        while row.target is not None and row.target not in chain:
            row = self._batch.row(row.target)
            chain[row.key] = row
        had = row.outcome not in (*NOT_HAD, Outcome.DISCOVERED) or row.rule in _BY_THEMSELVES
        return {} if had else chain

    def rejudge(self, rows: Iterable[KnownUrl], within: Callable[[Url], Verdict]) -> None:
        """Due are those that nothing keeps out any more; of the others some are kept out by something else now."""
        batch = self._batch
        for row in rows:
            batch.rows[row.key] = row
            verdict = self._meeting.standing(row, within)
            if verdict.accepted:
                self._meeting.readmit(row)
            elif row.outcome == Outcome.OUT_OF_SCOPE and verdict.rule != row.rule:
                batch.overrule(row.key, Outcome.OUT_OF_SCOPE, verdict.rule, verdict.reason)

    def rejudge_waiting(self, places: Iterable[tuple[Lease, KnownUrl]], within: Callable[[Url], Verdict]) -> None:
        """What waits in the queue and would not be let in today leaves it."""
        batch = self._batch
        for lease, row in places:
            verdict = self._meeting.standing(row, within)
            if not verdict.accepted and verdict.rule != "site_limit":
                batch.rows[row.key] = row
                batch.plan.done.append(lease)
                batch.overrule(row.key, Outcome.OUT_OF_SCOPE, verdict.rule, verdict.reason)
