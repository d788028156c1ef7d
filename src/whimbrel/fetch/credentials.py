"""What proves who we are, and to whom: each site is told its own, and nothing that comes back repeats it."""

import re
from urllib.parse import quote

from msgspec import Struct

from whimbrel.records.url import Url

NAMES = frozenset({"authorization", "proxy-authorization", "cookie"})
"""Headers that are credentials whoever sends them (RFC 9110 §11, RFC 6265)."""
SHORTEST_SECRET = 8
"""What is shorter is found in many pages that mean something else."""
FILLER = b"x"

_SET_COOKIE = re.compile(rb"(?im)^(set-cookie:[^=;\r\n]*=)[^;\r\n]*")
_CODING = re.compile(rb"(?im)^content-encoding:[^\r\n]*\r\n")
_LENGTH = re.compile(rb"(?im)^(content-length:)[^\r\n]*")


class Cookie(Struct, frozen=True):
    """Sent below `path`; with `secure` over TLS only."""

    name: str
    value: str
    path: str = "/"
    secure: bool = False


class Credentials(Struct, frozen=True):
    """For URLs of these origins whose path begins with `path`. `plain` headers are the site's own but no secret."""

    origins: tuple[str, ...]
    path: str = "/"
    headers: tuple[tuple[str, str], ...] = ()
    cookies: tuple[Cookie, ...] = ()
    plain: tuple[tuple[str, str], ...] = ()
    passwords: tuple[str, ...] = ()
    """Secrets that a header holds in another form."""

    def secrets(self) -> list[bytes]:
        """What must not be kept, in each form in which a page could repeat it, the longest first."""
        said = {value for _, value in self.headers} | {cookie.value for cookie in self.cookies} | set(self.passwords)
        said |= {value.partition(" ")[2] for _, value in self.headers}
        forms = {form.encode() for value in said for form in (value, quote(value, safe=""))}
        return sorted((form for form in forms if len(form) >= SHORTEST_SECRET), key=len, reverse=True)


class Proof(Struct, frozen=True):
    """What one request carries besides the headers of all. `sent` are secret; `names` the cookies among them."""

    sent: tuple[tuple[str, str], ...]
    plain: tuple[tuple[str, str], ...]
    names: frozenset[str]

    @property
    def private(self) -> bool:
        return bool(self.sent)


NOTHING = Proof((), (), frozenset())


class Wallet:
    """Which credentials go with a URL. Asked for every request: a redirect to elsewhere gets none."""

    def __init__(self, sites: tuple[Credentials, ...]) -> None:
        self._sites: dict[str, list[Credentials]] = {}
        for site in sites:
            for origin in site.origins:
                self._sites.setdefault(origin, []).append(site)
        self._secrets = {origin: _all_secrets(meant) for origin, meant in self._sites.items()}

    def proof(self, url: Url) -> Proof:
        origin = url[: url.index("/", 8)]
        meant = self._sites.get(origin)
        if meant is None:
            return NOTHING
        path = url[len(origin) :].partition("?")[0]
        sent: dict[str, tuple[str, str]] = {}
        plain: dict[str, tuple[str, str]] = {}
        cookies: dict[str, str] = {}
        for site in meant:
            if path.startswith(site.path):
                sent.update((name.lower(), (name, value)) for name, value in site.headers)
                plain.update((name.lower(), (name, value)) for name, value in site.plain)
                cookies.update((c.name, c.value) for c in site.cookies if _goes_to(c, url, path))
        if cookies:
            sent["cookie"] = ("Cookie", "; ".join(f"{name}={value}" for name, value in cookies.items()))
        return Proof(tuple(sent.values()), tuple(plain.values()), frozenset(cookies))

    def blacked_out(self, url: Url, head: bytes, raw: bytes, body: bytes) -> tuple[bytes, bytes, bytes]:
        """The answer without what we were known by, and without sessions that it began."""
        head = _SET_COOKIE.sub(rb"\1-", head)
        secrets = self._secrets.get(url[: url.index("/", 8)], [])
        if not any(secret in body or secret in head for secret in secrets):
            return head, raw, body
        for secret in secrets:
            body, head = body.replace(secret, FILLER * len(secret)), head.replace(secret, FILLER * len(secret))
        head = _LENGTH.sub(rb"\1 %d" % len(body), _CODING.sub(b"", head))
        return head, body, body

    def without_secrets(self, url: Url, text: str) -> str:
        for secret in self._secrets.get(url[: url.index("/", 8)], []):
            text = text.replace(secret.decode(), FILLER.decode() * len(secret))
        return text


def _all_secrets(sites: list[Credentials]) -> list[bytes]:
    return sorted({secret for site in sites for secret in site.secrets()}, key=len, reverse=True)


def _goes_to(cookie: Cookie, url: Url, path: str) -> bool:
    """RFC 6265 §5.1.4."""
    if cookie.secure and not url.startswith("https://"):
        return False
    below = cookie.path if cookie.path.endswith("/") else f"{cookie.path}/"
    return path == cookie.path or path.startswith(below)
