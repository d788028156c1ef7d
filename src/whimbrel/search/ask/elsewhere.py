"""Pages that are not here and of which only an index entry came: found by the words that stand out in them.

They are told apart from what is kept. An entry holds forty words of a page, so nothing is said of phrases, and what its
score is compared with is other entries alone.
"""

from collections import Counter
from math import log
from pathlib import Path

from msgspec import Struct

from whimbrel.flows.entries import EntryBook
from whimbrel.parse.stops import content
from whimbrel.parse.words import Analysers
from whimbrel.search.contract import EntryHit, Query
from whimbrel.search.schema import hosts

MOST = 5
LEAST_SHARE = 0.5
"""Of the words asked for that an entry has to hold; of two words both."""
_HEAVIEST = 255.0


class _Asked(Struct, frozen=True):
    """One word that is looked for, in every way in which an entry may hold it."""

    word: str
    forms: frozenset[str]


def found_elsewhere(beside: Path, query: Query, most: int = MOST) -> tuple[tuple[EntryHit, ...], int]:
    """The best, and how many there are in all."""
    book = EntryBook(beside)
    if not book.exists or not query.asks or query.types not in ((), ("html",)) or query.like is not None:
        return (), 0
    if query.has or (query.after, query.before) != (None, None):
        return (), 0
    asked, unwanted = _asked(book, query)
    holding = book.holding(sorted({form for one in (*asked, *unwanted) for form in one.forms}))
    scores = _scores(asked, unwanted, holding)
    known = book.entries(scores)
    fitting = [one for key, one in known.items() if _fits(query, one.site, one.language)]
    best = sorted(fitting, key=lambda one: (-scores[one.key], one.url))
    shown = tuple(
        EntryHit(one.url, one.key, one.title, one.about, one.site, one.place, one.at, scores[one.key])
        for one in best[:most]
    )
    return shown, len(best)


def _asked(book: EntryBook, query: Query) -> tuple[list[_Asked], list[_Asked]]:
    languages, analysers = book.languages(), Analysers()
    words = content(list(dict.fromkeys(query.said or query.words)), languages)
    quoted = [word for phrase in query.phrases for word in phrase]

    def forms(word: str) -> _Asked:
        return _Asked(word, frozenset(form for way in analysers.forms(word, languages) for form in way.split()))

    left_out = [*query.excluded, *(word for phrase in query.excluded_phrases for word in phrase)]
    return [forms(word) for word in dict.fromkeys((*words, *quoted))], [forms(word) for word in left_out]


def _scores(asked: list[_Asked], unwanted: list[_Asked], holding: dict[int, dict[str, int]]) -> dict[int, float]:
    """By key: how much the words stand out, rare ones more. Menus say the same on every page and weigh nothing."""
    held = {
        key: [max((weights.get(form, 0) for form in one.forms), default=0) for one in asked]
        for key, weights in holding.items()
        if not any(form in weights for one in unwanted for form in one.forms)
    }
    met = Counter(at for weights in held.values() for at, weight in enumerate(weights) if weight)
    least = len(asked) if len(asked) <= 2 else LEAST_SHARE * len(asked)
    rarity = [log(1 + len(held) / (1 + met[at])) for at in range(len(asked))]
    return {
        key: sum(rare * weight / _HEAVIEST for rare, weight in zip(rarity, weights, strict=True))
        for key, weights in held.items()
        if sum(weight > 0 for weight in weights) >= least
    }


def _fits(query: Query, site: str, language: str) -> bool:
    names = hosts(site)
    at_site = not query.sites or any(one in names for one in query.sites)
    return at_site and (not query.languages or language in query.languages)
