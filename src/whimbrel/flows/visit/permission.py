"""May this host be asked at all? robots.txt after RFC 9309, from the asking to the answer.

A file that cannot be had because of the server (5xx, 429, unreachable) means "not now": nothing is refused and
nothing is fetched. So does one that the server keeps where we do not go: it is there, and may forbid anything. A file
that is not there (4xx) means everything is allowed.
"""

from msgspec import Struct

from whimbrel.dedupe import exact
from whimbrel.fetch import robots
from whimbrel.fetch.errors import one_line
from whimbrel.fetch.politeness import retry_after
from whimbrel.flows.visit.crawl import REDIRECTS, USER_INFO
from whimbrel.flows.visit.tools import Fetches
from whimbrel.records.response import Failure, FailureKind, Response
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.repository import warc
from whimbrel.repository.contract import RobotsCopy
from whimbrel.urls.normal import normalise
from whimbrel.urls.normal import origin as origin_of

FRESH_SECONDS = 86_400.0
MOST_REDIRECTS = 5
UNREACHABLE = 0
NOT_NOW_SECONDS = 3_600.0


class Permission(Struct, frozen=True):
    """`rules` is None while the file cannot be had; `reason` then says why."""

    rules: robots.AgentRules | None
    crawl_delay_seconds: float | None
    fresh_until: float
    reason: str


class RobotsAsked(Struct, frozen=True):
    """What asking for robots.txt gave: the copy, its archive records, and how long to wait where it says so.
    `kind` is the kind of failure where no answer came at all, `answered` as in `Failure`."""

    copy: RobotsCopy
    records: bytes
    reason: str
    retry_after_seconds: float | None
    kind: FailureKind | None = None
    answered: bool = False


def permission(copy: RobotsCopy, agent: str, reason: str = "") -> Permission:
    if copy.status == UNREACHABLE or copy.status == 429 or copy.status >= 500:
        return Permission(None, None, copy.at, reason or f"robots.txt answered {copy.status}")
    parsed = robots.parse(copy.body) if 200 <= copy.status < 300 else robots.ALLOW_ALL
    if parsed.unreadable:
        return Permission(None, None, copy.at, f"robots.txt cannot be read: {parsed.unreadable}")
    return Permission(parsed.for_agent(agent), parsed.crawl_delay(agent), copy.at + FRESH_SECONDS, "")


async def ask(origin: str, fetcher: Fetches, now: float) -> RobotsAsked:
    url = Url(f"{origin}/robots.txt")
    records = b""
    for _ in range(MOST_REDIRECTS + 1):
        answer = await fetcher.fetch(url, any_type=True)
        if not isinstance(answer, Response):
            return _not_had(origin, url, answer, records, now)
        records += _records(url, answer, now)
        if answer.status in REDIRECTS and "location" in answer.headers:
            target = normalise(answer.headers["location"], url)
            if isinstance(target, Verdict):
                return _kept_away(origin, answer.headers["location"], target, records, now)
            url = target
            continue
        wait = retry_after(answer.headers, now)
        copy = RobotsCopy(origin, now, answer.status, answer.body[: robots.LONGEST_BODY + 1])
        return RobotsAsked(copy, records, "", wait)
    # RFC 9309, 2.3.1.2: past five redirects the file may be taken as not there.
    return RobotsAsked(RobotsCopy(origin, now, 404, b""), records, "", None)


def _not_had(origin: str, url: Url, answer: Failure | Verdict, records: bytes, now: float) -> RobotsAsked:
    if isinstance(answer, Verdict) and origin_of(url) != origin:
        return _kept_away(origin, url, answer, records, now)
    if isinstance(answer, Verdict):
        # The guard refuses the pages of this host for the same reason; let it say so for each.
        return RobotsAsked(RobotsCopy(origin, now, 404, b""), records, answer.reason, None)
    copy = RobotsCopy(origin, now, UNREACHABLE, b"")
    return RobotsAsked(copy, records, f"robots.txt: {answer.detail}", None, answer.kind, answer.answered)


def _kept_away(origin: str, place: str, verdict: Verdict, records: bytes, now: float) -> RobotsAsked:
    """RFC 9309 §2.3.1.4: what exists and cannot be reached is taken to forbid everything. Asking at once again would
    lead to the same place."""
    shown = one_line(USER_INFO.sub("//", place))[:200]
    reason = f"robots.txt redirects to {shown}, where it may not be read ({verdict.rule}: {verdict.reason})"
    return RobotsAsked(RobotsCopy(origin, now, UNREACHABLE, b""), records, reason, NOT_NOW_SECONDS)


def _records(url: Url, response: Response, at: float) -> bytes:
    name = warc.record_id()
    digest = warc.labelled(exact.digest(response.raw))
    record = warc.response(
        url, at, response.address, response.protocol, response.head, response.raw, digest, name, response.private
    )
    return record + warc.request(url, at, response.request_head, name, response.private)
