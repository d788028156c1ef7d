"""How well and how fast pages of one kind are told from others, on a site where something else says the kind.

(a) all kinds are given by three examples each, and a page is of the nearest; (b) one kind is given alone, as `--like`
has it. Three examples are a matter of luck, so they are drawn several times, and the pages to judge with them. Beside
both stands plain tree matching as the paper defines it: the nearest example, and from 0.4 up.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import mean

from msgspec import Struct

from whimbrel.bench.goals import Goal, at_least, at_most
from whimbrel.bench.structure_site import EXAMPLES, Drawn, Labelled, LabelledSite, draw
from whimbrel.bench.structure_times import HTML, Times, timed
from whimbrel.parse.outline import outline, upper
from whimbrel.structure.ground import Ground
from whimbrel.structure.likeness import KindLikeness
from whimbrel.structure.matching import Forest
from whimbrel.structure.shape import DEEPEST, Shape, Shaper
from whimbrel.structure.templates import kinds_shown

PAPER_THRESHOLD = 0.4
GOAL_NEAREST = 0.95
GOAL_ALONE = 0.88

Confusion = dict[str, dict[str, int]]
Say = Callable[[str], None]


class StructureTrial(Struct, frozen=True):
    """What to measure. Plain matching costs some 100 ms a page here, so it judges fewer, of the first draw."""

    site: LabelledSite
    pages: int = 5_000
    plain_pages: int = 300
    seed: int = 1
    draws: int = 5


class KindScore(Struct, frozen=True):
    """How one kind was told: of the pages said to be of it the share that is, and of its pages the share found."""

    kind: str
    pages: int
    precision: float
    recall: float


class TellingWay(Struct, frozen=True):
    """A way to tell, kind by kind. `mistaken` counts pages by their kind and by what they were taken for. `draws` are
    precision and recall of each draw."""

    name: str
    scores: tuple[KindScore, ...]
    mistaken: Confusion
    goal: float | None = None
    by_tree: float = 0.0
    draws: tuple[tuple[float, float], ...] = ()

    @property
    def precision(self) -> float:
        return mean(score.precision for score in self.scores)

    @property
    def recall(self) -> float:
        return mean(score.recall for score in self.scores)


class StructureReport(Struct, frozen=True):
    """What was told, and how fast. `judged` pages in each of the draws, with `seed` and those that follow."""

    site: str
    seed: int
    draws: int
    judged: int
    plain_judged: int
    ways: tuple[TellingWay, ...]
    times: Times


def goals(report: StructureReport) -> list[Goal]:
    said = []
    for way in report.ways:
        if way.goal is not None:
            said.append(at_least(f"precision, {way.name}", way.precision, way.goal))
            said.append(at_least(f"recall, {way.name}", way.recall, way.goal))
    for one in report.times.timings:
        if one.goal is not None:
            said.append(at_most(f"ms of CPU, median, {one.name}", one.median, one.goal))
        if one.goal_p95 is not None:
            said.append(at_most(f"ms of CPU, 95th percentile, {one.name}", one.p95, one.goal_p95))
    return said


def run(plan: StructureTrial, say: Say) -> StructureReport:
    say("drawing pages …")
    draws = [draw(plan.site, plan.pages, plan.seed + at) for at in range(plan.draws)]
    first = draws[0]
    shaper = Shaper()
    paths = dict.fromkeys(page.path for drawn in draws for page in _all(drawn))
    say(f"reading {len(paths)} pages …")
    shapes = {path: _shape(shaper, plan.site, path) for path in paths}
    say("judging …")
    told = [(_nearest(one, shapes), _alone(one, shapes, EXAMPLES), _alone(one, shapes, 1)) for one in draws]
    ways = [_averaged(same) for same in zip(*told, strict=True)]
    say(f"plain tree matching of {min(plan.plain_pages, len(first.judged))} pages …")
    few = first.judged[: plan.plain_pages]
    if few:
        ways += _plain(first, few) + _beside(Drawn(first.examples, first.background, few), shapes)
    say("timing …")
    times = timed(plan.site, first, shapes)
    return StructureReport(plan.site.name, plan.seed, plan.draws, len(first.judged), len(few), tuple(ways), times)


def _all(drawn: Drawn) -> Iterable[Labelled]:
    yield from (page for pages in drawn.examples.values() for page in pages)
    yield from drawn.background
    yield from drawn.judged


def _shape(shaper: Shaper, site: LabelledSite, path: Path) -> Shape:
    return shaper.shape(site.blind(upper(path.read_bytes(), HTML, DEEPEST)))


def _averaged(ways: Sequence[TellingWay]) -> TellingWay:
    """One way over all draws."""
    mistaken: Confusion = {}
    for way in ways:
        for own, row in way.mistaken.items():
            _count(mistaken, [(own, said) for said, count in row.items() for _ in range(count)])
    scores = tuple(
        KindScore(same[0].kind, sum(score.pages for score in same), mean(score.precision for score in same),
              mean(score.recall for score in same))
        for same in zip(*(way.scores for way in ways), strict=True)
    )  # fmt: skip
    each = tuple((way.precision, way.recall) for way in ways)
    return TellingWay(ways[0].name, scores, mistaken, ways[0].goal, mean(way.by_tree for way in ways), each)


def _nearest(drawn: Drawn, shapes: dict[Path, Shape]) -> TellingWay:
    names = list(drawn.examples)
    examples = [[shapes[page.path] for page in pages] for pages in drawn.examples.values()]
    kinds = kinds_shown(examples, Ground([shapes[page.path] for page in drawn.background]))
    told, by_tree = [], 0
    for page in drawn.judged:
        nearest = kinds.nearest(shapes[page.path])
        by_tree += nearest.by_tree
        told.append((page.kind, names[nearest.kind] if nearest.kind is not None else "none"))
    return _way("(a) nearest of all kinds", names, told, GOAL_NEAREST, by_tree / len(told))


def _alone(drawn: Drawn, shapes: dict[Path, Shape], examples: int) -> TellingWay:
    ground = Ground([shapes[page.path] for page in drawn.background])
    scores: list[KindScore] = []
    mistaken: Confusion = {}
    by_tree = 0
    for kind, pages in drawn.examples.items():
        likeness = KindLikeness([shapes[page.path] for page in pages[:examples]], ground)
        judged = [(page.kind, likeness.judge(shapes[page.path])) for page in drawn.judged]
        by_tree += sum(one.by_tree for _, one in judged)
        told = [(own, kind if one.alike else "other") for own, one in judged]
        scores.append(_score(kind, told))
        _count(mistaken, [(own, said) for own, said in told if (own == kind) != (said == kind)])
    share = by_tree / (len(drawn.judged) * len(drawn.examples))
    three = examples > 1
    words = f"(b) one kind alone, {examples} example{'s' if three else ''}"
    return TellingWay(words, tuple(scores), mistaken, GOAL_ALONE if three else None, share)


def _plain(drawn: Drawn, judged: Sequence[Labelled]) -> list[TellingWay]:
    forest = Forest()
    trees = {kind: [_tree(forest, page) for page in pages] for kind, pages in drawn.examples.items()}
    names = list(trees)
    nearest: list[tuple[str, str]] = []
    alone: dict[str, list[tuple[str, str]]] = {kind: [] for kind in names}
    for page in judged:
        tree = _tree(forest, page)
        likeness = {kind: max(forest.match(tree, one).similarity for one in some) for kind, some in trees.items()}
        nearest.append((page.kind, max(names, key=likeness.__getitem__)))
        for kind in names:
            alone[kind].append((page.kind, kind if likeness[kind] >= PAPER_THRESHOLD else "other"))
    mistaken: Confusion = {}
    for kind, told in alone.items():
        _count(mistaken, [(own, said) for own, said in told if (own == kind) != (said == kind)])
    scores = tuple(_score(kind, told) for kind, told in alone.items())
    return [_way("(a) plain tree matching", names, nearest, None, 1.0),
            TellingWay("(b) plain tree matching from 0.4 up", scores, mistaken, None, 1.0)]  # fmt: skip


def _beside(drawn: Drawn, shapes: dict[Path, Shape]) -> list[TellingWay]:
    """Ours on the pages that plain matching judged: averages over few pages of a rare kind differ."""
    ways = (_nearest(drawn, shapes), _alone(drawn, shapes, EXAMPLES))
    return [
        TellingWay(f"{way.name[:3]} ours on the same pages", way.scores, way.mistaken, None, way.by_tree)
        for way in ways
    ]


def _tree(forest: Forest, page: Labelled) -> int:
    return forest.add([(depth, tag, "") for depth, tag, _ in outline(page.path.read_bytes(), HTML)])


def _way(name: str, names: list[str], told: list[tuple[str, str]], goal: float | None, by_tree: float) -> TellingWay:
    mistaken: Confusion = {}
    _count(mistaken, [(own, said) for own, said in told if own != said])
    return TellingWay(name, tuple(_score(kind, told) for kind in names), mistaken, goal, by_tree)


def _score(kind: str, told: list[tuple[str, str]]) -> KindScore:
    counted = Counter((own == kind, said == kind) for own, said in told)
    right, wrong, missed = counted[True, True], counted[False, True], counted[True, False]
    return KindScore(kind, right + missed, right / max(1, right + wrong), right / max(1, right + missed))


def _count(mistaken: Confusion, told: Iterable[tuple[str, str]]) -> None:
    for own, said in told:
        row = mistaken.setdefault(own, {})
        row[said] = row.get(said, 0) + 1
