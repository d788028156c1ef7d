"""A migrant's queue while no process holds it: it lies in the folder, and outlasts home too."""

import msgspec
from msgspec import Struct

from whimbrel.migrants.clock import Clock
from whimbrel.migrants.home.ledger import Ledger
from whimbrel.migrants.home.lifecycle import MigrantState
from whimbrel.migrants.home.places import Atlas, MigrantPlace
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.migrants.wire import messages as wire
from whimbrel.repository.contract import Lease, Roll
from whimbrel.repository.port.writer import Writer


class Saved(Struct, array_like=True):
    """A queue as it lies in the folder."""

    lanes: list[wire.LaneWork]
    leases: list[Lease]


_saved = msgspec.msgpack.Decoder(Saved)


def save(store: Writer, proxy: Proxy, now: float) -> None:
    saved = Saved(proxy.luggage, list(proxy.leases.values()))
    store.roster.save(proxy.roll(now, msgspec.msgpack.encode(saved)))


def lay_down(roll: Roll, store: Writer, ledger: Ledger, atlas: Atlas, clock: Clock) -> Proxy:
    """One that slept when home ended sleeps on; what it holds is not handed to others."""
    proxy = Proxy(roll.name, atlas.find(roll.place) or MigrantPlace(), roll.parent, roll.born_at, clock)
    proxy.birthplace = atlas.find(roll.birthplace) or MigrantPlace()
    proxy.state, proxy.visits, proxy.received = MigrantState.ASLEEP, roll.visits, roll.received
    saved = _saved.decode(roll.luggage) if roll.luggage else Saved([], [])
    still_due = store.still_due(saved.leases)
    keys = {lease.key for lease in still_due}
    proxy.luggage = [
        msgspec.structs.replace(lane, tasks=[task for task in lane.tasks if task.key in keys]) for lane in saved.lanes
    ]
    ledger.hands.reserve(proxy, still_due, proxy.luggage)
    return proxy
