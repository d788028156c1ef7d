"""Filters a user declares: which URLs to take.

A filter is a record, so that it can be compared, printed and sent to a migrant as a table
(`urls.filters`). Where one takes several values any of them will do.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache

from ada_url import idna_to_ascii
from msgspec import Struct
from msgspec.structs import force_setattr

from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED, Verdict, refused
from whimbrel.urls.normal import host, normalise, origin

RULE = "filter"

PROTOCOLS = ("http", "https")


class Domain(Struct, frozen=True):
    """The host is one of `names` or below it."""

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        force_setattr(self, "names", tuple(map(_domain_name, self.names)))

    def judge(self, url: Url) -> Verdict:
        place = host(url)
        hit = any(place == name or place.endswith("." + name) for name in self.names)
        return ACCEPTED if hit else _refused("domain", place, self.names)


class Prefix(Struct, frozen=True):
    """The URL begins with one of `prefixes`, which are themselves kept in normal form."""

    prefixes: tuple[str, ...]

    def __post_init__(self) -> None:
        force_setattr(self, "prefixes", tuple(map(_prefix, self.prefixes)))

    def judge(self, url: Url) -> Verdict:
        return ACCEPTED if url.startswith(self.prefixes) else _refused("prefix", "the URL", self.prefixes)


class Protocol(Struct, frozen=True):
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        for name in self.names:
            if name not in PROTOCOLS:
                raise ValueError(f'protocol "{name}" cannot be crawled; choose from {", ".join(PROTOCOLS)}')

    def judge(self, url: Url) -> Verdict:
        name = url[: url.index(":")]
        return ACCEPTED if name in self.names else _refused("protocol", name, self.names)


class Pattern(Struct, frozen=True):
    """A regular expression (Python's) is found somewhere in the URL."""

    expressions: tuple[str, ...]

    def __post_init__(self) -> None:
        for expression in self.expressions:
            _compiled(expression)

    def judge(self, url: Url) -> Verdict:
        hit = any(_compiled(expression).search(url) for expression in self.expressions)
        return ACCEPTED if hit else _refused("pattern", "the URL", self.expressions)


class Extension(Struct, frozen=True):
    """The last part of the path ends in one of `names`, written without the dot; "" is a part without one."""

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        force_setattr(self, "names", tuple(name.removeprefix(".").lower() for name in self.names))

    def judge(self, url: Url) -> Verdict:
        document = url[len(origin(url)) :].partition("?")[0].rpartition("/")[2]
        name = document.rpartition(".")[2].lower() if "." in document else ""
        return ACCEPTED if name in self.names else _refused("extension", f'"{name}"', self.names)


class All(Struct, frozen=True):
    """Every member accepts; the first refusal stands for the whole."""

    members: tuple["Filter", ...]

    def judge(self, url: Url) -> Verdict:
        for member in self.members:
            verdict = member.judge(url)
            if not verdict.accepted:
                return verdict
        return ACCEPTED


class Any(Struct, frozen=True):
    """At least one member accepts."""

    members: tuple["Filter", ...]

    def judge(self, url: Url) -> Verdict:
        reasons = []
        for member in self.members:
            verdict = member.judge(url)
            if verdict.accepted:
                return ACCEPTED
            reasons.append(verdict.reason)
        return refused(RULE, "any: " + ("; ".join(reasons) or "it has no members"))


class Not(Struct, frozen=True):
    member: "Filter"

    def judge(self, url: Url) -> Verdict:
        if self.member.judge(url).accepted:
            return refused(RULE, f"not: excluded by {describe(self.member)}")
        return ACCEPTED


class Plugin(Struct, frozen=True):
    """A function of the user's, named so that it can be found again on another machine."""

    name: str

    def judge(self, url: Url) -> Verdict:
        try:
            answer = found(self.name)(url)
        except Exception as error:  # Somebody else's code: one URL it chokes on must not end the crawl.
            return refused(RULE, f"plugin {self.name} failed: {type(error).__name__}: {error}")
        if isinstance(answer, Verdict):
            return answer
        return ACCEPTED if answer else refused(RULE, f"plugin {self.name} said no")


Filter = Domain | Prefix | Protocol | Pattern | Extension | All | Any | Not | Plugin

UrlPredicate = Callable[[str], bool | Verdict]


def describe(filter_: Filter) -> str:
    """A filter in a few words, for reasons."""
    match filter_:
        case Domain(names) | Protocol(names) | Extension(names):
            return f"{type(filter_).__name__.lower()} {', '.join(names)}"
        case Prefix(values) | Pattern(values):
            return f"{type(filter_).__name__.lower()} {', '.join(values)}"
        case All(members) | Any(members):
            return f"{type(filter_).__name__.lower()} ({'; '.join(map(describe, members))})"
        case Not(member):
            return f"not ({describe(member)})"
        case Plugin(name):
            return f"plugin {name}"


@cache
def found(name: str) -> UrlPredicate:
    """The function called `package.module:attribute`, or the entry point of that name in `whimbrel.filters`.

    Raises ValueError where there is none: that is a mistake in what the user wrote.
    """
    from importlib.metadata import EntryPoint, entry_points

    points: Iterable[EntryPoint]
    if ":" in name:
        points = [EntryPoint("", name, "whimbrel.filters")]
    else:
        points = entry_points(group="whimbrel.filters", name=name)
    for point in points:
        try:
            loaded = point.load()
        except (ImportError, AttributeError) as error:
            raise ValueError(f'filter plugin "{name}" cannot be loaded: {error}') from error
        if not callable(loaded):
            raise ValueError(f'filter plugin "{name}" is not a function of a URL')
        function: UrlPredicate = loaded
        return function
    raise ValueError(f'no filter plugin "{name}"; write package.module:function or install one of that name')


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    try:
        return re.compile(expression)
    except re.error as error:
        raise ValueError(f'pattern "{expression}" is not a regular expression: {error}') from error


def _domain_name(text: str) -> str:
    name = idna_to_ascii(text.strip().removeprefix("*.").strip(".")).decode().lower()
    if not name:
        raise ValueError(f'"{text}" is not a domain; write one like example.org')
    return name


def _prefix(text: str) -> str:
    url = normalise(text)
    if isinstance(url, Verdict):
        raise ValueError(f'prefix "{text}" is {url.reason}')
    return url


def _refused(kind: str, what: str, wanted: tuple[str, ...]) -> Verdict:
    return refused(RULE, f"{kind}: {what} is not of {', '.join(wanted)}")
