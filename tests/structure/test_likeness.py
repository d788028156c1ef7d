"""One kind given alone: by one example or three, with a site's other pages or without."""

from random import Random

import pytest
from structure_site import MAIN, pages

from whimbrel.records.outline import Step
from whimbrel.structure.likeness import KindLikeness
from whimbrel.structure.shape import Shape, Shaper


def split(kind: str) -> tuple[list[Shape], list[Shape]]:
    examples = [shape for own, shape in pages(each=5, seed=7) if own == kind][:3]
    return examples, [shape for _, shape in pages(each=20, seed=8)]


@pytest.mark.parametrize("kind", MAIN)
@pytest.mark.parametrize("number", [1, 3])
def test_pages_of_the_kind_and_no_others(kind: str, number: int) -> None:
    examples, background = split(kind)
    likeness = KindLikeness(examples[:number], background)
    told = [(own == kind, likeness.judge(shape).alike) for own, shape in pages(each=40, seed=9)]
    right = sum(own and alike for own, alike in told)
    assert right / sum(alike for _, alike in told) >= 0.95
    assert right / sum(own for own, _ in told) >= 0.95


def test_without_other_pages_the_examples_alone_decide() -> None:
    examples, _ = split("list")
    likeness = KindLikeness(examples, [])
    assert all(likeness.judge(shape).alike for shape in examples)
    assert not any(likeness.judge(shape).alike for own, shape in pages(each=3, seed=9) if own == "profile")


def test_a_judgement_says_how_near_and_from_where_on() -> None:
    examples, background = split("article")
    likeness = KindLikeness(examples, background)
    judged = likeness.judge(examples[0])
    assert judged.similarity > judged.threshold >= likeness.threshold > 0
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
    likeness = KindLikeness([page("Parameters") for _ in range(3)], background)
    told = [(heading, likeness.judge(page(heading)).alike) for heading in ("Parameters", "Members") for _ in range(9)]
    assert told == [(heading, heading == "Parameters") for heading, _ in told]


def test_words_that_one_page_alone_says_do_not_count() -> None:
    examples, background = split("article")
    shaper = Shaper()
    own = shaper.shape([(0, "#h2", "Nobody else says this")]).paths
    likeness = KindLikeness(examples, background)
    assert own
    with_own = Shape(examples[0].paths | own, examples[0].skeleton, examples[0].parts)
    assert likeness.similarity(with_own) == pytest.approx(likeness.similarity(examples[0]))


def made_of(*parts: str) -> list[Step]:
    """A page with some of a template's parts, each of several elements."""
    steps: list[Step] = [(0, "html", ""), (1, "body", ""), (2, "nav", ""), (2, "main", "")]
    for part in parts:
        steps += [(3, "section", part), (4, "h2", part), (4, "table", part), (5, "tr", part), (6, "td", part)]
    return steps


def test_pages_of_one_kind_may_be_long_and_short() -> None:
    """A class with members and one without are of one kind; a list, which has what neither has, is of another."""
    shaper, chance = Shaper(), Random(5)
    optional = ["fields", "methods", "events", "friends"]

    def a_class() -> Shape:
        some = [part for part in optional if chance.random() < 0.5]
        return shaper.shape(made_of("summary", "description", *some))

    def a_list() -> Shape:
        return shaper.shape(made_of("letters", *(["entries"] if chance.random() < 0.5 else [])))

    background = [make() for make in (a_class, a_list) for _ in range(30)]
    likeness = KindLikeness([shaper.shape(made_of("summary", "description", *optional))], background)
    assert likeness.judge(shaper.shape(made_of("summary", "description"))).alike
    assert all(likeness.judge(a_class()).alike for _ in range(20))
    assert not any(likeness.judge(a_list()).alike for _ in range(20))


def test_examples_that_differ_do_not_take_everything() -> None:
    made = [shape for _, shape in pages(each=20, seed=8)]
    examples = [next(shape for own, shape in pages(each=2, seed=7) if own == kind) for kind in ("article", "list")]
    likeness = KindLikeness(examples, made)
    told = {own: likeness.judge(shape).alike for own, shape in pages(each=9, seed=9)}
    assert told == {"article": True, "list": True, "profile": False}


def test_a_kind_is_found_on_another_site_that_puts_it_elsewhere() -> None:
    shaper, chance = Shaper(), Random(2)

    def there(steps: list[Step]) -> Shape:
        """The same in two boxes more, and with other furniture around."""
        inner: list[Step] = [(depth + 2, tag, classes) for depth, tag, classes in steps if depth > 1]
        around: list[Step] = [(0, "html", ""), (1, "body", ""), (2, "div", "page"), (2, "ol", "path"), (3, "li", "")]
        return shaper.shape([*around, (3, "div", "inner"), *inner, (2, "form", "search"), (3, "input", "query")])

    kinds = {"class": ("summary", "members"), "list": ("letters", "entries")}
    here = [shaper.shape(made_of(*kinds["class"])) for _ in range(3)]
    background = [
        there(made_of(*parts, chance.choice(["note", "hint"]))) for parts in kinds.values() for _ in range(20)
    ]
    likeness = KindLikeness(here, background)
    told = {kind: likeness.judge(there(made_of(*parts))).alike for kind, parts in kinds.items()}
    assert told == {"class": True, "list": False}
