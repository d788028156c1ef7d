"""Credentials of sites: as flags and settings name them, as the folder remembers them, and as the fetcher sends them.

What is kept anywhere is a reference (`env:NAME`, `file:PATH`). The secret itself is read when a run begins, and lives
in the memory of home and its migrants alone.
"""

import base64
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from whimbrel.config import ConfigError, Settings, SiteTable
from whimbrel.config.references import is_reference, with_user
from whimbrel.config.values import checked
from whimbrel.fetch.cookies import read_cookies
from whimbrel.fetch.credentials import Cookie, Credentials, Login
from whimbrel.fetch.guard import is_loopback
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.urls import acts
from whimbrel.urls.normal import host, normalise, origin

REMEMBERED = "credentials"
"""By this name the folder keeps which variables and files hold the credentials of which site."""
NONE = "none"

_SITE = re.compile(r"(https?://[^/=\s]+)/?=(.*)", re.DOTALL)
_PASSWORD = re.compile(r"[^:\x00-\x1f]+:[^\x00-\x1f]*")
_OTHERS = 0o077


class Purse(Struct, frozen=True):
    """References for one site. `place` is a URL prefix; of a site named by its host it begins with https."""

    place: str
    auth: str = ""
    headers: dict[str, str] = {}
    cookies: str = ""
    login: str = ""
    login_fields: dict[str, str] = {}
    login_secrets: dict[str, str] = {}
    login_check: str = ""

    def __bool__(self) -> bool:
        return bool(self.auth or self.headers or self.cookies or self.login)


class Keys(Struct, frozen=True):
    """What was read: for whom we have credentials, who has to wait since theirs cannot be had, what to warn of."""

    sites: tuple[Credentials, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    proxy: str = ""


NO_KEYS = Keys()


# As they are given.


def from_flags(
    settings: Settings, auth: Sequence[str], headers: Sequence[str], cookies: Sequence[str], seeds: Iterable[Url]
) -> Settings:
    """The settings with what flags say of a site's credentials. They speak of the site that they name
    (`https://example.org=…`), else of the only one that the seeds are on."""
    purses: dict[str, dict[str, object]] = {}
    origins = sorted({origin(url) for url in seeds})
    for flag, texts in (("auth", auth), ("cookies", cookies), ("header", headers)):
        for text in texts:
            named = _SITE.fullmatch(text)
            place = f"{named[1]}/" if named else _only(origins, flag)
            purse = purses.setdefault(place, {})
            value = named[2] if named else text
            if flag == "header":
                table = purse.setdefault("headers", {})
                assert isinstance(table, dict)
                table.update([_header(value)])
            else:
                purse[flag] = value if value == NONE else checked("site", flag, value, f"--{flag}")
    for purse in purses.values():
        if "headers" in purse:
            purse["headers"] = checked("site", "headers", purse["headers"], "--header")
    said = [msgspec.convert({"place": _place(place, ""), **purse}, Purse) for place, purse in purses.items()]
    return replace(settings, site=(*settings.site, *map(_as_site, said))) if said else settings


def _only(origins: list[str], flag: str) -> str:
    if len(origins) == 1:
        return f"{origins[0]}/"
    example = {"auth": "env:NAME", "cookies": "file:cookies.txt", "header": "X-Api-Key: env:NAME"}[flag]
    which = f"and this is about {len(origins)} sites" if origins else "and none is named here"
    site = origins[0] if origins else "https://example.org"
    advice = " A header for every host goes into [fetch] headers." if flag == "header" else ""
    raise ConfigError(f"--{flag}: it belongs to one site, {which}. Say which: --{flag} '{site}={example}'.{advice}")


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise ConfigError("--header: that is not a header. Write it like --header 'Accept-Language: en'.")
    return name.strip(), value.strip()


def from_settings(settings: Settings) -> list[Purse]:
    purses = []
    for site in settings.site:
        purse = Purse(
            _place(site.prefix or "", site.host or ""), site.auth or "", site.headers, site.cookies or "",
            site.login or "", site.login_fields, site.login_secrets, site.login_check or "",
        )  # fmt: skip
        if purse:
            purses.append(purse)
    return purses


def _place(prefix: str, named: str) -> str:
    url = normalise(prefix or f"https://{named}/")
    if isinstance(url, Verdict):
        raise ConfigError(f"[[site]] {prefix or named}: {url.reason}")
    return url.partition("?")[0]


def together(purses: Iterable[Purse]) -> list[Purse]:
    """Of what was said twice about a site, the later holds; `none` takes back what was said before."""
    known: dict[str, Purse] = {}
    for purse in purses:
        before = known.get(purse.place, Purse(purse.place))
        if NONE in (purse.auth, purse.cookies):
            before = Purse(purse.place)
        entering = purse if purse.login else before
        known[purse.place] = Purse(
            purse.place,
            _said(purse.auth) or before.auth,
            before.headers | purse.headers,
            _said(purse.cookies) or before.cookies,
            entering.login,
            entering.login_fields,
            entering.login_secrets,
            entering.login_check,
        )
    return [purse for purse in known.values() if purse]


def _said(value: str) -> str:
    return "" if value == NONE else value


def as_stored(purses: Iterable[Purse]) -> object:
    return msgspec.to_builtins(list(purses))


def from_stored(stored: object) -> list[Purse]:
    return msgspec.convert(stored or [], list[Purse])


# As they are sent.


def read_keys(settings: Settings, seeds: Iterable[Url], remembered: Sequence[Purse] = ()) -> Keys:
    """Reads what the references name. What this command names itself has to be there; a site whose remembered
    credentials cannot be had is not asked without them."""
    _check_seeds(settings, seeds)
    mine = together(from_settings(settings))
    known = together([*remembered, *from_settings(settings)])
    sites, missing, warnings = [], [], list[str]()
    proxy = _proxy_of(settings, warnings)
    for purse in known:
        try:
            sites.append(_read(purse, warnings))
        except ConfigError as error:
            if any(purse.place == one.place for one in mine):
                raise
            missing.append((purse.place, str(error)))
    return Keys(tuple(sites), tuple(missing), tuple(warnings), proxy)


def _read(purse: Purse, warnings: list[str]) -> Credentials:
    headers, plain, passwords = [], [], []
    cookies: list[Cookie] = []
    if purse.auth:
        user, reference = with_user(purse.auth)
        text = secret_of(reference, purse.place, warnings)
        login = f"{user}:{text}" if user else text
        if not _PASSWORD.fullmatch(login):
            raise ConfigError(f"{reference} (auth of {purse.place}): expected it to hold user:password")
        headers.append(("Authorization", "Basic " + base64.b64encode(login.encode()).decode()))
        passwords += [login, login.partition(":")[2]]
    for name, value in purse.headers.items():
        if is_reference(value):
            headers.append((name, _printable(secret_of(value, purse.place, warnings), value)))
        else:
            plain.append((name, value))
    if purse.cookies:
        text = secret_of(purse.cookies, purse.place, warnings)
        cookies = read_cookies(text, host(Url(purse.place)))
        if not cookies:
            raise ConfigError(f"{purse.cookies} (cookies of {purse.place}): no cookie for that site is in it")
    origins = _origins(purse.place)
    path = purse.place[len(origins[0]) :]
    entering = _login(purse, origins, warnings) if purse.login else None
    return Credentials(origins, path, tuple(headers), tuple(cookies), tuple(plain), tuple(passwords), entering)


def _login(purse: Purse, origins: tuple[str, ...], warnings: list[str]) -> Login:
    page = normalise(purse.login)
    if isinstance(page, Verdict):
        raise ConfigError(f"[[site]] login = {purse.login}: {page.reason}")
    if origin(page) not in origins:
        raise ConfigError(
            f"[[site]] login = {purse.login}: its form is not on {origins[0]}, and no password is sent elsewhere. "
            "Where another host lets people in, log in with a browser and give us its cookies (cookies = …)."
        )
    secrets = {name: secret_of(value, purse.place, warnings) for name, value in purse.login_secrets.items()}
    return Login(page, (*purse.login_fields.items(), *secrets.items()), tuple(secrets), purse.login_check)


def _origins(place: str) -> tuple[str, ...]:
    """What is meant for http may go over TLS, never the other way round; on this machine nobody listens between."""
    named = origin(Url(place))
    scheme, _, authority = named.partition("://")
    local = is_loopback(host(Url(place))) or host(Url(place)) == "localhost"
    if local:
        return (named, f"{'http' if scheme == 'https' else 'https'}://{authority}")
    return (named, f"https://{authority}") if scheme == "http" and ":" not in authority else (named,)


def secret_of(reference: str, place: str, warnings: list[str]) -> str:
    """What a reference names; a file that others may read is warned of."""
    kind, _, name = reference.partition(":")
    whose = f"which holds the credentials of {place}," if place else "which is named in the settings,"
    if kind == "env":
        value = os.environ.get(name)
        if not value:
            raise ConfigError(f"the variable {name}, {whose} is not set: export {name}=… and run the command again")
        return value.strip("\r\n")
    path = Path(name).expanduser()
    try:
        value = path.read_text("utf-8")
        if path.stat().st_mode & _OTHERS:
            warnings.append(f"{path} holds a secret and others may read it: chmod 600 {path}")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise ConfigError(f"the file {path}, {whose} cannot be read: {why}") from None
    return value.strip("\r\n")


def _printable(value: str, reference: str) -> str:
    if not value.isprintable():
        raise ConfigError(f"{reference}: what it holds has line ends or control characters; a header may have none")
    return value


def _proxy_of(settings: Settings, warnings: list[str]) -> str:
    """The proxy's URL, read where it is named."""
    proxy = settings.fetch.proxy or ""
    if not is_reference(proxy):
        return proxy
    value = secret_of(proxy, "", warnings)
    if not re.fullmatch(r"(https?|socks[45][ah]?)://\S+", value):
        raise ConfigError(f"{proxy}: expected it to hold a URL like http://user:password@proxy.example.org:3128")
    return value


def _check_seeds(settings: Settings, seeds: Iterable[Url]) -> None:
    """A site that is named by its host is asked over https: a seed that says otherwise would go without."""
    for site in settings.site:
        if site.host is None or not (site.auth or site.headers or site.cookies or site.login):
            continue
        meant = _origins(_place("", site.host))
        for url in seeds:
            if host(url) == host(Url(f"{meant[0]}/")) and origin(url) not in meant:
                raise ConfigError(
                    f'[[site]] host = "{site.host}": its credentials go to {meant[0]} only, and {url} is elsewhere. '
                    f'Where they may go there too, write prefix = "{origin(url)}/" instead of host.'
                )


def avoided(settings: Settings, keys: Keys) -> list[tuple[str, list[str]]]:
    """Where credentials go, and which links are not followed there."""
    said = {_place(s.prefix or "", s.host or ""): s.avoid for s in settings.site if s.avoid is not None}
    return [
        (f"{one}{site.path}", list(said.get(f"{site.origins[0]}{site.path}", acts.DEFAULT)))
        for site in keys.sites
        if site.headers or site.cookies or site.login
        for one in site.origins
    ]


def _as_site(purse: Purse) -> SiteTable:
    return SiteTable(prefix=purse.place, auth=purse.auth or None, headers=purse.headers, cookies=purse.cookies or None)
