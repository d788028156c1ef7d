"""How what the parser read, and what is remembered of traps and of changes, are kept: small, and quick to write."""

import msgspec
from isal import igzip_lib
from msgspec import Struct

from whimbrel.change.habits import MEMORY, Habits
from whimbrel.frontier.forms import FormState
from whimbrel.frontier.traps import PatternState
from whimbrel.records.change import Change, Spot
from whimbrel.records.url import Url
from whimbrel.records.visit import Reading

MOST_SPOTS = 40
MOST_CHARACTERS = 400
LONGEST_PLACE = 200


class _WordsAlone(Struct, frozen=True, array_like=True, gc=False):
    """What a page says; its links are skipped."""

    text: str
    urls: msgspec.Raw
    anchors: msgspec.Raw
    followed: msgspec.Raw
    headings: str = ""
    marks: msgspec.Raw = msgspec.Raw(b"\x90")
    written_at: float = 0.0


class SnippetSource(Struct, frozen=True, array_like=True, gc=False):
    """What a snippet is cut from: the text, what its links say, and where its headings are."""

    text: str
    urls: msgspec.Raw = msgspec.Raw(b"\x90")
    anchors: list[str] = []
    followed: msgspec.Raw = msgspec.Raw(b"\x90")
    headings: str = ""
    marks: list[str] = []


class _LinksAlone(Struct, frozen=True, array_like=True, gc=False):
    """The fields that follow."""

    text: msgspec.Raw
    urls: list[Url]
    anchors: list[str]


_encoder = msgspec.msgpack.Encoder()
_reading = msgspec.msgpack.Decoder(Reading)
_form = msgspec.msgpack.Decoder(FormState)
_pattern = msgspec.msgpack.Decoder(PatternState)
_habits = msgspec.msgpack.Decoder(Habits)
_spots = msgspec.msgpack.Decoder(tuple[list[Spot], list[Spot]])
_words_alone = msgspec.msgpack.Decoder(_WordsAlone)
_shown = msgspec.msgpack.Decoder(SnippetSource)
_links_alone = msgspec.msgpack.Decoder(_LinksAlone)


def pack(reading: Reading) -> bytes:
    """ISA-L's level 0 leaves a tenth more bytes than level 1, in little more than half of the time."""
    return bytes(igzip_lib.compress(_encoder.encode(reading), 0, igzip_lib.COMP_GZIP))


def unpack(packed: bytes) -> Reading:
    return _reading.decode(_inflated(packed))


def words_of(packed: bytes) -> tuple[str, str, float]:
    """The text and the headings of a packed reading, and when it says that it was written, without its links."""
    words = _words_alone.decode(_inflated(packed))
    return words.text, words.headings, words.written_at


def shown_of(packed: bytes) -> SnippetSource:
    return _shown.decode(_inflated(packed))


def links_of(packed: bytes) -> tuple[list[Url], list[str]]:
    """The targets of a packed reading's links and what it calls them, in parallel."""
    links = _links_alone.decode(_inflated(packed))
    return links.urls, links.anchors


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


def _inflated(packed: bytes) -> bytes:
    return bytes(igzip_lib.decompress(packed, igzip_lib.DECOMP_GZIP))


def _shortened(spot: Spot) -> Spot:
    return msgspec.structs.replace(
        spot, before=spot.before[:MOST_CHARACTERS], after=spot.after[:MOST_CHARACTERS], place=spot.place[:LONGEST_PLACE]
    )
