"""What a visit to a page that is kept already means: unchanged, noise, changed, moved, missing, gone, or nothing.

Judged at home, before the commit, in the thread that writes: a change is told in the commit that keeps its version, so
neither can be lost or told twice. Only pages with other bytes are compared at all.

Noise silences a notice, never the text: a page that says something else is kept as it is now, as a state that passes.
It is noise as long as it goes on differing. Where such a state stays instead, the habit it was held for is lost, and
what it says is told after all.

What says nothing about the page leaves it as it was: no answer, a server's error, a redirect or an error page of once.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from math import inf
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from whimbrel.change.habits import Habits, after_rest
from whimbrel.flows.archive import KeptCopies
from whimbrel.flows.packing import packed_habits, unpack
from whimbrel.flows.refresh.holding import absence_of, habits_of, history_of
from whimbrel.flows.refresh.outages import Outages
from whimbrel.flows.refresh.trusting import SiteWitness, Trusting, announced
from whimbrel.records.change import Change
from whimbrel.records.role import Role
from whimbrel.records.sifting import KEEP_RULE
from whimbrel.records.url import Url
from whimbrel.records.visit import Document, Outcome, Visit
from whimbrel.repository.contract import HeldVersion, KnownUrl, Returned, Speaker
from whimbrel.revisit import gone
from whimbrel.revisit.history import PageHistory, Sighting, after_visit, packed

if TYPE_CHECKING:
    from whimbrel.flows.refresh.comparing import Comparing, Silenced
    from whimbrel.flows.refresh.hindsight import Belated, Hindsight
    from whimbrel.flows.refresh.papers import ReadsVersions

What = Literal["changed", "moved", "gone", "restored"]
Standing = Literal[
    "not modified",
    "same bytes",
    "looked at",
    "noise",
    "unread",
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

HERE = (Outcome.FETCHED, Outcome.UNCHANGED, Outcome.DUPLICATE)
_PERMANENT = frozenset({200, 203, 301, 308})
_NO_PAGES = ("soft_404", "script_made")
_ASKED_FOR = ("noindex", "noarchive")
_COLLAPSED_CHARACTERS = 300
_COLLAPSED_TIMES = 4


class EarlierVisits(KeptCopies, SiteWitness, Protocol):
    """What deciding asks about earlier visits."""

    def held(self, keys: Iterable[int]) -> dict[int, HeldVersion]: ...
    def reading(self, version: int) -> bytes: ...
    def twins_in(self, group: bytes) -> list[int]: ...
    def states(self, key: int) -> tuple[float, list[tuple[float, bytes]]]: ...


class VisitJudged(Struct, frozen=True):
    """`outcome` is what the URL is from now on; `keep`: the version that came is kept; `again_at`: ask again then.

    `passes`: it is kept until the next takes its place. `stays`: the state that was kept so is there for good.
    """

    standing: Standing
    outcome: str
    rule: str
    reason: str
    keep: bool = False
    what: What | None = None
    change: Change | None = None
    returned: Returned | None = None
    again_at: float | None = None
    passes: bool = False
    stays: bool = False
    told: bool = True


class JudgingRules(Struct, frozen=True):
    """How long a page has to be away to be gone, whether noise is kept, and whether what nobody reads is told.
    `twice`: what may be drawn by lot is asked for once more before it is told."""

    gone_after_seconds: float = gone.WAIT_SECONDS
    keep_noise: bool = False
    everything: bool = False
    tell_unread: bool = False
    twice: bool = False


class Again:
    """Judges the returns of one run; what it learns of sites it hands over with `learned`."""

    def __init__(
        self, past: EarlierVisits, patience: JudgingRules, silenced: "Silenced | None" = None,
        told_at: Callable[[int], float | None] | None = None, papers: "ReadsVersions | None" = None,
    ) -> None:  # fmt: skip
        """`told_at` is when a site itself told of a change of a page, `papers` reads documents that are no pages."""
        self.past = past
        self._papers = papers
        self._told_at = told_at
        self._silenced = silenced
        self._patience = patience
        self._comparing: Comparing | None = None
        self._hindsight: Hindsight | None = None
        self._first_looks: dict[int, Change] = {}
        self._began = inf
        self._unmoved: Counter[int] = Counter()
        self.trusting = Trusting(past, patience.everything)
        self.outages = Outages(past)

    def judge(self, visit: Visit, row: KnownUrl, held: HeldVersion, now: float, text: Callable[[], str]) -> VisitJudged:
        """`text` gives the words of the kept version."""
        self._began = min(self._began, visit.at)
        first = self._first_looks.pop(row.key, None)
        if first is not None and visit.outcome in (Outcome.UNCHANGED, Outcome.FETCHED):
            return self._second_look(visit, row, held, first)
        match visit.outcome:
            case Outcome.UNCHANGED:
                return self._as_it_was(visit, row, held, "not modified")
            case Outcome.FETCHED if visit.document is not None:
                return self._document(visit, visit.document, row, held, now, text)
            case Outcome.REDIRECTED:
                return self._redirected(visit, row, held, now)
            case Outcome.FAILED if visit.status in (404, 410):
                return self._missing(visit, row, held, now)
            case Outcome.REFUSED if visit.rule in _ASKED_FOR:
                returned = held.returned._replace(absence=b"")
                return VisitJudged("refused", Outcome.REFUSED, visit.rule, visit.reason, returned=returned)
        reason = f"not seen at the last visit: {visit.reason}"
        if visit.rule == KEEP_RULE:
            reason = f"what was kept stays; what is there now does not pass the filter of pages: {visit.reason}"
        return VisitJudged("away", row.outcome, visit.rule, reason)

    # The page answered.

    def _document(
        self, visit: Visit, document: Document, row: KnownUrl, held: HeldVersion, now: float, text: Callable[[], str]
    ) -> VisitJudged:
        if row.asset == Role.SITEMAP:
            return replace(self._here(visit, row, held, "listed", False), reason=visit.reason)
        same = document.digest == held.returned.digest
        habits = habits_of(held)
        if row.outcome not in HERE:
            change, habits = (None, habits) if same else self._compare(row, held, visit, document, habits)
            return self._here(visit, row, held, "restored", not same, change, keep=True, habits=habits)
        if same:
            return self._as_it_was(visit, row, held, "same bytes")
        known, (change, habits) = habits, self._compare(row, held, visit, document, habits)
        if self._patience.twice and (doubted := self._comparer().in_doubt(change)) is not change:
            return self._look_again_soon(visit, document, row, held, doubted, habits)
        if not change.changed and not (change.where and self._patience.tell_unread):
            return self._quiet(visit, document, row, held, change, habits)
        doubt = _doubt(held, document, text())
        if doubt:
            if self._hindsight is not None:
                self._hindsight.forget(row.key)
            judged = gone.after(absence_of(held), 404, now, self._patience.gone_after_seconds)
            if judged.standing == "missing":
                return self._waiting(row, held, judged, "doubt", doubt)
            if doubt.startswith("an error page"):
                return self._gone(held, "soft_404", f"{doubt}, seen again")
        doubtful = known.may_be_known_soon(habits) or self._comparer().may_be_drawn(change)
        if self._patience.twice and change.where and doubtful:
            return self._look_again_soon(visit, document, row, held, change, habits)
        return self._here(visit, row, held, "changed", True, change, keep=True, habits=habits)

    def _look_again_soon(
        self, visit: Visit, document: Document, row: KnownUrl, held: HeldVersion, change: Change, habits: Habits
    ) -> VisitJudged:
        """Kept, and not told yet: the page is asked for once more. Where that fails it is told when it stays."""
        self._first_looks[row.key] = change
        self.trusting.validators_said(row.lane, held.returned, document, True)
        returned = held.returned._replace(
            digest=document.digest, etag=document.etag, last_modified=document.last_modified, absence=b"",
            unconditional=1, history=packed(history_of(held)), habits=packed_habits(habits),
        )  # fmt: skip
        outcome = Outcome.DUPLICATE if row.outcome == Outcome.DUPLICATE else Outcome.UNCHANGED
        keep = self._patience.keep_noise
        return VisitJudged(
            "looked at", outcome, visit.rule, "asked for once more", keep, returned=returned, again_at=visit.at,
            passes=not keep,
        )  # fmt: skip

    def _second_look(self, visit: Visit, row: KnownUrl, held: HeldVersion, first: Change) -> VisitJudged:
        document, habits = visit.document, habits_of(held)
        same = document is None or document.digest == held.returned.digest
        if document is None or (same and not held.passing):
            return replace(self._here(visit, row, held, "changed", True, first, habits=habits), stays=True)
        # What its validators are worth was learned at the first look.
        held = held._replace(returned=held.returned._replace(etag="", last_modified=""))
        if same:
            return self._here(visit, row, held, "changed", True, first, keep=True, habits=habits)
        change, habits = self._comparer().look_twice(row, held, visit, habits, first)
        if not change.changed and not (change.where and self._patience.tell_unread):
            return self._quiet(visit, document, row, held, change, habits)
        return self._here(visit, row, held, "changed", True, change, keep=True, habits=habits)

    def _quiet(
        self, visit: Visit, document: Document, row: KnownUrl, held: HeldVersion, change: Change, habits: Habits
    ) -> VisitJudged:
        """No alarm. Where what can be read is the same, the copy that is kept says all there is to say."""
        judged = self._here(visit, row, held, "unread" if change.where else "noise", False, change, habits=habits)
        if self._patience.keep_noise:
            return replace(judged, keep=True)
        return replace(judged, passes=bool(change.where) or self._says_more(held, document))

    def _says_more(self, held: HeldVersion, document: Document) -> bool:
        was = self.past.reading(held.version)
        if not was or not document.reading:
            return True
        if held.title != document.title:
            return True
        return was != document.reading and unpack(was) != unpack(document.reading)

    def _as_it_was(self, visit: Visit, row: KnownUrl, held: HeldVersion, standing: Standing) -> VisitJudged:
        """Nothing came. A state that was held for noise and is still there may have been none."""
        self._unmoved[row.lane] += not row.asset
        believed = habits_of(held)
        habits = after_rest(believed) if believed.traces else believed
        if held.version != held.told and believed.traces and row.outcome in HERE:
            change = self._comparer().look_again(row, held.told, held.version, habits)
            if change is not None and change.changed:
                judged = self._here(visit, row, held, "changed", True, change, habits=habits)
                return replace(judged, stays=True)
        return self._here(visit, row, held, standing, False, habits=habits)

    def _compare(
        self, row: KnownUrl, held: HeldVersion, visit: Visit, document: Document, habits: Habits
    ) -> tuple[Change, Habits]:
        change, habits = self._comparer().compare(row, held, visit, document, habits)
        if self._hindsight is None:
            from whimbrel.flows.refresh.hindsight import Hindsight

            self._hindsight = Hindsight(self.past)
        self._hindsight.hear(row, held, visit.at, change)
        return change, habits

    def learned(self) -> dict[Speaker, bytes]:
        """Of sites since the last time, for the commit."""
        return self.trusting.drain() | self.outages.drain()

    def learned_of_all(self) -> dict[Speaker, bytes]:
        """Of sites, by all visits of the run, which are made."""
        return self._comparing.counted(self._unmoved) if self._comparing is not None else {}

    def belated(self) -> "list[Belated]":
        """What is told after all now that the run has seen more, each once. The run has made its visits."""
        if self._papers is not None:
            self._papers.close()
        return list(self._hindsight.drain(self._began)) if self._hindsight is not None else []

    def _comparer(self) -> "Comparing":
        if self._comparing is None:
            # Imported here: what tells noise from change takes long to load, and a first crawl compares nothing.
            from whimbrel.flows.refresh.comparing import Comparing

            self._comparing = Comparing(self.past, self._silenced, self._papers)
        return self._comparing

    def _here(
        self, visit: Visit, row: KnownUrl, held: HeldVersion, standing: Standing, changed: bool,
        change: Change | None = None, *, keep: bool = False, habits: Habits | None = None,
    ) -> VisitJudged:  # fmt: skip
        document = visit.document
        history = history_of(held)
        if row.asset != Role.SITEMAP:
            history = self._learn(visit, row, held, history, changed)
        returned = held.returned._replace(
            digest=document.digest if document else held.returned.digest,
            etag=document.etag if document else held.returned.etag,
            last_modified=document.last_modified if document else held.returned.last_modified,
            absence=b"",
            unconditional=0,
            history=packed(history),
            habits=packed_habits(habits) if habits is not None else held.returned.habits,
        )
        outcome = Outcome.DUPLICATE if row.outcome == Outcome.DUPLICATE else Outcome.UNCHANGED
        what: What | None = "changed" if standing in ("changed", "unread") else None
        if standing == "restored":
            what = standing
        reason = "only what nobody reads: scripts, styles, pictures" if standing == "unread" else ""
        if standing == "noise" and change is not None:
            reason = f"only noise: {change.noise[0].reason}" if change.noise else "only noise"
        error_page = visit.rule if document else row.rule if row.rule in _NO_PAGES else ""
        return VisitJudged(
            standing, outcome, error_page, reason, keep, what, change, returned, told=standing != "unread"
        )

    def _learn(
        self, visit: Visit, row: KnownUrl, held: HeldVersion, history: PageHistory, changed: bool
    ) -> PageHistory:
        signals = announced(held.announced_at, history.visited_at)
        if not changed or visit.document is None or visit.document.digest != held.returned.digest:
            self.trusting.validators_said(row.lane, held.returned, visit.document, changed)
        told_at = self._told_at(row.key) if self._told_at is not None else None
        if told_at is not None and history.visited_at < told_at <= visit.at:
            self.trusting.ping_said(row.lane, history, changed, visit.at)
        witness = self.trusting.lastmod_said(row.lane, history, signals, changed, visit.at)
        return after_visit(history, Sighting(visit.at, changed, signals), witness)

    # It did not, or not here.

    def _redirected(self, visit: Visit, row: KnownUrl, held: HeldVersion, now: float) -> VisitJudged:
        if row.asset == Role.SITEMAP or row.outcome == Outcome.REDIRECTED:
            return VisitJudged("moved", Outcome.REDIRECTED, "", visit.reason)
        if visit.status not in _PERMANENT:
            judged = gone.after(absence_of(held), 404, now, self._patience.gone_after_seconds)
            if judged.standing == "missing":
                return self._waiting(row, held, judged, "doubt", f"status {visit.status} {visit.reason}")
        returned = held.returned._replace(absence=b"", unconditional=0, history=packed(history_of(held)))
        return VisitJudged("moved", Outcome.REDIRECTED, "", visit.reason, what="moved", returned=returned)

    def _missing(self, visit: Visit, row: KnownUrl, held: HeldVersion, now: float) -> VisitJudged:
        if row.asset == Role.SITEMAP or row.outcome not in HERE:
            outcome = Outcome.FAILED if row.asset == Role.SITEMAP else row.outcome
            return VisitJudged("still gone", outcome, visit.rule, visit.reason)
        judged = gone.after(absence_of(held), visit.status, now, self._patience.gone_after_seconds)
        if judged.standing == "missing":
            return self._waiting(row, held, judged, "missing", judged.reason)
        return self._gone(held, f"http_{visit.status}", judged.reason)

    def _waiting(
        self, row: KnownUrl, held: HeldVersion, judged: gone.AbsenceJudged, rule: str, reason: str
    ) -> VisitJudged:
        assert judged.absence is not None
        absence = msgspec.msgpack.encode(judged.absence)
        returned = held.returned._replace(absence=absence, history=packed(history_of(held)))
        return VisitJudged(
            "missing", row.outcome, rule, f"{reason} since {_minute(judged.absence.since)}", returned=returned,
            again_at=judged.again_at,
        )  # fmt: skip

    def _gone(self, held: HeldVersion, rule: str, reason: str) -> VisitJudged:
        returned = held.returned._replace(absence=b"", unconditional=0, history=packed(history_of(held)))
        return VisitJudged("gone", Outcome.GONE, rule, reason, what="gone", returned=returned)


def _minute(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _doubt(held: HeldVersion, document: Document, text: str) -> str:
    """Why a page that answers 200 may not show itself: an error page, or almost empty where there was much text."""
    words = unpack(document.reading).text if document.reading else ""
    if _soft_404(document.title, words) and not _soft_404(held.title, text):
        return f"an error page: {document.title.strip()[:60]}"
    if document.reading and len(words) <= _COLLAPSED_CHARACTERS and len(text) > _COLLAPSED_TIMES * len(words) + 200:
        return "almost empty where there was much text"
    return ""


def _soft_404(title: str, text: str) -> bool:
    url = Url("http://page.invalid/asked")
    return not gone.soft_404(gone.UrlShowed(url, url, title, text), None).accepted
