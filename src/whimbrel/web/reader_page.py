"""The reader: a kept page in one of its versions, as it looked, as text, as what changed, with its links."""

import time

from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from whimbrel.documents import Unreadable
from whimbrel.exchange.kept import Copy
from whimbrel.records.response import Failure, FailureKind
from whimbrel.records.url import Url
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.embedded.reader import Reader
from whimbrel.repository.views import Detail, Version
from whimbrel.urls.normal import normalise
from whimbrel.web import history, kept_files, library, plain
from whimbrel.web.desk import Desk
from whimbrel.web.guard import fields
from whimbrel.web.library import Files
from whimbrel.web.presentation import ago, clock, link, page, plainly

UNKNOWN = "No crawl of this folder has met this address."
VIEWS = ("copy", "text", "changes", "links")
_OUTCOMES = {
    "refused": "It was not fetched",
    "failed": "It could not be fetched",
    "unreachable": "Its server could not be reached",
    "gone": "It is gone",
    "out_of_scope": "It lies outside what is crawled",
    "redirected": "It leads elsewhere",
    "duplicate": "Its content is kept under another address",
}


class Sheet(Struct, frozen=True):
    """A page that lies open: which version, and how it is looked at."""

    detail: Detail
    version: Version
    copy: Copy | Failure
    files: Files
    view: str

    @property
    def url(self) -> Url:
        return self.detail.listed.url

    @property
    def previous(self) -> Version | None:
        older = [each for each in self.detail.versions if each.number < self.version.number]
        return older[-1] if older else None


def read(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    url = normalise(request.query_params.get("url", ""))
    if not isinstance(url, str):
        return _missing(request, request.query_params.get("url", ""), "", 400)
    with library.opened(desk.folder) as reader:
        detail = library.detail_of(reader, url) if reader is not None else None
        if reader is None or detail is None:
            return _missing(request, url, UNKNOWN)
        version = library.chosen(detail, _version_number(request))
        if version is None:
            return _missing(request, url, _why_not(detail), kept=bool(detail.versions))
        sheet = _opened(reader, detail, version, request.query_params.get("view", ""))
        values = _values(desk, reader, sheet, request)
    if request.query_params.get("q") and "view" not in request.query_params:
        desk.states().record_clicked(detail.listed.key)
    return page(request, "read.html", here="read", sheet=sheet, q=request.query_params.get("q", ""), **values)


def _version_number(request: Request) -> int | None:
    text = request.query_params.get("v", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 18 else None


def _opened(reader: Reader, detail: Detail, version: Version, view: str) -> Sheet:
    """Without a wish, a page is shown as it looked where its files are kept, else as text."""
    try:
        copy = library.document(reader, detail.listed.url, version)
    except RepositoryError as error:
        copy = Failure(FailureKind.PROTOCOL, str(error))
    markup = library.is_markup(version)
    files = library.files_of(reader, detail.listed.url, copy) if markup and isinstance(copy, Copy) else Files(0, 0)
    if view not in VIEWS or (view == "copy" and not markup):
        view = "copy" if markup and files.dressed else "text"
    return Sheet(detail, version, copy, files, view)


def _values(desk: Desk, reader: Reader, sheet: Sheet, request: Request) -> dict[str, object]:
    # The same for each load of the page: going back, browsers take the frame's address from their history.
    token = desk.seals.seal("frame", request.state.visitor, sheet.url, str(sheet.version.number))
    return {
        "frame_token": token,
        "frame_address": kept_files.copy_address(desk.seals, sheet.url, sheet.version, token),
        "save_address": kept_files.save_address(desk.seals, sheet.url, sheet.version),
        "favourite": desk.readers.is_favourite(sheet.url),
        "kept_ago": ago(sheet.version.at, time.time()),
        "timeline": timeline(sheet.detail.versions),
        "moments": moments(sheet.detail.versions),
        "views": [view for view in VIEWS if view != "copy" or library.is_markup(sheet.version)],
        "standing": _standing(sheet.detail, time.time()),
        "printing": "print" in request.query_params,
        "blocks": [],
        "trouble": sheet.copy.detail if isinstance(sheet.copy, Failure) else "",
        "comparison": None,
        **_looked_at(reader, sheet, request),
    }


def _looked_at(reader: Reader, sheet: Sheet, request: Request) -> dict[str, object]:
    """What only one of the views shows."""
    if sheet.view == "text" and isinstance(sheet.copy, Copy):
        text = library.text_of(sheet.url, sheet.version, sheet.copy)
        if isinstance(text, Unreadable):
            return {"trouble": f"No text can be read from this document: {text.reason}."}
        return {"blocks": plain.below_title(text, sheet.version.title)}
    if sheet.view == "changes" and sheet.previous is not None:
        compared = history.compare(reader, sheet.url, _other(sheet, request), sheet.version)
        return {"trouble": compared.detail} if isinstance(compared, Failure) else {"comparison": compared}
    if sheet.view == "links":
        out, count = library.links_out(reader, sheet.detail)
        return {"links_out": out, "links_out_all": count, "links_in": library.links_in(reader, sheet.url)}
    return {}


def _other(sheet: Sheet, request: Request) -> Version:
    """The older version to compare with: the one asked for, else the one before."""
    text = request.query_params.get("from", "")
    wanted = [each for each in sheet.detail.versions if str(each.number) == text]
    assert sheet.previous is not None
    return wanted[0] if wanted and wanted[0].number < sheet.version.number else sheet.previous


def timeline(versions: tuple[Version, ...]) -> list[tuple[Version, float]]:
    """Versions with their place on a line from the first (0) to the last (100)."""
    if not versions:
        return []
    first, span = versions[0].at, max(1.0, versions[-1].at - versions[0].at)
    return [(version, round(100 * (version.at - first) / span, 2)) for version in versions]


def moments(versions: tuple[Version, ...]) -> dict[int, str]:
    """When each version was kept, by its number; to the second where a minute saw two of them."""
    told = [clock(version.at) for version in versions]
    if len(set(told)) < len(told):
        told = [clock(version.at, seconds=True) for version in versions]
    return {version.number: words for version, words in zip(versions, told, strict=True)}


def _standing(detail: Detail, now: float) -> str:
    """What a reader of a copy has to know of the page itself; "" where it is as it was."""
    listed = detail.listed
    when = f" {ago(listed.visited_at, now)}" if listed.visited_at is not None else ""
    if listed.outcome == "gone":
        return f"This page is gone from the web: {_reason(detail)}. This is the last copy of it."
    if listed.rule == "missing":
        return f"The last visit{when} did not find this page: {_reason(detail)}. Another visit will show."
    return ""


def _why_not(detail: Detail) -> str:
    listed = detail.listed
    if detail.versions:
        return "It was thinned out, or its number is mistyped."
    if detail.target is not None:
        return f"It leads on to {detail.target}."
    if listed.outcome == "discovered":
        return "It is known from a link, but has not been visited yet."
    return f"{_OUTCOMES.get(listed.outcome, plainly(listed.outcome).capitalize())}: {_reason(detail)}."


def _reason(detail: Detail) -> str:
    return detail.listed.reason or plainly(detail.listed.rule) or "no reason is recorded"


def _missing(request: Request, url: str, why: str, status: int = 404, *, kept: bool = False) -> Response:
    """`kept` where other versions of the page are."""
    original = status == 404
    return page(request, "missing.html", status, here="read", url=url, why=why, original=original, kept=kept, q="")


async def favour(request: Request) -> Response:
    """Puts a page among the favourites or takes it out."""
    sent = fields(await request.body())
    return await run_in_threadpool(_favour, request, sent)


def _favour(request: Request, sent: dict[str, str]) -> Response:
    desk: Desk = request.app.state.desk
    url = normalise(sent.get("url", ""))
    if not isinstance(url, str):
        return _missing(request, sent.get("url", ""), "", 400)
    if sent.get("keep") == "yes":
        with library.opened(desk.folder) as reader:
            listed = reader.one(url) if reader is not None else None
        desk.readers.add(url, listed.title if listed is not None else "", time.time())
    else:
        desk.readers.remove(url)
    here = {name: sent.get(name, "") for name in ("v", "view", "q")}
    back = "/favourites" if sent.get("back") == "favourites" else link("/read", url=url, **here)
    return RedirectResponse(back, 303)


def favourites(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    now = time.time()
    kept = [(each, ago(each.at, now)) for each in desk.readers.favourites()]
    return page(request, "favourites.html", here="favourites", favourites=kept, q="")
