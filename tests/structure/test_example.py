"""Examples that show no kind of page, and sites that have only one."""

from random import Random

import pytest
from structure_site import pages, steps_of

from whimbrel.records.outline import WORDS_MARK, Step
from whimbrel.records.verdict import ACCEPTED, Verdict
from whimbrel.structure.example import ExamplePage, judge_example, judge_site
from whimbrel.structure.ground import Ground
from whimbrel.structure.shape import Shape, Shaper

PAGE: list[Step] = [(0, "html", ""), (1, "head", ""), (1, "body", ""), (2, "main", ""), (3, "p", "")]
SHELL: list[Step] = [*PAGE[:3], (2, "div", "root"), (2, "script", "")]


@pytest.mark.parametrize(
    ("shown", "rule", "advice"),
    [
        (ExamplePage("u", 200, [], 0), "empty", "Choose a page with content"),
        (ExamplePage("u", 200, PAGE[:3], 0), "empty", "Choose a page with content"),
        (ExamplePage("u", 404, PAGE, 900), "error_page", "answered 404"),
        (ExamplePage("u", 301, PAGE, 900), "error_page", "give the URL that it ends at"),
        (ExamplePage("u", 200, SHELL, 12), "script_shell", "text is in its source"),
    ],
)
def test_an_example_that_shows_nothing_is_refused_with_advice(shown: ExamplePage, rule: str, advice: str) -> None:
    verdict = judge_example(shown, Shaper())
    assert isinstance(verdict, Verdict)
    assert (verdict.accepted, verdict.rule) == (False, rule)
    assert advice in verdict.reason


@pytest.mark.parametrize("steps", [PAGE, SHELL])
def test_a_page_with_text_is_an_example(steps: list[Step]) -> None:
    assert isinstance(judge_example(ExamplePage("u", 200, steps, 5_000), Shaper()), Shape)


def test_a_page_of_very_many_elements_is_judged_by_its_first() -> None:
    huge: list[Step] = [*PAGE, *[(4, f"x{n % 9_000}", "") for n in range(150_000)]]
    shape = judge_example(ExamplePage("u", 200, huge, 5_000), Shaper())
    assert isinstance(shape, Shape)
    assert len(shape.paths) <= 5_000


def test_a_site_with_one_template_is_told_so_and_others_are_not() -> None:
    shaper = Shaper()
    template = steps_of("article", Random(1))
    # One part comes and goes, one is there once or often, and the heading of a third is left out now and then.
    heading: list[Step] = [(4, f"{WORDS_MARK}h2", "Further reading")]
    same = [
        shaper.shape([*template, *[(4, "p", "")] * n, *[(4, "ul", "")] * (n % 3 == 0), *heading * (n % 2)])
        for n in range(1, 31)
    ]
    verdict = judge_site(Ground(same))
    assert verdict.rule == "one_template"
    assert "--match" in verdict.reason
    assert judge_site(Ground(same[:5])) is ACCEPTED
    assert judge_site(Ground([shape for _, shape in pages(each=20)])) is ACCEPTED
