"""Which language a text is in; "" where that cannot be told.

Where a script is written by one language, the script decides. Elsewhere the parser's detector is asked; but it knows
some seventy languages, names one of them for every text, and is always sure. So it is asked about pieces of the text by
themselves: a language it knows it names most times, and of one it does not know now this and now that neighbour. What
most pieces agree on is believed. Pieces in English do not count against another language: manuals quote commands.
"""

import re
from collections import Counter

from turbohtml.detect import detect_language

from whimbrel.parse.languages import TWO_LETTERS

PIECES, PIECE_CHARACTERS = 12, 150
AGREEING, LEAST_SHARE, LEAST_ENGLISH = 0.6, 0.3, 0.7
"""Of the pieces that are not English, of all pieces, and of all pieces where the text is to be English."""
LEAST_LETTERS = 20
"""Of an alphabet that many languages share: a word or two may be of any of them."""

_SAMPLE = 4_000
_ENGLISH = "eng"
_KANA = re.compile("[\u3041-\u30fa]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
# Scripts with one likely language (Unicode CLDR 47, likely subtags), of those that only this one writes today.
_SCRIPTS = {
    "ko": "\u1100-\u11ff\uac00-\ud7a3", "el": "\u0370-\u03ff\u1f00-\u1fff", "hy": "\u0531-\u058a",
    "ka": "\u10a0-\u10ff",
    "th": "\u0e01-\u0e5b", "lo": "\u0e81-\u0edf", "km": "\u1780-\u17f9", "ta": "\u0b80-\u0bff", "te": "\u0c00-\u0c7f",
    "kn": "\u0c80-\u0cff", "ml": "\u0d00-\u0d7f", "gu": "\u0a80-\u0aff", "pa": "\u0a00-\u0a7f", "or": "\u0b00-\u0b7f",
    "si": "\u0d80-\u0dff",
}  # fmt: skip
_OF_SCRIPT = {code: re.compile(f"[{letters}]") for code, letters in _SCRIPTS.items()}
_ALPHABETS = re.compile("[A-Za-z\u00c0-\u024f\u0400-\u052f]")


def language_of(text: str) -> str:
    """An ISO 639-1 code where the language has one, else ISO 639-3."""
    sample = " ".join(text[:_SAMPLE].split())
    letters = len(_LETTER.findall(sample))
    if not letters:
        return ""
    if len(_ALPHABETS.findall(sample)) * 2 < letters and (told := _by_script(sample, letters)):
        return told
    return _by_pieces(sample) if letters >= LEAST_LETTERS else ""


def _by_script(sample: str, letters: int) -> str:
    kana, han = len(_KANA.findall(sample)), len(_HAN.findall(sample))
    if (kana + han) * 2 > letters:
        return "ja" if kana * 10 > han else "zh"
    return next((code for code, one in _OF_SCRIPT.items() if len(one.findall(sample)) * 2 > letters), "")


def _by_pieces(sample: str) -> str:
    """Pieces spread over the sample; one that says nothing to the detector does not count."""
    count = max(1, min(PIECES, len(sample) // PIECE_CHARACTERS))
    step = len(sample) / count
    pieces = [sample[int(at * step) :][:PIECE_CHARACTERS] if count > 1 else sample for at in range(count)]
    named = [match.language for match in map(detect_language, pieces) if match.language is not None]
    others = [name for name in named if name != _ENGLISH]
    if not named or len(named) - len(others) >= LEAST_ENGLISH * len(named):
        return "en" if named else ""
    best, times = Counter(others).most_common(1)[0]
    if times < AGREEING * len(others) or times < LEAST_SHARE * len(named):
        return ""
    return TWO_LETTERS.get(best, best)
