"""Fetches one URL: vets where it leads, asks, and gives back what the server said."""

from __future__ import annotations

import asyncio
import math
import time

import pycurl
from msgspec import Struct

from whimbrel.fetch.cookies import given_in
from whimbrel.fetch.credentials import NOTHING, Credentials, Proof, Wallet
from whimbrel.fetch.curl import CurlLoop
from whimbrel.fetch.dns import NameResolver
from whimbrel.fetch.errors import failure_of, one_line
from whimbrel.fetch.guard import AddressGuard, parse_address
from whimbrel.fetch.request import FORM_TYPE, conditions, header_lines, host_of, request_head
from whimbrel.fetch.settings import FetchSettings
from whimbrel.fetch.transfer import UNFINISHED, Transfer, finish
from whimbrel.records.response import Failure, FailureKind, Response
from whimbrel.records.task import NO_VALIDATORS, Validators
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict

__all__ = ["FetchSettings", "Fetcher"]

IDLE_HANDLES = 256
CONNECTIONS = 256
ROUTES = 65536
ADDRESSES_TRIED = 4
DRESSES = 1024


class Route(Struct, frozen=True):
    """Where a host may be reached, for as long as the name's answer holds."""

    addresses: tuple[str, ...]
    pinned: bool
    expires_at: float


class Dress(Struct, frozen=True):
    """The headers of a request as they are sent (one list, so that curl is told once) and as they are kept."""

    headers: list[str]
    shown: str
    proof: Proof
    entering: Credentials | None = None
    anonymous: bool = False


class Fetcher:
    """Takes many fetches at a time. A redirect comes back as a `Response`: following it is not decided here."""

    def __init__(self, settings: FetchSettings, guard: AddressGuard, resolver: NameResolver) -> None:
        self._settings = settings
        self._guard = guard
        self._resolver = resolver
        self._routes: dict[str, Route] = {}
        self._engine: CurlLoop | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._idle: list[Transfer] = []
        self._busy: set[Transfer] = set()
        self._wallet = Wallet(settings.sites)
        self._dresses: dict[Proof, Dress] = {}
        self._doors = any(site.login is not None for site in settings.sites)

    async def fetch(
        self, url: Url, validators: Validators = NO_VALIDATORS, *, any_type: bool = False, anonymous: bool = False,
        form: bytes | None = None, entering: Credentials | None = None,
    ) -> Response | Failure | Verdict:  # fmt: skip
        """`anonymous` leaves credentials out also where they are meant for the URL. `form` is posted. An answer on
        the way in, `entering` by a door, comes as it is, for it is not to be kept, and all its cookies count."""
        authority = url.split("/", 3)[2]
        route = self._routes.get(authority)
        if route is None or route.expires_at < time.monotonic():
            found = await self._find_route(authority)
            if not isinstance(found, Route):
                return found
            route = found
        extra = conditions(validators) if validators != NO_VALIDATORS else []
        extra += [FORM_TYPE] if form is not None else []
        dress = self._dress_for(url, anonymous, entering)
        for address in route.addresses[:-1]:
            outcome = await self._ask(url, address, route.pinned, dress, extra, any_type, form)
            if outcome is not None:
                return outcome
        outcome = await self._ask(url, route.addresses[-1], route.pinned, dress, extra, any_type, form, last=True)
        assert outcome is not None
        return outcome

    def proof(self, url: Url) -> Proof:
        """What is sent with a request for this URL."""
        return self._wallet.proof(url)

    def door(self, url: Url) -> Credentials | None:
        """The site of this URL, where a login lets us in."""
        return self._wallet.door(url) if self._doors else None

    def leave(self, door: Credentials) -> None:
        """From now on we come to this site as strangers."""
        self._wallet.leave(door)

    def is_inside(self, door: Credentials) -> bool:
        return self._wallet.inside(door)

    def _dress_for(self, url: Url, anonymous: bool, entering: Credentials | None) -> Dress:
        if entering is not None:
            proof = self._wallet.entering(url, entering)
            return Dress(*header_lines(self._settings, proof), proof, entering)
        if anonymous:
            return Dress(*header_lines(self._settings, NOTHING), NOTHING, anonymous=True)
        return self._dress(self._wallet.proof(url))

    def _dress(self, proof: Proof) -> Dress:
        dress = self._dresses.get(proof)
        if dress is None:
            if len(self._dresses) >= DRESSES:
                self._dresses.clear()
            dress = self._dresses[proof] = Dress(*header_lines(self._settings, proof), proof)
        return dress

    async def close(self) -> None:
        engine, self._engine = self._engine, None
        if engine is None:
            return
        for transfer in self._busy:
            if transfer.code == UNFINISHED:
                engine.abandon(transfer.curl)
                finish(transfer.curl, pycurl.E_ABORTED_BY_CALLBACK, "the fetcher was closed")
        engine.close()
        for transfer in self._idle:
            transfer.curl.close()
        self._idle.clear()

    async def _find_route(self, authority: str) -> Route | Failure | Verdict:
        host = host_of(authority)
        literal = parse_address(host) is not None
        addresses = [host] if literal else await self._resolver.resolve(host)
        proxied = bool(self._settings.proxy)
        if not addresses and not proxied:
            return Failure(FailureKind.DNS, one_line(f"cannot resolve {host}: {self._resolver.reason(host)}"))
        verdicts = [self._guard.judge(host, address) for address in addresses]
        allowed = [a for a, verdict in zip(addresses, verdicts, strict=True) if verdict.accepted]
        if addresses and not allowed:
            return verdicts[0]
        route = Route(
            # A proxy connects on its own; the name was vetted as far as it can be from here.
            addresses=("",) if proxied else tuple(allowed[:ADDRESSES_TRIED]),
            pinned=not literal and not proxied,
            expires_at=math.inf if literal else self._resolver.expires_at(host),
        )
        if len(self._routes) >= ROUTES:
            self._routes.clear()
        self._routes[authority] = route
        return route

    async def _ask(
        self, url: Url, address: str, pinned: bool, dress: Dress, extra: list[str], any_type: bool,
        form: bytes | None, last: bool = False,
    ) -> Response | Failure | Verdict | None:  # fmt: skip
        """None where nobody answers at this address and it is not the last to try."""
        loop, engine = self._loop, self._engine
        if loop is None or engine is None:
            loop, engine = self._start()
        transfer = self._idle.pop() if self._idle else Transfer(self._settings, engine.opened)
        try:
            transfer.begin(url, address, pinned, dress.headers + extra if extra else dress.headers, any_type, form)
        except (pycurl.error, UnicodeError) as error:
            return Failure(FailureKind.PROTOCOL, one_line(f"curl refuses the URL: {error}"))
        self._busy.add(transfer)
        done = transfer.done = loop.create_future()
        started = time.perf_counter()
        engine.start(transfer.curl)
        try:
            await done
            if transfer.code and form is None and transfer.found_closed():
                # A GET may be sent again (RFC 9110 §9.2.2), and on a connection of its own nobody can have closed it.
                done = transfer.send_afresh(loop.create_future())
                engine.start(transfer.curl)
                await done
            if transfer.code and not last and transfer.unreached():
                return None
            return self._outcome(transfer, url, dress, extra, time.perf_counter() - started)
        finally:
            if transfer.code == UNFINISHED:  # cancelled from outside
                engine.abandon(transfer.curl)
            self._put_back(transfer, engine)

    def _start(self) -> tuple[asyncio.AbstractEventLoop, CurlLoop]:
        self._loop = asyncio.get_running_loop()
        self._engine = CurlLoop(self._loop, CONNECTIONS, finish, sticky=not self._settings.proxy)
        return self._loop, self._engine

    def _outcome(
        self, transfer: Transfer, url: Url, dress: Dress, extra: list[str], elapsed_seconds: float
    ) -> Response | Failure | Verdict:
        partial = transfer.code == pycurl.E_PARTIAL_FILE
        if (transfer.code == 0 or partial) and transfer.head is None:
            transfer.read_head()
        if transfer.outcome is not None:
            return transfer.outcome
        if partial:
            if (cut := transfer.cut_short()) is not None:
                return cut
        elif transfer.code:
            return failure_of(transfer.code, transfer.message, bool(self._settings.proxy))
        head = transfer.head
        assert head is not None
        raw = transfer.raw()
        body = raw if transfer.decoder is None else transfer.decoder.finish()
        if isinstance(body, Failure):
            if not partial:
                return body
            body = b""  # of an error or a redirect, which its header tells
        text, headers = head.text, head.headers
        # What a stranger is given would take the place of the session that we have.
        door = None if dress.anonymous else dress.entering or self.door(url)
        if door is not None:
            path = url[url.index("/", 8) :].partition("?")[0]
            given = given_in(text, host_of(url.split("/", 3)[2]), path, time.time())
            self._wallet.take(door, given, known_only=dress.entering is None)
        if dress.proof.private and dress.entering is None:
            text, raw, body = self._wallet.blacked_out(url, text, raw, body)
            headers = {name: self._wallet.without_secrets(url, value) for name, value in headers.items()}
        return Response(
            url,
            head.status,
            headers,
            text,
            raw,
            body,
            request_head(url, dress.shown, extra),
            head.protocol,
            transfer.address,
            elapsed_seconds,
            dress.proof.private,
        )

    def _put_back(self, transfer: Transfer, engine: CurlLoop) -> None:
        self._busy.discard(transfer)
        transfer.clear()
        if engine is self._engine and len(self._idle) < IDLE_HANDLES:
            self._idle.append(transfer)
        else:
            transfer.curl.close()
