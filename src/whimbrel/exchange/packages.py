"""ZIP files that every reader opens: by their directory at the end, by the headers before each file, or by both.

ReplayWeb.page goes by the directory, and looks at a file's own header only where the directory says that it has extra
fields. Python's zipfile can put such a field (the sizes of a file of 2 GiB or more, "ZIP64") into the header alone. It
is written here for files that need it, and then stands in both.
"""

from collections.abc import Set
from hashlib import sha256
from typing import IO, BinaryIO, Self
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

LARGEST_PLAIN_BYTES = (1 << 31) - 1
"""From here on Python's zipfile writes sizes as ZIP64."""
_OLDEST_DATE = (1980, 1, 1, 0, 0, 0)


class Outgrown(Exception):
    """The file at `path` inside turned out to be large: the ZIP is to be written anew, with it among the large ones.

    How large a file gets is known when it is complete, its header comes before it, and nothing can be put in between.
    """

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class Package:
    """A ZIP being written. `large` are the paths of those files that need ZIP64; `resources` tells of all written."""

    def __init__(self, out: BinaryIO, large: Set[str]) -> None:
        self._zip = ZipFile(out, "w", allowZip64=True)
        self._large = large
        self.resources: list[dict[str, object]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._zip.close()

    def member(self, path: str, method: int) -> "PackagedFile":
        """A file whose size is not known yet; one at a time."""
        large = path in self._large
        return PackagedFile(self._zip.open(_info(path, method), "w", force_zip64=large), path, large, self.resources)

    def add(self, path: str, data: bytes) -> None:
        """A small file that `resources` does not tell of."""
        self._zip.writestr(_info(path, ZIP_DEFLATED), data)


class PackagedFile:
    """A file inside, hashed while it is written."""

    def __init__(self, stream: IO[bytes], path: str, large: bool, resources: list[dict[str, object]]) -> None:
        self._stream, self._path, self._large, self._resources = stream, path, large, resources
        self._hash, self.size = sha256(), 0

    def __enter__(self) -> Self:
        return self

    def write(self, data: bytes) -> None:
        self.size += len(data)
        if self.size > LARGEST_PLAIN_BYTES and not self._large:
            raise Outgrown(self._path)
        self._stream.write(data)
        self._hash.update(data)

    def __exit__(self, *error: object) -> None:
        self._stream.close()
        name = self._path.rpartition("/")[2]
        digest = f"sha256:{self._hash.hexdigest()}"
        self._resources.append({"name": name, "path": self._path, "hash": digest, "bytes": self.size})


def _info(path: str, method: int) -> ZipInfo:
    info = ZipInfo(path, _OLDEST_DATE)
    info.compress_type = method
    return info
