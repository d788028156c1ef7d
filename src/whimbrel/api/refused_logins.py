"""Logins that a site answered with a no: a run that nobody looks at leaves the site alone for a while, and longer each
time. Asking again every few minutes locks people out of their own accounts."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from whimbrel.api.credentials import Keys
from whimbrel.migrants.home.manager import Manager
from whimbrel.records.visit import Outcome, Visit
from whimbrel.repository.port.writer import Writer
from whimbrel.urls.normal import origin

REFUSED = "refused logins"
"""By this name the folder keeps which sites refused a login, how often in a row and when."""
FIRST_REST_SECONDS = 3600.0
LONGEST_REST_SECONDS = 86_400.0


class RefusedLogin(Struct, frozen=True):
    """`times` in a row, the last of them at `at`; `why` as a person was told."""

    times: int
    at: float
    why: str

    @property
    def until(self) -> float:
        return self.at + min(LONGEST_REST_SECONDS, FIRST_REST_SECONDS * 2.0 ** (self.times - 1))


def resting(keys: Keys, refused: Mapping[str, RefusedLogin], now: float) -> Keys:
    """The keys without those of sites that rest after a login was refused: such a site is not asked at all."""
    rests = {
        site.origins[0]: refused[one]
        for site in keys.sites
        for one in site.origins
        if site.login is not None and one in refused and refused[one].until > now
    }
    return replace(
        keys,
        sites=tuple(site for site in keys.sites if site.login is None or site.origins[0] not in rests),
        missing=(*keys.missing, *((f"{place}/", _words(one)) for place, one in rests.items())),
    )


def recalled(store: Writer) -> dict[str, RefusedLogin]:
    return msgspec.convert(store.recall(REFUSED) or {}, dict[str, RefusedLogin])


@contextmanager
def noted(manager: Manager, store: Writer) -> Iterator[None]:
    """What the run hears of logins is kept when the block ends."""
    before, let_in = recalled(store), set[str]()

    async def hear(visits: list[Visit]) -> None:
        let_in.update(origin(visit.url) for visit in visits if visit.outcome is not Outcome.DISCOVERED)

    if before:
        manager.listen(hear)
    try:
        yield
    finally:
        refused = manager.progress.refused_logins
        after = {site: one for site, one in before.items() if site not in let_in or site in refused}
        for site, why in refused.items():
            after[site] = RefusedLogin(before[site].times + 1 if site in before else 1, time.time(), why)
        if after != before:
            store.remember(REFUSED, msgspec.to_builtins(after))


def _words(one: RefusedLogin) -> str:
    until = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.until))
    times = "once" if one.times == 1 else f"{one.times} times in a row"
    return f"its login was refused {times}, and is tried again from {until} on, or by a refresh at once ({one.why})"
