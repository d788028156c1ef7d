"""What on a page turns over by itself, learned from its own visits and from its neighbours.

What differs from visit to visit is known from its habits. Beside them a block is noise where the site repeats it word
for word on half of the neighbours. What neighbours show in turns ("in stock", "sold out") is no line of the site.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeVar

from msgspec import Struct

from whimbrel.change.blocks import Block
from whimbrel.change.counts import NO_COUNTS, CountedSpots
from whimbrel.change.habits import NO_HABITS, Habits, after_visit
from whimbrel.change.spots import code_key, differing
from whimbrel.change.version import ComparedVersion

_SHARED_SHARE = 1 / 2


_Key = TypeVar("_Key")


class Noise(Struct, frozen=True):
    """`habits`: what the page's own visits show.

    `shared`: what the site repeats, `repeated` its texts alone, `seen` what only some pages show. `files`: names of
    scripts and style sheets, and whole inline ones, that the site puts on its pages. `titles`: numbers in titles
    that the site repeats. `counting`: spots of its form that count what visitors do.
    """

    habits: Habits = NO_HABITS
    shared: frozenset[str] = frozenset()
    repeated: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    seen: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    counting: CountedSpots = NO_COUNTS


QUIET = Noise()


def learn(history: Sequence[ComparedVersion], neighbours: Sequence[ComparedVersion] = ()) -> Noise:
    """From the page at each of its visits up to and including the one to compare with, oldest first, and other
    pages."""
    habits = NO_HABITS
    for older, newer in pairwise(history):
        habits = after_visit(habits, differing(older, newer, habits))
    shared, seen = _shared(neighbours)
    return Noise(habits, shared, texts_of(shared), _files(neighbours), seen, _titles(neighbours))


def site_key(block: Block) -> str:
    """By which a block is known again on another page, in another folder of the site as well."""
    return "\n".join((block.text, *(_whereabouts(link) for link in block.links)))


def _whereabouts(link: str) -> str:
    """A page deeper in the site writes the same menu with more "../"."""
    while link.startswith(("../", "./")):
        link = link.partition("/")[2]
    return link


def texts_of(shared: Iterable[str]) -> frozenset[str]:
    return frozenset(text for key in shared if (text := key.partition("\n")[0]))


def _shared(neighbours: Sequence[ComparedVersion]) -> tuple[frozenset[str], frozenset[str]]:
    pages = Counter(key for page in neighbours for key in {site_key(block) for block in page.blocks})
    shared = _often(pages, _least(neighbours))
    return shared, frozenset(pages) - shared


def _least(neighbours: Sequence[ComparedVersion]) -> float:
    """Of several neighbours one alone proves nothing."""
    return max(min(2, len(neighbours)), _SHARED_SHARE * len(neighbours))


def title_numbers(title: str) -> frozenset[str]:
    """The words of a title that bear a number: the release of a manual, the year of a fair, the price of a thing."""
    return frozenset(word for word in title.split() if not word.isalpha() and any(map(str.isdecimal, word)))


def _titles(neighbours: Sequence[ComparedVersion]) -> frozenset[str]:
    return _often(Counter(part for page in neighbours for part in title_numbers(page.title)), _least(neighbours))


def file_name(address: str) -> str:
    return address.partition("?")[0].rpartition("/")[2]


def _files(neighbours: Sequence[ComparedVersion]) -> frozenset[str]:
    pages = Counter(
        name
        for page in neighbours
        for name in {*map(file_name, (*page.sources, *page.sheets)), *map(str.strip, (*page.code, *page.styles))}
    )
    return _often(pages, _SHARED_SHARE * len(neighbours))


def _often(counts: Counter[_Key], share: float) -> frozenset[_Key]:
    return frozenset(key for key, count in counts.items() if count >= share)


def unhabitual(codes: Iterable[str], noise: Noise) -> list[str]:
    return [code for code in codes if not noise.habits.has("code", code_key(code))]
