"""The owner's limits over minutes: a real crawl at a real place, looked at from outside, in every minute of it."""

import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from neighbours import allow, at_work, join

from whimbrel.places.at.caps import MachineUse, taken_by
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

CORES, REQUESTS, MEMORY = 0.08, 40.0, 400_000_000
MEASURED_SECONDS = 130.0
MINUTE = 60.0
READ = ("--keep", "page.words > 10")
"""So pages are read and judged at the place, in two processes."""
TENTH = 1.1


PAGES = 20_000


class HeavySite(Mapping[str, Reply]):
    """More pages than are asked for, each with words of its own, that take a while to read."""

    def __getitem__(self, path: str) -> Reply:
        named = path.removeprefix("/page/").removesuffix(".html")
        if path != "/" and not (named.isdigit() and int(named) < PAGES):
            raise KeyError(path)
        number = 0 if path == "/" else int(named)
        links = "".join(f'<a href="/page/{10 * number + k}.html">{k}</a>' for k in range(1, 11))
        words = " ".join(f"<b>{(number * 7919 + place * 104_729) % 1_000_003:x}</b>" for place in range(6_000))
        return Reply(f"<title>Page {number}</title>{links}<p>{words}".encode())

    def __iter__(self) -> Iterator[str]:
        return iter(["/"])

    def __len__(self) -> int:
        return 1


def migrants_of(place: int) -> list[int]:
    return [
        int(child)
        for thread in Path(f"/proc/{place}/task").iterdir()
        for child in (thread / "children").read_text().split()
    ]


@pytest.mark.long
def test_no_limit_is_passed_for_a_whole_minute(tmp_path: Path) -> None:
    """With a watchdog or with a control group, whichever there is. CPU of a migrant that has ended is added to what
    the others have, so that none is lost from sight but what it took within a quarter of a second."""
    folder, place = tmp_path / "far", tmp_path / "place"
    join(folder, place)
    allow(place, requests_per_second=f"{REQUESTS:g}", cpu=f"{CORES}", memory=f'"{MEMORY // 1_000_000}MB"')
    looks: list[tuple[float, float, int]] = []
    with TinyWeb({}) as web, at_work(place) as program:
        web.pages = HeavySite()  # type: ignore[assignment]  # made page by page: it would not fit in memory
        crawl = subprocess.Popen(
            [sys.executable, "-m", "whimbrel", "crawl", web.url("/"), "--repo", str(folder), *READ],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path,
            env=os.environ | {"WHIMBREL_PLACES_CHECK_SHARE": "0.0"},
        )  # fmt: skip
        over = os.pidfd_open(crawl.pid)
        try:
            gone, last = 0.0, dict[int, MachineUse]()
            began: float | None = None
            while began is None or time.monotonic() - began < MEASURED_SECONDS:
                assert not select.select([over], [], [], 0.25)[0], "the crawl has ended before it was measured"
                there = {pid: use for pid in migrants_of(program.pid) if (use := taken_by(pid)) is not None}
                gone += sum(last[pid].cpu_seconds for pid in last.keys() - there.keys())
                last = there
                if began is None and there:
                    began = time.monotonic()
                cpu = gone + sum(use.cpu_seconds for use in there.values())
                looks.append((time.monotonic(), cpu, sum(use.memory_bytes for use in there.values())))
        finally:
            crawl.kill()
            crawl.wait()
            os.close(over)
        asked = [request.started for request in web.log if "robots" not in request.path]
    worst_cpu = max(_most(looks)) / (MINUTE * CORES)
    worst_rate = max(sum(at <= one < at + MINUTE for one in asked) for at in asked) / (MINUTE * REQUESTS)
    largest = max(held for _, _, held in looks) / MEMORY
    sys.stdout.write(
        f"worst minute: CPU {worst_cpu:.3f}, requests {worst_rate:.3f}; memory {largest:.3f} of the limit\n"
    )
    assert worst_cpu <= TENTH
    assert worst_rate <= TENTH
    assert largest <= TENTH
    assert worst_cpu > 0.5, "or else nothing was limited"


def _most(looks: list[tuple[float, float, int]]) -> list[float]:
    """CPU of every minute that begins with a look."""
    first, found = 0, []
    for at, cpu, _ in looks:
        while at - looks[first][0] > MINUTE:
            first += 1
        found.append(cpu - looks[first][1])
    return found
