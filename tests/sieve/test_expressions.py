"""Expressions over pages: what is said of wrong ones, and what becomes of those that cost too much."""

import os
import signal
from collections.abc import Iterator

import pytest

from whimbrel.records.sifting import KEEP_RULE, Facts, PageFilter
from whimbrel.sieve.asking import MOST_ENDINGS, Sieve, SieveError
from whimbrel.sieve.wire import SieveLimits

PAGE: Facts = {
    "url": "https://example.org/a", "path": "/a", "title": "Über Brote", "text": "Brot und Wein", "language": "de",
    "words": 3, "headings": ["Brot"] * 40, "data": ["Recipe"], "links": [], "date": 1_600_000_000.0,
}  # fmt: skip
NESTED = "page.headings.{}(a, page.headings.map(b, page.headings.map(c, page.headings.map(d, a+b+c+d)))).size() > 0"
SHORT = SieveLimits(cpu_seconds=0.05, address_space_bytes=300 << 20)


@pytest.fixture
def sieves() -> Iterator[list[Sieve]]:
    opened: list[Sieve] = []
    yield opened
    for sieve in opened:
        sieve.close()


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("page.words >", "character 13: something is missing at the end"),
        ("page.words > 3 &&\n  page.wrods < 9", "line 2, character 8: a page has no `wrods`; did you mean `words`?"),
        ("words > 3", "character 1: `words` stands for nothing; did you mean `page.words`?"),
        ("page.title.contain('x')", "there is no function `contain`; did you mean `contains`?"),
        ("page.words", "it gives a number, not true or false"),
        ("page.words + 'x' == 'y'", "the expression fails"),
        ("(" * 200, "character 97: it is nested too deeply"),
        ("(" * 100_000, "it cannot be read as an expression"),
    ],
)
def test_what_is_wrong_is_said_before_any_page_is_looked_at(expression: str, words: str) -> None:
    sieve = Sieve(PageFilter(expression))
    with pytest.raises(SieveError) as error:
        sieve.check()
    assert words in str(error.value)
    assert sieve.pid is None


def test_a_name_within_a_text_is_no_name(sieves: list[Sieve]) -> None:
    sieves.append(sieve := Sieve(PageFilter("page.text != 'page.wrods' && !page.headings.exists(h, h == 'nofun()')")))
    sieve.check()
    assert sieve.judge(PAGE).accepted


def test_pages_pass_or_are_refused_with_the_reason(sieves: list[Sieve]) -> None:
    asked = 'page.language == "de" && page.words > 2 && page.date > timestamp("2020-01-01T00:00:00Z")'
    sieves.append(sieve := Sieve(PageFilter(asked)))
    assert sieve.judge(PAGE).accepted
    verdict = sieve.judge({**PAGE, "words": 2})
    assert (verdict.rule, verdict.reason) == (KEEP_RULE, f"not {asked}")
    undated = {name: fact for name, fact in PAGE.items() if name != "date"}
    assert "has no date" in sieve.judge(undated).reason
    assert {name for name in ("url", "words", "data", "date", "links") if sieve.asks(name)} == {"words", "date"}


def test_an_expression_without_end_is_ended_and_the_next_page_is_judged(sieves: list[Sieve]) -> None:
    sieves.append(sieve := Sieve(PageFilter(NESTED.format("map")), SHORT))
    sieve.check()
    first = sieve.pid
    verdict = sieve.judge(PAGE)
    assert verdict.reason == "the filter was ended: it took more than 0.05 s of processor time"
    assert sieve.judge({**PAGE, "headings": ["Brot"]}).accepted
    assert sieve.pid != first


def test_one_that_is_ended_again_and_again_is_not_asked_any_more(sieves: list[Sieve]) -> None:
    sieves.append(sieve := Sieve(PageFilter(NESTED.format("map")), SHORT))
    for _ in range(MOST_ENDINGS):
        assert "was ended" in sieve.judge(PAGE).reason
    assert "not asked any more" in sieve.judge(PAGE).reason
    assert sieve.pid is None
    assert [note for note in sieve.notes() if "no further page passes it" in note]
    assert not sieve.notes()


def test_a_few_pages_that_end_it_do_not_keep_all_others_out(sieves: list[Sieve]) -> None:
    sieves.append(sieve := Sieve(PageFilter(NESTED.format("map")), SHORT))
    for _ in range(MOST_ENDINGS):
        assert "was ended" in sieve.judge(PAGE).reason
        assert sieve.judge({**PAGE, "headings": ["Brot"]}).accepted
    assert "it took more than" in sieve.judge(PAGE).reason
    assert not sieve.notes()


def test_one_that_eats_memory_is_ended(sieves: list[Sieve]) -> None:
    doubled = "+".join(["page.text"] * 64)
    limits = SieveLimits(cpu_seconds=60.0, address_space_bytes=300 << 20)
    sieves.append(sieve := Sieve(PageFilter(f"size({doubled}) > 0"), limits))
    verdict = sieve.judge({**PAGE, "text": "x" * 20_000_000})
    assert not verdict.accepted
    assert "memory" in verdict.reason
    assert sieve.judge(PAGE).accepted


def test_whoever_kills_its_process_costs_no_page(sieves: list[Sieve]) -> None:
    sieves.append(sieve := Sieve(PageFilter("page.words == 3")))
    sieve.check()
    assert sieve.pid is not None
    os.kill(sieve.pid, signal.SIGKILL)
    assert sieve.judge(PAGE).accepted
