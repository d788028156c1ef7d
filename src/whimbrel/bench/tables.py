"""Whether a kind of page becomes the table that its generator was given: the columns, their names and their values.

Sites of Debian's packages are rendered by generators that are not ours. What the few constants of `fields` are is
chosen for each site on all the others.
"""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

from msgspec import Struct

from whimbrel.bench.goals import Goal, at_least
from whimbrel.bench.machine import Say
from whimbrel.bench.table_generators import RENDERINGS, RenderedPage
from whimbrel.bench.table_records import records
from whimbrel.fields.marks import FieldRules
from whimbrel.fields.template import learned
from whimbrel.parse.pieces import Piece, pieces

GOAL = 0.85
FEWEST_TEMPLATES = 8
RIGHT = 0.9
"""Of the pages on which a column has to say what was put in, and nothing where nothing was."""

GRID = tuple(
    FieldRules(common, rare, led)
    for common, rare, led in product((0.3, 0.5, 0.7), (0.02, 0.05, 0.1), (0.3, 0.5, 0.7))
)  # fmt: skip


class TemplateScore(Struct, frozen=True):
    """`missed` are fields that were put in and not found by their name, `added` columns that nobody put in."""

    generator: str
    fields: int
    found: int
    columns: int
    missed: tuple[str, ...]
    added: tuple[str, ...]
    rules: FieldRules

    @property
    def f1(self) -> float:
        return 2 * self.found / (self.fields + self.columns) if self.fields + self.columns else 0.0


class TablesTrial(Struct, frozen=True):
    pages: int
    seed: int
    templates: tuple[TemplateScore, ...]

    @property
    def mean_f1(self) -> float:
        return sum(one.f1 for one in self.templates) / len(self.templates)

    @property
    def worst_f1(self) -> float:
        return min(one.f1 for one in self.templates)


class _Site(Struct, frozen=True):
    generator: str
    pages: list[list[Piece]]
    put_in: list[dict[str, str]]


def goals(report: TablesTrial) -> list[Goal]:
    if len(report.templates) < FEWEST_TEMPLATES:
        return []
    return [at_least("fields and their names, F1, mean of templates left out", report.mean_f1, GOAL)]


def run(pages: int, seed: int, only: Sequence[str], folder: Path, say: Say) -> TablesTrial:
    known = records(pages, seed)
    sites = []
    for rendering in RENDERINGS:
        if only and rendering.name not in only:
            continue
        rendering.need(say)
        say(f"{rendering.name} renders {pages} pages")
        place = folder / rendering.name
        place.mkdir()
        sites.append(_site(rendering.name, rendering.render(known, place)))
    by_rules = [{rules: score(site, rules) for rules in GRID} for site in sites]
    return TablesTrial(pages, seed, tuple(_left_out(by_rules, at) for at in range(len(sites))))


def _site(name: str, rendered: Sequence[RenderedPage]) -> _Site:
    return _Site(name, [pieces(one.body, "text/html") for one in rendered], [one.put_in for one in rendered])


def _left_out(sites: Sequence[dict[FieldRules, TemplateScore]], at: int) -> TemplateScore:
    """One site by the rules that are best on all others; the first of equally good ones."""
    others = [site for place, site in enumerate(sites) if place != at]
    return sites[at][max(GRID, key=lambda rules: sum(site[rules].f1 for site in others))]


def score(site: _Site, rules: FieldRules) -> TemplateScore:
    table = learned(site.pages, rules)
    rows = [{_named(name): _plain(text) for name, text in table.row(page).items()} for page in site.pages]
    put_in = [{_named(name): _plain(text) for name, text in one.items()} for one in site.put_in]
    fields = sorted({name for one in put_in for name in one})
    columns = [_named(name) for name in table.names]
    found = {name for name in fields if name in columns and _is_right(name, rows, put_in)}
    return TemplateScore(
        site.generator, len(fields), len(found), len(columns), tuple(name for name in fields if name not in found),
        tuple(name for name in columns if name not in found), rules,
    )  # fmt: skip


def _is_right(name: str, rows: Sequence[dict[str, str]], put_in: Sequence[dict[str, str]]) -> bool:
    either = [
        (row.get(name), one.get(name)) for row, one in zip(rows, put_in, strict=True) if name in row or name in one
    ]
    return sum(said == meant for said, meant in either) >= RIGHT * len(either)


def _named(name: str) -> str:
    return _plain(name).casefold()


def _plain(text: str) -> str:
    return " ".join(text.split())
