"""Which sites answer no more, by what the visits to their kept pages find; what is to be told of it, once."""

import msgspec

from whimbrel.flows.refresh.trusting import SiteWitness
from whimbrel.records.response import TRANSIENT, FailureKind
from whimbrel.records.role import Role
from whimbrel.records.visit import Visit
from whimbrel.repository.contract import KnownUrl, Noted, Speaker
from whimbrel.revisit.outage import ANSWERING, Outage, after_answer, after_silence

OUTAGE = "outage"
"""By this name what is known of each site is kept."""
_NO_ANSWER = TRANSIENT | {FailureKind.TLS, FailureKind.PROTOCOL}


class Outages:
    """Of the sites that are met in a run; what it learns is handed over with `drain`."""

    def __init__(self, words: SiteWitness) -> None:
        self._words = words
        self._known: dict[int, Outage] = {}
        self._heard: set[int] = set()

    def look_up(self) -> None:
        """Before a batch: the course of a refresh may have written down which page is asked for."""
        self._known.clear()

    def hear(self, visit: Visit, row: KnownUrl, *, answered: bool) -> list[Noted]:
        """A visit to a kept page. What a filter or a limit of ours kept from being read says nothing of the site."""
        if row.asset != Role.PAGE or not (answered or is_silence(visit)):
            return []
        before = self._of(row.lane)
        now = after_answer(row.key) if answered else after_silence(before, row.key, visit.at)
        return self._learned(visit, row.lane, row.key, now)

    def hear_of_all(self, visit: Visit, row: KnownUrl) -> list[Noted]:
        """Not even robots.txt could be had: that is the site's, not the page's. It is told with the page that was to
        be visited, or with the one that answered last where that is none that is kept."""
        before = self._of(row.lane)
        page = row.key if row.version is not None and row.asset == Role.PAGE else before.answered
        if page is None or not is_silence(visit):
            return []
        return self._learned(visit, row.lane, page, after_silence(before, None, visit.at))

    def drain(self) -> dict[Speaker, bytes]:
        """What was learned since the last time, for the commit."""
        learned = {Speaker(lane, OUTAGE): packed_outage(self._known[lane]) for lane in self._heard}
        self._heard.clear()
        return learned

    def _of(self, lane: int) -> Outage:
        known = self._known.get(lane)
        if known is None:
            known = self._known[lane] = read_outage(self._words.witness(lane, OUTAGE))
        return known

    def _learned(self, visit: Visit, lane: int, page: int, now: Outage) -> list[Noted]:
        before = self._of(lane)
        if now == before:
            return []
        self._known[lane] = now
        self._heard.add(lane)
        if now.is_away == before.is_away:
            return []
        what, kinds = ("away", visit.rule) if now.is_away else ("answers", "")
        return [Noted(page, visit.at, what, kinds, 0.0, None, -1, None, b"")]


def is_silence(visit: Visit) -> bool:
    """Whether nobody answered, or only to refuse us or to fail; 404 and 410 say something of the page."""
    refused = visit.status >= 400 and visit.status not in (404, 410)
    return refused or visit.rule in _NO_ANSWER or visit.rule.startswith("http_5")


def read_outage(record: bytes) -> Outage:
    return msgspec.msgpack.decode(record, type=Outage) if record else ANSWERING


def packed_outage(outage: Outage) -> bytes:
    return msgspec.msgpack.encode(outage)
