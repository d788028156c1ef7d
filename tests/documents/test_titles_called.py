"""What a document is called that says no title itself."""

import pytest

from whimbrel.documents import title_called


@pytest.mark.parametrize(
    ("names", "title"),
    [
        (["PDF", "Annual survey of the mudflat", "survey"], "Annual survey of the mudflat"),
        (["pdf", "(PDF)", "Word", "scan0001.pdf", "https://a.example/scan.pdf", "42"], ""),
        (["  The\n tides * "], "The tides"),
        (["x" * 500, "short"], "short"),
        ([], ""),
    ],
)
def test_the_most_that_a_link_says(names: list[str], title: str) -> None:
    assert title_called(names) == title
    assert title_called(reversed(names)) == title
