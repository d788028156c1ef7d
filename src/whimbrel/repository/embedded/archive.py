"""The growing WARC file, appended to by home alone."""

import os
from pathlib import Path

from whimbrel.repository import warc
from whimbrel.repository.contract import ArchivePiece, RepositoryError


class Archive:
    """Appends pieces and says where they stand. Nothing counts before the database has recorded the new end."""

    def __init__(self, folder: Path, rollover_bytes: int, software: str) -> None:
        self._folder = folder
        self._rollover_bytes = rollover_bytes
        self._software = software
        self._file = -1
        self._number = 0
        self.name = ""
        self.end = 0

    def recover(self, known: list[tuple[int, str, int]]) -> list[str]:
        """Cuts every file back to its committed end and removes files that no commit knows."""
        self._folder.mkdir(exist_ok=True)
        names = {name for _, name, _ in known}
        notes = []
        for stray in sorted(self._folder.glob("*.warc.gz")):
            if stray.name not in names:
                stray.unlink()
                notes.append(f"{stray.name}: removed, no commit had finished in it")
        for number, name, end in known:
            path = self._folder / name
            size = path.stat().st_size if path.exists() else -1
            if size < end:
                raise RepositoryError(
                    f"{name} has {max(size, 0)} bytes, but {end} were committed. "
                    "The file was cut or lost outside Whimbrel: restore it from a copy, then run the command again."
                )
            if size > end:
                os.truncate(path, end)
                notes.append(f"{name}: {size - end} bytes of an unfinished commit cut off")
            self._number, self.name, self.end = number, name, end
        return notes

    def append(self, pieces: list[ArchivePiece], now: float) -> tuple[int, list[int]]:
        """Writes and syncs; returns the file's number and each piece's offset."""
        if self._file < 0 or self.end >= self._rollover_bytes:
            self._open(now)
        offsets = []
        end = self.end
        for piece in pieces:
            offsets.append(end)
            end += len(piece.data)
        _write_all(self._file, b"".join(piece.data for piece in pieces))
        os.fdatasync(self._file)
        self.end = end
        return self._number, offsets

    def _open(self, now: float) -> None:
        if self.name and self._file < 0 and self.end < self._rollover_bytes:
            self._file = os.open(self._folder / self.name, os.O_WRONLY | os.O_APPEND)
            return
        self.close()
        self._number += 1
        self.name = f"whimbrel-{self._number:05d}.warc.gz"
        # A file of this name can only be the rest of a commit that failed in this very process.
        self._file = os.open(self._folder / self.name, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC, 0o644)
        header = warc.info(now, self.name, self._software)
        _write_all(self._file, header)
        self.end = len(header)
        sync_folder(self._folder)

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    @property
    def number(self) -> int:
        return self._number


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
