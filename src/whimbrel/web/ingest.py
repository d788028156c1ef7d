"""What browsers tell of their readers: many batches that wait become one commit, and each is answered after it."""

import asyncio
import time

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from whimbrel.readers.contract import Bundle, TooMuch
from whimbrel.readers.log import ReaderLog
from whimbrel.readers.sending import Sent, bundle_of
from whimbrel.web.seals import Seals
from whimbrel.web.who import Who


class Ingest:
    """A commit waits for the disk; what comes meanwhile goes into the next one together."""

    def __init__(self, log: ReaderLog) -> None:
        self._log = log
        self._waiting: list[tuple[Bundle, asyncio.Future[bool | TooMuch]]] = []
        self._draining: asyncio.Task[None] | None = None

    async def take(self, bundle: Bundle) -> bool | TooMuch:
        told: asyncio.Future[bool | TooMuch] = asyncio.get_running_loop().create_future()
        self._waiting.append((bundle, told))
        if self._draining is None or self._draining.done():
            self._draining = asyncio.create_task(self._drain())
        return await told

    async def _drain(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting, []
            try:
                taken = await run_in_threadpool(self._log.take, [bundle for bundle, _ in group], time.time())
            except BaseException as error:
                for _, told in group:
                    if not told.done():
                        told.set_exception(error)
                if not isinstance(error, Exception):
                    raise
                continue
            for (_, told), result in zip(group, taken, strict=True):
                if not told.done():  # whoever sent it may be gone
                    told.set_result(result)


async def events(request: Request) -> Response:
    """`POST /events`. The answer comes when the batch is on the disk; sent again it is acknowledged again."""
    desk = request.app.state.desk
    who: Who = request.state.who
    seals: Seals = desk.seals
    if not who.recorded:
        return JSONResponse({"error": "Nothing is kept of a reader who has not said yes."}, 403)

    def holds(sent: Sent) -> bool:
        return seals.holds(sent.seal, "view", who.id, sent.url, str(sent.v), sent.q)

    bundle = bundle_of(await request.body(), who.number, holds, time.time())
    if isinstance(bundle, str):
        return JSONResponse({"error": bundle}, 400)
    taken = await desk.ingest.take(bundle)
    if isinstance(taken, TooMuch):
        return JSONResponse({"error": str(taken)}, 429)
    return JSONResponse({"batch": bundle.name, "new": taken})
