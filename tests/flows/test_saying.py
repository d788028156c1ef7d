"""Which places of a change are told where there is room for few."""

from whimbrel.flows.packing import packed_spots
from whimbrel.flows.telling.saying import excerpts, summary
from whimbrel.records.change import Change, Spot
from whimbrel.records.url import Url
from whimbrel.repository.views import Told

WENT = [Spot("removed", ("content",), f"p {n}", f"Paragraph {n} of the old text.", "", 0.2) for n in range(1, 5)]
CAME = Spot("added", ("content",), "p 5", "", "Written anew.", 0.02)
LOOKS = Spot("changed", ("presentation",), "p 6", "red", "green", 0.9, shows="looks")


def told(*spots: Spot) -> Told:
    details = packed_spots(Change(True, ("content",), 0.8, spots, ()))
    return Told(0.0, "changed", Url("http://a.example/"), "A", "content", 0.8, 1, 2, None, details, "")


def test_of_a_page_that_was_written_anew_what_came_is_told_beside_what_went() -> None:
    shown = [(spot.before, spot.after) for spot, _ in excerpts(told(*WENT, CAME), 3, 100)]
    assert shown == [(WENT[0].before, ""), (WENT[1].before, ""), ("", "Written anew.")]
    assert summary(told(*WENT, CAME)) == "-[Paragraph 1 of the old text.] … +[Written anew.]"


def test_where_there_is_room_for_one_place_it_is_what_the_page_says_now() -> None:
    assert [spot for spot, _ in excerpts(told(*WENT, CAME), 1, 100)] == [CAME]


def test_looks_and_moves_are_nothing_that_came() -> None:
    moved = Spot("moved", ("structural",), "p 7", "Here.", "Here.", 0.9)
    assert [spot for spot, _ in excerpts(told(WENT[0], LOOKS, moved), 1, 100)] == [WENT[0]]
