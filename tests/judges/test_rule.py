"""Rules that a user writes over judges."""

import pytest
from test_panel import ITEMS, LANTERNS, looked, sight

from shop_site import item, story
from whimbrel.judges.convening import convene, rule_over
from whimbrel.judges.rule import holds
from whimbrel.records.request import LANGUAGE_RULE, RULE, WORDS_RULE
from whimbrel.records.verdict import Verdict

GERMAN = (
    "<html lang=de><body><main><p>Ein Kranich und eine lantern, said sie, stehen am Ufer des Sees und warten auf den "
    "Abend, der in dieser Jahreszeit schnell kommt.</main></body></html>"
)
BOTH = item(4).replace(">buy<", ">said lantern<")


def wanted(rule: str, **by: bool) -> bool | None:
    read = rule_over([ITEMS, LANTERNS], rule)
    assert not isinstance(read, Verdict), read.reason
    judges = {"like": RULE, "words": WORDS_RULE}
    says = {judges[name]: told for name, told in by.items()}
    return holds(read, lambda one: one.code == "de" if one.judge == LANGUAGE_RULE else says.get(one.judge))


def test_not_binds_closest_then_and() -> None:
    assert wanted("like or words and not language:de", like=True, words=False)
    assert not wanted("(like or words) and not language:de", like=True, words=True)
    assert wanted("not like and words", like=False, words=True)
    assert not wanted("not (like or words)", like=False, words=True)


def test_what_cannot_be_told_stays_open_only_where_it_matters() -> None:
    assert wanted("like or words", like=True) is True
    assert wanted("like or words", like=False) is None
    assert wanted("like and words", like=False) is False
    assert wanted("not words") is None


@pytest.mark.parametrize(
    ("rule", "complaint"),
    [
        ("", "a judge is missing"),
        ("like and", "a judge is missing"),
        ("like words", "stands where `and` or `or`"),
        ("(like or words", "a ) is missing"),
        ("like or picture", "is none of like, topic, words, shows, language:CODE"),
        ("like and topic", "asks for nothing of that kind"),
        ("language:de", "no judge but languages"),
        ("like and language:1", "names no language"),
        ("not " * 3_000 + "like", "more than 50 parts"),
        ("(" * 3_000, "more than 50 parts"),
    ],
)
def test_nonsense_is_refused_with_its_reason(rule: str, complaint: str) -> None:
    told = rule_over([ITEMS, LANTERNS], rule)
    assert isinstance(told, Verdict)
    assert complaint in told.reason


def test_a_page_says_what_it_was_kept_for_and_why_not() -> None:
    panel = convene([ITEMS, LANTERNS], "words and (like or language:de)")
    built = looked(panel, "/item/4", BOTH)
    assert sorted(built.numbers) == [1, 2]
    assert "built as asked for" in built.verdict.reason
    german = looked(panel, "/kranich", GERMAN)
    assert (german.verdict.accepted, german.numbers) == (True, [2])
    assert "in the language “de”" in german.verdict.reason
    english = looked(panel, "/story/4", story(4, [4], 9))
    assert not english.verdict.accepted
    assert "asked for is: words and (like or language:de)" in english.verdict.reason
    for one in (built, german, english):
        again = panel.again(panel.pack(one))
        assert again is not None
        assert (again.verdict.accepted, sorted(again.numbers)) == (one.verdict.accepted, sorted(one.numbers))


def test_a_judge_that_is_not_named_keeps_nothing() -> None:
    panel = convene([ITEMS, LANTERNS], "not like and language:en or words")
    assert looked(panel, "/item/5", item(5)).numbers == []


def test_what_has_no_elements_is_judged_where_it_can_be_wanted() -> None:
    assert not convene([ITEMS, LANTERNS], "like and words").judges_words
    panel = convene([ITEMS, LANTERNS], "words and not like")
    assert panel.judges_words
    paper = sight("/a.pdf", GERMAN)
    assert panel.look_at_words(paper).numbers == [2]
