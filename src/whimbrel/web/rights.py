"""Reading and changing are two rights. Who may read may also crawl only where nobody else can be asking.

A server on loopback answers this machine alone, unless a proxy stands before it, and then everybody is a visitor from
loopback. A proxy is known by the name it is reached under, by what it says of itself, or by speaking HTTP/1.0.
"""

from starlette.requests import Request

from whimbrel.web.settings import Door

_FORWARDING = frozenset({"forwarded", "via", "x-real-ip", "x-client-ip", "x-original-host", "x-original-url"})
"""RFC 7239, RFC 9110 §7.6.3, and what proxies wrote before there was a standard."""
_FORWARDED_BY = ("x-forwarded", "cf-connecting", "true-client", "x-envoy", "x-amzn-trace")
READ_ONLY = "This server only shows what is kept (--read-only): nothing can be changed from here."
NEEDS_KEY = "Others can reach this server, so changing anything needs the folder's key."
HOW_TO_SHOW = "Log in at /login, or send Authorization: Bearer KEY."


class Rights:
    """Once a proxy was seen it is there for good: it may keep quiet the next time."""

    def __init__(self, door: Door) -> None:
        self._read_only = door.read_only
        self.shared = door.locked or bool(door.allow_hosts or door.behind)

    def notice(self, request: Request) -> None:
        if not self.shared and _is_forwarded(request):
            self.shared = True

    def refused(self, is_owner: bool) -> tuple[int, str] | None:
        """Why a change is refused, with the status that says so; None where it may be made."""
        if self._read_only:
            return 403, READ_ONLY
        return (401, f"{NEEDS_KEY} {HOW_TO_SHOW}") if self.shared and not is_owner else None


def _is_forwarded(request: Request) -> bool:
    # Neither browsers nor the programs that people ask us with speak 1.0; nginx does to what it forwards to.
    if request.scope.get("http_version") == "1.0":
        return True
    names = (name.decode("latin-1").lower() for name, _ in request.scope["headers"])
    return any(name in _FORWARDING or name.startswith(_FORWARDED_BY) for name in names)
