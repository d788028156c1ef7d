"""What became of an address that somebody links to."""

from collections.abc import Callable
from typing import Literal, get_args

from msgspec import Struct

from whimbrel.records.response import FailureKind
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome
from whimbrel.repository.views import ListedUrl

BadKind = Literal["missing", "soft", "moved", "unreachable", "error", "fragment"]
KINDS: tuple[BadKind, ...] = get_args(BadKind)
WORDS: dict[BadKind, str] = {
    "missing": "not there",
    "soft": "an error page that answers 200",
    "moved": "moved for good",
    "unreachable": "no answer",
    "error": "the server fails",
    "fragment": "a place that the page does not have",
}

LED_ASTRAY = (Outcome.FAILED, Outcome.GONE, Outcome.UNREACHABLE, Outcome.REDIRECTED)
SOFT = "soft_404"
MOST_HOPS = 12
_NOT_THERE = frozenset({"http_404", "http_410", "missing"})
_PERMANENT = frozenset({301, 308, 200})
"""RFC 9110 §15.4; 200 is a page that sends its readers on at once."""
_NO_ANSWER = frozenset(
    {FailureKind.DNS, FailureKind.CONNECT, FailureKind.CUT, FailureKind.TIMEOUT, FailureKind.SLOW, FailureKind.TLS}
)
_FAULTS = frozenset({FailureKind.PROTOCOL, FailureKind.REDIRECT, FailureKind.HEADERS_TOO_LARGE})


class BadStanding(Struct, frozen=True):
    """Why an address is bad to link to. `leads_to` is where it moved, or where it sends its readers in vain."""

    kind: BadKind
    reason: str
    leads_to: Url | None = None


def standing(listed: ListedUrl) -> BadStanding | None:
    """Of an address that redirects to nowhere else; None where it is in order, or where nobody can say."""
    if listed.rule == SOFT:
        return BadStanding("soft", listed.reason)
    if listed.outcome == Outcome.GONE:
        return BadStanding("missing", listed.reason)
    if listed.outcome not in (Outcome.FAILED, Outcome.UNREACHABLE):
        return None
    if listed.rule in _NOT_THERE:
        return BadStanding("missing", listed.reason)
    if listed.rule in _NO_ANSWER:
        return BadStanding("unreachable", listed.reason)
    if listed.status >= 500 or listed.rule in _FAULTS:
        return BadStanding("error", listed.reason)
    # Refused to us (401, 403), too large, of another type: a reader may well see it.
    return None


def where_it_ends(
    listed: ListedUrl, target_of: Callable[[Url], Url | None], known: Callable[[Url], ListedUrl | None]
) -> BadStanding | None:
    """The same of an address that redirects: it is as good as its end, and moved where it says so for good."""
    permanent = listed.status in _PERMANENT
    last, end, seen = listed, listed.url, {listed.url}
    for _ in range(MOST_HOPS):
        target = target_of(last.url)
        if target is None or target in seen:
            break
        seen.add(target)
        end = target
        following = known(target)
        if following is None:
            break
        last = following
        if last.outcome != Outcome.REDIRECTED:
            break
        permanent = permanent and last.status in _PERMANENT
    broken = standing(last)
    if broken is not None:
        return BadStanding(broken.kind, f"redirects to {end}: {broken.reason}", end)
    return BadStanding("moved", f"to {end}", end) if permanent and end != listed.url else None
