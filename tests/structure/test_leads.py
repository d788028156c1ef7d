"""Links: what is learned from those followed, what is tried for the first time, and what comes next."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from whimbrel.records.url import Url
from whimbrel.structure.leads import SLOTS, Leads, Link, Noticing, Traits, rarest_first, rarity
from whimbrel.structure.prospects import Prospects

TRAITS = st.builds(
    lambda slots, sorts: Traits(tuple(sorted(slots)), sorts),
    st.frozensets(st.integers(0, SLOTS - 1), min_size=1, max_size=8),
    st.tuples(st.integers(0, SLOTS - 1), st.integers(0, SLOTS - 1)),
)
LESSONS = st.lists(st.tuples(TRAITS, st.floats(0, 1), st.floats(0, 1)), max_size=20)


def link(path: str, words: str = "", place: str = "ul>li>a", source: int = 1) -> Traits:
    return Noticing().traits(Link(Url(f"http://site.test/{path}"), words, place, source))


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
@settings(max_examples=60, deadline=None)
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
    assert rarest_first([(1, 500), (2, 0), (3, 20)], pages=1_000) == [2, 3, 1]
    assert rarity(0, 1_000) == 1.0 > rarity(20, 1_000) > rarity(500, 1_000) > 0.0
    assert rarity(0, 0) == 1.0


def test_the_most_promising_is_taken_first_and_each_page_once() -> None:
    leads = taught([(link("good/a"), 1.0, 0.0), (link("bad/a"), 0.0, 0.0)] * 10)
    prospects: Prospects[int] = Prospects(leads)
    for key, path in [(1, "bad/b"), (2, "good/b"), (3, "bad/c"), (2, "bad/b")]:
        prospects.offer(key, link(path))
    taken = [prospects.take() for _ in range(4)]
    assert [one[0] if one else None for one in taken] == [2, 1, 3, None]


def test_a_queue_follows_what_is_learned_while_it_waits() -> None:
    leads = Leads()
    prospects: Prospects[int] = Prospects(leads)
    chance = Random(3)
    for key in range(400):
        prospects.offer(key, link(f"{chance.choice(['x', 'y'])}/{key}"))
    sides = []
    for _ in range(200):
        taken = prospects.take()
        assert taken is not None
        good = taken[1].sorts == link("x/1").sorts
        sides.append(good)
        leads.learn(taken[1], float(good), 0.0)
    assert sum(sides[-100:]) > 90


def test_a_queue_that_is_full_forgets_the_least_promising() -> None:
    leads = taught([(link("good/a"), 1.0, 0.0), (link("bad/a"), 0.0, 0.0)] * 10)
    prospects: Prospects[int] = Prospects(leads, most=10)
    for key in range(21):
        prospects.offer(key, link("good/b" if key % 2 else "bad/b"))
    assert len(prospects) == 10
    taken = prospects.take()
    assert taken is not None
    assert taken[0] % 2
