"""The request as it is sent, and as it may be kept: without what proves who we are."""

import base64

from whimbrel.fetch.settings import FetchSettings
from whimbrel.records.task import Validators
from whimbrel.records.url import Url

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ACCEPT_ENCODING = "gzip, br, zstd"
CREDENTIALS = ("authorization:", "proxy-authorization:", "cookie:")


def header_lines(settings: FetchSettings, trusted: bool) -> list[str]:
    """All lines but Host. Credentials go only where they are meant to: to trusted hosts."""
    lines = {
        "user-agent": f"User-Agent: {settings.user_agent}",
        "accept": f"Accept: {ACCEPT}",
        "accept-encoding": f"Accept-Encoding: {ACCEPT_ENCODING}",
    }
    for name, value in settings.headers:
        # curl reads "Name:" as "do not send it" and "Name;" as an empty value.
        lines[name.lower()] = f"{name}: {value}" if value else f"{name};"
    if settings.auth:
        lines["authorization"] = "Authorization: Basic " + base64.b64encode(settings.auth.encode()).decode()
    kept = [line for line in lines.values() if trusted or not _is_credential(line)]
    if any(not line.isprintable() for line in kept):
        raise ValueError("a request header must not hold control characters")
    return kept


def conditions(validators: Validators) -> list[str]:
    lines = []
    if validators.etag and validators.etag.isprintable():
        lines.append(f"If-None-Match: {validators.etag}")
    if validators.last_modified and validators.last_modified.isprintable():
        lines.append(f"If-Modified-Since: {validators.last_modified}")
    return lines


def shown(lines: list[str]) -> str:
    return "".join(f"{line}\r\n" for line in lines if not _is_credential(line))


def request_head(url: Url, common: str, extra: list[str]) -> bytes:
    """`common` holds what requests to this host share: the line ends of the first line, Host, our headers."""
    path = url[url.index("/", 8) :]
    return f"GET {path} HTTP/1.1{common}{shown(extra)}\r\n".encode("latin-1", "replace")


def host_of(authority: str) -> str:
    """The name or address alone: no port, no brackets."""
    if authority.startswith("["):
        return authority[1:].partition("]")[0]
    return authority.partition(":")[0]


def _is_credential(line: str) -> bool:
    return line.lower().startswith(CREDENTIALS)
