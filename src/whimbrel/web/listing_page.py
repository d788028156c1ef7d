"""The list of all URLs a crawl has met, by host, state and rule: what became of each, and why."""

import re
import time

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from whimbrel.records.verdict import Verdict
from whimbrel.records.visit import Outcome
from whimbrel.repository.views import ListedUrl, Selection, site_of
from whimbrel.web import library
from whimbrel.web.desk import Desk
from whimbrel.web.presentation import ago, link, page, plainly

SHOWN_URLS = 100
KEPT = "kept"
_STATES = {KEPT: ("fetched", "unchanged")} | {str(outcome): (str(outcome),) for outcome in Outcome}
_WORDS = {KEPT: "kept", "discovered": "waiting, not visited yet", "duplicate": "twin of another"}


class ListingForm(Struct, frozen=True):
    """What the form holds. `after` is a place in the list: a depth and a URL."""

    site: str = ""
    state: str = ""
    rule: str = ""
    text: str = ""
    after: str = ""

    def address(self, after: str = "") -> str:
        return link("/urls", site=self.site, state=self.state, rule=self.rule, text=self.text, after=after)


class ShownUrl(Struct, frozen=True):
    listed: ListedUrl
    why: str
    when: str

    @property
    def kept(self) -> bool:
        return bool(self.listed.mime)


def urls(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    asked = request.query_params
    choice = ListingForm(*(asked.get(name, "").strip()[:4000] for name in ("site", "state", "rule", "text", "after")))
    selection = selected(choice)
    if isinstance(selection, str):
        return _page(request, desk, choice, problem=selection)
    with library.opened(desk.location) as reader:
        if reader is None:
            return _page(request, desk, choice)
        found = library.titled(desk.location.beside, reader.urls(selection))
        # The piece that is shown says nothing about how many there are.
        total = reader.count(replace(selection, after=None))
    return _page(request, desk, choice, found, total)


def selected(choice: ListingForm) -> Selection | str:
    """What to look for, one more than is shown; or what is wrong with the choice."""
    site = site_of(choice.site) if choice.site else None
    if isinstance(site, Verdict):
        return f"“{choice.site[:200]}” is no host. Write it like docs.example.org."
    if choice.state and choice.state not in _STATES:
        return f"There is no state “{choice.state[:50]}”. It is one of: {', '.join(_STATES)}."
    depth, _, url = choice.after.partition(" ")
    if choice.after and not (depth.isascii() and depth.isdigit() and len(depth) < 10):
        return "This place in the list does not exist. Begin at its start."
    return Selection(
        outcomes=_STATES.get(choice.state, ()),
        rules=(choice.rule,) if choice.rule else (),
        site=site,
        match=f"(?i){re.escape(choice.text)}" if choice.text else "",
        assets=False if choice.state == KEPT else None,
        limit=SHOWN_URLS + 1,
        after=(int(depth), url) if choice.after else None,
    )


def _page(
    request: Request,
    desk: Desk,
    choice: ListingForm,
    found: list[ListedUrl] | None = None,
    total: int = 0,
    problem: str = "",
) -> Response:
    now = time.time()
    overview = desk.overview()
    shown = (found or [])[:SHOWN_URLS]
    more = len(found or []) > SHOWN_URLS
    return page(
        request,
        "urls.html",
        400 if problem else 200,
        here="crawl",
        q="",
        choice=choice,
        states=[(state, _WORDS.get(state, plainly(state))) for state in _STATES],
        rules=sorted({rule for _, rule, _ in overview[0].rules} if overview is not None else ()),
        shown=[_shown(each, now) for each in shown],
        total=total,
        problem=problem,
        following=choice.address(f"{shown[-1].depth} {shown[-1].url}") if more else "",
        first=choice.address() if choice.after else "",
    )


def _shown(listed: ListedUrl, now: float) -> ShownUrl:
    why = listed.reason or plainly(listed.rule)
    if listed.outcome == Outcome.DUPLICATE and listed.duplicate_of:
        why = f"{why or 'the same content'}: {listed.duplicate_of}"
    return ShownUrl(listed, why, ago(listed.visited_at, now) if listed.visited_at is not None else "")
