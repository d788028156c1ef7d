"""One topic in a migrant's hands: judges pages about it, learns from them, and says what links promise."""

from collections.abc import Callable, Sequence

import msgspec
from msgspec import Struct, structs

from whimbrel.records.picturing import PictureSeen
from whimbrel.records.request import Topical
from whimbrel.records.url import Url
from whimbrel.topic.calibrating import Bar, ScoresMet, bar, strength
from whimbrel.topic.counting import PageWords, WordCounter
from whimbrel.topic.learning import LearnedLinks
from whimbrel.topic.model import Learnt, Sample, TopicModel
from whimbrel.topic.pictured import SILENT, PicturesSay, pictures_say
from whimbrel.topic.relevance import Relevance, papers_relevance
from whimbrel.topic.sense import in_sense
from whimbrel.topic.strategies import (
    Best,
    ByDistance,
    ByLinks,
    Fish,
    JudgedPage,
    LinkStrategy,
    SeenLink,
    Shark,
    Sounding,
    StrategyName,
)

FIRST_FIT, GROWTH = 10, 1.3
"""The judge is fitted anew after so many pages, and after so many times as many: what is rare shows only beside the
other pages of a site."""
DRIFT_PAGES = 50
DRIFTED = 0.5
"""The share of what the first kept pages said of the words that were asked for, below which the last have drifted."""
INTEREST = 0.1
"""What a word of the reader's profile counts beside one that was asked for, times the weight of its part."""
PAPER = "paper"
NEAR = 0.5
"""The share of what is needed below which a page is not looked at again."""
MOST_NEAR = 1_000
"""Pages of which is remembered how often they say which word, to look again at those alone that may be relevant now."""


class TopicJudged(Struct, frozen=True):
    """What is made of a page."""

    relevant: bool
    relevance: Relevance
    bar: Bar
    strength: float
    sensible: bool
    near: bool
    """Whether it may turn out relevant once more of the site is known."""
    pictures: PicturesSay = SILENT

    def words(self, topic: str, spelling: Callable[[str], str] = str) -> str:
        """For a person to read."""
        sense = "" if self.sensible else "; its words stand apart from each other, in another sense"
        found = f"{self.relevance.score:.3f} about “{topic}” ({self.relevance.words(spelling)})"
        pictures = f"; {said}" if (said := self.pictures.words()) else ""
        return f"{found}{pictures}{sense}; {self.bar.words()}"


class NearPage(Struct, frozen=True, gc=False):
    """A page that is not relevant, and may turn out to be: what is counted of it. `factor` is what its pictures say."""

    counts: dict[str, int]
    length: int
    factor: float
    score: float


class _Kept(Struct, frozen=True, array_like=True):
    """What an earlier crawl for the topic has learned."""

    strategy: str
    model: Learnt
    links: bytes


def asked_for(request: Topical) -> frozenset[str]:
    """The words that were asked for, as they are compared."""
    return frozenset(form for form, weight, of in request.keywords if weight >= 1 and not of)


class TopicSearch:
    """The same pages in the same order give the same verdicts and the same order."""

    def __init__(self, request: Topical, counter: WordCounter) -> None:
        self.request = request
        self._counter = counter
        self._keywords = frozenset(form for form, _, _ in request.keywords)
        self._asked = asked_for(request)
        self._spelt = {form: word for form, said in counter.spellings(request.topic).items() for word in said}
        weights = {form: weight for form, weight, _ in request.keywords}
        kept = _kept(request.wanted)
        aside = WordCounter(counter.language)  # what words are compared by is not to be met as one that pages write
        own = {
            form: weight
            for form, weight, of in request.keywords
            if weight >= 1 or (of and not self._asked.isdisjoint(aside.forms(of)))
        }
        for weight, words in request.profile:  # what interests a reader goes with every topic of theirs
            own |= {form: INTEREST * weight for form in words if form not in own}
        samples = [Sample(length, counts) for length, counts in request.examples]
        self._model = TopicModel(own, samples, kept.model if kept else None)
        self._profile = tuple((weight, words) for weight, words in request.profile)
        self._papers_rest = ScoresMet()
        links = kept.links if kept and kept.strategy == request.strategy else b""
        self.strategy = _strategy(StrategyName(request.strategy), counter, weights, links)
        self.seen = request.fitted_on
        self._next_fit = max(FIRST_FIT, int(self.seen * GROWTH))
        self._near: dict[int, NearPage] = {}
        self._kept: list[float] = []
        self._drifted = False

    # Pages.

    def judge(self, page: PageWords, seen: Sequence[PictureSeen] = ()) -> TopicJudged:
        """`seen` are the pictures of the page that were looked at."""
        relevance, held, level = self._scored(page)
        pictures = pictures_say(seen, self._asked, self._counter.forms)
        score = pictures.factor * relevance.score
        enough = score > 0 and (self._model.says_all(page) if held.open else score >= held.at)
        sensible = not enough or in_sense(self._counter.places(page.text, self._keywords), self._asked, self._keywords)
        sure = float(enough) if held.open else strength(score, held.at, level)
        near = score > 0 and (held.open or score >= NEAR * held.at)
        sure = sure if sensible else min(sure, 0.25)
        return TopicJudged(enough and sensible, relevance, held, sure, sensible, near, pictures)

    def _scored(self, page: PageWords) -> tuple[Relevance, Bar, float]:
        """What the page scores, what is needed, and what pages that show the topic score."""
        held = self._held()
        if self.request.scorer != PAPER:
            return self._model.relevance(page), held, self._model.shown
        shown = self.request.shown
        level = sum(shown) / len(shown) if shown else 2 * held.at
        return papers_relevance(page, self._keywords, self._profile), held, level

    def _held(self) -> Bar:
        """What is needed."""
        if self.request.threshold:
            return Bar(self.request.threshold, given=True)
        return self._model.bar if self.request.scorer != PAPER else bar(self.request.shown, self._papers_rest)

    def spelling(self, form: str) -> str:
        """As it was asked for; else as pages write it."""
        return self._spelt.get(form) or self._counter.spelling(form)

    def take_in(self, page: PageWords, judged: TopicJudged, key: int, url: Url, links: Sequence[SeenLink]) -> bool:
        """Learns from a page; whether the judge was fitted anew."""
        self.strategy.take_in(JudgedPage(key, url, judged.strength, judged.relevant), links)
        if self.request.scorer == PAPER:
            self._papers_rest.note(judged.relevance.score)
        else:
            self._model.take_in(page, judged.relevance.score)
        if judged.relevant:
            self._note_kept(page)
        elif judged.near:
            self._note_near(page, judged, key)
        self.seen += 1
        if self.seen < self._next_fit:
            return False
        self._next_fit = int(self.seen * GROWTH) + 1
        if self.request.scorer != PAPER:
            self._model.fit()
        return True

    # Pages that wait.

    def stands(self, key: int) -> bool:
        """Whether a page that was refused scores too little still; False where that is not known."""
        near = self._near.get(key)
        held = self._held()
        if near is None or held.open:
            return False
        paper = self.request.scorer == PAPER
        score = near.score if paper else near.factor * self._model.score(near.counts, near.length)
        return score < held.at

    def _note_near(self, page: PageWords, judged: TopicJudged, key: int) -> None:
        if len(self._near) >= MOST_NEAR:
            del self._near[next(iter(self._near))]
        own = self._model.vocabulary
        factor, score = judged.pictures.factor, judged.pictures.factor * judged.relevance.score
        counts = dict(page.joined) if own is None else page.of(own)[0]
        self._near[key] = NearPage(counts, page.length, factor, score)

    def learnt(self) -> bytes:
        return msgspec.msgpack.encode(_Kept(self.request.strategy, self._model.learnt(), self.strategy.learnt()))

    # Drift.

    def _note_kept(self, page: PageWords) -> None:
        said = sum(page.of(self._asked)[0].values()) / max(1, page.length)
        self._kept.append(said)
        if len(self._kept) > 3 * DRIFT_PAGES:
            del self._kept[DRIFT_PAGES]

    def drift(self) -> str:
        """What a person should know, once: the last pages that were kept say far less of what was asked for than the
        first did."""
        if self._drifted or len(self._kept) < 2 * DRIFT_PAGES:
            return ""
        first = sum(self._kept[:DRIFT_PAGES]) / DRIFT_PAGES
        last = sum(self._kept[-DRIFT_PAGES:]) / DRIFT_PAGES
        if last >= DRIFTED * first:
            return ""
        self._drifted = True
        return (
            f"the crawl drifts from “{self.request.topic}”: the last {DRIFT_PAGES} kept pages say its words "
            f"{last / first:.0%} as often as the first did. Give more --examples, or a higher --threshold."
        )


def _kept(wanted: bytes) -> _Kept | None:
    try:
        return msgspec.msgpack.decode(wanted, type=_Kept) if wanted else None
    except msgspec.DecodeError:
        return None


def unscored(wanted: bytes) -> bytes:
    """The same without what pages scored: for other terms that is found out anew."""
    kept = _kept(wanted)
    if kept is None:
        return b""
    return msgspec.msgpack.encode(structs.replace(kept, model=structs.replace(kept.model, scores=(0, 0.0, 0.0))))


def _strategy(name: StrategyName, counter: WordCounter, weights: dict[str, float], learnt: bytes) -> LinkStrategy:
    match name:
        case StrategyName.BREADTH | StrategyName.DEPTH:
            return ByDistance(name is StrategyName.DEPTH)
        case StrategyName.FISH:
            return Fish()
        case StrategyName.SHARK:
            return Shark(Sounding(counter, weights))
        case StrategyName.BEST:
            return Best()
        case StrategyName.PAGERANK:
            return ByLinks(_by_pagerank)
        case StrategyName.HITS:
            return ByLinks(_by_hits)
        case StrategyName.LEARNED:
            return LearnedLinks(counter, Sounding(counter, weights), learnt)


def _by_pagerank(sources: list[int], targets: list[int], strengths: list[float]) -> list[float]:
    # Imported here and below: these two strategies alone calculate with arrays, whose package takes long to load.
    import numpy as np

    from whimbrel.rank.pagerank import pagerank

    links = np.array(sources, np.int64), np.array(targets, np.int64)
    ranks: list[float] = pagerank(*links, len(strengths)).tolist()
    return ranks


def _by_hits(sources: list[int], targets: list[int], strengths: list[float]) -> list[float]:
    """Authorities among relevant pages and what they link to."""
    pairs = [(source, target) for source, target in zip(sources, targets, strict=True) if strengths[source] >= 0.5]
    if not pairs:
        return [0.0] * len(strengths)
    import numpy as np

    from whimbrel.rank.hits import hits

    some = np.array(pairs, np.int64)
    authorities: list[float] = hits(some[:, 0], some[:, 1], len(strengths))[1].tolist()
    return authorities
