"""What an engine has to bring along. Every engine passes the same tests: `tests/repository/contract`."""

from typing import Protocol

from whimbrel.repository.location import Location
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.port.writer import Writer
from whimbrel.repository.upkeep import Erased, ForgetTarget, FormatStep, Losses, Thinned


class Engine(Protocol):
    """Opens repositories and looks after them. What goes wrong is a `RepositoryError` that says what to do."""

    format: int
    """What it writes; `upgrade` leads there."""

    def exists(self, location: Location) -> bool: ...

    def reader(self, location: Location, cache_bytes: int) -> Reader:
        """Any number at a time, also beside a writer; raises `NothingThere` where there is no repository."""

    def writer(self, location: Location, rollover_bytes: int, software: str) -> Writer:
        """One at a time, the next raises `FolderBusy`. Makes the repository where there is none."""

    def survey(self, location: Location, target: ForgetTarget) -> Losses:
        """What forgetting would cost; changes nothing."""

    def erase(
        self, location: Location, target: ForgetTarget, now: float, software: str, allow_again: bool
    ) -> Erased: ...

    def thin(self, location: Location, keep: int, now: float, software: str, dry_run: bool) -> Thinned: ...

    def upgrade(self, location: Location) -> list[FormatStep]: ...
