"""Parts of documents as Markdown."""

import pytest
import turbohtml
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.exchange.rendering import readable
from whimbrel.records.url import Url

URL = Url("https://a.example/guide/")


def _markdown(html: str) -> str:
    document = turbohtml.parse(html)
    return readable(document, document, URL)


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ("<p><em>tide</em> and <strong>won’t be</strong> late", "*tide* and **won’t be** late"),
        ("<p>re<b>read</b>, <i>*args</i>, <b>(z)</b>.", "re**read**, *\\*args*, **(z)**."),
        ("<p><i><b>both</b></i> <b><b>twice</b></b> <b> wide </b>open", "***both*** **twice** **wide** open"),
        ("<p><b>Name:</b>no space", "Name:no space"),
        ("<p><b>one</b><i>two</i>", "onetwo"),
        ("<p>a<b>&nbsp;</b><b></b>z", "a\xa0z"),
        ("<b><div>a block</div><div>another</div></b>", "a block\n\nanother"),
        ("<pre>x = <b>1</b></pre>", "```\nx = 1\n```"),
        ("<h2><b>Bold</b></h2>", "## **Bold**"),
    ],
)
def test_stress_is_marked_where_markdown_takes_it_for_stress(html: str, said: str) -> None:
    assert _markdown(html).replace("&#160;", "\xa0") == said


@given(st.lists(st.tuples(st.sampled_from("ab.( ’*_"), st.sampled_from(["", "b", "i", "em", "strong"])), max_size=8))
def test_no_page_is_written_with_tags_of_stress(pieces: list[tuple[str, str]]) -> None:
    html = "".join(f"<{tag}>{text}</{tag}>" if tag else text for text, tag in pieces)
    assert "<" not in _markdown(f"<p>{html}</p>")


def test_signs_that_only_lead_to_their_own_place_are_left_out() -> None:
    page = """<h2 id=t><a href="#toc">Tides</a><a class=headerlink href="#t" title="Permalink">¶</a></h2>
    <p>See <a href="#t">Tides</a>, <a href="#n1">1</a>, <a href="#up"><img src=/up.png alt=Up></a>.
    <h3><a href="/ebb" title="all of ebb">Ebb</a><a href="#e"><svg><path></svg></a></h3>"""
    assert _markdown(page) == (
        "## Tides\n\nSee [Tides](https://a.example/guide/#t), [1](https://a.example/guide/#n1), "
        "[![Up](https://a.example/up.png)](https://a.example/guide/#up).\n\n### [Ebb](https://a.example/ebb)"
    )


def test_one_empty_line_parts_blocks_and_code_keeps_its_own() -> None:
    page = "<div><nav><ul><li><p>a</p></li>\n</ul>\n</nav>\n<h2>b</h2></div><pre>x\n\n\n\ny</pre>\n\n\n<p>z <i>i"
    assert _markdown(page) == "- a\n\n## b\n\n```\nx\n\n\n\ny\n```\n\nz *i*"
