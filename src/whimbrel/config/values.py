"""One setting: which there are, what it may hold, and what to say when it holds something else."""

import difflib
import ipaddress
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from whimbrel.config.references import (
    wrong_auth,
    wrong_common_header,
    wrong_cookies,
    wrong_login_secret,
    wrong_proxy,
    wrong_receiver,
    wrong_site_header,
)
from whimbrel.config.settings import (
    Crawl,
    Fetch,
    Log,
    Migrants,
    NotifyTable,
    Places,
    PlaceTable,
    Refresh,
    Repository,
    SiteTable,
    Topic,
)
from whimbrel.readers.contract import ReaderSettings
from whimbrel.records.deed import WORDS
from whimbrel.records.hours import wrong_hours
from whimbrel.search.contract import SearchSettings

SECTIONS: dict[str, type[Struct]] = {
    "crawl": Crawl, "topic": Topic, "fetch": Fetch, "refresh": Refresh, "repository": Repository, "migrants": Migrants,
    "places": Places,
    "search": SearchSettings, "readers": ReaderSettings, "log": Log,
}  # fmt: skip
REPEATED: dict[str, type[Struct]] = {"site": SiteTable, "place": PlaceTable, "notify": NotifyTable}
"""Tables of which there may be several."""
HINTS: dict[str, dict[str, Any]] = {
    section: get_type_hints(record, include_extras=True) for section, record in (SECTIONS | REPEATED).items()
}
SECRETS = frozenset({"auth", "headers", "cookies", "login_secrets", "proxy", "to"})
"""Never shown in a message: who makes a mistake may have written one."""
SECOND_UNITS = {"": 1, "ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
BYTE_UNITS = {"": 1, "b": 1}
BYTE_UNITS |= {f"{prefix}b": 1000**power for power, prefix in enumerate("kmgt", 1)}
BYTE_UNITS |= {f"{prefix}ib": 1024**power for power, prefix in enumerate("kmgt", 1)}
QUANTITY = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", re.IGNORECASE)


class ConfigError(Exception):
    """A setting that cannot be used; the message names the place and what to write instead."""


class Setting(NamedTuple):
    section: str
    key: str
    type: str
    default: str
    help: str


def describe() -> list[Setting]:
    """Every setting there is, for the documentation."""
    return [
        Setting(section, key, expected(key, hint), _default(section, key), hint.__metadata__[-1].description)
        for section, hints in HINTS.items()
        for key, hint in hints.items()
    ]


def checked(section: str, key: str, raw: object, place: str, *, lax: bool = False) -> Any:
    """The value as the record wants it. `lax` reads numbers and yes or no from text."""
    if key not in HINTS[section]:
        homes = [f"[{other}]" for other in SECTIONS if key in HINTS[other]]
        homes += [f"[[{other}]]" for other in REPEATED if key in HINTS[other]]
        advice = f'"{key}" belongs in {homes[0]}' if homes else unknown("key", key, [*HINTS[section]])
        raise ConfigError(f"{place}: {advice}")
    hint = HINTS[section][key]
    try:
        value = msgspec.convert(_plain(key, raw, hint), hint, strict=not lax)
    except msgspec.ValidationError:
        shown = "something else" if key in SECRETS else repr(raw)
        raise ConfigError(f"{place}: expected {expected(key, hint)}, got {shown}") from None
    for text in _texts(value):
        rule = RULES.get(f"{section}.{key}") or RULES.get(key)
        if rule is not None and (complaint := rule(text)):
            raise ConfigError(f"{place}: {complaint}")
    return value


def unknown(what: str, name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    advice = f'did you mean "{near[0]}"?' if near else f"known are {', '.join(known)}"
    return f'unknown {what} "{name}"; {advice}'


def containers(hint: object) -> frozenset[object]:
    """Which of tuple and dict the hint allows."""
    return frozenset(get_origin(_bare(choice)) for choice in _choices(hint))


def expected(key: str, hint: object) -> str:
    """The hint in words."""
    return " or ".join(_words(key, choice) for choice in _choices(hint))


def _bare(hint: Any) -> Any:
    return hint.__origin__ if get_origin(hint) is Annotated else hint


def _choices(hint: Any) -> tuple[Any, ...]:
    """The members of a union with their constraints, or the hint itself."""
    return get_args(_bare(hint)) if get_origin(_bare(hint)) in (Union, UnionType) else (hint,)


def _words(key: str, choice: Any) -> str:
    bounds = [meta for meta in getattr(choice, "__metadata__", ()) if isinstance(meta, Meta)]
    bare = _bare(choice)
    least = "".join(f" of at least {meta.ge}" for meta in bounds if meta.ge is not None)
    if bare in (int, float):
        if key.endswith("_seconds"):
            return 'seconds or text like "5m"'
        if key.endswith("_bytes"):
            return 'bytes or text like "32MB"'
        return f"a {'whole ' if bare is int else ''}number{least}"
    if get_origin(bare) is Literal:
        return " or ".join(f'"{name}"' for name in get_args(bare))
    if get_origin(bare) is tuple:
        return f"a list of {_words(key, get_args(bare)[0])}"
    return {str: "text", bool: "true or false", NoneType: '"none"'}.get(bare, "a table")


def _plain(key: str, raw: object, hint: object) -> object:
    """Resolves units and "none", which TOML and the environment cannot say otherwise."""
    if raw == "none" and NoneType in _choices(hint):
        return None
    if isinstance(raw, str) and key.endswith("_seconds"):
        return _quantity(raw, SECOND_UNITS)
    if isinstance(raw, str) and key.endswith("_bytes"):
        size = _quantity(raw, BYTE_UNITS)
        return round(size) if isinstance(size, float) else size
    if isinstance(raw, float) and not math.isfinite(raw):
        return str(raw)
    return raw


def _quantity(text: str, units: Mapping[str, float]) -> float | str:
    """The number meant, or the text itself where it means none."""
    match = QUANTITY.fullmatch(text)
    if match is None or match[2].lower() not in units:
        return text
    return float(match[1]) * units[match[2].lower()]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        yield from value
    elif isinstance(value, dict):
        yield from (f"{name}: {content}" for name, content in value.items())


def _default(section: str, key: str) -> str:
    default = getattr((SECTIONS | REPEATED)[section](), key)
    if default is None:
        return "unset"
    return "empty" if default in ((), {}) else msgspec.json.encode(default).decode()


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        return f'"{text}" is not a regular expression: {error}'
    return ""


def _network(text: str) -> str:
    try:
        ipaddress.ip_network(text)
    except ValueError as error:
        return f"expected a network like 10.1.0.0/16; {error}"
    return ""


def _matching(pattern: str, complaint: str) -> Callable[[str], str]:
    compiled = re.compile(pattern)
    return lambda text: "" if compiled.fullmatch(text) else complaint


def _threshold(text: str) -> str:
    name, _, least = text.rpartition(": ")
    if name not in WORDS:
        return unknown("action", name, [*WORDS])
    return "" if float(least) > 0 else f"{name}: expected a number above 0"


RULES: dict[str, Callable[[str], str]] = {
    "include": _pattern,
    "avoid": _pattern,
    "exclude": _pattern,
    "hours": wrong_hours,
    "allow_networks": _network,
    "user_agent": _matching(r"[ -~]+", "expected printable ASCII text"),
    "contact": _matching(r"[!-~]+", "expected an address or a URL without spaces"),
    "fetch.headers": wrong_common_header,
    "site.headers": wrong_site_header,
    "auth": wrong_auth,
    "to": wrong_receiver,
    "cookies": wrong_cookies,
    "search_url": _matching(r"https?://\S*\{searchTerms\}\S*", "expected a URL with {searchTerms} where words go"),
    "text_in_pictures": _matching(r"\w+(\+\w+)*", "expected languages as tesseract names them, e.g. eng+deu"),
    "login": _matching(r"https?://\S+", "expected the URL of the page that holds the form"),
    "login_secrets": wrong_login_secret,
    "proxy": wrong_proxy,
    "thresholds": _threshold,
    "robots_off_hosts": _matching(r"[^\s/*@]+", "expected host names; robots.txt cannot be turned off for all"),
    "directives_off_hosts": _matching(r"[^\s/*@]+", "expected host names; what pages ask for counts everywhere else"),
    "prefix": _matching(r"https?://\S+", "expected the beginning of a URL, e.g. https://example.org/docs/"),
    "migrants": _matching(r"auto|[1-9]\d*(-[1-9]\d*)?", 'expected "auto", a number, or a range like "1-4"'),
    "name": _matching(r"[\w.-]+", "expected a name of letters, digits, dots and dashes"),
    "judgements": _matching(r"[\d./\s]+", "expected comparisons like `1/7 1/8 2`"),
    "host": _matching(r"[^\s/*@]+", "expected a host name, e.g. docs.example.org"),
}
