"""How well kinds of pages are told on sites of several generators, the constants chosen on the other generators.

From each site pages are drawn of each kind in turn. Half of them are the background, whose kinds nobody is told; the
others are judged. (nearest) all kinds are given by three examples each; (alone) one kind is given by three, or by one,
as `--like` has it; (templates) the kinds are found without any example; (across) the examples are of another site. For
each generator the constants are those that did best on the sites of all others. Sites that came later have no part in
that choice: they are judged with what the first ones choose together.

Where links to a page stand counts as it does in a folder: by the links of a thousand of its pages.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from random import Random
from statistics import mean
from urllib.parse import quote

from msgspec import Struct

from whimbrel.bench.goals import Goal, at_least, at_most
from whimbrel.bench.structure_site import is_stub
from whimbrel.bench.structure_sites import LATER, SITES, KindsSite
from whimbrel.parse import places
from whimbrel.records.url import Url
from whimbrel.structure.ground import MEET, SHARE, Ground
from whimbrel.structure.likeness import KindLikeness
from whimbrel.structure.roles import Roles
from whimbrel.structure.shape import DEEPEST, Shape, Shaper
from whimbrel.structure.templates import kinds_among, kinds_shown
from whimbrel.urls.normal import key, normalise
from whimbrel.urls.resolve import LinkResolver

EXAMPLES = 3
FEWEST_PAGES = 12
"""Of a kind, or it is not judged."""

UNNAMED = 0.5
"""Of the pages drawn of each kind so many are of no kind."""

MOST_BACKGROUND = 250
LARGEST_BYTES = 3_000_000
LINKED = 1_000
"""Pages beside those drawn whose links count, spread over the site."""

HOST = "http://site.test/"
HTML = "text/html; charset=utf-8"
SHARES = (1 / 60, 1 / 40, 1 / 25)
MEETS = (0.7, 0.8, 0.9)
NEAREST, ALONE, ONE, PURITY, GROUPS = (0.95, 0.95), (0.92, 0.92), (0.90, 0.75), 0.97, 3
WORST = 0.8
"""What is to be reached: precision and recall on average over the sites, and of the worst of them."""

Say = Callable[[str], None]
Constants = tuple[float, float]
Pair = tuple[float, float]


class KindPage(Struct, frozen=True):
    """`kind` is "" where the site names none that is judged."""

    kind: str
    shape: Shape


class Draw(Struct, frozen=True):
    """Examples by kind, pages whose kind nobody is told, and pages to judge; none in two of them."""

    examples: dict[str, list[Shape]]
    background: list[KindPage]
    judged: list[KindPage]


class KindsTold(Struct, frozen=True):
    """Precision and recall, on average over the kinds, and what `templates` finds: the share of pages that are of the
    commonest kind of their group, and groups for each kind."""

    nearest: Pair
    alone: Pair
    one: Pair
    purity: float
    groups: float


class SiteReport(Struct, frozen=True):
    """A site judged with the constants that the other generators chose. `later`: it had no part in any choice."""

    site: str
    generator: str
    kinds: int
    later: bool
    share: float
    meet: float
    told: KindsTold


class Across(Struct, frozen=True):
    """Examples on one site, pages on another, of the same generator or not. `kinds` are those with the same name."""

    examples: str
    pages: str
    same_generator: bool
    kinds: int
    nearest: Pair
    alone: Pair


class KindsReport(Struct, frozen=True):
    """`share` and `meet` are what the first sites together choose. `absent` are packages that are not installed."""

    seed: int
    draws: int
    share: float
    meet: float
    sites: tuple[SiteReport, ...]
    across: tuple[Across, ...]
    absent: tuple[str, ...]
    goals: tuple[Goal, ...]


def run(
    most: int, seed: int, draws: int, say: Say, sites: Sequence[KindsSite] = SITES, later: Sequence[KindsSite] = LATER
) -> KindsReport:
    """At most so many pages of each site, drawn so many times."""
    here = [site for site in (*sites, *later) if site.folder.is_dir()]
    drawn: dict[str, list[Draw]] = {}
    every: dict[str, dict[Constants, KindsTold]] = {}
    for site in here:
        say(f"reading {site.name} …")
        pages = read(site, most, Random(seed))
        drawn[site.name] = [draw(pages, seed + at) for at in range(draws)]
        if not all(one.examples for one in drawn[site.name]):
            say(f"{site.name} has no kind with enough pages, and is left out")
            continue
        say(f"judging {site.name} …")
        every[site.name] = _averaged([_each(one) for one in drawn[site.name]])
    here = [site for site in here if site.name in every]
    first = [site for site in here if site not in later]
    reports = []
    for site in here:
        share, meet = chosen([every[one.name] for one in first if one.generator != site.generator])
        told, kinds = every[site.name][share, meet], len(drawn[site.name][0].examples)
        reports.append(SiteReport(site.name, site.generator, kinds, site in later, share, meet, told))
    across: list[Across] = []
    for report in reports:
        say(f"finding pages of {report.site} by examples of other sites …")
        across += _across(report, reports, {name: draws[0] for name, draws in drawn.items()})
    absent = tuple(site.package for site in (*sites, *later) if site not in here)
    together = chosen([every[site.name] for site in first])
    return KindsReport(seed, draws, *together, tuple(reports), tuple(across), absent, goals(reports))


def read(site: KindsSite, most: int, chance: Random) -> list[KindPage]:
    """Pages of each kind in turn, as many as asked for."""
    files: dict[str, list[str]] = {}
    for path in sorted(path.relative_to(site.folder).as_posix() for path in site.folder.rglob("*.html")):
        files.setdefault(site.kind_of(site.folder, path), []).append(path)
    for paths in files.values():
        chance.shuffle(paths)
    everything = sorted(path for paths in files.values() for path in paths)
    linked = set(everything[:: max(1, len(everything) // LINKED)])
    drawn = {path: kind for kind, path in _in_turn(files, most)}
    shaper, roles, resolver = Shaper(), Roles(), LinkResolver()
    shapes: dict[str, Shape] = {}
    for path in dict.fromkeys((*drawn, *sorted(linked))):
        body = (site.folder / path).read_bytes()
        if len(body) > LARGEST_BYTES or is_stub(body):
            continue
        page, plan = places.read(body, HTML, DEEPEST)
        if path in drawn:
            shapes[path] = shaper.shape(plan.steps)
        url, number = _named(path)
        base = resolver.resolve(page.base, url) if page.base else None
        for href, element in plan.links:
            target = resolver.resolve(href, base[0] if base is not None else url)
            if target is not None and target[1] != number:
                roles.take(target[1], plan.standing(element))
    pages = [KindPage(drawn[path], shape.in_roles(roles.of(_named(path)[1]))) for path, shape in shapes.items()]
    many = Counter(page.kind for page in pages)
    return [page if many[page.kind] >= FEWEST_PAGES else KindPage("", page.shape) for page in pages]


def _named(path: str) -> tuple[Url, int]:
    """What a file is called on a server, and its key."""
    url = normalise(HOST + quote(path))
    assert isinstance(url, str)
    return url, key(url)


def _in_turn(files: dict[str, list[str]], most: int) -> list[tuple[str, str]]:
    turns = [
        (at, kind, path)
        for kind, paths in sorted(files.items())
        for at, path in enumerate(paths if kind else paths[: int(UNNAMED * most / max(1, len(files) - 1))])
    ]
    return [(kind, path) for _, kind, path in sorted(turns)[:most]]


def draw(pages: Sequence[KindPage], seed: int) -> Draw:
    chance = Random(seed)
    shuffled = list(pages)
    chance.shuffle(shuffled)
    examples: dict[str, list[Shape]] = {kind: [] for kind in sorted({page.kind for page in pages}) if kind}
    others = []
    for page in shuffled:
        if page.kind and len(examples[page.kind]) < EXAMPLES:
            examples[page.kind].append(page.shape)
        else:
            others.append(page)
    background = others[: min(MOST_BACKGROUND, len(others) // 2)]
    return Draw(examples, background, [page for page in others[len(background) :] if page.kind])


def _each(drawn: Draw) -> dict[Constants, KindsTold]:
    """What every choice of the constants tells."""
    ground = Ground([page.shape for page in drawn.background])
    near = _nearest(drawn, ground, drawn.examples)
    told = {}
    for share in SHARES:
        ground.group_by(share)
        one = _alone(drawn, ground, {kind: some[:1] for kind, some in drawn.examples.items()}, MEETS[0])
        purity, groups = _templates(drawn, ground)
        for meet in MEETS:
            alone = _alone(drawn, ground, drawn.examples, meet)
            told[share, meet] = KindsTold(near, alone, one, purity, groups / len(drawn.examples))
    return told


def _nearest(drawn: Draw, ground: Ground, examples: dict[str, list[Shape]]) -> Pair:
    names = list(examples)
    kinds = kinds_shown(examples.values(), ground)
    pages = [page for page in drawn.judged if page.kind in examples]
    told = [(page.kind, kinds.nearest(page.shape).kind) for page in pages]
    return _mean(_score([(own == kind, said == at) for own, said in told]) for at, kind in enumerate(names))


def _alone(drawn: Draw, ground: Ground, examples: dict[str, list[Shape]], meet: float) -> Pair:
    scores = []
    for kind, some in examples.items():
        likeness = KindLikeness(some, ground, meet=meet)
        scores.append(_score([(page.kind == kind, likeness.judge(page.shape).alike) for page in drawn.judged]))
    return _mean(scores)


def _templates(drawn: Draw, ground: Ground) -> tuple[float, int]:
    """Of the pages of some kind."""
    kinds = kinds_among(ground)
    groups: dict[int | None, Counter[str]] = {}
    for page in [*drawn.background, *drawn.judged]:
        placed = kinds.place(page.shape).kind
        if page.kind:
            groups.setdefault(placed, Counter())[page.kind] += 1
    right = sum(max(counted.values()) for counted in groups.values())
    return right / sum(counted.total() for counted in groups.values()), len(groups)


def _across(site: SiteReport, sites: Sequence[SiteReport], drawn: dict[str, Draw]) -> Iterator[Across]:
    """Pages of a site by examples of every other that has kinds of the same name."""
    target = drawn[site.site]
    ground = Ground([page.shape for page in target.background], share=site.share)
    for other in sites:
        # Whoever shows a page of another site shows that page alone, and not where links to it stand there.
        shown = {kind: [shape.without_roles() for shape in some] for kind, some in drawn[other.site].examples.items()}
        examples = {kind: some for kind, some in shown.items() if kind in target.examples}
        if other is not site and examples:
            nearest = _nearest(target, ground.seen_from(next(iter(examples.values()))), examples)
            alone = _alone(target, ground, examples, site.meet)
            same = other.generator == site.generator
            yield Across(other.site, site.site, same, len(examples), nearest, alone)


def _score(told: Sequence[tuple[bool, bool]]) -> Pair:
    counted = Counter(told)
    right, wrong, missed = counted[True, True], counted[False, True], counted[True, False]
    return right / max(1, right + wrong), right / max(1, right + missed)


def _mean(pairs: Iterable[Pair]) -> Pair:
    precisions, recalls = zip(*pairs, strict=True)
    return mean(precisions), mean(recalls)


def _averaged(draws: Sequence[dict[Constants, KindsTold]]) -> dict[Constants, KindsTold]:
    return {constants: _averaged_told([one[constants] for one in draws]) for constants in draws[0]}


def _averaged_told(told: Sequence[KindsTold]) -> KindsTold:
    return KindsTold(
        _mean(one.nearest for one in told), _mean(one.alone for one in told), _mean(one.one for one in told),
        mean(one.purity for one in told), mean(one.groups for one in told),
    )  # fmt: skip


def chosen(sites: Sequence[dict[Constants, KindsTold]]) -> Constants:
    """The constants that do best on these sites; where there are none, those that the matcher has."""
    if not sites:
        return SHARE, MEET
    return max(product(SHARES, MEETS), key=lambda constants: mean(_worth(site[constants]) for site in sites))


def _worth(told: KindsTold) -> float:
    """How much of each goal is reached; more than all of one makes up for nothing."""
    got = (*told.alone, *told.one, told.purity, GROUPS)
    wanted = (*ALONE, *ONE, PURITY, max(told.groups, 1e-9))
    return sum(min(1.0, one / other) for one, other in zip(got, wanted, strict=True))


def goals(sites: Sequence[SiteReport]) -> tuple[Goal, ...]:
    """Of all sites, and again of those that came later."""
    enough = (
        Goal("sites", len(sites), 10, len(sites) >= 10),
        Goal("generators", (count := len({site.generator for site in sites})), 6, count >= 6),
    )
    later = [site for site in sites if site.later]
    return (*enough, *_reached(sites, ""), *(_reached(later, ", sites that came later") if later else ()))


def _reached(sites: Sequence[SiteReport], which: str) -> Iterator[Goal]:
    for name, pairs, goal in (
        ("nearest", [site.told.nearest for site in sites], NEAREST),
        ("alone, 3 examples", [site.told.alone for site in sites], ALONE),
        ("alone, 1 example", [site.told.one for site in sites], ONE),
    ):
        for at, what in enumerate(("precision", "recall")):
            each = [pair[at] for pair in pairs]
            yield at_least(f"{name}: {what}{which}", mean(each), goal[at])
            if "1 example" not in name:
                yield at_least(f"{name}: {what} of the worst site{which}", min(each), WORST)
    yield at_least(f"templates: purity{which}", mean(site.told.purity for site in sites), PURITY)
    yield at_most(f"templates: groups for each kind{which}", mean(site.told.groups for site in sites), GROUPS)
