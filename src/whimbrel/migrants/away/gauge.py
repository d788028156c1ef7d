"""What a migrant measures of itself and of its place, for home to choose by."""

import os
from pathlib import Path

from whimbrel.migrants.wire import messages as wire

WEIGHT = 0.05
"""Of the newest answer in the moving means: about the last twenty count."""


class Gauge:
    """Moving means over answers, and a look at the process when a pulse is due."""

    def __init__(self) -> None:
        self._latency = 0.0
        self._bandwidth = 0.0
        self._task_seconds = 0.0

    def answered(self, seconds: float, received: int) -> None:
        self._task_seconds += seconds
        if not self._latency:
            self._latency, self._bandwidth = seconds, received / max(seconds, 1e-6)
            return
        self._latency += WEIGHT * (seconds - self._latency)
        self._bandwidth += WEIGHT * (received / max(seconds, 1e-6) - self._bandwidth)

    def pulse(self, queued: int, in_flight: int, waiting: int, next_seconds: float, notes: list[str]) -> wire.Pulse:
        used = os.times()
        return wire.Pulse(
            queued, in_flight, waiting, next_seconds, notes, used.user + used.system, _memory(), _free_disk(),
            self._latency, self._bandwidth, self._task_seconds,
        )  # fmt: skip


def _memory() -> int:
    return int(Path("/proc/self/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _free_disk() -> int:
    place = os.statvfs(".")
    return place.f_bavail * place.f_frsize
