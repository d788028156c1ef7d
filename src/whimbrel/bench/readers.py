"""`bench readers`: what ranking by readers is worth on simulated readers of known wishes, and what it costs.

Questions and candidates are those of real manuals. A world says who reads; in each, a log grows look by look in the
start order, with a page tried elsewhere in a share of the answers, and every way of hearing readers makes its values
from the same log. In some worlds the order also follows what readers did, as answers do. What constants were chosen
with (`readers_world.CHOSEN_ON`) is never judged.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from whimbrel.bench import machine
from whimbrel.bench.goals import Goal, at_least, at_most, holds
from whimbrel.bench.machine import Machine, Say
from whimbrel.bench.readers_interleaving import WEIGHTS, Preferred, chosen, preference, preferred
from whimbrel.bench.readers_judging import WAYS, Grades, Heard, Mean, Worth, agreement, heard, mean, ndcg, ordered
from whimbrel.bench.readers_load import NotesTaken, Slower, Worked, ingest, slower, worked
from whimbrel.bench.readers_sites import crawled, questions
from whimbrel.bench.readers_world import (
    CHOSEN_ON,
    JUDGED,
    STARS,
    Candidates,
    Crowd,
    World,
    start_order,
    wishes,
)
from whimbrel.bench.search import SITES
from whimbrel.readers.contract import READER_DEFAULTS
from whimbrel.records.deed import Deed
from whimbrel.records.url import Url
from whimbrel.search.contract import DEFAULTS

DEFAULT_SITES = SITES
LOOKS = (5, 20, 50, 100, 200)
"""How often each question was asked when the log is judged, and what exploration goes by is made anew."""
MANY = LOOKS[-1]
LOOP_ROUND = 50
"""With the loop on, the order follows the readers after every so many looks at each question."""
CHOSEN_AFTER = (5, 50)
"""Looks after which weights are tried: few readers have to be heard rightly too."""
GOAL_AGREEMENT, RAW_AT_MOST, BELOW_RAW, LOST = 0.9, 0.8, 0.01, 0.01
GOAL_EVENTS, GOAL_BASKETS, GOAL_MINED, GOAL_SLOWER = 20_000.0, 0.2, 30.0, 1.1
QUIET = 0.1
"""Noise up to which the goal of agreement holds."""


class ReadersTrial(Struct, frozen=True):
    """What to measure. `count` questions of each site, `events` notes over HTTP (0: none of the costs)."""

    sites: tuple[Path, ...]
    count: int
    seed: int
    events: int
    work: Path


class WorldFigures(Struct, frozen=True):
    """One world on one site after so many looks at each question: agreement of plain counts and of ours, ours again on
    the pairs that plain counts do not leave equal, and nDCG@10 of each way at the default weight."""

    site: str
    world: World
    looks: int
    raw: float
    ours: float
    ours_among: float
    ndcg: dict[str, Mean]


class LoopFigures(Struct, frozen=True):
    """Stars from 1 to 5 that readers would give what they opened, 1 for nothing, with the loop off and on."""

    site: str
    world: World
    off: Mean
    on: Mean


class ReadersReport(Struct, frozen=True):
    machine: Machine
    seed: int
    explore: float
    weight: float
    worlds: list[WorldFigures]
    following: list[WorldFigures]
    """The same where the order follows what readers did."""
    at_random: list[WorldFigures]
    loops: list[LoopFigures]
    tried: list[Preferred]
    chosen_weight: float
    judged: list[Preferred]
    taken: NotesTaken | None
    worked: Worked | None
    slower: Slower | None


def run(plan: ReadersTrial, say: Say) -> ReadersReport:
    began = machine.describe(plan.work)
    weight = DEFAULTS.reader_weight
    worlds: list[WorldFigures] = []
    following: list[WorldFigures] = []
    at_random: list[WorldFigures] = []
    loops: list[LoopFigures] = []
    tried: dict[float, list[float]] = {each: [] for each in WEIGHTS}
    judged: dict[float, list[float]] = {weight: []}
    lost: dict[float, float] = dict.fromkeys(WEIGHTS, 0.0)
    taken = done = late = None
    for site in plan.sites:
        folder = crawled(site, plan.work, say)
        asked, other = (questions(folder, plan.count, seed) for seed in (plan.seed, plan.seed + 1))
        say(f"{site}: {len(asked)} questions, seed {plan.seed}")
        for number, world in enumerate(JUDGED):
            worlds += judged_in(world, asked, site.parent.name, plan.seed * 1000 + number, weight, LOOKS)
            say(f"{site.parent.name}: {told(worlds[-1])}")
            if not world.fitting and world.noise <= QUIET:
                seed = plan.seed * 1000 + 200 + number
                following += list(judged_in(world, asked, site.parent.name, seed, weight, LOOKS, follows=True))[-1:]
        for fitting in (False, True):
            noisy = World("position", "1/√k", 1.0, fitting)
            at_random += judged_in(noisy, asked, site.parent.name, plan.seed * 1000 + 500, weight, LOOKS)
        loops += [looped(world, asked, site.parent.name, plan.seed, weight) for world in JUDGED if world.noise == QUIET]
        for number, world in enumerate(CHOSEN_ON):
            for looks in CHOSEN_AFTER:
                for each, told_so in interleaved(world, other, plan.seed * 1000 + 700 + number, looks, WEIGHTS):
                    tried[each] += told_so
        for each, cost in costs(other, plan.seed * 1000 + 800).items():
            lost[each] = max(lost[each], cost)
        for number, world in enumerate(JUDGED):
            for each, told_so in interleaved(world, asked, plan.seed * 1000 + 900 + number, LOOP_ROUND, (weight,)):
                judged[each] += told_so
        if plan.events and taken is None:
            late = slower(folder, asked, weight, plan.seed)
            taken = ingest(folder, asked, plan.events, say)
    if plan.events:
        done = worked(plan.work, plan.seed, say)
    preferring = preferred(tried, lost)
    return ReadersReport(
        began, plan.seed, READER_DEFAULTS.explore, weight, worlds, following, at_random, loops, preferring,
        chosen(preferring), preferred(judged, {}), taken, done, late,
    )  # fmt: skip


def judged_in(
    world: World,
    asked: Sequence[Candidates],
    site: str,
    seed: int,
    weight: float,
    looks: Sequence[int],
    *,
    follows: bool = False,
) -> Iterator[WorldFigures]:
    """The log after so many looks at each question, and again; where the order `follows`, it is from then on as
    readers made it."""
    crowd = Crowd(world, random.Random(seed), READER_DEFAULTS.explore)
    grades = wishes(asked, world, crowd.chance)
    log: list[Deed] = []
    orders = [start_order(question) for question in asked]
    before = 0
    for count in looks:
        for question, row, order in zip(asked, grades, orders, strict=True):
            for _ in range(count - before):
                log += crowd.session(question, row, order)[0]
        before = count
        known = heard(log, _words(asked))
        crowd.believed = known.believed
        if follows:
            orders = [ordered(question, known.values["ours"], weight) for question in asked]
        yield WorldFigures(
            site, world, count,
            agreement(known.counts, asked, grades), agreement(known.appeal, asked, grades),
            agreement(known.appeal, asked, grades, among=known.counts),
            {way: _ndcg(known, way, asked, grades, weight) for way in WAYS},
        )  # fmt: skip


def _ndcg(known: Heard, way: str, asked: Sequence[Candidates], grades: Grades, weight: float) -> Mean:
    worth = known.values[way]
    return mean([ndcg(ordered(one, worth, weight), row) for one, row in zip(asked, grades, strict=True)])


def _words(asked: Sequence[Candidates]) -> Callable[[Url], int]:
    return {url: words for one in asked for url, words in zip(one.urls, one.words, strict=True)}.__getitem__


def looped(world: World, asked: Sequence[Candidates], site: str, seed: int, weight: float) -> LoopFigures:
    return LoopFigures(site, world, *(mean(list(_stars(world, asked, seed, each))) for each in (0.0, weight)))


def _stars(world: World, asked: Sequence[Candidates], seed: int, weight: float) -> Iterator[float]:
    crowd = Crowd(world, random.Random(seed), READER_DEFAULTS.explore if weight else 0.0)
    grades = wishes(asked, world, crowd.chance)
    log: list[Deed] = []
    orders = [start_order(question) for question in asked]
    for _ in range(MANY // LOOP_ROUND):
        for question, row, order in zip(asked, grades, orders, strict=True):
            for _ in range(LOOP_ROUND):
                done, opened = crowd.session(question, row, order)
                log += done
                yield sum(STARS[row[page]] for page in opened) / len(opened) if opened else 1.0
        if weight:
            known = heard(log, _words(asked))
            crowd.believed = known.believed
            orders = [ordered(question, known.values["ours"], weight) for question in asked]


def interleaved(
    world: World, asked: Sequence[Candidates], seed: int, looks: int, weights: Sequence[float]
) -> Iterator[tuple[float, list[float]]]:
    """What readers make of each weight beside none, after so many looks at each question."""
    crowd, grades, worth = _after(world, asked, seed, looks)
    for weight in weights:
        yield weight, preference(crowd, asked, grades, worth, (0.0, weight), 20)


def costs(asked: Sequence[Candidates], seed: int) -> dict[float, float]:
    """nDCG@10 that each weight costs where readers click at random, at worst."""
    worst = dict.fromkeys(WEIGHTS, 0.0)
    for fitting in (False, True):
        for looks in CHOSEN_AFTER:
            _, grades, worth = _after(World("position", "0.7ᵏ", 1.0, fitting), asked, seed, looks)
            pairs = list(zip(asked, grades, strict=True))
            without = mean([ndcg(ordered(one, worth, 0.0), row) for one, row in pairs]).mean
            for weight in WEIGHTS:
                with_it = mean([ndcg(ordered(one, worth, weight), row) for one, row in pairs]).mean
                worst[weight] = max(worst[weight], without - with_it)
    return worst


def _after(world: World, asked: Sequence[Candidates], seed: int, looks: int) -> tuple[Crowd, Grades, Worth]:
    crowd = Crowd(world, random.Random(seed), READER_DEFAULTS.explore)
    grades = wishes(asked, world, crowd.chance)
    pairs = [(question, row) for question, row in zip(asked, grades, strict=True) for _ in range(looks)]
    log = [deed for question, row in pairs for deed in crowd.session(question, row, start_order(question))[0]]
    return crowd, grades, heard(log, _words(asked)).values["ours"]


def told(one: WorldFigures) -> str:
    scores = ", ".join(f"{way} {score.mean:.3f}" for way, score in one.ndcg.items())
    return f"{one.world.name}, {one.looks} looks: γ {one.raw:.2f} → {one.ours:.2f}; nDCG {scores}"


def goals(report: ReadersReport) -> list[Goal]:
    many = [one for one in report.worlds if one.looks == MANY]
    hard = [one for one in many if not one.world.fitting and one.world.noise <= QUIET and one.raw <= RAW_AT_MOST]
    fitting = [one for one in report.worlds if one.world.fitting]
    said = [
        at_least(f"γ at {MANY} looks, {_where(one)} (plain counts {one.raw:.2f})", one.ours, GOAL_AGREEMENT)
        for one in hard
    ]
    said += [
        at_least(f"γ at {MANY} looks, the order following readers, {_where(one)} (plain counts {one.raw:.2f})",
                 one.ours, GOAL_AGREEMENT)
        for one in report.following if one.raw <= RAW_AT_MOST
    ]  # fmt: skip
    if fitting:
        worst = max(fitting, key=lambda one: one.raw - one.ours_among)
        said.append(at_most(f"γ below plain counts at worst, on the pairs they order, {worst.looks} looks,"
                            f" {_where(worst)}", worst.raw - worst.ours_among, BELOW_RAW))  # fmt: skip
    for other in WAYS[:-1]:
        if many:
            least = min(many, key=lambda one: one.ndcg["ours"].mean - one.ndcg[other].mean)
            lead = [one.ndcg["ours"].mean - one.ndcg[other].mean for one in many]
            said.append(at_least(f"nDCG@10, ours less {other}, at worst: {_where(least)}", min(lead), -LOST))
            said.append(at_least(f"share of worlds where ours is better than {other}",
                                 sum(each > 0 for each in lead) / len(lead), 0.5))  # fmt: skip
    if report.at_random:
        worst = max(report.at_random, key=_lost)
        figure = f"nDCG@10 lost to readers who click at random, {worst.looks} looks, {worst.site}"
        said.append(at_most(figure, _lost(worst), LOST))
    return [*said, *_load_goals(report)]


def _load_goals(report: ReadersReport) -> list[Goal]:
    said = []
    if report.taken is not None:
        said.append(at_least("notes a second of CPU, over HTTP, in batches of fifty", report.taken.a_cpu_second,
                             GOAL_EVENTS))  # fmt: skip
        said.append(holds("acknowledged notes that the log does not hold", report.taken.lost))
    if report.worked is not None:
        said.append(at_most("seconds of CPU, 100,000 baskets at 1 %", report.worked.baskets_seconds, GOAL_BASKETS))
        said.append(holds("frequent sets that another way of counting finds otherwise", report.worked.sets_differing))
        said.append(at_most("seconds of CPU, 20,000 pages with 1,000,000 notes", report.worked.opinions_seconds,
                            GOAL_MINED))  # fmt: skip
    if report.slower is not None:
        said.append(at_most("CPU of a query with readers beside none, 95th percentile", report.slower.ratio,
                            GOAL_SLOWER))  # fmt: skip
    return said


def _lost(one: WorldFigures) -> float:
    return one.ndcg["no weight"].mean - one.ndcg["ours"].mean


def _where(one: WorldFigures) -> str:
    return f"{one.site}, {one.world.name}"
