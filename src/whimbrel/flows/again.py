"""What a visit to a page that is kept already means: unchanged, noise, changed, moved, missing, gone, or nothing.

Judged at home, before the commit, in the thread that writes: a body that is only noise is then never archived, and a
change is told in the commit that keeps its version, so neither can be lost or told twice. Only pages with other bytes
are compared at all.

What says nothing about the page leaves it as it was: no answer, a server's error, a redirect or an error page of once.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from whimbrel.flows.archive import Archive
from whimbrel.flows.packing import packed_spots, unpack
from whimbrel.flows.trusting import Trusting, Words, announced
from whimbrel.records.change import Change
from whimbrel.records.url import Url
from whimbrel.records.visit import Document, Outcome, Visit
from whimbrel.repository.contract import Held, Known, Noted, Returned
from whimbrel.revisit import gone
from whimbrel.revisit.history import PageHistory, Sighting, after_visit, first_visit, packed, unpacked

if TYPE_CHECKING:
    from whimbrel.flows.comparing import Comparing

What = Literal["changed", "moved", "gone", "restored"]
Standing = Literal[
    "not modified",
    "same bytes",
    "noise",
    "changed",
    "moved",
    "missing",
    "gone",
    "restored",
    "refused",
    "away",
    "listed",
    "still gone",
]

SITEMAP = 2
HERE = (Outcome.FETCHED, Outcome.UNCHANGED, Outcome.DUPLICATE)
_PERMANENT = frozenset({200, 203, 301, 308})
_ERROR_PAGE = "soft_404"
_ASKED_FOR = ("noindex", "noarchive")
_COLLAPSED_CHARACTERS = 300
_COLLAPSED_TIMES = 4


class Past(Archive, Words, Protocol):
    """What deciding asks about earlier visits."""

    def held(self, keys: Iterable[int]) -> dict[int, Held]: ...
    def twins_in(self, group: bytes) -> list[int]: ...


class Judged(Struct, frozen=True):
    """`outcome` is what the URL is from now on; `keep`: the version that came is kept; `again_at`: ask again then."""

    standing: Standing
    outcome: str
    rule: str
    reason: str
    keep: bool = False
    what: What | None = None
    change: Change | None = None
    returned: Returned | None = None
    again_at: float | None = None


class Patience(Struct, frozen=True):
    """How long a page has to be away to be gone, and whether noise is kept."""

    gone_after_seconds: float = gone.WAIT_SECONDS
    keep_noise: bool = False
    everything: bool = False


class Again:
    """Judges the returns of one run; what it learns of sites it hands over with `trusting.drain`."""

    def __init__(self, past: Past, patience: Patience) -> None:
        self.past = past
        self._patience = patience
        self._comparing: Comparing | None = None
        self.trusting = Trusting(past, patience.everything)

    def judge(self, visit: Visit, row: Known, held: Held, now: float, text: Callable[[], str]) -> Judged:
        """`text` gives the words of the kept version."""
        match visit.outcome:
            case Outcome.UNCHANGED:
                return self._here(visit, row, held, "not modified", False)
            case Outcome.FETCHED if visit.document is not None:
                return self._document(visit, visit.document, row, held, now, text)
            case Outcome.REDIRECTED:
                return self._redirected(visit, row, held, now)
            case Outcome.FAILED if visit.status in (404, 410):
                return self._missing(visit, row, held, now)
            case Outcome.REFUSED if visit.rule in _ASKED_FOR:
                return Judged("refused", Outcome.REFUSED, visit.rule, visit.reason)
        reason = f"not seen at the last visit: {visit.reason}"
        return Judged("away", row.outcome, visit.rule, reason)

    # The page answered.

    def _document(
        self, visit: Visit, document: Document, row: Known, held: Held, now: float, text: Callable[[], str]
    ) -> Judged:
        if row.asset == SITEMAP:
            return replace(self._here(visit, row, held, "listed", False), reason=visit.reason)
        same = document.digest == held.returned.digest
        if row.outcome not in HERE:
            change = None if same else self._compare(row, visit, document)
            return self._here(visit, row, held, "restored", not same, change, keep=True)
        if same:
            return self._here(visit, row, held, "same bytes", False)
        change = self._compare(row, visit, document)
        if not change.changed:
            return self._here(visit, row, held, "noise", False, change, keep=self._patience.keep_noise)
        doubt = _doubt(held, document, text())
        if doubt:
            judged = gone.after(_absence(held), 404, now, self._patience.gone_after_seconds)
            if judged.standing == "missing":
                return self._waiting(row, held, judged, "doubt", f"{doubt}; looked at again before it counts")
            if doubt.startswith("an error page"):
                return self._gone(held, "soft_404", f"{doubt}, seen again")
        return self._here(visit, row, held, "changed", True, change, keep=True)

    def _compare(self, row: Known, visit: Visit, document: Document) -> Change:
        if self._comparing is None:
            # Imported here: what tells noise from change takes long to load, and a first crawl compares nothing.
            from whimbrel.flows.comparing import Comparing

            self._comparing = Comparing(self.past)
        return self._comparing.compare(row, visit, document)

    def _here(
        self, visit: Visit, row: Known, held: Held, standing: Standing, changed: bool, change: Change | None = None,
        *, keep: bool = False,
    ) -> Judged:  # fmt: skip
        document = visit.document
        history = _history(held)
        if row.asset != SITEMAP:
            history = self._learn(visit, row, held, history, changed)
        returned = held.returned._replace(
            digest=document.digest if document else held.returned.digest,
            etag=document.etag if document else held.returned.etag,
            last_modified=document.last_modified if document else held.returned.last_modified,
            absence=b"",
            unconditional=0,
            history=packed(history),
        )
        outcome = Outcome.DUPLICATE if row.outcome == Outcome.DUPLICATE else Outcome.UNCHANGED
        what: What | None = standing if standing in ("changed", "restored") else None
        reason = ""
        if standing == "noise" and change is not None:
            reason = f"only noise: {change.noise[0].reason}" if change.noise else "only noise"
        error_page = visit.rule if document else row.rule if row.rule == _ERROR_PAGE else ""
        return Judged(standing, outcome, error_page, reason, keep, what, change, returned)

    def _learn(self, visit: Visit, row: Known, held: Held, history: PageHistory, changed: bool) -> PageHistory:
        signals = announced(held.announced_at, history.visited_at)
        self.trusting.validators_said(row.lane, held.returned, visit.document, changed)
        witness = self.trusting.lastmod_said(row.lane, history, signals, changed, visit.at)
        return after_visit(history, Sighting(visit.at, changed, signals), witness)

    # It did not, or not here.

    def _redirected(self, visit: Visit, row: Known, held: Held, now: float) -> Judged:
        if row.asset == SITEMAP or row.outcome == Outcome.REDIRECTED:
            return Judged("moved", Outcome.REDIRECTED, "", visit.reason)
        if visit.status not in _PERMANENT:
            judged = gone.after(_absence(held), 404, now, self._patience.gone_after_seconds)
            if judged.standing == "missing":
                reason = f"answered {visit.status} {visit.reason}; asked again before it counts"
                return self._waiting(row, held, judged, "doubt", reason)
        returned = held.returned._replace(absence=b"", unconditional=0, history=packed(_history(held)))
        return Judged("moved", Outcome.REDIRECTED, "", visit.reason, what="moved", returned=returned)

    def _missing(self, visit: Visit, row: Known, held: Held, now: float) -> Judged:
        if row.asset == SITEMAP or row.outcome not in HERE:
            outcome = Outcome.FAILED if row.asset == SITEMAP else row.outcome
            return Judged("still gone", outcome, visit.rule, visit.reason)
        judged = gone.after(_absence(held), visit.status, now, self._patience.gone_after_seconds)
        if judged.standing == "missing":
            return self._waiting(row, held, judged, "missing", judged.reason)
        return self._gone(held, f"http_{visit.status}", judged.reason)

    def _waiting(self, row: Known, held: Held, judged: gone.Judged, rule: str, reason: str) -> Judged:
        absence = msgspec.msgpack.encode(judged.absence)
        returned = held.returned._replace(absence=absence, history=packed(_history(held)))
        return Judged("missing", row.outcome, rule, reason, returned=returned, again_at=judged.again_at)

    def _gone(self, held: Held, rule: str, reason: str) -> Judged:
        returned = held.returned._replace(absence=b"", unconditional=0, history=packed(_history(held)))
        return Judged("gone", Outcome.GONE, rule, reason, what="gone", returned=returned)


def noted(judged: Judged, visit: Visit, held: Held, kept: int) -> Noted | None:
    """The change as it is told; None where there is nothing to tell."""
    if judged.what is None:
        return None
    change = judged.change
    kinds = ",".join(change.kinds) if change else ""
    target = visit.links[0].key if judged.what == "moved" and visit.links else None
    details = packed_spots(change) if change else b""
    amount = change.amount if change else 0.0
    return Noted(visit.key, visit.at, judged.what, kinds, amount, held.version, kept, target, details)


def _history(held: Held) -> PageHistory:
    return unpacked(held.returned.history) if held.returned.history else first_visit(held.at)


def _absence(held: Held) -> gone.Absence | None:
    packed_absence = held.returned.absence
    return msgspec.msgpack.decode(packed_absence, type=gone.Absence) if packed_absence else None


def _doubt(held: Held, document: Document, text: str) -> str:
    """Why a page that answers 200 may not show itself: an error page, or next to nothing where there was much."""
    words = unpack(document.reading).text if document.reading else ""
    if _soft_404(document.title, words) and not _soft_404(held.title, text):
        return f"an error page: {document.title.strip()[:60]}"
    if document.reading and len(words) <= _COLLAPSED_CHARACTERS and len(text) > _COLLAPSED_TIMES * len(words) + 200:
        return "next to nothing where there was much"
    return ""


def _soft_404(title: str, text: str) -> bool:
    url = Url("http://page.invalid/asked")
    return not gone.soft_404(gone.Look(url, url, title, text), None).accepted
