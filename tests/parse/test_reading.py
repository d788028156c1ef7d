"""Main text and paragraphs, from the kept copy."""

from whimbrel.parse.reading import main_text, paragraphs

PROSE = "Whimbrels breed in the subarctic and winter on coasts in Africa, South America and Australasia. "
ARTICLE = (
    "<html><body><nav><a href=a>Home</a> <a href=b>About</a></nav><main><h1>Whimbrel</h1>"
    f"<p>{PROSE * 3}</p><script>var no</script><p>{PROSE * 2}<ul><li>One item<li>Other item</ul></main>"
    "<footer><a href=c>Imprint</a></footer></body></html>"
).encode()


def test_main_text_leaves_menus_out() -> None:
    text = main_text(ARTICLE, "text/html")
    assert "breed in the subarctic" in text
    assert "Imprint" not in text


def test_main_text_falls_back_to_what_is_visible() -> None:
    assert main_text(b"<table><td>a<td>b</table><script>no</script>", "text/html").split() == ["a", "b"]
    assert main_text(b" plain <b> ", "text/plain") == "plain <b>"
    assert main_text(b"", "text/html") == ""


def test_paragraphs_come_in_order_and_once() -> None:
    found = paragraphs(ARTICLE, "text/html")
    assert found[0] == "Whimbrel"
    assert found[-2:] == ["One item", "Other item"]
    assert len(found) == 5
    assert not any("var no" in text or "Imprint" in text for text in found)


def test_paragraphs_of_little() -> None:
    assert paragraphs(b"just words", "text/html") == ["just words"]
    assert paragraphs(b"", "text/html") == []
    assert paragraphs(b"one\ntwo\n\n three \n \n", "text/plain") == ["one two", "three"]
