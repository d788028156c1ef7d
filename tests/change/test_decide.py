"""What is a change, of which kind, and what is only noise."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whimbrel.change.decide import decide
from whimbrel.change.degree import is_read
from whimbrel.change.noise import learn
from whimbrel.change.version import read_version
from whimbrel.records.change import Change


def page(*paragraphs: str) -> str:
    return "<title>T</title><h1>Head</h1>" + "".join(f"<p>{text}</p>" for text in paragraphs)


def change(before: str, after: str, history: Sequence[str] = (), neighbours: Sequence[str] = ()) -> Change:
    old, new, *others = (
        read_version(body.encode(), "text/html; charset=utf-8") for body in (before, after, *history, *neighbours)
    )
    return decide(old, new, learn([*others[: len(history)], old], others[len(history) :]))


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        (page("One two three."), page("One two four."), ("content",)),
        (page("One."), page("Nothing like it.", "One."), ("structural", "content")),
        ("<p>a <a href=/x>b</a></p>", "<p>a <a href=/y>b</a></p>", ("content",)),
        ("<p>a</p><img src=a.png>", "<p>a</p><img src=b.png>", ("presentation",)),
        ("<p>a</p><img src=a.png alt=North>", "<p>a</p><img src=a.png alt=South>", ("content",)),
        ("<p>a<p>b", "<ul><li>a<li>b</ul>", ("structural", "presentation")),
        ("<h3>a</h3><p>b", "<h2>a</h2><p>b", ("structural", "presentation")),
        ("<div><p>a</p></div>", "<section><div><p>a</p></div></section>", ("presentation",)),
        (page("One.", "Two."), page("Two.", "One."), ("structural",)),
        ("<p>a</p>", "<p>a</p><hr>", ("presentation",)),
        ("<p style='color:red'>a", "<p style='color:blue'>a", ("presentation",)),
        ("<p class=x>a", "<p class=y>a", ("presentation",)),
        ("<p>a b", "<p><b>a</b> b", ("presentation",)),
        ("<style>p{color:red}</style><p>a", "<style>p{color:blue}</style><p>a", ("presentation",)),
        ("<link rel=stylesheet href=a.css><p>a", "<link rel=stylesheet href=b.css><p>a", ("presentation",)),
        ("<p>a<script>f()</script>", "<p>a<script>g()</script>", ("behavioural",)),
        ("<p>a<script src=//x/f.js></script>", "<p>a<script src=//y/f.js></script>", ("behavioural",)),
        ("<p onclick='f()'>a", "<p onclick='g()'>a", ("behavioural",)),
        ("<form action=/a></form><p>a", "<form action=/b></form><p>a", ("behavioural",)),
    ],
)
def test_kinds(before: str, after: str, kinds: tuple[str, ...]) -> None:
    found = change(before, after)
    assert found.kinds == kinds
    assert found.changed is is_read(kinds), "only what somebody reads raises an alarm"
    assert 0 < found.amount <= 1


def test_an_insertion_is_reported_once_and_where() -> None:
    before = [f"This is paragraph number {n}." for n in range(20)]
    found = change(page(*before), page("Quite new.", *before))
    assert [(spot.what, spot.place, spot.after) for spot in found.where] == [
        ("added", "p 1 under “Head”", "Quite new.")
    ]


def test_the_amount_grows_with_the_change() -> None:
    words = [f"word{letter} here and there" for letter in "abcdefgh"]
    one = change(page(*words), page("other things now", *words[1:]))
    half = change(page(*words), page(*(f"other {letter} things now" for letter in "abcd"), *words[4:]))
    assert 0 < one.amount < half.amount < change(page(*words), "<title>T</title>").amount == 1.0


def test_another_image_behind_the_same_address() -> None:
    body = b"<p>a<img src=/i.png>"
    before, after = read_version(body, "", {"/i.png": b"1"}), read_version(body, "", {"/i.png": b"2"})
    found = decide(before, after)
    assert (found.kinds, found.where[0].place) == (("image",), "image /i.png")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (page("Made at 12:03:11", "Text"), page("Made at 12:09:31", "Text")),
        (page("Request a8f7c9e2b1d04f6a", "Text"), page("Request 17cc09e2b1d04f6b", "Text")),
        ("<p>a <a href='/x?sid=a8f7c9e2b1d04f6a'>b</a>", "<p>a <a href='/x?sid=17cc09e2b1d04f6b'>b</a>"),
        ("<nav>Home</nav><p>Text", "<nav>Start</nav><p>Text"),
        ("<p>Text<footer>One</footer>", "<p>Text<footer>Two</footer>"),
        ("<p class=x>a<script src=app.4d5277e8.js></script>", "<p class=y>a<script src=app.363ba3ec.js></script>"),
        ("<p>a<script>n='4d5277e8d95a'</script>", "<p>a<script>n='363ba3ec05ca'</script>"),
        ("<p>a   b\n c</p>", "<p>a b c</p>\n"),
        ("<p>a<!-- made by x -->", "<p>a<!-- made by y -->"),
    ],
)
def test_noise_that_needs_no_history(before: str, after: str) -> None:
    assert change(before, after).changed is False


def test_noise_can_be_shown() -> None:
    found = change("<nav>Home</nav><p>Text", "<nav>Start</nav><p>Text")
    assert [(spot.what, spot.before, spot.after, spot.reason) for spot in found.noise] == [
        ("removed", "Home", "", "outside the main part"),
        ("added", "", "Start", "outside the main part"),
    ]


@pytest.mark.parametrize(
    "versions",
    [
        ["Tides of 1 March 2024", "Tides of 2 March 2024", "Tides of 3 March 2024", "Tides of 4 April 2024"],
        [
            "Flut am Montag, 1. Mai 2023",
            "Flut am Dienstag, 2. Mai 2023",
            "Flut am Mittwoch, 3. Mai 2023",
            "Flut am Freitag, 9. Juni 2023",
        ],
        ["Birds seen: 7", "Birds seen: 12", "Birds seen: 14", "Birds seen: 1,015"],
        ["Alpha beta", "Gamma delta", "Epsilon zeta", "Eta theta"],
    ],
)
def test_what_turns_over_is_learned_from_history(versions: list[str]) -> None:
    *history, before, after = [page(text, "The text that matters") for text in versions]
    assert change(before, after).changed is True
    assert change(before, after, history).changed is False
    real = after.replace("The text that matters", "Another text altogether")
    found = change(before, real, history)
    assert [spot.after for spot in found.where] == ["Another text altogether"]


def test_a_number_that_never_moved_is_news() -> None:
    found = change(page("Price: 10 EUR"), page("Price: 12 EUR"), [page("Price: 10 EUR")] * 4)
    assert found.kinds == ("content",)


def test_a_price_that_moved_once_is_news_again() -> None:
    first, second, third = page("Price: 10 EUR"), page("Price: 12 EUR"), page("Price: 11 EUR")
    assert change(second, third, [first]).kinds == ("content",)


def test_what_neighbours_show_in_turns_is_the_pages_own() -> None:
    neighbours = [page("In stock", f"Price: {n} EUR") for n in (7, 8, 9)] + [page("Sold out", "Price: 6 EUR")]
    assert change(page("Sold out", "Mine"), page("In stock", "Mine"), (), neighbours).kinds == ("content",)
    assert change(page("Price: 3 EUR"), page("Price: 4 EUR"), (), neighbours).kinds == ("content",)
    assert change(page("Mine"), page("Mine", "Price: 4 EUR"), (), neighbours).changed is True


def test_a_number_in_a_line_of_the_site_is_the_sites() -> None:
    neighbours = [page("Manual 1.16", f"Text {letter}") for letter in "abc"]
    assert change(page("Manual 1.16", "x"), page("Manual 1.17", "x")).changed is True
    assert change(page("Manual 1.16", "x"), page("Manual 1.17", "x"), (), neighbours).changed is False


def test_files_of_the_site_are_the_sites() -> None:
    def built(script: str, text: str) -> str:
        return f"<script src={script}></script><script>start('{script}')</script><p>{text}"

    neighbours = [built("new.js", "a"), built("new.js", "b"), built("old.js", "c"), built("old.js", "d")]
    before, after = built("old.js", "x"), built("new.js", "x")
    assert change(before, after).kinds == ("behavioural",)
    assert change(before, after, (), neighbours).changed is False
    assert change("<script src=lib-3.6.1.js></script>", "<script src=lib-3.7.1.js></script>").changed is False


def test_one_edit_and_its_undoing_are_both_changes() -> None:
    first, second = page("We keep data for a year."), page("We sell data to all.")
    assert change(first, second).changed is True
    assert change(second, first, [first]).changed is True


def test_what_the_site_repeats_is_learned_from_neighbours() -> None:
    def menu(word: str, text: str) -> str:
        return f"<ul><li><a href=/a>{word}</a></ul><p>{text}"

    neighbours = [menu("Start", "Yours"), menu("Start", "Theirs")]
    assert change(menu("Home", "Mine"), menu("Start", "Mine")).changed is True
    assert change(menu("Home", "Mine"), menu("Start", "Mine"), (), neighbours).changed is False
    assert change(menu("Home", "Mine"), menu("Start", "My own"), (), neighbours).changed is True


def test_a_page_of_recommendations_only_is_still_read() -> None:
    before, after = (f"<div class=recommended>{text} birds of the coast</div><p>Ours" for text in ("Ten", "Six"))
    assert change(before, after).kinds == ("content",)


def test_prose_in_a_sidebar_is_read() -> None:
    def noted(text: str) -> str:
        return f"<h1>Files</h1><p>Of files.</p><div class=sidebar><p>How are they named? {text}</div>"

    assert change(noted("As you like."), noted("By date.")).kinds == ("content",)


def test_a_page_of_menus_only_is_still_read() -> None:
    assert change("<nav>One</nav>", "<nav>Two</nav>").kinds == ("content",)


@given(st.binary(max_size=200), st.sampled_from(["text/html", "text/plain", ""]))
@settings(max_examples=60)
def test_equal_pages_never_differ(body: bytes, content_type: str) -> None:
    version = read_version(body, content_type)
    assert decide(version, read_version(body, content_type), learn([version], [version])).changed is False


@given(st.lists(st.sampled_from(["<p>a", "<p>b c", "<div>", "</div>", "<nav>x</nav>", "t 1", "<h2>h"]), max_size=8))
@settings(max_examples=60)
def test_a_change_has_kinds_places_and_an_amount(parts: list[str]) -> None:
    found = change("<p>b c<h2>h", "".join(parts))
    assert bool(found.kinds) == bool(found.where) == (found.amount > 0)
    assert found.changed == any(is_read(spot.kinds) for spot in found.where)
    assert found.amount <= 1
    assert all(spot.reason for spot in found.noise)
