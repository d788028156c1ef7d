"""Building an index in a process of its own: what it took, and how much memory at most.

Pages of memory that stand for files count apart: the system takes them back where others need the room.
"""

import subprocess
import sys
import time
from pathlib import Path

import msgspec
from msgspec import Struct

from whimbrel.search.build.indexer import Indexer

SAMPLE_SECONDS = 0.02


class Built(Struct, frozen=True):
    """`cpu_seconds` are of all threads."""

    pages: int
    cpu_seconds: float
    seconds: float


class Peak(Struct, frozen=True):
    """The most that a process held of either kind, not necessarily at one moment."""

    anonymous_bytes: int
    file_bytes: int


def built(folder: Path) -> tuple[Built, Peak]:
    """The folder's index, built anew."""
    said, peak = watched([sys.executable, "-P", "-m", "whimbrel.bench.search_build", str(folder)])
    return msgspec.json.decode(said, type=Built), peak


def watched(command: list[str]) -> tuple[bytes, Peak]:
    """What a command of few words prints, and the peak of its own process, descendants left out."""
    peak = Peak(0, 0)
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        try:
            while process.poll() is None:
                peak = _higher(peak, _now(process.pid))
                time.sleep(SAMPLE_SECONDS)
            said = process.stdout.read() if process.stdout is not None else b""
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}; what it printed above says why")
    return said, peak


def _higher(one: Peak, other: Peak) -> Peak:
    return Peak(max(one.anonymous_bytes, other.anonymous_bytes), max(one.file_bytes, other.file_bytes))


def _now(pid: int) -> Peak:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return Peak(0, 0)
    fields = {name: rest.split() for name, _, rest in (line.partition(":") for line in lines)}
    # Missing where the process has ended and nobody asked how yet.
    return Peak(*(1024 * int(fields[name][0]) if name in fields else 0 for name in ("RssAnon", "RssFile")))


def main() -> None:
    began, cpu = time.perf_counter(), time.process_time()
    with Indexer(Path(sys.argv[1])) as indexer:
        caught = indexer.rebuild()
    took = Built(caught.indexed, time.process_time() - cpu, time.perf_counter() - began)
    sys.stdout.buffer.write(msgspec.json.encode(took))


if __name__ == "__main__":
    main()
