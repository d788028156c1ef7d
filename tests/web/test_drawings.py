"""Drawings in kept pages: shapes stay, and nothing else does."""

import re

import pytest
from drawn_attacks import ATTACKS
from hypothesis import given
from hypothesis import strategies as st
from test_copy import OURS, copied, elements
from turbohtml import Namespace, parse

from whimbrel.web.drawings import DRAWN, LARGEST_REFERENCE, is_harmless

ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" class="icon" aria-hidden="true" stroke-width="2">'
    '<defs><linearGradient id="g" gradientTransform="rotate(45)"><stop offset="0" stop-color="#0b6157"/>'
    "</linearGradient>"
    '<linearGradient id="h" xlink:href="#g"/><clipPath id="c"><circle cx="9" cy="9" r="8"/></clipPath></defs>'
    "<title>A bird</title>"
    '<g transform="translate(1 2)" fill="url(#g)" clip-path="url(&quot;#c&quot;)"><path d="M4 4h16v16H4z"/></g>'
    '<symbol id="s"><rect width="3" height="3" style="fill:url(#h)"/></symbol><use xlink:href="#s" x="3"/>'
    "<text x='1' y='2'>Grüße <tspan>&lt;3</tspan></text></svg>"
)


def test_an_icon_stays_as_it_was() -> None:
    made = copied(f"<p>a bird {ICON} flies")
    for part in (
        '<svg viewBox="0 0 24 24" class="icon" aria-hidden="true" stroke-width="2">',
        '<linearGradient id="g" gradientTransform="rotate(45)"><stop offset="0" stop-color="#0b6157"></stop>',
        '<linearGradient id="h" href="#g">',
        "<title>A bird</title>",
        '<g transform="translate(1 2)" fill="url(#g)" clip-path="url(&quot;#c&quot;)"><path d="M4 4h16v16H4z">',
        '<rect width="3" height="3" style="fill:url(&quot;#h&quot;)">',
        '<use x="3" href="#s"></use>',
        "Grüße <tspan>&lt;3</tspan></text></svg> flies",
    ):
        assert part in made
    read = parse(made).find("linearGradient")
    assert read is not None
    assert read.namespace is Namespace.SVG


def test_the_styles_of_a_drawing_are_styles_of_the_page() -> None:
    made = copied("<svg><style>.a{fill:red;mask:url(x.svg#m);stroke:url(#g)}</style><path class=a d=M0,0 /></svg>")
    assert '<style>.a{fill:red;mask:url("/kept/s/file?url=http://a.example/d/x.svg");stroke:url("#g")}</style>' in made
    assert made.index("<style>.a") < made.index("<body")
    broken = copied('<svg><style>.a{fill:url("#a\\") } p { background: url(http://evil.example/x")}</style></svg>')
    assert "evil" not in broken


def test_icons_keep_their_size_where_their_sheet_is_missing() -> None:
    page = '<link rel=stylesheet href=s.css><svg viewBox="0 0 24 24"></svg><svg viewBox="0 0 900 600"></svg>'
    assert '<svg viewBox="0 0 24 24" width="24">' in copied(page, kept=False)
    assert '<svg viewBox="0 0 900 600">' in copied(page, kept=False), "a picture fills its place"
    assert '<svg viewBox="0 0 24 24">' in copied(page), "the sheet says it"


def test_values_that_name_no_file() -> None:
    for value in (
        "#fff",
        "url(#a)",
        "url('#a') red",
        "rgb(1 2 3 / 50%)",
        "M0 0h9",
        "var(--x)",
        "matrix(1,0,0,1,2,3)",
        "",
    ):
        assert is_harmless(value), value
    for value in ("url(x#a)", "url(//x)", "u\\72l(x)", "image-set('x' 1x)", "url(#a) url(x)", "URL(x", "src('x')",
                  "url (x)", "url('#a\")", "url(#a\\))", "-webkit-cross-fade(url(x), red, 1%)"):  # fmt: skip
        assert not is_harmless(value), value


@pytest.mark.parametrize("attack", ATTACKS)
def test_of_an_attack_only_shapes_are_left(attack: str) -> None:
    made = copied(attack.replace("EVIL", "http://evil.example"), kept=False)
    parsed = parse(made)
    assert elements(made).count("script") == OURS
    for element in parsed.iter_elements():
        assert not [name for name in element.attrs if name.startswith("on")]
        if element.namespace is Namespace.SVG:
            assert element.tag in DRAWN
            href = element.attr("href") or "#"
            assert href.startswith("#")
        assert element.namespace is not Namespace.MATHML
    drawn = [element for element in parsed.iter_elements() if element.namespace is Namespace.SVG]
    for element in drawn:
        assert "evil.example" not in str(dict(element.attrs)).replace("\\72", "")


def test_references_that_multiply_are_not_drawn() -> None:
    levels = "".join(f'<g id="b{level}">{f"<use href=#b{level + 1} />" * 10}</g>' for level in range(9))
    bomb = f"<svg><defs>{levels}<rect id=b9 width=1 height=1 /></defs><use href=#b0 /><use href=#b9 /></svg>"
    made = parse(copied(bomb))
    assert drawn_by(made) <= 20 * LARGEST_REFERENCE
    assert '<use href="#b9"></use>' in copied(bomb)
    endless = (
        "<svg><g id=loop><use href=#loop /></g><symbol id=s><use href=#t /></symbol><g id=t><use href=#s /></g></svg>"
    )
    assert "<use" not in copied(endless)
    many = f"<svg><g id=row>{'<rect/>' * 1000}</g>{'<use href=#row />' * 1000}</svg>"
    assert drawn_by(parse(copied(many))) <= 300_000


def drawn_by(document: object) -> int:
    """How many elements a browser draws, references followed."""
    by_id = {each.attr("id"): each for each in document.iter_elements() if each.attr("id")}  # type: ignore[attr-defined]
    known: dict[str, int] = {}

    def count(element: object) -> int:
        total = 0
        for each in element.iter_elements():  # type: ignore[attr-defined]
            total += 1
            if each.tag == "use" and (name := each.attr("href")[1:]) in by_id:
                known[name] = known.get(name) or 1 + count(by_id[name])
                total += known[name]
        return total

    return count(document)


PIECES = (
    "<svg>", "</svg>", "<path>", "<g>", "</g>", "<g id=a>", "<use href=#a />", "<title>", "</title>", "<style>",
    "</style>", "<foreignObject>", "<math>", "<mtext>", "<p>", "<!--", "-->", "<![CDATA[", "]]>", "<desc>", "<script>",
    "</script>", ">", "<table>", "<select>", '"', "'", "<textarea>", "x", "<text>", "<xmp>", "<a>", "<switch>", "<br>",
    "<img src=x onerror=x>", "<a xlink:href=javascript:x>", "<annotation-xml encoding=text/html>", "<font color=x>",
    "<rect fill=url(//x) onload=x />",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=24).map("".join))
def test_whatever_is_drawn_a_parser_makes_the_same_of_it(html: str) -> None:
    """Each element that was written as a part of a drawing is one to a parser, and nothing else is."""
    made = copied(html)
    tags = list(parse(made).iter_elements())
    assert sum(element.tag == "script" for element in tags) == OURS
    read = [element.tag for element in tags if element.namespace is Namespace.SVG]
    assert read == re.findall(rf"<({'|'.join(DRAWN)})\b", made[made.index("<body") :])
    assert all(element.namespace is not Namespace.MATHML for element in tags)
    assert not [name for element in tags for name in element.attrs if name.startswith("on")]
