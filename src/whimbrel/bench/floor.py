"""What one core does at most: the same pages by the same engine with nothing around it.

`python -m whimbrel.bench.floor fetch|read LIST` fetches the URLs in the file LIST, 32 at a time, and with `read`
parses each. It prints how many came in, the seconds and the CPU seconds that took, its own start-up left out.
"""

import asyncio
import gc
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import uvloop

from whimbrel.fetch.dns import NameResolver as Names
from whimbrel.fetch.guard import AddressGuard
from whimbrel.fetch.http import Fetcher
from whimbrel.fetch.settings import FetchSettings
from whimbrel.parse import html
from whimbrel.records.response import Response
from whimbrel.records.url import Url

AT_A_TIME = 32
FLOORS = {"fetch": "fetching alone", "read": "fetching and parsing"}


def fetcher() -> Fetcher:
    return Fetcher(FetchSettings("whimbrel-bench"), AddressGuard(frozenset({"127.0.0.1"}), ()), Names())


async def fetch_all(urls: list[Url], reads: bool) -> int:
    engine = fetcher()
    waiting = iter(urls)
    counts = await asyncio.gather(*(_worker(engine, waiting, reads) for _ in range(AT_A_TIME)))
    await engine.close()
    return sum(counts)


async def _worker(engine: Fetcher, waiting: Iterator[Url], reads: bool) -> int:
    count = 0
    for url in waiting:
        answer = await engine.fetch(url)
        if isinstance(answer, Response) and answer.status == 200:
            count += 1
            if reads:
                html.read(answer.body, answer.headers.get("content-type", ""))
    return count


def main() -> None:
    # As a migrant does it.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    urls = [Url(line) for line in Path(sys.argv[2]).read_text().splitlines()]
    began, used = time.perf_counter(), time.process_time()
    count = uvloop.run(fetch_all(urls, sys.argv[1] == "read"))
    print(count, time.perf_counter() - began, time.process_time() - used)


if __name__ == "__main__":
    main()
