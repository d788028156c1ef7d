"""Terms of a topic that were edited while a crawl for it runs: other migrants set out with another request.

A judge does not change under its pages: the migrants that judged by the former terms are called home, as at the end of
a run, and what they had not finished is due again. A kill at any moment leaves what the next run begins with anyway
(docs/decisions/0527).
"""

from collections.abc import Sequence
from typing import Protocol

from whimbrel.migrants.home.ending import RunEnd
from whimbrel.migrants.home.errands import Errands
from whimbrel.migrants.home.intake import Intake
from whimbrel.migrants.wire.messages import Brief
from whimbrel.records.ending import Why
from whimbrel.repository.contract import Enquiry

ANEW = RunEnd(Why.STOPPED, "the terms of a topic were edited: migrants set out anew")
"""In the place of an end: the run goes on."""


class EditedRequests(Protocol):
    """Who knows what was edited, and keeps requests."""

    def fault(self, topic: str, requests: Sequence[Enquiry]) -> str:
        """Why terms of this topic wait for the next run; "" where they need not."""

    def taken(self, topic: str, requests: Sequence[Enquiry], brief: Brief, now: float) -> tuple[list[Enquiry], Brief]:
        """The requests of the run and its brief with the terms as they were saved."""

    def judged_by(self, requests: Sequence[Enquiry]) -> None:
        """All that was refused for others than these is due again."""


class Renewal:
    """What was edited, until it is taken. `edited` is there in runs that look for pages about topics."""

    def __init__(self) -> None:
        self.edited: EditedRequests | None = None
        self._topics: list[str] = []

    @property
    def asked(self) -> bool:
        return bool(self._topics)

    def ask(self, topic: str, errands: Errands) -> str:
        """Why it waits for the next run; "" where it does not."""
        if self.edited is None:
            return "this run looks for no pages about a topic of its own"
        fault = self.edited.fault(topic, errands.open)
        if not fault and topic not in self._topics:
            self._topics.append(topic)
        return fault

    def take(self, brief: Brief, errands: Errands, intake: Intake, now: float) -> Brief:
        """Between two crews: nobody judges meanwhile."""
        assert self.edited is not None, "nobody else has topics"
        topics, self._topics = self._topics, []
        for topic in topics:
            requests, brief = self.edited.taken(topic, errands.open, brief, now)
            errands.renew(requests)
        intake.reconsider(True, now)
        self.edited.judged_by(errands.open)
        return brief
