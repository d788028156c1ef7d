"""How fast pages are indexed, also many of them."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from whimbrel.bench.machine import Say
from whimbrel.flows.packing import pack, unpack
from whimbrel.records.url import Url
from whimbrel.repository.contract import Found, Kept, Piece, Plan, Settled
from whimbrel.repository.embedded.store import Store
from whimbrel.search.indexer import Indexer
from whimbrel.search.source import Source
from whimbrel.urls.normal import host
from whimbrel.urls.normal import key as key_of

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


def _chunks(values: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(values), BATCH):
        yield values[start : start + BATCH]
