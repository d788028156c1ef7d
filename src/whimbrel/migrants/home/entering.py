"""Index entries that came instead of pages, on their way to where searches find them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from whimbrel.flows.entries import EntryBook
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.migrants.wire.messages import Parcel
from whimbrel.records.visit import Visit


def take_entries(beside: Path, pending: Sequence[tuple[Proxy, Parcel]], claimed: Iterable[Visit]) -> None:
    """Before the commit: what the repository knows as an entry has one, also after a kill. Of a place only what its
    own visits stand for; home's own visits take entries away."""
    asked_for = {id(visit) for visit in claimed}
    for proxy, parcel in pending:
        told = [(proxy.place.name, visit) for visit in parcel.visits if id(visit) in asked_for]
        EntryBook(beside).settle(told, parcel.entries if proxy.place.sites else ())
