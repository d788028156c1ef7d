"""What the owner of a folder still wants to hear of: not what they silenced, and not what they have seen where they say
so.

Who judges a page heeds silences from the moment they are said. What had been told before is looked at again here, by
the same judgement, so that it falls silent as well, and comes back when the word is taken back.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from whimbrel.change.decide import decide
from whimbrel.change.degree import is_read
from whimbrel.change.noise import Noise
from whimbrel.change.taught import SILENCED, quieted, taught
from whimbrel.flows.attention.book import AttentionBook, Silence
from whimbrel.flows.copies import copy_of
from whimbrel.flows.packing import LONGEST_PLACE, unpacked_habits, unpacked_spots
from whimbrel.flows.telling.folding import FoldedChange, change_id
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Told


class Hearing:
    """As it stands when it is made; `hushed` counts what it kept back."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.hushed = 0
        with AttentionBook(reader.location) as book:
            self._silences = book.silences()

    def silence_over(self, told: Told) -> int:
        """The number of the silence that covers all of a change; 0 where somebody wants to hear of it."""
        if not self._silences:
            return 0
        covering = [one for one in self._silences if one.covers(told.url)]
        whole = next((one for one in covering if one.reach == "page"), None)
        if whole is not None:
            return whole.number
        # What was judged after a silence was said was judged by it.
        later = [one for one in covering if told.at <= one.at]
        return later[-1].number if later and self._is_hushed(told, covering) else 0

    def _is_hushed(self, told: Told, covering: Sequence[Silence]) -> bool:
        if told.what != "changed" or told.before is None or told.after is None:
            return False
        where, _ = unpacked_spots(told.details)
        alarms = [(spot.what, spot.place) for spot in where if is_read(spot.kinds)]
        if not alarms:
            return False
        copies = [copy_of(self._reader, number) for number in (told.before, told.after)]
        if copies[0] is None or copies[1] is None:
            return False
        before, after = copies[0].version(), copies[1].version()
        habits = unpacked_habits(self._reader.habits(told.url), 0)
        change = decide(before, after)
        for one in covering:
            change = quieted(change, decide(before, after, Noise(taught(habits, one.spots))))
        silent = {(spot.what, spot.place[:LONGEST_PLACE]) for spot in change.noise if spot.reason == SILENCED}
        return silent.issuperset(alarms)

    def heard(self, batch: Iterable[Told], *, silenced: bool, unseen: bool) -> list[Told]:
        """Of a batch, what is wanted; with `silenced` only what is not."""
        left = []
        for told in batch:
            hushed = bool(self.silence_over(told))
            self.hushed += hushed
            if hushed is silenced:
                left.append(told)
        if not unseen:
            return left
        seen = seen_of(self._reader, map(change_id, left))
        return [told for told in left if change_id(told) not in seen]

    def marked(self, items: Iterable[FoldedChange], *, silenced: bool) -> list[FoldedChange]:
        """With what was said of them."""
        given = list(items)
        seen = seen_of(self._reader, (item.id for item in given))
        return [
            replace(item, seen=item.id in seen, silenced=self.silence_over(item.told) if silenced else 0)
            for item in given
        ]


def seen_of(reader: Reader, changes: Iterable[str]) -> set[str]:
    with AttentionBook(reader.location) as book:
        return book.seen(changes)
