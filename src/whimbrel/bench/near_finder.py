"""What the follower of near-twins does with a page, without a folder: sketch, index, estimate, comparison; timed."""

import os
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice

from msgspec import Struct

from whimbrel.dedupe.bands import BandIndex
from whimbrel.dedupe.near import LEAST_WORDS, WORTH_A_LOOK, compare, compare_whole, is_short, other_title
from whimbrel.dedupe.shingles import runs_of, words_of
from whimbrel.dedupe.sketch import BINS, estimate, hashes_of, least_of, packed
from whimbrel.dedupe.template import Template, subject_of
from whimbrel.parse.html import read
from whimbrel.parse.reading import main_text

MOST_COMPARED = 8
SKETCH_BYTES = 2 * BINS
HTML = "text/html; charset=utf-8"


class ReadPage(Struct, frozen=True):
    """A page as the follower has it: its main text, and all that is seen of it."""

    path: str
    title: str
    text: str
    whole: str


def seen(path: str, body: bytes, *, quick: bool = True) -> ReadPage:
    page = read(body, HTML)
    return ReadPage(path, page.title, main_text(body, HTML, quick=quick), page.text)


class StageClock:
    """CPU time by stage."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()

    @contextmanager
    def on(self, stage: str) -> Iterator[None]:
        begun = time.process_time_ns()
        yield
        self.spent[stage] += time.process_time_ns() - begun


class Finder:
    """What the follower does with a page, texts given; the sketches on disk, as there."""

    def __init__(self, page: Callable[[int], ReadPage], watch: StageClock, sketches: int) -> None:
        self._page = page
        self._watch = watch
        self._sketches = sketches
        self._template = Template()
        self.index = BandIndex()
        self.leaders = array("I")
        self._refused: list[tuple[int, int]] = []

    def take(self, page: ReadPage) -> int | None:
        """Takes the next document in; the number of the one that it is a near-twin of."""
        number = len(self.leaders)
        with self._watch.on("sketch"):
            words, subject = words_of(page.text), subject_of(page.title)
            short = len(words) < LEAST_WORDS
            least = least_of(runs_of(words_of(page.whole) if short else words))
            sketch, hashes = packed(least), hashes_of(least, subject, short=short)
        with self._watch.on("index"):
            os.pwrite(self._sketches, sketch, number * SKETCH_BYTES)
            met = self.index.meet(hashes)
            found = dict.fromkeys(self.leaders[at] for at, _ in met) if subject or not short else {}
            estimated = [(estimate(sketch, self._sketch(at)), at) for at in found]
            worth = sorted((one for one in estimated if one[0] >= WORTH_A_LOOK), key=lambda one: -one[0])
        alike = islice((at for _, at in worth if not self._is_of_another_title(page, at)), MOST_COMPARED)
        leader = next((at for at in alike if self._twins(page, at)), None)
        if leader is None and self._template.young:
            self._refused += [(number, at) for _, at in worth[:MOST_COMPARED]]
        self.leaders.append(number if leader is None else leader)
        if leader is None:
            self._template.learn(page.title, page.text)
        return leader

    def settle(self) -> None:
        """When a batch was taken: what was refused before the template was known is looked at again."""
        led = {leader for at, leader in enumerate(self.leaders) if leader != at}
        for number, at in self._refused:
            alone = self.leaders[number] == number and number not in led
            if alone and self.leaders[at] == at and self._twins(self._page(number), at):
                self.leaders[number] = at
                led.add(at)
        self._refused.clear()

    def _sketch(self, number: int) -> bytes:
        return os.pread(self._sketches, SKETCH_BYTES, number * SKETCH_BYTES)

    def _is_of_another_title(self, page: ReadPage, number: int) -> bool:
        mine, theirs = self._template.own(page.title, ""), self._template.own(self._page(number).title, "")
        return bool(other_title(mine, theirs))

    def _twins(self, page: ReadPage, number: int) -> bool:
        other = self._page(number)
        with self._watch.on("compare"):
            mine, theirs = self._template.own(page.title, page.text), self._template.own(other.title, other.text)
            if is_short(mine) or is_short(theirs):
                return compare_whole(mine, theirs, page.whole, other.whole).twins
            return compare(mine, theirs).twins
