"""The embedded engine: a folder with an SQLite database and WARC files."""

from whimbrel.repository.embedded import erase, thin
from whimbrel.repository.embedded.migrate import migrate
from whimbrel.repository.embedded.news import News
from whimbrel.repository.embedded.opening import DATABASE
from whimbrel.repository.embedded.outgoing import Outgoing
from whimbrel.repository.embedded.schema import FORMAT
from whimbrel.repository.embedded.store import Store
from whimbrel.repository.location import Location
from whimbrel.repository.upkeep import Erased, ForgetTarget, FormatStep, Losses, Thinned


class FolderReader(News, Outgoing):
    """All that can be read of a folder."""


class Embedded:
    format = FORMAT

    def exists(self, location: Location) -> bool:
        return location.file(DATABASE).exists()

    def reader(self, location: Location, cache_bytes: int) -> FolderReader:
        return FolderReader(location.beside, cache_bytes=cache_bytes)

    def writer(self, location: Location, rollover_bytes: int, software: str) -> Store:
        return Store(location.beside, rollover_bytes=rollover_bytes, software=software)

    def survey(self, location: Location, target: ForgetTarget) -> Losses:
        return erase.survey(location.beside, target)

    def erase(self, location: Location, target: ForgetTarget, now: float, software: str, allow_again: bool) -> Erased:
        return erase.erase(location.beside, target, now, software, allow_again=allow_again)

    def thin(self, location: Location, keep: int, now: float, software: str, dry_run: bool) -> Thinned:
        return thin.thin(location.beside, keep, now, software, dry_run=dry_run)

    def upgrade(self, location: Location) -> list[FormatStep]:
        return migrate(location.beside)
