"""A request that travels: small, and judged there as at home; and a driver that serves several."""

from collections import Counter

import pytest
from structure_site import MAIN, pages

from whimbrel.records.url import Url
from whimbrel.structure.driver import Driver
from whimbrel.structure.leads import Link
from whimbrel.structure.likeness import Likeness
from whimbrel.structure.shape import Shape
from whimbrel.structure.wanted import Judge, Wanted, decode, encode


def likeness(kind: str) -> Likeness:
    examples = [shape for own, shape in pages(each=5, seed=7) if own == kind][:3]
    return Likeness(examples, [shape for _, shape in pages(each=20, seed=8)], ["one", "two", "three"])


def travelled(kind: str, number: int = 1, rarity: float = 1.0) -> Wanted:
    arrived = decode(encode(likeness(kind).wanted(number, rarity)))
    assert arrived is not None
    return arrived


@pytest.mark.parametrize("kind", MAIN)
def test_a_request_is_judged_there_as_at_home(kind: str) -> None:
    home, judge = likeness(kind), Judge(travelled(kind))
    made = pages(each=40, seed=9)
    assert [judge.judge(shape) for _, shape in made] == [home.judge(shape) for _, shape in made]
    told = Counter((own == kind, judge.judge(shape).alike) for own, shape in made)
    assert told == {(True, True): 40, (False, False): 80}


def test_a_judgement_names_the_nearest_example() -> None:
    examples = [shape for own, shape in pages(each=5, seed=7) if own == "article"][:3]
    judge = Judge(travelled("article"))
    named = {judge.judge(shape).nearest for shape in examples}
    assert named <= {"one", "two", "three"}
    assert judge.judge(Shape(frozenset(), ())).nearest == ""


def test_a_request_is_small() -> None:
    assert len(encode(likeness("article").wanted(1, 1.0))) < 8_000


def test_what_is_no_request_is_refused() -> None:
    assert decode(b"\xc1") is None
    other = likeness("list").wanted(1, 1.0)
    assert decode(encode(other).replace(b"\x01", b"\x63", 1)) is None


def test_a_page_nobody_asked_for_waits_for_the_next_request() -> None:
    driver: Driver[str] = Driver()
    assert driver.want(travelled("article")) == []
    for key, (own, shape) in enumerate(pages(each=5, seed=9)):
        if driver.judge(shape).number is None:
            driver.shelf.put(key, shape, own, 100)
    assert len(driver.shelf) == 10
    assert [page.kept for page in driver.want(travelled("list", number=2))] == ["list"] * 5
    assert driver.done(1)
    assert not driver.done(2)


def test_a_page_serves_the_rarest_request_that_it_is_like() -> None:
    driver: Driver[None] = Driver()
    driver.want(travelled("article", number=1, rarity=0.2))
    driver.want(travelled("article", number=2, rarity=0.9))
    article = next(shape for own, shape in pages(each=1, seed=9) if own == "article")
    assert driver.judge(article).number == 2


def test_a_driver_follows_links_to_the_wanted_kind() -> None:
    made = pages(each=60, seed=9)
    driver: Driver[None] = Driver()
    driver.want(travelled("profile"))
    names = [Url(f"http://site.test/{own}/{key}") for key, (own, _) in enumerate(made)]
    links = driver.notice(Link(name, "", "main>a", 1) for name in names)
    for key, link in enumerate(links):
        driver.prospects.offer(key, link)
    order = []
    while taken := driver.prospects.take():
        key, followed = taken
        own, shape = made[key]
        order.append(own)
        driver.take_in(key, driver.judge(shape), followed, [])
    assert Counter(order[:70])["profile"] >= 55
    assert len(order) == len(made)


def test_an_unasked_driver_matches_nothing() -> None:
    seen = Driver[None]().judge(pages(each=1)[0][1])
    assert seen.number is None
    assert not seen.judged.alike
