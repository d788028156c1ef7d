"""Turns host names into addresses, and remembers them for a while."""

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable

Lookup = Callable[[str], Awaitable[list[str]]]

EXPIRY_SECONDS = 300.0
FAILURE_EXPIRY_SECONDS = 15.0
TIMEOUT_SECONDS = 15.0


async def system_lookup(host: str) -> list[str]:
    """Asks the system's resolver, so that hosts files and search domains count as everywhere else."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


class NameResolver:
    """`resolve` gives an empty list where the name has no address; `reason` then says why.

    Questions for the same name share one lookup. Failures are remembered for a shorter time.
    """

    def __init__(
        self,
        lookup: Lookup = system_lookup,
        now: Callable[[], float] = time.monotonic,
        expiry_seconds: float = EXPIRY_SECONDS,
        failure_expiry_seconds: float = FAILURE_EXPIRY_SECONDS,
    ) -> None:
        self._lookup = lookup
        self._now = now
        self._expiry_seconds = expiry_seconds
        self._failure_expiry_seconds = failure_expiry_seconds
        self._known: dict[str, tuple[float, list[str], str]] = {}
        self._asking: dict[str, asyncio.Task[list[str]]] = {}

    async def resolve(self, host: str) -> list[str]:
        known = self._known.get(host)
        if known is not None and self._now() < known[0]:
            return known[1]
        task = self._asking.get(host)
        if task is None:
            task = asyncio.ensure_future(self._ask(host))
            self._asking[host] = task
        return await asyncio.shield(task)

    def expires_at(self, host: str) -> float:
        """By the resolver's clock; 0 for a name never asked for."""
        known = self._known.get(host)
        return known[0] if known else 0.0

    def reason(self, host: str) -> str:
        known = self._known.get(host)
        return known[2] if known else ""

    async def _ask(self, host: str) -> list[str]:
        addresses: list[str] = []
        reason = ""
        try:
            found = await asyncio.wait_for(self._lookup(host), TIMEOUT_SECONDS)
            addresses = list(dict.fromkeys(found))
            reason = "" if addresses else "the name has no address"
        except TimeoutError:
            reason = f"no answer within {TIMEOUT_SECONDS:.0f} s"
        except (OSError, UnicodeError) as error:  # getaddrinfo encodes the name and may refuse it
            reason = str(error)
        finally:
            del self._asking[host]
        lasts = self._expiry_seconds if addresses else self._failure_expiry_seconds
        self._known[host] = (self._now() + lasts, addresses, reason)
        return addresses
