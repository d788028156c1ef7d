"""What became of a page between the kept version and the one that just came in.

A page's habits say what on it turns over by itself, as far as its visits show; its neighbours say what the site repeats
on every page. The neighbours are some kept pages of the site and the first ones that came in anew, both taken once a
run: a template that was rebuilt is known after a few pages.
"""

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from msgspec.structs import replace

from whimbrel.change.counts import NO_COUNTS, CountedSpots
from whimbrel.change.decide import BY_LOT as DRAWN
from whimbrel.change.decide import STAMPED, WRITTEN_OTHERWISE, changed_in, decide, in_doubt
from whimbrel.change.feeds import TYPES, is_feed
from whimbrel.change.habits import Habits, Spots, after_glance, after_visit
from whimbrel.change.lasting_blocks import lasting_words
from whimbrel.change.mask import masked
from whimbrel.change.noise import Noise, learn
from whimbrel.change.pictures import measures, same_picture
from whimbrel.change.spots import differing
from whimbrel.change.taught import quieted, taught
from whimbrel.change.version import ComparedVersion
from whimbrel.flows.archive import KeptCopies
from whimbrel.flows.copies import DecodedCopy, kept_copy, visited_copy
from whimbrel.flows.refresh.counting import SiteCounts
from whimbrel.flows.refresh.hindsight import PICTURE_SHARE
from whimbrel.flows.refresh.papers import ReadsVersions, bytes_apart, with_bytes
from whimbrel.flows.refresh.trusting import SiteWitness
from whimbrel.records.change import Change, Kind, Spot
from whimbrel.records.url import Url
from whimbrel.records.visit import Document, Visit
from whimbrel.repository.contract import HeldVersion, KnownUrl, RepositoryError, Speaker
from whimbrel.repository.warc import Content, WarcError

NEIGHBOURS = 6
NEWCOMERS = 6
REMEMBERED_SITES = 16
BY_LOT = "it differs from one look to the next"
COMPARED = ("text/html", "application/xhtml+xml", "text/plain", *TYPES)
_PARAMETERS = re.compile(r"[?]\S*")
_BY_MIME: tuple[tuple[str, Kind], ...] = (
    ("image/", "image"), ("text/css", "presentation"), ("text/javascript", "behavioural"),
    ("application/javascript", "behavioural"),
)  # fmt: skip


class SiteRepeats:
    """What a site repeats on its pages: on those that are kept, and on those that came in anew."""

    def __init__(self, kept: list[ComparedVersion]) -> None:
        self._newcomers: list[ComparedVersion] = []
        self.common = learn([], kept)

    def meet(self, page: ComparedVersion) -> None:
        if len(self._newcomers) < NEWCOMERS:
            self._newcomers.append(page)
            if len(self._newcomers) == NEWCOMERS:
                self.common = _joined(self.common, learn([], self._newcomers))


def _joined(these: Noise, those: Noise) -> Noise:
    shared = these.shared | those.shared
    return Noise(
        shared=shared, repeated=these.repeated | those.repeated, seen=(these.seen | those.seen) - shared,
        files=these.files | those.files, titles=these.titles | those.titles,
    )  # fmt: skip


def compared(
    before: ComparedVersion, after: ComparedVersion, habits: Habits, site: SiteRepeats,
    counting: CountedSpots = NO_COUNTS,
) -> Change:  # fmt: skip
    """What became of a page; the site learns from the new version."""
    change = decide(before, after, replace(site.common, habits=habits, counting=counting))
    site.meet(after)
    return change


class KnownSites(KeptCopies, SiteWitness, Protocol):
    """Copies of pages, and what is known of their sites."""


class Silenced(Protocol):
    """Of which spots of a page somebody asked not to be told."""

    def over(self, url: Url) -> Spots: ...


class Comparing:
    """Remembers a few pages of each site while a run lasts."""

    def __init__(
        self, archive: KnownSites, silenced: Silenced | None = None, papers: ReadsVersions | None = None
    ) -> None:
        self._archive = archive
        self._counts = SiteCounts(archive)
        self._papers = papers
        self._silenced = silenced
        self._sites: OrderedDict[int, SiteRepeats] = OrderedDict()

    def compare(
        self, row: KnownUrl, held: HeldVersion, visit: Visit, document: Document, habits: Habits
    ) -> tuple[Change, Habits]:
        """With the last state that is kept; and what is believed of its habits after this visit. Where that state was
        held for noise, and this visit brings nothing else, what stayed is looked at again."""
        if document.mime.startswith("image/") and row.asset:
            return self._pictured(row, held, visit), habits
        copy = visited_copy(visit) if not row.asset else None
        if not document.mime.startswith(COMPARED):
            anew = self._written_anew(row, held, copy, habits) if copy is not None else None
            return anew or (whole_change(document.mime), habits)
        before = self._version(row, held.version) if copy is not None else None
        if copy is None or before is None:
            return whole_change(document.mime), habits
        after = copy.version()
        if is_feed(document.mime) and not (after.blocks and before.blocks):
            return whole_change(document.mime), habits
        site, counting = self._site(row), self._counts.on(row.lane, row.key)
        noise = replace(site.common, habits=habits, counting=counting)
        change = self._quieted(row, before, after, noise, compared(before, after, habits, site, counting))
        self._counts.meet(row.lane, row.key, before, after)
        believed = after_visit(habits, differing(before, after, habits))
        return self._with_what_stayed(row, held, before, after, believed, change), believed

    def _with_what_stayed(
        self, row: KnownUrl, held: HeldVersion, before: ComparedVersion, after: ComparedVersion, habits: Habits,
        change: Change,
    ) -> Change:  # fmt: skip
        told = self._version(row, held.told) if not change.changed and held.version != held.told else None
        if told is None:
            return change
        stayed = only_held(self._stayed(row, told, after, habits), before, change)
        return stayed if stayed.changed else change

    def _written_anew(
        self, row: KnownUrl, held: HeldVersion, copy: DecodedCopy, habits: Habits
    ) -> tuple[Change, Habits] | None:
        """A document that is no page, by its words; None where they cannot all be read."""
        older = self._copy(row, held.version) if self._is_paper(copy) else None
        before, after = (self._read(older), self._read(copy)) if older is not None else (None, None)
        if older is None or before is None or after is None:
            return None
        noise = Noise(habits)
        change = self._quieted(row, before, after, noise, decide(before, after, noise))
        change = bytes_apart(change, older, copy, habits)
        believed = after_visit(habits, with_bytes(before, after, differing(before, after, habits)))
        return self._with_what_stayed(row, held, before, after, believed, change), believed

    def look_twice(
        self, row: KnownUrl, held: HeldVersion, visit: Visit, habits: Habits, first: Change
    ) -> tuple[Change, Habits]:
        """What is left of the `first` look, which brought the state that is held, now that the page was asked for once
        more: what is another already was drawn by lot."""
        copy, older = visited_copy(visit), self._copy(row, held.version)
        before, after = self._read(older), self._read(copy)
        if copy is None or older is None or before is None or after is None:
            return first, habits
        again, spots = decide(before, after), differing(before, after, habits)
        if self._is_paper(copy):
            again, spots = bytes_apart(again, older, copy, habits), with_bytes(before, after, spots)
        return lasting_in(first, after, again), after_glance(habits, spots)

    def counted(self, unmoved: Mapping[int, int]) -> dict[Speaker, bytes]:
        """What the run has shown of what sites count, for the commit; of each, as many pages came as they were."""
        return self._counts.drain(unmoved)

    def may_be_drawn(self, change: Change) -> bool:
        return may_be_drawn(change)

    def in_doubt(self, change: Change) -> Change:
        """The change with what only a second look can tell from what is drawn by lot; the same where there is none."""
        return in_doubt(change) if any(spot.reason == DRAWN for spot in change.noise) else change

    def _pictured(self, row: KnownUrl, held: HeldVersion, visit: Visit) -> Change:
        """Another picture behind its address; the same one, packed otherwise, is noise."""
        before, after = self._copy(row, held.version), visited_copy(visit)
        if before is None or after is None:
            return whole_change("image/")
        same = same_picture(before.body, after.body)
        reason = "the same picture, packed otherwise" if same else ""
        was, now = measures(before.body), measures(after.body)
        spot = Spot("changed", ("image",), f"image {visit.url}", was, now, PICTURE_SHARE, reason, "bytes")
        return changed_in((), (spot,)) if same else changed_in((spot,), ())

    def look_again(self, row: KnownUrl, told: int, held: int, habits: Habits) -> Change | None:
        """What differs between two kept versions by what is believed now; None where they cannot be compared."""
        before, after = self._version(row, told), self._version(row, held)
        if before is None or after is None:
            return None
        return self._stayed(row, before, after, habits)

    def _stayed(self, row: KnownUrl, before: ComparedVersion, after: ComparedVersion, habits: Habits) -> Change:
        """A number of the site that changed on this page is the site's where its other pages say so by now."""
        common = self._site(row).common
        left = common.repeated.difference(block.text for block in before.blocks)
        noise = replace(common, habits=habits, repeated=left, counting=self._counts.on(row.lane, row.key))
        return self._quieted(row, before, after, noise, decide(before, after, noise))

    def _quieted(
        self, row: KnownUrl, before: ComparedVersion, after: ComparedVersion, noise: Noise, change: Change
    ) -> Change:
        """Habits stay what visits made of them: the word may be taken back."""
        spots = self._silenced.over(row.url) if self._silenced is not None else {}
        if not spots:
            return change
        return quieted(change, decide(before, after, replace(noise, habits=taught(noise.habits, spots))))

    def _version(self, row: KnownUrl, number: int) -> ComparedVersion | None:
        return self._read(self._copy(row, number))

    def _is_paper(self, copy: DecodedCopy) -> bool:
        return self._papers is not None and not copy.content_type.startswith(COMPARED) and self._papers.takes(copy)

    def _read(self, copy: DecodedCopy | None) -> ComparedVersion | None:
        if copy is None:
            return None
        if self._papers is not None and self._is_paper(copy):
            return self._papers.version(copy)
        return copy.version()

    def _copy(self, row: KnownUrl, number: int) -> DecodedCopy | None:
        try:
            content = self._archive.copy(number)
        except (WarcError, OSError) as error:
            raise RepositoryError(f"the kept copy of {row.url} cannot be read: {error}") from error
        return kept_copy(content) if content is not None else None

    def _site(self, row: KnownUrl) -> SiteRepeats:
        site = self._sites.get(row.lane)
        if site is None:
            kept = list(_versions(self._archive.neighbours(row.lane, row.key, NEIGHBOURS)))
            site = SiteRepeats(kept)
            self._counts.draw(row.lane, kept)
            self._sites[row.lane] = site
        self._sites.move_to_end(row.lane)
        if len(self._sites) > REMEMBERED_SITES:
            self._sites.popitem(last=False)
        return site


def only_held(change: Change, held: ComparedVersion, now: Change) -> Change:
    """Of what differs, that which the state held for noise had already: it did not come just `now`."""
    texts = _texts_held(held)
    come = {(spot.place, spot.after) for spot in (*now.where, *now.noise)}
    where = tuple(
        spot for spot in change.where if (spot.place, spot.after) not in come and _is_held(spot, texts, held.title)
    )
    return changed_in(where, change.noise)


def lasting_in(first: Change, after: ComparedVersion, again: Change) -> Change:
    """Of a change, what a second look still finds; `again` is what differs between the two looks."""
    texts = _texts_held(after)
    passing = (STAMPED, WRITTEN_OTHERWISE)
    moved = {_seat(spot) for spot in (*again.where, *again.noise) if spot.reason not in passing}
    lasting: list[Spot] = []
    by_lot: list[Spot] = []
    for spot in first.where:
        by_place = spot.shows != "words" or spot.what == "moved"
        stays = _seat(spot) not in moved if by_place else _is_held(spot, texts, after.title)
        (lasting if stays else by_lot).append(spot)
    return changed_in(tuple(lasting), (*first.noise, *(replace(spot, reason=BY_LOT) for spot in by_lot)))


def may_be_drawn(change: Change) -> bool:
    """Whether a list is in another order, or links differ in nothing but parameters: as often as not that is drawn by
    lot."""
    return any(
        spot.what == "moved"
        or (spot.shows == "links" and _PARAMETERS.sub("", spot.before) == _PARAMETERS.sub("", spot.after))
        for spot in change.where
    )


def _seat(spot: Spot) -> tuple[str, str]:
    """By which a spot is found once more; of what moved, the list that it stands in."""
    return (masked(spot.place), "moved") if spot.what == "moved" else (spot.place, spot.shows)


def _texts_held(version: ComparedVersion) -> set[str]:
    return {lasting_words(block.text) for block in version.blocks}


def _is_held(spot: Spot, texts: set[str], title: str) -> bool:
    if spot.place == "title":
        return spot.after == title
    if spot.shows != "words":
        return True
    return lasting_words(spot.after) in texts if spot.after else lasting_words(spot.before) not in texts


def whole_change(mime: str) -> Change:
    """Other bytes, of which no more can be said than of what kind they are."""
    kind: Kind = next((kind for prefix, kind in _BY_MIME if mime.startswith(prefix)), "content")
    return Change(True, (kind,), 1.0, (), ())


def _versions(contents: Iterable[Content]) -> Iterator[ComparedVersion]:
    for content in contents:
        copy = kept_copy(content)
        if copy is not None:
            yield copy.version()
