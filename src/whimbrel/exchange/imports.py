"""Takes files in as if a crawl had fetched what they hold: the same reading, digests, twins, states and limits.

What the folder already has stays as it is, so an import that was cut off is simply run again. An import is not a crawl:
nothing is fetched, and links are queued only where that is asked for.
"""

from base64 import b32encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha1, sha256
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from whimbrel.dedupe import exact
from whimbrel.exchange import sources
from whimbrel.exchange.follow import RULE
from whimbrel.exchange.sources import Received
from whimbrel.exchange.warcs import Fault
from whimbrel.flows.crawl import Tools, media_type, receive
from whimbrel.flows.gather import Gathering, Memory, Terms
from whimbrel.flows.packing import unpack
from whimbrel.frontier.cache import UrlCache
from whimbrel.frontier.traps import TrapSettings
from whimbrel.frontier.watch import Watch
from whimbrel.records.response import Response
from whimbrel.records.task import NO_VALIDATORS, Task, Validators
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict, refused
from whimbrel.records.visit import Archived, Outcome, Visit
from whimbrel.repository import warc
from whimbrel.repository.contract import Body, Found, Known, Lease, NothingThere, Plan
from whimbrel.repository.embedded.reader import Reader
from whimbrel.repository.embedded.store import Store
from whimbrel.urls.normal import authority, host, normalise
from whimbrel.urls.normal import key as key_of
from whimbrel.urls.resolve import Resolver

COMMIT_VISITS = 256
COMMIT_BYTES = 32 << 20
REMEMBERED_LINKS = 1_000_000
ASSETS = ("image/", "text/css", "font/")
NOWHERE = -1
"""The lane of a lease on a URL that stands in no queue."""
_DOCUMENT = (200, 203)


class Limits(Struct, frozen=True):
    """What the settings allow; `types` are prefixes of content types, none meaning all."""

    terms: Terms
    largest_bytes: int
    types: tuple[str, ...]
    assets: bool
    agent: str = "whimbrel"


class Imported(Struct):
    """What became of the records. `outcomes` counts what was new; `passed_over` what was left alone, by the reason."""

    outcomes: Counter[str] = field(default_factory=Counter)
    already: int = 0
    passed_over: Counter[str] = field(default_factory=Counter)
    faults: int = 0

    @property
    def good(self) -> int:
        return sum(self.outcomes.values()) + self.already


class Importer:
    """Takes records in, some hundreds a commit."""

    def __init__(self, store: Store, limits: Limits, now: Callable[[], float]) -> None:
        self._store, self._limits, self._now = store, limits, now
        self._reader = Reader(store.folder)
        self._batch: dict[int, tuple[Visit, Lease, Found | None]] = {}
        self._answers: dict[str, Response] = {}
        self._bytes = 0
        self._queues: dict[int, dict[int, Lease]] = {}
        self._tools = Tools(
            fetcher=_Nobody(), resolver=Resolver(), cache=UrlCache(REMEMBERED_LINKS), judge=_not_followed, rewrite=None,
            now=now, agent=limits.agent, assets=False, retries=0, retry_seconds=lambda url, attempt: 0.0,
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
        response = received.response
        key = key_of(response.url)
        if key in self._batch:
            self._commit()
        row = self._store.known([key]).get(key)
        if row is None or not self._stays(row, response):
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

    def _stays(self, row: Known, response: Response) -> bool:
        """Whether the folder keeps what it has: a copy, or an end that a record without a document does not change."""
        if row.version is None:
            settled = row.outcome != Outcome.DISCOVERED and row.rule != RULE
            self.imported.already += (stays := settled and response.status not in _DOCUMENT)
            return stays
        version = self._store.version_of(row.key)
        if version is not None and version[0] == exact.digest(response.body):
            self.imported.already += 1
            self._meet_again(row, version[2])
        else:
            self.imported.passed_over["another version is kept"] += 1
        return True

    def _meet_again(self, row: Known, packed: bytes) -> None:
        """Its links bring others as near as they did the first time."""
        if packed:
            read = unpack(packed)
            links = [key_of(url) for url, followed in zip(read.urls, read.followed, strict=True) if followed]
            self._tools.cache.meet(links, row.depth + 1)

    def _add(self, received: Received, key: int, row: Known | None, name: str) -> None:
        response, now = received.response, self._now()
        at = now if received.at is None else min(received.at, now)
        asset = self._is_asset(response) if row is None else bool(row.asset)
        found = None
        if row is None:
            met_at = self._tools.cache.depth(key)
            depth = min(received.depth or 0, 1 << 30 if met_at is None else met_at)
            found = Found(
                key, response.url, host(response.url), depth, 0, 0, asset, None, now, Outcome.DISCOVERED, "", ""
            )
        else:
            depth = row.depth
        task = Task(key, response.url, depth, 0, 0, asset)
        visit = _as_imported(receive(task, response, self._tools, at), response, received, name)
        self._batch[key] = (visit, self._lease(key, row), found)
        self._answers[response.url] = response
        self._bytes += len(response.raw)
        if len(self._batch) >= COMMIT_VISITS or self._bytes >= COMMIT_BYTES:
            self._commit()

    def _lease(self, key: int, row: Known | None) -> Lease:
        """Its place in a queue that an earlier crawl left, so that it is not fetched once more."""
        if row is None:
            return Lease(NOWHERE, 0, 0, key, 0)
        if row.lane not in self._queues:
            due = self._store.lease(row.lane, 1 << 62, float("inf"), set(), False)
            self._queues[row.lane] = {lease.key: lease for lease, _ in due}
        return self._queues[row.lane].get(key, Lease(NOWHERE, 0, 0, key, 0))

    def _with_shared_bytes(self, received: Received) -> Received | Fault:
        url = normalise(received.same_as)
        raw = None if isinstance(url, Verdict) else self._bytes_of(url)
        if raw is None:
            return Fault(received.position, f"it has the bytes of {received.same_as[:200]}, which is not kept here")
        if received.payload_digest and not _has_digest(raw, received.payload_digest):
            return Fault(received.position, f"the bytes kept of {url} are not those that it means")
        response = sources.with_body(received.response, raw, self._limits.largest_bytes)
        return Fault(received.position, response) if isinstance(response, str) else replace(received, response=response)

    def _bytes_of(self, url: Url) -> bytes | None:
        if url in self._answers:
            return self._answers[url].raw
        try:
            return self._reader.body(url).payload
        except NothingThere:
            return None

    # Commits.

    def _commit(self) -> None:
        batch = list(self._batch.values())
        self._batch, self._answers, self._bytes = {}, {}, 0
        if not batch:
            return
        now = self._now()
        found = {entry.key: entry for _, _, entry in batch if entry is not None}
        memory = _Admitting(self._store, found)
        gathering = Gathering(memory, self._limits.terms, Watch(TrapSettings()), now)
        gathered = gathering.take([(visit, lease) for visit, lease, _ in batch])
        plan, no_room = gathered.plan, {lease.key for lease in gathered.put_back}
        targets = {settled.target for settled in plan.settled}
        met = [entry for entry in plan.found if entry.rule != RULE or entry.key in targets]
        plan.found = [*(entry for key, entry in found.items() if key not in no_room), *met]
        plan.done = [lease for lease in plan.done if lease.lane != NOWHERE]
        plan.traffic = {}  # nothing came over the network
        plan.patterns = {}  # links that are not followed say nothing about traps
        plan.occurrences = dict(self._tools.cache.drain())
        self._store.commit(plan, now)
        self._store.pages = gathered.pages
        self._count(plan, len(no_room))

    def _count(self, plan: Plan, no_room: int) -> None:
        for settled in plan.settled:
            self.imported.outcomes[settled.outcome] += 1
        self.authorities.update(authority(kept.url) for kept in plan.kept)
        if no_room:
            self.imported.passed_over["limit"] += no_room


class _Nobody:
    """An import fetches nothing."""

    async def fetch(self, url: Url, validators: Validators = NO_VALIDATORS, *, any_type: bool = False) -> Verdict:
        return refused(RULE, "an import fetches nothing")


class _Admitting:
    """The store, with the URLs of a batch known to it before they are written."""

    def __init__(self, store: Memory, found: dict[int, Found]) -> None:
        self._store, self._found = store, found
        self.pages, self.forgotten = store.pages, store.forgotten

    def known(self, keys: Iterable[int]) -> dict[int, Known]:
        wanted = list(keys)
        rows = self._store.known(wanted)
        new = (self._found[key] for key in wanted if key in self._found)
        rows.update(
            {f.key: Known(f.key, f.url, 0, f.depth, 0, 0, int(f.asset), f.outcome, "", None, None, 0) for f in new}
        )
        return rows

    def bodies(self, digests: Iterable[bytes]) -> dict[bytes, Body]:
        return self._store.bodies(digests)

    def survivors(self, groups: Iterable[bytes]) -> dict[bytes, int]:
        return self._store.survivors(groups)

    def version_of(self, key: int) -> tuple[bytes, bytes, bytes] | None:
        return self._store.version_of(key)


def _not_followed(url: Url) -> Verdict:
    return refused(RULE, "an import did not hold it")


def _as_imported(visit: Visit, response: Response, received: Received, name: str) -> Visit:
    """The visit with a title that only the file tells, and with records that say where it came from."""
    document = visit.document
    if document is not None and received.title and not document.title:
        visit = replace(visit, document=replace(document, title=received.title))
    if visit.archived is None:
        return visit
    number, digest = warc.record_id(), warc.labelled(visit.archived.payload_digest)
    record = warc.response(visit.url, visit.at, response.address, "", response.head, response.raw, digest, number)
    asked = response.request_head
    fields = [("importedFrom", f"{_printable(name)} {received.position}"), ("hopsFromSeed", str(visit.depth))]
    others = warc.request(visit.url, visit.at, asked, number) if asked else b""
    others += warc.metadata(visit.url, visit.at, fields, number)
    return replace(visit, archived=Archived(record, others, visit.archived.payload_digest))


def _printable(name: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in name)


def _has_digest(raw: bytes, labelled: str) -> bool:
    """Digests in the spellings that archives use; one of an unknown kind proves nothing either way."""
    kind, _, value = labelled.partition(":")
    make = {"sha1": sha1, "sha256": sha256, "sha-256": sha256}.get(kind.lower())
    if make is None:
        return True
    digest = make(raw).digest()
    return value.lower() in (
        digest.hex(),
        b32encode(digest).decode().rstrip("=").lower(),
        b32encode(digest).decode().lower(),
    )


def _names(url: Url) -> tuple[str, str, str]:
    """What a page may have been forgotten as."""
    return url, host(url), authority(url)
