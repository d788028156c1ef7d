"""Words that turn over while the page around them stays: how long ago, how often seen, today's date, the year of a
copyright.

The languages are some of the commonest; what stands in another one is learned from the page's history.
"""

import re

from whimbrel.change.mask import DATE, NUMBER, masked

_ENGLISH = r"(?:sec(?:ond)?|min(?:ute)?|h(?:ou)?r|day|week|month|year)s?|mo|[smhdwy]"
_GERMAN = r"(?:Sekunde|Minute|Stunde|Woche)n?|(?:Tag|Monat|Jahr)(?:en)?"
_FRENCH = r"(?:seconde|minute|heure|jour|semaine|année)s?|mois|ans?"
_SPANISH = r"(?:segundo|minuto|hora|día|semana|año)s?|mes(?:es)?"
_PORTUGUESE = r"(?:segundo|minuto|hora|dia|semana|ano)s?|m[eê]s(?:es)?"
_ITALIAN = r"second[oi]|minut[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]"
_AGO = re.compile(
    rf"""\b(?: (?:(?:about|over|almost|around)\s+)? (?:an?|one|a\s+few|\d+)\s*(?:{_ENGLISH})\s+ago
    | just\s+now | moments?\s+ago | yesterday
    | vor\s+(?:einer|einem|wenigen|\d+)\s+(?:{_GERMAN})
    | il\s+y\s+a\s+(?:une?|quelques|\d+)\s+(?:{_FRENCH})
    | hace\s+(?:una?|unos|unas|\d+)\s+(?:{_SPANISH})
    | há\s+(?:uma?|\d+)\s+(?:{_PORTUGUESE})
    | (?:una?|un'|\d+)\s*(?:{_ITALIAN})\s+fa
    | \d+\s+\w+\s+(?:geleden|temu|назад|sedan|siden|sitten)
    )\b | \d+\s*(?:秒|分钟|分鐘|分|小时|小時|時間|天|日|周|週間|个月|個月|ヶ月|か月|年)前
    | \d+(?:초|분|시간|일|주|개월|년)\s*전""",
    re.VERBOSE | re.IGNORECASE,
)

_COUNTED = (
    "views?|visits?|visitors?|hits|reads|readers|downloads|likes|upvotes|followers|subscribers|comments?|"
    "aufrufe|besucher|zugriffe|vues|visites|visitas|visualizaciones|visualizzazioni|weergaven|просмотр(?:ов|а)?"
)
_AMOUNT = r"\d[\d.,'\u00a0\u202f]*\s?[km]?"
_COUNTER = re.compile(
    rf"""\b(?: {_AMOUNT}\s+(?:page\s+|unique\s+)?(?:{_COUNTED})
    | (?:{_COUNTED})\s*:\s*{_AMOUNT}
    | (?:viewed|read|downloaded|shared)\s+{_AMOUNT}\s+times?
    | {_AMOUNT}\s+(?:users?|members?|guests?|people|others?)\s+(?:are\s+|is\s+)?(?:online|viewing|watching|here\s+now)
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)

# A short line that says when it was made, or what the time is.
_OF_THE_MOMENT = re.compile(
    r"""\b(?: (?:generated|rendered|served|loaded|retrieved)\s+(?:on|at|in|by)
    | today(?:\s+is\b|:) | (?:current|server|local)\s+(?:date|time)\b | it\s+is\s+now\b
    | heute(?:\s+ist\b|:) | nous\s+sommes\s+le\b | hoy(?:\s+es\b|:) | oggi(?:\s+è\b|:) )""",
    re.VERBOSE | re.IGNORECASE,
)
_MOST_CHARACTERS_OF_THE_MOMENT = 120

_YEAR = r"(?:19|20)\d\d"
_COPYRIGHT = re.compile(
    rf"((?:©|\(c\)|\bcopyright\b[\s:©]*(?:\(c\))?)[^\d\n]{{0,3}}|©[^\d\n]{{0,40}}){_YEAR}(?:\s*[-–—,]\s*{_YEAR})*",
    re.IGNORECASE,
)


def lasting(text: str) -> str:
    """The text without such words."""
    if len(text) <= _MOST_CHARACTERS_OF_THE_MOMENT and _OF_THE_MOMENT.search(text):
        return masked(NUMBER.sub("0", DATE.sub("0", text)))
    return _COPYRIGHT.sub(r"\1", _COUNTER.sub("0", _AGO.sub("0", text)))
