"""A connection to a NATS server that is made again whenever it breaks, with a certificate that was pinned."""

import asyncio
import base64
import contextlib
import hashlib
import logging
import ssl
from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import AuthorizationError
from nats.errors import Error as NatsError

from whimbrel.places.link.keys import KeyPair

Handler = Callable[[str, bytes], None]

FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5.0
REFUSED_PAUSE_SECONDS = 30.0
CONNECT_SECONDS = 10
PING_SECONDS = 20
OVERHEAD_BYTES = 4096
PROBE_SECONDS = 10.0
CANCELLED_SECONDS = 0.1
# Streams that began in the clear, as NATS has it, say so whenever the other side closes one; it means nothing.
logging.getLogger("asyncio").addFilter(lambda record: "eof_received() has no effect" not in record.getMessage())


class ServerAddress(Struct, frozen=True):
    """Where the server is, and the certificate (PEM) that it must show; none where it speaks in the clear."""

    servers: tuple[str, ...]
    certificate: str = ""

    def context(self) -> ssl.SSLContext | None:
        """That very certificate is trusted, whatever names it holds and whoever else is trusted elsewhere."""
        if not self.certificate:
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # whoever signed it is of no interest
        context.load_verify_locations(cadata=self.certificate)
        return context


class DialError(Exception):
    """No connection; the message says why."""


class Dial:
    """`jwt` gives the credentials to show. Handlers stay through breaks; what is published while there is no connection
    is lost, and `on_connected` is where it is sent again."""

    def __init__(self, address: ServerAddress, key: KeyPair, jwt: Callable[[], str], name: str) -> None:
        self._address = address
        self._key = key
        self._jwt = jwt
        self._name = name
        self._handlers: list[tuple[str, Handler]] = []
        self._client: Client | None = None
        self._outgoing: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()
        self._running: asyncio.Task[None] | None = None
        self.on_connected: list[Callable[[], None]] = []
        self.connected = asyncio.Event()
        self.fault = ""
        self.refusals = 0
        self.denied: list[str] = []

    def subscribe(self, subject: str, handler: Handler) -> None:
        self._handlers.append((subject, handler))

    def publish(self, subject: str, data: bytes) -> None:
        if self.connected.is_set():
            self._outgoing.put_nowait((subject, data))

    def most(self) -> int:
        """The largest message that the server takes."""
        known = self._client.max_payload if self._client is not None and self._client.max_payload else 1 << 20
        return max(OVERHEAD_BYTES, known - OVERHEAD_BYTES)

    def start(self) -> None:
        self._running = asyncio.create_task(self._run())

    async def close(self) -> None:
        while self._running is not None and not self._running.done():
            self._running.cancel()  # again where the client, in the middle of connecting, took it for its own
            await asyncio.wait((self._running,), timeout=CANCELLED_SECONDS)

    async def _run(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        while True:
            try:
                await self._connection()
                pause = FIRST_PAUSE_SECONDS
            except DialError as error:
                self.fault = str(error)
                pause = min(LONGEST_PAUSE_SECONDS, 2 * pause)
            await asyncio.sleep(REFUSED_PAUSE_SECONDS if self.refusals > 3 else pause)

    async def _connection(self) -> None:
        """One connection, from its beginning to its end."""
        ended = asyncio.Event()
        client = Client()
        try:
            await self._connect(client, ended)
            self._client, self.fault, self.refusals = client, "", 0
            for subject, handler in self._handlers:
                await client.subscribe(subject, cb=_heard(handler))
            await client.flush()
            self._outgoing = asyncio.Queue()
            self.connected.set()
            for tell in self.on_connected:
                tell()
            await self._send_until(client, ended)
        except (NatsError, OSError, TimeoutError) as error:
            raise DialError(f"the connection ended: {error or type(error).__name__}") from error
        finally:
            self.connected.clear()
            with contextlib.suppress(Exception):  # a client that never connected cannot always be closed in order
                await client.close()

    async def _connect(self, client: Client, ended: asyncio.Event) -> None:
        async def on_closed() -> None:
            ended.set()

        async def on_error(error: Exception) -> None:
            if "ermissions" in str(error):
                self.denied.append(str(error))
            if "uthoriz" in str(error) or "uthentic" in str(error):
                self.fault = str(error)

        try:
            await client.connect(
                servers=[f"nats://{server}" for server in self._address.servers],
                tls=self._address.context(),
                tls_hostname="whimbrel" if self._address.certificate else None,
                name=self._name,
                allow_reconnect=False,
                # By itself it would wait two seconds for each of sixty attempts before it says what is wrong.
                reconnect_time_wait=0,
                max_reconnect_attempts=1,
                connect_timeout=CONNECT_SECONDS,
                ping_interval=PING_SECONDS,
                user_jwt_cb=lambda: self._jwt().encode(),
                signature_cb=lambda nonce: base64.b64encode(self._key.sign(nonce.encode())),
                closed_cb=on_closed,
                disconnected_cb=on_closed,
                error_cb=on_error,
            )
        except AuthorizationError as error:
            self.refusals += 1
            raise DialError("the server refuses these credentials: revoked, expired, or not made for it") from error
        except (NatsError, OSError, TimeoutError) as error:
            refused = "uthoriz" in str(error) or "uthentic" in str(error)
            self.refusals += refused
            why = "the server refuses these credentials" if refused else "no server answers"
            raise DialError(f"{why} at {', '.join(self._address.servers)} ({error or type(error).__name__})") from error

    async def _send_until(self, client: Client, ended: asyncio.Event) -> None:
        over = asyncio.create_task(ended.wait())
        try:
            while not ended.is_set():
                waiting = asyncio.create_task(self._outgoing.get())
                await asyncio.wait((waiting, over), return_when=asyncio.FIRST_COMPLETED)
                if not waiting.done():
                    waiting.cancel()
                    return
                await client.publish(*waiting.result())
                while not self._outgoing.empty():
                    await client.publish(*self._outgoing.get_nowait())
        finally:
            over.cancel()


def _heard(handler: Handler) -> Callable[[Msg], Awaitable[None]]:
    async def hear(message: Msg) -> None:
        handler(message.subject, message.data)

    return hear


async def certificate_at(server: str) -> str:
    """The certificate (PEM) that a server shows. Nothing is told it: whoever asks compares before connecting."""
    host, _, port = server.rpartition(":")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            reader, writer = await asyncio.open_connection(host.strip("[]"), int(port))
            try:
                await reader.readline()  # a NATS server begins in the clear, with what it is
                await writer.start_tls(context, server_hostname="whimbrel")
                shown = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
            finally:
                # At once: a farewell over TLS takes a turn that whoever asked only for this may not wait for.
                writer.transport.abort()
    except (OSError, TimeoutError, ValueError) as error:
        raise DialError(f"no server answers at {server} ({error or type(error).__name__})") from error
    return ssl.DER_cert_to_PEM_cert(shown)


async def one_certificate(servers: Sequence[str]) -> str:
    """The certificate that all servers of a cluster show; whoever is invited knows them by it."""
    shown = {server: await certificate_at(server) for server in servers}
    if len({fingerprint(one) for one in shown.values()}) != 1:
        raise DialError(f"{', '.join(servers)} show different certificates; give all servers of a cluster the same one")
    return shown[servers[0]]


def fingerprint(certificate: str) -> bytes:
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate)).digest()
