"""Rules for a site's URLs: learned, applied, sampled, withdrawn."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.dedupe.dust import (
    DEARER,
    LEAST_SHARE,
    LEAST_SUPPORT,
    MOST_RULES,
    NO_RULES,
    OPEN_VALUES,
    Evidence,
    Rules,
    RuleState,
    observe,
    redundant,
    rewrite,
    sampled,
    undo,
)
from whimbrel.dedupe.rewrites import EVERYWHERE, RewriteKind, RewriteRule
from whimbrel.records.url import Url

SID = RewriteRule("x.org", EVERYWHERE, RewriteKind.PARAMETER, "sid")
SHOP = RewriteRule("x.org", "/shop/", RewriteKind.PARAMETER, "sid")


def url(number: int, place: str = "shop") -> Url:
    return Url(f"http://x.org/{place}/{number}?sid={number}")


def rewritten(rules: Rules, one: Url) -> tuple[Url, RewriteRule | None]:
    made, standing = rewrite(rules, one)
    return made, standing.rule if standing else None


def seen(rules: Rules, count: int, *, same: bool = True, place: str = "shop", rule: RewriteRule = SID) -> Rules:
    for number in range(count):
        rules = observe(rules, Evidence(url(number, place), rule, same))
    return rules


def state(rules: Rules, rule: RewriteRule) -> RuleState:
    return next(one.state for one in rules.standings if one.rule == rule)


def test_nothing_is_known_at_first() -> None:
    assert rewritten(NO_RULES, url(1)) == (url(1), None)


def test_a_rule_is_learned_where_enough_was_seen() -> None:
    few = seen(NO_RULES, LEAST_SUPPORT - 1)
    assert rewritten(few, url(3)) == (url(3), None)
    enough = seen(NO_RULES, OPEN_VALUES)
    assert rewritten(enough, url(9)) == ("http://x.org/shop/9", SHOP)
    assert rewritten(enough, url(9, "blog")) == (url(9, "blog"), None)


def test_a_parameter_is_dropped_for_the_values_seen_and_for_new_ones_once_they_never_end() -> None:
    """`?page=1` is every list as it is; `?page=2` is not, and nobody has seen it yet."""
    page = RewriteRule("x.org", EVERYWHERE, RewriteKind.PARAMETER, "page")
    rules = NO_RULES
    for number in range(100):
        rules = observe(rules, Evidence(Url(f"http://x.org/list/{number}?page=1"), page, True))
    assert rewritten(rules, Url("http://x.org/list/7?page=1"))[0] == "http://x.org/list/7"
    assert rewritten(rules, Url("http://x.org/list/7?page=2")) == ("http://x.org/list/7?page=2", None)
    assert rewritten(rules, Url("http://x.org/list/7?page=1&page=2"))[1] is None
    few, many = seen(NO_RULES, OPEN_VALUES - 1), seen(NO_RULES, OPEN_VALUES)
    assert rewritten(few, url(1000)) == (url(1000), None)
    assert rewritten(many, url(1000))[1] == SHOP


def test_a_young_rule_is_tried_more_often() -> None:
    shares = [next(one for one in seen(NO_RULES, many).learned).share for many in (5, 10, 30, 60, 600)]
    assert shares == [0.6, 0.3, 0.1, LEAST_SHARE, LEAST_SHARE]


def test_two_sections_speak_for_the_whole_site() -> None:
    rules = seen(seen(NO_RULES, OPEN_VALUES), 1, place="blog")
    assert rewritten(rules, url(9, "news"))[0] == "http://x.org/news/9"
    assert state(rules, SID) is RuleState.LEARNED
    assert [redundant(rules, one) for one in rules.learned] == [False, True]


def test_one_section_that_disagrees_keeps_the_rule_to_the_others() -> None:
    rules = seen(seen(NO_RULES, 20), 6, place="talks", same=False)
    assert rewritten(rules, url(9))[1] == SHOP
    assert rewritten(rules, url(9, "talks"))[1] is None


def test_a_rule_that_turns_false_is_caught_by_its_samples_and_withdrawn() -> None:
    """For a thousand pages `sid` was a session; then the shop begins to number its suppliers with it."""
    rules = seen(NO_RULES, 1000)
    assert rewritten(rules, url(1))[1] == SHOP
    fetched = 0
    for number in range(1000, 2000):
        _, rule = rewritten(rules, url(number))
        if rule is None:
            break
        if sampled(url(number), rule, 0.05):
            fetched += 1
            rules = observe(rules, Evidence(url(number), rule, False))
    assert fetched == 2
    assert state(rules, SHOP) is RuleState.WITHDRAWN
    assert rewritten(rules, url(5)) == (url(5), None)


def test_one_page_that_changed_between_two_visits_does_not_withdraw_a_rule() -> None:
    rules = seen(NO_RULES, 100)
    rules = observe(rules, Evidence(url(200), SHOP, False))
    rules = observe(rules, Evidence(url(201), SHOP, True))
    rules = observe(rules, Evidence(url(202), SHOP, False))
    assert state(rules, SHOP) is RuleState.LEARNED


def test_what_was_withdrawn_must_convince_anew_and_more() -> None:
    rules = seen(seen(NO_RULES, LEAST_SUPPORT), 2, same=False)
    assert state(rules, SHOP) is RuleState.WITHDRAWN
    assert state(seen(rules, LEAST_SUPPORT), SHOP) is RuleState.WITHDRAWN
    again = seen(rules, 100)
    assert state(again, SHOP) is RuleState.LEARNED
    assert next(one.needed for one in again.standings if one.rule == SHOP) == DEARER * LEAST_SUPPORT


def test_undone_is_undone() -> None:
    rules = undo(seen(seen(NO_RULES, 10), 10, place="blog"), SID)
    assert rewritten(rules, url(1)) == (url(1), None)
    rules = seen(seen(seen(rules, 500), 500, place="blog"), 500, place="new")
    assert rewritten(rules, url(1)) == (url(1), None)
    assert rewritten(rules, url(1, "new")) == (url(1, "new"), None)
    assert undo(NO_RULES, SID).standings[0].state is RuleState.UNDONE


def test_error_pages_that_are_all_alike_teach_nothing() -> None:
    """A shop says "no such product" for fifty numbers in two hundred: the number is no session for that."""
    product = RewriteRule("x.org", EVERYWHERE, RewriteKind.PARAMETER, "id")
    rules = NO_RULES
    for number in range(200):
        rules = observe(rules, Evidence(Url(f"http://x.org/shop/?id={number}"), product, number % 4 == 0))
    assert rules.learned == ()


def test_several_rules_at_once_and_the_weakest_is_named() -> None:
    print_view = RewriteRule("x.org", EVERYWHERE, RewriteKind.SEGMENT, "print")
    rules = seen(seen(NO_RULES, 30), 30, place="blog")
    for number in range(LEAST_SUPPORT):
        for place in ("shop", "blog"):
            rules = observe(rules, Evidence(Url(f"http://x.org/{place}/print/{number}"), print_view, True))
    made, rule = rewritten(rules, Url("http://x.org/news/print/1?sid=4&id=2"))
    assert (made, rule) == ("http://x.org/news/1?id=2", print_view)


def test_no_two_rules_send_a_url_to_and_fro() -> None:
    there = RewriteRule("x.org", EVERYWHERE, RewriteKind.SCHEME, "http", "https")
    back = RewriteRule("x.org", EVERYWHERE, RewriteKind.SCHEME, "https", "http")
    rules = NO_RULES
    for number in range(10):
        rules = observe(rules, Evidence(Url(f"http://x.org/{number}"), there, True, "redirect"))
        rules = observe(rules, Evidence(Url(f"https://x.org/{number}"), back, True, "redirect"))
    assert [one.rule for one in rules.learned] == [there]


def test_every_turn_others_are_drawn_and_in_the_end_all() -> None:
    drawn = [{number for number in range(200) if sampled(url(number), SID, 0.05, turn)} for turn in range(200)]
    assert drawn[0] != drawn[1]
    assert set().union(*drawn) == set(range(200))


@given(st.integers(0, 10**6), st.floats(0, 1))
def test_samples_are_drawn_by_the_url(number: int, share: float) -> None:
    drawn = sampled(url(number), SID, share)
    assert drawn == sampled(url(number), SID, share)
    assert not drawn or sampled(url(number), SID, 1.0)
    assert not sampled(url(number), SID, 0.0)


def test_samples_are_about_as_many_as_asked_for() -> None:
    assert sum(sampled(url(number), SID, 0.1) for number in range(2000)) == pytest.approx(200, abs=50)


def test_a_site_keeps_a_bounded_number_of_guesses_and_no_learned_rule_is_lost() -> None:
    rules = seen(NO_RULES, LEAST_SUPPORT)
    for number in range(3 * MOST_RULES):
        guess = RewriteRule("x.org", EVERYWHERE, RewriteKind.PARAMETER, f"p{number}")
        rules = observe(rules, Evidence(Url(f"http://x.org/other/?p{number}=1"), guess, True))
    assert len(rules.standings) <= MOST_RULES
    assert [one.rule for one in rules.learned] == [SHOP]


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.sampled_from(["shop", "blog"])), max_size=40))
def test_rules_are_kept_as_json(pairs: list[tuple[int, bool, str]]) -> None:
    rules = NO_RULES
    for number, same, place in pairs:
        rules = observe(rules, Evidence(url(number, place), SID, same))
    assert msgspec.json.decode(msgspec.json.encode(rules), type=Rules) == rules
