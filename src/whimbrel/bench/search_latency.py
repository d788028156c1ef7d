"""How fast queries are answered: open loop, by the searcher in this process and by `whimbrel serve` in another."""

import http.client
import os
import queue
import re
import subprocess
import sys
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct

from whimbrel.bench.machine import MissingTool, Say
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher

QUERIES_A_SECOND = 50
CONNECTIONS = 8
WARMING = 20
ANSWER_SECONDS = 30.0
START_SECONDS = 60.0

Ask: TypeAlias = Callable[[str], None]
Connect: TypeAlias = Callable[[], AbstractContextManager[Ask]]
_ADDRESS = re.compile(r"http://[\w.:\[\]-]+/")
_WAYS = (("with snippets and facets", True, 25.0), ("without snippets", False, 10.0))


class Latency(Struct, frozen=True):
    """Milliseconds from the moment a query was due until its answer was there: a server that falls behind shows it.
    `cpu` is what answering one takes of a core, which other work on the machine hardly changes. `goal_p95` is 0 where
    there is none."""

    way: str
    queries: int
    median: float
    p95: float
    p99: float
    longest: float
    cpu: float
    goal_p95: float


class AskingWay(Struct, frozen=True):
    """How queries are asked: `connect` once for each connection; `cpu_seconds` is what the answering side has spent."""

    name: str
    connect: Connect
    cpu_seconds: Callable[[], float]
    goal_p95: float = 0.0


def latencies(folder: Path, queries: list[str], seconds: float, say: Say) -> list[Latency]:
    """Queries come at their moments, whether the last one was answered or not."""
    found = []
    with Searcher(folder) as searcher:
        for name, whole, _ in _WAYS:
            way = AskingWay(f"searcher, {name}", partial(_direct, searcher, whole), time.process_time)
            found.append(_told(open_loop(way, queries, seconds), say))
    with served(folder) as (address, cpu_seconds):
        for name, whole, goal in _WAYS:
            way = AskingWay(f"HTTP, {name}", partial(_connection, address, whole), cpu_seconds, goal)
            found.append(_told(open_loop(way, queries, seconds), say))
    return found


def _told(late: Latency, say: Say) -> Latency:
    say(f"{late.way}: p95 {late.p95:.1f} ms, {late.cpu:.1f} ms of CPU a query")
    return late


@contextmanager
def served(
    folder: Path, environment: Mapping[str, str] = MappingProxyType({})
) -> Iterator[tuple[str, Callable[[], float]]]:
    """`whimbrel serve` over the folder on a free port of loopback; gives host and port, and what it has spent."""
    command = [sys.executable, "-m", "whimbrel", "serve", "--repo", str(folder), "--port", "0", "--no-open"]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1", **environment}
    )
    try:
        said = server.stdout.readline() if server.stdout is not None else ""
        address = _ADDRESS.search(said)
        if address is None:
            raise MissingTool(f"`whimbrel serve` did not say where it is: {said.strip() or 'it ended'}")
        name = urllib.parse.urlsplit(address[0]).netloc
        _await(name)
        yield name, partial(_spent, server.pid)
    finally:
        server.terminate()
        server.wait()
        if server.stdout is not None:
            server.stdout.close()


def open_loop(way: AskingWay, queries: list[str], seconds: float) -> Latency:
    with ExitStack() as connections:
        asks = [connections.enter_context(way.connect()) for _ in range(CONNECTIONS)]
        for ask in asks:
            for query in queries[:WARMING]:
                ask(query)
        before = way.cpu_seconds()
        took = sorted(_asked(asks, queries, seconds))
        spent = way.cpu_seconds() - before
    if len(took) < int(seconds * QUERIES_A_SECOND):
        raise RuntimeError(f"{way.name}: of {int(seconds * QUERIES_A_SECOND)} queries only {len(took)} were answered")
    median, p95, p99 = (took[int(share * len(took))] * 1000 for share in (0.5, 0.95, 0.99))
    return Latency(way.name, len(took), median, p95, p99, took[-1] * 1000, spent / len(took) * 1000, way.goal_p95)


def _asked(asks: list[Ask], queries: list[str], seconds: float) -> list[float]:
    due: queue.SimpleQueue[tuple[float, str] | None] = queue.SimpleQueue()
    took: list[float] = []
    askers = [threading.Thread(target=_asker, args=(due, took, ask)) for ask in asks]
    for asker in askers:
        asker.start()
    began = time.perf_counter()
    for number, query in zip(range(int(seconds * QUERIES_A_SECOND)), cycle(queries), strict=False):
        moment = began + number / QUERIES_A_SECOND
        time.sleep(max(0.0, moment - time.perf_counter()))
        due.put((moment, query))
    for _ in askers:
        due.put(None)
    for asker in askers:
        asker.join()
    return took


def _asker(due: "queue.SimpleQueue[tuple[float, str] | None]", took: list[float], ask: Ask) -> None:
    while (next_one := due.get()) is not None:
        moment, query = next_one
        ask(query)
        took.append(time.perf_counter() - moment)


@contextmanager
def _direct(searcher: Searcher, whole: bool) -> Iterator[Ask]:
    def ask(query: str) -> None:
        searcher.answer(parse(query), snippets=whole, facets=True)

    yield ask


@contextmanager
def _connection(address: str, whole: bool) -> Iterator[Ask]:
    """One connection that is kept alive."""
    connection = http.client.HTTPConnection(address, timeout=ANSWER_SECONDS)

    def got(path: str) -> http.client.HTTPResponse:
        connection.request("GET", path)
        return connection.getresponse()

    def ask(query: str) -> None:
        asked = urllib.parse.urlencode({"q": query, "snippets": int(whole)})
        try:
            answer = got(f"/api/search?{asked}")
        except ConnectionError:  # a server may close what was idle for seconds; the clock of the query goes on
            connection.close()
            answer = got(f"/api/search?{asked}")
        body = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"the server answered {answer.status} to {query!r}: {body[:200]!r}")

    try:
        yield ask
    finally:
        connection.close()


def _spent(process: int) -> float:
    """Seconds of CPU that a running process has taken (proc(5), /proc/PID/stat, fields 14 and 15)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _await(address: str) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            with _connection(address, False) as ask:
                ask("curlew")
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
        else:
            return
