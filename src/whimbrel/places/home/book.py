"""Which places a folder has invited, and what is known of each: one small file beside the repository, changed whole.

Several processes may change it (a crawl that runs, a person at the command line), so each change is made under a
lock, on what the file holds then.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

import msgspec
from msgspec import Struct

from whimbrel.migrants.wire.private import write_private
from whimbrel.places.home.belief import Trust
from whimbrel.repository.contract import RepositoryError

FOLDER = "places"
BOOK = "book.json"


class PlaceStanding(StrEnum):
    INVITED = "invited"
    JOINED = "joined"
    REVOKED = "revoked"


class BookedPlace(Struct):
    """Times are home's. `key` is the place's own, empty until it has joined; `invitation` the one that is open. What is
    0 of the machine and of the way to it is not measured. `missed`: the last run that had work there waited in vain."""

    name: str
    sites: list[str]
    standing: PlaceStanding = PlaceStanding.INVITED
    invited_at: float = 0.0
    lasts_seconds: float = 0.0
    invitation: str = ""
    code_expires_at: float = 0.0
    door_key: str = ""
    key: str = ""
    joined_at: float = 0.0
    expires_at: float = 0.0
    seen_at: float = 0.0
    missed: bool = False
    version: str = ""
    wire: list[int] = []
    limits: dict[str, float | str] = {}
    load: float = 0.0
    cores: int = 0
    round_trip_seconds: float = 0.0
    bytes_per_second: float = 0.0
    free_memory_bytes: int = 0
    free_disk_bytes: int = 0
    why_not: str = ""
    migrants: int = 0
    link_bytes: int = 0
    site_bytes: int = 0
    visits: int = 0
    trust: Trust = msgspec.field(default_factory=Trust)


class OwnServer(Struct, frozen=True):
    """A NATS server that is run already, or several that are one cluster: `host:port` each, the certificate (PEM) that
    they show, and where the secret key of the account is whose users places and home are: `env:NAME` or `file:PATH`."""

    servers: tuple[str, ...]
    certificate: str
    account: str


class Booked(Struct):
    """All of it. `listen` is where the server of this folder listens, `address` where places dial it, where that is not
    the same; `withdrawn` are keys that the server turns away, with when each was withdrawn."""

    listen: str = "127.0.0.1"
    port: int = 0
    address: str = ""
    places: dict[str, BookedPlace] = {}
    withdrawn: dict[str, int] = {}
    own: OwnServer | None = None

    @property
    def servers(self) -> tuple[str, ...]:
        return self.own.servers if self.own is not None else (self.dialled,)

    @property
    def dialled(self) -> str:
        if self.own is not None:
            return ", ".join(self.own.servers)
        if self.address:
            return self.address if ":" in self.address else f"{self.address}:{self.port}"
        return f"{self.listen}:{self.port}"


class PlaceBook:
    def __init__(self, beside: Path) -> None:
        self.folder = beside / FOLDER
        self._path = self.folder / BOOK

    @property
    def exists(self) -> bool:
        return self._path.is_file()

    def read(self) -> Booked:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=Booked)
        except FileNotFoundError:
            return Booked()
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise RepositoryError(
                f"{self._path} is damaged ({error}). It says which places have joined: put back a copy of it, or "
                "move it away and invite them anew"
            ) from error

    @contextmanager
    def change(self) -> Iterator[Booked]:
        """What is altered in it is written when the block ends in order."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.folder / "book.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            book = self.read()
            yield book
            write_private(self._path, msgspec.json.format(msgspec.json.encode(book)))

    def changed_at(self) -> int:
        try:
            return self._path.stat().st_mtime_ns
        except FileNotFoundError:
            return 0
