"""Main text: which blocks of a page are kept."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whimbrel.parse.block_traits import TRAITS, HeadSaid, name_parts, names_of, said_by, traits_of
from whimbrel.parse.blocks import FOOTER, HIDDEN, NAV, Blocks, blocks_of
from whimbrel.parse.document import tree_of
from whimbrel.parse.main_part import (
    Model,
    Tree,
    closed,
    kept,
    main_blocks,
    main_element,
    named,
    said_once,
    scorer,
)
from whimbrel.parse.reading import main_text

PROSE = "Whimbrels breed in the subarctic, and winter on coasts in Africa, South America and Australasia. "
MENU = "".join(f"<li><a href=/{word}>{word}</a>" for word in ("Home", "Shop", "Blog", "Jobs", "Press", "Contact"))
PAGES = Path("../shared/data/main-text/html")


def blocks(html: str) -> Blocks:
    return blocks_of(tree_of(html.encode(), "text/html; charset=utf-8")[0])


def test_a_block_ends_where_a_box_does() -> None:
    found = blocks("<div>one <b>b</b>old<p>two</p>three<br>lines<table><td>a<td>b</table></div>")
    assert found.texts == ["one bold", "two", "three lines", "a", "b"]
    assert [found.tags[box] for box in found.boxes] == ["div", "p", "div", "td", "td"]


def test_inline_parts_that_styles_set_apart_are_words_of_their_own() -> None:
    assert blocks("<p><span>Price</span><span>3 €</span>, <a>net</a>.</p>").texts == ["Price 3 €, net."]


def test_what_is_no_text_is_no_block() -> None:
    assert blocks("<p>a<script>x</script><style>y</style><svg><text>z</text></svg></p> <div> </div>").texts == ["a"]


def test_links_and_landmarks_are_known() -> None:
    found = blocks("<nav><a>abc</a></nav><div role=contentinfo hidden>de <a>f</a></div>")
    assert found.linked == [3, 1]
    assert [found.marks[box] for box in found.boxes] == [NAV, FOOTER | HIDDEN]


def test_noscript_is_read_where_it_says_more_than_the_page() -> None:
    page = f"<div id=app>Loading</div><noscript><p>{PROSE * 3}</p></noscript>"
    assert blocks(page).texts == [(PROSE * 3).strip()]
    assert blocks(f"<p>{PROSE}</p><noscript><p>Turn on JavaScript</p></noscript>").texts == [PROSE.strip()]


def test_a_plea_for_scripts_is_no_text_of_the_page() -> None:
    plea = "You need to enable JavaScript to run this app."
    assert blocks(f"<div id=app>Loading</div><noscript>{plea}</noscript>").texts == ["Loading"]
    assert main_text(f"<div id=app></div><noscript>{plea}</noscript>".encode(), "text/html") == ""


def test_navigation_and_footer_of_the_page_are_left_out() -> None:
    page = f"<nav><p>{PROSE}</nav>before<footer>Imprint</footer>after<div><p>{PROSE * 3}</div>"
    assert blocks(page).texts == ["before", "after", (PROSE * 3).strip()]
    assert [element.tag for element in blocks(page).left_out] == ["nav", "footer"]


def test_navigation_and_footer_within_the_content_are_judged() -> None:
    article = f"<article><p>{PROSE * 3}</p><footer>Note 1</footer></article>"
    assert blocks(article).texts == [(PROSE * 3).strip(), "Note 1"]
    assert blocks(f"<main><nav>Contents</nav><p>{PROSE * 3}</main>").texts == ["Contents", (PROSE * 3).strip()]
    assert blocks(f"<div role=main><nav>Contents</nav><p>{PROSE * 3}</div>").texts[0] == "Contents"


def test_where_next_to_nothing_else_stands_they_are_the_page() -> None:
    assert blocks(f"<h1>Waders</h1><nav><p>{PROSE * 3}</nav>").texts == ["Waders", (PROSE * 3).strip()]
    text = main_text(f"<h1>Waders</h1><nav><p>{PROSE * 3}</nav>".encode(), "text/html")
    assert text.count("breed in the subarctic") == 3


def test_a_body_that_scripts_are_to_fill_speaks_by_its_head() -> None:
    data = '{"@type": "Article", "articleBody": "Waders rest.\\nThey \\"feed\\" at low tide."}'
    page = f'<script type="application/ld+json">{data}</script><body><div id=app>Loading</div>'
    assert main_text(page.encode(), "text/html") == 'Loading\nWaders rest.\nThey "feed" at low tide.'
    described = f"<meta name=description content='A wader'><body><p>{PROSE}</p>"
    assert main_text(described.encode(), "text/html") == PROSE.strip()


def test_a_short_description_is_about_the_page_and_none_of_its_text() -> None:
    page = "<meta name=description content='{}'><body><div id=app></div>"
    assert main_text(page.format(PROSE).encode(), "text/html") == ""
    assert main_text(page.format(PROSE * 3).encode(), "text/html") == (PROSE * 3).strip()


@pytest.mark.parametrize(
    "sentence",
    [
        "中杓鷸在亞北極地區繁殖，在非洲、南美洲和大洋洲的海岸越冬。",
        "チュウシャクシギは北極圏で繁殖し、南の海岸で冬を越す。",
    ],
)
def test_text_without_spaces_weighs_by_its_characters(sentence: str) -> None:
    menu = "".join(f"<li><a href=/{n}>頁{n}</a>" for n in range(60))
    page = (
        f"<header><nav><ul>{menu}</ul></nav></header><div><h1>中杓鷸</h1>"
        + "".join(f"<p>{n}、{sentence * 4}</p>" for n in range(4))
        + f"</div><footer><ul>{menu}</ul></footer>"
    )
    text = main_text(page.encode(), "text/html; charset=utf-8")
    assert text.count(sentence) == 16
    assert "頁7" not in text


def test_names_are_taken_apart() -> None:
    assert name_parts("articleBody main-nav x1 SEO") == ("article", "body", "main", "nav", "seo")


@given(st.text(alphabet="abAB-_ 1ö", max_size=30))
def test_names_are_worth_what_their_parts_are(name: str) -> None:
    worth = {"ab": 1.5, "ba": -2.0, "bab": 0.25, "aab": 3.0}
    found = blocks(f'<div class="{name}"><p>text</p></div>')
    parts = [worth[part] for part in name_parts(name) if part in worth]
    both = min(parts) + max(parts) if parts else 0.0
    least, most = min([0.0, *parts]), max([0.0, *parts])
    assert names_of(found, worth)[found.boxes[0]] == (both, least, most, both)


def test_the_head_tells_what_the_page_is_about() -> None:
    head = (
        '<meta name=description content="A grey wader"><script type="application/ld+json">'
        '{"@type": "Product", "description": "a bird of the coasts"}</script>'
    )
    said = said_by(tree_of(head.encode(), "text/html")[0])
    assert {"grey", "wader", "bird"} <= said.words
    assert said.kind == 1


def test_every_block_has_every_trait() -> None:
    found = blocks(f"<main><h1>Whimbrel</h1><p class=intro>{PROSE}</p></main><footer>Imprint</footer>")
    rows = traits_of(found, HeadSaid(), {"intro": 1.5})
    assert [len(row) for row in rows] == [len(TRAITS)] * 3
    assert rows[1][TRAITS.index("nearest name")] == 3.0
    assert rows[2][TRAITS.index("footer")] == 1.0


def test_a_model_written_as_an_expression_says_what_its_trees_say() -> None:
    tree = Tree([0, 1, 1], [1.0, 2.0, 3.0], [0.1, 0.2, 0.3, 0.4])
    score = scorer(Model({}, -1.0, [tree, tree]))
    assert [round(score(row), 3) for row in ([1, 2], [1, 2.5], [2, 3], [2, 4])] == [-0.8, -0.6, -0.4, -0.2]


def test_where_nothing_stands_out_everything_is_kept() -> None:
    found = blocks(f"<p>{PROSE}</p>" * 3)
    assert kept(found, [-2.0, -2.0, -2.0]) == [0, 1, 2]
    assert kept(found, [4.0, -4.0, 4.0]) == [0, 2]
    assert kept(blocks("<p>one</p><p>two</p>"), [4.0, -4.0]) == [0, 1]
    assert kept(blocks(""), []) == []


def test_where_the_page_may_lie_off_as_a_whole_more_is_kept() -> None:
    found = blocks(f"<p>{PROSE}</p>" * 4)
    assert kept(found, [3.0, -1.0, -1.0, -1.0]) == [0]
    assert kept(found, [3.0, -1.0, -1.0, -1.0], spread=3.0) == [0, 1, 2, 3]
    assert kept(found, [3.0, -4.0, -4.0, -4.0], spread=3.0) == [0], "where the model is sure, nothing comes along"


def test_what_was_said_is_not_said_again() -> None:
    wide, narrow = (f"<div class={width}><h2>Waders</h2><p>{PROSE * 2}</p></div>" for width in ("wide", "narrow"))
    text = main_text(f"<h1>Birds</h1><p>{PROSE}</p>{wide}{narrow}".encode(), "text/html")
    assert [line for line in text.splitlines() if "breed" in line] == [PROSE.strip(), (PROSE * 2).strip()]


def test_what_stands_under_another_heading_may_be_said_of_something_else() -> None:
    note = "Changed in version 3.6: Accepts a path-like object."
    manual = blocks(f"<dl><dt>open<dd><p>{note}<p>{note}<dt>stat<dd><p>{note}</dl><h2>Files</h2><p>{note}")
    assert [manual.texts[at] for at in said_once(manual, range(7))] == ["open", note, "stat", note, "Files", note]
    copied = blocks(f"<h2>Wide</h2><p>{PROSE * 3}<p>Home<h2>Narrow</h2><p>{PROSE * 3}<p>Home")
    assert said_once(copied, range(6)) == [0, 1, 2, 3, 5], "a paragraph says the same anywhere, names may come again"


def test_cells_and_code_may_repeat() -> None:
    found = blocks(f"<p>{PROSE}<p>{PROSE}<table><tr><td>{PROSE}<td>{PROSE}</table><pre>{PROSE}</pre><pre>{PROSE}</pre>")
    assert said_once(found, range(6)) == [0, 2, 3, 4, 5]
    assert said_once(found, [1, 2]) == [1, 2]


def test_an_article_is_kept_without_its_surroundings() -> None:
    page = (
        f"<header><nav><ul>{MENU}</ul></nav></header>"
        "<div class=cookie-banner>We use cookies. <button>Accept</button></div>"
        f"<main><article><h1>Whimbrel</h1><p>{PROSE * 3}</p><p>{PROSE * 2}</p><p>So {PROSE * 3}</p></article></main>"
        "<footer><ul><li><a href=/i>Imprint</a><li><a href=/p>Privacy</a></ul><p>© 2026 Birds</p></footer>"
    )
    text = main_text(page.encode(), "text/html; charset=utf-8")
    assert text.count("breed in the subarctic") == 8
    assert "Imprint" not in text
    assert "Press" not in text
    part = main_element(tree_of(page.encode(), "text/html; charset=utf-8")[0])
    assert part is not None
    assert "breed in the subarctic" in part.text
    assert "Imprint" not in part.text
    assert part.find("nav") is None
    assert part.find("footer") is None


def test_a_short_gap_in_what_is_kept_is_closed() -> None:
    short, long = "three little words", "word " * 10
    found = blocks("".join(f"<p>{text}</p>" for text in (short, long, short, long, long, short, short)))
    assert closed(found, [1, 3]) == {1, 2, 3}, "neither what comes before nor what comes behind"
    assert closed(found, [0, 3]) == {0, 3}, "the gap is longer than half of what is kept before it"
    assert closed(found, [1, 3, 6]) == {1, 2, 3, 6}
    assert closed(found, []) == set()


@pytest.mark.parametrize(
    ("above", "title", "kept_above"),
    [
        ("<h1>Waders</h1><p>birds</p>", "", ["Waders", "birds"]),
        ("<h2>The shore</h2><p>birds</p>", "The shore · A garden", ["The shore", "birds"]),
        ("<h2>See also</h2><p>birds</p>", "The shore · A garden", []),
        ("<h1>A garden</h1><h2>Shore</h2><p>birds</p>", "Shore", ["Shore", "birds"]),
        (f"<h1>Waders</h1><p>{'menu ' * 40}</p>", "", ["Waders"]),
    ],
)
def test_the_heading_that_names_the_page_stays_with_what_stands_below_it(
    above: str, title: str, kept_above: list[str]
) -> None:
    found = blocks(f"{above}<p>{PROSE}</p><p>other</p>")
    text = len(found.texts) - 2
    assert [found.texts[at] for at in sorted(named(found, {text}, title))] == [*kept_above, found.texts[text]]


def test_terms_of_a_list_of_definitions_are_read_with_their_text() -> None:
    terms = "".join(
        f"<dt class=sig id=f{n}><code>bird.f{n}</code>(<em>n</em>)<a href=#f{n}>¶</a><dd><p>{PROSE}" for n in range(6)
    )
    page = f"<body><div class=nav><ul>{MENU}</ul></div><div role=main><h1>bird</h1><p>{PROSE}<dl>{terms}</dl></div>"
    part = main_element(tree_of(page.encode(), "text/html; charset=utf-8")[0])
    assert part is not None
    assert [n for n in range(6) if f"bird.f{n}" in part.text] == list(range(6))
    assert "Press" not in part.text


def test_siblings_are_not_lost_to_the_longest() -> None:
    posts = "".join(
        f"<div class=post><h3>User {n}</h3><div class=body><p>{PROSE * n}</p></div></div>" for n in (1, 2, 3, 4)
    )
    text = main_text(f"<body><ul>{MENU}</ul><div id=thread>{posts}</div></body>".encode(), "text/html")
    assert text.count("breed in the subarctic") == 10


CELLS = "".join(f"<tr><td>Bird {n}<td>{n * 7} pairs<td>{n % 5} sites" for n in range(80))
ODD_PAGES = {
    "a cookie banner before all": f"<div id=consent role=dialog><h2>Your privacy</h2><p>{'We use cookies. ' * 30}</div>"
    + f"<h1>Waders</h1>{''.join(f'<div>{n}. {PROSE * 4}</div>' for n in range(3))}",
    "one table": f"<body><table>{CELLS}<tr><td>{PROSE}</table>",
    "no paragraphs": f"<body><center><font>{PROSE}<br><br>{PROSE}<br><br>{PROSE}</font></center>",
    "a text and nothing else": PROSE * 5,
    "an empty body with noscript": f"<body><div id=root></div><noscript><p>{PROSE * 3}</p></noscript>",
    "preformatted": f"<body><pre>{PROSE * 6}</pre>",
    "words in spans": f"<body><div>{''.join(f'<span>{word} </span>' for word in (PROSE * 4).split())}</div>",
}  # fmt: skip


@pytest.mark.parametrize("html", ODD_PAGES.values(), ids=ODD_PAGES.keys())
@pytest.mark.parametrize("quick", [False, True])
def test_odd_pages_keep_their_text(html: str, quick: bool) -> None:
    text = " ".join(main_text(html.encode(), "text/html; charset=utf-8", quick=quick).split())
    assert text.count("breed in the subarctic") == html.count("breed in the subarctic") or "<span>" in html
    assert "Australasia" in text
    assert "<table>" not in html or text.count("pairs") > 72


@given(st.text(alphabet="<>/abp divsn&;=\"'\0", max_size=300))
@settings(max_examples=60)
def test_any_markup_has_a_main_text(html: str) -> None:
    document = tree_of(html.encode(), "text/html; charset=utf-8")[0]
    assert all(main_blocks(document))
    main_element(document)


@pytest.mark.skipif(not PAGES.exists(), reason="the pages of ../shared/data/main-text are not there")
def test_forums_that_scripts_fill_are_read() -> None:
    body = gzip.decompress((PAGES / "0501.html.gz").read_bytes())
    assert len(main_text(body, "text/html; charset=utf-8").split()) > 200
