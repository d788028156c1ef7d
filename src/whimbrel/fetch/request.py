"""The request as it is sent, and as it may be kept: without what proves who we are."""

from whimbrel.fetch.credentials import NOTHING, Proof
from whimbrel.fetch.settings import FetchSettings
from whimbrel.records.task import Validators
from whimbrel.records.url import Url

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ACCEPT_ENCODING = "gzip, br, zstd"
FORM_TYPE = "Content-Type: application/x-www-form-urlencoded"
IDENTITY = ("Accept-Encoding", "identity")
"""For those who want the body as it is: a header among the settings' own, which come before the usual ones."""


def header_lines(settings: FetchSettings, proof: Proof = NOTHING) -> tuple[list[str], str]:
    """All lines but Host as they are sent, and as they are kept."""
    lines = {
        "user-agent": f"User-Agent: {settings.user_agent}",
        "accept": f"Accept: {ACCEPT}",
        "accept-encoding": f"Accept-Encoding: {ACCEPT_ENCODING}",
    }
    for name, value in (*settings.headers, *proof.plain, *proof.sent):
        # curl reads "Name:" as "do not send it" and "Name;" as an empty value.
        lines[name.lower()] = f"{name}: {value}" if value else f"{name};"
    if any(not line.isprintable() for line in lines.values()):
        raise ValueError("a request header must not hold control characters")
    secret = {name.lower() for name, _ in proof.sent}
    return [*lines.values()], "".join(f"{line}\r\n" for name, line in lines.items() if name not in secret)


def conditions(validators: Validators) -> list[str]:
    lines = []
    if validators.etag and validators.etag.isprintable():
        lines.append(f"If-None-Match: {validators.etag}")
    if validators.last_modified and validators.last_modified.isprintable():
        lines.append(f"If-Modified-Since: {validators.last_modified}")
    return lines


def request_head(url: Url, common: str, extra: list[str]) -> bytes:
    """`common` holds what requests to this host share: our headers as they are kept."""
    path = url[url.index("/", 8) :]
    host = url[url.index("//") + 2 : url.index("/", 8)]
    more = "".join(f"{line}\r\n" for line in extra)
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{common}{more}\r\n".encode("latin-1", "replace")


def host_of(authority: str) -> str:
    """The name or address alone: no port, no brackets."""
    if authority.startswith("["):
        return authority[1:].partition("]")[0]
    return authority.partition(":")[0]
