"""Takes visits in: decides what they mean, commits that, and tells the books. On one thread, the writer's."""

import asyncio
from collections import Counter
from collections.abc import Iterable

from whimbrel.flows.again import Again
from whimbrel.flows.dusting import RULE as DUST
from whimbrel.flows.gather import Gathered, Gathering, Terms
from whimbrel.flows.listing import named_in
from whimbrel.flows.packing import restore_pattern
from whimbrel.frontier.traps import PatternState, TrapSettings
from whimbrel.frontier.watch import Watch
from whimbrel.migrants import wire
from whimbrel.migrants.chooser import Chooser
from whimbrel.migrants.errands import Errands
from whimbrel.migrants.ledger import Ledger
from whimbrel.migrants.progress import Progress
from whimbrel.migrants.proxy import Proxy
from whimbrel.records.request import RULE as STRUCTURE
from whimbrel.records.response import TRANSIENT, FailureKind
from whimbrel.records.url import Url
from whimbrel.records.visit import Link, Outcome, Visit
from whimbrel.repository.contract import Lease, Piece, Plan, RobotsCopy
from whimbrel.repository.embedded.store import Store
from whimbrel.urls.normal import key as key_of

WATCHED_PATTERNS = 20_000
_NO_ANSWER = frozenset(FailureKind)

Pending = list[tuple[Proxy, wire.Parcel]]
Sown = tuple[list[Link], "asyncio.Future[int]"]


class Intake:
    """`served` are the requests that a commit brought enough for, `new_scope` where redirects of seeds led."""

    def __init__(
        self, store: Store, terms: Terms, chooser: Chooser, errands: Errands, progress: Progress, *, resumed: bool
    ) -> None:
        self._store = store
        self._terms = terms
        self._chooser = chooser
        self._errands = errands
        self._progress = progress
        self._patterns_stored = store.has_patterns()
        self._patterns_seen = 0
        self._watch = Watch(TrapSettings(), self._recall, WATCHED_PATTERNS)
        self._admitted = Counter({host: store.admitted(host) for host in terms.site_limits})
        self._again = Again(store.past, terms.patience)
        self.ledger = Ledger(store, self._watch.judge, terms.order, chooser, resumed)
        self.new_scope: list[Url] = []

    # Before the first migrant.

    def plant(self, seeds: Iterable[Url], now: float) -> int:
        """Takes seeds in; returns how many the folder did not know."""
        gathered = self._gathering(now).plant(as_seeds(seeds))
        self._store.commit(gathered.plan, now)
        return len(gathered.plan.found)

    def reconsider(self, other_kinds: bool, now: float) -> None:
        """URLs left out by a rule that has been withdrawn since are due again; with `other_kinds` also pages that were
        not of a kind asked for then."""
        rows = self._store.refused_by(DUST) + (self._store.refused_by(STRUCTURE) if other_kinds else [])
        if rows:
            gathered = self._gathering(now).reconsider(rows)
            self._store.commit(gathered.plan, now)

    # While it runs.

    def take(self, pending: Pending, now: float) -> tuple[list[Visit], list[int]]:
        """Commits what came in; the visits that are durable now, and the requests that have enough."""
        visits = self._errands.assign(self.ledger.claim(pending))
        if not pending and not visits:
            return [], []
        gathered = self._decide(visits, [parcel for _, parcel in pending], now)
        self._note_away(gathered.plan)
        self._settle(gathered, now)
        fitted = [fit for _, parcel in pending for fit in parcel.fitted]
        served = self._errands.settle(gathered.plan, fitted, now)
        self.new_scope += gathered.new_scope
        for proxy, parcel in pending:
            proxy.acknowledged = max(proxy.acknowledged, parcel.number)
            proxy.received += sum(visit.received_bytes for visit in parcel.visits)
            proxy.links += sum(len(visit.links) for visit in parcel.visits)
        return [visit for visit, _ in visits], served

    def sow(self, sown: Iterable[Sown], now: float) -> None:
        """Seeds sent along while it runs, before everything else; each sender hears how many were new."""
        for links, answer in sown:
            gathered = self._gathering(now).plant(links, urgent=True)
            self._settle(gathered, now)
            answer.get_loop().call_soon_threadsafe(answer.set_result, len(gathered.plan.found))

    def give_up_on(self, lease: Lease, reason: str, now: float) -> None:
        """A page that nobody can read is settled as such."""
        row = self._store.known([lease.key])[lease.key]
        visit = Visit(row.key, row.url, row.depth, Outcome.FAILED, FailureKind.PARSE, reason, 0, now, 0)
        self._settle(self._gathering(now).take([(visit, lease)]), now)

    def _gathering(self, now: float) -> Gathering:
        return Gathering(self._store, self._terms, self._watch, now, self._admitted, self._again)

    def _decide(self, visits: list[tuple[Visit, Lease]], parcels: list[wire.Parcel], now: float) -> Gathered:
        gathering = self._gathering(now)
        gathered = gathering.take(visits)
        plan = gathered.plan
        self._errands.note(visits, plan)
        robots: list[RobotsCopy] = []
        for parcel in parcels:
            robots += parcel.robots
            plan.pieces += [Piece(records, 0) for records in parcel.records if records]
            for key, count in parcel.occurrences:
                plan.occurrences[key] = plan.occurrences.get(key, 0) + count
        plan.robots = robots
        return gathering.offer(named_in(robots)) if self._terms.sitemaps and robots else gathered

    def _settle(self, gathered: Gathered, now: float) -> None:
        gathered.plan.choices += self._chooser.drain()
        self._store.commit(gathered.plan, now)
        self._store.pages = gathered.pages
        # Until the watch has to let go of some, everything that this run stored is still in its memory.
        self._patterns_seen += len(gathered.plan.patterns)
        self._patterns_stored |= self._patterns_seen > WATCHED_PATTERNS
        self.ledger.settle(gathered, now)
        self._progress.tally(gathered)

    def _note_away(self, plan: Plan) -> None:
        """Pages of a host that did not answer at all stay due, and are known as unreachable or failed meanwhile."""
        progress = self._progress
        rows = self._store.known([visit.key for visit in self.ledger.given_back])
        for visit in self.ledger.given_back:
            if visit.reason not in progress.notes:
                progress.notes.append(visit.reason)
            if visit.rule in _NO_ANSWER and rows[visit.key].version is None:
                outcome = Outcome.UNREACHABLE if visit.rule in TRANSIENT else Outcome.FAILED
                plan.outcomes[visit.key] = (outcome, visit.rule, visit.reason)
                progress.outcomes[outcome] += 1
                progress.errors[visit.rule] += 1

    def _recall(self, name: str) -> PatternState | None:
        if not self._patterns_stored:
            return None
        packed = self._store.patterns([name]).get(name)
        return restore_pattern(packed) if packed else None


def as_seeds(urls: Iterable[Url]) -> list[Link]:
    return [Link(key_of(url), url, 0, 0, False, "", "") for url in urls]
