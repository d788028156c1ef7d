"""Words that turn over while the page around them stays: how long ago, how often seen, today's date, the year of a
copyright.

How long ago is known in forty languages (`ago`), the rest in some of the commonest; what stands in another one is
learned from the page's history.
"""

import re

from whimbrel.change.ago import PAST
from whimbrel.change.mask import DATE, masked

_UNSPACED = "\u0e00"
"""From here on letters are of scripts that set no spaces between words."""


def _since(prefix: str, endings: str) -> str:
    """Where scripts have spaces, a whole word ends it; full stops of abbreviations are often left out."""
    words = sorted(endings.split("|"), key=len, reverse=True)
    forms = [
        re.escape(word).replace(r"\ ", r"\s+").replace(r"\.", r"\.?") + ("" if word[-1] >= _UNSPACED else r"(?!\w)")
        for word in words
    ]
    before = rf"(?<!\w){re.escape(prefix)}\s+".replace(r"\ ", r"\s+") if prefix else r"(?<!\d)"
    # Behind a word of its own an article may stand for the number: "vor einem Tag".
    number = r"(?:\d+\s*|[^\W\d]{1,6}\s+)" if prefix else r"\d+\s*"
    return rf"{before}{number}(?:{'|'.join(forms)})"


# What the web writes in English besides, without a figure or shorter.
_IN_WORDS = (
    r"\b(?:(?:(?:about|almost|over|around|nearly|(?:less|more)\s+than)\s+)?"
    r"(?:(?:\d+|an?|one|a\s+few|few)\s+(?:sec(?:ond)?|min(?:ute)?|h(?:ou)?r|day|week|month|year)s?[,\s]+(?:and\s+)?)+ago"
    r"|\d+\s*(?:sec|min|hr|wk|mo|yr)s\s+ago|just\s+now|moments?\s+ago|yesterday)\b"
)
_AGO = re.compile("|".join([_IN_WORDS, *(_since(*one) for one in PAST.items())]), re.IGNORECASE)
_WORD = re.compile(r"\w+")
_SIGNS = frozenset(
    max(_WORD.findall(f"{prefix} {ending}"), key=len)
    for prefix, endings in PAST.items()
    for ending in endings.split("|")
) | {"now", "yesterday"}
"""One of these is in every such phrase: its longest word, since short ones are common."""

_UNSPACED_SIGNS = tuple({word[-1] for word in _SIGNS if word[-1] >= _UNSPACED})

_COUNTED = (
    "views?|visits?|visitors?|hits|reads|readers|downloads|likes|upvotes|followers|subscribers|comments?|"
    "aufrufe|besucher|zugriffe|vues|visites|visitas|visualizaciones|visualizzazioni|weergaven|просмотр(?:ов|а)?"
)
_AMOUNT = r"\d[\d.,'\u00a0\u202f]*\s?[km]?"
# So many "per month" are what somebody grants.
_COUNTED_THINGS = re.compile(
    rf"\b{_AMOUNT}\s+(?:page\s+|unique\s+)?(?:{_COUNTED})\b(?!\s+(?:per|an?|each|every)\b|/)", re.IGNORECASE
)
_COUNTER = re.compile(
    rf"""\b(?: (?:{_COUNTED})\s*:\s*{_AMOUNT}
    | (?:viewed|read|downloaded|shared)\s+{_AMOUNT}\s+times?
    | {_AMOUNT}\s+(?:users?|members?|guests?|people|others?)\s+(?:are\s+|is\s+)?(?:online|viewing|watching|here\s+now)
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)

# A short line that says when it was made, what the time is, or who is there.
_OF_THE_MOMENT = re.compile(
    r"""\b(?: (?:generated|rendered)\s+(?:on|at|in|by)
    # Meals are served as well, but not in milliseconds.
    | (?:served|loaded|retrieved|answered|created|processed)\s+(?:on|at|in|by)\b
      (?=.*(?:\d\s?(?:m?s|sec|(?:milli)?seconds?)\b|\d\d:\d\d:\d\d))
    | (?:served|answered)\s+by\s+\S*\d\S*$
    | (?:current|server|local)\s+(?:date|time)\b | it\s+is\s+(?:now|currently)\b
    | (?:users?|members?|guests?|visitors?)\s+(?:are\s+|is\s+)?(?:currently\s+)?online\b
    | (?:users|members)\s+browsing\s+this\b )""",
    re.VERBOSE | re.IGNORECASE,
)
# A line that names the day: what else it says of the day, a dish or its price, is no part of that.
_OF_THE_DAY = re.compile(
    r"\b(?:(?:today|heute|hoy|oggi):|today\s+is\b|heute\s+ist\b|nous\s+sommes\s+le\b|hoy\s+es\b|oggi\s+è\b)",
    re.IGNORECASE,
)
_WEEKDAY = r"(?:[^\W\d_]{2,4}\.?,?\s+)?"
_DATED = re.compile(_WEEKDAY + DATE.pattern)
_ENDS_OF_SENTENCES = (".", "!", "?", "。")
_MOST_CHARACTERS_OF_THE_MOMENT = 120

_YEAR = r"(?:19|20)\d\d"
_COPYRIGHT = re.compile(
    rf"((?:©|\(c\)|\bcopyright\b[\s:©]*(?:\(c\))?)[^\d\n]{{0,3}}|©[^\d\n]{{0,40}}){_YEAR}(?:\s*[-–—,]\s*{_YEAR})*",
    re.IGNORECASE,
)


def lasting(text: str) -> str:
    """The text without such words."""
    if len(text) <= _MOST_CHARACTERS_OF_THE_MOMENT:
        if _OF_THE_MOMENT.search(text):
            return masked(_DATED.sub("0", text))
        if today := _OF_THE_DAY.search(text):
            # Only the date that follows: another one in the line may be a deadline.
            text = text[: today.end()] + _DATED.sub("0", text[today.end() :], count=1)
    if _may_pass(text):
        text = _AGO.sub("0", text)
    # A sentence says what such a number is for: how many are wanted, or let in.
    if not text.endswith(_ENDS_OF_SENTENCES):
        text = _COUNTED_THINGS.sub("0", text)
    return _COPYRIGHT.sub(r"\1", _COUNTER.sub("0", text))


def _may_pass(text: str) -> bool:
    """A look for the words first: the whole search costs fifty times as much."""
    return not _SIGNS.isdisjoint(_WORD.findall(text.lower())) or any(sign in text for sign in _UNSPACED_SIGNS)
