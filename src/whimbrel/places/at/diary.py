"""All that ever left this machine, and why: a line for every message, with the pages in it, and sums by day."""

import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from whimbrel.migrants.wire import messages as wire

FILE = "diary.jsonl"
BLOCK_BYTES = 1 << 18


class Leaf(Struct, frozen=True, omit_defaults=True):
    """What left at one moment: its size on the link, what it was, for whom, and each page in it with what became of
    it."""

    at: float
    home: str
    kind: str
    bytes: int
    why: str
    pages: list[tuple[str, str]] = []


_leaves = msgspec.json.Decoder(Leaf)


class Diary:
    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._day = ""
        self._today: dict[str, int] = {}
        self._total: dict[str, int] = {}
        for leaf in leaves(folder):
            self._count(leaf)

    def _count(self, leaf: Leaf) -> None:
        day = time.strftime("%Y-%m-%d", time.localtime(leaf.at))
        if day != self._day:
            self._day, self._today = day, {}
        self._today[leaf.home] = self._today.get(leaf.home, 0) + leaf.bytes
        self._total[leaf.home] = self._total.get(leaf.home, 0) + leaf.bytes

    def write(self, leaf: Leaf) -> None:
        self._count(leaf)
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(leaf) + b"\n")

    def today(self, home: str, now: float) -> int:
        return self._today.get(home, 0) if time.strftime("%Y-%m-%d", time.localtime(now)) == self._day else 0

    def total(self, home: str) -> int:
        return self._total.get(home, 0)


def leaves(folder: Path) -> Iterator[Leaf]:
    """Oldest first; a line that a crash cut short is passed over."""
    try:
        with (folder / FILE).open("rb") as file:
            for line in file:
                try:
                    yield _leaves.decode(line)
                except msgspec.DecodeError:
                    continue
    except FileNotFoundError:
        return


def leaves_before(folder: Path, before: int | None, most: int) -> tuple[list[Leaf], int]:
    """The newest first, of those that end before this byte of the file; and where the oldest of them begins, 0 where
    none is older. However long the file is, no more than its end is read."""
    try:
        with (folder / FILE).open("rb") as file:
            end = file.seek(0, 2)
            end = min(end, before) if before is not None else end
            start, block = end, b""
            while start > 0 and block.count(b"\n") <= most:
                step = min(start, BLOCK_BYTES)
                start -= step
                file.seek(start)
                block = file.read(step) + block
    except FileNotFoundError:
        return [], 0
    lines = block.splitlines(keepends=True)
    chosen = lines[-most:] if start > 0 or len(lines) > most else lines
    found = []
    for line in reversed(chosen):
        try:
            found.append(_leaves.decode(line))
        except msgspec.DecodeError:
            continue
    return found, end - sum(map(len, chosen))


def leaf_of(message: wire.FromMigrant, size: int, home: str, migrant: str, now: float) -> Leaf:
    kind = type(message).__name__.lower()
    if isinstance(message, wire.Parcel):
        told = {entry.key for entry in message.entries}
        pages = [
            (visit.url, "index entry" if visit.key in told else str(visit.outcome))
            for visit in (*message.visits, *message.again)
        ]
        robots = [(f"{copy.origin}/robots.txt", "robots") for copy in message.robots]
        return Leaf(now, home, kind, size, f"asked for by itineraries of {migrant}", [*pages, *robots])
    return Leaf(now, home, kind, size, f"how {migrant} is doing")
