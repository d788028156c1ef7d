"""What the hosts of a migrant's lanes consent to: their robots.txt, as far as it is known."""

from collections.abc import Callable
from math import inf

from whimbrel.flows.visit.permission import Permission, permission
from whimbrel.migrants.away.lanes import Lane
from whimbrel.migrants.clock import Clock
from whimbrel.migrants.wire.messages import Brief
from whimbrel.records.task import Task
from whimbrel.records.visit import Outcome, Visit
from whimbrel.repository.contract import RobotsCopy
from whimbrel.urls.acts import Acts
from whimbrel.urls.normal import origin as origin_of


class Consent:
    """Looks a task's permission up; asking the server for it is the host's."""

    def __init__(self, brief: Brief, note: Callable[[str], None], clock: Clock) -> None:
        self._agent = brief.agent
        self._off_hosts = frozenset(brief.robots_off_hosts)
        self._note = note
        self._clock = clock
        self._closed = brief.closed
        self._hours = {host: (hours, text) for host, hours, text in brief.site_hours}
        self._acts = Acts(brief.avoid)

    def known(self, lane: Lane, task: Task) -> Permission | None:
        """What the host's robots.txt says; None when it has to be asked for first."""
        origin = origin_of(task.url)
        known = lane.permissions.get(origin)
        if known is None and (copy := self._copy(lane, origin)) is not None:
            known = self.learn(lane, origin, permission(copy, self._agent))
        if known is None or known.rules is None or known.fresh_until < self._clock.time():
            return None
        return known

    def closed(self, task: Task) -> str:
        """Why the task's site is not asked in this run, or ""."""
        return next((why for prefix, why in self._closed if task.url.startswith(prefix)), "")

    def wait(self, lane: Lane) -> tuple[float, str]:
        """Seconds until the hours begin in which the host may be asked, and which these are."""
        if lane.host not in self._hours:
            return 0.0, ""
        hours, text = self._hours[lane.host]
        return hours.seconds_until(self._clock.time()), text

    def _copy(self, lane: Lane, origin: str) -> RobotsCopy | None:
        if lane.host in self._off_hosts:
            return RobotsCopy(origin, inf, 404, b"")
        return lane.copies.pop(origin, None)

    def learn(self, lane: Lane, origin: str, known: Permission) -> Permission:
        lane.permissions[origin] = known
        if lane.courtesy is not None and known.rules is not None:
            lane.courtesy.learn(known.crawl_delay_seconds)
            if known.crawl_delay_seconds is not None:
                self._note(f"{lane.host}: {lane.courtesy.delay_reason}")
        return known

    def refusal(self, task: Task, known: Permission) -> Visit | None:
        """The end of a task that robots.txt does not allow, or that acts; None where it may be done."""
        assert known.rules is not None, "known says so only with rules"
        verdict = known.rules.judge(task.url)
        if verdict.accepted and task.depth:
            verdict = self._acts.judge(task.url)
        if verdict.accepted:
            return None
        at = self._clock.time()
        return Visit(task.key, task.url, task.depth, Outcome.REFUSED, verdict.rule, verdict.reason, 0, at, 0)
