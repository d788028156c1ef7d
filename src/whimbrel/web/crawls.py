"""Crawls of the folder, seen and steered from the browser: started as processes of their own, reached by their socket.

A crawl belongs to nobody here: it goes on when the server ends, and one that was started elsewhere is shown just
the same.
"""

import os
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct, ValidationError, convert, field

from whimbrel.api.naming import STRANGERS
from whimbrel.fetch.guard import AddressGuard
from whimbrel.fetch.interfaces import own_addresses
from whimbrel.migrants.home import control
from whimbrel.records.url import Url
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.engines import open_reader
from whimbrel.repository.location import Where, located
from whimbrel.urls.normal import host as host_of
from whimbrel.web.wanted import WantedCrawl

OUTPUT_FILE = "serve-crawl.log"
END_THREAD = "whimbrel-crawl-end"
"""Ends with the crawl that was started here."""
SAMPLE_SECONDS = 1.0
MOST_SAMPLES = 900
SHOWN_OUTPUT_BYTES = 4_000
RECENT_SECONDS = 5.0
KILLED = -9
KNOCK_SECONDS = 1.0
GLANCE_SECONDS = 3.0
"""That a page waits for a crawl to tell how it goes; one that was stopped by its user tells nothing."""


class ShownMigrant(Struct, frozen=True):
    """`hosts` are some of the `host_count` hosts it holds."""

    name: str = ""
    state: str = ""
    place: str = ""
    pid: int = 0
    queued: int = 0
    in_flight: int = 0
    pages: int = 0
    cpu_seconds: float = 0.0
    hosts: tuple[str, ...] = ()
    host_count: int = 0


class ShownProgress(Struct, frozen=True):
    """How a running crawl goes, as it tells it."""

    began: float = 0.0
    pages: int = 0
    visits: int = 0
    queued: int = 0
    in_flight: int = 0
    hosts_waiting: int = 0
    next_ready_seconds: float = 0.0
    bytes: dict[str, int] = field(default_factory=dict)
    outcomes: dict[str, int] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    judged: int = 0
    relevant: int = 0
    lately: float = 0.0
    deaths: int = 0
    migrants: tuple[ShownMigrant, ...] = ()


class ProgressSample(Struct, frozen=True):
    at: float
    progress: ShownProgress


class Ending(Struct, frozen=True):
    """How a crawl ended. `code` is 0 where it ended as it should; `output` is what one that was started here said."""

    code: int
    output: str

    @property
    def killed(self) -> bool:
        """It had no say in its end: a signal, a lack of memory, a machine that went down."""
        return self.code < 0


class Crawls:
    """Knows the folder's running crawl and remembers how it went. Threads may share it.

    `ended` is called when one has ended: what was counted while it ran is too little by then.
    """

    def __init__(self, where: Where, ended: Callable[[], None] = lambda: None, networks: tuple[str, ...] = ()) -> None:
        self._location = located(where)
        self._folder = self._location.beside
        self._networks = networks
        self._ended = ended
        self._seen_running = False
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._samples: deque[ProgressSample] = deque(maxlen=MOST_SAMPLES)
        self._stopped_began = 0.0

    def progress(self) -> ShownProgress | None:
        """None where no crawl runs."""
        told = control.ask(self._folder, {"ask": "progress"}, GLANCE_SECONDS)
        if told is None or "error" in told:
            return None
        try:
            return convert(told, ShownProgress, strict=False)
        except ValidationError as error:
            return ShownProgress(notes=(f"the running crawl is of another release: {error}",))

    def sample(self, now: float) -> ShownProgress | None:
        """Asks, and remembers the answer for the charts."""
        progress = self.progress()
        if progress is None:
            if self._seen_running:
                self._seen_running = False
                self._ended()
            return None
        self._seen_running = True
        with self._lock:
            if self._samples and self._samples[-1].progress.began != progress.began:
                self._samples.clear()
            if not self._samples or now - self._samples[-1].at >= SAMPLE_SECONDS * 0.9:
                self._samples.append(ProgressSample(now, progress))
        return progress

    def seems_running(self, now: float) -> bool:
        """As of a moment ago, without asking."""
        with self._lock:
            return bool(self._samples) and now - self._samples[-1].at < RECENT_SECONDS

    def samples(self) -> list[ProgressSample]:
        with self._lock:
            return list(self._samples)

    def start(self, wish: WantedCrawl | None) -> str:
        """Begins a crawl, or goes on with the folder's; what stands in the way, or ""."""
        if wish is not None and (problem := next(filter(None, map(self.barred, wish.asked)), "")):
            return problem
        with self._lock:
            if self._is_busy():
                return "A crawl is running on this folder already. Stop it first."
            arguments = [part for network in self._networks for part in ("--allow-network", network)]
            arguments += ["--from-browser", *wish.arguments()] if wish is not None else []
            command = [sys.executable, "-P", "-m", "whimbrel", "crawl", "--repo", str(self._location), *arguments]
            with (self._folder / OUTPUT_FILE).open("wb") as output:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            # Whoever starts a process has to hear of its end.
            threading.Thread(target=self._hear_end, args=(self._process,), name=END_THREAD, daemon=True).start()
        return ""

    def barred(self, url: Url) -> str:
        """Why a site may not be asked from the browser, "" where it may. What is in this machine's own networks is the
        owner's to name: a form may have been filled in by anybody.

        The crawl holds to it as well; here it is only said at once."""
        if host_of(url) in self._named_by_owner():
            return ""
        guard = AddressGuard(networks=self._networks, own=frozenset(own_addresses()))
        name = host_of(url).strip("[]")
        verdicts = [guard.judge(name, address) for address in _addresses(name)]
        if not verdicts or any(verdict.accepted for verdict in verdicts):
            return ""
        why = verdicts[0].reason.partition(";")[0]
        return (
            f"{why}. What is in this machine's own networks is crawled from here only where its owner says so: "
            f"start `whimbrel serve` with --allow-network, or name it once yourself with `whimbrel crawl {url}`."
        )

    def _named_by_owner(self) -> set[str]:
        try:
            with open_reader(self._location) as reader:
                strangers = reader.recall(STRANGERS)
                known = {host_of(seed) for seed in reader.overview().seeds}
        except RepositoryError:
            return set()
        return known - set(strangers if isinstance(strangers, list) else [])

    def _hear_end(self, process: "subprocess.Popen[bytes]") -> None:
        process.wait()
        self._ended()

    def _is_busy(self) -> bool:
        return self._is_ours_running() or self.progress() is not None

    def _is_ours_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def starting(self) -> bool:
        """Whether a crawl was started that cannot be asked yet."""
        with self._lock:
            return self._is_ours_running()

    def stop(self) -> str:
        running = self.progress()
        told = control.ask(self._folder, {"ask": "stop"})
        if told is None:
            return "No crawl is running on this folder."
        if not told.get("ok"):
            return str(told.get("error", "The running crawl was begun by another release: end it with Ctrl-C."))
        with self._lock:
            self._stopped_began = running.began if running is not None else 0.0
        return ""

    def terms_edited(self, topic: str) -> bool:
        """Whether the crawl that runs judges by them from now on; a release before may run that cannot."""
        told = control.ask(self._folder, {"terms": topic})
        return told is not None and bool(told.get("ok"))

    def is_stopping(self, progress: ShownProgress) -> bool:
        """Whether this crawl was told to stop from here, and still has pages on their way."""
        with self._lock:
            return progress.began == self._stopped_began

    def ending(self) -> Ending | None:
        """How the last crawl ended; None while one started here runs, and where nothing is known of it."""
        with self._lock:
            code = self._process.poll() if self._process is not None else None
            if self._process is not None and code is None:
                return None
        if not code and _is_left_behind(self._folder):
            return Ending(KILLED, "")
        return Ending(code, self._output()) if code is not None else None

    def _output(self) -> str:
        with (self._folder / OUTPUT_FILE).open("rb") as output:
            output.seek(0, 2)
            output.seek(max(0, output.tell() - SHOWN_OUTPUT_BYTES))
            return output.read().decode("utf-8", "replace").strip()


def _addresses(name: str) -> list[str]:
    try:
        return [str(entry[4][0]) for entry in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        return []


def _is_left_behind(folder: Path) -> bool:
    """Whether a crawl that was killed left its socket: one that ends by itself takes it away, and one that only stands
    still is not refused."""
    directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(KNOCK_SECONDS)
            connection.connect(f"/proc/self/fd/{directory}/{control.NAME}")
    except ConnectionRefusedError:
        return True
    except OSError:
        return False
    finally:
        os.close(directory)
    return False
