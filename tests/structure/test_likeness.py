"""One kind given alone: by one example or three, with a site's other pages or without."""

import pytest
from structure_site import MAIN, pages

from whimbrel.structure.likeness import Likeness
from whimbrel.structure.shape import Shape


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
