"""Which words stand out in a page, and what it says of itself."""

from whimbrel.parse.document import tree_of
from whimbrel.parse.prominence import HEAVIEST, about, prominent

BODY = b"""<html lang=en><head><title>x</title></head><body>
<nav><a href=/a>sandpiper</a> <a href=/b>sandpiper</a> <a href=/c>sandpiper</a></nav>
<h1>Tides</h1><p>Early words speak of the estuary and of <b>moonlight</b>, where the harbour lies.</p>
<h3>Ebb</h3><p>The water of the harbour and its boats are told of at length, for whoever is there to hear of it.</p>
<p>Late words speak of the causeway.</p></body></html>"""


def weights(body: bytes, title: str = "", most: int = 40) -> dict[str, int]:
    return dict(prominent(tree_of(body, "text/html; charset=utf-8")[0], title, "en", most))


def test_a_word_weighs_by_where_it_stands_and_how_often() -> None:
    found = weights(BODY, "Estuaries")
    assert max(found.values()) == HEAVIEST
    assert found["tides"] > found["ebb"] > found["moonlight"] > found["estuary"], "h1, h3, bold, plain"
    assert found["estuary"] > found["causeway"], "early more than late"
    assert found["harbour"] > found["boats"], "twice more than once"
    assert found["estuaries"] > found["ebb"], "the title more than a heading below the first"
    assert found.keys().isdisjoint({"the", "of", "sandpiper"}), "neither little words nor menus"


def test_so_many_words_and_no_more_in_one_order() -> None:
    few = prominent(tree_of(BODY, "text/html")[0], "", "en", 3)
    assert [word for word, _ in few] == ["tides", "ebb", "moonlight"]
    assert weights(b"", "") == {}
    assert weights(b"", "Tide") == {"tide": HEAVIEST}


def test_what_a_page_says_of_itself_or_how_it_begins() -> None:
    said = "What the tide does to the estuary, told by those who have lived beside it for all their lives."
    head = f"<head><meta name=description content='{said}'></head>".encode()
    assert about(tree_of(head + BODY, "text/html")[0], 300) == said
    assert about(tree_of(head + BODY, "text/html")[0], 20) == said[:20]
    assert about(tree_of(BODY, "text/html")[0], 300).startswith("Early words speak")
