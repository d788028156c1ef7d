"""The reader: a kept page in one of its versions, as it looked, as text, as what changed, with its links."""

import time
from urllib.parse import quote

from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from whimbrel.flows.copies import DecodedCopy
from whimbrel.flows.telling.differing import difference
from whimbrel.flows.telling.second_opinions import opinions_on
from whimbrel.records.deed import Action
from whimbrel.records.response import Failure, FailureKind
from whimbrel.records.url import Url
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Detail, Version
from whimbrel.search.ask.texts import called
from whimbrel.urls.normal import normalise
from whimbrel.web import kept_files, library, plain
from whimbrel.web.desk import LONGEST_QUERY, Desk
from whimbrel.web.forms import fields
from whimbrel.web.library import Files
from whimbrel.web.policy import showing_papers
from whimbrel.web.presentation import ago, clock, link, page, plainly
from whimbrel.web.who import Who, is_looked_at

UNKNOWN = "No crawl of this folder has met this address."
LONGEST_MARK = 500
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
    copy: DecodedCopy | Failure
    files: Files
    view: str
    title: str
    """ "" where nothing says one."""

    @property
    def url(self) -> Url:
        return self.detail.listed.url

    @property
    def is_paper(self) -> bool:
        """A PDF, which browsers show."""
        return isinstance(self.copy, DecodedCopy) and library.is_paper(self.version, self.copy)

    @property
    def previous(self) -> Version | None:
        older = [each for each in self.detail.versions if each.number < self.version.number]
        return older[-1] if older else None


def read(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    url = normalise(request.query_params.get("url", ""))
    if not isinstance(url, str):
        return _missing(request, request.query_params.get("url", ""), "", 400)
    with library.opened(desk.location) as reader:
        detail = library.detail_of(reader, url) if reader is not None else None
        if reader is None or detail is None:
            return _missing(request, url, UNKNOWN)
        version = library.chosen(detail, _version_number(request))
        if version is None:
            return _missing(request, url, _why_not(detail), kept=bool(detail.versions))
        sheet = _opened(reader, detail, version, request.query_params.get("view", ""))
        values = _values(desk, reader, sheet, request)
    query = request.query_params.get("q", "")
    if query and "view" not in request.query_params and is_looked_at(request):
        desk.note_done(request.state.who, url, Action.OPENED, query, version=version.number)
    answer = page(request, "read.html", here="read", sheet=sheet, q=request.query_params.get("q", ""), **values)
    if sheet.is_paper and sheet.view == "copy":
        origin = f"{request.url.scheme}://{request.headers['host']}"
        answer.headers["Content-Security-Policy"] = showing_papers(origin)
    return answer


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
    paper = isinstance(copy, DecodedCopy) and library.is_paper(version, copy)
    files = (
        library.files_of(reader, detail.listed.url, copy) if markup and isinstance(copy, DecodedCopy) else Files(0, 0)
    )
    if view not in VIEWS or (view == "copy" and not (markup or paper)):
        view = "copy" if paper or (markup and files.dressed) else "text"
    return Sheet(detail, version, copy, files, view, library.title_of(reader, detail, version))


def _values(desk: Desk, reader: Reader, sheet: Sheet, request: Request) -> dict[str, object]:
    # The same for each load of the page: going back, browsers take the frame's address from their history.
    who: Who = request.state.who
    token = desk.seals.seal("frame", request.state.visitor, sheet.url, str(sheet.version.number))
    return {
        "frame_token": token,
        "frame_address": kept_files.copy_address(desk.seals, sheet.url, sheet.version, token) + _fragment(request),
        "paper_address": kept_files.paper_address(desk.seals, sheet.url, sheet.version) if sheet.is_paper else "",
        "save_address": kept_files.save_address(desk.seals, sheet.url, sheet.version),
        "favourite": desk.keeping.is_favourite(sheet.url, who.number),
        "view_seal": desk.readership.view_seal(who.id, sheet.url, sheet.version.number, _query(request)),
        "view_query": _query(request),
        "stars": desk.keeping.stars(sheet.url, who.number),
        "place": desk.keeping.place(who.number, sheet.detail.listed.key) if "on" in request.query_params else 0.0,
        "kept_ago": ago(sheet.version.at, time.time()),
        "timeline": timeline(sheet.detail.versions),
        "told_versions": sum(version.told for version in sheet.detail.versions),
        "moments": moments(sheet.detail.versions),
        "views": [view for view in VIEWS if view != "copy" or sheet.is_paper or library.is_markup(sheet.version)],
        "standing": _standing(sheet.detail, time.time()),
        "printing": "print" in request.query_params,
        "blocks": [],
        "begin_at": -1,
        "trouble": sheet.copy.detail if isinstance(sheet.copy, Failure) else "",
        "comparison": None,
        **_looked_at(reader, sheet, request),
    }


def _query(request: Request) -> str:
    """What led here, as the log holds it."""
    return " ".join(request.query_params.get("q", "")[:LONGEST_QUERY].split())


def _fragment(request: Request) -> str:
    """The place in the copy to begin at."""
    mark = request.query_params.get("at", "")[:LONGEST_MARK]
    return f"#{quote(mark)}" if mark else ""


def _begin(detail: Detail, blocks: list[plain.PlainBlock], mark: str) -> int:
    """Which of the blocks is the heading that a fragment leads to; -1 for none."""
    reading = library.read_of(detail)
    marks = dict(zip(reading.marks, reading.headings.split("\n"), strict=False))
    heading = called(marks.get(mark, "")) if mark else ""
    headings = (at for at, block in enumerate(blocks) if block.kind.startswith("h") and called(block.text) == heading)
    return next(headings, -1) if heading else -1


def _looked_at(reader: Reader, sheet: Sheet, request: Request) -> dict[str, object]:
    """What only one of the views shows."""
    if sheet.view == "text" and isinstance(sheet.copy, DecodedCopy):
        text = library.text_of(reader.location.beside, sheet.url, sheet.version, sheet.copy)
        if isinstance(text, str):
            return {"trouble": f"No text can be read from this document: {text}."}
        blocks = plain.below_title(text, sheet.title)
        return {"blocks": blocks, "begin_at": _begin(sheet.detail, blocks, request.query_params.get("at", ""))}
    if sheet.view == "changes" and (other := _other(sheet, request)) is not None:
        compared = difference(reader, sheet.url, other, sheet.version)
        if isinstance(compared, Failure):
            return {"trouble": compared.detail}
        others = opinions_on(reader, sheet.url, compared.before, compared.after)
        return {"comparison": compared, "opinions": others}
    if sheet.view == "links":
        out, count = library.links_out(reader, sheet.detail)
        return {"links_out": out, "links_out_all": count, "links_in": library.links_in(reader, sheet.url)}
    return {}


def _other(sheet: Sheet, request: Request) -> Version | None:
    """The version to compare with: the one asked for, else the one before. A picture may have changed since a version
    was kept: then it is compared with itself."""
    text = request.query_params.get("from", "")
    wanted = [each for each in sheet.detail.versions if str(each.number) == text]
    return wanted[0] if wanted and wanted[0].number <= sheet.version.number else sheet.previous


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
        return "It was removed by `whimbrel prune`, or its number is mistyped."
    if detail.target is not None:
        return f"It leads on to {detail.target}."
    if listed.outcome == "discovered":
        return "It is known from a link, but has not been visited yet."
    return f"{_OUTCOMES.get(listed.outcome, plainly(listed.outcome).capitalize())}: {_reason(detail)}."


def _reason(detail: Detail) -> str:
    return detail.listed.reason or plainly(detail.listed.rule) or "no reason is recorded"


def _missing(request: Request, url: str, why: str, status: int = 404, *, kept: bool = False) -> Response:
    """`kept` where other versions of the page are."""
    original, q = status == 404, request.query_params.get("q", "")
    return page(request, "missing.html", status, here="read", url=url, why=why, original=original, kept=kept, q=q)


async def favour(request: Request) -> Response:
    """Puts a page among the favourites or takes it out."""
    sent = fields(await request.body())
    return await run_in_threadpool(_favour, request, sent)


def _favour(request: Request, sent: dict[str, str]) -> Response:
    desk: Desk = request.app.state.desk
    who: Who = request.state.who
    url = normalise(sent.get("url", ""))
    if not isinstance(url, str):
        return _missing(request, sent.get("url", ""), "", 400)
    if sent.get("keep") == "yes":
        with library.opened(desk.location) as reader:
            detail = library.detail_of(reader, url) if reader is not None else None
            newest = detail.versions[-1] if detail is not None and detail.versions else None
            title = library.title_of(reader, detail, newest) if reader and detail and newest else ""
        if desk.keeping.add(url, title, time.time(), who.number):
            desk.note_done(who, url, Action.FAVOURITE, sent.get("q", ""))
    else:
        desk.keeping.remove(url, who.number)
    here = {name: sent.get(name, "") for name in ("v", "view", "q")}
    back = "/favourites" if sent.get("back") == "favourites" else link("/read", url=url, **here)
    return RedirectResponse(back, 303)


async def give_stars(request: Request) -> Response:
    """One to five, or none."""
    sent = fields(await request.body())
    return await run_in_threadpool(_give_stars, request, sent)


def _give_stars(request: Request, sent: dict[str, str]) -> Response:
    desk: Desk = request.app.state.desk
    who: Who = request.state.who
    url, stars = normalise(sent.get("url", "")), sent.get("stars", "")
    if not isinstance(url, str):
        return _missing(request, sent.get("url", ""), "", 400)
    if stars not in ("0", "1", "2", "3", "4", "5"):
        words = "Give 1 to 5 stars, or 0 to take them back."
        return page(request, "problem.html", 400, title="So many stars there are not", words=words, q="")
    with library.opened(desk.location) as reader:
        detail = library.detail_of(reader, url) if reader is not None else None
        if reader is None or detail is None or not detail.versions:
            return _missing(request, url, UNKNOWN)
        title = library.title_of(reader, detail, detail.versions[-1])
    desk.keeping.give_stars(url, title, int(stars), time.time(), who.number)
    if stars != "0":
        version = detail.versions[-1].number
        desk.note_done(who, url, Action.STARS, sent.get("q", ""), version=version, amount=int(stars))
    return RedirectResponse(link("/read", url=url, **{name: sent.get(name, "") for name in ("v", "view", "q")}), 303)


def favourites(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    now = time.time()
    kept = [(each, ago(each.at, now)) for each in desk.favourites(request.state.who.number)]
    return page(request, "favourites.html", here="favourites", favourites=kept, q="")
