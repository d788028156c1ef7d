"""What a browser sends: believed within what a person can do, else refused whole and with a reason."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.readers.contract import LATEST_DAYS, Bundle
from whimbrel.readers.sending import MOST_DEEDS, Sent, bundle_of, token_of
from whimbrel.records.deed import Action

NOW = 1_800_000_000.0
CLOCK = 5_000.0
"""The browser's, which may be wrong by years."""


def batch(**changed: Any) -> bytes:
    sent = {
        "batch": "a-batch-of-events",
        "url": "http://a.example/",
        "v": 3,
        "q": "tides",
        "seal": "right",
        "sent": CLOCK,
        "deeds": [["scroll", 1, CLOCK - 10], ["time", 12.5, CLOCK]],
    }
    return json.dumps(sent | changed).encode()


def read(body: bytes) -> Bundle | str:
    return bundle_of(body, 7, lambda sent: sent.seal == "right", NOW)


def test_what_was_done_is_dated_by_our_own_clock() -> None:
    taken = read(batch(place=0.25))
    assert isinstance(taken, Bundle)
    assert (taken.reader, taken.url, taken.version, taken.query, taken.place) == (
        7,
        "http://a.example/",
        3,
        "tides",
        0.25,
    )
    assert [(one.action, one.amount, one.at) for one in taken.did] == [
        (Action.SCROLL, 1, NOW - 10),
        (Action.TIME, 12.5, NOW),
    ]


REFUSED = {
    "not JSON": b"\xff{",
    "no object": b"[]",
    "no deeds": batch(deeds=[]),
    "too many": batch(deeds=[["scroll", 1, CLOCK]] * (MOST_DEEDS + 1)),
    "of the future": batch(deeds=[["scroll", 1, CLOCK + 60]]),
    "too old": batch(deeds=[["scroll", 1, CLOCK - (LATEST_DAYS + 1) * 86_400]]),
    "negative": batch(deeds=[["scroll", -1, CLOCK]]),
    "nothing": batch(deeds=[["scroll", 0, CLOCK]]),
    "huge": batch(deeds=[["scroll", 1e18, CLOCK]]),
    "longer than a day": batch(deeds=[["time", 90_000, CLOCK]]),
    "no number": batch(deeds=[["scroll", 1, CLOCK]], sent=float("nan")),
    "an unknown action": batch(deeds=[["dance", 1, CLOCK]]),
    "stars, which have a form": batch(deeds=[["stars", 5, CLOCK]]),
    "shown, which the server sees": batch(deeds=[["shown", 1, CLOCK]]),
    "another page's seal": batch(seal="wrong"),
    "a short name": batch(batch="x"),
    "a long address": batch(url="http://a.example/" + "x" * 20_000),
    "a wild version": batch(v=-1),
    "words for a number": batch(v="3"),
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_what_no_reader_does_is_refused_whole(body: bytes) -> None:
    said = read(body)
    assert isinstance(said, str)
    assert said.endswith((".", "`")) or ":" in said
    assert len(said) < 300


@given(st.binary(max_size=300))
def test_any_bytes_are_answered(body: bytes) -> None:
    assert isinstance(read(body), str)
    assert token_of(body) == ""


numbers = st.floats() | st.integers() | st.none() | st.text(max_size=5)


@given(
    st.lists(st.tuples(st.text(max_size=9) | st.sampled_from([each.word for each in Action]), numbers, numbers)),
    numbers,
)
def test_whatever_is_told_is_refused_or_within_bounds(deeds: list[Any], sent: Any) -> None:
    taken = read(batch(deeds=deeds, sent=sent))
    if isinstance(taken, Bundle):
        for one in taken.did:
            assert 0 < one.amount <= 86_400
            assert NOW - LATEST_DAYS * 86_400 <= one.at <= NOW


def test_the_token_is_found_without_reading_the_rest() -> None:
    assert token_of(b'{"deeds": "nonsense", "token": "abc"}') == "abc"
    assert token_of(batch()) == ""


def test_a_place_outside_the_page_is_at_its_end_or_untold() -> None:
    for given_place, told in ((7.0, 1.0), (-3.0, -1.0), (0.0, 0.0)):
        taken = read(batch(place=given_place))
        assert isinstance(taken, Bundle)
        assert taken.place == told


def test_a_sent_batch_names_everything_it_holds() -> None:
    assert set(Sent.__struct_fields__) == {"batch", "url", "v", "sent", "deeds", "seal", "q", "place"}
