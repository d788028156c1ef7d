"""A text without what turns over by itself: dates, times, counters, tokens.

No names of months or days are needed: in a written date of any language the month is the word beside the numbers of
the day and the year, and the weekday the word before them.
"""

import re
from itertools import pairwise

_TOKEN_CHARACTERS = 12
_DIGIT = re.compile(r"\d")
_WORD = r"[^\W\d_]+\.?"
_DAY = r"\d{1,2}(?:\.|º|er|st|nd|rd|th)?"
_YEAR = r"(?:1[89]|20|21)\d\d"

_DATE = re.compile(
    rf"(?:{_WORD},\s+)?(?:{_DAY}\s+(?:de\s+)?{_WORD}(?:\s+de)?,?\s+{_YEAR}|{_WORD}\s+{_DAY},?\s+{_YEAR})(?!\d)"
)
_NUMBER = re.compile(r"\d+(?:[.,:/\u00a0\u202f'’-]\d+)*")
_LONG_WORD = re.compile(rf"[\w~+/=-]{{{_TOKEN_CHARACTERS},}}", re.ASCII)
# A time of day to the second, or with its date: an opening hour has neither.
_CLOCK = re.compile(
    r"(?:\b\d{4}-\d\d-\d\d[T ]\d{1,2}:\d\d(?::\d\d)?|\b\d{1,2}:\d\d:\d\d)(?:[.,]\d+)?(?:\s?[AaPp]\.?[Mm]\.?)?"
    r"(?:Z|[+-]\d\d:?\d\d|\b)"
)
_TEXT_IN_CODE = re.compile(r""" "[^"\\\n]*(?:\\.[^"\\\n]*)*" | '[^'\\\n]*(?:\\.[^'\\\n]*)*' """, re.VERBOSE)
_NAME = re.compile(r"[^\W\d]\w*")
_LEAST_DATA_CHARACTERS = 2_000
_HASHED = re.compile(r"(?<![^\W_])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{8,}|[0-9a-f]{8,}", re.ASCII)


def masked(text: str) -> str:
    """The text with every date, number and token replaced, so that texts differing only in these are equal."""
    if not _DIGIT.search(text):
        return text
    text = _LONG_WORD.sub(_without_token, text)
    return _NUMBER.sub("0", _DATE.sub("0", text))


def timeless(text: str) -> str:
    """The text without tokens and time stamps: what no reader would miss even without knowing the page's history.

    Dates, hours and plain numbers stay: a deadline or a price is news.
    """
    if not _DIGIT.search(text):
        return text
    return _CLOCK.sub("0", _LONG_WORD.sub(_without_token, text))


def unhashed(address: str) -> str:
    """The address of a file without the marks of its build: content hashes in its name, and its query."""
    return _HASHED.sub("0", address.partition("?")[0])


def masked_code(code: str) -> str:
    """A script or style sheet without numbers and tokens."""
    return _NUMBER.sub("0", _HASHED.sub("0", code))


def names_in_data(code: str) -> frozenset[str] | None:
    """The names a script uses where most of it are texts, or None where it is not such a table of data."""
    if len(code) < _LEAST_DATA_CHARACTERS:
        return None
    bare = _TEXT_IN_CODE.sub("''", code)
    return frozenset(_NAME.findall(bare)) if 2 * len(bare) < len(code) else None


def _without_token(found: re.Match[str]) -> str:
    word = found[0]
    return "#" if _is_token(word) else word


def _is_token(word: str) -> bool:
    """Whether letters and digits alternate as they do in random strings and not in words, dates or numbers."""
    digits = sum(character.isdigit() for character in word)
    letters = sum(character.isalpha() for character in word)
    if not digits or not letters or "/" in word.strip("/"):
        return False
    turns = sum(a.isdigit() != b.isdigit() for a, b in pairwise(word) if a.isalnum() and b.isalnum())
    return turns >= 3
