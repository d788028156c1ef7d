"""The JSON interface. Every operation is a row of `OPERATIONS`, which its routes and its description are made from."""

import time
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from whimbrel.flows.telling.differing import difference
from whimbrel.flows.telling.feed import entries
from whimbrel.flows.telling.news import FILTERS, choice_of, chosen
from whimbrel.records.response import Failure
from whimbrel.records.url import Url
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Detail, Version
from whimbrel.urls.normal import normalise
from whimbrel.web import answers, library
from whimbrel.web.desk import Desk
from whimbrel.web.library import ShownLink
from whimbrel.web.presentation import iso
from whimbrel.web.search_page import LAST_PAGE
from whimbrel.web.wanted import wish_of

MOST_HITS = 100
MOST_DAYS = 365
MOST_CHANGES = 1_000

Said = tuple[int, Struct]


class ApiRequest(Struct, frozen=True):
    """A request's parameters, and the desk that answers."""

    desk: Desk
    parameters: dict[str, str]
    body: bytes = b""

    def text(self, name: str) -> str:
        return self.parameters.get(name, "")

    def whole(self, name: str, default: int, most: int) -> int:
        text = self.text(name)
        return min(max(1, int(text)), most) if text.isascii() and text.isdigit() and len(text) < 18 else default

    def flag(self, name: str) -> bool:
        return self.text(name).lower() not in ("0", "false", "no")


def problem(words: str, status: int = 400) -> Said:
    return status, answers.Problem(words)


def search(asked: ApiRequest) -> Said:
    page, size = asked.whole("page", 1, LAST_PAGE), asked.whole("size", asked.desk.door.results, MOST_HITS)
    answer = asked.desk.answer(
        asked.text("q"), page, size, snippets=asked.flag("snippets"), facets=asked.flag("facets")
    )
    return 200, answers.search_answer(answer)


def _with_page(work: Callable[[ApiRequest, Reader, Detail], Said]) -> Callable[[ApiRequest], Said]:
    def done(asked: ApiRequest) -> Said:
        url = normalise(asked.text("url"))
        if not isinstance(url, str):
            return problem(f"url: {url.reason}")
        with library.opened(asked.desk.location) as reader:
            detail = library.detail_of(reader, url) if reader is not None else None
            if reader is None or detail is None:
                return problem(f"{url} is not known here.", 404)
            return work(asked, reader, detail)

    return done


@_with_page
def page(asked: ApiRequest, reader: Reader, detail: Detail) -> Said:
    listed = detail.listed
    shown, clicked = asked.desk.counted(listed.key)
    return 200, answers.PageAnswer(
        url=listed.url,
        title=library.title_of(reader, detail, detail.versions[-1]) if detail.versions else listed.title,
        outcome=listed.outcome,
        rule=listed.rule,
        reason=listed.reason,
        status=listed.status,
        depth=listed.depth,
        duplicate_of=listed.duplicate_of,
        leads_to=detail.target,
        twins=list(detail.twins),
        versions=[answers.version_answer(version) for version in detail.versions],
        shown=shown,
        clicked=clicked,
        favourite=asked.desk.keeping.is_favourite(listed.url),
    )


def _version(asked: ApiRequest, detail: Detail, name: str) -> Version | None:
    text = asked.text(name)
    return library.chosen(detail, int(text) if text.isascii() and text.isdigit() and len(text) < 18 else None)


@_with_page
def text(asked: ApiRequest, reader: Reader, detail: Detail) -> Said:
    url, version = detail.listed.url, _version(asked, detail, "version")
    if version is None:
        return problem(f"no such copy of {url} is kept.", 404)
    copy = library.document(reader, url, version)
    blocks = copy if isinstance(copy, Failure) else library.text_of(reader.location.beside, url, version, copy)
    if isinstance(blocks, Failure):
        return problem(blocks.detail, 404)
    if isinstance(blocks, str):
        return problem(blocks, 404)
    return 200, answers.TextAnswer(url, version.number, blocks)


@_with_page
def links(asked: ApiRequest, reader: Reader, detail: Detail) -> Said:
    out, count = library.links_out(reader, detail)
    into = library.links_in(reader, detail.listed.url)
    told = [_link(each) for each in into.links]
    return 200, answers.LinksAnswer(
        detail.listed.url, [_link(each) for each in out], count, told, into.looked, into.pages
    )


def _link(each: ShownLink) -> answers.LinkAnswer:
    return answers.LinkAnswer(each.url, each.text, each.state)


@_with_page
def changes(asked: ApiRequest, reader: Reader, detail: Detail) -> Said:
    url, after = detail.listed.url, _version(asked, detail, "to")
    older = [each for each in detail.versions if after is not None and each.number < after.number]
    wanted = [each for each in older if str(each.number) == asked.text("from")]
    if after is None or not older or (asked.text("from") and not wanted):
        return problem(f"no two such versions of {url} are kept.", 404)
    compared = difference(reader, url, wanted[0] if wanted else older[-1], after)
    if isinstance(compared, Failure):
        return problem(compared.detail, 404)
    change = compared.change
    return 200, answers.ChangeAnswer(
        url, compared.before.number, after.number, change.changed, list(change.kinds), change.amount,
        list(change.where), list(change.noise),
    )  # fmt: skip


def changed(asked: ApiRequest) -> Said:
    days = asked.whole("days", 7, MOST_DAYS)
    given = {name: asked.text(name) for name in FILTERS}
    choice = choice_of({**given, "since": given["since"] or f"{days} days"}, time.time())
    if isinstance(choice, str):
        return problem(choice)
    with library.opened(asked.desk.location) as reader:
        most = asked.whole("limit", MOST_HITS, MOST_CHANGES)
        items = entries(chosen(reader, choice), most) if reader is not None else []
    return 200, answers.ChangedAnswer(days, [answers.changed_page(item) for item in items])


def status(asked: ApiRequest) -> Said:
    seen = asked.desk.overview()
    if seen is None:
        return problem("No crawl has begun in this folder.", 404)
    overview, lanes = seen
    hosts = [answers.HostCount(lane.host, lane.known, lane.kept, lane.due) for lane in lanes]
    return 200, answers.status_answer(overview, hosts, asked.desk.sites())


def crawl(asked: ApiRequest) -> Said:
    progress = asked.desk.crawls.sample(time.time())
    return 200, answers.CrawlAnswer(progress is not None, progress)


def start(asked: ApiRequest) -> Said:
    try:
        wanted = msgspec.json.decode(asked.body, type=answers.CrawlWish)
    except msgspec.DecodeError as error:
        return problem(f'send {{"url": "https://docs.example.org"}}: {error}')
    given = {name: "" if value is None else str(value) for name, value in msgspec.structs.asdict(wanted).items()}
    given |= {"assets": "yes" if wanted.assets else "", "examples": "\n".join(wanted.examples)}
    wish = wish_of(given)
    return _done(wish if isinstance(wish, str) else asked.desk.crawls.start(wish))


def resume(asked: ApiRequest) -> Said:
    if asked.desk.overview() is None:
        return problem("There is no crawl to go on with.", 404)
    return _done(asked.desk.crawls.start(None))


def stop(asked: ApiRequest) -> Said:
    return _done(asked.desk.crawls.stop())


def _done(trouble: str) -> Said:
    return (200, answers.Done(True)) if not trouble else problem(trouble, 409)


def favourites(asked: ApiRequest) -> Said:
    kept = asked.desk.keeping.favourites()
    return 200, answers.FavouritesAnswer(
        [answers.FavouriteAnswer(Url(each.url), each.title, iso(each.at)) for each in kept]
    )


def endpoint(work: Callable[[ApiRequest], Said]) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        desk: Desk = request.app.state.desk
        body = await request.body() if request.method == "POST" else b""
        asked = ApiRequest(desk, dict(request.query_params), body)
        code, said = await run_in_threadpool(work, asked)
        return Response(msgspec.json.encode(said), code, media_type="application/json")

    return answer


class Operation(Struct, frozen=True):
    """`parameters` are names with what they mean; those ending in "*" are required. `sends` is a body's type."""

    method: str
    path: str
    summary: str
    work: Callable[[ApiRequest], Said]
    answer: Any
    parameters: tuple[tuple[str, str, str], ...] = ()
    sends: Any = None
    failures: tuple[int, ...] = ()


_URL = ("url*", "string", "The page's URL.")

OPERATIONS = (
    Operation("get", "/api/search", "Searches the kept pages.", search, answers.SearchAnswer, (
        ("q*", "string", "The query, with operators."), ("page", "integer", f"1 to {LAST_PAGE}."),
        ("size", "integer", f"Hits a page, up to {MOST_HITS}."), ("snippets", "boolean", "Default true."),
        ("facets", "boolean", "Default true."))),
    Operation("get", "/api/page", "All that is known of a URL.", page, answers.PageAnswer, (_URL,), None, (400, 404)),
    Operation("get", "/api/text", "A kept copy as paragraphs.", text, answers.TextAnswer,
              (_URL, ("version", "integer", "Default: the newest.")), None, (400, 404)),
    Operation("get", "/api/links", "Links from and to a page.", links, answers.LinksAnswer, (_URL,), None, (400, 404)),
    Operation("get", "/api/changes", "What differs between two versions.", changes, answers.ChangeAnswer,
              (_URL, ("from", "integer", "The older version; default: the one before."),
               ("to", "integer", "The newer version; default: the newest.")), None, (400, 404)),
    Operation("get", "/api/changed", "What happened lately, the newest first.", changed, answers.ChangedAnswer,
              (("days", "integer", f"1 to {MOST_DAYS}; default 7."),
               ("since", "string", "yesterday, a date or an age like '3 days', instead of days."),
               ("until", "string", "Only what was seen before."), ("site", "string", "A host, or host:port."),
               ("kind", "string", "new, changed, moved, gone, restored, away, answers; kinds of change; by commas."),
               ("degree", "string", "trivial, small, medium, large or complete, at least."),
               ("words", "string", "Words that came or went."),
               ("unseen", "string", "yes: only what was not marked as seen."),
               ("silenced", "string", "yes: only what was silenced, which is left out else."),
               ("limit", "integer", f"1 to {MOST_CHANGES}; default {MOST_HITS}.")), None, (400,)),
    Operation("get", "/api/status", "What the folder holds.", status, answers.StatusAnswer, (), None, (404,)),
    Operation("get", "/api/favourites", "The favourites.", favourites, answers.FavouritesAnswer),
    Operation("get", "/api/crawl", "How the running crawl goes.", crawl, answers.CrawlAnswer),
    Operation("post", "/api/crawl", "Starts a crawl.", start, answers.Done, (), answers.CrawlWish, (400, 403, 409)),
    Operation("post", "/api/crawl/stop", "Stops the running crawl.", stop, answers.Done, (), None, (403, 409)),
    Operation("post", "/api/crawl/resume", "Goes on with the folder's crawl.", resume, answers.Done, (), None,
              (403, 404, 409)),
)  # fmt: skip
