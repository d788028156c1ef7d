"""Has wishes granted by a process of its own, as crawls have: it goes on when the server ends."""

import subprocess
import sys
import threading
from collections.abc import Callable

from whimbrel.readers.wishes import Wishes
from whimbrel.repository.location import Location

OUTPUT_FILE = "serve-wishes.log"
END_THREAD = "whimbrel-wishes-end"
PAUSE_SECONDS = 20.0
"""Between two beginnings by themselves: one that fails at once is not begun all the time."""


class Granters:
    """Threads may share it. Wishes that a server was killed over are taken up by the next."""

    def __init__(
        self, location: Location, wishes: Wishes, networks: tuple[str, ...], ended: Callable[[], None]
    ) -> None:
        self._location = location
        self._wishes = wishes
        self._networks = networks
        self._ended = ended
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._began = 0.0

    def tend(self, now: float, *, new: bool = False) -> None:
        """Where wishes wait and nobody sees to them, somebody does. Whether another server's process does already,
        the process itself finds out."""
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                return
            if not self._wishes.open() or (now - self._began < PAUSE_SECONDS and not new):
                return
            self._began = now
            networks = [part for network in self._networks for part in ("--allow-network", network)]
            command = [sys.executable, "-P", "-m", "whimbrel", "wishes", "--run", "--repo", str(self._location)]
            with (self._location.beside / OUTPUT_FILE).open("wb") as output:
                self._process = subprocess.Popen(
                    [*command, *networks],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            threading.Thread(target=self._hear_end, args=(self._process,), name=END_THREAD, daemon=True).start()

    def _hear_end(self, process: "subprocess.Popen[bytes]") -> None:
        process.wait()
        self._ended()
