"""Parcels as they cross the link: visits by columns, each named by the number of its task."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from whimbrel.migrants.wire.messages import Parcel, WireError
from whimbrel.migrants.wire.packing.bodies import Packer, TightBodies, hold, unpacked
from whimbrel.migrants.wire.packing.deltas import steps, walked
from whimbrel.migrants.wire.packing.holdings import Holdings
from whimbrel.migrants.wire.packing.links import LinkRun, loose_links, tight_links
from whimbrel.migrants.wire.packing.tasks import TaskBook
from whimbrel.records.entry import PageEntry
from whimbrel.records.request import Fitted
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.visit import Exchange, Outcome, Visit
from whimbrel.repository.contract import RobotsCopy

_OUTCOMES = list(Outcome)
_HOST = b" HTTP/1.1\r\nHost: "


class Particulars(Struct, frozen=True, array_like=True):
    """What most visits do not have: why, links of its own, another try."""

    rule: str
    reason: str
    links: list[LinkRun]
    requests: list[int]
    retry_in_seconds: float | None = None
    shut: bool = False


_NOTHING_MORE = Particulars("", "", [], [])


class TightAnswers(Struct, frozen=True, array_like=True):
    """What came with the visits that travel bare, by columns."""

    requests: list[bytes]
    heads: list[bytes]
    protocols: list[str]
    addresses: list[str]
    elapsed_ms: list[int]
    judged: list[bool]


class TightParcel(Struct, frozen=True, array_like=True, tag="parcel"):
    """`tasks` are steps between numbers of tasks; `at_ms` of milliseconds. `plain` are visits that fit none of it, by
    their place."""

    number: int
    tasks: list[int]
    outcomes: list[int]
    statuses: list[int]
    at_ms: list[int]
    received: list[int]
    particulars: dict[int, Particulars]
    answered: list[bool]
    answers: TightAnswers
    bodies: TightBodies
    plain: dict[int, Visit]
    robots: list[RobotsCopy]
    records: list[bytes]
    occurrences: list[tuple[int, int]]
    again: list[Visit]
    fitted: list[Fitted]
    entries: list[PageEntry] = []


def tight_parcel(parcel: Parcel, book: TaskBook, held: Holdings | None) -> tuple[TightParcel, list[int]]:
    """At the place; and the numbers of the pages that home holds once it acknowledges the parcel."""
    visits: list[Visit] = []
    numbers: list[int] = []
    plain: dict[int, Visit] = {}
    for place, visit in enumerate(parcel.visits):
        number = book.number(visit.key)
        task = book.task(number) if number is not None else None
        if number is not None and task is not None and _fits(visit, task):
            visits.append(visit)
            numbers.append(number)
            book.forget(number)
        else:
            plain[place] = visit
    packer = Packer(held)
    bare = [(visit, visit.exchange) for visit in visits if visit.exchange is not None]
    for visit, exchange in bare:
        packer.add(visit, exchange.raw, exchange.head)
    bodies, new = packer.done()
    return TightParcel(
        parcel.number, steps(numbers), [_OUTCOMES.index(visit.outcome) for visit in visits],
        [visit.status for visit in visits], steps(round(visit.at * 1000) for visit in visits),
        [_received_besides(visit) for visit in visits],
        {place: particulars for place, visit in enumerate(visits) if (particulars := _particulars(visit)) is not None},
        [visit.exchange is not None for visit in visits], _tight_answers(bare), bodies, plain, parcel.robots,
        parcel.records, parcel.occurrences, parcel.again, parcel.fitted, parcel.entries,
    ), new  # fmt: skip


def _fits(visit: Visit, task: Task) -> bool:
    """Whether all of a visit is said by its columns."""
    exchange = visit.exchange
    as_asked = exchange is None or (exchange.hops, exchange.asset, exchange.sitemap) == (
        task.hops, task.asset, task.sitemap
    )  # fmt: skip
    whole = visit.document is None and visit.archived is None and not visit.head
    return (
        as_asked and whole and not visit.private and not visit.listed and tight_links(visit.links) is not None
        and (visit.url, visit.depth) == (task.url, task.depth)
    )  # fmt: skip


def _received_besides(visit: Visit) -> int:
    """Bytes received that do not come along."""
    exchange = visit.exchange
    return visit.received_bytes - (len(exchange.head) + len(exchange.raw) if exchange is not None else 0)


def _particulars(visit: Visit) -> Particulars | None:
    links = tight_links(visit.links)
    assert links is not None, "looked at before"
    said = Particulars(visit.rule, visit.reason, links, visit.requests, visit.retry_in_seconds, visit.shut)
    return said if said != _NOTHING_MORE else None


def _tight_answers(bare: list[tuple[Visit, Exchange]]) -> TightAnswers:
    return TightAnswers(
        [_beyond_address(exchange.request_head, visit.url) for visit, exchange in bare],
        [exchange.head for _, exchange in bare], [exchange.protocol for _, exchange in bare],
        [exchange.address for _, exchange in bare], [exchange.elapsed_ms for _, exchange in bare],
        [exchange.judged for _, exchange in bare],
    )  # fmt: skip


def _opening(url: Url) -> bytes:
    """How a request for a URL begins."""
    start = url.index("/", 8)
    return f"GET {url[start:]}".encode("latin-1", "replace") + _HOST + url[url.index("//") + 2 : start].encode()


def _beyond_address(request: bytes, url: Url) -> bytes:
    """What a request says besides its URL; one that begins otherwise is marked, and whole."""
    opening = _opening(url)
    return request[len(opening) :] if request.startswith(opening) else b"\0" + request


def _with_address(rest: bytes, url: Url) -> bytes:
    return rest[1:] if rest.startswith(b"\0") else _opening(url) + rest


def loose_parcel(tight: TightParcel, book: TaskBook, held: Holdings | None) -> Parcel:
    """At home."""
    bodies = unpacked(tight.bodies, held)
    try:
        visits = _loose_visits(tight, _exchanges(tight.answers, bodies), book)
        if held is not None:
            hold(visits, tight.bodies, held)
    except (ValueError, StopIteration, IndexError) as error:
        raise WireError("a parcel whose columns do not fit together") from error
    for place, visit in sorted(tight.plain.items()):
        visits.insert(place, visit)
    return Parcel(
        tight.number, visits, tight.robots, tight.records, tight.occurrences, tight.again, tight.fitted, tight.entries
    )


def _exchanges(answers: TightAnswers, bodies: list[bytes]) -> Iterator[Exchange]:
    """Without what the tasks say."""
    return (
        Exchange(request, head, body, protocol, address, elapsed, 0, False, False, judged)
        for request, head, protocol, address, elapsed, judged, body in zip(
            answers.requests, answers.heads, answers.protocols, answers.addresses, answers.elapsed_ms, answers.judged,
            bodies, strict=True,
        )
    )  # fmt: skip


def _loose_visits(tight: TightParcel, exchanges: Iterator[Exchange], book: TaskBook) -> list[Visit]:
    visits = []
    rows = zip(
        walked(tight.tasks), tight.outcomes, tight.statuses, walked(tight.at_ms), tight.received, tight.answered,
        strict=True,
    )  # fmt: skip
    for place, (number, outcome, status, at_ms, received, answered) in enumerate(rows):
        task = book.task(number)
        if task is None or outcome < 0:
            raise WireError(f"a visit for task {number}, which is not under way")
        book.forget(number)
        said = tight.particulars.get(place, _NOTHING_MORE)
        exchange = _whole_exchange(next(exchanges), task) if answered else None
        if exchange is not None:
            received += len(exchange.head) + len(exchange.raw)
        visits.append(
            Visit(
                task.key, task.url, task.depth, _OUTCOMES[outcome], said.rule, said.reason, status, at_ms / 1000,
                received, links=loose_links(said.links), retry_in_seconds=said.retry_in_seconds,
                requests=said.requests, shut=said.shut, exchange=exchange,
            )
        )  # fmt: skip
    if next(exchanges, None) is not None:
        raise WireError("a parcel with answers that belong to no visit")
    return visits


def _whole_exchange(bare: Exchange, task: Task) -> Exchange:
    request = _with_address(bare.request_head, task.url)
    return replace(bare, request_head=request, hops=task.hops, asset=task.asset, sitemap=task.sitemap)
