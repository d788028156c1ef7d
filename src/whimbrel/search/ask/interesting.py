"""How near pages are to what interests the one who asks, by either formula of `rank.profile`."""

from collections.abc import Callable, Iterable

import numpy as np

from whimbrel.parse.stops import content_of
from whimbrel.rank.graph import Numbers, Shares
from whimbrel.rank.profile import ReaderProfile, papers_score, telling
from whimbrel.search.ask.newest import OpenedIndex
from whimbrel.search.ask.texts import Texts
from whimbrel.search.book import BookRow
from whimbrel.search.contract import SearchSettings

MOST_BY_PAPERS = 50
"""Pages, the best by their words, whose whole text is read for the papers' formula."""

ReadTexts = Callable[[Iterable[BookRow]], Texts]


def interesting(
    state: OpenedIndex, keys: Numbers, profile: ReaderProfile | None, settings: SearchSettings, texts: ReadTexts
) -> Shares:
    """From 0 to 1 for each page, which come the best by their words first; 0 for all without a profile."""
    if profile is None or profile.empty or not settings.profile_weight:
        return np.zeros(len(keys))
    if settings.profile_formula == "papers":
        return _by_papers(state, keys, profile, texts)
    asked = state.asker.liked(telling(profile, state.asker.pages_with, state.searcher.num_docs))
    result = state.searcher.search(state.asker.on_pages(keys.tolist(), asked), limit=len(keys), count=False)
    found = state.searcher.fast_field_values("key", [place for _, place in result.hits])
    worth = dict(zip(found, (score for score, _ in result.hits), strict=True))
    values: Shares = np.array([worth.get(key, 0.0) for key in keys.tolist()], np.float64)
    best = float(values.max())
    return values / best if best > 0 else values


def _by_papers(state: OpenedIndex, keys: Numbers, profile: ReaderProfile, texts: ReadTexts) -> Shares:
    values: Shares = np.zeros(len(keys))
    some = keys[:MOST_BY_PAPERS].tolist()
    rows = state.book.rows(some)
    read = texts(rows.values())
    for at, key in enumerate(some):
        if key in rows:
            values[at] = papers_score(content_of(read.whole(key), rows[key].language), profile)
    return values
