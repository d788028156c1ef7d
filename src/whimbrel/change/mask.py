"""A text without what turns over by itself: dates, times, counters, tokens.

No names of months or days are needed: in a written date of any language the month is the word beside the numbers of
the day and the year, and the weekday the word before them.
"""

import re
from itertools import pairwise

from whimbrel.change.tokens import is_token, lasting_class

_TOKEN_CHARACTERS = 12
_MOST_STAMPED_CHARACTERS = 200
_DIGIT = re.compile(r"\d")
_WORD = r"[^\W\d_]+\.?"
_DAY = r"\d{1,2}(?:\.|º|er|st|nd|rd|th)?"
_YEAR = r"(?:1[89]|20|21)\d\d"

DATE = re.compile(
    rf"(?:{_WORD},\s+)?(?:{_DAY}\s+(?:de\s+)?{_WORD}(?:\s+de)?,?\s+{_YEAR}|{_WORD}\s+{_DAY},?\s+{_YEAR})(?!\d)"
)
# With the sign or arrow before it: a quote that fell today and rose yesterday is one number.
NUMBER = re.compile(r"(?:(?<![^\s(])[+\u2212\u2013±▲▼△▽↑↓-]\s?)?\d+(?:[.,:/\u00a0\u202f'’-]\d+)*")
_NUMBERS = re.compile(rf"{DATE.pattern}|(?:{NUMBER.pattern})(?:\s?[AaPp]\.?[Mm]\b\.?)?")
_LONG_WORD = re.compile(rf"[\w~+/=-]{{{_TOKEN_CHARACTERS},}}", re.ASCII)
# A time of day to the second, or with its date: an opening hour has neither. One digit for the hour is a duration.
_CLOCK = re.compile(
    r"(?:\b\d{4}-\d\d-\d\d[T ]\d{1,2}:(\d\d)(?::(\d\d))?|\b\d\d:(\d\d):(\d\d)|\b\d:(\d\d):(\d\d)(?=\s?[AaPp]\.?[Mm]))"
    r"(?:[.,]\d+)?(?:\s?[AaPp]\.?[Mm]\.?)?(?:Z|[+-]\d\d:?\d\d|\b)"
)
_SET_TO_MINUTES = 5
_MOST_TYPED_CHARACTERS = 29
_HALF_OF_A_DAY = re.compile(r"(?<=\d)\s?[AaPp]\.?[Mm]\b\.?")
_TEXT_IN_CODE = re.compile(r""" "[^"\\\n]*(?:\\.[^"\\\n]*)*" | '[^'\\\n]*(?:\\.[^'\\\n]*)*' """, re.VERBOSE)
_NAME = re.compile(r"[^\W\d]\w*")
_LEAST_DATA_CHARACTERS = 2_000
_HASHED = re.compile(r"(?<![^\W_])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{8,}|[0-9a-f]{8,}", re.ASCII)
# The lengths of SHA-2 in hexadecimal (FIPS 180-4), and what stands before shorter digests.
_DIGEST_CHARACTERS = frozenset({56, 64, 96, 128})
_OF_A_FILE = re.compile(r"\b(?:md5|sha-?\d+|checksum|digest|fingerprint)", re.IGNORECASE)
# A comment after "//" begins a line or follows a statement: an address in a text does neither.
_COMMENT = re.compile(r"/\*.*?\*/|<!--.*?-->|(?:^|(?<=[\s;{}]))//[^\n]*", re.DOTALL | re.MULTILINE)
_CLASS_IN_STYLES = re.compile(r"(?<=\.)[A-Za-z_][\w-]{4,}", re.ASCII)
_LOOKED_UP = re.compile(r"""(getElementById|querySelector(?:All)?|\$)\(\s*(['"])[^'"]*\2\s*\)""")
_CALL_ON_DATA = re.compile(r"\bJSON\.parse\(|\.push\(")
_TOUCHES_THE_PAGE = re.compile(r"\(|\blocation\b|\bdocument\b|=>|\.(?:src|href|innerHTML)\b")


def masked(text: str) -> str:
    """The text with every date, number and token replaced, so that texts differing only in these are equal."""
    if not _DIGIT.search(text):
        return text
    text = _LONG_WORD.sub(_without_token, text)
    return NUMBER.sub("0", _HALF_OF_A_DAY.sub("", DATE.sub("0", text)))


def numbers_of(text: str) -> list[str]:
    """The dates, numbers and tokens of a text in their order, each with its half of the day."""
    return [found[0] for found in _NUMBERS.finditer(_LONG_WORD.sub(_number_for_token, text))]


def timeless(text: str) -> str:
    """The text without tokens and time stamps: what no reader would miss even without knowing the page's history.

    Dates, hours and plain numbers stay: a deadline or a price is news. So do moments that somebody set, digests of
    files, and examples in prose: what is stamped on a page stands in a line of its own.
    """
    return unstamped(untokened(text))


def untokened(text: str) -> str:
    """The text without random strings."""
    if len(text) > _MOST_STAMPED_CHARACTERS or not _DIGIT.search(text) or _OF_A_FILE.search(text):
        return text
    return _LONG_WORD.sub(_without_random, text)


def unstamped(text: str) -> str:
    """The text without time stamps."""
    return text if len(text) > _MOST_STAMPED_CHARACTERS else _CLOCK.sub("0", text)


def is_set_anew(before: str, after: str) -> bool:
    """Whether a moment was set to another, in texts that are the same without their time stamps. People set an hour to
    five minutes, or to the last minute before one; a clock hardly ever stands there twice."""
    return any(
        was[0] != now[0] and _is_set(was) and _is_set(now)
        for was, now in zip(_CLOCK.finditer(before), _CLOCK.finditer(after), strict=False)
    )


def _is_set(found: re.Match[str]) -> bool:
    minute, second = (next(filter(None, found.group(*groups)), "00") for groups in ((1, 3, 5), (2, 4, 6)))
    on_time = int(minute) % _SET_TO_MINUTES == 0 and second == "00"
    return on_time or (minute == "59" and second in ("00", "59"))


def bare_code(code: str) -> str:
    """A script or style sheet without comments and white space."""
    return "".join(_COMMENT.sub(" ", code).split()).replace(";}", "}")


def masked_code(code: str) -> str:
    """A script without numbers and tokens."""
    return NUMBER.sub("0", _HASHED.sub("0", bare_code(code)))


def masked_action(action: str) -> str:
    """A handler without the identifiers by which it finds elements: tools number these anew. Its other numbers stay."""
    return timeless(_LOOKED_UP.sub(r"\1()", action))


def masked_styles(code: str) -> str:
    """A style sheet without the names that tools invent and the marks of builds. Its numbers are how a page looks."""
    return _HASHED.sub("0", _CLASS_IN_STYLES.sub(lambda name: lasting_class(name[0]), bare_code(code)))


def without_texts(code: str) -> str:
    """A script with its texts emptied."""
    return _TEXT_IN_CODE.sub("''", code)


def is_data(code: str) -> bool:
    """Whether a script only writes data down and does nothing with them."""
    return not _TOUCHES_THE_PAGE.search(_CALL_ON_DATA.sub("", without_texts(_COMMENT.sub(" ", code))))


def names_in_data(code: str) -> frozenset[str] | None:
    """The names a script uses where most of it are texts, or None where it is not such a table of data."""
    if len(code) < _LEAST_DATA_CHARACTERS:
        return None
    bare = without_texts(code)
    return frozenset(_NAME.findall(bare)) if 2 * len(bare) < len(code) else None


def _without_token(found: re.Match[str]) -> str:
    word = found[0]
    return "#" if _is_token(word) else word


def _number_for_token(found: re.Match[str]) -> str:
    """One number for each token, which stands for it."""
    word = found[0]
    return str(sum(word.encode())) if _is_token(word) else word


def _without_random(found: re.Match[str]) -> str:
    """What is to be typed by people, as vouchers and serial numbers are, is written in capitals and not that long."""
    word = found[0]
    if not is_token(word) or len(word) in _DIGEST_CHARACTERS:
        return word
    return word if word == word.upper() and len(word) <= _MOST_TYPED_CHARACTERS else "#"


def _is_token(word: str) -> bool:
    """Whether letters and digits alternate as they do in random strings and not in words, dates or numbers."""
    digits = sum(character.isdigit() for character in word)
    letters = sum(character.isalpha() for character in word)
    if not digits or not letters or "/" in word.strip("/"):
        return False
    turns = sum(a.isdigit() != b.isdigit() for a, b in pairwise(word) if a.isalnum() and b.isalnum())
    return turns >= 3
