"""A link between two network namespaces, made by a program: packets go in at one end and come out at the other, later,
no faster than the link carries, or not at all while it is cut. What came out is counted, heads of IP and TCP too.

Kernels without `netem` cannot delay, and a proxy would make two connections of one: here handshakes, windows and lost
packets cost what they cost on a long way.

    python -m whimbrel.bench.link PID DEVICE PID DEVICE     # a process in each namespace

It hears lines of JSON: `{"delay": seconds, "rate": bits a second, "cut": bool}`; each is answered by the bytes that
crossed since the line before: forth, back, and those of both that belong to the web. It ends with its input.
"""

import ctypes
import fcntl
import json
import os
import select
import struct
import sys
import time
from collections import deque
from pathlib import Path

_TUNSETIFF, _TUN_WITHOUT_HEAD = 0x400454CA, 0x0001 | 0x1000
_CLONE_NEWNET = 0x40000000
_TCP = 6
WEB_PORT = 80
LARGEST_PACKET = 1 << 16
ROOM_SECONDS = 0.25
"""So much waits before the narrow part: what comes beyond is lost, as in any router."""
LEAST_ROOM = 64 << 10


class Way:
    """One direction. A packet leaves when those before it have, and arrives `delay` later."""

    def __init__(self) -> None:
        self._under_way: deque[tuple[float, bytes]] = deque()
        self._busy_until = 0.0
        self.crossed = 0
        self.web = 0

    def put(self, packet: bytes, now: float, delay: float, rate: float) -> None:
        room = max(ROOM_SECONDS, 8 * LEAST_ROOM / rate) if rate else 0.0
        if rate and self._busy_until - now > room:
            return
        self._busy_until = max(now, self._busy_until) + (8 * len(packet) / rate if rate else 0.0)
        self._under_way.append((self._busy_until + delay, packet))

    def arrived(self, now: float) -> list[bytes]:
        found = []
        while self._under_way and self._under_way[0][0] <= now:
            found.append(self._under_way.popleft()[1])
        self.crossed += sum(map(len, found))
        self.web += sum(len(packet) for packet in found if WEB_PORT in _ports(packet))
        return found

    def wait(self, now: float) -> float | None:
        """Seconds until the next one arrives."""
        return max(0.0, self._under_way[0][0] - now) if self._under_way else None

    def lose(self) -> None:
        self._under_way.clear()


def device_in(pid: int, name: str) -> int:
    """A TUN device in the namespace of a process; this one is in it, too, afterwards."""
    with Path(f"/proc/{pid}/ns/net").open("rb") as namespace:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.setns(namespace.fileno(), _CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"the namespace of {pid} cannot be entered")
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH", name.encode(), _TUN_WITHOUT_HEAD))
    return device


def hand_on(ends: tuple[int, int]) -> None:
    forth, back = Way(), Way()
    ways = {ends[0]: (forth, ends[1]), ends[1]: (back, ends[0])}
    delay = rate = 0.0
    cut, said = False, b""
    while True:
        now = time.monotonic()
        waits = [wait for way in (forth, back) if (wait := way.wait(now)) is not None]
        ready = select.select((*ends, 0), (), (), min(waits, default=None))[0]
        now = time.monotonic()
        for end in ends:
            way, to = ways[end]
            if end in ready:
                for packet in _waiting(end):
                    if not cut:
                        way.put(packet, now, delay, rate)
            for packet in way.arrived(now):
                _write(to, packet)
        if 0 in ready:
            heard = os.read(0, 4096)
            if not heard:
                return
            *lines, said = (said + heard).split(b"\n")
            for line in lines:
                wanted = json.loads(line)
                delay, rate = wanted.get("delay", delay), wanted.get("rate", rate)
                cut = wanted.get("cut", cut)
                if cut:
                    forth.lose()
                    back.lose()
                answer = {"forth": forth.crossed, "back": back.crossed, "web": forth.web + back.web}
                print(json.dumps(answer), flush=True)
                forth.crossed = back.crossed = forth.web = back.web = 0


def _ports(packet: bytes) -> tuple[int, ...]:
    """Of a TCP packet over IPv4."""
    if len(packet) < 20 or packet[0] >> 4 != 4 or packet[9] != _TCP:
        return ()
    at = 4 * (packet[0] & 15)
    return struct.unpack_from(">HH", packet, at) if len(packet) >= at + 4 else ()


def _waiting(device: int, most: int = 64) -> list[bytes]:
    packets = []
    for _ in range(most):
        try:
            packets.append(os.read(device, LARGEST_PACKET))
        except BlockingIOError:
            break
    return packets


def _write(device: int, packet: bytes) -> None:
    try:
        os.write(device, packet)
    except OSError:  # the device is not up yet, or its queue is full: lost, as anywhere
        return


if __name__ == "__main__":
    first, there, second, here = sys.argv[1:]
    both = device_in(int(first), there), device_in(int(second), here)
    print("{}", flush=True)
    hand_on(both)
