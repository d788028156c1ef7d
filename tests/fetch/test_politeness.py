"""When a host may be asked again."""

from itertools import pairwise
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.fetch.politeness import (
    AddressBook,
    Courtesy,
    PolitenessSettings,
    effective_delay,
    retry_after,
    under_owner,
)
from whimbrel.testing.clock import JumpingClock

DEFAULT = PolitenessSettings()


@pytest.mark.parametrize(
    ("settings", "crawl_delay", "loopback", "seconds", "words"),
    [
        (DEFAULT, None, False, 1.0, "by default"),
        (PolitenessSettings(3.0, True), None, False, 3.0, "as given"),
        (PolitenessSettings(3.0, True), 10.0, False, 10.0, "Crawl-delay"),
        (PolitenessSettings(3.0, True), 0.5, False, 0.5, "Crawl-delay"),
        (DEFAULT, 600.0, False, 60.0, "clamped at 60 s"),
        (DEFAULT, -1.0, False, 1.0, "by default"),
        (DEFAULT, 10.0, True, 0.0, "loopback"),
        (PolitenessSettings(2.0, True), 10.0, True, 2.0, "loopback"),
        (PolitenessSettings(0.0, True), None, True, 0.0, "loopback"),
    ],
)
def test_where_the_delay_comes_from(settings, crawl_delay, loopback, seconds, words):
    delay, reason = effective_delay(settings, crawl_delay, loopback)
    assert delay == seconds
    assert words in reason


def test_one_request_a_second_and_one_at_a_time():
    clock = JumpingClock()
    host = Courtesy(DEFAULT)
    assert host.free(clock())
    host.started(clock())
    assert not host.free(clock.jump(5))  # still under way
    host.finished(clock(), 5.0)
    assert not host.free(clock())  # twice the response time after the start
    assert host.ready_at() == clock() + 5
    assert host.free(clock.jump(5))


def test_a_quick_host_waits_for_the_delay_only():
    clock = JumpingClock()
    host = Courtesy(DEFAULT)
    start = clock()
    host.started(start)
    host.finished(clock.jump(0.1), 0.1)
    assert host.ready_at() == pytest.approx(start + 1.1)  # how long the way is, is not known yet
    again = clock.jump(1.0)
    host.started(again)
    host.finished(clock.jump(0.1), 0.1)
    assert host.ready_at() == pytest.approx(again + 1.0)


def test_what_an_answer_took_beyond_the_quickest_is_waited_for():
    host = Courtesy(DEFAULT)
    for start, took in ((0.0, 0.1), (10.0, 0.4)):
        host.started(start)
        host.finished(start + took, took)
    assert host.ready_at() == pytest.approx(10.0 + 0.3 + 1.0)


def test_the_stretch_is_capped():
    host = Courtesy(DEFAULT)
    host.started(0.0)
    host.finished(100.0, 100.0)
    assert not host.free(100.9)
    assert host.free(101.0)


def test_loopback_takes_thirty_two_at_a_time_without_delay():
    host = Courtesy(DEFAULT, loopback=True)
    for _ in range(32):
        assert host.free(7.0)
        host.started(7.0)
    assert not host.free(7.0)
    host.finished(8.0, 1.0)
    assert host.free(8.0)


def test_loopback_with_a_given_delay_takes_one_at_a_time():
    host = Courtesy(PolitenessSettings(2.0, True), loopback=True)
    host.started(0.0)
    host.finished(1.9, 1.9)
    assert not host.free(3.8)
    assert host.free(3.9)


def test_a_crawl_delay_learnt_later_counts_from_the_last_request():
    host = Courtesy(DEFAULT)
    host.started(10.0)
    host.finished(10.1, 0.1)
    host.learn(20.0)
    assert host.ready_at() == pytest.approx(30.1)
    assert "Crawl-delay" in host.delay_reason


def test_back_off_doubles_is_capped_and_is_reset_by_success():
    clock = JumpingClock()
    host = Courtesy(DEFAULT)
    waits = []
    for _ in range(10):
        waits.append(host.backoff(clock(), None))
        assert not host.free(clock())
        clock.jump(waits[-1])
        assert host.free(clock())
    assert waits[:4] == [5, 10, 20, 40]
    assert max(waits) == 900
    host.recovered()
    assert host.backoff(clock(), None) == 5


def test_retry_after_is_obeyed_and_grows_when_it_did_not_help():
    host = Courtesy(DEFAULT)
    assert host.backoff(0.0, 2.0) == 2.0
    assert host.backoff(2.0, 2.0) == 10.0
    assert host.backoff(12.0, 3600.0) == 3600.0
    assert host.backoff(3612.0, 1e12) == 86_400.0


def test_complaints_about_requests_under_way_count_once():
    host = Courtesy(DEFAULT, loopback=True)
    assert [host.backoff(0.0 + n / 10, None) for n in range(4)] == [5, 5, 5, 5]


def test_a_hold_is_never_shortened():
    host = Courtesy(DEFAULT)
    host.hold(50.0)
    host.hold(20.0)
    assert host.ready_at() == 50.0


def test_hosts_on_one_address_share_its_spacing():
    book = AddressBook(DEFAULT)
    assert book.free("192.0.2.1", 0.0)
    book.started("192.0.2.1", 0.0, loopback=False)
    book.started("127.0.0.1", 0.0, loopback=True)
    assert not book.free("192.0.2.1", 0.4)
    assert book.free("192.0.2.2", 0.4)
    assert book.free("127.0.0.1", 0.0)
    assert book.ready_at("192.0.2.1") == 0.5
    book.forget_past(0.5)
    assert book.ready_at("192.0.2.1") == -inf


@pytest.mark.parametrize(
    ("given_delay", "site_delay", "owner_delay", "host", "address"),
    [
        (None, None, 0.0, 1.0, 0.5),  # at home, among strangers
        (None, None, 0.05, 0.05, 0.05),  # the owner allows twenty a second
        (None, None, 4.0, 4.0, 0.5),
        (2.0, None, 0.05, 2.0, 0.05),  # the user asked for less
        (0.0, None, 0.05, 0.05, 0.05),
        (None, 3.0, 0.05, 3.0, 0.05),
        (2.0, 0.0, 0.0, 0.0, 0.5),
    ],
)
def test_an_owner_says_how_often_their_site_may_be_asked(given_delay, site_delay, owner_delay, host, address):
    settings = DEFAULT if given_delay is None else PolitenessSettings(given_delay, delay_given=True)
    found = under_owner(settings, site_delay, owner_delay)
    assert (effective_delay(found, None, False)[0], found.address_delay_seconds) == (host, address)
    assert effective_delay(found, 7.0, False)[0] == 7.0  # robots.txt still counts
    assert effective_delay(found, 0.001, False)[0] >= owner_delay  # and lifts no limit of the owner's


@given(st.lists(st.tuples(st.floats(0, 5), st.floats(0, 5)), min_size=1, max_size=30))
def test_two_starts_are_never_closer_than_the_delay(steps):
    clock = JumpingClock(0.0)
    host = Courtesy(DEFAULT)
    starts = []
    for pause, elapsed in steps:
        clock.jump(pause)
        if host.free(clock()):
            starts.append(clock())
            host.started(clock())
            host.finished(clock.jump(elapsed), elapsed)
    assert all(earlier + 1.0 <= later for earlier, later in pairwise(starts))
    assert host.free(host.ready_at())


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("Thu, 01 Jan 1970 00:02:00 GMT", 20.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("Thursday, 01-Jan-70 00:02:00 GMT", 20.0),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("", None),
        ("Thu, 99 Jan 1970 99:99:99 GMT", None),
    ],
)
def test_retry_after_in_both_forms(value, seconds):
    assert retry_after({"retry-after": value}, now=100.0) == seconds


@given(st.text())
def test_retry_after_reads_anything(value):
    wait = retry_after({"retry-after": value}, now=0.0)
    assert wait is None or wait >= 0
