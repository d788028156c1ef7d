"""What readers make of pages, from the log of what they did: an opinion of each page, and of pages for a question.

Four voices, each from 0 to 1 with ½ for no opinion: the papers' page weight (`patterns`), clicks freed from the place
they were made at (`clicks`), time spent on the words there are (`reading`), and stars. A page that nobody met has no
opinion. A pattern takes three readers, and whoever asks the same thing again and again is heard once.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import correlation, fmean

from msgspec import Struct
from msgspec.structs import replace

from whimbrel.behaviour.actions import USUAL, MiningSettings, basket
from whimbrel.behaviour.beside_counts import HALF_READERS
from whimbrel.behaviour.clicks import Learned, Showing, learn
from whimbrel.behaviour.exploring import Believed
from whimbrel.behaviour.patterns import Mined, least_count, mine
from whimbrel.behaviour.reading import (
    FEWEST_COMPARED,
    NEUTRAL,
    Stay,
    beside_usual,
    found_by,
    pace,
    readers_to_believe,
    share_read,
)
from whimbrel.records.deed import Action, Deed
from whimbrel.records.url import Url

LEAST_READERS = 3
"""What a single reader did is no pattern, however much of it there was; two do the same by chance too often."""
HALF_WEIGHT = 3.0
"""A page weight of so much stands half-way to the best opinion: it is that of the papers' own example."""
MOST_COMPARED = 1_000
"""Pages by which patterns are judged."""
SITTING_SECONDS = 1800.0
"""Answers shown to a reader within this time of each other, for one question, were one look at them."""
NOT_DONE = frozenset({Action.SHOWN, Action.OPENED, Action.LOW_RATING, Action.CRAWL_MORE})
"""Not done with the page, but before it."""

ANY = ""
"""The question of an opinion that holds for all."""


class PageOpinion(Struct, frozen=True):
    """`weight` is the papers'; voices are from 0 to 1, ½ where they say nothing. `readers` is how many there were,
    `together` what many of them did, one with the other, `believed` what clicks say where counts do not speak along,
    `sure` how far readers of the answers are believed, from 0 to 1."""

    weight: float = 0.0
    pattern: float = NEUTRAL
    clicks: float = NEUTRAL
    time: float = NEUTRAL
    stars: float = NEUTRAL
    readers: int = 0
    together: tuple[Action, ...] = ()
    believed: Believed | None = None
    sure: float = 0.0

    @property
    def value(self) -> float:
        """One value from the four: their odds multiplied, so that a voice without an opinion changes nothing. Where it
        is sure what readers make of the page it counts up to twice: what they wish for is known then, and words only
        promise it."""
        odds = math.prod(voice / (1.0 - voice) for voice in (self.pattern, self.clicks, self.time, self.stars))
        odds **= 1.0 + self.sure
        return odds / (1.0 + odds)


def for_question(general: "PageOpinion | None", own: "PageOpinion | None") -> PageOpinion:
    """Of a page for a question: what is known for this question, and for the rest what is known of the page."""
    if general is None or own is None:
        return general or own or PageOpinion()
    pattern = own if own.weight else general
    return PageOpinion(
        pattern.weight,
        pattern.pattern,
        own.clicks,
        general.time if own.time == NEUTRAL else own.time,
        general.stars if own.stars == NEUTRAL else own.stars,
        max(general.readers, own.readers),
        pattern.together,
        own.believed,
        own.sure,
    )


Opinions = dict[tuple[str, Url], PageOpinion]
Words = Callable[[Url], int]


def opinions(deeds: Iterable[Deed], words: Words, settings: MiningSettings = USUAL) -> Opinions:
    """By question and page; `ANY` for all questions. `words` says how many a page has, 0 where that is not known."""
    heard = _Heard()
    for deed in deeds:
        heard.hear(deed)
    lengths = {page: words(page) for query, page in heard.done if query == ANY}
    clicks = _clicks(heard)
    times = _times(heard, lengths)
    top = heard.asked_most(settings.top_queries)
    whole = [(did, lengths[page]) for (query, page), did in heard.done.items() if query == ANY]
    trust = _trust(whole, settings)
    made: Opinions = {}
    for (query, page), did in heard.done.items():
        if query == ANY or query in top:
            weight, together = _weight(did, lengths[page], settings)
            made[query, page] = PageOpinion(
                weight, _pattern_value(weight, len(did), trust), readers=len(did), together=together
            )
    for pair, (value, believed, sure) in clicks.items():
        before = made.get(pair, PageOpinion())
        readers = max(before.readers, heard.met[pair])
        made[pair] = replace(before, clicks=value, readers=readers, believed=believed, sure=sure)
    for pair, value in times.items():
        made[pair] = replace(made.get(pair, PageOpinion()), time=value)
    for pair, value in _stars(heard).items():
        made[pair] = replace(made.get(pair, PageOpinion()), stars=value)
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
                before = 0.0 if deed.action is Action.STARS else amounts.get(deed.action, 0.0)  # the last stars count
                amounts[deed.action] = before + deed.amount

    def asked_most(self, count: int) -> set[str]:
        return {query for query, _ in self.asked.most_common(count)}


def _weight(did: Mapping[int, Amounts], words: int, settings: MiningSettings) -> tuple[float, tuple[Action, ...]]:
    baskets = [basket(amounts, settings.least, words) for amounts in did.values()]
    least = least_count(settings.min_support, len(baskets))
    if not isinstance(least, int):
        return 0.0, ()
    mined = mine(baskets, max(LEAST_READERS, least), settings.min_confidence)
    if not isinstance(mined, Mined):
        return 0.0, ()
    return mined.weight, tuple(item for item in mined.largest if isinstance(item, Action))


def _pattern_value(weight: float, readers: int, trust: float) -> float:
    """Never below ½: a page without patterns is not punished."""
    return _as_far_as(NEUTRAL + NEUTRAL * trust * weight / (weight + HALF_WEIGHT), readers)


def _as_far_as(value: float, readers: int, half: float = HALF_READERS) -> float:
    """What few readers did says little: nearer to no opinion. Of so many it is believed `half`."""
    return NEUTRAL + (value - NEUTRAL) * _sureness(readers, half)


def _sureness(readers: int, half: float = HALF_READERS) -> float:
    return readers / (readers + half)


def _trust(done: Iterable[tuple[Mapping[int, Amounts], int]], settings: MiningSettings) -> float:
    """How far patterns are the pages' own: as far as two halves of the readers agree on which pages have them. What
    readers do by chance makes patterns too, and the halves disagree on those. Half, where too few can be compared."""
    halves: list[tuple[float, float]] = []
    for did, words in sorted(done, key=lambda each: len(each[0])):
        if len(did) >= 2 * LEAST_READERS and len(halves) < MOST_COMPARED:
            readers = list(did.items())
            one, other = (_weight(dict(readers[first::2]), words, settings)[0] for first in (0, 1))
            halves.append((one / (one + HALF_WEIGHT), other / (other + HALF_WEIGHT)))
    if len(halves) < FEWEST_COMPARED:
        return NEUTRAL
    agreed = max(0.0, _correlation(_among_alike(halves)) - 2.0 / math.sqrt(len(halves)))  # as far as it is sure
    return 2.0 * agreed / (1.0 + agreed)  # of all readers, from that of their halves (Spearman and Brown, 1910)


def _among_alike(pairs: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Each less the mean of those with about as many readers: more readers make other patterns on any page."""
    groups = [pairs[first : first + FEWEST_COMPARED] for first in range(0, len(pairs), FEWEST_COMPARED)]
    means = [(fmean(one for one, _ in group), fmean(other for _, other in group)) for group in groups]
    return [(one - mean[0], other - mean[1]) for group, mean in zip(groups, means, strict=True) for one, other in group]


def _correlation(pairs: Sequence[tuple[float, float]]) -> float:
    ones, others = [one for one, _ in pairs], [other for _, other in pairs]
    return correlation(ones, others) if len(set(ones)) > 1 and len(set(others)) > 1 else 0.0


def _clicks(heard: _Heard) -> dict[tuple[str, Url], tuple[float, Believed | None, float]]:
    """By question and page, and by page alone the mean over questions, of which nothing is believed: what clicks say,
    and how sure that is."""
    numbers: dict[str, int] = {}
    pages: dict[Url, int] = {}
    showings: list[Showing] = []
    pairs: dict[tuple[str, Url], tuple[int, int]] = {}
    for (reader, query), shown in heard.shown.items():
        times = Counter(deed.page for deed in shown)
        for sitting in _sittings(shown):
            after = -1
            for deed in sitting:
                numbered = (numbers.setdefault(query, len(numbers)), pages.setdefault(deed.page, len(pages)))
                pairs[query, deed.page] = numbered
                clicked = (reader, query, deed.page) in heard.opened
                place = max(0, deed.rank - 1)
                showings.append(Showing(*numbered, place, after, clicked, 1.0 / times[deed.page]))
                after = place if clicked else after
        for page in {deed.page for deed in shown}:
            heard.met[query, page] += 1
            heard.met[ANY, page] += 1
    learned = learn(showings)
    found = {pair: learned.value(*numbered) for pair, numbered in pairs.items()}
    everything = found | _by_page(found, heard.met, learned)
    return {
        pair: (
            _as_far_as(value, heard.met[pair], learned.half),
            learned.believed.get(pairs.get(pair, (-1, -1))),
            _sureness(heard.met[pair], learned.half),
        )
        for pair, value in everything.items()
    }


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


Shares = dict[tuple[str, Url], dict[int, float]]
"""By question and page, and for `ANY` by page alone: of each reader, from 0 to 1."""


def _times(heard: _Heard, lengths: Mapping[Url, int]) -> dict[tuple[str, Url], float]:
    stays = {
        (pair, reader): Stay(amounts[Action.ACTIVE], lengths[pair[1]])
        for pair, did in heard.done.items()
        for reader, amounts in did.items()
        if Action.ACTIVE in amounts
    }
    read: defaultdict[int, list[Stay]] = defaultdict(list)
    for ((query, _), reader), stay in stays.items():
        if query == ANY:
            read[reader].append(stay)
    speed = {reader: pace(each) for reader, each in read.items()}
    shares: Shares = defaultdict(dict)
    for (pair, reader), stay in stays.items():
        share = share_read(stay, speed[reader])
        if share is not None:
            shares[pair][reader] = share
    return _beside_usual(shares)


def _stars(heard: _Heard) -> dict[tuple[str, Url], float]:
    """The last that each reader gave."""
    given = {
        pair: {
            reader: (amounts[Action.STARS] - 1.0) / 4.0 for reader, amounts in did.items() if Action.STARS in amounts
        }
        for pair, did in heard.done.items()
    }
    return _beside_usual({pair: stars for pair, stars in given.items() if stars})


def _beside_usual(shares: Shares) -> dict[tuple[str, Url], float]:
    """For a question its own readers are heard first; what others found of the page is what is expected of it."""
    pages = {page: each for (query, page), each in shares.items() if query == ANY}
    everything = [share for each in pages.values() for share in each.values()]
    usual = math.fsum(everything) / max(1, len(everything))
    asked = [list(each.values()) for (query, _), each in shares.items() if query != ANY]
    doubt = readers_to_believe(asked or [list(each.values()) for each in pages.values()])
    found = {}
    for (query, page), own in shares.items():
        others = [share for reader, share in pages[page].items() if reader not in own] if query != ANY else []
        expected = found_by(others, usual, doubt)
        found[query, page] = beside_usual(found_by(list(own.values()), expected, doubt), usual)
    return found
