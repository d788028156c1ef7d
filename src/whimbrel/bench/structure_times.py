"""How fast structures are told: two pages matched, a page among a thousand templates, a page judged.

One site seldom has a thousand templates. Those of the site that is measured come first; the rest are taken from other
documentations that happen to be installed, so that all thousand are of real pages, and differ.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from statistics import mean, median, quantiles
from typing import TypeVar

from msgspec import Struct
from turbohtml import parse

from whimbrel.bench.structure_site import Drawn, Labelled, LabelledSite
from whimbrel.parse.outline import outline, upper, upper_of
from whimbrel.records.outline import Step
from whimbrel.structure.ground import Ground
from whimbrel.structure.likeness import KindLikeness
from whimbrel.structure.matching import match
from whimbrel.structure.shape import DEEPEST, Shape, Shaper
from whimbrel.structure.templates import PageKinds

HTML = "text/html; charset=utf-8"
TEMPLATES = 1_000
TIMED_PAGES = 500
TIMED_PAIRS = 60
LEAST_ELEMENTS, MOST_ELEMENTS = 800, 1_200
FILES_A_SITE = 400
OTHER_SITES = {
    "rust-doc": Path("/usr/share/doc/rust-doc/html/std"),
    "cppreference-doc-en-html": Path("/usr/share/cppreference/doc/html/en"),
    "libboost1.81-doc": Path("/usr/share/doc/libboost1.81-doc/doc/html"),
    "openjdk-17-doc": Path("/usr/share/doc/openjdk-17-jre-headless/api"),
    "postgresql-doc-15": Path("/usr/share/doc/postgresql-doc-15/html"),
    "python3.11-doc": Path("/usr/share/doc/python3.11/html"),
}

Given = TypeVar("Given")
Got = TypeVar("Got")


class Timing(Struct, frozen=True):
    """Milliseconds of CPU; the goals are for the median, and where there are two for the 95th percentile."""

    name: str
    median: float
    p95: float
    goal: float | None
    goal_p95: float | None = None


class Times(Struct, frozen=True):
    """`same` is the share of pages for which the index names the same template as a comparison with all.

    `sources` says how many templates came from where.
    """

    timings: tuple[Timing, ...]
    same: float
    sources: dict[str, int]


def timed(site: LabelledSite, drawn: Drawn, shapes: dict[Path, Shape]) -> Times:
    few = drawn.judged[:TIMED_PAGES]
    background = [shapes[page.path] for page in drawn.background]
    templates = {shapes[page.path]: site.name for page in drawn.judged[TIMED_PAGES:]}
    for shape, source in _elsewhere(site):
        if len(templates) >= TEMPLATES:
            break
        templates.setdefault(shape, source)
    named = dict(list(templates.items())[:TEMPLATES])
    ground = Ground(background)
    kinds = PageKinds(ground)
    for shape in named:
        kinds.new_kind(shape)
    some = [shapes[page.path] for page in few]
    found, by_index = _each(kinds.nearest, some)
    expected, one_by_one = _each(kinds.nearest_of_all, some)
    likeness = KindLikeness([shapes[page.path] for page in next(iter(drawn.examples.values()))], ground)
    return Times(
        (
            _timing("two pages of about 1,000 elements matched", _matching(drawn), 10.0),
            _timing(f"a page against {len(kinds)} templates", by_index, 20.0),
            _timing(f"the same, compared with all {len(kinds)}", one_by_one, None),
            _timing("judging a parsed page", _judging(few, likeness), 1.0, 5.0),
        ),
        mean(a == b for a, b in zip(found, expected, strict=True)) if some else 1.0,
        {source: list(named.values()).count(source) for source in dict.fromkeys(named.values())},
    )


def _elsewhere(site: LabelledSite) -> Iterator[tuple[Shape, str]]:
    """Pages of the other documentations that are here, spread over each, from each in turn."""
    shaper = Shaper()
    sites = []
    for package, folder in OTHER_SITES.items():
        files = sorted(folder.rglob("*.html")) if package != site.package else []
        sites.append([(file, package) for file in files[:: max(1, len(files) // FILES_A_SITE)]])
    for at in range(max(map(len, sites))):
        for file, package in (files[at] for files in sites if at < len(files)):
            shape = shaper.shape(upper(file.read_bytes(), HTML, DEEPEST))
            if not shape.is_empty:
                yield shape, package


def _matching(drawn: Drawn) -> list[float]:
    pages: list[list[Step]] = []
    for page in drawn.judged:
        steps = outline(page.path.read_bytes(), HTML)
        if LEAST_ELEMENTS <= len(steps) <= MOST_ELEMENTS:
            pages.append(steps)
        if len(pages) > TIMED_PAIRS:
            break
    return _each(lambda pair: match(*pair), pairwise(pages))[1]


def _judging(pages: Iterable[Labelled], likeness: KindLikeness) -> list[float]:
    shaper = Shaper()
    documents = (parse(page.path.read_bytes(), encoding="utf-8", positions=False) for page in pages)
    return _each(lambda document: likeness.judge(shaper.shape(upper_of(document, DEEPEST))), documents)[1]


def _each(do: Callable[[Given], Got], over: Iterable[Given]) -> tuple[list[Got], list[float]]:
    """What came of each, and the milliseconds of CPU it took."""
    got, took = [], []
    for given in over:
        began = time.process_time()
        got.append(do(given))
        took.append(1000 * (time.process_time() - began))
    return got, took


def _timing(name: str, took: list[float], goal: float | None, goal_p95: float | None = None) -> Timing:
    p95 = quantiles(took, n=20)[-1] if len(took) > 1 else max(took, default=0.0)
    return Timing(name, median(took) if took else 0.0, p95, goal, goal_p95)
