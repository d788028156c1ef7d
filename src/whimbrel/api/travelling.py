"""How a run reaches the places that have joined a folder, where there are any."""

import asyncio
import importlib.util
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from msgspec.structs import replace

from whimbrel.config import ConfigError
from whimbrel.migrants.clock import Clock
from whimbrel.migrants.home.manager import Manager
from whimbrel.migrants.home.staff import Staff
from whimbrel.migrants.wire.messages import Brief
from whimbrel.places.home.book import PlaceBook, PlaceStanding
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome, Visit
from whimbrel.repository.contract import HeldVersion, Roll, Visited
from whimbrel.repository.engines import open_reader
from whimbrel.repository.location import Where
from whimbrel.repository.port.writer import Writer
from whimbrel.urls.normal import host as host_of

NOT_MODIFIED = 304
ABSENT = frozenset({404, 410})

if TYPE_CHECKING:
    from whimbrel.flows.copies import DecodedCopy
    from whimbrel.places.home.carrier import PlacesCarrier
    from whimbrel.places.home.checking import PlaceChecker


def has_places(beside: Path) -> bool:
    """Whether some place has joined, and NATS is needed to reach it."""
    book = PlaceBook(beside)
    return book.exists and any(place.standing is PlaceStanding.JOINED for place in book.read().places.values())


def far_carrier(beside: Path) -> "PlacesCarrier | None":
    if not has_places(beside):
        return None
    if importlib.util.find_spec("nats") is None:
        raise ConfigError(
            "places have joined this folder, and what reaches them is not installed: the extra `places`. "
            "`whimbrel places open` adds it."
        )
    from whimbrel.places.home.carrier import PlacesCarrier
    from whimbrel.places.home.identity import AccountMissing
    from whimbrel.places.home.keeper import Keeper

    try:
        return PlacesCarrier(Keeper(beside))
    except AccountMissing as error:
        raise ConfigError(f"{error}.") from error


def with_places(staff: Staff, far: "PlacesCarrier | None", checker: "PlaceChecker | None", brief: Brief) -> Staff:
    """Sites that know us by a secret are visited from here: no place is told one."""
    if far is None or checker is None:
        return staff
    keeper, ours = far.keeper, known_by_secrets(brief)
    open_to = [replace(one, sites=tuple(host for host in one.sites if host not in ours)) for one in far.places()]
    places = (*staff.places, *(place for place in open_to if place.sites))
    return replace(
        staff, carrier=far, places=places, reach=keeper.reach, measures=keeper.measured, lost_at=keeper.failed,
        heard=checker.heard, busy=checker.busy,
    )  # fmt: skip


def known_by_secrets(brief: Brief) -> set[str]:
    """Hosts to which passwords, cookies or the like go."""
    return {host_of(Url(f"{origin}/")) for site in brief.fetch.sites for origin in site.origins}


def checker_for(far: "PlacesCarrier | None", store: Writer, brief: Brief, share: float) -> "PlaceChecker | None":
    """Who looks at some of the places' pages from home."""
    if far is None:
        return None
    from whimbrel.places.home.checking import PlaceChecker
    from whimbrel.places.home.said import SaidBook

    said = SaidBook(store.location.beside)
    checker = PlaceChecker(
        far.keeper, said, brief, share, partial(_kept, store.location), chance=Random(),
        expects=partial(expected_to_change, store),
    )  # fmt: skip
    checker.distrust(place.name for place in far.keeper.places if place.trust.doubt)
    return checker


def _kept(where: Where, url: Url) -> "DecodedCopy | None":
    from whimbrel.flows.copies import kept_copy

    with open_reader(where) as reader:
        versions = reader.versions(url)
        return kept_copy(reader.body(url, versions[-1])) if versions else None


def expected_to_change(store: Writer, visits: Sequence[Visit], clock: Clock = time) -> dict[int, float]:
    """Of those by which a place says that a page is as home knows it, here or not: how likely it was to have changed,
    by what the visits before told and by home's own clock."""
    from whimbrel.flows.refresh.expecting import Expecting
    from whimbrel.revisit.history import silent_chance

    said = {visit.key: visit.status for visit in visits}
    missing = store.past.held([key for key, status in said.items() if status in ABSENT])
    pages = store.past.candidates_among(said)
    expecting = Expecting(pages, {})
    now = clock.time()
    return {
        one.key: silent_chance(history, max(0.0, now - history.visited_at))
        for one, history in ((one, expecting.history(one)) for one in pages)
        if said[one.key] == NOT_MODIFIED or (said[one.key] in ABSENT and _is_missing(one, missing.get(one.key)))
    }


def _is_missing(one: Visited, held: HeldVersion | None) -> bool:
    """Whether home knows already that nothing is there."""
    return one.outcome in (Outcome.GONE, Outcome.FAILED) or (held is not None and bool(held.returned.absence))


def tally(far: "PlacesCarrier | None", rolls: Iterable[Roll], since: float) -> None:
    """Writes down what migrants that went to places in this run have done there."""
    if far is None:
        return
    for place in far.keeper.places:
        there = [roll for roll in rolls if roll.birthplace == place.name and roll.born_at >= since]
        if there:
            far.keeper.tally(place.name, sum(roll.visits for roll in there), sum(roll.received for roll in there))


@asynccontextmanager
async def reached(
    far: "PlacesCarrier | None", checker: "PlaceChecker | None", manager: Manager, brief: Brief | None
) -> AsyncIterator[None]:
    """While the block runs, places can dial home, and some of what they send is looked at."""
    if far is None or checker is None or brief is None:
        yield
        return
    from whimbrel.fetch.dns import NameResolver
    from whimbrel.fetch.http import Fetcher
    from whimbrel.migrants.judge import guard_of

    fetcher = Fetcher(brief.fetch, guard_of(brief), NameResolver())
    checker.refetch = manager.ask_afresh
    far.keeper.on_change = manager.wake
    far.keeper.awaiting.say = manager.progress.notes.append
    manager.progress.awaited = far.keeper.awaiting.until
    await far.keeper.open()
    looking = asyncio.create_task(checker.run(fetcher))
    try:
        yield
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
        await fetcher.close()
        await far.keeper.close()
        checker.close()
