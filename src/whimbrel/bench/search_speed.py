"""How fast pages are indexed, and how large the index is beside their text."""

import time
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from whimbrel.flows.packing import unpack
from whimbrel.search.indexer import Indexer
from whimbrel.search.source import Source

GOAL_PAGES_A_SECOND = 1_500
GOAL_SHARE = 0.5
BATCH = 500


class Speed(Struct, frozen=True):
    """Building an index. `pages_a_second` is by CPU time of all threads, which is what one core can do: the median of
    so many runs, `slowest` and `fastest` beside it."""

    site: str
    pages: int
    cpu_seconds: float
    seconds: float
    pages_a_second: float
    slowest: float
    fastest: float
    runs: int
    text_bytes: int
    index_bytes: int
    share: float


def speed(name: str, folder: Path, runs: int = 1) -> Speed:
    built = sorted(_built(folder) for _ in range(runs))
    spent, passed, pages = built[len(built) // 2]
    text = _text_bytes(folder)
    size = sum(path.stat().st_size for path in (folder / "index").rglob("*") if path.is_file())
    rates = [pages / cpu for cpu, _, _ in built]
    return Speed(
        name, pages, spent, passed, pages / spent, min(rates), max(rates), runs, text, size, size / max(text, 1)
    )


def _built(folder: Path) -> tuple[float, float, int]:
    """Seconds of CPU, seconds, and pages."""
    began, cpu = time.perf_counter(), time.process_time()
    with Indexer(folder) as indexer:
        caught = indexer.rebuild(time.time())
    return time.process_time() - cpu, time.perf_counter() - began, caught.indexed


def _text_bytes(folder: Path) -> int:
    with Source(folder) as source:
        kept = source.kept({key for _, key in source.events(0, 1 << 40)})
        total = 0
        for versions in _chunks([one.version for one in kept.values() if one.survivor]):
            total += sum(len(unpack(packed).text.encode()) for packed in source.readings(versions).values())
        return total


def _chunks(values: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(values), BATCH):
        yield values[start : start + BATCH]
