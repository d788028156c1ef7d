"""The web application: which address is answered by whom."""

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from whimbrel.readers.contract import SECONDS_A_DAY
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.location import Where, located
from whimbrel.search.contract import DEFAULTS, SearchSettings
from whimbrel.web import (
    api,
    changes_page,
    crawl_room,
    enough_page,
    feed_page,
    fitting_in,
    indexnow,
    ingest,
    interests_page,
    keep_page,
    kept_files,
    listing_page,
    login,
    mcp_page,
    me_page,
    more_like_page,
    reader_page,
    saved_page,
    search_page,
    silence_page,
    site_page,
    statistics_page,
    terms_page,
)
from whimbrel.web.crawls import SAMPLE_SECONDS
from whimbrel.web.desk import Desk
from whimbrel.web.guard import WebGuard
from whimbrel.web.indexing import Indexing
from whimbrel.web.openapi import description
from whimbrel.web.policy import OUR_PAGES
from whimbrel.web.presentation import STATIC, page
from whimbrel.web.seals import Seals, read_key
from whimbrel.web.settings import Door

_KINDS = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
_FILES = {file.name: (file.read_bytes(), _KINDS[file.suffix]) for file in STATIC.iterdir() if file.suffix in _KINDS}


def make_app(
    where: Where, settings: Door | None = None, *, search: SearchSettings = DEFAULTS, index: bool = True
) -> Starlette:
    """`index` says whether this server keeps the search index up; only one on a folder should."""
    door = settings or Door()
    seals = Seals(read_key(located(where).beside)[0])
    desk = Desk(where, door, seals, search)
    agents = mcp_page.AgentsDoor()

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        indexing = Indexing(where, search)
        if index:
            indexing.start()
        watching = asyncio.create_task(_watch(desk))
        try:
            yield
        finally:
            watching.cancel()
            await agents.close()
            await run_in_threadpool(indexing.close)
            desk.close()

    app = Starlette(
        routes=[*_routes(door), Route(mcp_page.PATH, agents, methods=["POST"])],
        lifespan=lifespan,
        middleware=[
            Middleware(WebGuard, door=door, seals=seals, holds_private=desk.holds_private, who=desk.readership.who)
        ],
        exception_handlers={404: _not_found, RepositoryError: _damaged, sqlite3.Error: _busy, Exception: _broken},
    )
    app.state.desk = desk
    app.state.pings = indexnow.PingDesk(desk.location, door.networks)
    return app


def _routes(door: Door) -> list[Route]:
    described = description(door.locked)

    async def openapi(request: Request) -> Response:
        return JSONResponse(described)

    return [
        Route("/events", ingest.events, methods=["POST"]),
        Route("/", search_page.search),
        Route("/seen", search_page.seen, methods=["POST"]),
        Route("/read", reader_page.read),
        Route(changes_page.PATH, changes_page.changes),
        Route(changes_page.SEEN_PATH, changes_page.see, methods=["POST"]),
        Route(changes_page.SILENCE_PATH, silence_page.ask),
        Route(changes_page.SILENCE_PATH, silence_page.say, methods=["POST"]),
        Route(silence_page.PATH, silence_page.silences),
        Route(silence_page.PATH, silence_page.undo, methods=["POST"]),
        Route("/feed.atom", feed_page.feed),
        Route(fitting_in.OPENSEARCH, fitting_in.opensearch),
        Route(fitting_in.HEALTH, fitting_in.health),
        Route(fitting_in.METRICS, fitting_in.metrics),
        Route(indexnow.PATH, indexnow.pinged, methods=["GET", "POST"]),
        Route("/favourite", reader_page.favour, methods=["POST"]),
        Route("/favourites", reader_page.favourites),
        Route("/me", me_page.me),
        Route("/me/export.json", me_page.export),
        Route("/me/delete", me_page.delete, methods=["POST"]),
        Route("/me/interests", interests_page.say, methods=["POST"]),
        Route("/me/bookmarks", interests_page.bookmarks, methods=["POST"]),
        Route("/saved", saved_page.saved),
        Route("/saved", saved_page.change, methods=["POST"]),
        Route("/saved/{token}", saved_page.feed),
        Route("/stars", reader_page.give_stars, methods=["POST"]),
        Route("/enough", enough_page.answered, methods=["POST"]),
        Route("/more", enough_page.asked, methods=["POST"]),
        Route("/more/{number:int}", enough_page.more),
        Route("/more/{number:int}/live", enough_page.live),
        Route("/more/{number:int}/stop", enough_page.stop, methods=["POST"]),
        Route("/statistics", statistics_page.statistics),
        Route("/consent", me_page.consent, methods=["POST"]),
        Route(keep_page.FROM, keep_page.arrive),
        Route(keep_page.PATH, keep_page.ask),
        Route("/crawl", crawl_room.room),
        Route("/crawl/live", crawl_room.live),
        Route("/crawl/start", crawl_room.start, methods=["POST"]),
        Route("/crawl/stop", crawl_room.stop, methods=["POST"]),
        Route("/crawl/resume", crawl_room.resume, methods=["POST"]),
        Route(more_like_page.PATH, more_like_page.ask),
        Route(more_like_page.PATH, more_like_page.begin, methods=["POST"]),
        Route(terms_page.PATH, terms_page.show),
        Route(terms_page.PATH, terms_page.change, methods=["POST"]),
        Route(site_page.PATH, site_page.show),
        Route(site_page.PATH, site_page.change, methods=["POST"]),
        Route("/urls", listing_page.urls),
        Route("/kept/{seal}/copy", kept_files.copy),
        Route("/kept/{seal}/paper", kept_files.paper),
        Route("/kept/{seal}/file", kept_files.file),
        Route("/kept/{seal}/save", kept_files.save),
        Route("/login", login.ask, methods=["GET"]),
        Route("/login", login.enter, methods=["POST"]),
        Route("/static/{name}", _static),
        Route("/api/openapi.json", openapi),
        *(Route(each.path, api.endpoint(each.work), methods=[each.method.upper()]) for each in api.OPERATIONS),
    ]


async def _static(request: Request) -> Response:
    found = _FILES.get(request.path_params["name"])
    if found is None:
        return PlainTextResponse("There is no such file.\n", 404)
    return Response(found[0], media_type=found[1], headers={"Cache-Control": "private, max-age=31536000, immutable"})


async def _watch(desk: Desk) -> None:
    """The charts have a past also where nobody was looking, and what readers did long ago becomes sums."""
    folded = 0.0
    while True:
        now = time.time()
        if now - folded >= SECONDS_A_DAY:
            folded = now
            await run_in_threadpool(desk.fold, now)
        await run_in_threadpool(desk.crawls.sample, now)
        await run_in_threadpool(desk.tend_wishes, now)
        await asyncio.sleep(SAMPLE_SECONDS)


async def _not_found(request: Request, error: Exception) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": "There is nothing at this address. See /api/openapi.json."}, 404)
    return page(request, "problem.html", 404, title="Nothing here", words="There is no page at this address.", q="")


async def _broken(request: Request, error: Exception) -> Response:
    """A fault of ours. It goes out past the guard, so it brings the headers itself."""
    words = "Something went wrong here; what it was stands on the terminal of the server."
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": words}, 500, headers=OUR_PAGES)
    return PlainTextResponse(words + "\n", 500, headers=OUR_PAGES)


async def _damaged(request: Request, error: Exception) -> Response:
    return _unavailable(request, str(error))


async def _busy(request: Request, error: Exception) -> Response:
    """Another process holds a file of the folder for long, the disk is full, or a file is damaged."""
    return _unavailable(request, f"A file of the folder cannot be used at the moment: {error}. Try again.")


def _unavailable(request: Request, words: str) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": words}, 503)
    return page(request, "problem.html", 503, title="The folder cannot be read", words=words, q="")
