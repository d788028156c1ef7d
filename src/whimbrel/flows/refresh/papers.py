"""Documents that are no pages, such as PDFs, as a refresh compares them: by their words.

Many are made anew for each request, with the moment written into them, so other bytes alone say little. But a figure
may have been replaced under the same words: other bytes are looked at twice, as random strings are.
"""

from typing import Protocol

from whimbrel.change.decide import BY_LOT, changed_in
from whimbrel.change.habits import NOTHING, Habits, Spots, key_of
from whimbrel.change.version import ComparedVersion
from whimbrel.flows.copies import DecodedCopy
from whimbrel.records.change import Change, Spot

PLACE = "the file"
HABIT = "the same words, in a file that is made anew for each visit"
_NAME = ("bytes",)


class ReadsVersions(Protocol):
    """Reads documents; who does it is not known here."""

    def takes(self, copy: DecodedCopy) -> bool: ...
    def version(self, copy: DecodedCopy) -> ComparedVersion | None: ...
    def close(self) -> None: ...


def bytes_apart(change: Change, before: DecodedCopy, after: DecodedCopy, habits: Habits) -> Change:
    """The change, and that the bytes differ where no word does."""
    if change.where or before.body == after.body:
        return change
    sizes = f"{len(before.body):,} bytes", f"{len(after.body):,} bytes"
    reason = HABIT if habits.has("code", *_NAME) else BY_LOT
    return changed_in((), (*change.noise, Spot("changed", ("content",), PLACE, *sizes, 0.0, reason, "bytes")))


def with_bytes(before: ComparedVersion, after: ComparedVersion, spots: Spots) -> Spots:
    """The spots that differ, with the bytes where the words are the same."""
    if [block.text for block in before.blocks] != [block.text for block in after.blocks]:
        return spots
    return {**spots, "code": {**spots.get("code", {}), key_of(_NAME): NOTHING}}
