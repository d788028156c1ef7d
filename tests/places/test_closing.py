"""A home that has nothing to do goes as soon as it came, at whatever moment of dialling that is."""

import asyncio
from pathlib import Path

from neighbours import PATIENCE, join

from whimbrel.places.home.keeper import Keeper

TURNS = 60


def test_a_connection_is_closed_at_every_moment_of_its_making(tmp_path: Path) -> None:
    """The client takes a cancelling in the midst of connecting for its own: whoever waited for its end did for ever."""
    join(tmp_path, tmp_path / "place")

    async def run() -> int:
        closed = 0
        first = Keeper(tmp_path)
        await first.open()
        await first.connected()
        for turns in range(TURNS):
            keeper = Keeper(tmp_path)
            await keeper.open()
            for _ in range(turns):
                await asyncio.sleep(0)
            await asyncio.wait_for(keeper.close(), PATIENCE)
            closed += 1
        await first.close()
        return closed

    assert asyncio.run(run()) == TURNS
