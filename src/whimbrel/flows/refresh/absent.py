"""Pages that may be gone: what is told of them while they are waited for, and how the wait is cut short."""

from msgspec import Struct

from whimbrel.flows.refresh.holding import unpacked_absence
from whimbrel.records.url import Url
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.port.writer import Past
from whimbrel.repository.views import Site


class MissingPage(Struct, frozen=True):
    """A kept page that was missing or in doubt at its last visits. `asked_again_at` is None where it waits for its
    turn."""

    url: Url
    title: str
    since: float
    asked_again_at: float | None
    reason: str


def missing(reader: Reader, site: Site | None = None) -> list[MissingPage]:
    """Those that are asked for first in front."""
    return [
        MissingPage(one.url, one.title, absence.since, one.due_at, one.reason)
        for one in reader.absent(site)
        if (absence := unpacked_absence(one.absence)) is not None
    ]


def hastened(past: Past, now: float, wait_seconds: float) -> dict[int, float]:
    """When each page that is waited for is asked for instead: as soon as a second answer says more than the first."""
    since = {key: unpacked_absence(packed) for key, packed in past.absent().items()}
    moments = {key: max(now, one.since + wait_seconds) for key, one in since.items() if one is not None}
    past.hasten(moments)
    return moments
