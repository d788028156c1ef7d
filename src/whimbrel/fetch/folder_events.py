"""What the kernel tells of folders whose files are being written (inotify), so that nobody has to look again and again.

It is a hint and not a record: events may be lost where too many come at once, and files that another machine writes
into a shared folder make none. Whoever uses it looks for himself now and then.
"""

import ctypes
import os
import struct
from collections.abc import Iterable
from contextlib import suppress
from enum import IntFlag
from pathlib import Path

from msgspec import Struct

READ_BYTES = 1 << 16
_EVENT = struct.Struct("iIII")


class _Mask(IntFlag):
    """Of <linux/inotify.h>: what is asked for, and what an event says of itself."""

    ATTRIB = 0x4  # a file that may be read only now
    CLOSE_WRITE = 0x8
    MOVED_FROM = 0x40
    MOVED_TO = 0x80
    CREATE = 0x100  # a hard link is never written
    DELETE = 0x200
    DELETE_SELF = 0x400
    OVERFLOW = 0x4000
    IGNORED = 0x8000
    ONLY_FOLDERS = 0x1000000
    NOT_FOLLOWING = 0x2000000
    FOLDER = 0x40000000


_ASKED = (
    _Mask.ATTRIB | _Mask.CLOSE_WRITE | _Mask.MOVED_FROM | _Mask.MOVED_TO | _Mask.CREATE | _Mask.DELETE
    | _Mask.DELETE_SELF | _Mask.ONLY_FOLDERS
)  # fmt: skip


class FolderNews(Struct, frozen=True):
    """Files that were written or are gone; with `whole` more than these: everything is to be looked at."""

    files: frozenset[Path]
    whole: bool

    def and_then(self, later: "FolderNews") -> "FolderNews":
        return FolderNews(self.files | later.files, self.whole or later.whole)

    def without_files(self) -> "FolderNews":
        return FolderNews(frozenset(), self.whole)


NOTHING = FolderNews(frozenset(), False)


class FolderEvents:
    """Watches folders and all below them; raises OSError where the kernel cannot, as where a user's watches are used
    up (fs.inotify.max_user_watches). Names that begin with a dot are passed over."""

    def __init__(self, roots: Iterable[Path]) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor: int = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.descriptor < 0:
            raise OSError(ctypes.get_errno(), "the kernel tells of no changes")
        self._folders: dict[int, Path] = {}
        try:
            for root in roots:
                self._watch(root, root=True)
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        os.close(self.descriptor)

    def _watch(self, folder: Path, *, root: bool = False) -> None:
        """It first and then what is in it: what comes meanwhile is seen one way or the other. A root may be a link."""
        mask = _ASKED if root else _ASKED | _Mask.NOT_FOLLOWING
        number = self._libc.inotify_add_watch(self.descriptor, os.fsencode(folder), int(mask))
        if number < 0:
            raise OSError(ctypes.get_errno(), "cannot be watched", str(folder))
        self._folders[number] = folder
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                self._watch(Path(entry.path))

    def take(self) -> FolderNews:
        """What has come since the last time; it waits for nothing."""
        files: set[Path] = set()
        whole = False
        while data := self._read():
            for number, mask, name in _events(data):
                folder = self._folders.get(number)
                if mask & _Mask.IGNORED:
                    self._folders.pop(number, None)
                elif mask & (_Mask.OVERFLOW | _Mask.DELETE_SELF) or folder is None:
                    whole = True
                elif not name.startswith("."):
                    whole |= self._is_folder(folder / name, mask)
                    files.add(folder / name)
        return FolderNews(frozenset(files), whole)

    def _is_folder(self, path: Path, mask: int) -> bool:
        """One that is new is watched from now on, with whatever is in it already."""
        if mask & _Mask.FOLDER and mask & (_Mask.CREATE | _Mask.MOVED_TO):
            with suppress(OSError):  # it is gone again, or one too many: looks at all files find what is in it
                self._watch(path)
        return bool(mask & _Mask.FOLDER)

    def _read(self) -> bytes:
        try:
            return os.read(self.descriptor, READ_BYTES)
        except BlockingIOError:
            return b""


def _events(data: bytes) -> Iterable[tuple[int, int, str]]:
    at = 0
    while at < len(data):
        number, mask, _, length = _EVENT.unpack_from(data, at)
        at += _EVENT.size + length
        yield number, mask, os.fsdecode(data[at - length : at].rstrip(b"\0"))
