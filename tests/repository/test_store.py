"""The writing end of a folder at size: hosts by the thousand, numbered once."""

import sqlite3
from pathlib import Path
from time import process_time

from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome
from whimbrel.repository.contract import FoundUrl, Plan
from whimbrel.repository.embedded.lanes import Lanes
from whimbrel.repository.embedded.store import Store

BATCH = 2_000


def hosts(first: int, count: int) -> Plan:
    """As many URLs, each on a host of its own, as a page of links to elsewhere brings."""
    return Plan(
        found=[
            FoundUrl(
                n, Url(f"http://h{n}.example/"), f"h{n}.example", 1, 0, 0, 0, None, 0.0, Outcome.OUT_OF_SCOPE, "", ""
            )
            for n in range(first, first + count)
        ]
    )


def seconds_for(store: Store, first: int, count: int) -> float:
    plan = hosts(first, count)
    began = process_time()
    store.commit(plan, 0.0)
    return process_time() - began


def test_a_new_host_costs_the_same_however_many_are_known(tmp_path: Path) -> None:
    store = Store(tmp_path)
    alone = min(seconds_for(store, n * BATCH, BATCH) for n in range(2))
    store.commit(hosts(100_000, 40_000), 0.0)
    crowded = min(seconds_for(store, (n + 2) * BATCH, BATCH) for n in range(3))
    store.close()
    assert crowded < 4 * alone


def test_hosts_keep_their_numbers_and_none_is_given_twice(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.commit(hosts(0, 3), 0.0)
    numbers = [store.lane(f"h{n}.example") for n in range(3)]
    store.close()
    again = Store(tmp_path)
    again.commit(hosts(3, 2), 0.0)
    assert [again.lane(f"h{n}.example") for n in range(3)] == numbers
    assert len({again.lane(f"h{n}.example") for n in range(5)}) == 5
    again.close()


def test_what_is_no_longer_remembered_is_looked_up() -> None:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE lane (id INTEGER PRIMARY KEY, host TEXT NOT NULL UNIQUE)")
    lanes = Lanes(database, most_remembered=2)
    first = [lanes.number(host) for host in "abcde"]
    assert len(set(first)) == 5
    assert [lanes.number(host) for host in "abcde"] == [lanes.find(host) for host in "abcde"] == first
    assert lanes.find("z") is None
    database.close()
