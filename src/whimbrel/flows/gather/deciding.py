"""What home makes of the visits that come in: one `Plan`, decided before anything is written.

Whatever order visits arrive in, the same pages are kept, the same twin survives, and every URL ends at its shortest
distance from a seed. A URL met again on a shorter way is moved, and so is everything that was reached through it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set

from whimbrel.dedupe import exact
from whimbrel.flows.gather.batch import Batch, Gathered, KnownBefore, Terms
from whimbrel.flows.gather.keeping import Keeping
from whimbrel.flows.gather.meeting import Meeting
from whimbrel.flows.gather.reconsidering import Reconsidering
from whimbrel.flows.gather.shedding import RULE as COLLECTION
from whimbrel.flows.gather.shedding import RankedPages, Shedding
from whimbrel.flows.learning import Learning
from whimbrel.flows.listing import USUAL_PLACE_RULE
from whimbrel.flows.packing import dump_pattern
from whimbrel.flows.refresh.again import Again, VisitJudged
from whimbrel.flows.refresh.noting import noted, noted_late, noted_on_page, returned_late
from whimbrel.frontier.order import URGENT_BAND, band
from whimbrel.frontier.watch import Watch
from whimbrel.records.event import EventKind
from whimbrel.records.role import Role
from whimbrel.records.visit import Document, Link, Outcome, Visit
from whimbrel.repository.contract import (
    Announced,
    HeldVersion,
    KnownUrl,
    Lease,
    NewEvent,
    Noted,
    Planted,
    Postponed,
    Queued,
    Settled,
    Traffic,
)
from whimbrel.urls.normal import host as host_of
from whimbrel.urls.normal import key as key_of

__all__ = ["Gathered", "Gathering", "KnownBefore", "Terms"]

_SHOWN_OR_DUE = (Outcome.FETCHED, Outcome.UNCHANGED, Outcome.DUPLICATE, Outcome.DISCOVERED)
_LEADS_ON = (Outcome.REDIRECTED, Outcome.UNREACHABLE, Outcome.FAILED)
_NOT_HERE = (EventKind.MOVED, EventKind.GONE, EventKind.REFUSED)
_QUIET = ("noise", "unread", "looked at")
NO_TRAFFIC = Traffic()


class Gathering:
    """Decides one batch."""

    def __init__(
        self,
        memory: KnownBefore,
        terms: Terms,
        watch: Watch,
        now: float,
        admitted: Counter[str] | None = None,
        again: Again | None = None,
        learning: Learning | None = None,
        pages: RankedPages | None = None,
    ) -> None:
        self._watch = watch
        self._learning = learning
        self._batch = Batch(memory, terms, now, again)
        self._keeping = Keeping(self._batch)
        self._meeting = Meeting(
            self._batch, self._keeping, watch, Counter() if admitted is None else admitted, learning,
            pages.led_to if pages is not None else None,
        )  # fmt: skip
        self.shedding = Shedding(self._batch, pages) if pages is not None else None
        self.reconsidering = Reconsidering(self._batch, self._meeting)
        self.gathered = self._batch.gathered

    def take(self, visits: Sequence[tuple[Visit, Lease]]) -> Gathered:
        self._batch.look_up([visit for visit, _ in visits])
        for visit, lease in visits:
            self._take_one(visit, lease)
        if self.shedding is not None:
            self.shedding.note(visit for visit, _ in visits)
        self._finish()
        return self.gathered

    def remember(self, visits: Sequence[Visit]) -> Gathered:
        """Older states of kept pages: they are versions from now on, and change nothing else."""
        documents = [(visit, visit.document) for visit in visits if visit.document is not None]
        self._batch.add_bodies([document for _, document in documents])
        for visit, document in documents:
            self._keeping.remember(visit, document)
        return self.gathered

    def plant(self, seeds: Iterable[Link]) -> Gathered:
        """Seeds: URLs at depth 0 that nobody linked to. Those that could not be had before are asked for again."""
        links = list(seeds)
        self._plant(links)
        self.reconsidering.ask_again(links)
        self._finish()
        return self.gathered

    def send(self, seeds: Iterable[Link], places: Mapping[int, Lease], in_hand: Set[int] = frozenset()) -> Gathered:
        """Seeds that stand before everything that is queued, known or not. `places` are those that known ones had in
        the queue so far, `in_hand` the seeds that a migrant has already. What was visited before is asked for again."""
        batch, plan = self._batch, self._batch.plan
        links = {link.key: link for link in seeds}
        self._plant(list(links.values()))
        plan.done += places.values()
        first = {key for key in links if key not in in_hand and batch.rows[key].rule != "forgotten"}
        plan.queued = [place for place in plan.queued if place.key not in first]
        plan.queued += [Queued(key, host_of(links[key].url), URGENT_BAND) for key in links if key in first]
        self._finish()
        return self.gathered

    def hasten(self, links: Iterable[Link], places: Mapping[int, Lease]) -> Gathered:
        """URLs that wait stand before everything else that is queued, and are what they were."""
        plan = self._batch.plan
        plan.done += places.values()
        plan.queued += [Queued(link.key, host_of(link.url), URGENT_BAND) for link in links if link.key in places]
        return self.gathered

    def once_more(self, urls: Iterable[KnownUrl]) -> Gathered:
        """Known URLs that do not wait are asked for again before everything else, and are what they were."""
        self._batch.plan.queued += [Queued(row.key, host_of(row.url), URGENT_BAND) for row in urls]
        return self.gathered

    def _plant(self, links: list[Link]) -> None:
        batch = self._batch
        batch.rows = batch.memory.known([link.key for link in links])
        for link in links:
            batch.plan.seeds.append(Planted(link.url, True))
            self._meeting.plant(link)

    def look_back(self) -> Gathered:
        """What could not be judged before the run had seen more of a site."""
        again, plan = self._batch.again, self._batch.plan
        late = {one.seen.row.key: one for one in again.belated()} if again is not None else {}
        for key, held in again.past.held(late).items() if again is not None and late else ():
            plan.noted.append(noted_late(late[key], held))
            plan.returned.append(returned_late(late[key], held))
            if held.version != held.told:
                self._keeping.settle_down(held)
            if standing := late[key].seen.standing:
                self.gathered.standings.update({standing: -1, "changed": 1})
        if again is not None:
            plan.witnesses |= again.learned_of_all()
        return self.gathered

    def offer(self, named: Iterable[Link], guessed: Iterable[Link]) -> Gathered:
        """Sitemaps that a site names for itself, and usual places of one; those known already are left to `refresh`."""
        self._meeting.offer(named, guessed)
        return self.gathered

    def reconsider(self, rows: Iterable[KnownUrl]) -> Gathered:
        """URLs that a rule kept from being fetched are due again where the rule is no longer believed, and where the
        URL that was to be fetched instead has no page."""
        batch = self._batch
        dusting = batch.terms.dusting
        same = {row: dusting.same_as(row.url) if dusting is not None else None for row in rows}
        instead = batch.memory.known({key_of(one[0]) for one in same.values() if one is not None})
        for row, one in same.items():
            batch.rows[row.key] = row
            stand_in = instead.get(key_of(one[0])) if one is not None else None
            if stand_in is None or stand_in.outcome not in _SHOWN_OR_DUE:
                batch.welcome(row)
        return self.gathered

    def welcome(self, rows: Iterable[KnownUrl]) -> Gathered:
        """URLs that are asked for after all."""
        for row in rows:
            self._batch.rows[row.key] = row
            self._batch.welcome(row)
        return self.gathered

    def _take_one(self, visit: Visit, lease: Lease) -> None:
        batch, plan = self._batch, self._batch.plan
        row = batch.rows[visit.key]
        if row.rule == USUAL_PLACE_RULE and not _is_sitemap(visit):
            self._settle_guess(visit, row, lease)
            return
        if visit.retry_in_seconds is not None:
            plan.postponed.append(Postponed(lease, batch.now + visit.retry_in_seconds))
            return
        if visit.document is not None and not self._keeping.room(visit.document, row):
            self.gathered.put_back.append(lease)
            return
        plan.done.append(lease)
        self._count(visit)
        plan.listed.update(
            (said.key, Announced(said.lastmod, said.changefreq, said.priority, visit.at)) for said in visit.listed
        )
        held = batch.held.get(visit.key)
        if held is not None:
            if not self._come_again(visit, row, held):
                return
        elif visit.document is not None:
            self._take_page(visit, visit.document, row)
        else:
            self._settle_without_document(visit, row)
        if held is None and self._learning is not None and not row.asset:
            row_now = batch.rows[visit.key]
            # That there was no room for a page says nothing of its kind.
            self._learning.hear(visit, Outcome.FETCHED if row_now.rule == COLLECTION else row_now.outcome)
        self._meeting.meet_all(visit, batch.rows[visit.key], row.outcome)
        if row.depth < visit.depth:
            # The page was sent out before a shorter way to it was found: its links were counted from too far.
            self._meeting.spread(row.key)

    def _take_page(self, visit: Visit, document: Document, row: KnownUrl) -> None:
        if self.shedding is not None and self.shedding.turns_down(document, row):
            self.shedding.turn_down(visit, row)
            return
        self._keeping.keep(visit, document, self._meeting.come_into_being(row))
        if self.shedding is not None:
            self.shedding.take_in(row.key)

    def _count(self, visit: Visit) -> None:
        if visit.document is None:
            kind = "not_modified" if visit.outcome is Outcome.UNCHANGED else "other"
        else:
            kind = "duplicate" if visit.document.digest in self._batch.bodies else "novel"
        traffic = self._batch.plan.traffic
        before = traffic.get(kind, NO_TRAFFIC)
        traffic[kind] = Traffic(before.bytes + visit.received_bytes, before.answers + 1)

    def _settle_without_document(self, visit: Visit, row: KnownUrl) -> None:
        self._keeping.archive_reply(visit)
        # Where nobody speaks https, the link of distance 0 is the seed by plain http.
        target = visit.links[0] if visit.outcome in _LEADS_ON and visit.links and not visit.links[0].step else None
        settled = Settled(
            row.key, visit.outcome, visit.rule, visit.reason, visit.status, visit.at, target.key if target else None, -1
        )
        self._batch.settle(row, settled)
        if target is not None and row.depth == 0 and not target.rule:
            self.gathered.new_scope.append(target.url)
            self._batch.plan.seeds.append(Planted(target.url, False))

    def _settle_guess(self, visit: Visit, row: KnownUrl, lease: Lease) -> None:
        """There is no sitemap where one was looked for."""
        self._batch.plan.done.append(lease)
        reason = f"no sitemap there: {visit.reason}"
        self._batch.settle(
            row, Settled(row.key, Outcome.OUT_OF_SCOPE, USUAL_PLACE_RULE, reason, visit.status, visit.at, None, -1)
        )

    # Pages that were here before.

    def _come_again(self, visit: Visit, row: KnownUrl, held: HeldVersion) -> bool:
        """Settles a visit to a kept page; whether its links are to be met."""
        batch, plan = self._batch, self._batch.plan
        assert batch.again is not None, "only kept pages are held"
        judged = batch.again.judge(visit, row, held, visit.at, lambda: batch.words(row.key))
        self.gathered.standings[judged.standing] += 1
        kept = -1
        if judged.passes and visit.document is not None:
            self._keeping.pass_by(visit, visit.document, row, judged)
            kept = len(plan.kept) - 1
        elif judged.keep and visit.document is not None:
            self._keeping.leave(row, exact.group(visit.document.digest, visit.document.text_digest))
            self._keeping.keep(visit, visit.document, row, quiet=judged.standing in _QUIET)
            kept = len(plan.kept) - 1
        else:
            self._settle_again(visit, row, judged)
        self._keeping.succeed(held, kept, judged)
        if judged.returned is not None:
            plan.returned.append(judged.returned)
        if judged.again_at is not None:
            place = band(batch.terms.order, row.depth, bool(row.asset))
            plan.queued.append(Queued(row.key, host_of(row.url), place, judged.again_at))
        if (note := noted(judged, visit, held, kept)) is not None:
            plan.noted += self._told_of(note, row)
        plan.noted += batch.again.outages.hear(visit, row, answered=judged.standing != "away")
        return judged.standing != "missing"

    def _told_of(self, note: Noted, row: KnownUrl) -> list[Noted]:
        """A picture is told for the page by which it was found, where that is kept."""
        batch = self._batch
        if row.asset != Role.ASSET or note.what != "changed" or note.kinds != "image" or batch.again is None:
            return [note]
        page, _ = batch.memory.kin([row.key]).get(row.key, (None, 0))
        shown_by = batch.again.past.held([page]).get(page) if page is not None and not batch.row(page).asset else None
        if shown_by is None:
            return [note]
        return [note._replace(told=0), noted_on_page(note, shown_by)]

    def _settle_again(self, visit: Visit, row: KnownUrl, judged: VisitJudged) -> None:
        batch = self._batch
        if judged.standing in _NOT_HERE:
            self._keeping.leave(row)
            batch.plan.events.append(NewEvent(row.key, EventKind(judged.standing)))
        if judged.standing == "moved":
            self._settle_without_document(visit, row)
            return
        if visit.document is None:
            self._keeping.archive_reply(visit)
        reason = judged.reason
        if judged.outcome == Outcome.DUPLICATE and not reason:
            group, digest = batch.group_of(row.key)
            survivor = batch.survivor_of(group)
            reason = batch.likeness(survivor, digest) if survivor is not None else ""
        batch.settle(row, Settled(row.key, judged.outcome, judged.rule, reason, visit.status, visit.at, row.target, -1))

    def _finish(self) -> None:
        plan = self._batch.plan
        plan.patterns = {name: dump_pattern(state) for name, state in self._watch.drain()}
        if self._learning is not None:
            plan.patterns |= {name: dump_pattern(state) for name, state in self._learning.kinds.drain()}
        if self._batch.again is not None:
            plan.witnesses = self._batch.again.learned()


def _is_sitemap(visit: Visit) -> bool:
    """Whether a guess was right. A redirect is followed where it leads to a file of the kind: sites send what they do
    not have to their start page, or to a login."""
    if visit.outcome is Outcome.REDIRECTED and visit.links:
        return visit.links[0].url.partition("?")[0].endswith((".xml", ".xml.gz"))
    return visit.outcome in (Outcome.FETCHED, Outcome.UNCHANGED)
