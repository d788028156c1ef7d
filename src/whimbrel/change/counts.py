"""Counts: whole numbers in the same spot of many pages of a form, by which a site counts what its visitors do.

How often a number moves does not tell votes from a price that is edited often. What its spot does on the other pages
does: at a visit of the site a counter moves on many of them and rests on others, and goes one way; somebody edits few
pages, or all at once, and up as well as down. A run of visits moves the odds of a spot by what all pages showed in it
(Wald's test, as with habits), and a page is judged by runs before and by other pages than itself.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log
from operator import attrgetter
from typing import NamedTuple

from msgspec import Struct

from whimbrel.change.blocks import Block
from whimbrel.change.habits import key_of
from whimbrel.change.mask import masked, numbers_of

_ON_A_PAGE, _EDITED = 1 / 16, 1 / 64
"""The share of pages on which a counter moves in a run, and a number that people edit."""
_ONE_WAY = 0.95
"""Of the moves of a counter, those that go its way; of what people edit it is half."""
_SITE_WIDE = 3 / 4
"""Where a number moves on more of the pages it speaks for neither: the site was edited as a whole."""
_FEWEST_OTHERS = 4

_AT_FIRST, _MOST = log(1 / 150), log(150)
_QUIET_RUN = -log(2)
"""What one run can take: pages rest together, until somebody comes who is named on many."""
_MOVED, _RESTED = log(_ON_A_PAGE / _EDITED), log((1 - _ON_A_PAGE) / (1 - _EDITED))
_FORTH, _BACK = log(_ONE_WAY / 0.5), log((1 - _ONE_WAY) / 0.5)

_MOVERS = 8
_MOST_SLOTS = 200
_MOST_SLOTS_OF_A_RUN = 4_000

_WHOLE = re.compile(r"\d{1,9}|\d{1,3}(?:[.,'’\u00a0\u202f]\d{3}){1,3}", re.ASCII)
_NO_DIGIT = re.compile(r"\D")
_NEXT_WORD = re.compile(r"\W*([^\W\d_]*)")
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")
# Signs of currencies (Unicode's category Sc, as far as they are in use), their codes, and shares.
_MONEY = re.compile(r"[$¢-¥֏؋৲৳฿៛\u20a0-\u20c0\ufdfc%]|\b[A-Z]{3}\s?\d|\d\s?[A-Z]{3}\b")
_ENDS_OF_SENTENCES = (".", "!", "?", "。")
_MOST_CHARACTERS = 120
_FARTHEST_LABEL = 8

Numbers = Mapping[int, tuple[int, ...]]
"""Of each spot of a page, by its key, the numbers it bears."""


class Slot(Struct, frozen=True, array_like=True):
    """The odds, as logarithms, that a spot moves on as many pages as counters do, and that it goes upwards alone and
    downwards alone; some of the pages on which it moved."""

    often: float = _AT_FIRST
    up: float = _AT_FIRST
    down: float = _AT_FIRST
    movers: tuple[int, ...] = ()


Slots = dict[int, Slot]
_UP, _DOWN = attrgetter("up"), attrgetter("down")


class SlotRun(Struct):
    """What the pages of a run showed of a spot."""

    ups: int = 0
    downs: int = 0
    rests: int = 0
    pages: set[int] = set()
    movers: set[int] = set()


class SpotNames(NamedTuple):
    """By what the spot of a number is known on other pages: by the words around it or the label before it, and, where
    those are the page's own (a visitor's name), by where it stands and the word behind it."""

    own: int
    form: int | None


def numbers_in(blocks: Sequence[Block]) -> Numbers:
    """The whole numbers of a page by the spots under which they are known again on others."""
    found: dict[int, list[int]] = {}
    for at, block in enumerate(blocks):
        for number, names in _numbers(blocks, at) if _may_count(block.text) else ():
            if _WHOLE.fullmatch(number):
                for name in (name for name in names if name is not None):
                    found.setdefault(name, []).append(_value(number))
    return {name: tuple(values) for name, values in found.items()}


def _may_count(text: str) -> bool:
    return len(text) <= _MOST_CHARACTERS and bool(_DIGIT.search(text)) and not text.endswith(_ENDS_OF_SENTENCES)


def _numbers(blocks: Sequence[Block], at: int) -> Iterator[tuple[str, SpotNames]]:
    """The numbers of a text that may count something."""
    block = blocks[at]
    if not _may_count(block.text) or "price" in block.classes or _MONEY.search(block.text):
        return
    said = _said(blocks, at)
    for which, number in enumerate(numbers_of(block.text)):
        following = _NEXT_WORD.match(block.text.partition(number)[2])
        word = following[1] if following else ""
        form = key_of((block.path, block.classes, word)) if word or block.classes else None
        yield number, SpotNames(key_of((block.tag, *said, str(which))), form)


def _said(blocks: Sequence[Block], at: int) -> tuple[str, ...]:
    """The words around a number; where there are none, the label before it and how far it is."""
    own = masked(blocks[at].text)
    if _LETTER.search(own):
        return (own,)
    for back in range(at - 1, max(-1, at - _FARTHEST_LABEL), -1):
        if _LETTER.search(blocks[back].text):
            return masked(blocks[back].text), str(at - back)
    return "", str(at)


def _value(number: str) -> int:
    return int(_NO_DIGIT.sub("", number))


class CountedSpots(Struct, frozen=True):
    """What a page may be silent about: the spots that count upwards and downwards, by runs before and other pages, and
    the numbers of some `others` that are drawn by lot."""

    ups: frozenset[int] = frozenset()
    downs: frozenset[int] = frozenset()
    others: tuple[Numbers, ...] = ()

    def is_counted(self, before: Block, blocks: Sequence[Block], at: int) -> bool:
        """Whether all numbers that differ are counts which went their way."""
        if not (self.ups or self.downs):
            return False
        was, now = numbers_of(before.text), list(_numbers(blocks, at))
        moved = [(old, new, names) for old, (new, names) in zip(was, now, strict=False) if old != new]
        return len(was) == len(now) and bool(moved) and all(self._goes_its_way(*one) for one in moved)

    def _goes_its_way(self, old: str, new: str, names: SpotNames) -> bool:
        if not (_WHOLE.fullmatch(old) and _WHOLE.fullmatch(new)):
            return False
        name = names.own if names.form is None or self._is_of_the_form(names.own, names.form) else names.form
        return name in (self.ups if _value(new) > _value(old) else self.downs)

    def _is_of_the_form(self, own: int, form: int) -> bool:
        """Whether most pages of the form say these words, so that they tell what the number is."""
        return 2 * sum(own in page for page in self.others) >= sum(form in page for page in self.others)


NO_COUNTS = CountedSpots()


class CountingRun:
    """What the pages of a site showed in one run, visit by visit."""

    def __init__(self) -> None:
        self._seen: dict[int, SlotRun] = {}

    def meet(self, page: int, before: Numbers, after: Numbers) -> None:
        """A page that came with other bytes."""
        for key, was in before.items():
            now = after.get(key)
            if now is None or len(now) != len(was):
                continue
            run = self._seen.get(key)
            if run is None:
                run = self._seen[key] = SlotRun()
            ups, downs = (sum((new - old) * way > 0 for old, new in zip(was, now, strict=True)) for way in (1, -1))
            run.ups, run.downs, run.rests = run.ups + ups, run.downs + downs, run.rests + len(was) - ups - downs
            run.pages = {*run.pages, page} if len(run.pages) < 2 else run.pages
            if (ups or downs) and len(run.movers) < _MOVERS:
                run.movers.add(page)
        if len(self._seen) > _MOST_SLOTS_OF_A_RUN:
            self._seen = {key: run for key, run in self._seen.items() if len(run.pages) > 1}

    def learned(self, known: Mapping[int, Slot], others: Iterable[Numbers], unmoved: int) -> Slots:
        """What is believed after the run. Pages that came as they were, `unmoved`, bear a spot as often as `others`,
        which are drawn by lot."""
        others = list(others)
        found = dict(known)
        for key in {*known, *(key for key, run in self._seen.items() if len(run.movers) > 1)}:
            run = self._seen.get(key, SlotRun())
            bearing = sum(key in page for page in others) / max(1, len(others))
            found[key] = _after_run(known.get(key, Slot()), run, run.rests + round(unmoved * bearing))
        kept = sorted(
            (key for key in found if found[key].often > _AT_FIRST), key=lambda key: (-len(found[key].movers), key)
        )
        return {key: found[key] for key in kept[:_MOST_SLOTS]}


def _after_run(slot: Slot, run: SlotRun, rests: int) -> Slot:
    moves = run.ups + run.downs
    if moves > _SITE_WIDE * (moves + rests) or not moves + rests:
        return slot
    movers = tuple(dict.fromkeys((*run.movers, *slot.movers)))[:_MOVERS]
    shown = max(_QUIET_RUN, moves * _MOVED + rests * _RESTED)
    up, down = run.ups * _FORTH + run.downs * _BACK, run.downs * _FORTH + run.ups * _BACK
    return Slot(_within(slot.often + shown), _within(slot.up + up), _within(slot.down + down), movers)


def _within(odds: float) -> float:
    return round(min(_MOST, max(_AT_FIRST, odds)), 3)


def counting_on(page: int, slots: Mapping[int, Slot], others: Iterable[Numbers]) -> CountedSpots:
    """What a page's spots count, as far as other pages show."""
    known = [
        (name, slot)
        for name, slot in slots.items()
        if slot.often >= 0 and len({*slot.movers} - {page}) >= _FEWEST_OTHERS
    ]
    ups, downs = (frozenset(name for name, slot in known if way(slot) >= 0) for way in (_UP, _DOWN))
    return CountedSpots(ups, downs, tuple(others))
