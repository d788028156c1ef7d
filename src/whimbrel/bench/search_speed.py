"""How fast pages are indexed and how fast queries are answered, also over many pages."""

import queue
import shutil
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

import msgspec
from msgspec import Struct

from whimbrel.bench.machine import Say
from whimbrel.flows.packing import pack, unpack
from whimbrel.records.url import Url
from whimbrel.repository.contract import Found, Kept, Piece, Plan, Settled
from whimbrel.repository.embedded.store import Store
from whimbrel.search.indexer import Indexer
from whimbrel.search.query import parse
from whimbrel.search.searcher import Searcher
from whimbrel.search.source import Source
from whimbrel.urls.normal import host
from whimbrel.urls.normal import key as key_of

QUERIES_A_SECOND = 50
CONNECTIONS = 8
GOAL_PAGES_A_SECOND = 1_500
GOAL_SHARE = 0.5
BATCH = 500


class Speed(Struct, frozen=True):
    """Building an index. `pages_a_second` is by CPU time of all threads, which is what one core can do."""

    site: str
    pages: int
    cpu_seconds: float
    seconds: float
    pages_a_second: float
    text_bytes: int
    index_bytes: int
    share: float


class Scale(Struct, frozen=True):
    """The large index: real pages, each with the second half of another one, on as many hosts as it takes."""

    documents: int
    speed: Speed


class Latency(Struct, frozen=True):
    """Milliseconds from the moment a query was due until its answer was there: a server that falls behind shows it."""

    way: str
    queries: int
    median: float
    p95: float
    p99: float
    longest: float
    goal_p95: float


def speed(name: str, folder: Path) -> Speed:
    began, cpu = time.perf_counter(), time.process_time()
    with Indexer(folder) as indexer:
        caught = indexer.rebuild(time.time())
    spent, passed = time.process_time() - cpu, time.perf_counter() - began
    text = _text_bytes(folder)
    size = sum(path.stat().st_size for path in (folder / "index").rglob("*") if path.is_file())
    return Speed(name, caught.indexed, spent, passed, caught.indexed / spent, text, size, size / max(text, 1))


def _text_bytes(folder: Path) -> int:
    with Source(folder) as source:
        kept = source.kept({key for _, key in source.events(0, 1 << 40)})
        total = 0
        for versions in _chunks([one.version for one in kept.values() if one.survivor]):
            total += sum(len(unpack(packed).text.encode()) for packed in source.readings(versions).values())
        return total


def scaled(folder: Path, large: Path, documents: int, say: Say) -> tuple[Scale, Path]:
    """A repository of so many documents made from a real one."""
    shutil.rmtree(large, ignore_errors=True)
    with Source(folder) as source:
        kept = [one for one in source.kept({key for _, key in source.events(0, 1 << 40)}).values() if one.survivor]
        readings = source.readings(one.version for one in kept)
        read = [one for one in kept if one.version in readings]
        store = Store(large)
        try:
            made = 0
            while made < documents:
                plan = Plan()
                for number in range(made, min(made + BATCH, documents)):
                    copy, at = divmod(number, len(read))
                    other = read[(at + copy * 7_919) % len(read)]
                    _add(plan, read[at].url, read[at].title, copy, readings[read[at].version], readings[other.version])
                store.commit(plan, time.time())
                made += len(plan.kept)
        finally:
            store.close()
    say(f"{documents} documents made of {len(read)}")
    measured = speed("large", large)
    say(f"indexed at {measured.pages_a_second:.0f} pages per second of CPU")
    return Scale(documents, measured), large


def _add(plan: Plan, url: Url, title: str, copy: int, mine: bytes, others: bytes) -> None:
    """A page of the first half of one text and the second half of another; its links stay on its own host."""
    reading, other = unpack(mine), unpack(others)
    old = host(url)
    name = f"copy-{copy}.example"
    text = reading.text if not copy else reading.text[: len(reading.text) // 2] + other.text[len(other.text) // 2 :]
    moved = Url(_moved(url, old, name))
    links = [Url(_moved(link, old, name)) for link in reading.urls]
    changed = msgspec.structs.replace(reading, text=text, urls=links)
    key, now = key_of(moved), 1.0
    index = len(plan.kept)
    seal = key.to_bytes(8, "big", signed=True)
    plan.pieces.append(Piece(seal, len(seal)))
    plan.found.append(Found(key, moved, name, 0, 0, 0, False, None, now, "fetched", "", ""))
    plan.kept.append(
        Kept(key, moved, now, 200, "text/html", "utf-8", "en", title, "", seal, seal, len(text), len(text), "", "", "",
             index, True, seal, pack(changed))
    )  # fmt: skip
    plan.settled.append(Settled(key, "fetched", "", "", 200, now, None, index))
    plan.survivors[seal] = key
    plan.events.append((key, "kept", index))


def _moved(url: str, old: str, new: str) -> str:
    scheme, _, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    return f"http://{new}{slash}{path}" if authority.partition(":")[0] == old else f"{scheme}://{rest}"


def latencies(folder: Path, queries: list[str], seconds: float, http: str, say: Say) -> list[Latency]:
    """Open loop: queries come at their moments, whether the last one was answered or not."""
    found = []
    with Searcher(folder) as searcher:
        for name, whole, goal in (("with snippets and facets", True, 25.0), ("without snippets", False, 10.0)):
            ask = _by_http(http, whole) if http else _direct(searcher, whole)
            way = f"{'HTTP API' if http else 'searcher'}, {name}"
            found.append(_open_loop(way, ask, queries, seconds, goal))
            say(f"{way}: p95 {found[-1].p95:.1f} ms")
    return found


def _direct(searcher: Searcher, whole: bool) -> Callable[[str], None]:
    def ask(query: str) -> None:
        searcher.answer(parse(query), snippets=whole, facets=True)

    return ask


def _by_http(origin: str, whole: bool) -> Callable[[str], None]:
    def ask(query: str) -> None:
        asked = urllib.parse.urlencode({"q": query, "snippets": str(whole).lower()})
        with urllib.request.urlopen(f"{origin}/api/search?{asked}", timeout=30) as answer:
            answer.read()

    return ask


def _open_loop(way: str, ask: Callable[[str], None], queries: list[str], seconds: float, goal: float) -> Latency:
    for query in queries[:20]:
        ask(query)
    due: queue.SimpleQueue[tuple[float, str] | None] = queue.SimpleQueue()
    took: list[float] = []
    askers = [threading.Thread(target=_asker, args=(due, took, ask)) for _ in range(CONNECTIONS)]
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
    took.sort()
    median, p95, p99 = (took[int(share * len(took))] * 1000 for share in (0.5, 0.95, 0.99))
    return Latency(way, len(took), median, p95, p99, took[-1] * 1000, goal)


def _asker(due: "queue.SimpleQueue[tuple[float, str] | None]", took: list[float], ask: Callable[[str], None]) -> None:
    while (next_one := due.get()) is not None:
        moment, query = next_one
        ask(query)
        took.append(time.perf_counter() - moment)


def _chunks(values: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(values), BATCH):
        yield values[start : start + BATCH]
