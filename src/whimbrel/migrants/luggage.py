"""A migrant's queue while no process holds it: it lies in the folder, and outlasts home too."""

import time

import msgspec
from msgspec import Struct

from whimbrel.migrants import wire
from whimbrel.migrants.ledger import Ledger
from whimbrel.migrants.lifecycle import State
from whimbrel.migrants.places import Atlas, Place
from whimbrel.migrants.proxy import Proxy
from whimbrel.repository.contract import Lease, Roll
from whimbrel.repository.embedded.store import Store


class Saved(Struct, array_like=True):
    """A queue as it lies in the folder."""

    lanes: list[wire.Lane]
    leases: list[Lease]


_saved = msgspec.msgpack.Decoder(Saved)


def save(store: Store, proxy: Proxy) -> None:
    saved = Saved(proxy.luggage, list(proxy.leases.values()))
    store.roster.save(proxy.roll(time.time(), msgspec.msgpack.encode(saved)))


def lay_down(roll: Roll, store: Store, ledger: Ledger, atlas: Atlas) -> Proxy:
    """One that slept when home ended sleeps on; what it holds is not handed to others."""
    proxy = Proxy(roll.name, atlas.find(roll.place) or Place(), roll.parent, roll.born_at)
    proxy.birthplace = atlas.find(roll.birthplace) or Place()
    proxy.state, proxy.visits, proxy.received = State.ASLEEP, roll.visits, roll.received
    saved = _saved.decode(roll.luggage) if roll.luggage else Saved([], [])
    still_due = store.still_due(saved.leases)
    keys = {lease.key for lease in still_due}
    proxy.luggage = [
        msgspec.structs.replace(lane, tasks=[task for task in lane.tasks if task.key in keys]) for lane in saved.lanes
    ]
    ledger.reserve(proxy, still_due, proxy.luggage)
    return proxy
