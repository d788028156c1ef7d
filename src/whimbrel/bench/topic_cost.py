"""What judging a topic adds to the CPU time of a page: whole crawls of a site from nginx, plain and for one of its
subjects, by turns.

Beside each stands a crawl of the first page alone: what that takes is spent once, to load and to look at examples, and
is no part of a page. It is the CPU time of home and migrants as a crawl itself tells it at its end.
"""

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from msgspec import Struct

from whimbrel.bench.crawling import crawling
from whimbrel.bench.goals import Goal, at_most
from whimbrel.bench.server import serving
from whimbrel.bench.topic_sites import HOST, ContentsSite, Subject

MOST_ADDED = 0.25
ONCE = ("--depth", "0")


class CrawlJudgingCost(Struct, frozen=True):
    """CPU seconds, medians of all turns; `plain_once` and `topic_once` are of the first page alone."""

    site: str
    title: str
    pages: int
    kept: int
    plain: float
    plain_once: float
    topic: float
    topic_once: float

    @property
    def plain_ms(self) -> float:
        return 1000 * (self.plain - self.plain_once) / max(1, self.pages - 1)

    @property
    def topic_ms(self) -> float:
        return 1000 * (self.topic - self.topic_once) / max(1, self.pages - 1)

    @property
    def added(self) -> float:
        return self.topic_ms / self.plain_ms - 1 if self.plain_ms > 0 else 0.0


class MeasuredTurn(Struct, frozen=True):
    """One crawl: CPU seconds, pages asked for, and pages kept."""

    cpu_seconds: float
    visits: int
    kept: int


def goals(costs: Sequence[CrawlJudgingCost]) -> list[Goal]:
    return [at_most(f"CPU a page that judging adds, {one.site}", one.added, MOST_ADDED) for one in costs]


def measured(
    site: ContentsSite, subject: Subject, shown: Sequence[int], turns: int, work: Path, say: Callable[[str], None]
) -> CrawlJudgingCost:
    """`shown` are the pages that show the subject; `work` is an empty folder."""
    took: dict[str, list[MeasuredTurn]] = {}
    (work / "server").mkdir()
    cores = sorted(os.sched_getaffinity(0))
    with serving(site.site.folder, work / "server", *cores) as origin:
        asked = ["--topic", subject.title]
        for number in shown:
            asked += ["--examples", f"{origin}/{site.url(number).removeprefix(HOST)}"]
        ways = {"plain, once": ONCE, "plain": (), "topic, once": (*asked, *ONCE), "topic": tuple(asked)}
        for turn in range(turns):
            for name in ways if turn % 2 == 0 else reversed(ways):
                took.setdefault(name, []).append(_crawl(f"{origin}/{site.site.start}", work / "run", cores, ways[name]))
            say(f"turn {turn + 1}: " + ", ".join(f"{name} {took[name][-1].cpu_seconds:.2f} s" for name in ways))
    shutil.rmtree(work / "server")
    return _cost(site.site.name, subject.title, took)


def _cost(site: str, title: str, took: dict[str, list[MeasuredTurn]]) -> CrawlJudgingCost:
    seconds = {name: median(one.cpu_seconds for one in turns) for name, turns in took.items()}
    return CrawlJudgingCost(
        site, title, took["plain"][0].visits, took["topic"][0].kept, seconds["plain"], seconds["plain, once"],
        seconds["topic"], seconds["topic, once"],
    )  # fmt: skip


def _crawl(seed: str, folder: Path, cores: Sequence[int], options: Sequence[str]) -> MeasuredTurn:
    folder.mkdir()
    with crawling([seed], folder, cores, "--migrants", "1", *options) as under_way:
        ended = under_way.wait()
    shutil.rmtree(folder)
    if ended.faults:
        raise OSError(f"{seed}: {', '.join(ended.faults)}")
    told = ended.answer
    return MeasuredTurn(sum(told["cpu_seconds"].values()), int(told["visits"]), int(told["pages"]))
