"""The changes room: what happened on the sites, by day and site, with the words, and a feed of every view. What was
seen is marked here; what is no news is silenced in `web.silence_page`."""

import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import groupby, islice

from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from whimbrel.change.degree import DEGREES
from whimbrel.flows.attention.book import AttentionBook
from whimbrel.flows.telling.folding import FoldedChange
from whimbrel.flows.telling.news import LONGEST_FILTER, WHATS, NewsFilter, choice_of, chosen, degree_of
from whimbrel.flows.telling.saying import percent
from whimbrel.flows.telling.silencing import told_by
from whimbrel.urls.normal import authority
from whimbrel.web import library
from whimbrel.web.desk import Desk
from whimbrel.web.forms import fields
from whimbrel.web.history import Happening, happening
from whimbrel.web.presentation import day, link, page

PATH = "/changes"
SEEN_PATH = "/changes/seen"
SILENCE_PATH = "/changes/silence"
SHOWN_CHANGES = 100
SINCE = "30 days"
_FIELDS = ("site", "since", "until", "kind", "degree", "words", "unseen", "silenced")
MOST_MARKED = 10_000
_PERIODS = ("today", "yesterday", "7 days", "30 days", "12 months")


class ChangesForm(Struct, frozen=True):
    """What the form holds; all of it are parameters of the feed too."""

    site: str = ""
    since: str = ""
    until: str = ""
    kind: str = ""
    degree: str = ""
    words: str = ""
    unseen: str = ""
    silenced: str = ""

    def address(self, path: str = PATH, until: str = "", since: str = "") -> str:
        return link(
            path, site=self.site, since=since, until=until, kind=self.kind, degree=self.degree, words=self.words,
            unseen=self.unseen, silenced=self.silenced,
        )  # fmt: skip

    @classmethod
    def of(cls, given: Mapping[str, str]) -> "ChangesForm":
        return cls(*(given.get(name, "").strip()[: LONGEST_FILTER + 1] for name in _FIELDS))

    def choice(self) -> NewsFilter | str:
        given = {name: getattr(self, name) for name in _FIELDS}
        return choice_of(given | {"since": self.since or SINCE}, time.time())


class ShownChange(Struct, frozen=True):
    """`measure` is how much of the page changed, "" where nobody can say; `silence` is where it can be silenced."""

    id: str
    happened: Happening
    clock: str
    measure: str
    seen: bool
    silence: str


class ChangedSite(Struct, frozen=True):
    site: str
    changes: list[ShownChange]


class ChangedDay(Struct, frozen=True):
    day: str
    sites: list[ChangedSite]


def changes(request: Request) -> Response:
    """With the same filters as `whimbrel changes`."""
    desk: Desk = request.app.state.desk
    form = ChangesForm.of(request.query_params)
    choice = form.choice()
    if isinstance(choice, str):
        return _page(request, desk, form, problem=choice)
    with library.opened(desk.location) as reader:
        if reader is None:
            return _page(request, desk, form)
        told = (item for item in chosen(reader, choice) if not item.because_of)
        return _page(request, desk, form, list(islice(told, SHOWN_CHANGES + 1)))


async def see(request: Request) -> Response:
    """Marks changes as seen, or as not seen: one by its id, or all of a view."""
    sent = fields(await request.body())
    return await run_in_threadpool(_see, request, sent)


def _see(request: Request, sent: dict[str, str]) -> Response:
    desk: Desk = request.app.state.desk
    form = ChangesForm.of(sent)
    back = form.address(until=form.until, since=form.since)
    choice = form.choice()
    if isinstance(choice, str):
        return _page(request, desk, form, problem=choice)
    with library.opened(desk.location) as reader, AttentionBook(desk.location) as book:
        if reader is None:
            return RedirectResponse(back, 303)
        if one := sent.get("change", "")[:40]:
            told = told_by(reader, one)
            if isinstance(told, str):
                return page(request, "problem.html", 404, title="No such change", words=told, q="")
            book.unsee([one]) if sent.get("seen") == "no" else book.see([one], time.time())
            return RedirectResponse(f"{back}#c-{one}", 303)
        listed = islice((item for item in chosen(reader, choice) if not item.because_of), MOST_MARKED)
        book.see((item.id for item in listed), time.time())
    return RedirectResponse(back, 303)


def _page(
    request: Request, desk: Desk, form: ChangesForm, found: list[FoldedChange] | None = None, problem: str = ""
) -> Response:
    shown = (found or [])[:SHOWN_CHANGES]
    more = len(found or []) > SHOWN_CHANGES
    overview = desk.overview()
    with AttentionBook(desk.location) as book:
        silences = book.silences()
    said = request.query_params.get("said", "")
    return page(
        request,
        "changes.html",
        400 if problem else 200,
        here="changes",
        q="",
        form=form,
        since=form.since or SINCE,
        periods=[*_PERIODS, *([form.since] if form.since and form.since not in _PERIODS else [])],
        kinds=[what for what in WHATS if what != "missing"],
        degrees=DEGREES[1:],
        sites=sorted(lane.host for lane in overview[1] if lane.kept) if overview is not None else [],
        days=_by_day(shown, form),
        not_seen=sum(not item.seen for item in shown),
        silences=len(silences),
        just=next((one for one in silences if str(one.number) == said), None),
        everything=form.address(until=form.until, since=form.since),
        problem=problem,
        feed=form.address("/feed.atom"),
        earlier=form.address(until=_exactly(shown[-1].told.at), since=form.since) if more else "",
        newest=form.address(since=form.since) if form.until else "",
    )


def _by_day(items: Iterable[FoldedChange], form: ChangesForm) -> list[ChangedDay]:
    """Days from the newest on; within one, sites by name."""
    days = []
    for name, of_day in groupby(items, key=lambda item: day(item.told.at)):
        by_site = sorted(of_day, key=lambda item: authority(item.told.url))
        sites = [
            ChangedSite(site, [_shown(item, form) for item in of_site])
            for site, of_site in groupby(by_site, key=lambda item: authority(item.told.url))
        ]
        days.append(ChangedDay(name, sites))
    return days


def _shown(item: FoldedChange, form: ChangesForm) -> ShownChange:
    size = degree_of(item.told)
    measure = f"{size}, {percent(item.told.amount)}" if size is not None and item.told.what == "changed" else ""
    clock = datetime.fromtimestamp(item.told.at, UTC).strftime("%H:%M")
    back = form.address(until=form.until, since=form.since)
    return ShownChange(
        item.id, happening(item), clock, measure, item.seen, link(SILENCE_PATH, change=item.id, back=back)
    )


def _exactly(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds")
