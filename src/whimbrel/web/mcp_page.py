"""Agents ask here, over HTTP. What speaks their protocol is an extra, loaded when the first of them comes."""

import asyncio
import contextlib
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from whimbrel.web.desk import Desk

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"
NOT_INSTALLED = "What speaks MCP is not installed here. Run `whimbrel mcp --install` once, then ask again."


class AgentsDoor:
    """An ASGI application. It begins with its first request and ends with the server."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._ending = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._manager: StreamableHTTPSessionManager | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        manager = await self._opened(Request(scope).app.state.desk)
        if manager is None:
            await JSONResponse({"error": NOT_INSTALLED}, 501)(scope, receive, send)
            return
        await manager.handle_request(scope, receive, send)

    async def close(self) -> None:
        self._ending.set()
        if self._running is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._running

    async def _opened(self, desk: Desk) -> "StreamableHTTPSessionManager | None":
        async with self._lock:
            if self._manager is None and find_spec("mcp") is not None:
                protocol = await run_in_threadpool(_protocol)
                ready: asyncio.Future[StreamableHTTPSessionManager] = asyncio.get_running_loop().create_future()

                async def hold() -> None:
                    # What is begun in a task has to end in it.
                    async with protocol.over_http(desk.toolbox()) as manager:
                        ready.set_result(manager)
                        await self._ending.wait()

                self._running = asyncio.create_task(hold())
                self._manager = await ready
            return self._manager


def _protocol() -> ModuleType:
    from whimbrel.agents import protocol

    return protocol
