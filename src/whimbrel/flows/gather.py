"""What home makes of the visits that come in: one `Plan`, decided before anything is written.

Whatever order visits arrive in, the same pages are kept, the same twin survives, and every URL ends at its shortest
distance from a seed. A URL met again on a shorter way is moved, and so is everything that was reached through it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from whimbrel.dedupe import exact
from whimbrel.flows.again import SITEMAP, Again, Judged, Patience, noted
from whimbrel.flows.dusting import RULE as DUST
from whimbrel.flows.dusting import Dusting
from whimbrel.flows.packing import dump_pattern, unpack
from whimbrel.frontier.order import URGENT_BAND, Order, band, promised
from whimbrel.frontier.watch import Seen, Watch
from whimbrel.records.url import Url
from whimbrel.records.visit import Document, Link, Outcome, Visit
from whimbrel.repository import warc
from whimbrel.repository.contract import Body, Found, Held, Kept, Known, Lease, Piece, Plan, Settled
from whimbrel.urls.normal import authority
from whimbrel.urls.normal import host as host_of
from whimbrel.urls.normal import key as key_of

KEPT = (Outcome.FETCHED, Outcome.UNCHANGED)
_WITH_DOCUMENT = (*KEPT, Outcome.DUPLICATE)
_FORGOTTEN = "erased on purpose; `whimbrel forget --allow-again` lifts it"
_FOLLOWED_BUT_NOT_KEPT = ("noindex", "noarchive", "structure")
_NOT_HERE = ("moved", "gone", "refused")


class Memory(Protocol):
    """What deciding asks of a repository."""

    pages: int
    forgotten: frozenset[str]

    def known(self, keys: Iterable[int]) -> dict[int, Known]: ...
    def bodies(self, digests: Iterable[bytes]) -> dict[bytes, Body]: ...
    def survivors(self, groups: Iterable[bytes]) -> dict[bytes, int]: ...
    def version_of(self, key: int) -> tuple[bytes, bytes, bytes] | None: ...


class Terms(Struct, frozen=True):
    """What the user asked for that only home can hold to."""

    limit: int | None
    depth: int | None
    order: Order
    site_depths: dict[str, int] = {}
    site_limits: dict[str, int] = {}
    sitemaps: bool = False
    refreshing: bool = False
    patience: Patience = Patience()
    dusting: Dusting | None = None


class Gathered(Struct):
    """The plan, and what home has to tell afterwards. `standings` counts what visits to kept pages found."""

    plan: Plan
    pages: int
    put_back: list[Lease]
    new_scope: list[Url]
    standings: Counter[str]


class Gathering:
    """One batch being decided: what the repository says, overlaid with what this batch already changed."""

    def __init__(
        self,
        memory: Memory,
        terms: Terms,
        watch: Watch,
        now: float,
        admitted: Counter[str] | None = None,
        again: Again | None = None,
    ) -> None:
        self._memory = memory
        self._again = again
        self._held: dict[int, Held] = {}
        self._terms = terms
        self._watch = watch
        self._admitted: Counter[str] = Counter() if admitted is None else admitted
        self._now = now
        self._rows: dict[int, Known] = {}
        self._bodies: dict[bytes, Body] = {}
        self._survivors: dict[bytes, int] = {}
        self._groups: dict[int, tuple[bytes, bytes]] = {}
        self._settled: dict[int, int] = {}
        self.gathered = Gathered(Plan(), memory.pages, [], [], Counter())

    def take(self, visits: Sequence[tuple[Visit, Lease]]) -> Gathered:
        self._look_up([visit for visit, _ in visits])
        for visit, lease in visits:
            self._take_one(visit, lease)
        self._finish()
        return self.gathered

    def _look_up(self, visits: list[Visit]) -> None:
        """All reads of the batch at once; row by row they cost three times as much."""
        keys = {visit.key for visit in visits}
        keys.update(link.key for visit in visits for link in visit.links)
        self._rows = self._memory.known(keys)
        if self._again is not None:
            kept = [visit.key for visit in visits if self._rows[visit.key].version is not None]
            self._held = self._again.past.held(kept) if kept else {}
        documents = [visit.document for visit in visits if visit.document is not None]
        self._bodies = self._memory.bodies({document.digest for document in documents})
        self._survivors = self._memory.survivors({exact.group(d.digest, d.text_digest) for d in documents})

    def _take_one(self, visit: Visit, lease: Lease) -> None:
        plan = self.gathered.plan
        row = self._rows[visit.key]
        if visit.retry_in_seconds is not None:
            plan.postponed.append((lease, self._now + visit.retry_in_seconds))
            return
        if visit.document is not None and not self._room(visit.document, row):
            self.gathered.put_back.append(lease)
            return
        plan.done.append(lease)
        self._count(visit)
        plan.listed.update(
            (said.key, (said.lastmod, said.changefreq, said.priority, visit.at)) for said in visit.listed
        )
        held = self._held.get(visit.key)
        if held is not None:
            if not self._come_again(visit, row, held):
                return
        elif visit.document is not None:
            self._keep(visit, visit.document, row)
        else:
            self._settle_without_document(visit, row)
        self._meet_all(visit, self._rows[visit.key])
        if row.depth < visit.depth:
            # The page was sent out before a shorter way to it was found: its links were counted from too far.
            self._spread(row.key)

    # Pages that were here before.

    def _come_again(self, visit: Visit, row: Known, held: Held) -> bool:
        """Settles a visit to a kept page; whether its links are to be met."""
        again, plan = self._again, self.gathered.plan
        assert again is not None, "only kept pages are held"
        judged = again.judge(visit, row, held, self._now, lambda: self._words(row.key))
        self.gathered.standings[judged.standing] += 1
        kept = -1
        if judged.keep and visit.document is not None:
            self._leave(row, exact.group(visit.document.digest, visit.document.text_digest))
            self._keep(visit, visit.document, row)
            kept = len(plan.kept) - 1
        else:
            self._settle_again(visit, row, judged)
        if judged.returned is not None:
            plan.returned.append(judged.returned)
        if judged.again_at is not None:
            place = band(self._terms.order, row.depth, bool(row.asset))
            plan.queued.append((row.key, host_of(row.url), place, judged.again_at))
        if (note := noted(judged, visit, held, kept)) is not None:
            plan.noted.append(note)
        return judged.standing != "missing"

    def _settle_again(self, visit: Visit, row: Known, judged: Judged) -> None:
        if judged.standing in _NOT_HERE:
            self._leave(row)
            self.gathered.plan.events.append((row.key, judged.standing, -1))
        if judged.standing == "moved":
            self._settle_without_document(visit, row)
            return
        if visit.archived is not None and visit.document is None:
            self.gathered.plan.pieces.append(
                Piece(visit.archived.response + visit.archived.others, len(visit.archived.response))
            )
        reason = judged.reason
        if judged.outcome == Outcome.DUPLICATE and not reason:
            group, digest = self._group_of(row.key)
            survivor = self._survivor_of(group)
            reason = self._likeness(survivor, digest) if survivor is not None else ""
        self._settle(row, Settled(row.key, judged.outcome, judged.rule, reason, visit.status, visit.at, row.target, -1))

    def _words(self, key: int) -> str:
        packed = self._packed_reading(key)
        return unpack(packed).text if packed else ""

    def _leave(self, row: Known, joining: bytes = b"") -> None:
        """The page no longer has the text it had: the first of those that counted as its copies takes its place."""
        group, _ = self._group_of(row.key)
        if not group or group == joining or row.asset:
            return
        self.gathered.pages -= row.outcome in KEPT
        if self._survivor_of(group) != row.key:
            return
        plan = self.gathered.plan
        assert self._again is not None, "only kept pages leave"
        heirs = [key for key in self._again.past.twins_in(group) if self._is_copy_in(key, group)]
        heirs += [key for key in self._groups if key not in heirs and self._is_copy_in(key, group)]
        if not heirs:
            self._survivors.pop(group, None)
            plan.survivors.pop(group, None)
            plan.dissolved.append(group)
            return
        heir = min(map(self._row, heirs), key=lambda known: (known.depth, known.url)).key
        self._survivors[group] = plan.survivors[group] = heir
        self.gathered.pages += 1
        self._overrule(heir, Outcome.FETCHED, "", "")
        plan.events.append((heir, "kept", -1))

    def _is_copy_in(self, key: int, group: bytes) -> bool:
        return self._row(key).outcome == Outcome.DUPLICATE and self._group_of(key)[0] == group

    def _survivor_of(self, group: bytes) -> int | None:
        if group not in self._survivors and group not in self.gathered.plan.dissolved:
            self._survivors.update(self._memory.survivors([group]))
        return self._survivors.get(group)

    # Documents.

    def _room(self, document: Document, row: Known) -> bool:
        """Whether the limit lets one more page in. A twin of a kept page takes no room."""
        limit = self._terms.limit
        if limit is None or row.asset or row.version is not None or self.gathered.pages < limit:
            return True
        return exact.group(document.digest, document.text_digest) in self._survivors

    def _keep(self, visit: Visit, document: Document, row: Known) -> None:
        plan = self.gathered.plan
        group = exact.group(document.digest, document.text_digest)
        self._groups[row.key] = (group, document.digest)
        piece, novel = self._archive(visit, document)
        plan.kept.append(_kept(visit, document, group, piece, novel))
        index = len(plan.kept) - 1
        survivor = self._survivors.get(group)
        if survivor is None or row.asset:
            outcome, reason = Outcome.FETCHED, visit.reason
            if survivor is None and not row.asset:
                self._survivors[group] = plan.survivors[group] = row.key
                self.gathered.pages += 1
        elif survivor == row.key:
            outcome, reason = Outcome.FETCHED, ""
        else:
            outcome, reason = self._twin(row, group, document.digest, survivor)
        self._settle(row, Settled(row.key, outcome, "", reason, visit.status, visit.at, None, index))
        plan.events.append((row.key, "kept" if outcome is Outcome.FETCHED else "duplicate", index))

    def _twin(self, row: Known, group: bytes, digest: bytes, survivor: int) -> tuple[Outcome, str]:
        other = self._row(survivor)
        if not exact.precedes(row.depth, row.url, other.depth, other.url):
            return Outcome.DUPLICATE, self._likeness(survivor, digest)
        self._succeed(group, row.key, survivor)
        return Outcome.FETCHED, ""

    def _succeed(self, group: bytes, heir: int, former: int) -> None:
        """The heir takes the former survivor's place among its twins."""
        plan = self.gathered.plan
        self._survivors[group] = plan.survivors[group] = heir
        digest = self._content(heir)
        self._overrule(former, Outcome.DUPLICATE, "", self._likeness(former, digest))
        plan.events.append((former, "duplicate", -1))

    def _likeness(self, key: int, digest: bytes) -> str:
        return "same bytes" if self._content(key) == digest else "same text"

    def _content(self, key: int) -> bytes:
        return self._group_of(key)[1]

    def _group_of(self, key: int) -> tuple[bytes, bytes]:
        if key not in self._groups:
            version = self._memory.version_of(key)
            self._groups[key] = (version[1], version[0]) if version else (b"", b"")
        return self._groups[key]

    def _archive(self, visit: Visit, document: Document) -> tuple[int, bool]:
        """The piece of the archive that holds this version, and whether its body is new to us."""
        plan = self.gathered.plan
        archived = visit.archived
        assert archived is not None, "a document travels with its records"
        body = self._bodies.get(document.digest)
        if body is None or body.payload_digest != archived.payload_digest:
            if novel := body is None:
                self._bodies[document.digest] = Body(archived.payload_digest, visit.url, visit.at)
            plan.pieces.append(Piece(archived.response + archived.others, len(archived.response)))
            return len(plan.pieces) - 1, novel
        digest = warc.labelled(archived.payload_digest)
        record = warc.revisit(visit.url, visit.at, visit.head, digest, body.url, body.at)
        plan.pieces.append(Piece(record + archived.others, len(record)))
        return len(plan.pieces) - 1, False

    # Outcomes.

    def _settle_without_document(self, visit: Visit, row: Known) -> None:
        plan = self.gathered.plan
        if visit.archived is not None:
            archived = visit.archived
            plan.pieces.append(Piece(archived.response + archived.others, len(archived.response)))
        target = visit.links[0] if visit.outcome is Outcome.REDIRECTED and visit.links else None
        settled = Settled(
            row.key, visit.outcome, visit.rule, visit.reason, visit.status, visit.at, target.key if target else None, -1
        )
        self._settle(row, settled)
        if target is not None and row.depth == 0 and not target.rule:
            self.gathered.new_scope.append(target.url)
            plan.seeds.append((target.url, False))

    def _settle(self, row: Known, settled: Settled) -> None:
        plan = self.gathered.plan
        self._settled[row.key] = len(plan.settled)
        plan.settled.append(settled)
        # Made anew: `_replace` costs four times as much, and this happens for every page.
        self._rows[row.key] = Known(*row[:7], settled.outcome, settled.rule, settled.target, *row[10:])

    def _overrule(self, key: int, outcome: Outcome, rule: str, reason: str) -> None:
        """Another URL's visit changed what this one is."""
        plan = self.gathered.plan
        if key in self._settled:
            index = self._settled[key]
            plan.settled[index] = plan.settled[index]._replace(outcome=outcome, rule=rule, reason=reason)
        else:
            plan.outcomes[key] = (outcome, rule, reason)
        self._rows[key] = self._row(key)._replace(outcome=outcome, rule=rule)

    def _row(self, key: int) -> Known:
        if key not in self._rows:
            self._rows.update(self._memory.known([key]))
        return self._rows[key]

    def _count(self, visit: Visit) -> None:
        if visit.document is None:
            kind = "not_modified" if visit.outcome is Outcome.UNCHANGED else "other"
        else:
            kind = "duplicate" if visit.document.digest in self._bodies else "novel"
        traffic = self.gathered.plan.traffic
        size, count = traffic.get(kind, (0, 0))
        traffic[kind] = (size + visit.received_bytes, count + 1)

    # Links.

    def _meet_all(self, visit: Visit, parent: Known) -> None:
        """Takes a page's links in: known ones may come nearer, new ones are judged."""
        new: list[Link] = []
        for link in visit.links:
            if link.key in self._rows:
                self._approach(link.key, parent.depth + link.step)
            else:
                new.append(link)
        run = self._run(visit, parent, new)
        for link in new:
            if link.key not in self._rows:
                self._discover(link, parent, run)

    def _run(self, visit: Visit, parent: Known, new: list[Link]) -> int:
        """How many pages in a row, this one included, led only to more of the same."""
        if visit.document is None or parent.asset or not visit.document.reading or visit.key in self._held:
            return parent.run
        duplicate = parent.outcome == Outcome.DUPLICATE
        found = [link.url for link in new if not link.rule and not link.asset]
        seen = Seen(parent.url, parent.depth, parent.run, visit.document.shape, duplicate, found)
        return self._watch.visit(seen)

    def _discover(self, link: Link, parent: Known, run: int) -> None:
        depth = parent.depth + link.step
        outcome, rule, reason = Outcome.DISCOVERED, "", ""
        if link.rule:
            outcome, rule, reason = Outcome.OUT_OF_SCOPE, link.rule, link.reason
        elif self._too_deep(depth, link.asset, host_of(link.url)):
            outcome, rule, reason = Outcome.OUT_OF_SCOPE, "depth", f"{depth} links from the nearest seed"
        elif self._site_full(host_of(link.url)):
            outcome, rule, reason = Outcome.OUT_OF_SCOPE, "site_limit", "the limit set for this site is reached"
        elif self._forgotten(link.url):
            outcome, rule, reason = Outcome.REFUSED, "forgotten", _FORGOTTEN
        elif (same := self._same_as(link)) is not None:
            outcome, rule, reason = Outcome.REFUSED, DUST, same[1]
            self._meet_instead(replace(link, url=same[0], key=key_of(same[0])), parent, run)
        elif not link.asset:
            verdict = self._watch.judge(link.url, depth, run)
            if not verdict.accepted:
                outcome, rule, reason = Outcome.REFUSED, verdict.rule, verdict.reason
        self._find(link, depth, run, parent.key, outcome, rule, reason)

    def _same_as(self, link: Link) -> tuple[Url, str] | None:
        if self._terms.dusting is None or link.asset or link.sitemap:
            return None
        return self._terms.dusting.same_as(link.url)

    def _meet_instead(self, link: Link, parent: Known, run: int) -> None:
        """The URL under which a page is known stands for the one that was met."""
        if link.key not in self._rows:
            self._rows.update(self._memory.known([link.key]))
        if link.key in self._rows:
            self._approach(link.key, parent.depth + link.step)
        else:
            self._discover(link, parent, run)

    def reconsider(self, rows: Iterable[Known]) -> Gathered:
        """URLs that a rule kept from being fetched are due again where the rule is no longer believed."""
        for row in rows:
            self._rows[row.key] = row
            if self._terms.dusting is None or self._terms.dusting.same_as(row.url) is None:
                self._welcome(row)
        return self.gathered

    def _forgotten(self, url: Url) -> bool:
        erased = self._memory.forgotten
        return bool(erased) and (url in erased or host_of(url) in erased or authority(url) in erased)

    def _find(
        self, link: Link, depth: int, run: int, via: int | None, outcome: Outcome, rule: str, reason: str
    ) -> None:
        plan = self.gathered.plan
        host = host_of(link.url)
        asset = SITEMAP if link.sitemap else int(link.asset)
        plan.found.append(
            Found(link.key, link.url, host, depth, link.hops, run, asset, via, self._now, outcome, rule, reason)
        )
        if outcome is Outcome.DISCOVERED:
            self._admitted[host] += host in self._terms.site_limits
            plan.queued.append((link.key, host, self._place(link, depth), 0.0))
        self._rows[link.key] = Known(link.key, link.url, 0, depth, link.hops, run, asset, outcome, rule, None, None, 0)

    def offer(self, sitemaps: Iterable[Link]) -> Gathered:
        """Sitemaps that a site names for itself; those known already are left to `refresh`."""
        links = {link.key: link for link in sitemaps if link.key not in self._rows}
        known = self._memory.known(links)
        for link in links.values():
            if link.key not in known and not self._forgotten(link.url):
                self._find(link, 0, 0, None, Outcome.DISCOVERED, "", "")
        return self.gathered

    def _place(self, link: Link, depth: int) -> int:
        if self._terms.order is Order.STRUCTURE and not link.asset:
            return promised(link.score)
        return band(self._terms.order, depth, link.asset)

    def plant(self, seeds: Iterable[Link], urgent: bool = False) -> Gathered:
        """Seeds: URLs at depth 0 that nobody linked to. Urgent ones stand before everything that is queued."""
        links = list(seeds)
        self._rows = self._memory.known([link.key for link in links])
        for link in links:
            self.gathered.plan.seeds.append((link.url, True))
            if link.key in self._rows:
                self._approach(link.key, 0)
                if self._rows[link.key].outcome == Outcome.OUT_OF_SCOPE:
                    self._welcome(self._rows[link.key])
            elif self._forgotten(link.url):
                self._find(link, 0, 0, None, Outcome.REFUSED, "forgotten", _FORGOTTEN)
            else:
                self._find(link, 0, 0, None, Outcome.DISCOVERED, "", "")
        if urgent:
            self.gathered.plan.queued = [(key, host, URGENT_BAND, at) for key, host, _, at in self.gathered.plan.queued]
        self._finish()
        return self.gathered

    def _too_deep(self, depth: int, asset: bool, host: str) -> bool:
        deepest = self._terms.site_depths.get(host, self._terms.depth)
        return deepest is not None and depth > deepest and not asset

    def _site_full(self, host: str) -> bool:
        """Whether as many URLs of the site were let in as the user set for it."""
        most = self._terms.site_limits.get(host)
        return most is not None and self._admitted[host] >= most

    def _approach(self, key: int, depth: int) -> None:
        """A known URL met again, perhaps on a shorter way; then all that hangs on it comes nearer too."""
        nearer = [(key, depth)]
        while nearer:
            key, depth = nearer.pop()
            row = self._row(key)
            if depth >= row.depth:
                continue
            row = self._rows[key] = row._replace(depth=depth)
            self.gathered.plan.depths[key] = depth
            if (
                row.outcome == Outcome.OUT_OF_SCOPE
                and row.rule == "depth"
                and not self._too_deep(depth, False, host_of(row.url))
            ):
                self._welcome(row)
            elif row.outcome == Outcome.DUPLICATE:
                self._reconsider(row)
            elif row.outcome == Outcome.REFUSED and row.rule in _FOLLOWED_BUT_NOT_KEPT:
                self._welcome(row)  # its links were not kept: only another look can bring them nearer
            nearer += self._reached_through(row)

    def _spread(self, key: int) -> None:
        for child, depth in self._reached_through(self._rows[key]):
            self._approach(child, depth)

    def _welcome(self, row: Known) -> None:
        self._overrule(row.key, Outcome.DISCOVERED, "", "")
        place = band(self._terms.order, row.depth, bool(row.asset))
        self.gathered.plan.queued.append((row.key, host_of(row.url), place, 0.0))

    def _reconsider(self, row: Known) -> None:
        """A twin that came nearer may now precede the survivor."""
        group, _ = self._group_of(row.key)
        survivor = self._survivors.get(group)
        if survivor is None:
            survivor = self._memory.survivors([group]).get(group, row.key)
        other = self._row(survivor)
        if exact.precedes(row.depth, row.url, other.depth, other.url):
            self._succeed(group, row.key, survivor)
            self._overrule(row.key, Outcome.FETCHED, "", "")
            self.gathered.plan.events.append((row.key, "kept", -1))

    def _reached_through(self, row: Known) -> list[tuple[int, int]]:
        """The URLs that a visited one led to, at the depth they have through it."""
        if row.outcome == Outcome.REDIRECTED and row.target is not None:
            return [(row.target, row.depth)]
        if row.outcome not in _WITH_DOCUMENT:
            return []
        packed = self._packed_reading(row.key)
        if not packed:
            return []
        reading = unpack(packed)
        links = [key_of(url) for url, followed in zip(reading.urls, reading.followed, strict=True) if followed]
        known = self._rows.keys() & set(links)
        self._rows.update(self._memory.known(set(links) - known))
        return [(key, row.depth + 1) for key in links if key in self._rows]

    def _packed_reading(self, key: int) -> bytes:
        index = self._settled.get(key)
        if index is not None:
            kept = self.gathered.plan.settled[index].kept
            return self.gathered.plan.kept[kept].reading if kept >= 0 else b""
        version = self._memory.version_of(key)
        return version[2] if version else b""

    def _finish(self) -> None:
        self.gathered.plan.patterns = {name: dump_pattern(state) for name, state in self._watch.drain()}
        if self._again is not None:
            self.gathered.plan.witnesses = self._again.trusting.drain()


def _kept(visit: Visit, document: Document, group: bytes, piece: int, novel: bool) -> Kept:
    archived = visit.archived
    assert archived is not None
    return Kept(
        visit.key, visit.url, visit.at, visit.status, document.mime, document.charset, document.language,
        document.title, document.canonical, document.digest, group, document.size, visit.received_bytes,
        document.etag, document.last_modified, "\n".join(document.cut), piece, novel, archived.payload_digest,
        document.reading,
    )  # fmt: skip
