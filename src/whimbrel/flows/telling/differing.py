"""What differs between two kept versions of a page, for a person to read: what raised the alarm first, then what was
held for noise.

A change that was told keeps what was said of it then: whoever compares later knows other neighbours of the page.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace
from xxhash import xxh3_128_digest

from whimbrel.change.align import align
from whimbrel.change.decide import decide
from whimbrel.change.noise import Noise
from whimbrel.change.taught import quieted, taught
from whimbrel.change.version import ComparedVersion as Compared
from whimbrel.change.version import of_text
from whimbrel.documents import Extractor, Unreadable
from whimbrel.flows.attention.book import StandingSilences
from whimbrel.flows.copies import DecodedCopy, kept_copy
from whimbrel.flows.packing import unpacked_habits, unpacked_spots
from whimbrel.flows.refresh.comparing import COMPARED, whole_change
from whimbrel.flows.telling.wording import WordRun, words_between
from whimbrel.records.change import Change, Spot
from whimbrel.records.response import Failure, FailureKind
from whimbrel.records.url import Url
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Told, Version


class DifferingPart(Struct, frozen=True):
    """One thing in which a place differs: its words, links, pictures, elements, looks, files, code or bytes."""

    what: str
    words: tuple[WordRun, ...]


class DifferingPlace(Struct, frozen=True):
    """A place that differs. Where it counted as a change `reason` is "", else it says why it is noise."""

    spot: Spot
    parts: tuple[DifferingPart, ...]

    @property
    def reason(self) -> str:
        return self.spot.reason


class Paragraph(Struct, frozen=True):
    """A paragraph that stayed as it was."""

    place: str
    text: str


class Difference(Struct, frozen=True):
    """`counted` raised the alarm, `held` did not; `note` says what cannot be seen from them."""

    before: Version
    after: Version
    change: Change
    counted: tuple[DifferingPlace, ...]
    held: tuple[DifferingPlace, ...]
    stayed: tuple[Paragraph, ...]
    note: str = ""


def difference(reader: Reader, url: Url, before: Version, after: Version) -> Difference | Failure:
    """What comes and goes by itself is known from all visits to the page so far."""
    told = reader.between_versions(url, before.number, after.number)
    read: list[Compared] = []
    for version in (before, after):
        copy = kept_copy(reader.body(url, version))
        if copy is None:
            return Failure(FailureKind.PROTOCOL, f"the kept copy of {url} cannot be decoded")
        seen = _version(copy, version, url)
        if isinstance(seen, Unreadable):
            return _unread(before, after, seen.reason)
        read.append(seen)
    noise = Noise(unpacked_habits(reader.habits(url), 0))
    change = _as_told(decide(read[0], read[1], noise), told)
    if spots := StandingSilences(reader.location).over(url):
        change = quieted(change, decide(read[0], read[1], Noise(taught(noise.habits, spots))))
    note = "" if change.where or change.noise else _alike(before, after)
    stayed = tuple(_stayed(read[0], read[1]))
    return Difference(before, after, change, places(change.where), places(change.noise), stayed, note)


def _version(copy: DecodedCopy, version: Version, url: Url) -> Compared | Unreadable:
    """Of a document that is no page, what can be read from it."""
    if version.mime.startswith(COMPARED) or not version.mime:
        return copy.version()
    with Extractor() as extractor:
        read = extractor.read(copy.body, copy.content_type or version.mime, url)
    return read if isinstance(read, Unreadable) else of_text(read.text, xxh3_128_digest(copy.body), read.title)


def _unread(before: Version, after: Version, reason: str) -> Difference:
    same = before.digest == after.digest
    change = Change(False, (), 0.0, (), ()) if same else whole_change(after.mime)
    note = f"No text can be read from it ({reason}). {_alike(before, after)}"
    return Difference(before, after, change, (), (), (), note)


def _alike(before: Version, after: Version) -> str:
    if before.digest == after.digest:
        return "Both versions are the same, byte for byte."
    return f"The bytes differ ({before.size:,} and {after.size:,} of them), nothing that can be read or seen does."


def _as_told(change: Change, told: Told | None) -> Change:
    """The same places with what was said of them when the change was told."""
    if told is None:
        return change
    counted, held = unpacked_spots(told.details)
    said = {(spot.what, spot.place): spot.reason for spot in (*held, *counted)}
    spots = [
        replace(spot, reason=said.get((spot.what, spot.place), spot.reason)) for spot in (*change.where, *change.noise)
    ]
    seen = {(spot.what, spot.place) for spot in spots}
    spots += [spot for spot in counted if (spot.what, spot.place) not in seen]
    where, noise = (tuple(spot for spot in spots if bool(spot.reason) is quiet) for quiet in (False, True))
    kinds = tuple(kind for kind in told.kinds.split(",") if kind)
    return replace(change, changed=bool(told.told), kinds=kinds, amount=told.amount, where=where, noise=noise)


def places(spots: Sequence[Spot]) -> tuple[DifferingPlace, ...]:
    return tuple(DifferingPlace(spot, tuple(_parts(spot))) for spot in spots)


def _parts(spot: Spot) -> Iterator[DifferingPart]:
    for aspect in spot.aspects:
        if aspect.before or aspect.after:
            yield DifferingPart(aspect.what, words_between(aspect.before, aspect.after))


def _stayed(before: Compared, after: Compared) -> Iterator[Paragraph]:
    old, new = before.blocks, after.blocks
    for pair in align([block.text for block in old], [block.text for block in new]):
        if pair.before is not None and pair.after is not None and old[pair.before].text == new[pair.after].text:
            yield Paragraph(new[pair.after].place, new[pair.after].text)
