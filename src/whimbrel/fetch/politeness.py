"""Decides when a host may be asked again. Time is always an argument, in seconds of one steady clock."""

from math import inf, isfinite

from msgspec import Struct
from msgspec.structs import replace

STRETCH = 2.0
STRETCH_CAP_SECONDS = 30.0
BACKOFF_FLOOR_SECONDS = 5.0
BACKOFF_CAP_SECONDS = 15 * 60.0
RETRY_AFTER_CAP_SECONDS = 86_400.0


class PolitenessSettings(Struct, frozen=True, array_like=True):
    """`delay_given` tells a delay the user asked for from the default one. Nothing goes below `least_seconds`."""

    delay_seconds: float = 1.0
    delay_given: bool = False
    address_delay_seconds: float = 0.5
    loopback_connections: int = 32
    crawl_delay_cap_seconds: float = 60.0
    least_seconds: float = 0.0


def under_owner(settings: PolitenessSettings, site_delay: float | None, owner_delay: float) -> PolitenessSettings:
    """The settings for a host, on the machine of its owner, who allows a request every `owner_delay` seconds (0: nobody
    said). That takes the place of what is usual towards strangers, also for the address, not of what a user gave."""
    given = settings.delay_seconds if site_delay is None and settings.delay_given else site_delay
    if given is None and not owner_delay:
        return settings
    address = min(owner_delay or inf, settings.address_delay_seconds)
    return replace(
        settings, delay_seconds=max(given or 0.0, owner_delay), delay_given=True, address_delay_seconds=address,
        least_seconds=owner_delay,
    )  # fmt: skip


def effective_delay(settings: PolitenessSettings, crawl_delay: float | None, loopback: bool) -> tuple[float, str]:
    """The seconds between two request starts to a host, and in words where they come from."""
    if loopback:
        if settings.delay_given and settings.delay_seconds > 0:
            return settings.delay_seconds, f"delay of {settings.delay_seconds:g} s as given, on loopback"
        return 0.0, "no delay on loopback"
    if crawl_delay is not None and crawl_delay >= settings.least_seconds:
        cap = settings.crawl_delay_cap_seconds
        if crawl_delay > cap:
            return cap, f"Crawl-delay of {crawl_delay:g} s in robots.txt, clamped at {cap:g} s"
        return crawl_delay, f"Crawl-delay of {crawl_delay:g} s in robots.txt"
    origin = "as given" if settings.delay_given else "by default"
    return settings.delay_seconds, f"delay of {settings.delay_seconds:g} s {origin}"


class Courtesy:
    """What we owe one host. Invariant: the host meets two requests never closer than `delay_seconds`, nor more than
    `connections` at once, and none starts before a hold has passed. `_met_at` is when it met the last one."""

    __slots__ = (
        "_held_until",
        "_loopback",
        "_met_at",
        "_next_start",
        "_quickest",
        "_settings",
        "_share",
        "_strikes",
        "connections",
        "delay_reason",
        "delay_seconds",
        "in_use",
    )

    def __init__(self, settings: PolitenessSettings, loopback: bool = False, crawl_delay: float | None = None) -> None:
        self._settings = settings
        self._loopback = loopback
        self._next_start = -inf
        self._met_at = -inf
        self._quickest = inf
        self._held_until = -inf
        self._strikes = 0
        self._share = (1, 1)
        self.in_use = 0
        self.learn(crawl_delay)

    def learn(self, crawl_delay: float | None) -> None:
        """Takes over what robots.txt says, once it is known; the wait after the last start follows it."""
        self.delay_seconds, self.delay_reason = effective_delay(self._settings, crawl_delay, self._loopback)
        self._allow()
        self._next_start = max(self._next_start, self._met_at + self.delay_seconds)

    def share(self, part: int, whole: int) -> None:
        """The host is asked by others too: of what it allows, this part is ours."""
        self._share = (part, whole)
        self._allow()

    def _allow(self) -> None:
        several = self._loopback and self.delay_seconds == 0
        part, whole = self._share
        self.connections = max(1, self._settings.loopback_connections * part // whole) if several else 1

    def ready_at(self) -> float:
        """When spacing and holds allow the next start; a request under way may still stand before it."""
        return max(self._next_start, self._held_until)

    def free(self, now: float) -> bool:
        return self.in_use < self.connections and now >= self._next_start and now >= self._held_until

    def started(self, now: float) -> None:
        self.in_use += 1
        self._met_at = now
        self._next_start = max(self._next_start, now + self.delay_seconds)

    def sent(self, now: float) -> None:
        """The request leaves only now: others' pages were read since its turn came."""
        self._met_at = now
        self._next_start = max(self._next_start, now + self.delay_seconds)

    def finished(self, now: float, elapsed: float) -> None:
        """A host that answers slowly is asked less often: no sooner than twice its response time.

        The host may have met a request any time before its answer: connecting, a busy machine, a slow network all
        take their part. What an answer took beyond the quickest one counts as that, so the next request waits for it
        too; of the first answer, and on loopback, where the way takes no time, all of it.
        """
        self.in_use -= 1
        known, self._quickest = self._quickest < inf, min(self._quickest, elapsed)
        self._met_at = now - (self._quickest if known and not self._loopback else 0.0)
        self._next_start = max(self._next_start, self._met_at + self.delay_seconds)
        if not self._loopback:
            stretched = min(STRETCH * elapsed, STRETCH_CAP_SECONDS)
            self._next_start = max(self._next_start, now - elapsed + stretched)

    def hold(self, until: float) -> None:
        self._held_until = max(self._held_until, until)

    def backoff(self, now: float, retry_after: float | None) -> float:
        """Holds the host after a 429 or 503 and gives the seconds it is held for.

        Answers to requests that were under way when the hold began are the same complaint, not a new one.
        """
        if now >= self._held_until or self._strikes == 0:
            self._strikes += 1
        first = max(STRETCH * self.delay_seconds, BACKOFF_FLOOR_SECONDS)
        wait = min(first * 2.0 ** min(self._strikes - 1, 16), BACKOFF_CAP_SECONDS)
        if retry_after is not None:
            asked = min(max(retry_after, 0.0), RETRY_AFTER_CAP_SECONDS)
            wait = asked if self._strikes == 1 else max(asked, wait)
        self.hold(now + wait)
        return wait

    @property
    def strikes(self) -> int:
        """Complaints in a row."""
        return self._strikes

    def resume(self, strikes: int) -> None:
        """Takes over what another migrant knew of the host's complaints."""
        self._strikes = max(self._strikes, strikes)

    def recovered(self) -> None:
        """The host answered well again: the next complaint counts as the first."""
        self._strikes = 0


class AddressBook:
    """Spaces requests to one address, whatever the host is called."""

    __slots__ = ("_delay_seconds", "_next_start")

    def __init__(self, settings: PolitenessSettings) -> None:
        self._delay_seconds = settings.address_delay_seconds
        self._next_start: dict[str, float] = {}

    def ready_at(self, address: str) -> float:
        return self._next_start.get(address, -inf)

    def free(self, address: str, now: float) -> bool:
        return now >= self._next_start.get(address, -inf)

    def started(self, address: str, now: float, loopback: bool) -> None:
        if not loopback:
            self._next_start[address] = now + self._delay_seconds

    def forget_past(self, now: float) -> None:
        self._next_start = {address: at for address, at in self._next_start.items() if at > now}


def retry_after(headers: dict[str, str], now: float) -> float | None:
    """Seconds from `now` (Unix time); None where the header is absent or says nothing."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value[:12])
    if not value:
        return None
    # Imported here: it brings half of `email` along, and few hosts name a date.
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(value).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return max(0.0, moment - now) if isfinite(moment) else None
