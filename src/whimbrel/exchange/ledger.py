"""Which files the exports of a folder wrote, so that the same export may be written again every night and no other file
is lost to it."""

from contextlib import suppress
from pathlib import Path

import msgspec

FILE = "exports.json"
MOST_FILES = 1_000
"""Names that change daily would let it grow for ever; the oldest go first."""


class ExportLedger:
    """Size and moment of change of every file as an export left it, by its path. A folder that cannot be written to has
    none."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    def wrote(self, path: Path) -> bool:
        """Whether the file is as an export of this folder left it."""
        return self._read().get(str(path.resolve())) == _state(path)

    def note(self, path: Path) -> None:
        place = str(path.resolve())
        files = {other: state for other, state in self._read().items() if other != place}
        newest = dict([*files.items(), (place, _state(path))][-MOST_FILES:])
        part = self._path.with_name(f".{FILE}.part")
        with suppress(OSError):
            part.write_bytes(msgspec.json.format(msgspec.json.encode(newest)))
            part.replace(self._path)

    def _read(self) -> dict[str, tuple[int, int]]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, tuple[int, int]])
        except (OSError, msgspec.DecodeError):
            return {}


def _state(path: Path) -> tuple[int, int]:
    seen = path.stat()
    return seen.st_size, seen.st_mtime_ns
