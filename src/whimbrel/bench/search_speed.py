"""How fast pages are indexed, in how much memory, and how large the index is beside their text."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from whimbrel.bench.search_build import built
from whimbrel.flows.packing import unpack
from whimbrel.repository.engines import open_reader

GOAL_PAGES_A_SECOND = 1_500
GOAL_SHARE = 0.5
BATCH = 500


class Speed(Struct, frozen=True):
    """Building an index. `pages_a_second` is by CPU time of all threads, which is what one core can do: the median of
    so many runs, `slowest` and `fastest` beside it. The peaks are the highest of all runs."""

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
    peak_anonymous_bytes: int
    peak_file_bytes: int


def speed(name: str, folder: Path, runs: int = 1) -> Speed:
    outcomes = [built(folder) for _ in range(runs)]
    took = sorted((one for one, _ in outcomes), key=lambda one: one.cpu_seconds)
    middle = took[len(took) // 2]
    text = _text_bytes(folder)
    size = sum(path.stat().st_size for path in (folder / "index").rglob("*") if path.is_file())
    rates = [one.pages / one.cpu_seconds for one in took]
    return Speed(
        name, middle.pages, middle.cpu_seconds, middle.seconds, middle.pages / middle.cpu_seconds, min(rates),
        max(rates), runs, text, size, size / max(text, 1), max(peak.anonymous_bytes for _, peak in outcomes),
        max(peak.file_bytes for _, peak in outcomes),
    )  # fmt: skip


def memory_of(one: Speed) -> str:
    """In words."""
    anonymous, files = one.peak_anonymous_bytes / 1e6, one.peak_file_bytes / 1e6
    return f"in {anonymous:.0f} MB of memory and {files:.0f} MB of files mapped into it at most"


def _text_bytes(folder: Path) -> int:
    with open_reader(folder) as source:
        kept = source.newest({event.url for event in source.events(0, 1 << 40)})
        total = 0
        for versions in _chunks([one.version for one in kept.values() if one.survivor]):
            total += sum(len(unpack(packed).text.encode()) for packed in source.readings(versions).values())
        return total


def _chunks(values: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(values), BATCH):
        yield values[start : start + BATCH]
