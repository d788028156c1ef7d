"""A watch as a process of its own, on loopback: over many rounds, and killed at random moments.

The site gains a sentence before every round. A receiver writes down what it is told.
"""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median

import msgspec
from msgspec import Struct

from whimbrel.testing.web import Page, Reply, Request, TinyWeb

_START = (
    "import sys, whimbrel.cli.watching as w; w.ROUND_SECONDS = 0.0\n"
    "from whimbrel.cli.main import main; sys.exit(main(sys.argv[1:]))"
)
"""A watch whose rounds follow each other at once."""
_NEXT_ROUND = "the next round is in"
_COUNTED = re.compile(r"And ([\d,]+) more: ")
"""Of many changes a notice names the greatest, and counts the others: these are told too."""
_SENTENCE = re.compile(r"sentence-\d+-end")
CHANGE_EVERY = 25
SETTLED_AFTER = 0.1
"""The share of the rounds after which memory is looked at: what is loaded once is loaded by then."""


class LivingSite(TinyWeb):
    """A site of so many pages, each of which gains a sentence once, and the receiver of notices beside it."""

    def __init__(self, pages: int) -> None:
        self._pages = pages
        self.grown = 0
        self.told: list[str] = []
        self.counted = 0
        served: dict[str, Page] = {"/": self._index, "/robots.txt": "", "/told": self._take}
        super().__init__(served | dict.fromkeys((f"/page/{number}" for number in range(pages)), self._page))

    @property
    def sentences(self) -> set[str]:
        return {_sentence(number) for number in range(self.grown)}

    def grow(self) -> None:
        assert self.grown < self._pages, "a page for every sentence"
        self.grown += 1

    def _index(self, request: Request) -> str:
        links = "".join(f"<li><a href=/page/{number}>Page {number}</a>" for number in range(self._pages))
        return f"<title>News</title><h1>News</h1><ul>{links}</ul>"

    def _page(self, request: Request) -> str:
        number = int(request.path.rpartition("/")[2])
        dice = Random(request.path)
        stays = "".join(f"<p>{' '.join(str(dice.randrange(10**6)) for _ in range(20))}." for _ in range(5))
        more = f"<p>What is new here is {_sentence(number)}." if number < self.grown else ""
        return f"<title>Page {number}</title><main><h1>Page {number}</h1>{stays}{more}</main>"

    def _take(self, request: Request) -> Reply:
        said = request.body.decode()
        self.told += _SENTENCE.findall(said)
        self.counted += sum(int(number.replace(",", "")) for number in _COUNTED.findall(said))
        return Reply(b"taken")


def _sentence(number: int) -> str:
    return f"sentence-{number}-end"


class RoundsReport(Struct, frozen=True):
    """`first` and `last` are the process's memory in MB, at the median of the rounds after it had settled and of as
    many at the end; `told` is how many of the changes were told, `twice` how many more than once."""

    rounds: int
    first: float
    last: float
    changes: int
    told: int
    twice: int
    seconds: float

    @property
    def growth(self) -> float:
        return self.last / self.first - 1

    @property
    def missed(self) -> int:
        """What came in the very last round may wait for the next."""
        return max(0, self.changes - self.told - 1) + self.twice


class KillsReport(Struct, frozen=True):
    """`lost` were told nowhere; `repeated` came again though it was written down that they had been taken; `again` came
    again since a kill came before that."""

    kills: int
    before_its_end: int
    changes: int
    lost: int
    repeated: int
    again: int
    seed: int


@contextmanager
def _watched(folder: Path, pages: int) -> Iterator[tuple[LivingSite, list[str]]]:
    """A site, crawled, and the arguments of a watch over it."""
    site = LivingSite(pages)
    with site:
        repo, file = folder / "folder", folder / "whimbrel.toml"
        to = site.url("/told").replace("http://", "json://")
        file.write_text(f'[crawl]\nmigrants = 1\n[[notify]]\nto = "{to}"\nmost_an_hour = 1000000\n')
        given = ["--repo", str(repo), "--config", str(file)]
        _run(["crawl", site.url("/"), *given]).communicate(timeout=600)
        _run(["watch", "--all", "--rounds", "1", *given]).communicate(timeout=600)  # from now on it is told
        yield site, ["watch", "--all", *given]


def _run(arguments: list[str]) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", _START, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def rounds(count: int, folder: Path, say: Callable[[str], None]) -> RoundsReport:
    """One process; a page changes every so many rounds."""
    memory: list[float] = []
    began = time.monotonic()
    with _watched(folder, count // CHANGE_EVERY + 2) as (site, watch):
        process = _run([*watch, "--rounds", str(count)])
        assert process.stdout is not None
        for line in process.stdout:
            if _NEXT_ROUND in line:
                memory.append(_memory(process.pid))
                if len(memory) % CHANGE_EVERY == 1:
                    site.grow()
                if len(memory) % 100 == 0:
                    say(f"{len(memory)} rounds, {memory[-1]:.1f} MB")
        process.wait()
        return _rounds(site, memory, time.monotonic() - began)


def _memory(pid: int) -> float:
    """The process's own memory in MB."""
    found = re.search(r"^VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


def _rounds(site: LivingSite, memory: list[float], seconds: float) -> RoundsReport:
    start = int(len(memory) * SETTLED_AFTER)
    part = max(1, len(memory) // 10)
    told = set(site.told)
    return RoundsReport(
        len(memory) + 1, median(memory[start : start + part]), median(memory[-part:]),
        site.grown, len(told), len(site.told) - len(told), seconds,
    )  # fmt: skip


def kills(count: int, seed: int, folder: Path, say: Callable[[str], None]) -> KillsReport:
    """Each run is killed at a random moment of the time that one takes; the last is left to its end."""
    dice = Random(seed)
    early = repeated = 0
    confirmed: set[str] = set()
    with _watched(folder, count + 2) as (site, watch):
        site.grow()
        began = time.monotonic()
        _run([*watch, "--rounds", "1"]).communicate(timeout=600)
        usual = time.monotonic() - began
        done = _done(folder)
        for number in range(count + 1):
            site.grow()
            before = len(site.told)
            process = _run([*watch, "--rounds", "1"])
            early += _ended(process, dice.uniform(0.2, 1.1) * usual if number < count else None)
            fresh = site.told[before:]
            repeated += len(confirmed.intersection(fresh))
            now = _done(folder)
            if now != done:
                done, confirmed = now, confirmed | set(site.told)
            if number % 10 == 9:
                say(f"{number + 1} kills")
        told = set(site.told)
        lost = max(0, len(site.sentences - told) - site.counted)
        again = len(site.told) - len(told) - repeated
        return KillsReport(count, early, site.grown, lost, repeated, again, seed)


def _ended(process: "subprocess.Popen[str]", after: float | None) -> bool:
    """Whether it was killed before its end; with it go its migrants."""
    try:
        process.communicate(timeout=after if after is not None else 600)
        return False
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        return True


def _done(folder: Path) -> object:
    """How far it was written down that the receiver was told."""
    book = msgspec.json.decode((folder / "folder/notices.json").read_bytes())
    return [one["done"] for one in book.values()]
