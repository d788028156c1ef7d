"""One kind given alone: by one example or three, with a site's other pages or without."""

from random import Random

import pytest
from structure_site import MAIN, pages

from whimbrel.records.outline import Step
from whimbrel.structure.likeness import Likeness
from whimbrel.structure.shape import Shape, Shaper


def split(kind: str) -> tuple[list[Shape], list[Shape]]:
    examples = [shape for own, shape in pages(each=5, seed=7) if own == kind][:3]
    return examples, [shape for _, shape in pages(each=20, seed=8)]


@pytest.mark.parametrize("kind", MAIN)
@pytest.mark.parametrize("number", [1, 3])
def test_pages_of_the_kind_and_no_others(kind: str, number: int) -> None:
    examples, background = split(kind)
    likeness = Likeness(examples[:number], background)
    told = [(own == kind, likeness.judge(shape).alike) for own, shape in pages(each=40, seed=9)]
    right = sum(own and alike for own, alike in told)
    assert right / sum(alike for _, alike in told) >= 0.95
    assert right / sum(own for own, _ in told) >= 0.95


def test_without_other_pages_the_examples_alone_decide() -> None:
    examples, _ = split("list")
    likeness = Likeness(examples, [])
    assert all(likeness.judge(shape).alike for shape in examples)
    assert not any(likeness.judge(shape).alike for own, shape in pages(each=3, seed=9) if own == "profile")


def test_a_judgement_says_how_near_and_from_where_on() -> None:
    examples, background = split("article")
    likeness = Likeness(examples, background)
    judged = likeness.judge(examples[0])
    assert judged.similarity > judged.threshold == likeness.threshold
    assert likeness.alike_in_background == 20


def test_what_headings_say_tells_kinds_of_the_same_elements_apart() -> None:
    shaper = Shaper()
    chance = Random(3)
    elements: list[Step] = [
        (0, "html", ""),
        (1, "body", ""),
        (2, "main", ""),
        (3, "h2", ""),
        (3, "p", ""),
        (3, "ul", ""),
    ]

    def page(heading: str) -> Shape:
        own = f"about {chance.random()}"
        return shaper.shape([*elements, (4, "#h2", heading), (4, "#h2", own)])

    background = [page(heading) for heading in ("Parameters", "Members") for _ in range(20)]
    likeness = Likeness([page("Parameters") for _ in range(3)], background)
    told = [(heading, likeness.judge(page(heading)).alike) for heading in ("Parameters", "Members") for _ in range(9)]
    assert told == [(heading, heading == "Parameters") for heading, _ in told]


def test_words_that_one_page_alone_says_do_not_count() -> None:
    examples, background = split("article")
    shaper = Shaper()
    own = shaper.shape([(0, "#h2", "Nobody else says this")]).paths
    likeness = Likeness(examples, background)
    assert own
    with_own = Shape(examples[0].paths | own, examples[0].skeleton)
    assert likeness.similarity(with_own) == pytest.approx(likeness.similarity(examples[0]))
