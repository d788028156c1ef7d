"""Takes visits in: decides what they mean, commits that, and tells the books. While a crawl runs, on the thread that
writes."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from whimbrel.flows.attention.book import StandingSilences
from whimbrel.flows.gather.deciding import Gathered, Gathering, Terms
from whimbrel.flows.gather.shedding import RankedPages
from whimbrel.flows.learning import Learning
from whimbrel.flows.listing import USUAL_PLACE_RULE, offered_by
from whimbrel.flows.packing import restore_form, restore_pattern
from whimbrel.flows.refresh.again import Again
from whimbrel.flows.refresh.pings import PingBook
from whimbrel.flows.twins.dusting import RULE as DUST
from whimbrel.flows.visit.tools import Sifts
from whimbrel.frontier.forms import FormState, form_of
from whimbrel.frontier.kinds import FRUITLESS, REPEATED, UrlKinds
from whimbrel.frontier.traps import PatternState, TrapSettings
from whimbrel.frontier.watch import Watch
from whimbrel.migrants.home.chooser import Chooser
from whimbrel.migrants.home.entering import take_entries
from whimbrel.migrants.home.errands import Errands
from whimbrel.migrants.home.ledger import Ledger
from whimbrel.migrants.home.progress import Progress
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.migrants.home.trials import Trials
from whimbrel.migrants.wire import messages as wire
from whimbrel.records.request import RULES
from whimbrel.records.response import TRANSIENT, FailureKind
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.records.visit import LOGIN, Link, Outcome, Visit
from whimbrel.repository.contract import ArchivePiece, Became, KnownUrl, Lease, Plan, RobotsCopy, Settled
from whimbrel.repository.port.writer import Writer
from whimbrel.urls.filters import travels
from whimbrel.urls.normal import key as key_of
from whimbrel.urls.normal import origin

if TYPE_CHECKING:
    from whimbrel.flows.refresh.papers import ReadsVersions
    from whimbrel.migrants.home.dressing import Dressing

WATCHED_PATTERNS = 20_000
JUDGED_AT_A_TIME = 10_000
MIN_KEY = -(1 << 63)
_NO_ANSWER = frozenset(FailureKind)
_NO_ROOM = "the limit was reached before it came in: not kept, still due"

Pending = list[tuple[Proxy, wire.Parcel]]
HeardFrom = Callable[[str, bool, list[Visit], list[RobotsCopy]], None]
"""Is told what came from which place, and whether that place is somebody else's machine."""


class Anew(Struct, frozen=True):
    """What is to be judged anew: what these rules left out, as far as it is concerned, and with `queue` what waits."""

    rules: list[str]
    within: Callable[[Url], Verdict]
    concerned: Callable[[KnownUrl], bool]
    queue: bool


class SentUrls(Struct, frozen=True):
    """What became of URLs that a person sent along: new to the folder, moved to the front of the queue, asked for once
    more though visited before, and already in a migrant's hands."""

    new: int
    sooner: int
    again: int
    in_hand: int


class Sown(NamedTuple):
    """Sent along by a person. `only_waiting`: those that do not wait in the queue are left as they are."""

    links: list[Link]
    answer: "asyncio.Future[SentUrls]"
    only_waiting: bool = False


class Intake:
    """`served` are the requests that a commit brought enough for, `new_scope` where redirects of seeds led."""

    def __init__(
        self, store: Writer, terms: Terms, chooser: Chooser, errands: Errands, progress: Progress, *, resumed: bool,
        brief: wire.Brief | None = None, sieve: Sifts | None = None, papers: "ReadsVersions | None" = None,
    ) -> None:  # fmt: skip
        self._store = store
        self._terms = terms
        self._chooser = chooser
        self._errands = errands
        self._progress = progress
        self._brief = brief
        self._sieve = sieve
        self._all_travel = brief is None or all(map(travels, brief.filters))
        self._dressing: Dressing | None = None
        self._widened: list[Url] = []
        self._patterns_stored = store.has_patterns()
        self._patterns_seen = 0
        self._watch = Watch(TrapSettings(), self._recall, WATCHED_PATTERNS)
        self._admitted = Counter({host: store.admitted(host) for host in terms.site_limits})
        told = PingBook(store.location)
        self._again = Again(store.past, terms.patience, StandingSilences(store.location), told.at, papers)
        self._learning = None if terms.exhaustive else Learning(UrlKinds(self._recall_form), store.has_patterns())
        trials = Trials(self._learning.kinds) if self._learning is not None else None
        self.ledger = Ledger(store, self._judge, terms.order, chooser, resumed, trials)
        self.new_scope: list[Url] = []
        self.heard: HeardFrom | None = None
        self.ranked: RankedPages | None = None
        """The collection that is filled, where it is one of fixed size."""

    # Before the first migrant.

    def plant(self, seeds: Iterable[Url], now: float) -> int:
        """Takes seeds in; returns how many the folder did not know."""
        gathered = self.gathering(now).plant(as_seeds(seeds))
        self._store.commit(gathered.plan, now)
        return len(gathered.plan.found)

    def reconsider(self, other_kinds: bool, now: float) -> None:
        """URLs left out by a rule that has been withdrawn since are due again; with `other_kinds` also pages that were
        not of a kind asked for then."""
        rules = (DUST, *RULES) if other_kinds else (DUST,)
        rows = [row for rule in rules for row in self._store.refused_by(rule)]
        if rows:
            gathered = self.gathering(now).reconsider(rows)
            self._store.commit(gathered.plan, now)
        self._sample_anew(now)

    def _sample_anew(self, now: float) -> None:
        """Of every kind that was not worth asking for, one is asked for at each refresh, and all where the user wants
        an exhaustive crawl."""
        if not (self._terms.exhaustive or self._terms.refreshing):
            return
        rows = [row for rule in (FRUITLESS, REPEATED) for row in self._store.refused_by(rule)]
        if self._learning is not None:
            rows = sampled(rows, round(now))
            self._learning.kinds.excuse(row.url for row in rows)
        if rows:
            self._store.commit(self.gathering(now).welcome(rows).plan, now)

    def rejudge(self, anew: Anew, now: float) -> None:
        """What was left out by one of the rules is judged by today's settings, and the queue where asked for."""
        after = MIN_KEY
        while rows := self._store.left_out_by(anew.rules, after, JUDGED_AT_A_TIME):
            gathering = self.gathering(now)
            gathering.reconsidering.rejudge(filter(anew.concerned, rows), anew.within)
            self._store.commit(gathering.gathered.plan, now)
            after = rows[-1].key
        after = MIN_KEY
        while anew.queue and (places := self._store.waiting(after, JUDGED_AT_A_TIME)):
            gathering = self.gathering(now)
            gathering.reconsidering.rejudge_waiting(places, anew.within)
            self._store.commit(gathering.gathered.plan, now)
            after = places[-1][1].key

    # While it runs.

    def take(self, pending: Pending, now: float) -> tuple[list[Visit], list[int]]:
        """Commits what came in; the visits that are durable now, and the requests that have enough."""
        claimed = self.ledger.claim(pending)
        self._tell_whose(pending, claimed)
        take_entries(self._store.location.beside, pending, (visit for visit, _ in claimed))
        visits = self._errands.assign(self._dressed(claimed))
        if not pending and not visits:
            return [], []
        gathered = self._decide(visits, [parcel for _, parcel in pending], now)
        self._note_away(gathered.plan)
        self.settle(gathered, now)
        fitted = [fit for _, parcel in pending for fit in parcel.fitted]
        served = self._errands.settle(gathered.plan, fitted, now)
        self._widen(gathered.new_scope)
        for proxy, parcel in pending:
            proxy.acknowledged = max(proxy.acknowledged, parcel.number)
            proxy.received += sum(visit.received_bytes for visit in parcel.visits)
            proxy.links += sum(len(visit.links) for visit in parcel.visits)
        return told(visits, gathered), served

    def _tell_whose(self, pending: Pending, claimed: list[tuple[Visit, Lease]]) -> None:
        """Who told what, before home makes anything of it."""
        if self.heard is None or not pending:
            return
        asked_for = {id(visit) for visit, _ in claimed}
        for proxy, parcel in pending:
            visits = [visit for visit in parcel.visits if id(visit) in asked_for]
            self.heard(proxy.place.name, bool(proxy.place.sites), visits, parcel.robots)

    def _dressed(self, claimed: list[tuple[Visit, Lease]]) -> list[tuple[Visit, Lease]]:
        """What came bare is made whole; whatever nobody asked for is not worth the work."""
        if self._all_travel and all(visit.exchange is None for visit, _ in claimed):
            return claimed
        if self._dressing is None:
            assert self._brief is not None, "what travels bare is made whole by the brief"
            self._dressing = _dressing(self._brief, self._widened, self._sieve)
        visits = self._dressing.whole(visit for visit, _ in claimed)
        return [(visit, lease) for visit, (_, lease) in zip(visits, claimed, strict=True)]

    def _widen(self, seeds: list[Url]) -> None:
        self.new_scope += seeds
        self._widened += seeds
        if seeds and self._dressing is not None:
            self._dressing.widen(seeds)

    def look_back(self, now: float) -> None:
        """When all visits have come in: what is told after all, by what the whole run saw."""
        gathered = self.gathering(now).look_back()
        if gathered.plan.noted or gathered.plan.witnesses:
            self.settle(gathered, now)

    def sow(self, sown: Iterable[Sown], now: float) -> None:
        """Seeds sent along while it runs, before everything else; each sender hears what became of them."""
        for links, answer, only_waiting in sown:
            keys = {link.key for link in links}
            in_hand = self.ledger.hasten(keys)
            places = {lease.key: lease for lease in self._store.places_of(keys - in_hand)}
            if only_waiting:
                self.settle(self.gathering(now).hasten(links, places), now)
                moved = SentUrls(0, len(places), 0, len(in_hand))
                answer.get_loop().call_soon_threadsafe(answer.set_result, moved)
                continue
            gathered = self.gathering(now).send(links, places, in_hand)
            self.ledger.lift([link.url for link in links], now)
            self.settle(gathered, now)
            new = len(gathered.plan.found)
            again = len(keys) - new - len(places) - len(in_hand)
            sent = SentUrls(new, len(places), again, len(in_hand))
            answer.get_loop().call_soon_threadsafe(answer.set_result, sent)

    def ask_afresh(self, keys: Collection[int], now: float) -> int:
        """Known URLs are visited once more without asking whether what is kept still holds; how many are."""
        rows = self._store.known(keys)
        waiting = {lease.key for lease in self._store.places_of(rows)} | self.ledger.in_hand(rows)
        again = [row for row in rows.values() if row.key not in waiting and row.rule != "forgotten"]
        self.ledger.afresh.update(rows)
        if again:
            self.settle(self.gathering(now).once_more(again), now)
        return len(again)

    def give_up_on(self, lease: Lease, reason: str, now: float) -> None:
        """A page that nobody can read is settled as such."""
        row = self._store.known([lease.key])[lease.key]
        visit = Visit(row.key, row.url, row.depth, Outcome.FAILED, FailureKind.PARSE, reason, 0, now, 0)
        self.settle(self.gathering(now).take([(visit, lease)]), now)

    def gathering(self, now: float) -> Gathering:
        return Gathering(
            self._store, self._terms, self._watch, now, self._admitted, self._again, self._learning, self.ranked
        )

    def _judge(self, url: Url, depth: int, run: int) -> Verdict:
        verdict = self._watch.judge(url, depth, run)
        return self._learning.judge(url) if verdict.accepted and self._learning is not None else verdict

    def _decide(self, visits: list[tuple[Visit, Lease]], parcels: list[wire.Parcel], now: float) -> Gathered:
        gathering = self.gathering(now)
        gathered = gathering.take(visits)
        plan = gathered.plan
        self._errands.note(visits, plan)
        robots: list[RobotsCopy] = []
        for parcel in parcels:
            robots += parcel.robots
            plan.pieces += [ArchivePiece(records, 0) for records in parcel.records if records]
            _count_met(plan, parcel.occurrences)
        if self._dressing is not None:
            _count_met(plan, self._dressing.occurrences())
        plan.robots = robots
        if self._terms.sitemaps and robots:
            gathering.offer(*offered_by(robots, guessing=not self._terms.refreshing))
        if self._learning is not None:
            self._learning.pay(plan.found, robots)
        return gathered

    def settle(self, gathered: Gathered, now: float) -> None:
        gathered.plan.choices += self._chooser.drain()
        self._store.commit(gathered.plan, now)
        self._store.pages = gathered.pages
        self._store.pictures = gathered.pictures
        # Until the watch has to let go of some, everything that this run stored is still in its memory.
        self._patterns_seen += len(gathered.plan.patterns)
        self._patterns_stored |= self._patterns_seen > WATCHED_PATTERNS
        self.ledger.settle(gathered, now)
        self._progress.tally(gathered)
        if self._learning is not None:
            self._learning.credit(gathered.plan, self._store)
            self._redeem(self._learning, now)

    def _redeem(self, learning: Learning, now: float) -> None:
        """What was left out is due after all where its kind has brought something since, or a list names it."""
        if not learning.kinds.redeemed:
            return
        learning.kinds.redeemed = False
        left_out = [row for rule in (FRUITLESS, REPEATED) for row in self._store.refused_by(rule)]
        rows = [row for row in left_out if learning.judge(row.url).accepted]
        if rows:
            self.settle(self.gathering(now).welcome(rows), now)

    def _note_away(self, plan: Plan) -> None:
        """Pages of a host that did not answer at all stay due. Those that are not kept are known as unreachable or
        failed meanwhile; of those that are, it is told that their site answers no more."""
        progress = self._progress
        rows = self._store.known([visit.key for visit in self.ledger.given_back])
        for visit in self.ledger.given_back:
            if visit.reason not in progress.notes:
                progress.notes.append(visit.reason)
            if visit.rule == LOGIN:
                progress.refused_logins[origin(visit.url)] = visit.reason
            row = rows[visit.key]
            plan.noted += self._again.outages.hear_of_all(visit, row)
            if row.rule == USUAL_PLACE_RULE:
                continue
            if visit.rule in _NO_ANSWER and row.version is None:
                outcome = Outcome.UNREACHABLE if visit.rule in TRANSIENT else Outcome.FAILED
                plan.outcomes[visit.key] = Became(outcome, visit.rule, visit.reason)
                progress.outcomes[outcome] += 1
                progress.errors[visit.rule] += 1
        plan.witnesses |= self._again.outages.drain()

    def _recall(self, name: str) -> PatternState | None:
        if not self._patterns_stored:
            return None
        packed = self._store.patterns([name]).get(name)
        return restore_pattern(packed) if packed else None

    def _recall_form(self, name: str) -> FormState | None:
        packed = self._store.patterns([name]).get(name) if self._patterns_stored else None
        return restore_form(packed) if packed else None


def _dressing(brief: wire.Brief, seeds: list[Url], sieve: Sifts | None) -> "Dressing":
    # Imported here: where no migrant travels bare, home never reads a page.
    from whimbrel.migrants.home.dressing import Dressing

    dressing = Dressing(brief, sieve)
    dressing.widen(seeds)
    return dressing


def _count_met(plan: Plan, occurrences: list[tuple[int, int]]) -> None:
    for key, count in occurrences:
        plan.occurrences[key] = plan.occurrences.get(key, 0) + count


def sampled(rows: list[KnownUrl], turn: int) -> list[KnownUrl]:
    """One of each form, another each time."""
    chosen: dict[str, KnownUrl] = {}
    for row in sorted(rows, key=lambda row: key_of(Url(f"{row.url} {turn}"))):
        chosen.setdefault(form_of(row.url)[0], row)
    return list(chosen.values())


def told(visits: list[tuple[Visit, Lease]], gathered: Gathered) -> list[Visit]:
    """The visits with what the commit made of them: a page may have turned out to be a copy, or to find no room. That
    there was no sitemap where one was looked for is nobody's business."""
    became = {settled.key: settled for settled in gathered.plan.settled}
    guesses = {key for key, settled in became.items() if settled.rule == USUAL_PLACE_RULE}
    put_back = {lease.key for lease in gathered.put_back}
    return [
        _told(visit, became.get(visit.key), visit.key in put_back) for visit, _ in visits if visit.key not in guesses
    ]


def _told(visit: Visit, settled: Settled | None, put_back: bool) -> Visit:
    if put_back:
        return replace(
            visit, outcome=Outcome.DISCOVERED, rule="limit", reason=_NO_ROOM, document=None, archived=None, links=[]
        )
    if settled is None:  # to be tried again: until then it is what it was
        return replace(visit, outcome=Outcome.DISCOVERED)
    if visit.outcome == settled.outcome:
        return visit
    return replace(visit, outcome=Outcome(settled.outcome), rule=settled.rule, reason=settled.reason)


def as_seeds(urls: Iterable[Url]) -> list[Link]:
    return [Link(key_of(url), url, 0, 0, False, "", "") for url in urls]
