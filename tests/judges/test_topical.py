"""The judge of topics: which pages it keeps and why, what links promise, and what it has learned and keeps."""

import pytest
from msgspec.structs import replace

from whimbrel.judges.convening import convene
from whimbrel.judges.judge import Need, Sight
from whimbrel.judges.topical import TopicalJudge
from whimbrel.parse import places
from whimbrel.records.request import TOPIC_RULE, Topical
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.topic.asking import TopicWish, ask
from whimbrel.topic.counting import PageTexts
from whimbrel.topic.searching import DRIFT_PAGES
from whimbrel.topic.strategies import StrategyName
from whimbrel.urls.normal import key as key_of

SITE = "http://topic.test"
SOLAR = "Solar power from panels on the roof: the sun gives power to the solar panels. "
CATS = "Cats sleep on the sofa and purr. The tom cat and the kitten eat fish. "


def url(path: str) -> Url:
    return Url(f"{SITE}{path}")


def request(strategy: str = "learned", scorer: str = "learned", examples: int = 2) -> Topical:
    pages = [PageTexts(url(f"/ex/{number}"), "Solar panels", SOLAR * (3 + number)) for number in range(examples)]
    asked = ask(TopicWish("solar power", "en", strategy=strategy, scorer=scorer), pages)
    assert not isinstance(asked, Verdict)
    return replace(asked.request, number=1)


def sight(path: str, title: str, text: str, links: str = "") -> Sight:
    body = f"<title>{title}</title><meta name=keywords content='{title}'><p>{text}</p>{links}"
    page, tree = places.read(body.encode(), "text/html", 0)
    return Sight(key_of(url(path)), url(path), page, tree, lambda href: (url(href), key_of(url(href))))


def fed(judge: TopicalJudge, pages: int = 30) -> None:
    """Mostly cats, as most of a site is something else."""
    for number in range(pages):
        solar = number % 5 == 0
        judge.look(sight(f"/p/{number}", "Solar" if solar else "Cats", (SOLAR if solar else CATS) * 4))


@pytest.mark.parametrize("scorer", ["learned", "paper"])
@pytest.mark.parametrize("examples", [0, 2])
def test_pages_about_it_are_kept_with_a_reason(scorer: str, examples: int) -> None:
    judge = TopicalJudge([request(scorer=scorer, examples=examples)])
    fed(judge)
    kept = judge.look(sight("/solar/roof", "Solar power", SOLAR * 5))
    assert [one.number for one in kept.serves] == [1]
    assert "about “solar power”" in kept.verdict.reason
    assert "solar" in kept.verdict.reason
    dropped = judge.look(sight("/cats", "Cats", CATS * 5))
    assert not dropped.serves
    assert (dropped.verdict.accepted, dropped.verdict.rule) == (False, TOPIC_RULE)
    assert "was needed by then" in dropped.verdict.reason


def test_reasons_spell_words_as_people_do() -> None:
    judge = TopicalJudge([request(examples=0)])
    text = "Solar power: the batteries of a solar house have the energies of a day. "
    for number in range(30):
        judge.look(sight(f"/p/{number}", "Battery", text * 4 if number % 3 == 0 else CATS * 4))
    reason = judge.look(sight("/roof", "Battery", text * 5)).verdict.reason
    assert "battery" in reason or "batteries" in reason
    assert "batteri " not in reason
    assert "energi " not in reason


def test_what_a_related_word_is_compared_by_is_not_shown() -> None:
    asked = request(examples=0)
    edited = replace(asked, topic="creation", keywords=[("creat", 1.0, ""), ("make", 0.3, "creat")])
    reason = (
        TopicalJudge([edited]).look(sight("/one", "One", "They are creating and have created and make.")).verdict.reason
    )
    assert "creat " not in reason
    assert "it says created 2" in reason


def test_while_nothing_is_known_of_a_site_a_page_has_to_say_all_that_was_asked_for() -> None:
    judge = TopicalJudge([request(examples=0)])
    some = judge.look(sight("/some", "Sun", "The solar eclipse, and what it does to cats. " * 4))
    whole = judge.look(sight("/all", "Sun", SOLAR * 4))
    assert (bool(some.serves), bool(whole.serves)) == (False, True)
    assert "too few pages were met" in some.verdict.reason


def test_a_page_far_from_enough_is_not_looked_at_again() -> None:
    judge = TopicalJudge([request()])
    fed(judge)
    assert not judge.look(sight("/cats/far", "Cats", CATS * 5)).near
    assert judge.look(sight("/solar/near", "Solar", SOLAR * 5)).near


def test_words_in_another_sense_are_not_enough() -> None:
    judge = TopicalJudge([replace(request(examples=0), threshold=0.01)])
    apart = judge.look(sight("/horse", "Horse power", f"A horse has power. {CATS * 20} The solar eclipse."))
    assert not apart.serves
    assert "in another sense" in apart.verdict.reason


def test_a_page_on_the_shelf_is_judged_as_it_would_be_now() -> None:
    judge = TopicalJudge([request()])
    fed(judge)
    look = judge.look(sight("/solar/roof", "Solar power", SOLAR * 5))
    again = judge.again(judge.pack(look))
    assert [one.number for one in again.serves] == [1]


@pytest.mark.parametrize(("examples", "scorer"), [(2, "learned"), (0, "learned"), (2, "paper")])
def test_what_stands_by_counts_that_are_remembered_is_what_a_second_look_says(examples: int, scorer: str) -> None:
    judge = TopicalJudge([replace(request(examples=examples), scorer=scorer)])
    refused: dict[int, bytes] = {}
    changed = 0
    for number in range(80):
        solar = number < 25  # at first most pages say something of it, later none
        one = sight(f"/p/{number}", "Page", SOLAR * (solar * (2 + number % 2)) + CATS * (3 + number % 9))
        look = judge.look(one)
        if not look.serves:
            refused[one.key] = judge.pack(look)
        for key, packed in refused.items() if look.relearned else ():
            wanted = bool(judge.again(packed).serves)
            assert not (wanted and judge.stands(key)), "a page that would be wanted now is looked at again"
            changed += wanted
    assert refused
    assert scorer == "paper" or changed, "none was wanted later: nothing was tried"


def test_of_a_page_that_is_not_remembered_nothing_is_said() -> None:
    judge = TopicalJudge([request()])
    fed(judge)
    assert not judge.stands(4711)


def test_a_page_on_the_shelf_is_counted_anew_for_another_topic() -> None:
    judge = TopicalJudge([request()])
    fed(judge)
    packed = judge.pack(judge.look(sight("/solar/cats", "Solar cats", SOLAR * 2 + CATS * 5)))
    shown = [PageTexts(url(f"/ex/{number}"), "Cats", CATS * (3 + number)) for number in range(2)]
    asked = ask(TopicWish("kitten", "en"), shown)
    assert not isinstance(asked, Verdict)
    other = TopicalJudge([replace(asked.request, number=2)])
    assert "it says cat 12" in other.again(packed).verdict.reason


def test_links_that_are_not_to_be_followed_are_not_looked_at_again() -> None:
    judge = TopicalJudge([request()])
    elsewhere = key_of(url("/elsewhere"))
    links = "<a href=/elsewhere>solar</a><a href=/here>solar</a>"
    first = sight("/one", "Solar", SOLAR, links)
    first.shut = [elsewhere]
    looks = [judge.look(first), judge.look(sight("/two", "Solar", SOLAR, links))]
    assert [set(look.trace.links) for look in looks] == [{key_of(url("/here"))}] * 2


def test_what_is_not_asked_for_is_not_looked_at() -> None:
    assert convene([request()]).needs == Need.LINKS


@pytest.mark.parametrize("strategy", list(StrategyName))
def test_every_strategy_says_what_links_promise(strategy: str) -> None:
    judge = TopicalJudge([request(strategy)])
    for number in range(80):
        solar = number % 3 == 0
        kind = "solar" if solar else "cats"
        links = "".join(f"<a href=/{kind}/{number + step}>{kind} {number + step}</a>" for step in range(1, 4))
        looked = judge.look(sight(f"/{kind}/{number}", kind, (SOLAR if solar else CATS) * 4, links))
        for link in looked.trace.links:
            score = judge.score(looked, link)
            assert score is not None
            assert 0 <= score <= 1.2
    sun, cat = (judge.promise(key_of(url(f"/{kind}/62")), url(f"/{kind}/62")) for kind in ("solar", "cats"))
    if strategy in ("learned", "best", "shark", "fish"):
        assert sun > cat


def test_what_was_learned_is_kept_and_used_by_the_next() -> None:
    first = TopicalJudge([request()])
    for number in range(60):
        kind = "solar" if number % 3 == 0 else "cats"
        links = "".join(f"<a href=/{kind}/{number + step}>more</a>" for step in range(1, 4))
        first.look(sight(f"/{kind}/{number}", kind, (SOLAR if kind == "solar" else CATS) * 4, links))
    fits = first.fitted()
    assert [fit.number for fit in fits] == [1], "the latest alone"
    assert fits[-1].fitted_on == 60, "all that was learned when it was asked for"
    assert first.fitted() == [], "told once"
    later = TopicalJudge([replace(request(), wanted=fits[-1].wanted, fitted_on=fits[-1].fitted_on)])
    new = TopicalJudge([request()])

    def leaning(judge: TopicalJudge) -> float:
        return judge.promise(1, url("/solar/999")) - judge.promise(2, url("/cats/999"))

    assert leaning(later) > leaning(new)
    assert TopicalJudge([replace(request(), wanted=b"nonsense", fitted_on=50)]).fitted() == []


def test_what_was_learned_for_a_request_that_has_all_it_asked_for_is_told_still() -> None:
    judge = TopicalJudge([request()])
    fed(judge)
    judge.done(1)
    assert [(fit.number, fit.fitted_on) for fit in judge.fitted()] == [(1, 30)]


def test_drift_is_said_once() -> None:
    judge = TopicalJudge([replace(request(), threshold=0.001)])
    for number in range(3 * DRIFT_PAGES):
        text = SOLAR * 4 if number < DRIFT_PAGES else f"{SOLAR} {CATS * 30}"
        judge.look(sight(f"/p/{number}", "Page", text))
    notes = judge.notes()
    assert len(notes) == 1
    assert "drifts from “solar power”" in notes[0]
    assert judge.notes() == []


def test_a_site_in_another_language_is_said() -> None:
    judge = TopicalJudge([request()])
    for number in range(60):
        judge.look(sight(f"/p/{number}", "Katzen", "Katzen schlafen gern auf dem Sofa."))
    assert any("none of the first 50 pages says a word of the topic" in note for note in judge.notes())
