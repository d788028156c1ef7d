"""Pages of one kind made a table: which texts are the template's, what the others are called."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.fields.template import KindTable, learned
from whimbrel.parse.pieces import Piece, pieces

BIRDS = [
    {"name": name, "length": f"{30 + at} cm", "call": f"a call of {at} notes", "state": "rare" if at % 3 else "common",
     "found": f"coast {at}" if at % 2 else ""}
    for at, name in enumerate(("Whimbrel", "Curlew", "Godwit", "Knot", "Dunlin", "Ruff", "Stint", "Snipe"))
]  # fmt: skip


def rows(entries: Callable[[dict[str, str]], str], page: str = "{}") -> list[dict[str, str]]:
    """Each bird's row, with the pages in a frame that all share."""
    frame = "<body><header>The bird book <a href='/'>Home</a></header>{}<footer>Printed in May</footer>"
    read = [pieces(frame.format(page.format(entries(bird))).encode(), "text/html; charset=utf-8") for bird in BIRDS]
    table = learned(read)
    return [table.row(one) for one in read]


def expected(*names: str) -> list[dict[str, str]]:
    return [{name: bird[name.lower()] for name in names if bird[name.lower()]} for bird in BIRDS]


@pytest.mark.parametrize(
    "entry",
    [
        "<dl><dt>{0}:</dt><dd><p>{1}</p></dd></dl>",
        "<table><tr><th>{0}</th><td>{1}</td></tr></table>",
        "<table><tr><td>{0}</td><td>{1}</td></tr></table>",
        "<p><b>{0}:</b> {1}</p>",
        "<p>{0}: {1}</p>",
        "<div><span>{0}</span><span>{1}</span></div>",
        "<h2>{0}</h2><p>{1}</p>",
        "<li><em>{0}</em>: <a href='/{1}'>{1}</a>.</li>",
    ],
)
def test_labels_however_they_are_written(entry: str) -> None:
    def entries(bird: dict[str, str]) -> str:
        shown = [(name.capitalize(), bird[name]) for name in ("length", "state", "found", "call") if bird[name]]
        return "".join(entry.format(*one) for one in shown)

    assert rows(entries) == expected("Length", "State", "Found", "Call")


def test_a_heading_is_the_title_without_the_template_s_words() -> None:
    found = rows(lambda bird: f"<h1>Bird {bird['name']} in short</h1><p>Call: {bird['call']}</p>")
    assert [row["title"] for row in found] == [bird["name"] for bird in BIRDS]


def test_what_has_no_label_is_called_by_its_markup() -> None:
    found = rows(lambda bird: f"<h1>{bird['name']}</h1><p class=size>{bird['length']}</p>")
    assert found == [{"title": bird["name"], "size": bird["length"]} for bird in BIRDS]


def test_the_head_of_a_table_names_its_columns() -> None:
    found = rows(
        lambda bird: (
            f"<table><thead><tr><th>Name</th><th>Length</th></tr></thead><tbody><tr><td>{bird['name']}</td>"
            f"<td>{bird['length']}</td></tr></tbody></table>"
        )
    )
    assert found == expected("Name", "Length")


def test_ways_to_the_next_page_and_menus_are_no_fields() -> None:
    names = [bird["name"] for bird in BIRDS]

    def entries(bird: dict[str, str]) -> str:
        after = names[(names.index(bird["name"]) + 1) % len(names)]
        return (
            f"<nav>{bird['call']}</nav><h1>{bird['name']}</h1><p>Next: <a href='/{after}'>{after}</a></p>"
            f"<p>Length: {bird['length']}</p>"
        )

    assert rows(entries) == [{"title": bird["name"], "Length": bird["length"]} for bird in BIRDS]


def test_two_columns_of_one_name_are_told_apart() -> None:
    found = rows(
        lambda bird: f"<div class=a><b>Note:</b> {bird['name']}</div><div class=b><b>Note:</b> {bird['call']}</div>"
    )
    assert found == [{"Note": bird["name"], "Note 2": bird["call"]} for bird in BIRDS]


def test_pages_that_are_all_the_same_have_no_fields() -> None:
    assert learned([pieces(b"<p>Version: 1</p>", "text/html")] * 5).columns == ()


def test_no_pages_have_no_fields() -> None:
    assert learned([]).columns == ()


words = st.text(alphabet="ab: .<", max_size=12)
page_of = st.lists(
    st.tuples(st.sampled_from(["p", "dt", "dd", "h1", "td", "span", "br"]), words), max_size=12
).map(lambda parts: "".join(f"<{tag}>{text.replace('<', '&lt;')}</{tag}>" for tag, text in parts))  # fmt: skip


@given(st.lists(page_of, min_size=1, max_size=6))
def test_any_pages_give_a_table_with_columns_of_their_own(pages: list[str]) -> None:
    read: list[list[Piece]] = [pieces(page.encode(), "text/html; charset=utf-8") for page in pages]
    table: KindTable = learned(read)
    assert len({name.casefold() for name in table.names}) == len(table.names)
    assert learned(read) == table
    for page in read:
        assert set(table.row(page)) <= set(table.names)
        assert all(table.row(page).values())
