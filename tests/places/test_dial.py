"""What a connection makes of a server that is not there."""

import asyncio

from neighbours import PATIENCE, until

from whimbrel.places.link.dial import Dial, ServerAddress
from whimbrel.places.link.keys import KeyRole, fresh

SOON = 2
"""So many attempts at the most, before it is said what is wrong."""


def test_where_nobody_listens_it_is_said_at_once() -> None:
    met = 0

    async def refuse(*args: object, **options: object) -> None:
        nonlocal met
        met += 1
        raise ConnectionRefusedError

    async def run() -> None:
        asyncio.get_running_loop().create_connection = refuse  # type: ignore[assignment,method-assign]
        dial = Dial(ServerAddress(("127.0.0.1:4222",)), fresh(KeyRole.USER), lambda: "", "test")
        dial.start()
        await until(lambda: dial.fault or met > SOON)
        await dial.close()
        assert dial.fault.startswith("no server answers at 127.0.0.1:4222")
        assert met <= SOON

    asyncio.run(asyncio.wait_for(run(), PATIENCE))
