"""`bench agents`: what asking through MCP costs beside asking the JSON interface: the same queries, in turns, of one
server over kept connections, so that whatever else the machine does befalls both."""

import http.client
import json
import time
import urllib.parse
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct

from whimbrel.bench.goals import Goal, at_most
from whimbrel.bench.machine import Say
from whimbrel.bench.search import asked_of, crawl
from whimbrel.bench.search_items import kept_pages
from whimbrel.bench.search_latency import ANSWER_SECONDS, served
from whimbrel.search.build.indexer import Indexer

GOAL_RATIO = 1.5
SIZE = 8
SHARE = 0.95
REVISIONS = ("2026-07-28", "2025-06-18")
"""Of the protocol: the current one, in which each request says all, and one that shook hands before."""

Ask = Callable[[str], bytes]


class AgentsWay(Struct, frozen=True):
    """Milliseconds until the answer was there."""

    way: str
    queries: int
    median: float
    p95: float
    bytes: int


class AgentsReport(Struct, frozen=True):
    site: str
    pages: int
    ways: list[AgentsWay]


def goals(report: AgentsReport) -> list[Goal]:
    by_name = {way.way: way for way in report.ways}
    api = by_name["/api/search"].p95
    return [
        at_most(f"95th percentile beside /api/search, {way.way}", way.p95 / api, GOAL_RATIO)
        for way in report.ways
        if way.way.startswith("MCP")
    ]


def run(site: Path, queries: int, seed: int, work: Path, say: Say) -> AgentsReport:
    folder = work / "folder"
    crawl(site, folder, say)
    with Indexer(folder) as indexer:
        indexer.catch_up()
    pages = kept_pages(folder)
    chosen = asked_of(pages, seed)[:queries]
    with served(folder) as (address, _):
        ways = _ways(address)
        for ask in ways.values():
            for query in chosen[:20]:
                ask(query)
        took: dict[str, list[float]] = {name: [] for name in ways}
        sent = dict.fromkeys(ways, 0)
        for query in chosen:
            for name, ask in ways.items():
                began = time.perf_counter()
                sent[name] += len(ask(query))
                took[name].append(time.perf_counter() - began)
    return AgentsReport(str(site), len(pages), [_way(name, times, sent[name]) for name, times in took.items()])


def _way(name: str, times: list[float], sent: int) -> AgentsWay:
    times.sort()
    median, p95 = (times[int(share * len(times))] * 1000 for share in (0.5, SHARE))
    return AgentsWay(name, len(times), median, p95, sent // len(times))


def _ways(address: str) -> dict[str, Ask]:
    return {
        "/api/search": _api(address, facets=True),
        "/api/search without facets": _api(address, facets=False),
        **{f"MCP {revision}": _mcp(address, revision) for revision in REVISIONS},
    }


def _api(address: str, *, facets: bool) -> Ask:
    connection = http.client.HTTPConnection(address, timeout=ANSWER_SECONDS)

    def ask(query: str) -> bytes:
        asked = urllib.parse.urlencode({"q": query, "size": SIZE, "facets": int(facets)})
        return _asked(connection, "GET", f"/api/search?{asked}")

    return ask


def _mcp(address: str, revision: str) -> Ask:
    """As a client of this revision writes it, without the client's own work."""
    connection = http.client.HTTPConnection(address, timeout=ANSWER_SECONDS)
    headers = {
        "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": revision, "Mcp-Method": "tools/call", "Mcp-Name": "search",
    }  # fmt: skip
    about = {
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }

    def ask(query: str) -> bytes:
        params = {"name": "search", "arguments": {"query": query, "size": SIZE}, "_meta": about}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        body = _asked(connection, "POST", "/mcp", json.dumps(message), headers)
        if b'"result"' not in body:
            raise RuntimeError(f"no answer to {query!r}: {body[:300]!r}")
        return body

    return ask


def _asked(
    connection: http.client.HTTPConnection, method: str, path: str, sent: str | None = None,
    headers: Mapping[str, str] = MappingProxyType({}),
) -> bytes:  # fmt: skip
    try:
        connection.request(method, path, sent, headers)
        answer = connection.getresponse()
    except ConnectionError:  # a server may close what was idle for seconds; the clock goes on
        connection.close()
        connection.request(method, path, sent, headers)
        answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"the server answered {answer.status}: {body[:300]!r}")
    return body
