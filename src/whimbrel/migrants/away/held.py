"""Parcels on the disk of a place until home's commit has acknowledged them.

Home may be away for a day, and whoever sent a parcel may be killed. A task that was done and of which home never heard
is due there still; when it is given out again, its visit is found here, and the site is not asked twice.
"""

import os
from pathlib import Path

from whimbrel.migrants.wire import messages as wire
from whimbrel.records.task import Task
from whimbrel.records.visit import Outcome, Visit

FRESH_SECONDS = 86_400.0
WORTH_HOLDING = frozenset((Outcome.FETCHED, Outcome.REDIRECTED))
SUFFIX = ".parcel"


class Held:
    """One folder for all migrants of a home at a place. Links in a visit were judged by a brief: under another brief
    the page is asked for again."""

    def __init__(self, folder: Path, most_bytes: int, brief: bytes) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._brief = brief.hex()[:16]
        self._mine = f"{self._brief}-{os.urandom(6).hex()}"
        self._where: dict[int, Path] = {}
        self._read: tuple[Path, dict[int, Visit]] | None = None
        self._bytes = 0
        self.fault = ""
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(folder.glob(f"*{SUFFIX}")):
            self._look_into(path)

    def _look_into(self, path: Path) -> None:
        if not path.name.startswith(self._brief):
            path.unlink(missing_ok=True)
            return
        try:
            self._bytes += path.stat().st_size
        except OSError:  # another migrant of this home is done with it
            return
        self._where |= dict.fromkeys(self._visits(path), path)

    def _visits(self, path: Path) -> dict[int, Visit]:
        """Those that can be used again; none where the file was cut short by whatever ended its writer."""
        if self._read is None or self._read[0] != path:
            try:
                parcel = wire.read_from_migrant(path.read_bytes())
            except (OSError, wire.WireError):
                return {}
            visits = parcel.visits if isinstance(parcel, wire.Parcel) else []
            useful = {visit.key: visit for visit in visits if visit.outcome in WORTH_HOLDING}
            self._read = (path, useful)
        return self._read[1]

    @property
    def full(self) -> bool:
        return bool(self.fault) or self._bytes > self._most_bytes

    def keep(self, number: int, data: bytes) -> None:
        """A disk that takes nothing more is told of; what was found is still sent."""
        try:
            self._path(number).write_bytes(data)
            self._bytes += len(data)
            self.fault = ""
        except OSError as error:
            self._path(number).unlink(missing_ok=True)
            self.fault = f"the disk of the place takes nothing more ({error.strerror}): one parcel goes home at a time"

    def release(self, number: int) -> None:
        path = self._path(number)
        try:
            self._bytes -= path.stat().st_size
            path.unlink()
        except OSError:  # it was never written
            return

    def _path(self, number: int) -> Path:
        return self._folder / f"{self._mine}-{number}{SUFFIX}"

    def find(self, task: Task, now: float) -> Visit | None:
        """What this task brought when it was done before, once."""
        path = self._where.pop(task.key, None)
        if path is None:
            return None
        visit = self._visits(path).get(task.key)
        if path not in self._where.values():
            path.unlink(missing_ok=True)
        if visit is None or (visit.url, visit.depth) != (task.url, task.depth) or now - visit.at > FRESH_SECONDS:
            return None
        return visit
