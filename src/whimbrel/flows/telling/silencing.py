"""Not to be told of a change again: what of it can be silenced, and the word itself."""

from collections.abc import Collection, Sequence

from msgspec import Struct

from whimbrel.change.degree import is_read
from whimbrel.change.habits import Spots
from whimbrel.change.taught import pointed_at, takes
from whimbrel.flows.attention.book import AttentionBook, Reach
from whimbrel.flows.copies import copy_of
from whimbrel.flows.packing import LONGEST_PLACE, unpacked_spots
from whimbrel.flows.telling.folding import change_id
from whimbrel.flows.telling.wording import WordRun, cut, plainly, shortened, words_between
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Told

_CHARACTERS = 160
_NO_SUCH = "There is no change {id!r} here. `whimbrel changes --json` names each by its id."
UNNAMABLE = "No place of this change could be known again at another visit. Silence the whole page instead."


class SilencePlace(Struct, frozen=True):
    """A place of a change that can be silenced; `takes` says what one is no longer told of then."""

    number: int
    what: str
    place: str
    words: tuple[WordRun, ...]
    takes: str
    spots: Spots


class SilenceOffer(Struct, frozen=True):
    """`left` are places that nothing names: they would be told all the same."""

    told: Told
    places: tuple[SilencePlace, ...]
    left: int


def told_by(reader: Reader, id: str) -> Told | str:
    """The change of this id, or why there is none."""
    moment = id.partition("-")[0]
    try:
        at = int(moment, 16) / 1000 if len(id) == 20 else -1.0
    except ValueError:
        at = -1.0
    for batch in reader.batches(at - 0.001, at + 0.001, firsts=True, unread=True) if at > 0 else ():
        for told in batch:
            if change_id(told) == id:
                return told
    return _NO_SUCH.format(id=id[:40])


def offered(reader: Reader, told: Told) -> SilenceOffer:
    """The places that raised the alarm, in the order of the page."""
    where = [spot for spot in unpacked_spots(told.details)[0] if is_read(spot.kinds)]
    known = _known(reader, told)
    places = [
        SilencePlace(
            number, spot.what, spot.place, shortened(words_between(spot.before, spot.after), _CHARACTERS),
            takes(known[spot.what, spot.place]), known[spot.what, spot.place],
        )
        for number, spot in enumerate(where, 1)
        if (spot.what, spot.place) in known
    ]  # fmt: skip
    return SilenceOffer(told, tuple(places), len(where) - len(places))


def _known(reader: Reader, told: Told) -> dict[tuple[str, str], Spots]:
    if told.what != "changed" or told.before is None or told.after is None:
        return {}
    before, after = copy_of(reader, told.before), copy_of(reader, told.after)
    if before is None or after is None:
        return {}
    pointed = pointed_at(before.version(), after.version())
    return {(what, place[:LONGEST_PLACE]): spots for (what, place), spots in pointed.items()}


def silence(book: AttentionBook, offer: SilenceOffer, numbers: Collection[int], reach: Reach, now: float) -> int | str:
    """The number of the silence, or why there is none. No `numbers` are all places."""
    told = offer.told
    if reach == "page":
        return book.silence(told.url, told.title, reach, ["whatever happens to this page"], {}, now)
    chosen = [place for place in offer.places if not numbers or place.number in numbers]
    if not chosen:
        return UNNAMABLE if not offer.places else f"There is no place {min(numbers)} in this change."
    return book.silence(told.url, told.title, reach, list(map(_said, chosen)), _together(chosen), now)


def _said(place: SilencePlace) -> str:
    return f"{place.takes}: {place.place} ({cut(plainly(place.words), _CHARACTERS)})"


def _together(places: Sequence[SilencePlace]) -> Spots:
    spots: Spots = {}
    for place in places:
        for sort, found in place.spots.items():
            spots[sort] = spots.get(sort, {}) | found
    return spots
