"""Which language a page is in: what its text tells and what it declares, weighed against each other.

Where a script is written by one language, the script decides. Elsewhere a small model is asked (fastText's lid.176,
which knows 176 languages) for the chances of each. It names one of its own for a text in any language; so a name is
believed only where it is likely, and where the text has no letters which that language does not use. Else nothing is
said: a wrong name is worse than none.

What a page declares is a witness, no proof: templates say "en" on pages in French. It decides where the text leaves it
a chance.
"""

import re
from functools import cache
from pathlib import Path

from fasttext_pybind import fasttext

from whimbrel.parse.alphabets import ALPHABETS
from whimbrel.parse.languages import declared_language

LEAST_CHANCE, LEAST_CHANCE_SHORT, SHORT_LETTERS = 0.7, 0.9, 100
"""What a name needs to be believed; in a text of fewer letters than this, more."""
MOST_FOREIGN = 0.02
"""The share of letters that a language does not use: names and loan words have some."""
WITNESS_CHANCE = 0.05
"""What the text has to leave to a language that the page declares."""
LEAST_LETTERS = 20
"""Of an alphabet that many languages share: a word or two may be of any of them."""
MOST_ENGLISH = 0.7
"""Manuals quote commands. Below this chance English does not count against another language."""

WINDOWS, WINDOW_CHARACTERS = 4, 200
"""From all over the text: it begins with menus, which are no sentences."""
MORE_WINDOWS = 8
"""Asked where those leave it in doubt."""

_MODEL = Path(__file__).with_name("lid.176.ftz")
_LABEL = "__label__"
# Labels of the model that are names of wikis: what ISO 639 calls them. `sh` is the three that are told apart anyway.
_WIKIS = {"als": "gsw", "bh": "bho"}
_SERBO_CROATIAN = "sh"
_NAMED = 6
"""How many of the likeliest languages are asked for."""

_KANA = re.compile("[\u3041-\u30fa]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_IN_CODE = re.compile(r"[\d_/\\=<>{}@#$%^*+|~&\[\]]|[.:]\w")
"""In numbers, addresses, commands: what has these is no word of any language."""
# Scripts with one likely language (Unicode CLDR 47, likely subtags), of those that only this one writes today.
_SCRIPTS = {
    "ko": "\u1100-\u11ff\uac00-\ud7a3", "el": "\u0370-\u03ff\u1f00-\u1fff", "hy": "\u0531-\u058a",
    "ka": "\u10a0-\u10ff",
    "th": "\u0e01-\u0e5b", "lo": "\u0e81-\u0edf", "km": "\u1780-\u17f9", "ta": "\u0b80-\u0bff", "te": "\u0c00-\u0c7f",
    "kn": "\u0c80-\u0cff", "ml": "\u0d00-\u0d7f", "gu": "\u0a80-\u0aff", "pa": "\u0a00-\u0a7f", "or": "\u0b00-\u0b7f",
    "si": "\u0d80-\u0dff",
}  # fmt: skip
_OF_SCRIPT = {code: re.compile(f"[{letters}]") for code, letters in _SCRIPTS.items()}
_TOLD_BY_SCRIPT = frozenset((*_SCRIPTS, "ja", "zh"))
_BEYOND = re.compile("[^\\W\\d_\0-\u024f\u0400-\u052f]")
"""Letters of neither the Latin nor the Cyrillic alphabet."""


def language_of(text: str, declared: str = "") -> str:
    """An ISO 639-1 code where the language has one, else ISO 639-3; "" where neither text nor page tell."""
    said = declared_language(declared)
    named = _by_sample(_sample(text, WINDOWS), said)
    if named or len(text) <= WINDOWS * WINDOW_CHARACTERS:
        return named
    # Windows that fell on commands or tables leave it in doubt: more of the text is asked.
    return _by_sample(_sample(text, MORE_WINDOWS), said)


def _by_sample(sample: str, said: str) -> str:
    letters = sum(map(str.isalpha, sample))
    if letters and (told := _by_script(sample, letters)):
        return told if not said or said in _TOLD_BY_SCRIPT or said in ALPHABETS else said
    if letters < LEAST_LETTERS:
        return said
    chances = _chances(sample)
    told = _believed(chances, sample, letters)
    if not said or told == said:
        return told
    return told if told and _contradicted(said, chances.get(told, 0.0), chances.get(said, 0.0)) else said


def _contradicted(said: str, of_told: float, of_said: float) -> bool:
    """Of a language unknown here a text cannot say that it is another, and neighbours are often mistaken for each
    other. English has no near neighbours: where it keeps a chance, that comes from commands."""
    if said not in ALPHABETS and said not in _TOLD_BY_SCRIPT:
        return False
    return of_told >= LEAST_CHANCE and (said == "en" or of_said < WITNESS_CHANCE)


def _sample(text: str, count: int) -> str:
    """Windows spread over the text, each from a word's beginning to a word's end."""
    if len(text) <= count * WINDOW_CHARACTERS:
        return " ".join(text.split())
    step = len(text) // count
    windows = [text[at : at + WINDOW_CHARACTERS].split() for at in range(0, step * count, step)]
    return " ".join(word for words in windows for word in (words[1:-1] or words))


def _by_script(sample: str, letters: int) -> str:
    """As English does not count where it is less than that, so its letters do not."""
    least = (1.0 - MOST_ENGLISH) * letters
    if sample.isascii() or len(_BEYOND.findall(sample)) < least:
        return ""
    kana, han = len(_KANA.findall(sample)), len(_HAN.findall(sample))
    if kana + han >= least:
        return "ja" if kana * 10 > han else "zh"
    return next((code for code, one in _OF_SCRIPT.items() if len(one.findall(sample)) >= least), "")


def _chances(sample: str) -> dict[str, float]:
    """The likeliest languages. What is no word is left out first, unless nothing is left then."""
    in_code = _IN_CODE.search
    words = " ".join([word for word in sample.split() if word.isalpha() or not in_code(word)]) or sample
    chances: dict[str, float] = {}
    for chance, label in _model().predict(words + "\n", _NAMED, 0.0, "replace"):
        name = label.removeprefix(_LABEL)
        code = declared_language(_WIKIS.get(name, name))
        chances[code] = chances.get(code, 0.0) + chance
    shared = chances.pop(_SERBO_CROATIAN, 0.0)
    return {code: chance / (1.0 - shared) for code, chance in chances.items()} if shared < 1.0 else {}


def _believed(chances: dict[str, float], sample: str, letters: int) -> str:
    english = chances.get("en", 0.0)
    if english >= MOST_ENGLISH:
        told, chance = "en", english
    else:
        others = {code: chance / (1.0 - english) for code, chance in chances.items() if code != "en"}
        told = max(others, key=others.__getitem__, default="")
        chance = others.get(told, 0.0)
    if chance < (LEAST_CHANCE if letters >= SHORT_LETTERS else LEAST_CHANCE_SHORT) or told in _TOLD_BY_SCRIPT:
        return ""
    foreign = len(_foreign(told).findall(sample.lower())) if told in ALPHABETS and not sample.isascii() else 0
    return told if foreign <= MOST_FOREIGN * letters else ""


@cache
def _foreign(code: str) -> re.Pattern[str]:
    return re.compile(f"[^\\W\\d_a-z{ALPHABETS[code]}]")


@cache
def _model() -> fasttext:
    """Read when first needed: 6 MB, 50 ms."""
    model = fasttext()
    model.loadModel(str(_MODEL))
    return model
