"""The language of a page: what its text tells, what it declares, and when nothing is said."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whimbrel.parse import language
from whimbrel.parse.alphabets import ALPHABETS
from whimbrel.parse.language import WINDOW_CHARACTERS, WINDOWS, language_of
from whimbrel.parse.languages import TWO_LETTERS, declared_language

ISO_CODES = Path("/usr/share/iso-codes/json/iso_639-2.json")
ENGLISH = "Whimbrels breed in the subarctic and winter on coasts in Africa, South America and Australasia. "
FRENCH = "Les oiseaux se reproduisent dans le nord et passent l'hiver sur les côtes, où ils se nourrissent de crabes. "
GERMAN = "Bevor Sie beginnen, sollten Sie alle Ihre Daten sichern und die Anleitung bis zum Ende lesen. "
CROATIAN = (
    "Sva ljudska bića rađaju se slobodna i jednaka u dostojanstvu i pravima. Ona su obdarena razumom i sviješću. "
)
NIVKH = (
    "ӿара яйминыӊы, адяй макргут лу уголовное ӿат иткғир̌ йа ӿавтьта, мраӊ кʼета ӿад яйминыӊы энадғунғин сик салӻара "
    "ӿар̌ йа делоаӿ гласно ӿара макргут махтур̌ пʼургийныӊ независимый ӿара беспристрастный ӿара ӿаӊ судаӿ"
)
FAROESE = "Hvørt menniskja er føtt frælst og jøvn til virðingar og mannarættindi. Tey hava skil og samvitsku. "


@pytest.mark.parametrize(
    ("declared", "code"),
    [
        ("de-CH", "de"), ("EN_us", "en"), ("ger", "de"), ("cmn-Hans", "zh"), ("yue", "yue"), (" fr ", "fr"),
        ("no", "nb"), ("", ""), ("und", ""), ("x", ""), ("12", ""), ("{{lang}}", ""), ("english", ""), ("é", ""),
    ],
)  # fmt: skip
def test_codes_of_declarations(declared: str, code: str) -> None:
    assert declared_language(declared) == code
    assert language_of("", declared) == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Dies ist ein deutscher Text, der hier von jemandem geschrieben wurde.", "de"),
        (FRENCH, "fr"),
        ("これは日本語の文章です。", "ja"),
        ("这是一个中文句子，用来测试。", "zh"),
        ("Сегодня хорошая погода, и мы пошли гулять в большой парк возле нашего дома.", "ru"),
        ("", ""),
        ("123 456 !!!", ""),
        ("Contact", ""),
        ("Overview Module Package Class", ""),
        ("Ελληνικά", "el"),
        ("ภาษาไทย", "th"),
        ("安装 Debian 之前，请先备份您的数据。", "zh"),
    ],
)
def test_what_a_text_tells(text: str, code: str) -> None:
    assert language_of(text) == code


def test_commands_in_english_do_not_make_a_manual_english() -> None:
    command = "To see what the program would do without doing it, run the command with the option given below. "
    assert language_of((GERMAN * 2 + command) * 6) == "de"
    assert language_of(command * 9 + GERMAN) == "en"


def test_letters_that_a_language_lacks_speak_against_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert language_of(NIVKH) == ""
    monkeypatch.setattr(language, "MOST_FOREIGN", 1.0)
    assert language_of(NIVKH) == "ru"


@pytest.mark.parametrize(
    ("text", "declared", "code"),
    [
        (FRENCH * 3, "en", "fr"),
        (FRENCH * 3, "fr-CA", "fr"),
        (ENGLISH * 3, "de", "en"),
        ("これは日本語の文章です。" * 9, "en", "ja"),
        (CROATIAN * 3, "bs", "bs"),
        (FAROESE * 3, "fo", "fo"),
        ("广东话同普通话" * 9, "yue", "yue"),
        ("Contact us", "pt", "pt"),
        ("Home About Contact Imprint Shop Cart Login Search", "fr", "fr"),
    ],
)
def test_a_declaration_is_believed_unless_the_text_contradicts_it(text: str, declared: str, code: str) -> None:
    assert language_of(text, declared) == code


@given(st.text(max_size=100), st.text(max_size=10))
@settings(max_examples=100)
def test_a_language_is_a_code_or_nothing(text: str, declared: str) -> None:
    code = language_of(text, declared)
    assert code == "" or (code.isalpha() and code.islower() and len(code) in (2, 3))


@given(st.sampled_from([ENGLISH, FRENCH, GERMAN, CROATIAN, FAROESE]), st.sampled_from([*ALPHABETS, "fo", "yue", ""]))
@settings(max_examples=100)
def test_what_was_told_once_is_told_again_of_the_same_text(text: str, declared: str) -> None:
    code = language_of(text, declared)
    assert language_of(text, code) == code


@pytest.mark.skipif(not ISO_CODES.exists(), reason="Debian's iso-codes, which lists all languages, is not installed")
def test_no_language_with_a_two_letter_code_is_missing() -> None:
    listed = [one for one in json.loads(ISO_CODES.read_text("utf-8"))["639-2"] if "alpha_2" in one]
    pairs = {one[form]: one["alpha_2"] for one in listed for form in ("alpha_3", "bibliographic") if form in one}
    del pairs["bih"]  # a group of languages, whose two-letter code ISO has withdrawn
    assert len(pairs) > 200
    assert pairs.items() <= TWO_LETTERS.items()


def test_a_text_whose_first_windows_fall_on_commands_is_asked_for_more() -> None:
    command = "Nspname regproc xid relkind oid toast relname varbit indisvalid attnum tgrelid prosrc bpchar amname "
    prose = "The planner looks at the statistics of a table before it chooses how the rows of it are to be read. "
    text = "".join((one * 40)[: 2 * WINDOW_CHARACTERS] for _ in range(WINDOWS) for one in (command, prose))
    assert language_of(" ".join([command] * 8)) == ""
    assert language_of(text) == "en"
