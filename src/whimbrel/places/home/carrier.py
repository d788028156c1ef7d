"""Brings migrants to their places: to those that joined over the link, to all others as processes of this machine."""

from whimbrel.migrants.home.places import MigrantPlace
from whimbrel.migrants.wire.channel import Carrier, Channel, Journey
from whimbrel.migrants.wire.local import Local
from whimbrel.places.home.keeper import Keeper

PATIENCE_SECONDS = 600.0
"""A link may be cut for some minutes without anybody having to begin anew."""


class PlacesCarrier:
    """Open while a crawl runs."""

    def __init__(self, keeper: Keeper, near: Carrier | None = None) -> None:
        self.keeper = keeper
        self._near = near or Local()
        self._names = {place.name for place in keeper.places}

    async def open(self, journey: Journey) -> Channel:
        if journey.place not in self._names:
            return await self._near.open(journey)
        return self.keeper.call(journey.place, journey.passport.name)

    def places(self) -> tuple[MigrantPlace, ...]:
        return tuple(
            MigrantPlace(place.name, sites=tuple(place.sites), patience_seconds=PATIENCE_SECONDS)
            for place in self.keeper.places
        )
