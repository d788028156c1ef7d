"""Follows the folder's events and links pages that say nearly the same; learns which URLs lead to one page.

After the commit, never in its way: what is followed is already safe. An event only says where to look; what is done
depends on the page as it stands now, so following an event twice, or after a kill, changes nothing. Whatever comes out
is kept in `twins.sqlite`, beside the folder's own database, which is only read.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import partial

from msgspec import Struct

from whimbrel.dedupe.bands import BandIndex
from whimbrel.dedupe.near import LEAST_WORDS, WORTH_A_LOOK, NearLikeness, compare, compare_whole, is_short, other_title
from whimbrel.dedupe.shingles import runs_of, words_of
from whimbrel.dedupe.sketch import estimate, hashes_of, least_of, packed
from whimbrel.dedupe.template import Own, Template, subject_of
from whimbrel.flows.twins.evidence import Court
from whimbrel.flows.twins.file import Sketched, TwinsFile, all_rules, rules_of
from whimbrel.flows.twins.pages import TwinPages
from whimbrel.flows.twins.views import NearTwin, near_twins, undo_rule
from whimbrel.records.event import EventKind
from whimbrel.records.url import Url
from whimbrel.repository.location import Where, located
from whimbrel.repository.views import Event, Grouped
from whimbrel.urls.normal import host

__all__ = ["Near", "NearTwin", "SketchingDone", "all_rules", "near_twins", "rules_of", "undo_rule"]

BATCH = 256
MOST_COMPARED = 8
"""Texts compared with a page's. Those most alike by their sketches come first."""

_SLACK_SECONDS = 3600.0
"""A redirect is told home some time after it was met; those of the last hour are looked at again."""


class SketchingDone(Struct, frozen=True):
    """What following did: events, pages sketched, near-twins linked, new pairs of URLs for or against a rule."""

    events: int = 0
    pages: int = 0
    twins: int = 0
    evidence: int = 0

    def __add__(self, other: "SketchingDone") -> "SketchingDone":
        return SketchingDone(
            self.events + other.events,
            self.pages + other.pages,
            self.twins + other.twins,
            self.evidence + other.evidence,
        )


class Near:
    """The follower of one folder. The index of bands is read only when there is something to follow."""

    def __init__(self, where: Where) -> None:
        self._pages = TwinPages(where)
        try:
            self._file = TwinsFile(located(where).beside, writing=True)
        except BaseException:
            self._pages.close()
            raise
        self._start_anew()

    def _start_anew(self) -> None:
        """Nothing in memory that the file does not say."""
        self._court = Court(self._file, self._pages)
        self._templates: dict[str, Template] = {}
        self._taught = set[str]()
        self._refused: list[tuple[int, int]] = []
        self._index: BandIndex | None = None
        self._numbers = array("I")
        self._apart = self._file.apart()

    def __enter__(self) -> "Near":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()
        self._pages.close()

    def pending(self) -> int:
        return self._pages.reader.events_after(self._done)

    @property
    def sketched(self) -> int:
        """Pages whose bands have to be read before anything is followed."""
        return self._file.count()

    def catch_up(
        self, now: float, *, redirects: bool = True, enough: Callable[[], bool] = lambda: False, batch: int = BATCH
    ) -> SketchingDone:
        """Follows every event there is, or until `enough` says so after a batch. Looking through the redirects takes a
        walk over all URLs: while a crawl runs, leave them out."""
        caught = SketchingDone()
        while not enough() and (events := self._pages.reader.events(self._done, batch)):
            caught += self._in_one(partial(self._follow, events, now))
        if redirects and not enough():
            caught += self._in_one(self._follow_redirects)
        return caught

    @property
    def _done(self) -> int:
        return int(self._file.recall("seq"))

    def _in_one(self, work: Callable[[], SketchingDone]) -> SketchingDone:
        self._file.begin()
        try:
            caught = work()
            self._court.close()
            self._file.commit()
        except BaseException:
            self._file.roll_back()
            self._start_anew()
            raise
        return caught

    def _follow(self, events: list[Event], now: float) -> SketchingDone:
        keys = dict.fromkeys(event.url for event in events)
        held = self._pages.reader.grouped(keys)
        pages = twins = evidence = 0
        for key in keys:
            page = held.get(key)
            if page is None or not page.kept:
                self._remove(key)
            elif self._is_new(page):
                pages += 1
                twins += self._sketch(page)
            evidence += self._court.hear(page) if page is not None else 0
        twins += self._look_again()
        for site in self._taught:
            self._file.keep_template(site, self._templates[site])
        self._templates.clear()
        self._taught.clear()
        self._forget(event.url for event in events if event.kind == EventKind.FORGOTTEN and event.url not in held)
        self._file.remember("seq", events[-1].seq)
        self._file.remember("at", now)
        return SketchingDone(len(events), pages, twins, evidence)

    def _follow_redirects(self) -> SketchingDone:
        met = self._pages.reader.redirects_since(self._file.recall("redirects") - _SLACK_SECONDS)
        latest = max((at for *_, at in met), default=self._file.recall("redirects"))
        self._file.remember("redirects", latest)
        return SketchingDone(evidence=self._court.hear_redirects(met))

    def _forget(self, urls: Iterator[int]) -> None:
        """What was erased on purpose leaves no trace here, and neither does a site of which nothing is left."""
        erased = list(urls)
        for url in erased:
            self._file.forget_url(url)
        if erased:
            self._court.close()
            for site in self._file.sites_seen():
                if not self._pages.knows_site(site):
                    self._file.forget_site(site)

    # One page.

    def _is_new(self, page: Grouped) -> bool:
        known = self._file.page_at(page.key)
        return known is None or known.version != page.version

    def _sketch(self, page: Grouped) -> bool:
        """Takes the page's newest version in; whether it is somebody's near-twin."""
        first = self._file.page_at(page.key) is None
        self._remove(page.key)
        text = self._pages.text(page)
        words, subject = words_of(text), subject_of(page.title)
        short = len(words) < LEAST_WORDS
        if short and not subject:
            return False
        least = least_of(runs_of(words_of(self._pages.whole(page)) if short else words))
        sketch, hashes = packed(least), hashes_of(least, subject, short=short)
        index = self._loaded()
        number = self._file.add(page.key, page.version, sketch, array("I", hashes).tobytes())
        met = index.meet(hashes)
        self._numbers.append(number)
        if page.key in self._apart:
            self._hide(number)
            return False
        found = self._twin(page, text, sketch, [self._numbers[at] for at, _ in met])
        if found is None:
            # Eight versions of one page are not eight pages.
            if first and self._template(page.url).learn(page.title, text):
                self._taught.add(host(page.url))
            return False
        leader, likeness = found
        self._file.link(number, leader.number, likeness.similarity, likeness.reason)
        return True

    def _twin(
        self, page: Grouped, text: str, sketch: bytes, numbers: list[int]
    ) -> tuple[Sketched, NearLikeness] | None:
        """The first of the pages found, the most alike by their sketches before others, that is the same page in
        another edition."""
        own = self._template(page.url).own(page.title, text)
        compared, refused = 0, list[tuple[int, int]]()
        for leader in self._alike(sketch, numbers):
            other = self._pages.one(leader.url)
            if other is None:
                continue
            if self._template(page.url).young and len(refused) < MOST_COMPARED:
                refused.append((page.key, leader.url))
            if other_title(own, self._template(other.url).own(other.title, "")):
                continue
            likeness = self._compare(page, own, other)
            if likeness.twins:
                return leader, likeness
            compared += 1
            if compared == MOST_COMPARED:
                break
        self._refused += refused
        return None

    def _look_again(self) -> int:
        """What was refused before the site's template was known, once a batch was taken in; how many are twins now."""
        refused, self._refused = self._refused, []
        twins = 0
        for key, other_key in refused:
            one, leader = self._file.page_at(key), self._file.page_at(other_key)
            if one is None or leader is None or one.leader is not None or leader.leader is not None:
                continue
            page, other = self._pages.one(key), self._pages.one(other_key)
            if page is None or other is None or self._file.members(one.number):
                continue
            likeness = self._compare(page, self._template(page.url).own(page.title, self._pages.text(page)), other)
            if likeness.twins:
                self._file.link(one.number, leader.number, likeness.similarity, likeness.reason)
                twins += 1
        return twins

    def _compare(self, page: Grouped, own: Own, other: Grouped) -> NearLikeness:
        theirs = self._template(other.url).own(other.title, self._pages.text(other))
        if is_short(own) or is_short(theirs):
            return compare_whole(own, theirs, self._pages.whole(page), self._pages.whole(other))
        return compare(own, theirs)

    def _alike(self, sketch: bytes, numbers: list[int]) -> list[Sketched]:
        estimated = [(estimate(sketch, leader.sketch), leader) for leader in self._leaders(numbers)]
        worth = [one for one in estimated if one[0] >= WORTH_A_LOOK]
        return [leader for _, leader in sorted(worth, key=lambda one: -one[0])]

    def _leaders(self, numbers: list[int]) -> Iterator[Sketched]:
        seen = set[int]()
        for number in numbers:
            page = self._file.page(number)
            if page is not None and page.leader is not None:
                page = self._file.page(page.leader)
            if page is not None and page.number not in seen:
                seen.add(page.number)
                yield page

    def _template(self, url: Url) -> Template:
        site = host(url)
        if site not in self._templates:
            self._templates[site] = self._file.template(site)
        return self._templates[site]

    # Leaving.

    def _remove(self, key: int) -> None:
        known = self._file.page_at(key)
        if known is not None:
            self._hide(known.number)
            self._bereave(known)
            self._file.remove(known.number)

    def set_apart(self, key: int, now: float) -> bool:
        """The user's word: this page is nobody's near-twin, now and later. False where it was none."""
        known = self._file.page_at(key)
        alone = known is None or (known.leader is None and not self._file.members(known.number))
        self._file.begin()
        self._file.set_apart(key, now)
        self._apart.add(key)
        if known is not None:
            self._bereave(known)
            self._file.link(known.number, None, 0.0, "")
            self._hide(known.number)
        self._file.commit()
        return not alone

    def _hide(self, number: int) -> None:
        """Nobody finds the page any more."""
        self._file.unindex(number)
        if self._index is not None:
            at = bisect_left(self._numbers, number)
            if at < len(self._numbers) and self._numbers[at] == number:
                self._index.forget(at)

    def _bereave(self, leader: Sketched) -> None:
        """The first of the others leads from now on; who is too unlike that one, by their sketches, stands alone."""
        members = self._file.members(leader.number)
        if not members:
            return
        heir, *rest = members
        self._file.link(heir.number, None, 0.0, "")
        for member in rest:
            similarity = estimate(heir.sketch, member.sketch)
            alike = similarity >= WORTH_A_LOOK
            self._file.link(member.number, heir.number if alike else None, similarity if alike else 0.0, member.reason)

    def _loaded(self) -> BandIndex:
        if self._index is None:
            self._index, self._numbers = BandIndex(), array("I")
            for number, bands in self._file.all_bands():
                self._index.meet(array("I", bands))
                self._numbers.append(number)
        return self._index
