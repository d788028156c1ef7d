"""Whether a page is gone, and whether a 200 means that it never was.

Gone is a page that answers 404 again after a wait, or 410 at all: that word says "for good" (RFC 9110 §15.5.11), where
404 leaves it open, and may be a deployment. No answer at all, a server error, a refusal say nothing about the page.
"""

import re
from collections.abc import Set
from typing import Literal

from msgspec import Struct

from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED, Verdict, refused
from whimbrel.revisit.classes import DAY
from whimbrel.urls.normal import host, origin

Standing = Literal["here", "missing", "gone", "unreachable"]

WAIT_SECONDS = DAY
CONFIRM_SECONDS = 60.0
"""The wait where somebody asks to be told at once: longer than a restart, and than servers keep an error for."""
_FOR_GOOD = 410
_GONE = frozenset({404, _FOR_GOOD})
SAME = 0.9
_SHINGLE = 3
_MOST_WORDS = 2_000
# Words of error pages in the ten most used languages of the web, at the beginning or end of a title.
_TITLE = re.compile(
    r"\b(?:404|not found|no longer (?:available|exists?)|page missing|nicht gefunden|introuvable|no encontrad[ao]|"
    r"não encontrad[ao]|non trovat[ao]|niet gevonden|nie znalezion[oa]|не найден[ао]?|bulunamadı)\b|"
    r"見つかりません|找不到|未找到",
    re.IGNORECASE,
)


class Absence(Struct, frozen=True, array_like=True):
    """Answers of 404 or 410 in a row: since when, until when, how many. Nothing came between them but failures."""

    since: float
    last: float
    times: int


class AbsenceJudged(Struct, frozen=True):
    """`absence` is for the next time, None where the page is here; `again_at` is when to ask, None: as planned."""

    standing: Standing
    absence: Absence | None
    again_at: float | None
    reason: str


def after(absence: Absence | None, status: int | None, now: float, wait: float = WAIT_SECONDS) -> AbsenceJudged:
    """After an answer with `status`, or None where no answer came."""
    if status is None or (status not in _GONE and status >= 400):
        said = "no answer" if status is None else f"status {status}"
        return AbsenceJudged("unreachable", absence, None, f"{said}: that says nothing about the page")
    if status not in _GONE:
        return AbsenceJudged("here", None, None, f"status {status}")
    if status == _FOR_GOOD:
        return AbsenceJudged("gone", None, None, "status 410: the server says that it is gone for good")
    if absence is None:
        return AbsenceJudged("missing", Absence(now, now, 1), now + wait, f"status {status}")
    grown = Absence(absence.since, now, absence.times + 1)
    if now - absence.since < wait:
        return AbsenceJudged("missing", grown, absence.since + wait, f"status {status}")
    days = (now - grown.since) / DAY
    within = f"within {days:.1f} days" if days >= 0.1 else "the same day"
    return AbsenceJudged("gone", grown, None, f"status {status} when asked {grown.times} times {within}")


class UrlShowed(Struct, frozen=True):
    """What a URL showed. `final` is where redirects ended."""

    asked: Url
    final: Url
    title: str
    text: str


def soft_404(page: UrlShowed, probe: UrlShowed | None) -> Verdict:
    """Refused, with the reason, where a page that answers 200 looks like an error page: a hint, not a proof.

    `probe` is what the same host showed for a URL that cannot exist. A title alone says little (there are articles on
    error pages), so it has to come with a redirect to the home page or with a text like the probe's.
    """
    if probe is None and page.final == page.asked and not _short(page.text):
        return ACCEPTED  # most pages: told without a look at their title, which takes longer
    if page.asked == page.final == origin(page.asked) + "/":
        return ACCEPTED
    titled = bool(_TITLE.search(page.title))
    home = page.final != page.asked and page.final == origin(page.final) + "/"
    alike = 0.0
    if probe is not None and host(probe.asked) == host(page.asked) and probe.asked != page.asked:
        alike = likeness(page.text, probe.text)
        if page.final == probe.final and page.final != page.asked and probe.final != probe.asked:
            return refused("soft_404", "redirected to where a URL that cannot exist is redirected to")
        if alike >= SAME:
            return refused("soft_404", f"{alike:.0%} the text of a URL that cannot exist")
    if titled and (home or alike >= SAME / 2 or _short(page.text)):
        return refused("soft_404", f"its title says so: {page.title.strip()[:60]}")
    return ACCEPTED


def _short(text: str) -> bool:
    return len(text.split(None, 60)) <= 60


def likeness(one: str, other: str) -> float:
    """The share of runs of three words that two texts have in common (Jaccard); 1 for two empty ones."""
    ours, theirs = _shingles(one), _shingles(other)
    if not ours and not theirs:
        return 1.0
    return len(ours & theirs) / len(ours | theirs)


def _shingles(text: str) -> Set[tuple[str, ...]]:
    words = text.lower().split(None, _MOST_WORDS)[:_MOST_WORDS]
    if len(words) < _SHINGLE:
        return {tuple(words)} if words else set()
    return {tuple(words[at : at + _SHINGLE]) for at in range(len(words) - _SHINGLE + 1)}
