"""The engine that keeps repositories in the memory of this process, by name."""

from whimbrel.repository.contract import NothingThere
from whimbrel.repository.location import Location
from whimbrel.repository.memory import upkeep
from whimbrel.repository.memory.followed import MemoryReader
from whimbrel.repository.memory.state import Tables
from whimbrel.repository.memory.writer import MemoryWriter
from whimbrel.repository.upkeep import Erased, ForgetTarget, FormatStep, Losses, Thinned

_repositories: dict[str, Tables] = {}


def drop(location: Location) -> None:
    """Nobody can open it any more; who has it open keeps it until then."""
    _repositories.pop(location.name, None)


class InMemory:
    format = 1

    def exists(self, location: Location) -> bool:
        return location.name in _repositories

    def reader(self, location: Location, cache_bytes: int) -> MemoryReader:
        return MemoryReader(location, self._state(location))

    def writer(self, location: Location, rollover_bytes: int, software: str) -> MemoryWriter:
        location.beside.mkdir(parents=True, exist_ok=True)
        return MemoryWriter(location, _repositories.setdefault(location.name, Tables()), software)

    def survey(self, location: Location, target: ForgetTarget) -> Losses:
        return upkeep.survey(self._state(location), target, str(location))

    def erase(self, location: Location, target: ForgetTarget, now: float, software: str, allow_again: bool) -> Erased:
        return upkeep.erase(self._state(location), target, now, allow_again, str(location))

    def thin(self, location: Location, keep: int, now: float, software: str, dry_run: bool) -> Thinned:
        return upkeep.thin(self._state(location), keep, dry_run, str(location))

    def upgrade(self, location: Location) -> list[FormatStep]:
        self._state(location)
        return []

    def _state(self, location: Location) -> Tables:
        state = _repositories.get(location.name)
        if state is None:
            raise NothingThere(f"{location} holds no crawl in the memory of this process.")
        return state
