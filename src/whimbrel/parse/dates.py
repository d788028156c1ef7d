"""When a page says that it was written or last changed.

Asked in this order: what it states for machines (schema.org in JSON-LD, meta elements, `itemprop`), a `<time>` where it
names one day, and words like "last updated on 5 May 2024" at its beginning or end. A change comes before a publication.
"""

import re
from functools import lru_cache

from msgspec import Struct
from turbohtml import Element

from whimbrel.parse.written_dates import unix_seconds

MOST_SCRIPT_CHARACTERS = 200_000
MOST_TIMES = 50
TEXT_CHARACTERS = 1_500
"""At either end of a page, where bylines and colophons stand."""

_CHANGED = frozenset(
    (
        "datemodified",
        "article:modified_time",
        "og:updated_time",
        "last-modified",
        "last_modified",
        "lastmod",
        "revised",
        "dcterms.modified",
        "dc.date.modified",
    )
)
_PUBLISHED = frozenset(
    (
        "datepublished",
        "article:published_time",
        "og:published_time",
        "date",
        "pubdate",
        "publishdate",
        "publish_date",
        "published",
        "dcterms.date",
        "dcterms.created",
        "dcterms.issued",
        "dc.date",
        "dc.date.issued",
        "dc.date.created",
        "parsely-pub-date",
        "sailthru.date",
        "citation_publication_date",
        "citation_date",
        "uploaddate",
        "datecreated",
    )
)
_DATED = _CHANGED | _PUBLISHED
_CUES = ("date", "modified", "edited", "changed", "revis", "published", "posted", "written", "created")
_CENTURIES = ("19", "20")
"""No page was written before. Two look-ups take a third of the time of an expression for four digits."""
_BEFORE_YEAR = 64
"""Characters in which "Published on Wednesday, 30. September" has room."""
_LINKED_DATA = re.compile(r'"date(Modified|Published)"\s*:\s*"([^"]{4,40})"')
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAY = rf"(\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}\.? {_MONTH},? \d{{4}}|{_MONTH} \d{{1,2}},? \d{{4}})"
_CUE = re.compile(
    r"\b(?:(updated|modified|edited|changed|revised|revision)|(?:published|posted|written|created|date|dated))"
    rf"\s?(?:on|at|:|,|-|–)?:?\s{{0,2}}(?:[a-z]{{3,9}},? )?{_DAY}",
    re.IGNORECASE,
)


class Stated(Struct):
    """Collected in one walk over a page."""

    metas: list[Element] = []
    times: list[Element] = []
    scripts: list[Element] = []


def names_date(name: str) -> bool:
    """Whether a `<meta>` of this name states when the page was written or changed."""
    return name.lower() in _DATED


def dates_stated(stated: Stated) -> float:
    """What the page states for machines or in `<time>`, in Unix seconds; 0 where it does not."""
    said = _stated(stated)
    for _, written in sorted(said, key=lambda one: not one[0]) if said else ():
        if (at := unix_seconds(written)) is not None:
            return at
    return _of_times(stated.times) if stated.times else 0.0


def written_at(stated: float, text: str) -> float:
    """The same, with what its text says where nothing else does."""
    return stated or _of_text(text)


def _stated(stated: Stated) -> list[tuple[bool, str]]:
    """What the page states for machines: whether it is a change, and the date as it is written."""
    said = []
    for script in stated.scripts:
        for kind, written in _LINKED_DATA.findall(script.text[:MOST_SCRIPT_CHARACTERS]):
            said.append((kind == "Modified", written))
    for meta in stated.metas:
        name = (meta.attr("property") or meta.attr("name") or meta.attr("itemprop") or "").lower()
        if name in _DATED:
            said.append((name in _CHANGED, meta.attr("content") or ""))
    for time in stated.times[:MOST_TIMES]:
        name = (time.attr("itemprop") or "").lower()
        if name in _DATED:
            said.append((name in _CHANGED, time.attr("datetime") or time.text))
    return said


def _of_times(times: list[Element]) -> float:
    """Several days belong to a list of things, or to what readers said later."""
    days = {at // 86_400: at for one in times[:MOST_TIMES] if (at := _moment(one)) is not None}
    return next(iter(days.values())) if len(days) == 1 else 0.0


def _moment(time: Element) -> float | None:
    said = time.attr("datetime") or time.text
    return unix_seconds(said) if sum(map(str.isdigit, said)) >= 5 else None


def _of_text(text: str) -> float:
    ends = (text,) if len(text) <= 2 * TEXT_CHARACTERS else (text[:TEXT_CHARACTERS], text[-TEXT_CHARACTERS:])
    return _best([cue for end in ends for year in _years(end) for cue in _cues(_around(end, year))])


def _around(text: str, year: int) -> str:
    """Cues are looked for here alone: over a whole page the expression costs as much as all its links."""
    return text[max(0, year - _BEFORE_YEAR) : year + len("2024-12-31")]


@lru_cache(4096)  # pages of a site end alike
def _cues(near: str) -> list[tuple[bool, float]]:
    """Whether each is of a change, and the day it names."""
    lower = near.lower()
    if not any(cue in lower for cue in _CUES):
        return []
    return [(bool(cue[1]), at) for cue in _CUE.finditer(near) if (at := _day(cue[2])) is not None]


def _years(text: str) -> list[int]:
    found = []
    for century in _CENTURIES:
        at = text.find(century)
        while at >= 0:
            if text[at + 2 : at + 4].isdecimal():
                found.append(at)
            at = text.find(century, at + 2)
    return sorted(found)


def _day(said: str) -> float | None:
    return unix_seconds(re.sub(r"(?<=\d)\.(?= )", "", said))


def _best(found: list[tuple[bool, float]]) -> float:
    return next((at for changed, at in found if changed), found[0][1]) if found else 0.0
