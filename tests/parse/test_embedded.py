"""What pages say for machines, and what hostile ones say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.parse.embedded import MOST_ITEMS, data_in, short_name, types_in

HTML = "text/html; charset=utf-8"
HERE = "https://shop.example/item/1"


def said(html: str) -> list[tuple[str, tuple[str, ...], dict[str, object]]]:
    return [(item.syntax, item.types, dict(item.data)) for item in data_in(html.encode(), HTML, HERE)]


def test_json_ld_of_one_thing_of_several_and_of_a_graph() -> None:
    thing = '{"@type": "Product", "offers": {"@type": "Offer", "price": 1.5}}'
    for text in (thing, f"[{thing}]", f'{{"@graph": [{thing}]}}', f"<!-- {thing} -->"):
        found = said(f'<script type="application/ld+json">{text}</script>')
        data = {"@type": "Product", "offers": {"@type": "Offer", "price": 1.5}}
        assert found == [("json-ld", ("Product",), data)]


def test_microdata_rdfa_and_opengraph_say_the_same_in_one_form() -> None:
    found = said(
        '<html prefix="og: http://ogp.me/ns#"><meta property="og:type" content="article"><meta property="og:image" '
        'content="/a.png"><p itemscope itemtype="https://schema.org/Recipe"><b itemprop="name">Soup</b></p>'
        '<p vocab="https://schema.org/" typeof="Person"><b property="name">Ann</b></p>'
    )
    assert found == [
        ("microdata", ("Recipe",), {"@type": "https://schema.org/Recipe", "name": "Soup"}),
        ("rdfa", ("Person",), {"@type": "https://schema.org/Person", "name": "Ann"}),
        ("opengraph", ("article",), {"@type": "article", "image": "https://shop.example/a.png"}),
    ]


def test_types_within_things_count_too() -> None:
    items = data_in(b'<script type="application/ld+json">{"@type":["A","B"],"x":[{"@type":"C"}]}</script>', HTML)
    assert sorted(types_in(items)) == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("written", "name"),
    [("https://schema.org/Product", "Product"), ("schema:Product", "Product"), ("a#Product/", "Product"), ("/", "")],
)
def test_a_name_without_its_vocabulary(written: str, name: str) -> None:
    assert short_name(written) == name


@pytest.mark.parametrize(
    "page",
    [
        b'<script type="application/ld+json">' + b"[" * 100_000 + b"</script>",
        b'<script type="application/ld+json">' + b'{"a":' * 900 + b"1" + b"}" * 900 + b"</script>",
        b'<script type="application/ld+json">{"@type": "A", </script>',
        b"<div itemscope itemprop=a>" * 5_000,
        # Each way through sixty elements is another copy: 2**40 of them.
        b"".join(b'<p id=x%d itemprop=p itemscope itemref="x%d x%d">t</p>' % (at, at + 1, at + 2) for at in range(60))
        + b'<div itemscope itemref="x0">',
        b'<p id=a itemscope itemprop=p itemref="a">',
        b"<div typeof=a property=b>" * 30_000,
        b'<div itemscope itemtype="http://schema.org/Product"><b itemprop=name>n</b></div>' * 3_000,
    ],
)
def test_what_a_page_claims_is_bounded(page: bytes) -> None:
    found = data_in(page, HTML)
    assert len(found) <= MOST_ITEMS
    assert all(depth(item.data) < 20 for item in found)


def depth(value: object) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(depth, inner), default=0)


@given(st.text(max_size=200))
def test_no_text_of_a_script_breaks_it(text: str) -> None:
    page = f'<script type="application/ld+json">{text}</script>'.encode("utf-8", "replace")
    assert all(item.syntax == "json-ld" for item in data_in(page, HTML))


def test_plain_text_describes_nothing() -> None:
    assert data_in(b'<script type="application/ld+json">{"@type":"A"}</script>', "text/plain") == []
