"""Takes files in as if a crawl had fetched what they hold: the same reading, digests, twins, states and limits.

A page that comes several times is a page that was visited again: what is newer is judged as a refresh judges it, what
is older than the newest that is kept becomes a version before it. What the folder already has stays as it is, so an
import that was cut off is simply run again. An import is not a crawl: nothing is fetched, and links are queued only
where that is asked for.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from whimbrel.dedupe import exact
from whimbrel.exchange import sources
from whimbrel.exchange.admitting import Admitting, as_imported, has_digest
from whimbrel.exchange.follow import RULE
from whimbrel.exchange.sources import Received
from whimbrel.exchange.warcs import Fault
from whimbrel.flows.gather.deciding import Gathering, Terms
from whimbrel.flows.packing import unpack
from whimbrel.flows.refresh.again import HERE, Again, JudgingRules
from whimbrel.flows.visit.crawl import receive
from whimbrel.flows.visit.recording import media_type
from whimbrel.flows.visit.tools import NothingFetched, Tools
from whimbrel.frontier.cache import UrlCache
from whimbrel.frontier.traps import TrapSettings
from whimbrel.frontier.watch import Watch
from whimbrel.records.response import Response
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict, refused
from whimbrel.records.visit import Outcome, Visit
from whimbrel.repository.contract import FoundUrl, KnownUrl, Lease, LeaseWanted, Plan
from whimbrel.repository.engines import open_reader
from whimbrel.repository.port.writer import Writer
from whimbrel.urls.normal import authority, host, normalise
from whimbrel.urls.normal import key as key_of
from whimbrel.urls.resolve import LinkResolver

COMMIT_VISITS = 256
COMMIT_BYTES = 32 << 20
REMEMBERED_LINKS = 1_000_000
ASSETS = ("image/", "text/css", "font/")
NOWHERE = -1
"""The lane of a lease on a URL that stands in no queue."""
_DOCUMENT = (200, 203)
_SAME_MOMENT_SECONDS = 1.0  # some programs write dates to the second
_DATE_SECONDS = 1e-3  # a date in an archive is that of the visit, cut off


class ImportLimits(Struct, frozen=True):
    """What the settings allow; `types` are prefixes of content types, none meaning all."""

    terms: Terms
    largest_bytes: int
    types: tuple[str, ...]
    assets: bool
    agent: str = "whimbrel"
    patience: JudgingRules = JudgingRules()


class Imported(Struct):
    """What became of the records. `outcomes` counts what was new, `versions` further states of pages that were here;
    `passed_over` what was left alone, by the reason."""

    outcomes: Counter[str] = field(default_factory=Counter)
    versions: int = 0
    already: int = 0
    passed_over: Counter[str] = field(default_factory=Counter)
    faults: int = 0

    @property
    def good(self) -> int:
        return sum(self.outcomes.values()) + self.versions + self.already


class Importer:
    """Takes records in, some hundreds a commit."""

    def __init__(self, store: Writer, limits: ImportLimits, now: Callable[[], float]) -> None:
        self._store, self._limits, self._now = store, limits, now
        self._reader = open_reader(store.location)
        self._batch: dict[int, tuple[Visit, Lease, FoundUrl | None]] = {}
        # What an archive holds is kept, noise or not.
        self._again = Again(store.past, replace(limits.patience, keep_noise=True))
        self._returns: set[int] = set()
        self._older: dict[int, Visit] = {}
        self._answers: dict[str, Response] = {}
        self._bytes = 0
        self._queues: dict[int, dict[int, Lease]] = {}
        self._tools = Tools(
            fetcher=NothingFetched(refused(RULE, "an import fetches nothing")), resolver=LinkResolver(),
            cache=UrlCache(REMEMBERED_LINKS), judge=_not_followed, rewrite=None, now=now,
            agent=limits.agent, assets=False, retries=0, retry_seconds=lambda url, attempt: 0.0,
            busy=lambda url, wait: 0.0, at_work_on=lambda key: None,
        )  # fmt: skip
        self.imported = Imported()
        self.authorities: set[str] = set()

    def close(self) -> None:
        self._reader.close()

    def take_file(self, path: Path) -> Iterator[Fault]:
        """Takes in all that the file holds and gives what could not be; all else is durable when it ends."""
        for found in sources.read(path, self._limits.largest_bytes):
            fault = found if isinstance(found, Fault) else self._take(found, path.name)
            if fault is not None:
                self.imported.faults += 1
                yield fault
        self._commit()

    # One record.

    def _take(self, received: Received, name: str) -> Fault | None:
        if why := self._unwanted(received.response):
            self.imported.passed_over[why] += 1
            return None
        if received.same_as:
            whole = self._with_shared_bytes(received)
            if isinstance(whole, Fault):
                return whole
            received = whole
        key = key_of(received.response.url)
        if key in self._batch or key in self._older:
            self._commit()
        row = self._store.known([key]).get(key)
        if row is not None and row.version is not None:
            self._take_again(received, key, row, name)
        elif row is None or not self._stays(row, received.response):
            self._add(received, key, row, name)
        return None

    def _unwanted(self, response: Response) -> str:
        if response.url.endswith("/robots.txt") and response.url.count("/") == 3:
            return "robots.txt"
        if response.status == 304:
            return "not modified"
        if self._store.forgotten and not self._store.forgotten.isdisjoint(_names(response.url)):
            return "forgotten"
        if response.status not in _DOCUMENT or self._is_page(response) or self._is_asset(response):
            return ""
        return "type"

    def _is_page(self, response: Response) -> bool:
        return not self._limits.types or media_type(response).startswith(self._limits.types)

    def _is_asset(self, response: Response) -> bool:
        return self._limits.assets and media_type(response).startswith(ASSETS) and not self._is_page(response)

    def _stays(self, row: KnownUrl, response: Response) -> bool:
        """Whether a record without a document leaves a URL as it ended."""
        settled = row.outcome != Outcome.DISCOVERED and row.rule != RULE
        self.imported.already += (stays := settled and response.status not in _DOCUMENT)
        return stays

    def _take_again(self, received: Received, key: int, row: KnownUrl, name: str) -> None:
        """A record of a page that is kept: known already, newer than that, or a state from before."""
        at, (visited_at, kept) = self._moment(received), self._store.past.states(key)
        if received.response.status not in _DOCUMENT:
            if at <= visited_at:
                self.imported.already += 1
            else:
                self._add(received, key, row, name)
            return
        digest, later = exact.digest(received.response.body), at >= kept[-1][0]
        back = at > kept[-1][0] and row.outcome not in HERE
        if digest in _known(kept, received.at) and not back:
            self.imported.already += 1
            self._meet_again(row)
        else:
            self._add(received, key, row, name, older=not later)

    def _moment(self, received: Received) -> float:
        now = self._now()
        return now if received.at is None else min(received.at, now)

    def _meet_again(self, row: KnownUrl) -> None:
        """Its links bring others as near as they did the first time."""
        version = self._store.version_of(row.key)
        if version is not None and version[2]:
            read = unpack(version[2])
            links = [key_of(url) for url, followed in zip(read.urls, read.followed, strict=True) if followed]
            self._tools.cache.meet(links, row.depth + 1)

    def _add(self, received: Received, key: int, row: KnownUrl | None, name: str, *, older: bool = False) -> None:
        response, now = received.response, self._now()
        at = self._moment(received)
        asset = self._is_asset(response) if row is None else bool(row.asset)
        found = None
        if row is None:
            met_at = self._tools.cache.depth(key)
            depth = min(received.depth or 0, 1 << 30 if met_at is None else met_at)
            found = FoundUrl(
                key, response.url, host(response.url), depth, 0, 0, asset, None, now, Outcome.DISCOVERED, "", ""
            )
        else:
            depth = row.depth
        task = Task(key, response.url, depth, 0, 0, asset)
        visit = as_imported(receive(task, response, self._tools, at), response, received, name)
        if older:
            self._older[key] = visit
        else:
            self._batch[key] = (visit, self._lease(key, row), found)
        if row is not None and row.version is not None:
            self._returns.add(key)
        self._answers[response.url] = response
        self._bytes += len(response.raw)
        if len(self._batch) + len(self._older) >= COMMIT_VISITS or self._bytes >= COMMIT_BYTES:
            self._commit()

    def _lease(self, key: int, row: KnownUrl | None) -> Lease:
        """Its place in a queue that an earlier crawl left, so that it is not fetched once more."""
        if row is None:
            return Lease(NOWHERE, 0, 0, key, 0)
        if row.lane not in self._queues:
            due = self._store.lease(LeaseWanted(row.lane, 1 << 62, float("inf")))
            self._queues[row.lane] = {lease.key: lease for lease, _ in due}
        return self._queues[row.lane].get(key, Lease(NOWHERE, 0, 0, key, 0))

    def _with_shared_bytes(self, received: Received) -> Received | Fault:
        url = normalise(received.same_as)
        states = iter(()) if isinstance(url, Verdict) else self._bytes_of(url, received.same_at)
        means = received.payload_digest
        raw = next((raw for raw in states if not means or has_digest(raw, means)), None)
        if raw is None:
            why = f"it has the bytes of {received.same_as[:200]}, of which no state with those bytes is kept here"
            return Fault(received.position, why)
        response = sources.with_body(received.response, raw, self._limits.largest_bytes)
        return Fault(received.position, response) if isinstance(response, str) else replace(received, response=response)

    def _bytes_of(self, url: Url, at: float | None) -> Iterator[bytes]:
        """The bytes of every state of a page: that of the moment named first, then the newest first."""
        if url in self._answers:
            yield self._answers[url].raw
        versions = sorted(self._reader.versions(url), key=lambda one: -one.at)
        for version in sorted(versions, key=lambda one: at is None or abs(one.at - at) > _SAME_MOMENT_SECONDS):
            yield self._reader.body(url, version).payload

    # Commits.

    def _commit(self) -> None:
        batch, older, returns = list(self._batch.values()), list(self._older.values()), self._returns
        self._batch, self._older, self._answers, self._returns, self._bytes = {}, {}, {}, set(), 0
        if not batch and not older:
            return
        if returns:
            self._store.past.prepare()
        now = self._now()
        found = {entry.key: entry for _, _, entry in batch if entry is not None}
        memory = Admitting(self._store, found)
        gathering = Gathering(memory, self._limits.terms, Watch(TrapSettings()), now, again=self._again)
        gathering.take([(visit, lease) for visit, lease, _ in batch])
        gathered = gathering.remember(older)
        plan, no_room = gathered.plan, {lease.key for lease in gathered.put_back}
        targets = {settled.target for settled in plan.settled}
        met = [entry for entry in plan.found if entry.rule != RULE or entry.key in targets]
        plan.found = [*(entry for key, entry in found.items() if key not in no_room), *met]
        plan.done = [lease for lease in plan.done if lease.lane != NOWHERE]
        plan.queued = [place for place in plan.queued if place.key not in returns]  # nothing is to be asked again
        plan.traffic = {}  # nothing came over the network
        plan.patterns = {}  # links that are not followed say nothing about traps
        plan.occurrences = dict(self._tools.cache.drain())
        self._store.commit(plan, now)
        self._store.pages = gathered.pages
        self._count(plan, returns, len(older), len(no_room))

    def _count(self, plan: Plan, returns: set[int], older: int, no_room: int) -> None:
        self.imported.versions += older
        for settled in plan.settled:
            if settled.kept >= 0 and settled.key in returns:
                self.imported.versions += 1
            else:
                self.imported.outcomes[settled.outcome] += 1
        self.authorities.update(authority(kept.url) for kept in plan.kept)
        if no_room:
            self.imported.passed_over["limit"] += no_room


def _not_followed(url: Url) -> Verdict:
    return refused(RULE, "an import did not hold it")


def _known(kept: list[tuple[float, bytes]], at: float | None) -> list[bytes]:
    """The digests of the versions of a moment and of the one before it, which goes on until another comes; of all
    where it is not known when the page looked so. The one after it says nothing: there may have been others between."""
    if at is None:
        return [digest for _, digest in kept]
    moments = [moment for moment, _ in kept]
    before = bisect_left(moments, at - _DATE_SECONDS) - 1
    return [digest for _, digest in kept[max(0, before) : bisect_right(moments, at + _DATE_SECONDS)]]


def _names(url: Url) -> tuple[str, str, str]:
    """What a page may have been forgotten as."""
    return url, host(url), authority(url)
