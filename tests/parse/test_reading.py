"""Main text, paragraphs and language, from the kept copy."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whimbrel.parse.languages import TWO_LETTERS
from whimbrel.parse.reading import language, main_text, paragraphs

ISO_CODES = Path("/usr/share/iso-codes/json/iso_639-2.json")
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


@pytest.mark.parametrize(
    ("declared", "code"),
    [("de-CH", "de"), ("EN_us", "en"), ("ger", "de"), ("cmn-Hans", "zh"), ("yue", "yue"), (" fr ", "fr")],
)
def test_the_declared_language_comes_first(declared: str, code: str) -> None:
    assert language(PROSE, declared) == code


@pytest.mark.parametrize("declared", ["", "und", "x", "12", "{{lang}}", "english", "é"])
def test_otherwise_the_text_tells(declared: str) -> None:
    assert language(PROSE, declared) == "en"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Dies ist ein deutscher Text, der hier von jemandem geschrieben wurde.", "de"),
        ("Les oiseaux se reproduisent dans le nord et passent l'hiver sur les côtes.", "fr"),
        ("これは日本語の文章です。", "ja"),
        ("这是一个中文句子，用来测试。", "zh"),
        ("Сегодня хорошая погода, и мы пошли гулять в большой парк возле нашего дома.", "ru"),
        ("", ""),
        ("123 456 !!!", ""),
        ("Contact", ""),
        ("Ελληνικά", "el"),
        ("ภาษาไทย", "th"),
        ("安装 Debian 之前，请先备份您的数据。", "zh"),
    ],
)
def test_language_of_a_text(text: str, code: str) -> None:
    assert language(text, "") == code


def test_commands_in_english_do_not_make_a_manual_english() -> None:
    german = "Bevor Sie beginnen, sollten Sie alle Ihre Daten sichern und die Anleitung bis zum Ende lesen. " * 2
    command = "To see what the program would do without doing it, run the command with the option given below. " * 2
    assert language((german + command) * 3, "") == "de"
    assert language((command * 4 + german), "") == "en"


def test_where_pieces_disagree_nothing_is_named() -> None:
    swahili = (
        "Watu wote wamezaliwa huru, hadhi na haki zao ni sawa. Wote wamejaliwa akili na dhamiri, hivyo yapasa "
        "watendeane kindugu. Kila mtu anastahili kuwa na haki zote na uhuru wote ambao umeelezwa katika Taarifa hii "
        "bila ubaguzi wo wote. Yaani bila kubaguana kwa rangi, taifa, wanaume kwa wanawake, dini, siasa, fikara, asili "
        "ya taifa la mtu, miliki, kwa kuzaliwa au kwa hali nyingine yo yote. Kila mtu ana haki ya kuishi, haki ya kuwa "
        "huru na haki ya kuwa salama."
    )
    assert language(swahili, "") == ""


@pytest.mark.skipif(not ISO_CODES.exists(), reason="Debian's iso-codes, which lists all languages, is not installed")
def test_no_language_with_a_two_letter_code_is_missing() -> None:
    listed = [one for one in json.loads(ISO_CODES.read_text("utf-8"))["639-2"] if "alpha_2" in one]
    pairs = {one[form]: one["alpha_2"] for one in listed for form in ("alpha_3", "bibliographic") if form in one}
    del pairs["bih"]  # a group of languages, whose two-letter code ISO has withdrawn
    assert len(pairs) > 200
    assert pairs.items() <= TWO_LETTERS.items()


@given(st.text(max_size=100), st.text(max_size=10))
@settings(max_examples=100)
def test_a_language_is_a_code_or_nothing(text: str, declared: str) -> None:
    code = language(text, declared)
    assert code == "" or (code.isalpha() and code.islower() and len(code) in (2, 3))
