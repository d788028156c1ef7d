"""nginx on many loopback addresses, writing down when each was asked for what: the witness no crawler can bribe."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from whimbrel.bench.server import nginx

LOG = "access.log"
_LIMITS = "worker_rlimit_nofile 4096; events { worker_connections 2048; }"
_FORMAT = "log_format asked '$msec $request_time $server_addr $status $bytes_sent $request_uri';"


class Arrival(Struct, frozen=True):
    """One request as the server met it. `at` is when its first byte came in: the log tells the end and how long it
    took, both to the millisecond."""

    at: float
    address: str
    status: int
    sent_bytes: int
    path: str


class LoggedServer(Struct, frozen=True):
    addresses: tuple[str, ...]
    port: int
    log: Path

    def origin(self, address: str = "") -> str:
        return f"http://{address or self.addresses[0]}:{self.port}"

    def arrivals(self) -> list[Arrival]:
        """In the order of arrival."""
        with self.log.open(encoding="utf-8") as lines:
            return sorted((_read(line) for line in lines), key=lambda arrival: arrival.at)

    def forget(self) -> None:
        """Empties the log; nginx appends, so it goes on at the beginning."""
        os.truncate(self.log, 0)


def _read(line: str) -> Arrival:
    ended, took, address, status, size, path = line.rstrip("\n").split(" ", 5)
    return Arrival(round(float(ended) - float(took), 3), address, int(status), int(size), path)


@contextmanager
def witnessed(site: str, folder: Path, addresses: Sequence[str]) -> Iterator[LoggedServer]:
    """Serves inside the block. `site` is the folder of the pages and may hold nginx's variables: `…/$server_addr`."""
    log = folder / LOG
    with nginx(site, folder, addresses, limits=_LIMITS, log=f"{_FORMAT} access_log {log} asked;") as port:
        yield LoggedServer(tuple(addresses), port, log)
