"""Between the rounds of a watch: home is there for its places and hears which pages changed, as it happens."""

import asyncio
import threading
import time
from pathlib import Path

from whimbrel.flows.refresh.pings import PingBook
from whimbrel.places.home.keeper import Keeper
from whimbrel.places.link.calls import Notice
from whimbrel.records.verdict import Verdict
from whimbrel.urls.normal import host as host_of
from whimbrel.urls.normal import normalise


class Listening:
    """Inside the block. `told` is set whenever something came in; what it was stands among the pings of the folder,
    where the next refresh finds it, and weighs it by how often such words were true."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pings = PingBook(folder)
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: asyncio.Event | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._listen()), name="whimbrel-places", daemon=True)
        self.told = threading.Event()

    def __enter__(self) -> "Listening":
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *error: object) -> None:
        if self._loop is not None and self._end is not None:
            self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()

    async def _listen(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        keeper = Keeper(self._folder)
        keeper.on_notice = lambda place, notice: self.hear(keeper, place, notice)
        try:
            await keeper.open()
            self._ready.set()
            await self._end.wait()
        finally:
            self._ready.set()
            await keeper.close()

    def hear(self, keeper: Keeper, place: str, notice: Notice) -> bool:
        """A place speaks for the sites of its invitation alone, and not while it is not believed."""
        urls = [url for text in notice.urls if not isinstance(url := normalise(text), Verdict)]
        theirs = [url for url in urls if host_of(url) == notice.host]
        if theirs and not keeper.trust(place).doubt:
            self._pings.add(theirs, time.time())
            self.told.set()
        return True
