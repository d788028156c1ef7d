"""How far each of those came that changes are told to: one small file in the folder, written whole or not at all."""

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from whimbrel.repository.contract import FolderBusy, RepositoryError

Progress = TypeVar("Progress")


class ProgressFile(Generic[Progress]):
    """`what` says in a word or two what is done with the changes, for messages."""

    def __init__(self, folder: Path, name: str, lock: str, kind: type[Progress], what: str) -> None:
        self._folder = folder
        self._path = folder / name
        self._lock = folder / lock
        self._kind = kind
        self._what = what

    def read(self) -> dict[str, Progress]:
        if not self._path.exists():
            return {}
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, self._kind])  # type: ignore[name-defined]
        except (OSError, msgspec.MsgspecError) as error:
            raise RepositoryError(
                f"{self._path} cannot be read ({error}). Remove it: {self._what} then begins anew."
            ) from error

    def write(self, progress: Mapping[str, Progress]) -> None:
        """On the disk before anything is told."""
        new = self._path.with_name(f"{self._path.name}.new")
        with new.open("wb") as file:
            file.write(msgspec.json.encode(progress))
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._path)

    @contextmanager
    def locked(self) -> Iterator[None]:
        descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            raise FolderBusy(
                f"another process is {self._what} the changes of {self._folder}. Wait for it, and try again."
            ) from error
        try:
            yield
        finally:
            os.close(descriptor)
