"""Opinions of pages, from logs of readers whose taste is known."""

import random

from whimbrel.behaviour.opinions import ANY, PageOpinion, for_question, opinions
from whimbrel.records.deed import Action, Deed
from whimbrel.records.url import Url

GOOD, DULL, UNMET = (Url(f"http://a.example/{name}") for name in ("good", "dull", "unmet"))
OF_INTEREST = {Action.SCROLL: 1.0, Action.COPY: 1.0, Action.FAVOURITE: 1.0, Action.ACTIVE: 90.0}


def words(page: Url) -> int:
    return 400


def read(reader: int, page: Url, did: dict[Action, float], query: str = "tides") -> list[Deed]:
    return [Deed(reader, 100.0 * reader, page, 1, action, amount, query) for action, amount in did.items()]


def test_what_readers_did_raises_a_page_and_no_page_is_punished_for_having_none() -> None:
    told = [deed for reader in range(1, 7) for deed in read(reader, GOOD, OF_INTEREST)]
    told += [deed for reader in range(1, 7) for deed in read(reader, DULL, {Action.BACK: 1.0, Action.ACTIVE: 2.0})]
    made = opinions(told, words)
    assert made[ANY, GOOD].weight > 3.0
    assert made[ANY, GOOD].value > 0.5
    assert made[ANY, DULL].pattern == 0.5
    assert made[ANY, GOOD].time > 0.5 > made[ANY, DULL].time
    assert (ANY, UNMET) not in made
    assert PageOpinion().value == 0.5


def test_one_reader_or_two_make_no_pattern() -> None:
    alone = [deed for _ in range(50) for deed in read(1, GOOD, OF_INTEREST)]
    assert opinions(alone, words)[ANY, GOOD].pattern == 0.5
    two = alone + read(2, GOOD, OF_INTEREST)
    assert opinions(two, words)[ANY, GOOD].pattern == 0.5
    assert opinions(two + read(3, GOOD, OF_INTEREST), words)[ANY, GOOD].pattern > 0.5


def shown(reader: int, at: float, pages: list[Url], opened: set[Url]) -> list[Deed]:
    told = [Deed(reader, at, page, 0, Action.SHOWN, 1.0, "tides", rank) for rank, page in enumerate(pages, 1)]
    return told + [Deed(reader, at + 5, page, 0, Action.OPENED, 1.0, "tides") for page in pages if page in opened]


def test_a_click_far_down_says_more_than_one_at_the_top() -> None:
    chance = random.Random(3)
    pages = [Url(f"http://a.example/{number}") for number in range(6)]
    told = []
    for reader in range(300):
        looked = chance.choices(range(1, 7), weights=[6, 5, 4, 3, 2, 1])[0]
        liked = {page for page in pages[:looked] if chance.random() < (0.8 if page == pages[3] else 0.25)}
        told += shown(reader, 0.0, pages, liked)
    made = opinions(told, words)
    value = {page: made["tides", page].clicks for page in pages}
    assert max(value, key=lambda page: value[page]) == pages[3]


def test_asking_again_and_again_is_heard_once() -> None:
    pages = [GOOD, DULL]
    others = [deed for reader in range(10) for deed in shown(reader, 0.0, pages, {GOOD})]
    robot = [deed for hour in range(500) for deed in shown(99, 3600.0 * hour, pages, {DULL})]
    one_more = shown(99, 0.0, pages, {DULL})
    loud, once = opinions(others + robot, words), opinions(others + one_more, words)
    assert abs(loud["tides", DULL].clicks - once["tides", DULL].clicks) < 0.02


def test_nonsense_in_the_log_moves_nothing() -> None:
    told = [deed for reader in range(1, 4) for deed in read(reader, GOOD, OF_INTEREST)]
    forged = [
        Deed(9, 0.0, GOOD, 1, Action.COPY, float("nan")),
        Deed(9, 0.0, GOOD, 1, Action.ACTIVE, -5.0),
        Deed(9, float("inf"), GOOD, 1, Action.SAVE, float("inf")),
    ]
    assert opinions(told + forged, words) == opinions(told, words)


def starred(reader: int, page: Url, stars: float, query: str) -> Deed:
    return Deed(reader, 100.0 * reader, page, 1, Action.STARS, stars, query)


def test_what_readers_of_a_question_found_holds_for_it_before_what_others_found() -> None:
    told = [starred(reader, GOOD, 5.0, "tides") for reader in range(10)]
    told += [starred(reader, GOOD, 1.0, "harbours") for reader in range(10, 20)]
    told += [starred(reader, DULL, 3.0, "tides") for reader in range(20, 30)]
    made = opinions(told, words)
    assert made["tides", GOOD].stars > made[ANY, GOOD].stars > made["harbours", GOOD].stars
    seen = PageOpinion(readers=1)
    assert for_question(made[ANY, GOOD], made["tides", GOOD]).stars == made["tides", GOOD].stars
    assert for_question(made[ANY, GOOD], seen).stars == made[ANY, GOOD].stars, "nobody gave any for this question"


def test_an_opinion_that_is_sure_counts_twice_and_none_stays_none() -> None:
    guessed, known = PageOpinion(clicks=0.75), PageOpinion(clicks=0.75, sure=1.0)
    assert guessed.value == 0.75
    assert known.value == 0.9
    assert PageOpinion(sure=1.0).value == 0.5
