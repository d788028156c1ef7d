"""A request that travels: small, and judged there as at home; and a driver that serves several."""

from collections import Counter

import pytest
from msgspec import structs
from structure_site import MAIN, pages

from whimbrel.records.url import Url
from whimbrel.structure.driver import Driver
from whimbrel.structure.leads import LinkTraits
from whimbrel.structure.likeness import KindLikeness
from whimbrel.structure.shape import Shape
from whimbrel.structure.wanted import VERSION, KindJudge, Wanted, decode, encode


def likeness(kind: str) -> KindLikeness:
    examples = [shape for own, shape in pages(each=5, seed=7) if own == kind][:3]
    return KindLikeness(examples, [shape for _, shape in pages(each=20, seed=8)], ["one", "two", "three"])


def travelled(kind: str, number: int = 1, rarity: float = 1.0) -> Wanted:
    arrived = decode(encode(likeness(kind).wanted(number, rarity)))
    assert arrived is not None
    return arrived


@pytest.mark.parametrize("kind", MAIN)
def test_a_request_is_judged_there_as_at_home(kind: str) -> None:
    home, judge = likeness(kind), KindJudge(travelled(kind))
    made = pages(each=40, seed=9)
    assert [judge.judge(shape) for _, shape in made] == [home.judge(shape) for _, shape in made]
    told = Counter((own == kind, judge.judge(shape).alike) for own, shape in made)
    assert told == {(True, True): 40, (False, False): 80}


def test_a_judgement_names_the_nearest_example() -> None:
    examples = [shape for own, shape in pages(each=5, seed=7) if own == "article"][:3]
    judge = KindJudge(travelled("article"))
    named = {judge.judge(shape).nearest for shape in examples}
    assert named <= {"one", "two", "three"}
    assert judge.judge(Shape(frozenset(), ())).nearest == ""


def test_a_request_is_small() -> None:
    assert len(encode(likeness("article").wanted(1, 1.0))) < 8_000


def test_what_is_no_request_is_refused() -> None:
    assert decode(b"\xc1") is None
    other = likeness("list").wanted(1, 1.0)
    assert decode(encode(structs.replace(other, version=VERSION + 1))) is None


def test_requests_come_and_go() -> None:
    driver = Driver()
    driver.want(travelled("article", number=1))
    driver.want(travelled("list", number=2))
    article, listing = (next(s for own, s in pages(each=1, seed=9) if own == kind) for kind in ("article", "list"))
    assert (driver.judge(article).numbers, driver.judge(listing).numbers) == ((1,), (2,))
    assert driver.done(1)
    assert driver.judge(article).numbers == ()
    assert not driver.done(2)


def test_a_page_serves_the_rarest_request_that_it_is_like_before_the_others() -> None:
    driver = Driver()
    driver.want(travelled("article", number=1, rarity=0.2))
    driver.want(travelled("article", number=2, rarity=0.9))
    article = next(shape for own, shape in pages(each=1, seed=9) if own == "article")
    assert driver.judge(article).numbers == driver.numbers == (2, 1)


def test_links_to_the_rarer_of_two_kinds_are_worth_more() -> None:
    driver = Driver()
    driver.want(travelled("article", number=1, rarity=0.1))
    driver.want(travelled("profile", number=2, rarity=0.9))
    made = [(own, shape) for own, shape in pages(each=30, seed=9) if own != "list"]
    links = {own: driver.notice([LinkTraits(Url(f"http://site.test/{own}/1"), "", "main>a", 1)])[0] for own, _ in made}
    for key, (own, shape) in enumerate(made):
        driver.take_in(key, driver.judge(shape), links[own], [], [])
    assert driver.leads.value(links["profile"]) > driver.leads.value(links["article"]) > 0.2


def test_a_driver_follows_links_to_the_wanted_kind() -> None:
    made = pages(each=60, seed=9)
    driver = Driver()
    driver.want(travelled("profile"))
    names = [Url(f"http://site.test/{own}/{key}") for key, (own, _) in enumerate(made)]
    links = driver.notice(LinkTraits(name, "", "main>a", 1) for name in names)
    waiting = list(range(len(made)))
    order = []
    while waiting:
        key = max(waiting, key=lambda one: driver.leads.score(links[one]))
        waiting.remove(key)
        own, shape = made[key]
        order.append(own)
        driver.take_in(key, driver.judge(shape), links[key], [], [])
    assert Counter(order[:70])["profile"] >= 55


def test_an_example_shows_where_such_pages_are() -> None:
    driver = Driver()
    near, far = driver.notice(LinkTraits(Url(f"http://site.test/{path}"), "", "", 0) for path in ("coin/7", "help/7"))
    before = driver.leads.value(near) - driver.leads.value(far)
    driver.show([Url("http://site.test/coin/3")])
    assert driver.leads.value(near) - driver.leads.value(far) > before


def test_links_to_pages_fetched_before_are_lessons() -> None:
    driver = Driver()
    driver.want(travelled("profile"))
    profile = next(shape for own, shape in pages(each=1, seed=9) if own == "profile")
    (link,) = driver.notice([LinkTraits(Url("http://site.test/a/1"), "see", "main>a", 1)])
    driver.take_in(1, driver.judge(profile), None, [], [])
    before = driver.leads.value(link)
    driver.take_in(2, driver.judge(Shape(frozenset(), ())), None, [], [(1, link), (77, link)])
    assert driver.leads.value(link) > before


def test_an_unasked_driver_matches_nothing() -> None:
    seen = Driver().judge(pages(each=1)[0][1])
    assert seen.numbers == ()
    assert not seen.judged.alike
