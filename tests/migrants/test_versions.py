"""What releases said is still read and said: by the very bytes that they wrote down (`said/record.py`)."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from whimbrel.migrants.wire import before
from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.itinerary import Gate, Itinerary, Seal, digest
from whimbrel.migrants.wire.speech import SPEECHES, SPOKEN, common, speech, who_is_old
from whimbrel.places.link import calls

SAID = Path(__file__).parent / "said"
BETWEEN = {
    kind.__name__: kind for kind in (calls.Knock, calls.LetIn, calls.Here, calls.Call, calls.Called, calls.Notice)
}


def said(version: int) -> dict[tuple[str, str], bytes]:
    rows = (line.split() for line in (SAID / f"{version}.txt").read_text().splitlines())
    return {(side, name): bytes.fromhex(message) for side, name, message in rows}


def read(side: str, body: bytes) -> "wire.FromHome | wire.FromMigrant":
    return wire.read_from_home(body) if side == "home" else wire.read_from_migrant(body)


def test_this_release_and_the_one_before_are_written_down_whole() -> None:
    assert SPOKEN == [wire.VERSION, wire.VERSION - 1]
    kinds = {kind.__name__ for union in (wire.FromHome, wire.FromMigrant) for kind in union.__args__}
    for version in SPOKEN:
        assert {name for _, name in said(version)} == kinds | set(BETWEEN)


@pytest.mark.parametrize("version", SPOKEN)
def test_what_a_release_said_is_read_and_said_again_to_the_letter(version: int) -> None:
    """For today's version too: whoever alters a message without raising the version fails here."""
    for (side, name), body in said(version).items():
        if side != "between":
            message = read(side, body)
            assert type(message).__name__ == name
            if isinstance(message, wire.Brief | wire.Hello):
                assert message.version == version
                message = replace(message, version=wire.VERSION) if name == "Brief" else message
            assert SPEECHES[version].encode(message) == body, name


@pytest.mark.parametrize("version", SPOKEN)
def test_what_places_and_homes_of_a_release_call_is_understood(version: int) -> None:
    told = {
        name: calls.decode(body, BETWEEN[name]) for (side, name), body in said(version).items() if side == "between"
    }
    assert common(told["Here"].wire) == common(told["Knock"].wire) == told["Call"].wire == version
    assert told["Here"].cores == 0, "what a release did not tell is not known"


def test_a_place_of_the_release_before_is_not_asked_for_entries_and_sends_pages() -> None:
    told = wire.read_from_home(said(before.VERSION)["home", "Brief"])
    assert isinstance(told, wire.Brief)
    asks = replace(told, entries=True)
    assert not before.cannot_say(asks)
    assert before.encode(asks) == before.encode(told), "it has no words for them"
    assert wire.encode(asks) != wire.encode(told)
    parcel = wire.read_from_migrant(said(wire.VERSION)["migrant", "Parcel"])
    assert isinstance(parcel, wire.Parcel)
    heard = wire.read_from_migrant(before.encode(parcel))
    assert parcel.entries
    assert heard == replace(parcel, entries=[])


@pytest.mark.parametrize("version", SPOKEN)
def test_work_is_accepted_under_the_brief_as_it_was_said(version: int) -> None:
    """Also by whoever knows less of a brief, or more: it goes by the bytes that came."""
    body = said(version)["home", "Brief"]
    more = wire.encode(wire.read_from_home(body))
    sealed = Seal(bytes(32)).itinerary("m1", digest(body), 0, 1_000.0, [])
    home = Seal(bytes(32)).public
    assert isinstance(Gate(home, "m1", digest(body)).open(sealed, 1_000.0), Itinerary)
    refused = Gate(home, "m1", digest(more + b"\0")).open(sealed, 1_000.0)
    assert not isinstance(refused, Itinerary)
    assert refused.rule == "brief"


def test_who_is_too_old_is_told_what_to_type_and_where() -> None:
    assert common([wire.VERSION + 1, wire.VERSION]) == wire.VERSION
    assert common([wire.VERSION - 2]) == common([]) == 0
    behind = who_is_old([wire.VERSION - 2], "place `library`", "home")
    assert "place `library` is too old" in behind
    assert "In its checkout of Whimbrel: `git pull" in behind
    ahead = who_is_old([wire.VERSION + 2], "home", "place `library`")
    assert "place `library` is too old" in ahead
    assert "In this checkout" in ahead
    with pytest.raises(wire.WireError, match="speaks version 99, this one"):
        speech(99)
