"""The ways in which different URLs of a site have the same text, each as a rule that rewrites one into the other.

A rule is read off a pair of URLs that differ in one thing only (Bar-Yossef, Keidar, Schonfeld 2007: "Do not crawl in
the DUST"). What it makes of a URL is always a URL in normal form, and making it twice changes nothing.
"""

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.urls.normal import DEFAULT_DOCUMENTS, Rewrites, normalise
from whimbrel.urls.normal import rewrite as rewritten

EVERYWHERE = "/"
MOST_PARAMETERS = 12
"""A URL with more of them is left alone: nobody can tell which of so many matters."""


class RewriteKind(StrEnum):
    PARAMETER = "parameter"
    DOCUMENT = "document"
    SLASH = "slash"
    SEGMENT = "segment"
    CASE = "case"
    SCHEME = "scheme"
    HOST = "host"


class RewriteRule(Struct, frozen=True, order=True):
    """On `site`, below a path: `what` (a parameter, a document, a segment, a host) gives way to `by`."""

    site: str
    below: str
    kind: RewriteKind
    what: str = ""
    by: str = ""

    def __str__(self) -> str:
        place = self.site if self.below == EVERYWHERE else self.site + self.below
        match self.kind:
            case RewriteKind.PARAMETER:
                words = f"drop parameter {self.what}"
            case RewriteKind.DOCUMENT:
                words = f"drop {self.what}"
            case RewriteKind.SLASH:
                words = "add the trailing slash" if self.by else "drop the trailing slash"
            case RewriteKind.SEGMENT:
                words = f"/{self.what}/ → /{self.by + '/' if self.by else ''}"
            case RewriteKind.CASE:
                words = "lower-case path"
            case RewriteKind.SCHEME | RewriteKind.HOST:
                words = f"{self.what} → {self.by}"
        return f"{place}: {words}"


def inverse(rule: RewriteRule) -> RewriteRule:
    """The rule that would lead back; of a rule that only drops something, one that cannot be."""
    if rule.kind is RewriteKind.SLASH:
        return replace(rule, by="" if rule.by else "/")
    return replace(rule, what=rule.by, by=rule.what)


class _Parts(Struct, frozen=True):
    scheme: str
    site: str
    path: str
    query: str


def site_of(url: Url) -> str:
    """What a rule calls the site: host, and port where there is one."""
    return _parts(url).site


def section(url: Url) -> str:
    """The first step of the path: a directory, or the document where there is none."""
    path = _parts(url).path
    first, slash, _ = path[1:].partition("/")
    return f"/{first}{slash}"


def applied(rule: RewriteRule, url: Url) -> Url | None:
    """The URL that the rule makes of this one; None where it has nothing to say."""
    parts = _parts(url)
    if parts.site != rule.site or not parts.path.startswith(rule.below):
        return None
    made = _made(rule, parts)
    if made is None:
        return None
    normal = normalise(made)
    return None if isinstance(normal, Verdict) or normal == url else normal


def _made(rule: RewriteRule, parts: _Parts) -> str | None:
    scheme, site, path, query = parts.scheme, parts.site, parts.path, parts.query
    match rule.kind:
        case RewriteKind.PARAMETER:
            query = without(query, rule.what)
        case RewriteKind.DOCUMENT:
            path = path.removesuffix(rule.what) if path.endswith(f"/{rule.what}") else path
        case RewriteKind.SLASH:
            path = _slashed(path) if rule.by else path.rstrip("/") or "/"
        case RewriteKind.SEGMENT:
            path = f"/{path[1:]}".replace(f"/{rule.what}/", f"/{rule.by}/" if rule.by else "/", 1)
        case RewriteKind.CASE:
            path = _lower(path)
        case RewriteKind.SCHEME:
            scheme = rule.by if scheme == rule.what else scheme
        case RewriteKind.HOST:
            site = rule.by
    return _written(_Parts(scheme, site, path, query))


def difference(url: Url, preferred: Url) -> RewriteRule | None:
    """The one rule, good for the whole site, that makes `preferred` of `url`; None where more or less differs."""
    one, other = _parts(url), _parts(preferred)
    guesses = [
        *_in_scheme_or_host(one, other),
        *_in_path(one, other),
        *(RewriteRule(one.site, EVERYWHERE, RewriteKind.PARAMETER, name) for name in names(one.query)),
    ]
    return next((rule for rule in guesses if applied(rule, url) == preferred), None)


def _in_scheme_or_host(one: _Parts, other: _Parts) -> list[RewriteRule]:
    if one.site != other.site:
        return (
            [RewriteRule(one.site, EVERYWHERE, RewriteKind.HOST, one.site, other.site)]
            if _kin(one.site, other.site)
            else []
        )
    if one.scheme != other.scheme:
        return [RewriteRule(one.site, EVERYWHERE, RewriteKind.SCHEME, one.scheme, other.scheme)]
    return []


def _kin(site: str, other: str) -> bool:
    """Other hosts may hold the same page, but only www. says that they hold the same site."""
    return site.removeprefix("www.") == other.removeprefix("www.")


def _in_path(one: _Parts, other: _Parts) -> list[RewriteRule]:
    if one.path == other.path:
        return []
    rules = [RewriteRule(one.site, EVERYWHERE, RewriteKind.CASE)] if one.path.lower() == other.path.lower() else []
    document = one.path.rpartition("/")[2]
    if document in DEFAULT_DOCUMENTS:
        rules.append(RewriteRule(one.site, EVERYWHERE, RewriteKind.DOCUMENT, document))
    if one.path.rstrip("/") == other.path.rstrip("/"):
        rules.append(RewriteRule(one.site, EVERYWHERE, RewriteKind.SLASH, "", "/" if other.path.endswith("/") else ""))
    return rules + _segments(one, other)


def _segments(one: _Parts, other: _Parts) -> list[RewriteRule]:
    """A directory more, or another in its place."""
    mine, theirs = one.path.split("/")[1:], other.path.split("/")[1:]
    at = next((i for i, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b), len(theirs))
    if at >= len(mine) - 1 or not mine[at]:
        return []
    by = theirs[at] if len(mine) == len(theirs) else ""
    return [RewriteRule(one.site, EVERYWHERE, RewriteKind.SEGMENT, mine[at], by)]


def single_variants(url: Url) -> list[tuple[RewriteRule, Url]]:
    """Every rule of the kinds that can be told from one URL alone, with what it would make of it."""
    parts = _parts(url)
    rules = [RewriteRule(parts.site, EVERYWHERE, RewriteKind.PARAMETER, name) for name in names(parts.query)]
    document = parts.path.rpartition("/")[2]
    if document in DEFAULT_DOCUMENTS:
        rules.append(RewriteRule(parts.site, EVERYWHERE, RewriteKind.DOCUMENT, document))
    rules.append(RewriteRule(parts.site, EVERYWHERE, RewriteKind.CASE))
    return [(rule, made) for rule in rules if (made := applied(rule, url)) is not None]


def names(query: str) -> list[str]:
    """The parameters by name, each once; none where there are too many."""
    found = list(dict.fromkeys(part.partition("=")[0] for part in query.split("&") if part))
    return found if len(found) <= MOST_PARAMETERS else []


def values(url: Url, name: str) -> frozenset[str]:
    """What the URL says of a parameter: usually one value."""
    parts = (part.partition("=") for part in _parts(url).query.split("&"))
    return frozenset(value for found, _, value in parts if found == name)


def without(query: str, name: str) -> str:
    return "&".join(part for part in query.split("&") if part.partition("=")[0] != name)


def _lower(path: str) -> str:
    return _parts(rewritten(Url(f"http://site{path}"), Rewrites(lower_path=True))).path


def _slashed(path: str) -> str:
    """A path whose last step looks like a document has no slash to add."""
    last = path.rpartition("/")[2]
    return f"{path}/" if last and "." not in last else path


def _parts(url: Url) -> _Parts:
    scheme, _, rest = url.partition("://")
    site, slash, tail = rest.partition("/")
    path, _, query = tail.partition("?")
    return _Parts(scheme, site, slash + path, query)


def _written(parts: _Parts) -> str:
    mark = "?" if parts.query else ""
    return f"{parts.scheme}://{parts.site}{parts.path}{mark}{parts.query}"
