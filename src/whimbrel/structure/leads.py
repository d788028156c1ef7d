"""Which links lead to pages of the wanted structure, learned while crawling and asked before fetching.

What shows at a link: its words, its place in the page's own structure, the pattern of its URL, and the kind of page
it stands on. Two logistic models over these traits, hashed into a table of fixed size (Weinberger et al., 2009) and
learned one link at a time (AdaGrad: Duchi, Hazan and Singer, 2011): one says whether the page behind a link matches,
the other how much that page promises through its own links. So index pages are learned before all that they
lead to is fetched (Rennie and McCallum, 1999). Links of a sort that was hardly ever tried are worth a try.
"""

import re
from collections.abc import Iterable
from itertools import islice
from math import exp, log, sqrt

import msgspec
import xxhash
from msgspec import Struct

from whimbrel.records.url import Url

SLOTS = 1 << 14
RATE = 0.5
START = -2.0
"""The logit of a link nothing is known about: most pages of a site are of another kind."""

LATER = 0.5
"""What a page behind the next one is worth, beside the next one itself."""

CURIOSITY = 0.1
BEST_LINKS = 5
"""Of a page's new links say what it promises; one alone may be chance."""

LOOKED_AT = 100
"""Links for that, at most: pages that lead on to many lead on to many alike."""

_MOST_WORDS = 6
_MOST_SEGMENTS = 4
_STEEPEST = 30.0
_BELIEF = 1e-6
"""Next to no lesson, and yet something that is known."""
_VERSION = 1
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W_]+")
_NAME_PART = re.compile(r"[^0-9a-z]+")


class LinkTraits(Struct, frozen=True, array_like=True):
    """What shows at a link. `place` is its path from the root; `source` the signature of the page it stands on."""

    url: Url
    words: str
    place: str
    source: int


class Traits(Struct, frozen=True, array_like=True, gc=False):
    """A link as slots of the table. `sorts` are those that name its sort: its place, and the URL's pattern."""

    slots: tuple[int, ...]
    sorts: tuple[int, int]


class _Learned(Struct, frozen=True, array_like=True):
    version: int
    slots: list[int]
    direct: list[float]
    later: list[float]
    steepness: list[float]
    tries: list[int]


class Leads:
    """Scores links, and learns from what became of them. The same lessons in the same order give the same scores."""

    def __init__(self) -> None:
        # Lists, not arrays: what is read far more often than written should not be boxed at every reading.
        self._direct = [0.0] * SLOTS
        self._later = [0.0] * SLOTS
        self._steepness = [0.0] * SLOTS
        self._tries = [0] * SLOTS
        self._known: set[int] = set()

    def score(self, link: Traits, beside: tuple[int, ...] = ()) -> float:
        """How much a fetch of this link is worth: from 0 to a little above 1. `beside` are slots that change."""
        place, pattern = link.sorts
        tries = min(self._tries[place], self._tries[pattern])
        return self.value(link, beside) + CURIOSITY / sqrt(1 + tries)

    def value(self, link: Traits, beside: tuple[int, ...] = ()) -> float:
        """The same without curiosity."""
        slots = link.slots + beside
        direct = _chance(START + sum(map(self._direct.__getitem__, slots)))
        later = _chance(START + sum(map(self._later.__getitem__, slots)))
        return direct + (1 - direct) * LATER * later

    def promise(self, links: Iterable[Traits]) -> float:
        """What a page with these new links leads to: how much the best of them are worth, on average."""
        worth = sorted(map(self.value, islice(links, LOOKED_AT)), reverse=True)
        return sum(worth[:BEST_LINKS]) / BEST_LINKS

    def learn(self, link: Traits, matched: float, led_to_matches: float, tried: bool = True) -> None:
        """From a link: whether its page matched, and the promise of that page's new links.

        Both are from 0 to 1: a match of a rare structure may count for more than one of a common. `tried`: the link
        was followed, and its sort is less of a curiosity now.
        """
        if tried:
            for sort in link.sorts:
                self._tries[sort] += 1
        self._known.update(link.slots, link.sorts)
        wrong = matched - _chance(START + sum(map(self._direct.__getitem__, link.slots)))
        off = min(1.0, led_to_matches) - _chance(START + sum(map(self._later.__getitem__, link.slots)))
        for slot in link.slots:
            self._steepness[slot] += wrong * wrong + off * off
            rate = RATE / sqrt(1 + self._steepness[slot])
            self._direct[slot] += rate * wrong
            self._later[slot] += rate * off

    def believe(self, slot: int, weight: float) -> None:
        """What a trait is held to tell of a link before any lesson; lessons change it like all else."""
        self._known.add(slot)
        self._direct[slot] = weight
        self._steepness[slot] = _BELIEF

    def to_bytes(self) -> bytes:
        """What was learned, to go on with elsewhere."""
        known = sorted(self._known)
        tables = (self._direct, self._later, self._steepness)
        direct, later, steepness = ([round(table[slot], 6) for slot in known] for table in tables)
        tries = [self._tries[slot] for slot in known]
        return msgspec.msgpack.encode(_Learned(_VERSION, known, direct, later, steepness, tries))

    @classmethod
    def from_bytes(cls, packed: bytes) -> "Leads":
        """Whatever cannot be read, or was written by another version, is the same as nothing learned."""
        leads = cls()
        try:
            learned = msgspec.msgpack.decode(packed, type=_Learned)
        except msgspec.DecodeError:
            return leads
        if learned.version != _VERSION or any(not 0 <= slot < SLOTS for slot in learned.slots):
            return leads
        for slot, *values in zip(learned.slots, learned.direct, learned.later, learned.steepness, strict=True):
            leads._direct[slot], leads._later[slot], leads._steepness[slot] = values
        for slot, tries in zip(learned.slots, learned.tries, strict=True):
            leads._tries[slot] = tries
        leads._known.update(learned.slots)
        return leads


class Noticing:
    """Turns links into traits, and remembers what it met: the links of a site share places, folders and words."""

    def __init__(self) -> None:
        self._slots: dict[str, int] = {}
        self._places: dict[tuple[int, str], tuple[int, ...]] = {}
        self._folders: dict[str, tuple[int, ...]] = {}
        self._addresses: dict[Url, tuple[int, tuple[int, ...], tuple[int, ...]]] = {}
        self._said: dict[str, tuple[int, ...]] = {}

    def traits(self, link: LinkTraits) -> Traits:
        place = self._places.get((link.source, link.place)) or self._placed(link.source, link.place)
        pattern, within, named = self._addresses.get(link.url) or self._addressed(link.url)
        said = self._said.get(link.words)
        if said is None:
            said = self._worded(link.words)
        return Traits(tuple(dict.fromkeys((pattern, *place, *within, *named, *said))), (place[0], pattern))

    def _addressed(self, url: Url) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
        """What a URL shows: its pattern, its folders, and the rest."""
        path, _, query = url.partition("//")[2].partition("/")[2].partition("#")[0].lower().partition("?")
        folder, _, name = path.rpartition("/")
        parts = [part for part in _NAME_PART.split(_DIGITS.sub("0", name)) if part]
        start = parts[0] if len(parts) > 1 else ""
        end = parts[-1] if parts else ""
        within = self._folders.get(folder) or self._foldered(folder)
        pattern = self._slot(f"url {within[0]} {start} {end}")
        said = [f"asks {','.join(sorted(part.partition('=')[0] for part in query.split('&')))}" if query else "plain"]
        said += [f"name {part}" for part in parts[:_MOST_SEGMENTS]]
        if len(self._addresses) >= SLOTS:
            self._addresses.clear()
        shown = self._addresses[url] = pattern, within, tuple(map(self._slot, said))
        return shown

    def _worded(self, words: str) -> tuple[int, ...]:
        if len(self._said) >= SLOTS:
            self._said.clear()
        slots = self._said[words] = tuple(self._slot(f"says {word}") for word in _words(words))
        return slots

    def _placed(self, source: int, place: str) -> tuple[int, ...]:
        inner = place.rpartition(">")[2]
        said = (f"place {place}", "any link", f"on {source}", f"at {source} {place}", f"in {inner}")
        if len(self._places) >= SLOTS:
            self._places.clear()
        slots = self._places[source, place] = tuple(map(self._slot, said))
        return slots

    def _foldered(self, folder: str) -> tuple[int, ...]:
        folders = folder.split("/") if folder else []
        within = (f"within {at} {one}" for at, one in enumerate(folders[:_MOST_SEGMENTS]))
        said = (f"sort {folders[:1]} {len(folders)}", f"deep {len(folders)}", f"folder {folder}", *within)
        if len(self._folders) >= SLOTS:
            self._folders.clear()
        slots = self._folders[folder] = tuple(map(self._slot, said))
        return slots

    def _slot(self, trait: str) -> int:
        slot = self._slots.get(trait)
        if slot is None:
            if len(self._slots) >= 4 * SLOTS:
                self._slots.clear()
            slot = self._slots[trait] = xxhash.xxh3_64_intdigest(trait.encode("utf-8", "replace")) % SLOTS
        return slot


def rarity(of_it: int, pages: int) -> float:
    """How rare a structure is among the pages known: its inverse document frequency, 1 where none is known of it."""
    return log((pages + 1) / (min(of_it, pages) + 0.5)) / log((pages + 1) / 0.5)


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(_DIGITS.sub("0", word) for word in _WORD.findall(text.lower())[:_MOST_WORDS]))


def _chance(logit: float) -> float:
    if not -_STEEPEST < logit < _STEEPEST:
        logit = _STEEPEST if logit > 0 else -_STEEPEST
    return 1 / (1 + exp(-logit))
