"""Which spots of a site's pages count what its visitors do: learned over runs, kept with what is known of the site."""

from collections.abc import Mapping

import msgspec

from whimbrel.change.counts import NO_COUNTS, CountedSpots, CountingRun, Numbers, Slots, counting_on, numbers_in
from whimbrel.change.version import ComparedVersion
from whimbrel.flows.refresh.trusting import SiteWitness
from whimbrel.repository.contract import Speaker

COUNTS = "counts"
"""By this name what is known of each site is kept."""


class SiteCounts:
    """Of the sites that are met in a run; what it learns is handed over when the run ends."""

    def __init__(self, words: SiteWitness) -> None:
        self._words = words
        self._known: dict[int, Slots] = {}
        self._runs: dict[int, CountingRun] = {}
        self._others: dict[int, list[Numbers]] = {}

    def on(self, lane: int, page: int) -> CountedSpots:
        """What a page's spots count, as far as other pages and earlier runs show."""
        known = self._of(lane)
        return counting_on(page, known, self._others.get(lane, ())) if known else NO_COUNTS

    def draw(self, lane: int, pages: list[ComparedVersion]) -> None:
        """Pages of a site that are drawn by lot."""
        self._others[lane] = [numbers_in(page.blocks) for page in pages]

    def meet(self, lane: int, page: int, before: ComparedVersion, after: ComparedVersion) -> None:
        self._run(lane).meet(page, numbers_in(before.blocks), numbers_in(after.blocks))

    def drain(self, unmoved: Mapping[int, int]) -> dict[Speaker, bytes]:
        """What the run has shown, for the commit; so many pages of each site came as they were."""
        learned: dict[Speaker, bytes] = {}
        for lane, run in self._runs.items():
            known = self._of(lane)
            now = run.learned(known, self._others.get(lane, ()), unmoved.get(lane, 0))
            if now != known:
                learned[Speaker(lane, COUNTS)] = msgspec.msgpack.encode(now)
        self._runs.clear()
        self._known.clear()
        return learned

    def _of(self, lane: int) -> Slots:
        known = self._known.get(lane)
        if known is None:
            record = self._words.witness(lane, COUNTS)
            known = self._known[lane] = msgspec.msgpack.decode(record, type=Slots) if record else {}
        return known

    def _run(self, lane: int) -> CountingRun:
        run = self._runs.get(lane)
        if run is None:
            run = self._runs[lane] = CountingRun()
        return run
