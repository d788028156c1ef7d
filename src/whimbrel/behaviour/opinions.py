"""What readers make of pages, from the log of what they did: an opinion of each page, and of pages for a question.

Three voices, each from 0 to 1 with ½ for no opinion: the papers' page weight (`patterns`), clicks freed from the place
they were made at (`clicks`), and time spent on the words there are (`reading`). A page that nobody met has no opinion,
and one reader alone makes none: a pattern takes two, and whoever asks the same thing again and again is heard once.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from whimbrel.behaviour.actions import LEAST, basket
from whimbrel.behaviour.clicks import Learned, Showing, learn
from whimbrel.behaviour.patterns import MIN_CONFIDENCE, MIN_SUPPORT, Mined, least_count, mine
from whimbrel.behaviour.reading import NEUTRAL, Stay, pace, share_read, time_value
from whimbrel.records.deed import Action, Deed
from whimbrel.records.url import Url

LEAST_READERS = 2
"""What a single reader did is no pattern, however much of it there was."""
HALF_WEIGHT = 3.0
"""A page weight of so much stands half-way to the best opinion: it is that of the papers' own example."""
TOP_QUERIES = 20
"""For so many questions, those asked most often, patterns are looked for by themselves, as the paper does."""
SITTING_SECONDS = 1800.0
"""Answers shown to a reader within this time of each other, for one question, were one look at them."""
NOT_DONE = frozenset({Action.SHOWN, Action.OPENED, Action.LOW_RATING, Action.CRAWL_MORE})
"""Not done with the page, but before it."""

ANY = ""
"""The question of an opinion that holds for all."""


class MiningSettings(Struct, frozen=True):
    """A support that is a whole number is a count of readers, a fraction a share of them."""

    min_support: float = MIN_SUPPORT
    min_confidence: float = MIN_CONFIDENCE
    least: dict[Action, float] = field(default_factory=lambda: dict(LEAST))


USUAL = MiningSettings()


class PageOpinion(Struct, frozen=True):
    """`weight` is the papers'; voices are from 0 to 1, ½ where they say nothing. `readers` is how many there were,
    `together` what many of them did, one with the other."""

    weight: float = 0.0
    pattern: float = NEUTRAL
    clicks: float = NEUTRAL
    time: float = NEUTRAL
    readers: int = 0
    together: tuple[Action, ...] = ()

    @property
    def value(self) -> float:
        """One value from the three, each counting as much as the others."""
        return (self.pattern + self.clicks + self.time) / 3


Opinions = dict[tuple[str, Url], PageOpinion]
Words = Callable[[Url], int]


def opinions(deeds: Iterable[Deed], words: Words, settings: MiningSettings = USUAL) -> Opinions:
    """By question and page; `ANY` for all questions. `words` says how many a page has, 0 where that is not known."""
    heard = _Heard()
    for deed in deeds:
        heard.hear(deed)
    clicks = _clicks(heard)
    times = _times(heard, words)
    made: Opinions = {}
    for (query, page), did in heard.done.items():
        if query == ANY or query in heard.top:
            weight, together = _weight(did, settings)
            made[query, page] = PageOpinion(weight, _pattern_value(weight), readers=len(did), together=together)
    for pair, value in clicks.items():
        before = made.get(pair, PageOpinion())
        made[pair] = replace(before, clicks=value, readers=max(before.readers, heard.met[pair]))
    for page, value in times.items():
        before = made.get((ANY, page), PageOpinion())
        made[ANY, page] = replace(before, time=value)
    return made


Amounts = dict[Action, float]


class _Heard:
    """The log, brought together by page and reader."""

    def __init__(self) -> None:
        self.done: defaultdict[tuple[str, Url], defaultdict[int, Amounts]] = defaultdict(lambda: defaultdict(dict))
        self.shown: defaultdict[tuple[int, str], list[Deed]] = defaultdict(list)
        self.opened: set[tuple[int, str, Url]] = set()
        self.asked: Counter[str] = Counter()
        self.met: Counter[tuple[str, Url]] = Counter()

    def hear(self, deed: Deed) -> None:
        if deed.action is Action.SHOWN:
            self.shown[deed.reader, deed.query].append(deed)
        elif deed.action is Action.OPENED:
            self.opened.add((deed.reader, deed.query, deed.page))
            self.asked[deed.query] += 1
        elif deed.action not in NOT_DONE and math.isfinite(deed.amount) and deed.amount > 0:
            for query in {ANY, deed.query}:
                amounts = self.done[query, deed.page][deed.reader]
                amounts[deed.action] = amounts.get(deed.action, 0.0) + deed.amount

    @property
    def top(self) -> set[str]:
        return {query for query, _ in self.asked.most_common(TOP_QUERIES)}


def _weight(did: Mapping[int, Amounts], settings: MiningSettings) -> tuple[float, tuple[Action, ...]]:
    baskets = [basket(amounts, settings.least) for amounts in did.values()]
    least = least_count(settings.min_support, len(baskets))
    if not isinstance(least, int):
        return 0.0, ()
    mined = mine(baskets, max(LEAST_READERS, least), settings.min_confidence)
    if not isinstance(mined, Mined):
        return 0.0, ()
    return mined.weight, tuple(item for item in mined.largest if isinstance(item, Action))


def _pattern_value(weight: float) -> float:
    """Never below ½: a page without patterns is not punished."""
    return NEUTRAL + NEUTRAL * weight / (weight + HALF_WEIGHT)


def _clicks(heard: _Heard) -> dict[tuple[str, Url], float]:
    """By question and page, and by page alone the mean over questions."""
    numbers: dict[str, int] = {}
    pages: dict[Url, int] = {}
    showings: list[Showing] = []
    pairs: dict[tuple[str, Url], tuple[int, int]] = {}
    for (reader, query), shown in heard.shown.items():
        sittings = _sittings(shown)
        for sitting in sittings:
            after = -1
            for deed in sitting:
                numbered = (numbers.setdefault(query, len(numbers)), pages.setdefault(deed.page, len(pages)))
                pairs[query, deed.page] = numbered
                clicked = (reader, query, deed.page) in heard.opened
                place = max(0, deed.rank - 1)
                showings.append(Showing(*numbered, place, place, after, clicked, 1.0 / len(sittings)))
                after = place if clicked else after
        for page in {deed.page for deed in shown}:
            heard.met[query, page] += 1
            heard.met[ANY, page] += 1
    learned = learn(showings)
    found = {pair: learned.value(*numbered) for pair, numbered in pairs.items()}
    return found | _by_page(found, heard.met, learned)


def _sittings(shown: list[Deed]) -> list[list[Deed]]:
    """One look at the answers each, from the first place down."""
    sittings: list[list[Deed]] = []
    for deed in sorted(shown, key=lambda each: each.at):
        if sittings and deed.at - sittings[-1][0].at < SITTING_SECONDS:
            sittings[-1].append(deed)
        else:
            sittings.append([deed])
    return [sorted(sitting, key=lambda each: each.rank) for sitting in sittings]


def _by_page(
    found: Mapping[tuple[str, Url], float], met: Mapping[tuple[str, Url], int], learned: Learned
) -> dict[tuple[str, Url], float]:
    if not learned.appeal:
        return {}
    sums: defaultdict[Url, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for (query, page), value in found.items():
        weight = float(met[query, page])
        sums[page][0] += weight * value
        sums[page][1] += weight
    return {(ANY, page): total / weight for page, (total, weight) in sums.items() if weight}


def _times(heard: _Heard, words: Words) -> dict[Url, float]:
    stays: defaultdict[int, list[tuple[Url, Stay]]] = defaultdict(list)
    for (query, page), did in heard.done.items():
        if query != ANY:
            continue
        for reader, amounts in did.items():
            if Action.ACTIVE in amounts:
                stays[reader].append((page, Stay(amounts[Action.ACTIVE], words(page))))
    shares: defaultdict[Url, list[float]] = defaultdict(list)
    for each in stays.values():
        speed = pace(stay for _, stay in each)
        for page, stay in each:
            share = share_read(stay, speed)
            if share is not None:
                shares[page].append(share)
    everything = [share for each in shares.values() for share in each]
    usual = math.fsum(everything) / max(1, len(everything))
    return {page: time_value(each, usual) for page, each in shares.items()}
