"""The program of a place: dials its homes, starts migrants when they call, and hands on what the two say to each other.

Migrants are processes of their own, the same as at home. They keep to the owner's terms because they are started with
them, and because this program stands between (`desk`).
"""

import asyncio
from collections.abc import Callable, Coroutine

from whimbrel.places.at.caps import Capped, Caps
from whimbrel.places.at.desk import Guest, HomeDesk
from whimbrel.places.at.house import House
from whimbrel.places.at.joining import PlaceFolder
from whimbrel.places.at.resident import Resident
from whimbrel.places.at.terms import size
from whimbrel.places.link.calls import Notice

LOOK_SECONDS = 1.0
LEFT = "this place has been left: nothing is done here any more"


class PlaceProgram:
    """Runs until it is told to stop. `say` hears what an owner may want to read."""

    def __init__(self, folder: PlaceFolder, say: Callable[[str], None], version: str) -> None:
        self.folder = folder
        self.say = say
        self.house = House(folder, say, version)
        self.desks = [HomeDesk(self.house, one, self.spawn, self._full) for one in folder.memberships()]
        self._tasks: set[asyncio.Task[None]] = set()
        self._paused = folder.paused
        self._caps = Caps(self._capped, self._end)

    def _full(self) -> bool:
        return len(self.guests) >= self.house.terms.place.migrants

    def _capped(self) -> list[Capped]:
        return [Capped(guest.channel.peer().pid, desk.home) for desk in self.desks for guest in desk.guests]

    def _allowed(self) -> tuple[float, int]:
        place = self.house.terms.place
        return place.cpu, size("memory", place.memory)

    def _end(self, pid: int, why: str) -> None:
        for guest in self.guests:
            if guest.channel.peer().pid == pid:
                self.say(f"{guest.call.migrant} is ended: {why}")
                guest.channel.cut()

    @property
    def guests(self) -> list[Guest]:
        return [guest for desk in self.desks for guest in desk.guests]

    def spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.say(f"something of this place broke, and the rest goes on: {type(error).__name__}: {error}")

    async def run(self) -> None:
        running = [asyncio.create_task(desk.run()) for desk in self.desks]
        looking = asyncio.create_task(self._look(running))
        self.say(f"limits are kept by {self._caps.words}")
        self.spawn(self._caps.run(self._allowed))
        if folders := self.house.terms.folder:
            mapped = [(folder.url, folder.path) for folder in folders]
            self.spawn(Resident(mapped, self.folder.path, self._tell, self.house.missing, self.say).run())
        try:
            await asyncio.gather(*running)
        except FileNotFoundError:
            if self.folder.path.is_dir():
                raise
            self.say(LEFT)  # whoever wrote or measured there came before the next look
        finally:
            for task in (*running, looking, *self._tasks):
                task.cancel()
            relays = [guest.relay for guest in self.guests]
            for guest in self.guests:
                guest.channel.cut()
            await asyncio.gather(*running, looking, *self._tasks, *relays, return_exceptions=True)

    def _tell(self, notice: Notice) -> None:
        """What changed is told to homes that were let in for its site."""
        for desk in self.desks:
            terms = self.house.terms.of(desk.home)
            if terms is not None and notice.host in terms.sites and not self.house.why_not(desk.home):
                desk.tell(notice)

    async def _look(self, running: "list[asyncio.Task[None]]") -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if not self.folder.path.is_dir():
                self.say(LEFT)
                for task in running:
                    task.cancel()
                return
            self.house.reread_terms()
            if self.folder.paused != self._paused:
                self._paused = self.folder.paused
                for desk in self.desks:
                    desk.tell_here()
            for desk in self.desks:
                desk.look()
