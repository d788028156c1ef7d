"""A line over a link that loses, doubles and breaks: messages arrive whole, in order and once."""

import asyncio
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whimbrel.migrants.wire.messages import WireError
from whimbrel.places.link import line as lines
from whimbrel.places.link.line import Line


class Plain:
    """Messages as they are; one that begins with ! cannot be unpacked."""

    def pack(self, message: bytes) -> bytes:
        return message

    def unpack(self, packed: bytes) -> bytes:
        if packed.startswith(b"!"):
            raise WireError("a bomb")
        return packed

    def close(self) -> None:
        """It holds nothing."""


class BadLink:
    """Two ends; while it is down everything is lost, and some frames come twice."""

    def __init__(self, chance: random.Random, most: int) -> None:
        self._chance = chance
        self.up = True
        self.largest = 0
        self.here = Line(self._to(lambda: self.there), lambda: most, Plain())
        self.there = Line(self._to(lambda: self.here), lambda: most, Plain())
        self.here.open()
        self.there.open()

    def _to(self, other: "Callable[[], Line]") -> "Callable[[bytes], None]":
        loop = asyncio.get_running_loop()

        def post(frame: bytes) -> None:
            self.largest = max(self.largest, len(frame))
            if self.up:
                for _ in range(1 + (self._chance.random() < 0.1)):
                    loop.call_soon(lambda: other().arrived(frame))

        return post

    def heal(self) -> None:
        self.up = True
        self.here.back()
        self.there.back()


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.binary(max_size=400).filter(lambda one: one[:1] not in (b"!", b"")), max_size=40), st.integers(0, 999)
)
def test_messages_arrive_whole_in_order_and_once(messages: list[bytes], seed: int) -> None:
    async def run() -> list[bytes]:
        chance = random.Random(seed)
        link = BadLink(chance, 100)
        for message in messages:
            link.up = chance.random() < 0.7
            link.here.send(message)
            await asyncio.sleep(0)
        link.heal()
        got = [await asyncio.wait_for(link.there.receive(), 300) for _ in messages]
        assert link.largest <= 100
        link.here.cut()
        assert await link.there.receive() is None
        return [one for one in got if one is not None]

    assert asyncio.run(run()) == messages


def test_the_end_comes_after_everything_else() -> None:
    async def run() -> None:
        link = BadLink(random.Random(1), 100)
        link.here.send(b"last" * 100)
        await link.here.close()
        assert await link.there.receive() == b"last" * 100
        assert await link.there.receive() is None
        assert link.here.closed

    asyncio.run(run())


def test_what_cannot_be_unpacked_ends_the_line_and_says_so() -> None:
    async def run() -> None:
        link = BadLink(random.Random(1), 100)
        link.here.send(b"!bomb")
        with pytest.raises(WireError, match="bomb"):
            await link.there.receive()
        assert link.there.closed

    asyncio.run(run())


def test_a_message_that_never_ends_is_not_gathered_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LARGEST_MESSAGE", 10_000)

    async def run() -> None:
        link = BadLink(random.Random(1), 100)
        link.here.send(b"x" * 20_000)
        with pytest.raises(WireError, match="more than"):
            await link.there.receive()

    asyncio.run(run())


def test_nonsense_on_a_line_does_no_harm() -> None:
    async def run() -> None:
        link = BadLink(random.Random(1), 100)
        for frame in (b"", b"\xff", b"\xff" * 100, lines.HEAD.pack(1, 77, 0) + b"not the next"):
            link.there.arrived(frame)
        link.here.send(b"good")
        assert await link.there.receive() == b"good"

    asyncio.run(run())
