"""One reusable curl handle and what is arriving on it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import pycurl

from whimbrel.fetch.decode import Decoder, decoder_for
from whimbrel.fetch.guard import parse_address
from whimbrel.fetch.head import Head, read_head
from whimbrel.fetch.settings import FetchSettings
from whimbrel.fetch.trust import trusted
from whimbrel.records.response import Failure, FailureKind
from whimbrel.records.verdict import Verdict, refused

BUFFER_BYTES = 256 << 10
STALL_BYTES_A_SECOND = 100
SUPPRESS_CONNECT_HEADERS = 265  # pycurl has no name for it
UNFINISHED = -1
REMOVED_BY_CURL = frozenset({"chunked", "identity", ""})
ABORT = 0
"""A write callback that took fewer bytes than it was given ends the transfer."""


class Transfer:
    """Made once, used for many requests: only what differs from the request before is set again.

    `outcome` is set when the answer was refused or went wrong before its end.
    """

    __slots__ = (
        "address",
        "afresh",
        "any_type",
        "chunks",
        "code",
        "curl",
        "decoder",
        "done",
        "head",
        "lines",
        "message",
        "opened",
        "opening",
        "outcome",
        "pin",
        "posted",
        "request_headers",
        "settings",
    )

    def __init__(self, settings: FetchSettings, opened: Callable[[int], None]) -> None:
        self.settings = settings
        self.opened = opened
        self.opening: socket.socket | None = None
        self.lines: list[bytes] = []
        self.chunks: list[bytes] = []
        self.head: Head | None = None
        self.decoder: Decoder | None = None
        self.outcome: Failure | Verdict | None = None
        self.done: asyncio.Future[None] | None = None
        self.code = UNFINISHED
        self.message = ""
        self.any_type = False
        self.afresh = False
        self.address = ""
        self.pin = ""
        self.posted = False
        self.request_headers: list[str] = []
        self.curl: Any = pycurl.Curl()
        self.curl.transfer = self
        self.curl.setopt(pycurl.HEADERFUNCTION, self.lines.append)
        self.curl.setopt(pycurl.WRITEFUNCTION, self.take)
        self.curl.setopt(pycurl.SOCKOPTFUNCTION, self.socket_opened)
        if not settings.proxy:
            self.curl.setopt(pycurl.OPENSOCKETFUNCTION, self.open_socket)
        set_limits(self.curl, settings)
        set_protocols(self.curl, settings)
        set_trust(self.curl, settings)

    def begin(
        self, url: str, address: str, pinned: bool, headers: list[str], any_type: bool, form: bytes | None = None
    ) -> None:
        self.curl.setopt(pycurl.URL, url)
        if form is not None:
            self.curl.setopt(pycurl.POSTFIELDS, form)
        elif self.posted:
            self.curl.setopt(pycurl.HTTPGET, 1)
        self.posted = form is not None
        self.address = address
        self.any_type = any_type
        if self.afresh:
            self.curl.setopt(pycurl.FRESH_CONNECT, 0)
            self.afresh = False
        pin = address if pinned else ""
        if pin != self.pin:
            self._set_pin(pin)
        if headers is not self.request_headers:
            self.curl.setopt(pycurl.HTTPHEADER, headers)
            self.request_headers = headers

    def _set_pin(self, pin: str) -> None:
        """Whatever name the URL holds, the connection goes to the vetted address; the port stays."""
        self.pin = pin
        if not pin:
            self.curl.unsetopt(pycurl.CONNECT_TO)
        else:
            self.curl.setopt(pycurl.CONNECT_TO, [f"::[{pin}]:" if ":" in pin else f"::{pin}:"])

    def clear(self) -> None:
        self.lines.clear()
        self.chunks = []
        self.head = self.decoder = self.outcome = self.done = None
        self.code = UNFINISHED
        self.message = ""

    def open_socket(self, _purpose: int, target: Any) -> Any:
        """The last check before packets leave: curl must be going where it was told to."""
        if parse_address(_text(target.addr[0])) != parse_address(self.address):
            self.outcome = refused("address", f"curl was about to connect to {target.addr[0]!r}")
            return pycurl.SOCKET_BAD
        self.opening = socket.socket(target.family, target.socktype, target.protocol)
        return self.opening

    def socket_opened(self, fd: int, _purpose: int) -> int:
        """pycurl gives curl a duplicate of the socket; ours is not needed any longer."""
        if self.opening is not None:
            self.opening.close()
            self.opening = None
        self.opened(fd)
        return int(pycurl.SOCKOPT_OK)

    def take(self, chunk: bytes) -> int | None:
        if self.head is None and not self.read_head():
            return ABORT
        self.chunks.append(chunk)
        if self.decoder is not None:
            self.outcome = self.decoder.feed(chunk)
            if self.outcome is not None:
                return ABORT
        return None

    def unreached(self) -> bool:
        """Nobody answered at this address; the host may have another."""
        if self.code == pycurl.E_OPERATION_TIMEDOUT:
            return float(self.curl.getinfo(pycurl.CONNECT_TIME)) == 0
        return self.code == pycurl.E_COULDNT_CONNECT and self.outcome is None

    def found_closed(self) -> bool:
        """The server had closed the kept connections that curl tried, one after another until it gave up."""
        unheard = self.code == pycurl.E_SEND_ERROR and not self.lines and self.outcome is None
        return unheard and self.curl.getinfo(pycurl.NUM_CONNECTS) == 0

    def cut_short(self) -> Failure | None:
        """What is missing of a body whose connection closed too early. None where nobody needs it, since the header
        says all (redirects, errors), and where the body proves itself whole: a server that compresses what it sends and
        announces the length of what it has does so every time."""
        if (self.decoder is not None and self.decoder.complete) or (self.head and self.head.status >= 300):
            return None
        came = sum(map(len, self.chunks))
        announced = self.head.headers.get("content-length", "") if self.head is not None else ""
        of = f" of the {announced} announced" if announced.isascii() and announced.isdigit() else ""
        where = "" if of else " inside its chunks" if self.head is not None and self.head.transfer_coding else ""
        return Failure(FailureKind.CUT, f"the connection closed too early{where}: {came} bytes{of} came")

    def send_afresh(self, done: asyncio.Future[None]) -> asyncio.Future[None]:
        self.clear()
        self.done = done
        self.curl.setopt(pycurl.FRESH_CONNECT, 1)
        self.afresh = True
        return done

    def raw(self) -> bytes:
        return self.chunks[0] if len(self.chunks) == 1 else b"".join(self.chunks)

    def read_head(self) -> bool:
        """Called at the first body byte, or at the end; False where the answer is not wanted."""
        settings = self.settings
        head = self.head = read_head(self.lines)
        if head is None:
            self.outcome = Failure(FailureKind.PROTOCOL, "the answer has no status line")
        elif head.cut:
            self.outcome = Failure(FailureKind.CUT, "the connection closed inside the header of the answer")
        elif len(head.text) > settings.max_header_bytes:
            self.outcome = headers_too_large(settings)
        elif head.transfer_coding and not REMOVED_BY_CURL.issuperset(_listed(head.transfer_coding)):
            self.outcome = Failure(FailureKind.ENCODING, "a transfer coding that was not asked for")
        elif head.status == 200 and settings.accept_types and not self.any_type:
            self.outcome = _judge_type(head.headers.get("content-type", ""), settings.accept_types)
        if self.outcome is not None:
            return False
        assert head is not None
        coding = head.headers.get("content-encoding")
        if coding:
            self.decoder = decoder_for(coding, settings.max_body_bytes)
        return True


def finish(curl: Any, code: int, message: str) -> None:
    transfer: Transfer = curl.transfer
    transfer.code = code
    transfer.message = message
    if transfer.done is not None and not transfer.done.done():
        transfer.done.set_result(None)


def headers_too_large(settings: FetchSettings) -> Failure:
    return Failure(FailureKind.HEADERS_TOO_LARGE, f"more than {settings.max_header_bytes} bytes of headers")


def _listed(value: str) -> set[str]:
    return {item.strip().lower() for item in value.split(",")}


def _text(host: str | bytes) -> str:
    return host.decode("ascii", "replace") if isinstance(host, bytes) else host


def _judge_type(content_type: str, accept_types: tuple[str, ...]) -> Verdict | None:
    named = content_type.strip().lower()
    if not named or named.startswith(accept_types):
        return None
    shown = named.partition(";")[0].strip()[:80]
    return refused("type", f"{shown!r} is not among the types asked for: {', '.join(accept_types)}")


def set_limits(curl: Any, settings: FetchSettings) -> None:
    curl.setopt(pycurl.NOSIGNAL, 1)
    curl.setopt(pycurl.BUFFERSIZE, BUFFER_BYTES)
    curl.setopt(pycurl.TCP_NODELAY, 1)
    curl.setopt(pycurl.MAXFILESIZE_LARGE, settings.max_body_bytes)
    curl.setopt(pycurl.CONNECTTIMEOUT_MS, max(1, int(settings.connect_seconds * 1000)))
    curl.setopt(pycurl.TIMEOUT_MS, max(1, int(settings.total_seconds * 1000)))
    curl.setopt(pycurl.LOW_SPEED_LIMIT, STALL_BYTES_A_SECOND)
    curl.setopt(pycurl.LOW_SPEED_TIME, max(1, int(settings.stall_seconds)))


def set_protocols(curl: Any, settings: FetchSettings) -> None:
    curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
    curl.setopt(pycurl.HTTP_CONTENT_DECODING, 0)
    curl.setopt(pycurl.FOLLOWLOCATION, 0)
    curl.setopt(pycurl.PATH_AS_IS, 1)
    curl.setopt(pycurl.HTTP09_ALLOWED, 0)
    curl.setopt(pycurl.NETRC, pycurl.NETRC_IGNORED)
    curl.setopt(SUPPRESS_CONNECT_HEADERS, 1)
    # "" keeps curl from taking a proxy out of the environment unasked.
    curl.setopt(pycurl.PROXY, _resolving_proxy(settings.proxy))
    version = pycurl.CURL_HTTP_VERSION_2TLS if settings.http2 else pycurl.CURL_HTTP_VERSION_1_1
    curl.setopt(pycurl.HTTP_VERSION, version)


def _resolving_proxy(proxy: str) -> str:
    """A SOCKS proxy has to resolve names itself: curl would do it without the guard seeing the address."""
    for plain, resolving in (("socks5://", "socks5h://"), ("socks4://", "socks4a://")):
        if proxy.startswith(plain):
            return resolving + proxy.removeprefix(plain)
    return proxy


def set_trust(curl: Any, settings: FetchSettings) -> None:
    if not settings.verify_tls:
        curl.setopt(pycurl.SSL_VERIFYPEER, 0)
        curl.setopt(pycurl.SSL_VERIFYHOST, 0)
        return
    curl.setopt(pycurl.SSL_VERIFYPEER, 1)
    curl.setopt(pycurl.SSL_VERIFYHOST, 2)
    # The curl of the wheel may have been built on a system that keeps its certificates elsewhere.
    ca_file, ca_path = trusted(settings.ca_file)
    if ca_file:
        curl.setopt(pycurl.CAINFO, ca_file)
        curl.unsetopt(pycurl.CAPATH)
    if ca_path:
        curl.setopt(pycurl.CAPATH, ca_path)
