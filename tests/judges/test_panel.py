"""Several judges at once: who wants a page, whose it is, what links promise, and what is learned and kept."""

from collections import deque

import msgspec
from msgspec.structs import replace

from shop_site import item, story
from whimbrel.flows.requests import as_sent, as_stored, fitted_anew
from whimbrel.judges.alike import FITTED_AT
from whimbrel.judges.convening import convene
from whimbrel.judges.folders import FITTED_EVERY
from whimbrel.judges.judge import Need, Sight
from whimbrel.judges.panel import Looked, Panel
from whimbrel.parse import html, places
from whimbrel.parse.outline import upper
from whimbrel.records.request import ALL, RULE, RULES, WORDS_RULE, Alike, Request, Worded
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.visit import Link
from whimbrel.repository.contract import Enquiry
from whimbrel.structure.shape import DEEPEST
from whimbrel.urls.normal import key as key_of

SITE = "http://shop.test"
ITEMS = Alike(1, [f"{SITE}/item/3"], [upper(item(3).encode(), "text/html", DEEPEST)])
LANTERNS = Worded(2, ["Lantern", "said"])
BARE = "<html><body><main><p>nothing <b>here</b></main></body></html>"


def sight(path: str, body: str) -> Sight:
    page, tree = places.read(body.encode(), "text/html", DEEPEST)
    return Sight(key_of(url(path)), url(path), page, tree, lambda href: (url(href), key_of(url(href))))


def url(path: str) -> Url:
    return Url(f"{SITE}{path}")


def looked(panel: Panel, path: str, body: str) -> Looked:
    return panel.look(sight(path, body))


def told(number: int) -> str:
    return story(number, [number], 9)


def test_nobody_looks_at_more_than_some_judge_needs() -> None:
    assert convene([ITEMS]).needs == Need.TREE
    assert convene([LANTERNS]).needs == Need.TEXT | Need.WORDS
    assert convene([ITEMS, LANTERNS]).needs == Need.TREE | Need.TEXT | Need.WORDS
    assert convene([]).needs == Need(0)


def test_a_page_is_wanted_where_any_judge_wants_it() -> None:
    panel = convene([ITEMS, LANTERNS])
    assert looked(panel, "/item/4", item(4)).numbers == [1]
    assert looked(panel, "/story/4", told(4)).numbers == [2]
    neither = looked(panel, "/bare", BARE)
    assert (neither.verdict.accepted, neither.numbers, neither.verdict.rule) == (False, [], RULE)
    assert "built otherwise than asked for" in neither.verdict.reason
    assert "without the words asked for: lantern said" in neither.verdict.reason


def test_where_all_judges_are_asked_a_page_has_to_please_each() -> None:
    panel, both = convene([ITEMS, LANTERNS], ALL), item(4).replace(">buy<", ">said lantern<")
    assert sorted(looked(panel, "/item/4", both).numbers) == [1, 2]
    told_why = looked(panel, "/item/4", both).verdict.reason
    for path, body, rule, why in (
        ("/item/5", item(5), WORDS_RULE, "without the words asked for"),
        ("/story/4", told(4), RULE, "built otherwise than asked for"),
    ):
        one = looked(panel, path, body)
        assert (one.verdict.accepted, one.numbers, one.verdict.rule) == (False, [], rule)
        assert why in one.verdict.reason
        assert why not in told_why
        assert panel.again(panel.pack(one)) is not None
    alone = convene([ITEMS])
    assert panel.again(alone.pack(looked(alone, "/item/4", both))) is None, "one of them never saw it"
    assert (panel.judges_words, convene([ITEMS, LANTERNS]).judges_words) == (False, True)


def test_one_judge_alone_says_what_it_says_among_others() -> None:
    pages = [("/item/4", item(4)), ("/story/4", told(4)), ("/bare", BARE)]
    for request, rule in ((ITEMS, RULE), (LANTERNS, WORDS_RULE)):
        alone, both = convene([request]), convene([ITEMS, LANTERNS])
        for path, body in pages:
            one, among = looked(alone, path, body), looked(both, path, body).looks[rule]
            assert (one.verdict, one.numbers) == (among.verdict, [serves.number for serves in among.serves])


def test_of_two_judges_that_want_a_page_the_rarer_request_comes_first() -> None:
    body = item(4).replace(">buy<", ">said lantern<")
    for known, first in ((0, 2), (90, 1)):
        panel = convene([replace(ITEMS, known=50, pages=100), replace(LANTERNS, known=known, pages=100)])
        assert looked(panel, "/item/4", body).numbers == [first, 3 - first]


def test_a_request_that_has_enough_is_no_longer_served_and_the_other_is() -> None:
    panel = convene([ITEMS, LANTERNS])
    panel.done(1)
    assert looked(panel, "/item/4", item(4)).numbers == []
    assert looked(panel, "/story/4", told(4)).numbers == [2]


def test_a_page_is_judged_again_by_what_each_judge_packed() -> None:
    panel = convene([ITEMS, LANTERNS])
    for path, body in (("/item/4", item(4)), ("/story/4", told(4)), ("/bare", BARE)):
        first = looked(panel, path, body)
        packed = panel.pack(first)
        assert set(packed) == {RULE, WORDS_RULE}
        second = panel.again(packed)
        assert second is not None
        assert (second.numbers, second.verdict) == (first.numbers, first.verdict)


def test_a_judge_that_never_saw_a_page_does_not_let_others_refuse_it() -> None:
    alone = convene([ITEMS])
    bare, wanted = alone.pack(looked(alone, "/bare", BARE)), alone.pack(looked(alone, "/item/4", item(4)))
    both = convene([ITEMS, LANTERNS])
    assert both.again(bare) is None
    found = both.again(wanted)
    assert found is not None
    assert found.numbers == [1]


def test_links_promise_what_the_most_hopeful_judge_says() -> None:
    panel, alone = convene([ITEMS, LANTERNS]), convene([ITEMS])
    links = [Link(key_of(url(path)), url(path), 1, 0, False, "", "") for path in ("/item/7", "/elsewhere")]
    seen, seen_alone = looked(panel, "/story/7", told(7)), looked(alone, "/story/7", told(7))
    scored = panel.scored(links, seen)
    assert scored == alone.scored(links, seen_alone), "the judge of words knows links by their folder alone"
    assert scored[0].score > 0
    assert scored[1] == links[1], "the page has no such link"


def tasks(*paths: str) -> list[Task]:
    return [Task(key_of(url(path)), url(path), 1, 0, 0, False) for path in paths]


def test_what_waits_is_put_in_order_by_what_was_learned() -> None:
    panel = convene([LANTERNS])
    for number in range(FITTED_EVERY):
        looked(panel, f"/item/{number}", item(number))
        looked(panel, f"/story/{number}", told(number))
    ordered = panel.by_promise(tasks("/item/90", "/new/90", "/story/90"))
    assert [task.url for task in ordered] == [url("/story/90"), url("/new/90"), url("/item/90")]
    queue = deque(ordered)
    panel.freshen(queue)
    assert list(queue) == ordered


def test_what_was_learned_travels_and_the_next_judge_goes_on_with_it() -> None:
    panel = convene([ITEMS, LANTERNS])
    for number in range(max(FITTED_AT[0], FITTED_EVERY)):
        looked(
            panel, f"/story/{number}" if number % 3 else f"/item/{number}", told(number) if number % 3 else item(number)
        )
    fitted = {fit.number: fit for fit in panel.fitted()}
    assert set(fitted) == {1, 2}
    assert panel.fitted() == [], "told once"
    assert all(len(fit.wanted) < 2_000 for fit in fitted.values())
    for request in (ITEMS, LANTERNS):
        kept = Enquiry(request.number, 0.0, (), as_stored(request), None, 5, "open", None)
        stored = fitted_anew(kept.structure, fitted[request.number])
        assert stored is not None
        assert fitted_anew(stored, fitted[request.number]) is None, "nothing new"
        sent = as_sent(replace(kept, structure=stored), 9)
        assert sent == replace(
            request, wanted=fitted[request.number].wanted, fitted_on=fitted[request.number].fitted_on, known=5, pages=9
        )
        assert type(sent) is type(request)
    later = convene([replace(LANTERNS, wanted=fitted[2].wanted, fitted_on=fitted[2].fitted_on)])
    assert [task.url for task in later.by_promise(tasks("/item/90", "/story/90"))] == [
        url("/story/90"),
        url("/item/90"),
    ]


def test_requests_are_told_apart_by_their_tags() -> None:
    for request in (ITEMS, LANTERNS):
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(request), type=Request) == request


def test_a_request_stored_before_there_were_several_kinds_is_read() -> None:
    untagged = msgspec.msgpack.encode(list(msgspec.structs.astuple(ITEMS)))
    sent = as_sent(Enquiry(1, 0.0, (), untagged, None, 0, "open", None), 0)
    assert sent == ITEMS
    assert as_sent(Enquiry(1, 0.0, (), b"\xc1", None, 0, "open", None), 0) is None


def test_a_document_that_cannot_be_read_is_refused_by_a_rule_of_judges() -> None:
    for request in (ITEMS, LANTERNS):
        verdict = convene([request]).blind("application/pdf")
        assert not verdict.accepted
        assert verdict.rule in RULES
        assert "application/pdf" in verdict.reason


def test_words_are_those_of_the_text_whatever_their_case() -> None:
    page = html.read(b"<title>x</title><p>Quiet HARBOUR", "text/html")
    assert Sight(1, url("/"), page, None, lambda _: None).words >= {"quiet", "harbour"}
