"""A fetcher for tests: only what hangs takes as long as it may, and 127.0.0.1 counts as a seed."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from whimbrel.fetch.dns import NameResolver
from whimbrel.fetch.guard import AddressGuard
from whimbrel.fetch.http import Fetcher, FetchSettings
from whimbrel.records.response import Failure, Response
from whimbrel.records.task import NO_VALIDATORS, Validators
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict

PATIENCE_SECONDS = 300
Outcome = Response | Failure | Verdict
LOOPBACK = AddressGuard(seed_hosts=frozenset({"127.0.0.1", "localhost"}))


def settings(**changes: Any) -> FetchSettings:
    given: dict[str, Any] = {
        "user_agent": "whimbrel-test/1",
        "total_seconds": PATIENCE_SECONDS,
        "connect_seconds": PATIENCE_SECONDS,
        "stall_seconds": PATIENCE_SECONDS,
    }
    return FetchSettings(**{**given, **changes})


def run_with(
    use: Callable[[Fetcher], Coroutine[Any, Any, Any]],
    *,
    guard: AddressGuard = LOOPBACK,
    resolver: NameResolver | None = None,
    **changes: Any,
) -> Any:
    async def main() -> Any:
        fetcher = Fetcher(settings(**changes), guard, resolver or NameResolver())
        try:
            return await asyncio.wait_for(use(fetcher), 2 * PATIENCE_SECONDS)
        finally:
            await fetcher.close()

    return asyncio.run(main())


@pytest.fixture
def get() -> Callable[..., Outcome]:
    def one(url: str, validators: Validators = NO_VALIDATORS, *, any_type: bool = False, **changes: Any) -> Outcome:
        outcome: Outcome = run_with(lambda f: f.fetch(Url(url), validators, any_type=any_type), **changes)
        return outcome

    return one


@pytest.fixture
def use_fetcher() -> Callable[..., Any]:
    return run_with


def names(**hosts: list[str]) -> NameResolver:
    """A resolver that knows only these hosts; "_" stands for a dot."""
    known = {host.replace("_", "."): addresses for host, addresses in hosts.items()}

    async def lookup(host: str) -> list[str]:
        if host not in known:
            raise OSError("Name or service not known")
        return known[host]

    return NameResolver(lookup)


@pytest.fixture
def resolver_of() -> Callable[..., NameResolver]:
    return names
