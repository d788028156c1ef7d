"""A refresh from its plan to its end: first the sitemaps, then what is due, then what that leads to.

The plan is the queue, which is durable: a refresh that was killed goes on with what is left of it, as a refresh or as
a crawl. Each stage begins when nothing is left of the one before; `Course.more` is asked then and fills the queue.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from whimbrel.flows.listing import STEPS
from whimbrel.flows.refresh.absent import hastened
from whimbrel.flows.refresh.again import HERE
from whimbrel.flows.refresh.expanding import expansion
from whimbrel.flows.refresh.expecting import Expecting, signals
from whimbrel.flows.refresh.leading import Leading
from whimbrel.flows.refresh.lists_due import is_list_due, leading_to_most, lists_to_discover
from whimbrel.flows.refresh.outages import OUTAGE, packed_outage, read_outage
from whimbrel.flows.refresh.pings import Ping
from whimbrel.flows.refresh.trusting import ETAGS, LASTMOD, PINGS, believed, fetched_whole, read_witness
from whimbrel.flows.refresh.weighing import Weighing, weighing
from whimbrel.flows.twins.dusting import Dusting
from whimbrel.frontier.order import Order, band, revisit_band
from whimbrel.records.role import Role
from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED, Verdict
from whimbrel.records.visit import Outcome
from whimbrel.repository.contract import FoundUrl, Plan, Queued, Speaker, Visited
from whimbrel.repository.port.writer import Writer
from whimbrel.revisit.classes import INTERVALS
from whimbrel.revisit.gone import CONFIRM_SECONDS
from whimbrel.revisit.history import PageHistory, first_visit, packed
from whimbrel.revisit.outage import Outage
from whimbrel.revisit.plan import Budget, VisitCandidate, choose, varied
from whimbrel.revisit.rate import believed as rate_believed
from whimbrel.revisit.rule import ROUND_SECONDS
from whimbrel.revisit.sources import LOOKED_BACK_SECONDS
from whimbrel.revisit.trust import Witness, has_say, may_skip
from whimbrel.urls.criteria import All, Filter
from whimbrel.urls.normal import host as host_of
from whimbrel.urls.normal import key as key_of

UNFINISHED = "refresh"
MOST_EXPANSIONS = 5
ALIKE_SECONDS = 3600.0
_IMPORTANCE = {Outcome.FETCHED: 1.0, Outcome.UNCHANGED: 1.0, Outcome.DUPLICATE: 0.3}
_NOT_HERE_IMPORTANCE = 0.1
NO_FILTER = All(())


class RefreshWish(Struct, frozen=True):
    """What the user asked for. With neither `everything` nor a budget: what is due. With `confirm` also the pages that
    were missing, before their time. `unattended`: nobody looks at it, and it will come again by itself. `told`: only
    pages of which somebody told that they changed, however many others there are."""

    everything: bool = False
    budget: int | None = None
    sitemaps: bool = True
    rounds: bool = False
    expand: bool = True
    confirm: bool = False
    unattended: bool = False
    told: bool = False


class CourseStage(Enum):
    SITEMAPS = 1
    PAGES = 2
    CONSEQUENCES = 3
    OVER = 4


class Course:
    """One refresh of one folder. `visits_left` tells what is left of a budget; `ranks` are link ranks of pages, `read`
    how many readers each had; `filters` are the user's. `pinged` is what sites told of, `within` what may be asked."""

    def __init__(
        self, store: Writer, wish: RefreshWish, order: Order, now: float, confirm_seconds: float = CONFIRM_SECONDS,
        visits_left: Callable[[], int | None] = lambda: None, dusting: Dusting | None = None,
        ranks: Mapping[int, float] = {}, read: Mapping[int, int] = {}, filters: Filter = NO_FILTER,
        pinged: Mapping[int, Ping] = {}, within: Callable[[Url], Verdict] = lambda url: ACCEPTED,
    ) -> None:  # fmt: skip
        self._pinged = pinged
        self._within = within
        self._store = store
        self._confirm_seconds = confirm_seconds
        self._past = store.past
        self._wish = wish
        self._visits_left = visits_left
        self._dusting = dusting
        self._order = order
        self._stage = CourseStage.SITEMAPS if wish.sitemaps and not wish.told else CourseStage.PAGES
        self._doubted = self._doubted_lanes()
        self._suspected: set[int] = set()
        self._expansions = 0
        self._expanded: set[int] = set()
        self._expecting: Expecting | None = None
        self._ping_witnesses: Mapping[int, bytes] | None = None
        self._filters = filters
        self._ranks = ranks
        self._read = read
        self._weighing = Weighing(ranks)
        self._leading = Leading([], [])
        self.began = now
        self.skipped = 0
        self.copies = 0
        self.why: Counter[str] = Counter()
        self.next_due: float | None = None
        self.left = 0
        left = store.recall(UNFINISHED)
        if isinstance(left, dict):
            self.left = len(self._past.queued())
            self.began = float(left["began"])
            self._stage = CourseStage(left["stage"])
        self._past.prepare()

    def more(self, now: float) -> int:
        """Fills the queue with the next stage that has something to do; 0 when the refresh is over."""
        while self._stage is not CourseStage.OVER:
            queued = self._next_stage(now)
            self._store.remember(UNFINISHED, {"began": self.began, "stage": self._stage.value})
            if queued:
                return queued
        return 0

    def finish(self) -> None:
        """Nothing is left to do but what has to wait."""
        self._store.remember(UNFINISHED, None)

    def _next_stage(self, now: float) -> int:
        match self._stage:
            case CourseStage.SITEMAPS:
                self._stage = CourseStage.PAGES
                return self._queue_sitemaps(now)
            case CourseStage.PAGES:
                self._stage = CourseStage.CONSEQUENCES
                return self._queue_pages(now)
            case _:
                queued = self._doubt_again(now) or self._suspect(now) or self._expand(now)
                if not queued:
                    self._stage = CourseStage.OVER
                return queued

    # Sitemaps.

    def _queue_sitemaps(self, now: float) -> int:
        known = self._past.sitemaps()
        queued = self._past.queued()
        budget = None if self._wish.everything else self._wish.budget
        due = [one for one in known if one.key not in queued and (self._wish.everything or is_list_due(one, now))]
        if budget is not None:
            due = leading_to_most(due, Leading(known, self._finds(now), self._read), budget, now)
        plan = Plan(queued=[self._place(one.key, one.url, 0, True) for one in due])
        for link, rule in lists_to_discover(self._store, {one.key for one in known}, self._wish.budget):
            host = host_of(link.url)
            plan.found.append(
                FoundUrl(link.key, link.url, host, 0, 0, 0, Role.SITEMAP, None, now, Outcome.DISCOVERED, rule, "")
            )
            plan.queued.append(self._place(link.key, link.url, 0, True))
        return self._commit(plan, now)

    def _finds(self, now: float) -> list[tuple[int, float, int]]:
        return self._past.finds(now - LOOKED_BACK_SECONDS)

    # Pages.

    def _queue_pages(self, now: float) -> int:
        hastened = self._confirm(now) if self._wish.confirm else 0
        return hastened + self._queue_new(now) + self._queue_due(now)

    def _queue_new(self, now: float) -> int:
        """Pages that sites told us of and that nobody knew."""
        fresh = self._pinged.keys() - self._store.known(self._pinged).keys()
        plan = Plan()
        for key in sorted(fresh):
            url = self._pinged[key].url
            if self._within(url).accepted:
                plan.found.append(
                    FoundUrl(key, url, host_of(url), STEPS, 0, 0, Role.PAGE, None, now, Outcome.DISCOVERED, "", "")
                )
                plan.queued.append(self._place(key, url, STEPS, False))
        self.why["pages that a site told of"] += len(plan.queued)
        return self._commit(plan, now)

    def _is_told(self, one: Visited, history: PageHistory) -> bool:
        """Whether the site said since the last visit that the page changed, and its word still counts."""
        ping = self._pinged.get(one.key)
        if ping is None or ping.at <= max(history.visited_at, one.visited_at):
            return False
        return has_say(self._ping_witness(one.lane))

    def _ping_witness(self, lane: int) -> Witness:
        if self._ping_witnesses is None:
            self._ping_witnesses = self._past.witnesses(PINGS)
        return read_witness(self._ping_witnesses.get(lane, b""), PINGS)

    def _confirm(self, now: float) -> int:
        """Pages that were missing are asked for before their time."""
        moments = hastened(self._past, now, self._confirm_seconds)
        others = self._past.candidates_among(moments.keys() - self._past.queued())
        places = [self._again(one) for one in others]
        self._commit(Plan(queued=[place._replace(not_before=moments[place.key]) for place in places]), now)
        self.why["pages that were missing"] += len(moments)
        return len(moments)

    def _queue_due(self, now: float) -> int:
        queued = self._past.queued()
        candidates = self._past.candidates_among(self._pinged) if self._wish.told else self._past.candidates()
        known = [one for one in candidates if one.key not in queued]
        worth_asking = self._without_copies(self._let_in(known))
        if self._wish.everything:
            return self._queue(longest_unseen(worth_asking), now)
        worth_asking = self._without_silent(worth_asking, now)
        self._expecting = self._expect(worth_asking)
        if self._wish.budget is not None:
            self._weighing = weighing(self._ranks, worth_asking, self._read)
            self._leading = Leading(worth_asking, self._finds(now), self._read)
        wanted = [one for one in worth_asking if not self._is_spared(one, now)]
        if self._wish.told:
            wanted = [one for one in wanted if self._is_told(one, self._expected.history(one))]
        if self._wish.budget is None:
            return self._queue(longest_unseen([one for one in wanted if self._is_due(one, now)]), now)
        left = self._visits_left()
        budget = self._wish.budget if left is None else left  # sitemaps may have taken some of it
        return self._queue(self._worth_most(wanted, budget - len(queued), now), now)

    def _let_in(self, pages: list[Visited]) -> list[Visited]:
        """Without what the user's filters keep out today; what was named is not held against them."""
        if self._filters == NO_FILTER:
            return pages
        return [one for one in pages if one.depth == 0 or self._filters.judge(one.url).accepted]

    def _without_copies(self, pages: list[Visited]) -> list[Visited]:
        """Without what a learned rule calls the same page as another that is here; a sample of these is asked for."""
        dusting = self._dusting
        if dusting is None:
            return pages
        same = {one.key: rewritten[0] for one in pages if not one.asset and (rewritten := dusting.same_as(one.url))}
        instead = self._store.known({key_of(url) for url in same.values()})
        copies = {key for key, url in same.items() if (row := instead.get(key_of(url))) and row.outcome in HERE}
        self.copies += len(copies)
        return [one for one in pages if one.key not in copies]

    def _without_silent(self, pages: list[Visited], now: float) -> list[Visited]:
        """Of a site that is away one page is asked for, when it is worth it: the others wait for its answer."""
        away = {lane: one for lane, one in self._outages().items() if one.is_away}
        if not away:
            return pages
        return [
            one
            for one in pages
            if (known := away.get(one.lane)) is None or (known.answered == one.key and known.asked_again_at <= now)
        ]

    def _outages(self) -> dict[int, Outage]:
        return {lane: read_outage(record) for lane, record in self._past.witnesses(OUTAGE).items()}

    def _worth_most(self, wanted: list[Visited], budget: int, now: float) -> list[Visited]:
        pages = {one.key: one for one in wanted}
        candidates = (self._candidate(one) for one in wanted)
        chosen = choose(candidates, now, Budget(max(0, budget)), seed=int(now))
        return [pages[one.key] for one in chosen]

    def _candidate(self, one: Visited) -> VisitCandidate:
        expecting = self._expected
        history = expecting.history(one)
        heard = signals(one, history)
        prior = expecting.common(one.lane) if heard is None else expecting.of_all()
        if prior is not None:
            history = replace(history, belief=rate_believed(history.gaps, expecting.prior(one, prior)))
        importance = _IMPORTANCE.get(Outcome(one.outcome), _NOT_HERE_IMPORTANCE) * self._weighing.importance(one)
        leads_to = self._leading.rate(one)
        witness = expecting.witness(one.lane)
        if self._is_told(one, history):
            heard, witness = 1, self._ping_witness(one.lane)
        return VisitCandidate(one.key, one.host, history, importance, heard, witness, leads_to)

    def _is_due(self, one: Visited, now: float) -> bool:
        history = self._expected.history(one)
        if signals(one, history) or self._is_told(one, history):
            return True
        if self._wish.rounds:
            interval = history.countdown.fr_max * ROUND_SECONDS
        else:
            interval = INTERVALS[self._expected.pace(one, history)]
        due_at = max(history.visited_at, one.visited_at) + varied(interval, one.key, history.visits, 0)
        if due_at > now:
            self.next_due = min(due_at, self.next_due or due_at)
        return due_at <= now

    def _is_spared(self, one: Visited, now: float) -> bool:
        """Whether a sitemap that has earned it says that nothing changed."""
        history = self._expected.history(one)
        if signals(one, history) != 0 or one.outcome not in HERE or self._is_told(one, history):
            return False
        verdict = may_skip(self._expected.witness(one.lane), one.key, history.visits, seed=int(now))
        self.skipped += verdict.accepted
        return verdict.accepted

    @property
    def _expected(self) -> Expecting:
        if self._expecting is None:
            self._expecting = self._expect([])
        return self._expecting

    def _expect(self, pages: list[Visited]) -> Expecting:
        return Expecting(pages, self._past.witnesses(LASTMOD))

    def _queue(self, pages: list[Visited], now: float) -> int:
        plan = Plan()
        by_lane: defaultdict[int, list[int]] = defaultdict(list)
        for one in pages:
            plan.queued.append(self._again(one))
            if one.outcome in HERE:
                by_lane[one.lane].append(one.key)
        sampled = [key for lane, keys in by_lane.items() for key in fetched_whole(keys, int(now) ^ lane)]
        plan.returned = [
            held.returned._replace(unconditional=1, history=held.returned.history or packed(first_visit(held.at)))
            for held in self._past.held(sampled).values()
        ]
        return self._commit(plan, now)

    # What follows from what was found.

    def _doubt_again(self, now: float) -> int:
        """Sites whose validators turned out to lie are asked once more, for whole documents."""
        lost = self._doubted_lanes() - self._doubted
        self._doubted |= lost
        keys = [key for lane in lost for key in self._past.taken_at_their_word(lane, self.began)]
        pages = self._past.candidates_among(keys)
        self.why["validators that lie"] += len(pages)
        plan = Plan(queued=[self._again(one) for one in pages])
        return self._commit(plan, now)

    def _suspect(self, now: float) -> int:
        """Sites of which a page did not answer are asked for the one that answered last, or for their first: if that
        does not answer either, they are away."""
        suspects = {lane: one for lane, one in self._outages().items() if one.is_suspect}
        fresh = suspects.keys() - self._suspected
        if not fresh:
            return 0
        self._suspected |= fresh
        known = {one.answered for lane, one in suspects.items() if lane in fresh and one.answered is not None}
        chosen = {one.lane: one for one in self._past.candidates_among(known) if one.outcome in HERE}
        if unknown := fresh - chosen.keys():
            pages = (one for one in self._past.candidates() if one.lane in unknown and one.outcome in HERE)
            first = sorted((one for one in pages if not one.asset), key=lambda one: (-one.depth, one.key))
            chosen |= {one.lane: one for one in first}
        plan = Plan(queued=[self._again(one) for one in chosen.values() if one.key not in self._past.queued()])
        plan.witnesses = {
            Speaker(lane, OUTAGE): packed_outage(replace(suspects[lane], answered=one.key))
            for lane, one in chosen.items()
        }
        self.why["sites that may answer no more"] += len(plan.queued)
        return self._commit(plan, now)

    def _doubted_lanes(self) -> set[int]:
        return {lane for lane, record in self._past.witnesses(ETAGS).items() if not believed(record)}

    def _expand(self, now: float) -> int:
        """P2's selective expansion: the children of a page that changed, or of which enough changed, are looked at."""
        if self._wish.everything or self._wish.budget is not None or self._wish.told or not self._wish.expand:
            return 0
        if self._expansions >= MOST_EXPANSIONS:
            return 0
        self._expansions += 1
        visited = set(self._past.visited_since(self.began))
        changed = self._past.changed_since(self.began)
        children, thresholds = expansion(self._store, visited - self._expanded, changed)
        plan = Plan(returned=thresholds)
        self._expanded |= visited
        left = children - visited - self._past.queued()
        others = self._without_copies(self._let_in(list(self._past.candidates_among(left))))
        wanted = [one for one in others if not self._is_spared(one, now)]
        self.why["pages whose neighbours changed"] += len(wanted)
        plan.queued = [self._again(one) for one in wanted]
        return self._commit(plan, now)

    def _again(self, one: Visited) -> Queued:
        """Among the pages of its site that change about as often: itineraries are cut so."""
        pace = self._expected.pace(one, self._expected.history(one))
        return Queued(one.key, host_of(one.url), revisit_band(pace, bool(one.asset)))

    def _place(self, key: int, url: Url, depth: int, asset: bool) -> Queued:
        return Queued(key, host_of(url), band(self._order, depth, asset))

    def _commit(self, plan: Plan, now: float) -> int:
        if plan.queued or plan.returned:
            self._store.commit(plan, now)
        return len(plan.queued)


def longest_unseen(pages: Iterable[Visited]) -> list[Visited]:
    """In the order in which they were visited last: so each waits about as long as the others. Those that were visited
    within an hour waited alike, and come in the order in which what is known of them was seen: that is how a place
    numbered them, so that work for it is named in a fraction of a byte a page instead of two."""
    return sorted(pages, key=lambda one: (one.visited_at // ALIKE_SECONDS, one.at, one.key))
