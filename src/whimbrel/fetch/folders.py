"""Files of a site's own folder, opened by URL as its server would: nothing outside it, and nothing hidden in it.

Every name on the way is opened below the one before it and no symbolic link is followed, so there is no moment in
which a path could be made to lead elsewhere.
"""

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote_to_bytes

from msgspec import Struct

from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict, refused

INDEXES = ("index.html", "index.htm")
LARGEST_FILE = 32 << 20
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Opening a pipe or a device must not wait for its other end.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class FileFound(Struct, frozen=True):
    """A file as it was read. `mark` tells whether it has been written since."""

    body: bytes
    modified_at: float
    mark: str


class SiteFolders:
    """Which folder holds what a URL names: the longest beginning that fits counts."""

    def __init__(self, folders: Iterable[tuple[str, str]], largest: int = LARGEST_FILE) -> None:
        """`folders` are beginnings of URLs that end in a slash, each with a folder."""
        given = [(url if url.endswith("/") else f"{url}/", Path(path)) for url, path in folders]
        self._folders = sorted(given, key=lambda one: -len(one[0]))
        self._largest = largest

    def has(self, url: Url) -> bool:
        return any(url.startswith(prefix) for prefix, _ in self._folders)

    def read(self, url: Url) -> FileFound | Verdict:
        """The file, or why there is none that may be read."""
        return self._found(url, self._largest)

    def mark(self, url: Url) -> str:
        """What tells whether the file was written since; "" where there is none that may be read. It is not read."""
        found = self._found(url, None)
        return found.mark if isinstance(found, FileFound) else ""

    def _found(self, url: Url, most: int | None) -> FileFound | Verdict:
        for prefix, folder in self._folders:
            if url.startswith(prefix):
                names = _names(url[len(prefix) :])
                return names if isinstance(names, Verdict) else self._open(folder, names, most)
        return refused("folder", "no folder is named for this URL")

    def _open(self, folder: Path, names: list[str], most: int | None) -> FileFound | Verdict:
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            return refused("folder", f"the folder cannot be opened: {error.strerror}")
        try:
            for name in names[:-1]:
                below = os.open(name, _DIRECTORY, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = below
            for name in INDEXES if names[-1] == "" else names[-1:]:
                found = self._file(name, descriptor, most)
                if found is not None:
                    return found
            return refused("folder", "there is no such file")
        except OSError as error:
            # ELOOP and ENOTDIR are what a symbolic link gives.
            return refused("folder", f"it is not to be read: {error.strerror}")
        finally:
            os.close(descriptor)

    def _file(self, name: str, parent: int, most: int | None) -> FileFound | Verdict | None:
        """With `most` None it is only looked at."""
        try:
            descriptor = os.open(name, _FILE, dir_fd=parent)
        except FileNotFoundError:
            return None
        with os.fdopen(descriptor, "rb") as file:
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode):
                return refused("folder", "it is no file: a folder, a pipe or a device")
            if before.st_size > self._largest:
                return refused("folder", f"it has {before.st_size} bytes; the most is {self._largest}")
            if most is None:
                return FileFound(b"", before.st_mtime, _mark(before))
            body = file.read(most + 1)
            after = os.fstat(descriptor)
        if _mark(before) != _mark(after) or len(body) != after.st_size:
            return refused("folder", "it is being written")
        return FileFound(body, after.st_mtime, _mark(after))


def _names(rest: str) -> list[str] | Verdict:
    """The names that lead to a file. What a server may treat in a way of its own is left to the server."""
    if "?" in rest or "#" in rest:
        return refused("folder", "it has a query: the server answers it")
    try:
        names = [unquote_to_bytes(name).decode() for name in rest.split("/")]
    except UnicodeDecodeError:
        return refused("folder", "its name is no UTF-8")
    for name in names:
        if name.startswith("."):
            return refused("folder", "names that begin with a dot are nobody's business")
        if any(sign in name for sign in "/\\\0"):
            return refused("folder", "a name with a slash or a zero in it")
    if "" in names[:-1]:
        return refused("folder", "an empty name")
    return names


def _mark(status: os.stat_result) -> str:
    return f"{status.st_ino:x}-{status.st_mtime_ns:x}-{status.st_size:x}"
