"""What a page has more whose words stand together as they do in the query.

Pairs of neighbours are the sequential dependence of Metzler and Croft ("A Markov Random Field Model for Term
Dependencies", 2005), where at least one of the two is rare enough to make that cheap.
"""

from itertools import chain, combinations, pairwise
from typing import Any

import tantivy

from whimbrel.search.ask.arranging import Added
from whimbrel.search.ask.lexicon import Lexicon
from whimbrel.search.contract import Query

NEAR = 0.2
NEAR_SLOP = 2
NEAR_COMMON = 0.3
"""Two words that each stand on more than this share of the pages are not looked for beside each other."""

NEAR_PAGES = 3_000
"""Nor are two that each stand on more pages than this, nor names of such words alone: positions of so many pages take
milliseconds to read."""

SMALL = 20
PASSAGE = 6.0
"""What a page has more that says all words, except those on many pages, within so many of each other."""

PASSAGE_WORDS = 30
FEWEST_IN_PASSAGE, MOST_IN_PASSAGE = 3, 8
CLOSE = 1.5
"""By how much more than words alone two of a sentence count that stand close, all pairs together."""

CLOSE_WORDS = 24
MOST_CLOSE = 5
"""The rarest words of a sentence: ten pairs of them."""

CLOSE_PAGES = 3_000
"""Pages that all pairs may have to be looked for on, the rarer word of each counted."""

JOINED = 2.0
"""What a page has more that says a name as programs have it, for each that was typed."""

SAID = 10.0
"""What a page has more that says what was typed from its first word that is no stop word to the last."""

FEWEST_SAID, MOST_SAID = 8, 24
"""Words: what is shorter may be a heading or the text of a link, and lists of contents say these too."""

_Ask = tantivy.Query


class Together:
    """Makes clauses for one state of the index."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._common = max(min(NEAR_COMMON * lexicon.total, NEAR_PAGES), SMALL)

    def added(self, query: Query) -> dict[str, list[Added]]:
        """By name, those that have any."""
        words = self._lexicon.content(query)
        sentence = self._lexicon.is_sentence(query)
        ways = {
            "near": self._near(words),
            # Where the words of a sentence meet all at once by chance is a list of everything.
            "passage": [] if sentence else self._passage(words),
            "close": self._close(words) if sentence else [],
            "said": self._said(query),
            "joined": self._joined(query),
        }
        return {name: added for name, added in ways.items() if added}

    def _near(self, words: list[str]) -> list[Added]:
        analyser = self._lexicon.analyser
        tokens = [form for word in words if self._lexicon.pages("body", form := analyser[word].split())]
        counts = [self._lexicon.pages("body", form) for form in tokens]
        pairs = {
            (*one, *other): None
            for at, (one, other) in enumerate(pairwise(tokens))
            if one != other and min(counts[at : at + 2]) <= self._common
        }
        return [Added(_Ask.boost_query(self._within(pair, NEAR_SLOP), NEAR), self._lexicon.total) for pair in pairs]

    def _passage(self, words: list[str]) -> list[Added]:
        """What says all words in one passage, as the text does that bare words are remembered from."""
        held = self._held(words)
        common = max(NEAR_COMMON * self._lexicon.total, SMALL)
        rare = [token for token, count in held.items() if count <= common]
        if not FEWEST_IN_PASSAGE <= len(held) <= MOST_IN_PASSAGE or len(rare) < 2:
            return []
        return [Added(_Ask.const_score_query(self._within(rare, PASSAGE_WORDS), PASSAGE), self._lexicon.total)]

    def _close(self, words: list[str]) -> list[Added]:
        """What says the rarest words of a sentence two by two in one passage, in their order: a long page says all of
        them somewhere."""
        held = self._held(words)
        rarest = sorted(held, key=lambda token: held[token])[:MOST_CLOSE]
        order = [token for token in held if token in rarest]
        pairs = sorted(combinations(order, 2), key=lambda pair: min(held[token] for token in pair))
        asked, read = [], 0
        for pair in pairs:
            read += min(held[token] for token in pair)
            if read > CLOSE_PAGES:
                break
            asked.append(_Ask.boost_query(self._within(pair, CLOSE_WORDS), CLOSE / len(pairs)))
        return [Added(one, self._lexicon.total) for one in asked]

    def _joined(self, query: Query) -> list[Added]:
        """What says a name which was typed as one: its parts alone are words like any others."""
        held = {name: self._lexicon.pages_with_all(name) for name in query.joined if not self._lexicon.little(name)}
        return [
            Added(_Ask.const_score_query(self._lexicon.phrase("body", name), JOINED), pages)
            for name, pages in held.items()
            if 0 < pages <= NEAR_PAGES
        ]

    def _said(self, query: Query) -> list[Added]:
        """What says just this: whoever copies a sentence looks for the page that has it. Whoever asks wants an answer,
        and what says the question itself is often a list of contents."""
        if query.text.rstrip().endswith(("?", "？")):
            return []
        weighty = set(self._lexicon.content(query))
        at = [place for place, word in enumerate(query.words) if word in weighty]
        words = query.words[at[0] : at[-1] + 1][:MOST_SAID] if at else ()
        if len(words) < FEWEST_SAID or not 0 < self._lexicon.pages_with_all(words) <= NEAR_PAGES:
            return []
        return [Added(_Ask.const_score_query(self._lexicon.phrase("body", words), SAID), self._lexicon.total)]

    def _held(self, words: list[str]) -> dict[str, int]:
        """The tokens that some page holds, in their order, each once, and how many pages do."""
        analyser = self._lexicon.analyser
        tokens = dict.fromkeys(chain.from_iterable(analyser[word].split() for word in words))
        return {token: count for token in tokens if (count := self._lexicon.count("body", token))}

    def _within(self, tokens: tuple[str, ...] | list[str], words: int) -> Any:
        """In this order, with so many words between them at most."""
        return _Ask.phrase_query(self._lexicon.schema, "body", [*tokens], slop=words)
