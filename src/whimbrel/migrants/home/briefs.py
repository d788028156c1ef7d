"""What migrants are told of a run: at the places of others no secret of ours, and nothing that stands for one."""

from msgspec.structs import replace

from whimbrel.migrants.home.proxy import Proxy
from whimbrel.migrants.wire.itinerary import digest
from whimbrel.migrants.wire.messages import Brief


def for_places(brief: Brief) -> Brief:
    """Without passwords, cookies and the way through a proxy of ours, and without pages that only we were shown."""
    return replace(brief, fetch=replace(brief.fetch, sites=(), proxy=""), witnesses=[])


class Briefs:
    """The brief of a run as each migrant has it."""

    def __init__(self, brief: Brief) -> None:
        self._here = brief
        self._abroad = for_places(brief)
        self._digests: dict[tuple[bool, int], bytes] = {}

    @property
    def errand(self) -> str:
        """For which requests migrants are sent out."""
        return ", ".join(f"request {request.number}" for request in self._here.requests)

    def renew(self, brief: Brief) -> None:
        """Whoever comes from now on is told this one."""
        self._here, self._abroad, self._digests = brief, for_places(brief), {}

    def told(self, proxy: Proxy) -> Brief:
        return self._abroad if proxy.place.sites else self._here

    def digest(self, proxy: Proxy) -> bytes:
        """By which it knows that work is meant under that brief, as it was said to it."""
        said = bool(proxy.place.sites), proxy.speech.version
        if said not in self._digests:
            self._digests[said] = digest(proxy.speech.encode(self.told(proxy)))
        return self._digests[said]
