"""How what the parser read, and what is remembered of traps and of changes, are kept: small, and quick to write."""

import msgspec
from isal import igzip_lib

from whimbrel.change.habits import MEMORY, Habits
from whimbrel.frontier.forms import FormState
from whimbrel.frontier.traps import PatternState
from whimbrel.records.change import Change, Spot
from whimbrel.records.visit import Reading

MOST_SPOTS = 40
MOST_CHARACTERS = 400

_encoder = msgspec.msgpack.Encoder()
_reading = msgspec.msgpack.Decoder(Reading)
_form = msgspec.msgpack.Decoder(FormState)
_pattern = msgspec.msgpack.Decoder(PatternState)
_habits = msgspec.msgpack.Decoder(Habits)
_spots = msgspec.msgpack.Decoder(tuple[list[Spot], list[Spot]])


def pack(reading: Reading) -> bytes:
    """ISA-L's level 0 leaves a tenth more bytes than level 1, in little more than half of the time."""
    return bytes(igzip_lib.compress(_encoder.encode(reading), 0, igzip_lib.COMP_GZIP))


def unpack(packed: bytes) -> Reading:
    return _reading.decode(igzip_lib.decompress(packed, igzip_lib.DECOMP_GZIP))


def dump_pattern(state: PatternState | FormState) -> bytes:
    return _encoder.encode(state)


def restore_pattern(packed: bytes) -> PatternState:
    return _pattern.decode(packed)


def restore_form(packed: bytes) -> FormState:
    return _form.decode(packed)


def packed_spots(change: Change) -> bytes:
    """What is kept of a change beside its versions: the places, shortened."""
    where = [_shortened(spot) for spot in change.where[:MOST_SPOTS]]
    noise = [_shortened(spot) for spot in change.noise[:MOST_SPOTS]]
    return _encoder.encode((where, noise))


def unpacked_spots(packed: bytes) -> tuple[list[Spot], list[Spot]]:
    if not packed:
        return [], []
    return _spots.decode(packed)


def packed_habits(habits: Habits) -> bytes:
    """Nothing at all while nothing has moved: most pages have no habits."""
    return _encoder.encode(habits) if habits.traces else b""


def unpacked_habits(packed: bytes, visits: int) -> Habits:
    """`visits` are those there were, for a page of which nothing is kept."""
    return _habits.decode(packed) if packed else Habits(min(visits, MEMORY))


def _shortened(spot: Spot) -> Spot:
    return msgspec.structs.replace(
        spot, before=spot.before[:MOST_CHARACTERS], after=spot.after[:MOST_CHARACTERS], place=spot.place[:200]
    )
