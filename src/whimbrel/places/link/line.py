"""A channel over a link that may break at any moment: messages are packed, cut into frames, numbered, acknowledged, and
sent again until they were.

NATS hands a message on at most once, and forgets what nobody listened to. So the sender holds a frame until the
receiver has said that it came. Frames of one sender arrive in order while nothing breaks; after a break the sender
goes back to the first that was not acknowledged, and the receiver passes over what it has.
"""

import asyncio
import struct
from collections import deque
from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

from whimbrel.migrants.wire.channel import OtherEnd
from whimbrel.migrants.wire.messages import WireError
from whimbrel.places.link.gauge import LinkGauge
from whimbrel.places.link.packing import LARGEST_MESSAGE, Packing

HEAD = struct.Struct(">BQQ")
FRAME_BYTES = 128 << 10
WINDOW_BYTES = 4 << 20
ACKNOWLEDGE_BYTES = 512 << 10
ACKNOWLEDGE_SECONDS = 1.0
AGAIN_SECONDS = 15.0
FAREWELL_SECONDS = 5.0


class FrameKind(IntEnum):
    PART = 0  # more of the message follows
    LAST = 1
    END = 2  # nothing follows
    ACKNOWLEDGED = 3
    BACK = 4  # acknowledged, and the sender was away: what came meanwhile is lost
    CUT = 5  # the other end is given up


class LineFrame(NamedTuple):
    number: int
    data: bytes


class Line:
    """One end. `post` sends a frame if it can, and says nothing if not; `most` is the largest that the server takes.
    `gauge` hears how fast frames come in."""

    def __init__(
        self, post: Callable[[bytes], None], most: Callable[[], int], packing: Packing, gauge: LinkGauge | None = None
    ) -> None:
        self._gauge = gauge
        self._post = post
        self._most = most
        self._packing = packing
        self._loop = asyncio.get_running_loop()
        self._unacknowledged: deque[LineFrame] = deque()
        self._posted = 0  # how many of these were sent
        self._in_flight = 0
        self._number = 0
        self._expected = 1
        self._told = 0
        self._parts: list[bytes] = []
        self._parts_bytes = 0
        self._untold_bytes = 0
        self._messages: asyncio.Queue[bytes | WireError | None] = asyncio.Queue()
        self._ack_timer: asyncio.TimerHandle | None = None
        self._again_timer: asyncio.TimerHandle | None = None
        self._empty = asyncio.Event()
        self._empty.set()
        self._closed = False
        self.opened = False
        self.offered_bytes = 0
        self.sent_bytes = 0
        self.received_bytes = 0
        self._carried_bytes = 0

    # Going out.

    def send(self, message: bytes) -> None:
        if self._closed:
            return
        packed = self._packing.pack(message)
        if packed:
            self.offered_bytes += len(packed)
            self._cut_up(packed)

    def _cut_up(self, packed: bytes) -> None:
        room = min(FRAME_BYTES, self._most()) - HEAD.size
        for at in range(0, len(packed), room):
            kind = FrameKind.PART if at + room < len(packed) else FrameKind.LAST
            self._enqueue(kind, packed[at : at + room])

    def _enqueue(self, kind: FrameKind, data: bytes) -> None:
        self._number += 1
        self._unacknowledged.append(LineFrame(self._number, bytes([kind]) + data))
        self._empty.clear()
        self._pump()

    def open(self) -> None:
        """The other end is there: what waited goes out."""
        self.opened = True
        self._pump()

    def _pump(self) -> None:
        if not self.opened:
            return
        while self._posted < len(self._unacknowledged) and self._in_flight < WINDOW_BYTES:
            frame = self._unacknowledged[self._posted]
            self._posted += 1
            self._in_flight += len(frame.data)
            self._post_frame(FrameKind(frame.data[0]), frame.number, frame.data[1:])
        if self._unacknowledged and self._again_timer is None:
            self._again_timer = self._loop.call_later(AGAIN_SECONDS, self._again, self._unacknowledged[0].number)

    def _post_frame(self, kind: FrameKind, number: int, data: bytes = b"") -> None:
        self._told = self._expected - 1
        self._untold_bytes = 0
        if self._ack_timer is not None:
            self._ack_timer.cancel()
            self._ack_timer = None
        frame = HEAD.pack(kind, number, self._told) + data
        self.sent_bytes += len(frame)
        self._post(frame)

    def _again(self, oldest: int) -> None:
        """Nothing was acknowledged for long: whoever should have heard it was away."""
        self._again_timer = None
        if self._unacknowledged and self._unacknowledged[0].number == oldest:
            self._go_back()
        else:
            self._pump()

    def _go_back(self) -> None:
        self._posted = self._in_flight = 0
        self._pump()

    def back(self) -> None:
        """This end was away and is connected again."""
        if self.opened and not self._closed:
            self._post_frame(FrameKind.BACK, 0)
            self._go_back()
            self._interrupted()

    def _interrupted(self) -> None:
        if self._gauge is not None:
            self._gauge.interrupted()

    # Coming in.

    def arrived(self, frame: bytes) -> None:
        if len(frame) < HEAD.size or self._closed:
            return
        kind, number, acknowledged = HEAD.unpack_from(frame)
        self.received_bytes += len(frame)
        self._acknowledged(acknowledged)
        if kind == FrameKind.BACK:
            self._go_back()
            self._interrupted()
        elif kind == FrameKind.CUT:
            self._end(None)
        elif kind in (FrameKind.PART, FrameKind.LAST, FrameKind.END):
            self._carried_bytes += len(frame)
            if self._gauge is not None:
                self._gauge.frame(len(frame), kind == FrameKind.PART, self._loop.time())
            self._take(FrameKind(kind), number, frame[HEAD.size :])

    def _acknowledged(self, number: int) -> None:
        while self._unacknowledged and self._unacknowledged[0].number <= number:
            frame = self._unacknowledged.popleft()
            if self._posted:
                self._posted -= 1
                self._in_flight -= len(frame.data)
        if not self._unacknowledged:
            self._empty.set()
        self._pump()

    def _take(self, kind: FrameKind, number: int, data: bytes) -> None:
        if number == self._expected:
            self._expected += 1
            self._untold_bytes += len(data)
            self._put_together(kind, data)
        if self._untold_bytes >= ACKNOWLEDGE_BYTES or kind is FrameKind.END:
            self._post_frame(FrameKind.ACKNOWLEDGED, 0)
        elif self._ack_timer is None:
            self._ack_timer = self._loop.call_later(ACKNOWLEDGE_SECONDS, self._acknowledge)

    def _acknowledge(self) -> None:
        self._ack_timer = None
        if not self._closed:
            self._post_frame(FrameKind.ACKNOWLEDGED, 0)

    def _put_together(self, kind: FrameKind, data: bytes) -> None:
        if kind is FrameKind.END:
            return self._messages.put_nowait(None)
        self._parts.append(data)
        self._parts_bytes += len(data)
        if self._parts_bytes > LARGEST_MESSAGE:
            return self._end(WireError(f"a message of more than {LARGEST_MESSAGE >> 20} MiB"))
        if kind is FrameKind.LAST:
            whole, self._parts, self._parts_bytes = b"".join(self._parts), [], 0
            try:
                self._messages.put_nowait(self._packing.unpack(whole))
            except WireError as error:
                self._end(error)
        return None

    async def receive(self) -> bytes | None:
        message = await self._messages.get()
        if isinstance(message, WireError):
            raise message
        return message

    # The end.

    @property
    def closed(self) -> bool:
        return self._closed

    async def close(self) -> None:
        if not self._closed:
            self._enqueue(FrameKind.END, b"")
            try:
                await asyncio.wait_for(self._empty.wait(), FAREWELL_SECONDS)
            except TimeoutError:
                self._post_frame(FrameKind.CUT, 0)
        self._end(None)

    def cut(self) -> None:
        if not self._closed:
            self._post_frame(FrameKind.CUT, 0)
        self._end(None)

    def fail(self, why: str) -> None:
        """Whoever listens is told why nothing comes any more."""
        self._end(WireError(why))

    def _end(self, last: WireError | None) -> None:
        if self._closed:
            return
        self._closed = True
        for timer in (self._ack_timer, self._again_timer):
            if timer is not None:
                timer.cancel()
        self._unacknowledged.clear()
        self._empty.set()
        self._packing.close()
        self._messages.put_nowait(last)

    def peer(self) -> OtherEnd:
        return OtherEnd(carried_bytes=self._carried_bytes)

    def reads(self, key: int) -> None:
        """Nobody at the other end could see it."""
