"""Visits that travel bare: what was received goes home, and home does the rest of the work.

A document with its reading and its compressed records is twice as large as the same bytes sent as they are in a
compressed stream, and all of it follows from those bytes.
"""

from collections.abc import Callable

from msgspec.structs import replace

from whimbrel.fetch.decode import plain
from whimbrel.fetch.head import read_head
from whimbrel.records.response import Failure, FailureKind, Response
from whimbrel.records.sifting import KEEP_RULE
from whimbrel.records.task import Task
from whimbrel.records.visit import Exchange, Outcome, Visit

_DOCUMENT = frozenset({200, 203})


def stripped(task: Task, response: Response, at: float) -> Visit:
    """An answer as it was received. Its outcome says only whether it may turn out to be a page."""
    outcome = Outcome.FETCHED if response.status in _DOCUMENT else Outcome.FAILED
    return Visit(
        task.key, task.url, task.depth, outcome, "", "", response.status, at, len(response.head) + len(response.raw),
        exchange=_exchange(task, response, judged=False),
    )  # fmt: skip


def undressed(visit: Visit, task: Task, response: Response) -> Visit:
    """A visit that was judged where the migrant is, without what home can make of the bytes."""
    if visit.archived is None or visit.private:
        return visit
    return replace(visit, document=None, archived=None, head=b"", exchange=_exchange(task, response, judged=True))


def shelvable(visit: Visit, task: Task, response: Response) -> Visit:
    """A visit whose page may be wanted later: what was received, and nothing that follows from it."""
    return replace(visit, exchange=_exchange(task, response, judged=False), private=response.private)


def _exchange(task: Task, response: Response, *, judged: bool) -> Exchange:
    return Exchange(
        response.request_head, response.head, response.raw, response.protocol, response.address,
        round(response.elapsed_seconds * 1000), task.hops, task.asset, task.sitemap, judged,
    )  # fmt: skip


def dressed(visit: Visit, receive: Callable[[Task, Response, float], Visit]) -> Visit:
    """At home: the visit as it would have come from a migrant that does all the work itself."""
    exchange = visit.exchange
    if exchange is None:
        return visit
    response = response_of(visit, exchange)
    if isinstance(response, Failure):
        return replace(visit, outcome=Outcome.FAILED, rule=response.kind, reason=response.detail, exchange=None)
    task = Task(visit.key, visit.url, visit.depth, exchange.hops, 0, exchange.asset, sitemap=exchange.sitemap)
    whole = receive(task, response, visit.at)
    if not exchange.judged:
        return whole
    if whole.outcome is Outcome.REFUSED and whole.rule == KEEP_RULE:
        # The filter may not run at the place.
        return replace(whole, links=visit.links)
    return replace(
        whole, outcome=visit.outcome, rule=visit.rule, reason=visit.reason, links=visit.links,
        requests=visit.requests, listed=visit.listed, shut=visit.shut,
    )  # fmt: skip


def response_of(visit: Visit, exchange: Exchange) -> Response | Failure:
    """What the migrant's fetcher gave it; or why no fetcher would have given it."""
    head = read_head(exchange.head.splitlines(keepends=True))
    if head is None or head.cut:
        return Failure(FailureKind.PROTOCOL, "the answer came home without a readable HTTP head")
    body = plain(head.headers.get("content-encoding", ""), exchange.raw)
    if isinstance(body, Failure):
        return body
    return Response(
        visit.url, head.status, head.headers, exchange.head, exchange.raw, body, exchange.request_head,
        exchange.protocol, exchange.address, exchange.elapsed_ms / 1000, visit.private,
    )  # fmt: skip
