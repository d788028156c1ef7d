"""What a page's own history shows to be a habit, and what stays news beside it."""

from collections.abc import Callable

import pytest
from article import article, compare

SAYINGS = ("Early birds sing", "Still waters run deep", "No smoke without fire", "Haste makes waste")
COLOURS = ("green", "black", "red", "blue")
ORDERS = ("BCA", "CBA", "ABC", "CAB")


def items(order: str) -> str:
    return "<ul>" + "".join(f"<li>Bird {letter}" for letter in order) + "</ul>"


HABITS: dict[str, Callable[[int], str]] = {
    "a line that rotates": lambda turn: article(f"<blockquote>{SAYINGS[turn]}</blockquote>"),
    "a date": lambda turn: article(f"<p>{3 + turn} May 2027</p>"),
    "a number": lambda turn: article(f"<p>Birds on the marsh: {17 * turn}</p>"),
    "a picture": lambda turn: article(f"<img src=/r/{SAYINGS[turn].split()[0]}.jpg alt=Bird>"),
    "a link": lambda turn: article(f"<a href=/lucky/{turn}>Lucky</a>"),
    "a class": lambda turn: article(f"<p class=theme-{COLOURS[turn]}>Text</p>"),
    "a style": lambda turn: article(f"<p style='width:{10 + turn}%'>Text</p>"),
    "a handler": lambda turn: article(f"<p onclick='go({turn})'>Text</p>"),
    "a script": lambda turn: article(head=f"<script>pick('{COLOURS[turn]}')</script>"),
    "a title": lambda turn: article().replace("<title>", f"<title>{SAYINGS[turn]}: "),
    "an order": lambda turn: article(items(ORDERS[turn])),
}


@pytest.mark.parametrize("habit", HABITS)
def test_a_habit_is_quiet(habit: str) -> None:
    first, second, before, after = (HABITS[habit](turn) for turn in range(4))
    assert compare(before, after).where
    assert compare(before, after, [first, second]).where == ()


@pytest.mark.parametrize("habit", HABITS)
def test_an_edit_beside_a_habit_is_told(habit: str) -> None:
    first, second, before, after = (HABITS[habit](turn) for turn in range(4))
    found = compare(before, after.replace("crabs and worms", "fish"), [first, second])
    assert ["fish" in spot.after for spot in found.where] == [True]


def test_what_comes_and_goes() -> None:
    bare, banner = article(), article("<p>Sale ends soon!</p>")
    assert compare(bare, banner, [banner, bare, banner]).changed is False
    assert compare(bare, banner, [bare, bare, bare]).changed is True


def test_a_list_that_grows_is_news_each_time() -> None:
    grown = [article("<ul>" + "".join(f"<li>Sighting {n} on the coast" for n in range(count)) + "</ul>") for count in
             (2, 3, 4, 5)]  # fmt: skip
    assert compare(grown[2], grown[3], grown[:2]).kinds == ("structural", "content")


def _prices(gold: int, tea: int) -> str:
    return article(
        f"<h3>Gold</h3><div>{gold}.50 EUR</div><h3>Tea</h3><div>{tea}.00 EUR</div><h3>Salt</h3><div>3.00 EUR</div>"
    )


def test_a_price_that_never_rests_says_nothing_of_the_others() -> None:
    states = [_prices(1800 + 7 * turn, 4) for turn in range(5)]
    assert compare(states[3], states[4], states[:3]).changed is False
    told = compare(states[3], _prices(1900, 5), states[:3]).where
    assert [spot.after for spot in told] == ["5.00 EUR"]


def test_numbers_of_one_form_that_move_in_turns_are_a_habit() -> None:
    def poll(a: int, b: int, c: int) -> str:
        return article(f"<dl><dt>Ada<dd>{a} votes<dt>Bo<dd>{b} votes<dt>Cy<dd>{c} votes</dl>")

    states = [poll(*votes) for votes in ((1, 20, 300), (2, 20, 300), (2, 21, 300), (2, 21, 305), (4, 21, 305))]
    assert compare(states[-1], poll(4, 28, 305), states[:-1]).changed is False


def _hosts(*took: int) -> str:
    rows = "".join(f"<tr><td>Server {n}<td>{ms} ms" for n, ms in enumerate(took, 1))
    return article(f"<table>{rows}</table>")


def test_rows_of_one_form_are_told_apart() -> None:
    states = [_hosts(20 + turn, 30, 40) for turn in range(5)]
    assert compare(states[3], states[4], states[:3]).changed is False
    told = compare(states[3], _hosts(29, 300, 40), states[:3]).where
    assert [spot.after for spot in told] == ["300 ms"]


def test_numbers_that_all_move_are_known_wherever_they_stand() -> None:
    def replies(*counts: int) -> str:
        return article("<ul>" + "".join(f"<li>{count} replies" for count in counts) + "</ul>")

    states = [replies(3 + turn, 50 + 2 * turn, 900 + turn) for turn in range(4)]
    assert compare(states[3], replies(9, 70, 930, 41), states[:3]).where[0].what == "added"


def _last_days(turn: int, *, lost: str = "") -> str:
    """The last five days, each with what happened on it; every day they stand one place further on."""
    days = "".join(
        f"<h3>{day} March 2027</h3><p>{lost or 'Nothing was lost.'}</p>" for day in range(turn + 5, turn, -1)
    )
    return article(days)


def test_days_that_roll_on_fall_silent_and_what_happened_on_them_is_told() -> None:
    states = [_last_days(turn) for turn in range(5)]
    assert compare(states[0], states[1]).changed is True
    assert compare(states[3], states[4], states[:3]).changed is False
    assert compare(states[3], _last_days(4, lost="A boat was lost."), states[:3]).changed is True


def test_a_date_that_comes_while_none_goes_is_told_though_dates_roll_on() -> None:
    states = [_last_days(turn) for turn in range(4)]
    more = states[3].replace("<h3>8 March 2027</h3>", "<h3>20 March 2027</h3><h3>8 March 2027</h3>")
    assert compare(states[3], more, states[:3]).changed is True


def test_that_only_numbers_moved_says_nothing_of_words_in_their_place() -> None:
    """The sky is the same on two days in three, the degrees never are."""
    skies = ("clear", "clear", "rain", "fog", "fog", "rain", "fog")
    states = [article(f"<p>{3 * turn} degrees and {sky}</p>") for turn, sky in enumerate(skies)]
    assert compare(states[-2], states[-1], states[:-2]).changed is False
    told = compare(states[-2], states[-1].replace("crabs and worms", "fish"), states[:-2]).where
    assert ["fish" in spot.after for spot in told] == [True]


def test_a_line_that_comes_and_goes_is_so_on_a_site_that_bears_it_elsewhere() -> None:
    bare, banner = article(), article("<p>Start your free trial</p>")
    change = compare(bare, banner, [banner, bare, banner], [banner, banner, bare])
    assert [spot.reason for spot in change.noise] == ["it comes and goes"]


def test_a_list_in_another_order_each_time_is_known_again_on_a_site_in_new_dress() -> None:
    def dressed(order: str, box: str) -> str:
        return article(f"<{box}><p>Friends of ours:</p>{items(order)}</{box}>")

    states = [dressed(order, "div") for order in ("ABCD", "CADB", "DBAC", "BDCA")]
    assert compare(states[3], dressed("ACDB", "section"), states[:3]).changed is False


def _titled(title: str) -> str:
    return article().replace("<title>Whimbrels", f"<title>{title}")


def test_a_number_in_a_title_is_news_unless_the_site_bears_it() -> None:
    assert compare(_titled("Lamp for 20 euros"), _titled("Lamp for 25 euros")).changed is True
    assert compare(_titled("(3) Birds"), _titled("(12) Birds")).changed is False
    others = [_titled(f"{name} — Manual 1.17") for name in ("Crabs", "Worms")]
    assert compare(_titled("Birds — Manual 1.17"), _titled("Birds — Manual 1.18"), neighbours=others).changed is False
    assert (
        compare(_titled("7 birds — Manual 1.17"), _titled("8 birds — Manual 1.17"), neighbours=others).changed is True
    )


def _stock(order: str, **pieces: int) -> str:
    kept = dict(zip("ABCDEF", range(31, 91, 10), strict=True)) | pieces
    rows = "".join(f"<tr><td>Lamp {name}<td>{kept[name]}" for name in order)
    return article(f"<table>{rows}</table>")


def test_what_was_never_in_a_table_is_told_though_the_table_is_sorted_anew_each_time() -> None:
    states = [_stock(order) for order in ("ABCDEF", "FADBEC", "CBFEDA", "EFACBD", "DCABFE")]
    assert compare(states[3], states[4], states[:3]).changed is False
    told = compare(states[3], _stock("DCABFE", B=407), states[:3])
    assert any("407" in spot.after for spot in told.where)


def _cards(order: str) -> str:
    shown = "".join(f"<div><h3>Lamp {name}</h3><p>{7 * ord(name)} EUR</p></div>" for name in order)
    return article(f"<section>{shown}</section>")


def test_cards_in_another_order_each_time_fall_silent_and_a_new_one_is_told() -> None:
    states = [_cards(order) for order in ("ABCDEF", "FADBEC", "CBFEDA", "EFACBD", "DCABFE")]
    first = compare(states[0], states[1]).where
    assert {spot.what for spot in first} == {"moved"}
    assert compare(states[3], states[4], states[:3]).changed is False
    told = compare(states[3], _cards("DCAGBFE"), states[:3])
    assert [spot.after for spot in told.where] == ["Lamp G", "497 EUR"]


def test_a_link_is_told_beside_one_that_bears_each_visitors_session() -> None:
    def links(turn: int, tool: str) -> str:
        session = f"PHPSESSID={turn}f3a9c{turn}7e1b2d8{turn}"
        return article(f"<p><a href='/next?{session}'>Go on</a> or <a href=/files/{tool}.zip>fetch the tool</a>.</p>")

    states = [links(turn, "tool-2.3") for turn in range(6)]
    assert compare(states[4], states[5], states[:4]).changed is False
    told = compare(states[4], links(5, "tool-2.4"), states[:4]).where
    assert ["tool-2.4" in spot.after for spot in told] == [True]


def _deadline(turn: int, closes: int) -> str:
    return article(f"<p>Registration ends on {closes} March 2027. Today is {turn + 2} March 2027.</p>")


def test_a_deadline_is_told_beside_the_date_of_today_in_one_line() -> None:
    states = [_deadline(turn, 21) for turn in range(7)]
    assert compare(states[5], states[6], states[:5]).changed is False
    told = compare(states[5], _deadline(6, 25), states[:5]).where
    assert ["25 March" in spot.after for spot in told] == [True]


def test_numbers_of_a_line_that_all_move_stay_silent() -> None:
    states = [article(f"<p>{17 * turn} guests, {3 * turn} members, {turn % 2} hidden</p>") for turn in range(6)]
    assert compare(states[4], states[5], states[:4]).changed is False
