"""How much of a page fits into what an agent can read at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.agents.portion import BYTES_A_TOKEN, below, portion, tokens_in
from whimbrel.exchange.sections import MarkdownSection

PAGE = [
    MarkdownSection("An opening."),
    MarkdownSection("# Birds", "Birds", 1, "birds"),
    MarkdownSection("## Waders ¶", "Waders ¶", 2, "waders"),
    MarkdownSection("### Bills", "Bills", 3, ""),
    MarkdownSection("## Ducks", "Ducks", 2, "ducks"),
]


@given(st.text(st.sampled_from("ab \n字é😀"), max_size=400), st.integers(1, 60))
def test_portions_are_within_the_budget_and_together_are_the_page(text: str, tokens: int) -> None:
    pieces, start = [], 0
    while True:
        piece = portion(text, start, max(2, tokens))
        assert len(piece.text.encode()) <= max(2, tokens) * BYTES_A_TOKEN
        pieces.append(piece.text)
        if piece.next is None:
            break
        assert piece.next > start
        start = piece.next
    assert "".join(pieces) == text


def test_a_portion_ends_with_a_paragraph_where_it_can() -> None:
    text = "one one one one\n\ntwo two two two\n\nthree three"
    assert portion(text, 0, 12).text == "one one one one\n\ntwo two two two\n\n"
    assert portion("word " * 50, 0, 10).text.endswith(" ")
    assert portion(text, 10_000, 12) == portion("", 0, 12)
    assert tokens_in("字字") == 2


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("birds", ["Birds", "Waders ¶", "Bills", "Ducks"]),
        ("#waders", ["Waders ¶", "Bills"]),
        ("WADERS", ["Waders ¶", "Bills"]),
        ("Bills", ["Bills"]),
        ("ducks", ["Ducks"]),
        ("geese", []),
        ("", []),
    ],
)
def test_a_section_comes_with_what_stands_below_it(wanted: str, found: list[str]) -> None:
    assert [section.heading for section in below(PAGE, wanted)] == found
