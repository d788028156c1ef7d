"""Tasks and lanes as migrants are given them."""

from collections.abc import Callable, Mapping

from whimbrel.migrants.home.books import LaneBook
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.migrants.wire import messages as wire
from whimbrel.records.role import Role
from whimbrel.records.task import NO_VALIDATORS, Task, Validators
from whimbrel.repository.contract import KnownUrl, Lease, RobotsCopy

Robots = Callable[[str], list[RobotsCopy]]
"""What is kept of the robots.txt files of a host."""


def introduce(robots_of: Robots, book: LaneBook, proxy: Proxy, now: float) -> Callable[[list[Task]], wire.LaneWork]:
    """A lane new to its migrant comes with what is known of it; whoever has it gets the tasks alone."""
    number, host = book.number, book.host
    slices = sum(1 for holder in book.holders if holder is proxy)
    if number in proxy.lanes:
        return lambda tasks: wire.LaneWork(number, host, 0.0, [], tasks, slices)
    proxy.lanes.add(number)
    robots, wait = robots_of(host), max(0.0, book.wait_until - now)
    shy, book.shy, strikes = book.shy, False, book.strikes
    return lambda tasks: wire.LaneWork(number, host, wait, robots, tasks, slices, shy, strikes)


def task_of(known: KnownUrl, lease: Lease, validators: Mapping[int, Validators]) -> Task:
    said = validators.get(known.key, NO_VALIDATORS)
    sitemap = known.asset == Role.SITEMAP
    return Task(known.key, known.url, known.depth, known.hops, lease.attempt, bool(known.asset), said, sitemap)
