"""What a person asks of migrants by hand, until it is answered."""

import asyncio
from typing import NamedTuple

from whimbrel.migrants.home.lifecycle import Verb
from whimbrel.migrants.home.places import Atlas, MigrantPlace
from whimbrel.migrants.home.proxy import Proxy


class OrderRefused(Exception):
    """What was asked for by hand cannot be done; the message says why."""


class MigrantOrder(NamedTuple):
    """A verb for one migrant, and where the answer goes."""

    verb: Verb
    name: str
    place: str
    answer: "asyncio.Future[str]"

    def done(self, words: str) -> None:
        if not self.answer.done():
            self.answer.set_result(words)

    def refuse(self, words: str) -> None:
        if not self.answer.done():
            self.answer.set_exception(OrderRefused(words))

    def fault(self, atlas: Atlas) -> str:
        """What is wrong with the place it names; empty where nothing is."""
        if not self.place:
            return "say where to: --to PLACE" if self.verb is Verb.DISPATCH else ""
        place = atlas.find(self.place)
        if place is None:
            return f"there is no place `{self.place}`; there are: {', '.join(atlas.names)}"
        return place.fault()

    def destination(self, proxy: Proxy, atlas: Atlas) -> MigrantPlace:
        """Where the migrant goes: home again, to the place named, or nowhere."""
        if self.verb is Verb.RETRACT:
            return proxy.birthplace
        return (atlas.find(self.place) if self.place else None) or proxy.place
