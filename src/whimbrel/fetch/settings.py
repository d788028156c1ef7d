"""How the fetcher presents itself and where it stops."""

from msgspec import Struct

from whimbrel.fetch.credentials import Credentials

MEBIBYTE = 1 << 20


class FetchSettings(Struct, frozen=True):
    """`headers` go to every host, so none of them is a credential; those are in `sites`.

    `max_body_bytes` counts decoded bytes. A transfer slower than 100 bytes/s for `stall_seconds` is cut off.
    `accept_types` are content-type prefixes; empty accepts every type. `proxy` is a URL or "".
    """

    user_agent: str
    headers: tuple[tuple[str, str], ...] = ()
    sites: tuple[Credentials, ...] = ()
    proxy: str = ""
    max_body_bytes: int = 32 * MEBIBYTE
    max_header_bytes: int = 64 << 10
    connect_seconds: float = 10
    total_seconds: float = 60
    stall_seconds: int = 20
    verify_tls: bool = True
    ca_file: str = ""
    accept_types: tuple[str, ...] = ()
    http2: bool = True
