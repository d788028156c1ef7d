"""Links: what is learned from those followed, what is tried for the first time, and what comes next."""

from collections import deque

from hypothesis import given, settings
from hypothesis import strategies as st

from whimbrel.judges.prospects import RESCORED_EVERY, Prospects
from whimbrel.records.url import Url
from whimbrel.structure.leads import SLOTS, Leads, LinkTraits, Noticing, Traits, rarity

TRAITS = st.builds(
    lambda slots, sorts: Traits(tuple(sorted(slots)), sorts),
    st.frozensets(st.integers(0, SLOTS - 1), min_size=1, max_size=8),
    st.tuples(st.integers(0, SLOTS - 1), st.integers(0, SLOTS - 1)),
)
LESSONS = st.lists(st.tuples(TRAITS, st.floats(0, 1), st.floats(0, 1)), max_size=20)


def link(path: str, words: str = "", place: str = "ul>li>a", source: int = 1) -> Traits:
    return Noticing().traits(LinkTraits(Url(f"http://site.test/{path}"), words, place, source))


def taught(lessons: list[tuple[Traits, float, float]]) -> Leads:
    leads = Leads()
    for lesson in lessons:
        leads.learn(*lesson)
    return leads


def test_links_like_those_that_matched_come_first() -> None:
    lessons = [(link(f"shop/item-{n}.html"), 1.0, 0.0) for n in range(5)]
    lessons += [(link(f"help/{name}.html"), 0.0, 0.0) for name in ("faq", "terms", "about")]
    leads = taught(lessons)
    assert leads.value(link("shop/item-99.html")) > 2 * leads.value(link("help/contact.html"))


def test_words_and_places_tell_where_the_url_does_not() -> None:
    one, other = "main>ul.results>a", "footer>a"
    lessons = [(link(f"{n}", "view details", one), 1.0, 0.0) for n in range(8)]
    lessons += [(link(f"{n}", "imprint", other), 0.0, 0.0) for n in range(10, 18)]
    leads = taught(lessons)
    assert leads.value(link("77", "view details", one)) > leads.value(link("78", "imprint", one))
    assert leads.value(link("77", "imprint", one)) > leads.value(link("78", "imprint", other))


def test_a_page_that_leads_to_matches_is_worth_a_visit_though_it_does_not_match() -> None:
    lessons = [(link("list", "more", "nav>a"), 0.0, 1.0), (link("about", "us", "footer>a"), 0.0, 0.0)] * 10
    leads = taught(lessons)
    assert leads.value(link("list", "more", "nav>a")) > 3 * leads.value(link("about", "us", "footer>a"))
    assert leads.promise([link("list", "more", "nav>a")] * 5) > leads.promise([link("about", "us", "footer>a")] * 5)
    assert leads.promise([]) == 0.0


def test_a_sort_of_link_that_was_never_tried_is_worth_more_than_one_that_failed_often() -> None:
    leads = taught([(link(f"a/{n}"), 0.0, 0.0) for n in range(30)])
    known, new = link("a/99"), link("b/x/y.php?z=1", "other", "table>a", 2)
    assert leads.score(new) > leads.score(known)
    assert leads.score(known) > leads.value(known)


@given(LESSONS, TRAITS)
@settings(max_examples=60)
def test_scores_stay_in_bounds_and_survive_packing(lessons: list[tuple[Traits, float, float]], asked: Traits) -> None:
    leads = taught(lessons)
    assert 0.0 <= leads.value(asked) <= 1.0
    again = Leads.from_bytes(leads.to_bytes())
    assert abs(again.score(asked) - leads.score(asked)) < 1e-4
    assert again.to_bytes() == Leads.from_bytes(again.to_bytes()).to_bytes()


def test_what_cannot_be_read_is_nothing_learned() -> None:
    asked = link("a")
    assert Leads.from_bytes(b"\xc1 not a lesson").score(asked) == Leads().score(asked)


def test_rare_structures_come_first() -> None:
    assert rarity(0, 1_000) == 1.0 > rarity(20, 1_000) > rarity(500, 1_000) > 0.0
    assert rarity(0, 0) == 1.0


def test_the_most_promising_come_first_and_of_equals_the_oldest() -> None:
    leads = taught([(link("good/a"), 1.0, 0.0), (link("bad/a"), 0.0, 0.0)] * 10)
    links = {1: link("bad/b"), 2: link("good/b"), 3: link("bad/b"), 4: link("good/b")}
    prospects: Prospects[int] = Prospects(lambda page: page, lambda page: leads.score(links[page]))
    assert prospects.ordered([1, 2, 3, 4], 0) == [2, 4, 1, 3]


def test_what_is_learned_shows_in_the_order_after_a_while_and_new_pages_are_scored_at_once() -> None:
    promise = {1: 0.1, 2: 0.2}
    prospects: Prospects[int] = Prospects(lambda page: page, promise.__getitem__)
    assert prospects.ordered([1, 2], 0) == [2, 1]
    promise |= {1: 0.9, 3: 0.15}
    assert prospects.ordered([1, 2, 3], 1) == [2, 3, 1]
    assert prospects.ordered([1, 2, 3], RESCORED_EVERY) == [1, 2, 3]


def test_a_page_that_fell_since_it_was_put_in_order_gives_way() -> None:
    promise = {1: 0.9, 2: 0.8, 3: 0.5, 4: 0.1}
    prospects: Prospects[int] = Prospects(lambda page: page, promise.__getitem__)
    queue = deque(prospects.ordered([1, 2, 3, 4], 0))
    promise |= {1: 0.3, 2: 0.05, 4: 1.0}
    prospects.freshen(queue, 1)
    assert list(queue) == [3, 1, 4, 2], "what rose is noticed later"
    prospects.freshen(queue, RESCORED_EVERY)
    assert list(queue) == [4, 3, 1, 2]
