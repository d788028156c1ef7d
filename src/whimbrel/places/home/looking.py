"""Whether home is shown what a place says it was shown: two answers to a request for one URL, compared as a refresh
compares two visits. Where they differ, home looks once more before it doubts anybody."""

from email.utils import parsedate_to_datetime

from msgspec import Struct

from whimbrel.change.decide import decide
from whimbrel.dedupe.exact import digest
from whimbrel.flows.copies import DecodedCopy
from whimbrel.flows.refresh.comparing import COMPARED, lasting_in
from whimbrel.flows.visit.crawl import REDIRECTS
from whimbrel.records.change import NO_CHANGE, Change
from whimbrel.records.response import Response
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.urls.normal import normalise

_DOCUMENT = frozenset({200, 203})
_ABSENT = frozenset({404, 410})
_SLACK_SECONDS = 2.0
"""Dates of HTTP are whole seconds, and the server's two are not taken in one moment."""
_OTHER = Change(True, ("content",), 1.0, (), ())


class ShownAnswer(Struct, frozen=True):
    """What was shown for a URL, as far as it can be compared: `kind` "page", "absent", or "redirect" and then the
    `target`; anything else says nothing."""

    kind: str
    copy: DecodedCopy | None = None
    target: str = ""


def shown(url: Url, status: int, headers: dict[str, str], body: bytes) -> ShownAnswer | None:
    if status in _DOCUMENT:
        return ShownAnswer("page", DecodedCopy(headers, body, url))
    if status in _ABSENT:
        return ShownAnswer("absent")
    if status in REDIRECTS:
        target = normalise(headers.get("location", ""), url)
        return ShownAnswer("redirect", target="" if isinstance(target, Verdict) else target)
    return None


def shown_to_us(response: Response) -> ShownAnswer | None:
    return shown(response.url, response.status, response.headers, response.body)


def difference(before: ShownAnswer, after: ShownAnswer) -> Change:
    """What is another in it; what changes by itself, such as a date or a token, is nothing."""
    if before.kind != after.kind or before.target != after.target:
        return _OTHER
    if before.copy is None or after.copy is None:
        return NO_CHANGE
    if digest(before.copy.body) == digest(after.copy.body):
        return NO_CHANGE
    if not _readable(before) or not _readable(after):
        return _OTHER
    return decide(before.copy.version(), after.copy.version())


def differ(before: ShownAnswer, after: ShownAnswer) -> bool:
    change = difference(before, after)
    # Also what nobody reads, such as a script: that is where harm would be put.
    return change is _OTHER or bool(change.where)


def left(claimed: ShownAnswer, first: ShownAnswer, second: ShownAnswer) -> bool:
    """Whether a place's word differs from what home was shown twice, beyond what home's two looks differ by."""
    change, again = difference(claimed, first), difference(first, second)
    if again is _OTHER:
        return False
    if change is _OTHER or second.copy is None:
        return not again.where
    return bool(lasting_in(change, second.copy.version(), again).where)


def edited_since(response: Response, seconds: float) -> bool:
    """Whether the server says that the page was changed within the last so many seconds; by its own clock alone."""
    modified, now = (_moment(response.headers.get(name, "")) for name in ("last-modified", "date"))
    return modified is not None and now is not None and now - modified <= seconds + _SLACK_SECONDS


def _moment(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def _readable(answer: ShownAnswer) -> bool:
    return answer.copy is not None and answer.copy.content_type.lower().startswith(COMPARED)
