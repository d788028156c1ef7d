"""What proves who we are, and to whom: each site is told its own, and nothing that comes back repeats it."""

import re
from collections.abc import Iterable
from html import escape
from urllib.parse import quote, quote_plus

from msgspec import Struct

from whimbrel.records.url import Url

SHORTEST_SECRET = 8
"""What is shorter is found in many pages that mean something else."""
FILLER = b"x"
MOST_GIVEN = 100
"""Values of a login's cookies that are looked for in pages, the last: some sites give a new one with every answer."""

_SET_COOKIE = re.compile(rb"(?im)^(set-cookie:[^=;\r\n]*=)[^;\r\n]*")
_CODING = re.compile(rb"(?im)^content-encoding:[^\r\n]*\r\n")
_LENGTH = re.compile(rb"(?im)^(content-length:)[^\r\n]*")


class Cookie(Struct, frozen=True):
    """Sent below `path`; with `secure` over TLS only."""

    name: str
    value: str
    path: str = "/"
    secure: bool = False


class Login(Struct, frozen=True):
    """A form that lets us in: the page that holds it, what is written into which field, the fields among them whose
    values are secret, and words that only somebody who is logged in is shown ("" where none were named)."""

    page: Url
    fields: tuple[tuple[str, str], ...]
    secret: tuple[str, ...]
    check: str = ""


class Credentials(Struct, frozen=True):
    """For URLs of these origins whose path begins with `path`. `plain` headers are the site's own but no secret."""

    origins: tuple[str, ...]
    path: str = "/"
    headers: tuple[tuple[str, str], ...] = ()
    cookies: tuple[Cookie, ...] = ()
    plain: tuple[tuple[str, str], ...] = ()
    passwords: tuple[str, ...] = ()
    """Secrets that a header holds in another form."""
    login: Login | None = None
    """Where the cookies of this site come from, if a form gives them."""

    def secrets(self) -> list[bytes]:
        """What must not be kept, in each form in which a page could repeat it, the longest first."""
        said = {value for _, value in self.headers} | {cookie.value for cookie in self.cookies} | set(self.passwords)
        said |= {value.partition(" ")[2] for _, value in self.headers}
        if self.login is not None:
            said |= {value for name, value in self.login.fields if name in self.login.secret}
        return _in_all_forms(said)


def _in_all_forms(said: Iterable[str]) -> list[bytes]:
    forms = {
        form.encode()
        for value in said
        for form in (value, quote(value, safe=""), quote_plus(value), escape(value), escape(value, quote=False))
    }
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
    """Which credentials go with a URL. Asked for every request: a redirect to elsewhere gets none.

    Cookies that a login gave are added and renewed while it is open."""

    def __init__(self, sites: tuple[Credentials, ...]) -> None:
        self._sites: dict[str, list[Credentials]] = {}
        for site in sites:
            for origin in site.origins:
                self._sites.setdefault(origin, []).append(site)
        self._secrets = {origin: _all_secrets(meant) for origin, meant in self._sites.items()}
        self._entered: dict[Credentials, dict[str, Cookie]] = {}
        self._given: dict[str, dict[str, None]] = {}

    def door(self, url: Url) -> Credentials | None:
        """The site of this URL whose cookies a login gives, where it has one."""
        origin = url[: url.index("/", 8)]
        path = url[len(origin) :].partition("?")[0]
        meant = self._sites.get(origin, [])
        return next((site for site in meant if site.login is not None and path.startswith(site.path)), None)

    def leave(self, door: Credentials) -> None:
        """The site knows us no more: we come as strangers."""
        self._entered.pop(door, None)

    def inside(self, door: Credentials) -> bool:
        return bool(self._entered.get(door))

    def entering(self, url: Url, door: Credentials) -> Proof:
        """What goes with a request on the way in: the door's cookies also where the login is outside of its path."""
        asked = self.proof(url)
        path = url[url.index("/", 8) :].partition("?")[0]
        held = [cookie for cookie in self._entered.get(door, {}).values() if _goes_to(cookie, url, path)]
        if path.startswith(door.path) or not held:
            return asked
        sent = {name.lower(): (name, value) for name, value in asked.sent}
        before = [sent["cookie"][1]] if "cookie" in sent else []
        sent["cookie"] = ("Cookie", "; ".join([*before, *(f"{one.name}={one.value}" for one in held)]))
        return Proof(tuple(sent.values()), asked.plain, asked.names | {one.name for one in held})

    def take(self, door: Credentials, cookies: Iterable[Cookie], *, known_only: bool) -> None:
        """Cookies that an answer gave. With `known_only` those that we have been given before are renewed, and none is
        taken away: whether a session is over is judged by who asks, not by one answer."""
        mine = self._entered.setdefault(door, {})
        for cookie in cookies:
            if not known_only and not cookie.value:
                mine.pop(cookie.name, None)
            elif cookie.value and (not known_only or cookie.name in mine):
                mine[cookie.name] = cookie
                self._black_out(door, cookie.value)

    def _black_out(self, door: Credentials, value: str) -> None:
        """What pages must not repeat from now on. What was given before may still come back for a while."""
        for origin in door.origins:
            given = self._given.setdefault(origin, {})
            if value not in given:
                given[value] = None
                if len(given) > MOST_GIVEN:
                    del given[next(iter(given))]
                said = {*_all_secrets(self._sites[origin]), *_in_all_forms(given)}
                self._secrets[origin] = sorted(said, key=len, reverse=True)

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
                held = (*site.cookies, *self._entered.get(site, {}).values())
                cookies.update((c.name, c.value) for c in held if _goes_to(c, url, path))
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
