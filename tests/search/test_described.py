"""`has:` finds pages by what they describe for machines."""

from pathlib import Path

import pytest
from small_library import Book, keep, paths

from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.build.indexer import Indexer

SHOP = {
    "/soup": Book("Soup", "A soup of peas.", html="<p itemscope itemtype='https://schema.org/Recipe'>A soup of peas."),
    "/pan": Book(
        "Pan", "A pan for peas.",
        html='<script type="application/ld+json">{"@type":"Product","offers":{"@type":"Offer"}}</script>A pan.',
    ),
    "/about": Book("About", "About peas."),
}  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("has:Product", ["/pan"]),
        ("has:product peas", ["/pan"]),
        ("has:schema:Offer", ["/pan"]),
        ("has:https://schema.org/Recipe", ["/soup"]),
        ("peas has:recipe has:product", ["/pan", "/soup"]),
        ("has:Event", []),
        ("peas", ["/about", "/pan", "/soup"]),
    ],
)
def test_pages_that_describe_such_a_thing(tmp_path: Path, typed: str, found: list[str]) -> None:
    keep(tmp_path / "shop", SHOP)
    with Indexer(tmp_path / "shop") as indexer:
        indexer.catch_up()
    with Searcher(tmp_path / "shop") as searcher:
        answer = searcher.answer(parse(typed))
    assert sorted(paths(answer)) == found
    assert answer.notes == ()


def test_nothing_after_it_is_said() -> None:
    assert parse("peas has:").notes == ("has: was ignored: nothing follows it",)
