"""Migrants at the other end of pipes through which all is packed, as between two machines."""

from pathlib import Path

from msgspec.structs import replace
from packed_channel import PackedChannel
from piped import Piped, Pipes

from whimbrel.migrants.away.session import Session
from whimbrel.migrants.wire.channel import NO_RULES, Channel, HouseRules, Journey
from whimbrel.migrants.wire.packing.site import SitePacking


class PackedPipes(Pipes):
    """A carrier. The folders are those where home and the place hold what they have heard and said."""

    def __init__(
        self, home: Path | None = None, place: Path | None = None, cut_after: int = 0, house: HouseRules = NO_RULES
    ) -> None:
        super().__init__(cut_after)
        self._house = house
        self._home, self._place = home, place
        self.ends: list[PackedChannel] = []

    async def open(self, journey: Journey) -> Channel:  # type: ignore[override]
        ours = PackedChannel(await super().open(journey), SitePacking("home", self._home))
        self.ends.append(ours)
        return ours

    async def _migrate(self, channel: Piped, journey: Journey) -> None:
        packed = PackedChannel(channel, SitePacking("place", self._place))
        await Session(packed, replace(journey.passport, bare=True, house=self._house)).run()
        channel.cut()

    @property
    def up(self) -> int:
        return sum(end.received for end in self.ends)

    @property
    def down(self) -> int:
        return sum(end.sent for end in self.ends)
