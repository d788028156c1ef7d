"""Hosts on one address stay with one migrant; a host that moved is not called back to where nobody is left of them."""

import time

from whimbrel.migrants.home.books import EVERY_SLICE, LaneBook
from whimbrel.migrants.home.places import MigrantPlace
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.migrants.home.reception import Reception
from whimbrel.migrants.wire.messages import LaneNews

ADDRESS = "192.0.2.7"


class PlayedLedger:
    def __init__(self, *hosts: str) -> None:
        self.books = {number: LaneBook(number, host, shy=False) for number, host in enumerate(hosts, 1)}

    def book(self, number: int) -> LaneBook | None:
        return self.books.get(number)


def given(ledger: PlayedLedger, reception: Reception, proxy: Proxy, lane: int) -> None:
    """A lane goes to a migrant, which says where it is."""
    ledger.books[lane].give(EVERY_SLICE, proxy)
    proxy.lanes.add(lane)
    reception.hear(proxy, LaneNews(lane, ADDRESS, False, 1))


def at_home(*hosts: str) -> tuple[PlayedLedger, Reception, Proxy, Proxy]:
    ledger = PlayedLedger(*hosts)
    one, other = (Proxy(name, MigrantPlace("here"), "", 0.0) for name in ("m1", "m2"))
    reception = Reception(
        None, ledger, [one, other], wake=lambda: None, hear=lambda proxy, message: None, clock=time  # type: ignore[arg-type]
    )  # fmt: skip
    return ledger, reception, one, other


def test_the_only_host_of_an_address_moves_and_stays_moved() -> None:
    ledger, reception, one, other = at_home("a.example")
    given(ledger, reception, one, 1)
    one.lanes.discard(1)  # it was asked back, and given to another
    given(ledger, reception, other, 1)
    assert ledger.books[1].moving is None
    assert not reception.shares_address(other, 1)
    given(ledger, reception, one, 1)
    assert ledger.books[1].moving is one, "what another asks there now is not asked by two"


def test_hosts_of_one_address_come_together_and_are_not_taken_apart() -> None:
    ledger, reception, one, other = at_home("a.example", "b.example")
    given(ledger, reception, one, 1)
    given(ledger, reception, other, 2)
    assert ledger.books[2].moving is other
    assert set(ledger.books[2].heirs.values()) == {one}
    other.lanes.discard(2)
    ledger.books[2].settled(other)
    given(ledger, reception, one, 2)
    assert ledger.books[2].moving is None
    assert reception.shares_address(one, 1)
    assert reception.shares_address(one, 2)
