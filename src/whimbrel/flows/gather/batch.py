"""One batch of visits while it is decided: what the repository says, overlaid with what the batch already changed."""

from collections import Counter
from collections.abc import Iterable
from typing import Protocol

from msgspec import Struct

from whimbrel.dedupe import exact
from whimbrel.flows.packing import unpack
from whimbrel.flows.refresh.again import Again, JudgingRules
from whimbrel.flows.twins.dusting import Dusting
from whimbrel.frontier.order import Order, band
from whimbrel.records.url import Url
from whimbrel.records.visit import Document, Outcome, Visit
from whimbrel.repository.contract import Became, Body, HeldVersion, KnownUrl, Lease, Plan, Queued, Settled
from whimbrel.urls.normal import host as host_of


class KnownBefore(Protocol):
    """What deciding asks of a repository."""

    pages: int
    pictures: int
    forgotten: frozenset[str]

    def known(self, keys: Iterable[int]) -> dict[int, KnownUrl]: ...
    def bodies(self, digests: Iterable[bytes]) -> dict[bytes, Body]: ...
    def survivors(self, groups: Iterable[bytes]) -> dict[bytes, int]: ...
    def version_of(self, key: int) -> tuple[bytes, bytes, bytes] | None: ...
    def surveyed(self, host: str) -> bool: ...
    def places_of(self, keys: Iterable[int]) -> list[Lease]: ...
    def kin(self, keys: Iterable[int]) -> dict[int, tuple[int | None, int]]: ...


class Terms(Struct, frozen=True):
    """What the user asked for that only home can hold to."""

    limit: int | None
    depth: int | None
    order: Order
    site_depths: dict[str, int] = {}
    site_limits: dict[str, int] = {}
    sitemaps: bool = False
    refreshing: bool = False
    patience: JudgingRules = JudgingRules()
    dusting: Dusting | None = None
    exhaustive: bool = False
    pictures: bool = False
    """Whether the limit counts pictures instead of pages."""


class Gathered(Struct):
    """The plan, and what home has to tell afterwards. `standings` counts what visits to kept pages found, `beside` what
    was fetched and is no page; in a collection, `replaced` how many pages made room and `turned_down` how many were
    looked at and not taken."""

    plan: Plan
    pages: int
    put_back: list[Lease]
    new_scope: list[Url]
    standings: Counter[str]
    beside: Counter[str]
    replaced: int = 0
    turned_down: int = 0
    pictures: int = 0


class Batch:
    """The rows, bodies and groups of twins that a batch touches, as they stand after what was decided so far."""

    def __init__(self, memory: KnownBefore, terms: Terms, now: float, again: Again | None) -> None:
        self.memory = memory
        self.terms = terms
        self.now = now
        self.again = again
        self.gathered = Gathered(Plan(), memory.pages, [], [], Counter(), Counter(), pictures=memory.pictures)
        self.plan = self.gathered.plan
        self.rows: dict[int, KnownUrl] = {}
        self.bodies: dict[bytes, Body] = {}
        self.survivors: dict[bytes, int] = {}
        self.groups: dict[int, tuple[bytes, bytes]] = {}
        self.held: dict[int, HeldVersion] = {}
        self._settled: dict[int, int] = {}

    def look_up(self, visits: list[Visit]) -> None:
        """All reads of the batch at once; row by row they cost three times as much."""
        keys = {visit.key for visit in visits}
        keys.update(link.key for visit in visits for link in visit.links)
        self.rows = self.memory.known(keys)
        if self.again is not None:
            kept = [visit.key for visit in visits if self.rows[visit.key].version is not None]
            self.held = self.again.past.held(kept) if kept else {}
            self.again.outages.look_up()
        documents = [visit.document for visit in visits if visit.document is not None]
        self.bodies = self.memory.bodies({document.digest for document in documents})
        self.survivors = self.memory.survivors({exact.group(d.digest, d.text_digest) for d in documents})

    def add_bodies(self, documents: list[Document]) -> None:
        """Those that the batch does not have yet."""
        self.bodies = self.memory.bodies({document.digest for document in documents}) | self.bodies

    def row(self, key: int) -> KnownUrl:
        if key not in self.rows:
            self.rows.update(self.memory.known([key]))
        return self.rows[key]

    # Outcomes.

    def settle(self, row: KnownUrl, settled: Settled) -> None:
        self._settled[row.key] = len(self.plan.settled)
        self.plan.settled.append(settled)
        self.plan.outcomes.pop(row.key, None)  # what another's visit made of it before its own came
        # Made anew: `_replace` costs four times as much, and this happens for every page.
        self.rows[row.key] = KnownUrl(*row[:7], settled.outcome, settled.rule, settled.target, *row[10:])

    def overrule(self, key: int, outcome: Outcome, rule: str, reason: str) -> None:
        """Another URL's visit changed what this one is."""
        plan = self.plan
        if key in self._settled:
            index = self._settled[key]
            plan.settled[index] = plan.settled[index]._replace(outcome=outcome, rule=rule, reason=reason)
        else:
            plan.outcomes[key] = Became(outcome, rule, reason)
        self.rows[key] = self.row(key)._replace(outcome=outcome, rule=rule)

    def welcome(self, row: KnownUrl) -> None:
        """The URL is due after all."""
        self.overrule(row.key, Outcome.DISCOVERED, "", "")
        place = band(self.terms.order, row.depth, bool(row.asset))
        self.plan.queued.append(Queued(row.key, host_of(row.url), place))

    # Twins.

    def group_of(self, key: int) -> tuple[bytes, bytes]:
        """The group of twins that a page is in, and the digest of its bytes."""
        if key not in self.groups:
            version = self.memory.version_of(key)
            self.groups[key] = (version[1], version[0]) if version else (b"", b"")
        return self.groups[key]

    def survivor_of(self, group: bytes) -> int | None:
        if group not in self.survivors and group not in self.plan.dissolved:
            self.survivors.update(self.memory.survivors([group]))
        return self.survivors.get(group)

    def likeness(self, key: int, digest: bytes) -> str:
        return "same bytes" if self.group_of(key)[1] == digest else "same text"

    # What the parser read.

    def packed_reading(self, key: int) -> bytes:
        index = self._settled.get(key)
        if index is not None:
            kept = self.plan.settled[index].kept
            return self.plan.kept[kept].reading if kept >= 0 else b""
        version = self.memory.version_of(key)
        return version[2] if version else b""

    def words(self, key: int) -> str:
        packed = self.packed_reading(key)
        return unpack(packed).text if packed else ""
