"""How much of a subject a crawl for it has found when it fetched a tenth, a quarter and a half of a site, for each
strategy and scorer, beside breadth first.

Sites, their subjects and who belongs to them: `topic_sites`. A crawl begins at the site's first page; it is told the
heading of the subject and three of its pages (or none), and nothing else: its judge decides by itself what was
relevant, and learns from that. Its queue is that of a crawl with one migrant. Under politeness a page of one host takes
as long as any other, so equal time is equal pages.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from statistics import mean

from msgspec import Struct, structs

from whimbrel.bench import topic_cost
from whimbrel.bench.goals import Goal, at_least, holds
from whimbrel.bench.harvest import CrawlQueue
from whimbrel.bench.topic_cost import CrawlJudgingCost
from whimbrel.bench.topic_sites import ContentsSite, LeftOut, Subject, TopicSite
from whimbrel.judges.topical import TopicalJudge
from whimbrel.records.request import Topical
from whimbrel.records.verdict import Verdict
from whimbrel.topic.asking import TopicWish, ask

SHARES = (0.1, 0.25, 0.5)
EXAMPLES = 3
MOST_FOUND_BY_BREADTH = 0.5
TIMES, EACH_TIMES, ENOUGH = 2.0, 1.2, 0.95
OURS = ("learned", "learned", EXAMPLES)
WAYS = (
    ("breadth", "learned", EXAMPLES), ("depth", "learned", EXAMPLES), ("pagerank", "learned", EXAMPLES),
    ("hits", "learned", EXAMPLES), ("fish", "learned", EXAMPLES), ("shark", "learned", EXAMPLES),
    ("best", "learned", EXAMPLES), OURS, ("learned", "learned", 0),
    ("fish", "paper", EXAMPLES), ("shark", "paper", EXAMPLES), ("best", "paper", EXAMPLES),
    ("learned", "paper", EXAMPLES),
)  # fmt: skip
"""Strategy, scorer, and how many pages of the subject are shown."""

Say = Callable[[str], None]


class TopicRun(Struct, frozen=True):
    """One crawl. `recall` and `harvest` after each share of the pages; `right` of the pages that the judge took for
    relevant is the share that is, `recognised` the share of relevant ones that it took for such."""

    strategy: str
    scorer: str
    examples: int
    recall: tuple[float, ...]
    harvest: tuple[float, ...]
    right: float
    recognised: float


class TopicResult(Struct, frozen=True):
    site: str
    title: str
    pages: int
    breadth: tuple[float, ...]
    runs: tuple[TopicRun, ...]


class TopicReport(Struct, frozen=True):
    """`left_out` are headings that were no topics here; `cpu_ms` is what judging takes of a page in this process,
    `costs` what it adds to whole crawls of a site, for the first of its topics."""

    sites: tuple[tuple[str, int], ...]
    topics: tuple[TopicResult, ...]
    left_out: tuple[tuple[str, LeftOut], ...]
    absent: tuple[str, ...]
    cpu_ms: float
    costs: tuple[CrawlJudgingCost, ...] = ()

    def mean_recall(self, way: tuple[str, str, int]) -> float:
        return mean(one.recall[1] for topic in self.topics for one in topic.runs if _way(one) == way)


def _way(run: TopicRun) -> tuple[str, str, int]:
    return run.strategy, run.scorer, run.examples


def goals(report: TopicReport) -> list[Goal]:
    if not report.topics:
        return []
    return [*_goals_of_finding(report), *topic_cost.goals(report.costs)]


def _goals_of_finding(report: TopicReport) -> list[Goal]:
    breadth = mean(topic.breadth[1] for topic in report.topics)
    measured = {_way(run) for topic in report.topics for run in topic.runs}
    made = []
    if OURS in measured:
        made.append(at_least("mean recall at 25 %, over breadth first's", report.mean_recall(OURS) / breadth, TIMES))
        short = [
            topic.title
            for topic in report.topics
            for run in topic.runs
            if _way(run) == OURS and run.recall[1] < min(EACH_TIMES * topic.breadth[1], ENOUGH)
        ]
        made.append(holds("topics below 1.2 times breadth first and below .95", len(short)))
    shark, fish = ("shark", "learned", EXAMPLES), ("fish", "learned", EXAMPLES)
    if {shark, fish} <= measured:
        made.append(at_least("mean recall at 25 %, shark", report.mean_recall(shark), report.mean_recall(fish)))
    return made


def run(
    sites: Sequence[TopicSite], seed: int, most: int, say: Say, ways: Sequence[tuple[str, str, int]] = WAYS,
    turns: int = 0, work: Path | None = None,
) -> TopicReport:  # fmt: skip
    """At most so many topics of each site, drawn by lot; with `turns` what judging costs in crawls below `work`."""
    topics, sizes, left_out, absent, took, costs = [], [], [], [], [], []
    for site in sites:
        if not (site.folder / site.start).is_file():
            absent.append(site.package)
            continue
        say(f"reading {site.name} …")
        read = ContentsSite(site)
        sizes.append((site.name, len(read.order)))
        chosen, others = _chosen(read)
        left_out += [(site.name, one) for one in others]
        if len(chosen) > most:
            drawn = Random(seed).sample(range(len(chosen)), most)
            left_out += [(site.name, LeftOut(one.title, len(one.pages), "not drawn"))
                         for at, one in enumerate(chosen) if at not in drawn]  # fmt: skip
            chosen = [chosen[at] for at in sorted(drawn)]
        for subject in chosen:
            say(f"{site.name}: {subject.title} …")
            result, cpu = _measured(read, subject, seed, ways)
            topics.append(result)
            took += cpu
        if turns and chosen and work is not None:
            costs.append(topic_cost.measured(read, chosen[0], _shown(chosen[0], seed), turns, work, say))
    cpu_ms = mean(took) if took else 0.0
    return TopicReport(tuple(sizes), tuple(topics), tuple(left_out), tuple(absent), cpu_ms, tuple(costs))


def _shown(subject: Subject, seed: int) -> list[int]:
    return Random(seed).sample(sorted(subject.pages), EXAMPLES)


def _chosen(site: ContentsSite) -> tuple[list[Subject], list[LeftOut]]:
    """Of subjects that breadth first finds early there is nothing to be gained."""
    fitting, left_out = site.subjects()
    root = site.order[0]
    chosen = []
    for one in fitting:
        found = _recalls(site.order, one.pages)[1]
        if root in one.pages:
            left_out.append(LeftOut(one.title, len(one.pages), "the first page is one of them"))
        elif found > MOST_FOUND_BY_BREADTH:
            left_out.append(LeftOut(one.title, len(one.pages), f"breadth first finds {found:.0%} in a quarter"))
        else:
            chosen.append(one)
    return chosen, left_out


def _measured(
    site: ContentsSite, subject: Subject, seed: int, ways: Iterable[tuple[str, str, int]]
) -> tuple[TopicResult, list[float]]:
    shown = _shown(subject, seed)
    runs, took = [], []
    for strategy, scorer, examples in ways:
        asked = ask(
            TopicWish(subject.title, "en", strategy=strategy, scorer=scorer),
            [site.pages[number].texts for number in shown[:examples]],
        )
        if isinstance(asked, Verdict):  # its pages do not say their own heading
            asked = ask(TopicWish(subject.title, "en", strategy=strategy, scorer=scorer), [])
        assert not isinstance(asked, Verdict), subject.title
        crawl = _Crawl(site, structs.replace(asked.request, number=1))
        order = crawl.run(round(SHARES[-1] * len(site.order)))
        recall = _recalls(order, subject.pages, len(site.order))
        harvest = tuple(
            found * len(subject.pages) / max(1, round(share * len(site.order)))
            for found, share in zip(recall, SHARES, strict=True)
        )
        taken = [number in subject.pages for number in crawl.relevant]
        own = [number in crawl.relevant for number in order if number in subject.pages]
        runs.append(TopicRun(strategy, scorer, examples, recall, harvest, mean(taken or [0]), mean(own or [0])))
        took += crawl.took
    breadth = _recalls(site.order, subject.pages)
    return TopicResult(site.site.name, subject.title, len(subject.pages), breadth, tuple(runs)), took


def _recalls(order: Sequence[int], pages: frozenset[int], whole: int | None = None) -> tuple[float, ...]:
    return tuple(
        sum(number in pages for number in order[: round(share * (whole or len(order)))]) / len(pages)
        for share in SHARES
    )


class _Crawl:
    """A crawl with the product's own judge."""

    def __init__(self, site: ContentsSite, request: Topical) -> None:
        self._site = site
        self._judge = TopicalJudge([request])
        self._queue = CrawlQueue(lambda number: self._judge.promise(number, site.url(number)))
        self.relevant: set[int] = set()
        self.took: list[float] = []

    def run(self, pages: int) -> list[int]:
        fetched: list[int] = []
        met = {self._site.order[0]}
        waiting = deque(met)
        while len(fetched) < pages:
            number = waiting.popleft() if waiting else self._queue.take()
            if number is None:
                break
            fetched.append(number)
            page = self._site.pages[number]
            began = time.process_time()
            looked = self._judge.consider(number, page.texts, page.links)
            self.took.append(1000 * (time.process_time() - began))
            if looked.serves:
                self.relevant.add(number)
            for link in page.links:
                if link.key not in met:
                    met.add(link.key)
                    self._queue.put(link.key)
        return fetched
