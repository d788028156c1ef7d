"""What a server answered, or why it did not."""

from enum import StrEnum

from msgspec import Struct

from whimbrel.records.url import Url


class Response(Struct, frozen=True):
    """A complete HTTP answer.

    `head` is the status line and header lines as received (transfer coding removed with its header), ending
    in an empty line; `raw` the body as received, content coding kept; `body` the same decoded (the same
    object as `raw` where there was no coding). `headers` has lower-case names, repeated ones joined by ", ".
    """

    url: Url
    status: int
    headers: dict[str, str]
    head: bytes
    raw: bytes
    body: bytes
    request_head: bytes
    protocol: str
    address: str
    elapsed_seconds: float
    private: bool = False
    """Whether it was asked for with credentials."""


class FailureKind(StrEnum):
    DNS = "dns"
    CONNECT = "connect"
    CUT = "cut"
    TLS = "tls"
    TIMEOUT = "timeout"
    SLOW = "slow"
    TOO_LARGE = "too_large"
    HEADERS_TOO_LARGE = "headers_too_large"
    PROTOCOL = "protocol"
    ENCODING = "encoding"
    PROXY = "proxy"
    REDIRECT = "redirect"
    PARSE = "parse"


TRANSIENT = frozenset(
    {
        FailureKind.DNS,
        FailureKind.CONNECT,
        FailureKind.CUT,
        FailureKind.TIMEOUT,
        FailureKind.SLOW,
        FailureKind.PROXY,
    }
)
"""Kinds that say nothing about the page: the server may simply be away, or the line may have broken."""


class Failure(Struct, frozen=True):
    """An expected failure. `detail` is one line for a person; it never holds control characters. `answered`: somebody
    speaks TLS there, but is not to be trusted."""

    kind: FailureKind
    detail: str
    retry_after_seconds: float | None = None
    answered: bool = False
