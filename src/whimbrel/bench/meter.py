"""A link that counts: a proxy for connections of any protocol, which hands bytes on and adds them up."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Meter:
    """`out` are the bytes that clients sent through it, `back` those that came back. Headers of TCP are not counted."""

    def __init__(self, port: int) -> None:
        self._upstream = port
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self.port = 0
        self.out = 0
        self.back = 0

    def take(self) -> int:
        """What passed in both directions since the last time."""
        passed, self.out, self.back = self.out + self.back, 0, 0
        return passed

    async def serve(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            there, onwards = await asyncio.open_connection("127.0.0.1", self._upstream)
            try:
                await asyncio.gather(self._hand_on(reader, onwards, True), self._hand_on(there, writer, False))
            finally:
                onwards.close()
        except (OSError, asyncio.CancelledError):
            pass  # nobody is there, or nobody wants it any more
        finally:
            writer.close()
            self._open.discard(task)

    async def _hand_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, out: bool) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                self.out += len(data) if out else 0
                self.back += 0 if out else len(data)
                writer.write(data)
                await writer.drain()
        with suppress(ConnectionError):
            writer.close()


@contextmanager
def metered(port: int) -> Iterator[Meter]:
    """A meter before a port of this machine, in a thread of its own."""
    meter, loop = Meter(port), asyncio.new_event_loop()
    loop.run_until_complete(meter.serve())
    thread = threading.Thread(target=loop.run_forever, name="meter", daemon=True)
    thread.start()
    try:
        yield meter
    finally:
        asyncio.run_coroutine_threadsafe(meter.close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.run_until_complete(asyncio.sleep(0))  # what was closed is let go
        loop.close()
