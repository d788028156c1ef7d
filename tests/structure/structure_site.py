"""A site of three kinds of pages, made up: what its templates hold, and what differs from page to page."""

from random import Random

from whimbrel.records.outline import Step
from whimbrel.structure.shape import Shape, Shaper

HEAD: list[Step] = [(0, "html", ""), (1, "head", ""), (2, "title", ""), (1, "body", ""), (2, "nav", "menu")]
MAIN: dict[str, list[Step]] = {
    "article": [(2, "main", "article"), (3, "h1", "headline"), (3, "div", "byline"), (3, "div", "text")],
    "list": [(2, "main", "listing"), (3, "ul", "items"), (4, "li", "item"), (5, "a", ""), (3, "div", "pager")],
    "profile": [(2, "main", "person"), (3, "img", "portrait"), (3, "dl", "facts"), (4, "dt", ""), (4, "dd", "")],
}
FOOT: list[Step] = [(2, "footer", ""), (3, "p", "legal")]


def steps_of(kind: str, chance: Random) -> list[Step]:
    own: list[Step] = [(4, chance.choice(["p", "ul", "table", "pre", "h2"]), "") for _ in range(chance.randrange(5))]
    return [*HEAD, *MAIN[kind], (3, "div", "body"), *own, *FOOT]


def pages(each: int, seed: int = 1) -> list[tuple[str, Shape]]:
    chance, shaper = Random(seed), Shaper()
    made = [(kind, shaper.shape(steps_of(kind, chance))) for kind in MAIN for _ in range(each)]
    chance.shuffle(made)
    return made
