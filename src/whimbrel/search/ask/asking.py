"""How a query is put to the word index.

Any page may answer that holds one of the words asked for; how well it does is its score. Stop words are left out, and a
word that every fifth page holds finds none by itself while rarer words find enough. Words are looked for in `body`,
which holds all words of a page. What is found is scored by BM25, a word that was typed twice counting twice, and again
by the BM25 of the smaller fields with these weights. Pages that hold all words, and whole titles and whole anchors that
say just what was asked, add a fixed amount, and words that stand together as in the query add to it
(`search.ask.together`). What stands in quotation marks a page must hold.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import tantivy
from msgspec import Struct
from tantivy import Occur

from whimbrel.parse.stops import content
from whimbrel.parse.words import Analysers
from whimbrel.search.ask.arranging import Added, Needed, any_of, ranked, silent, times
from whimbrel.search.ask.choosing import choices
from whimbrel.search.ask.lexicon import Lexicon, is_single
from whimbrel.search.ask.together import NEAR_SLOP, Together
from whimbrel.search.contract import Query
from whimbrel.search.schema import digest_of

WEIGHTS = {"body": 1.0, "title": 0.2, "headings": 0.05, "anchors": 0.4, "address": 0.1}
EXACT = {"title_is": 60.0, "title_part_is": 10.0, "anchor_is": 10.0}
ALL = 1.0
"""What a page has more that holds all words."""

COMMON = 0.2
ENOUGH = 200
"""Pages that rarer words have to find before the common ones only rank: as many as are weighed."""

MEMO_WORDS = 2_000
"""Some kilobytes each. What is asked in a room of one subject has few words: most of a query is made already."""

_Ask = tantivy.Query


class IndexQuery(Struct, frozen=True):
    """A query for the word index, with scores and without them. `allowed` are the pages that its filters and quotation
    marks leave, whatever other words they hold."""

    whole: Any
    chosen: Any
    allowed: Any


class Word(Struct, frozen=True):
    """A word as the index is asked for it. `asked` finds the pages that hold it in any of its forms, of which there are
    `pages`, or fewer where it has several; `body` and `beside` are what it adds to scores there and in other fields."""

    asked: Any
    pages: int
    body: list[Added]
    beside: list[Added]


class Asker:
    """Makes queries for one state of the index. `languages` are those of its pages, most first."""

    def __init__(self, schema: Any, searcher: Any, analysers: Analysers, languages: list[str]) -> None:
        self._schema = schema
        self._searcher = searcher
        self.lexicon = Lexicon(schema, searcher, analysers, languages)
        self._together = Together(self.lexicon)
        self._words: dict[str, Word] = {}

    def ask(self, query: Query) -> IndexQuery:
        counts = self._counted(query)
        needed = self._needed(query, counts)
        filters = [(Occur.Must, silent(choice)) for choice in choices(self._schema, query)]
        filters += [(Occur.MustNot, self._word(word).asked) for word in query.excluded]
        filters += [(Occur.MustNot, self.lexicon.phrase("body", phrase)) for phrase in query.excluded_phrases]
        clauses = [*needed.clauses, *filters]
        quoted = [(Occur.Must, self.lexicon.phrase("body", phrase)) for phrase in query.phrases]
        allowed = [(Occur.Must, _Ask.all_query()), *quoted, *filters]
        return IndexQuery(
            ranked(clauses, needed.pages, self._added(query, counts, needed)),
            _Ask.boolean_query(clauses),
            silent(_Ask.boolean_query(allowed)),
        )

    def by_field(self, query: Query) -> dict[str, Any]:
        """What each field adds to a text score: the parts that the scores of `ask` are the sums of."""
        counts = self._counted(query)
        if not counts:
            return {}
        asked = [(self.lexicon.living(word), count) for word, count in counts.items()]
        fields = {
            name: any_of(times(self._weighted(name, form, forms), count) for forms, count in asked for form in forms)
            for name in WEIGHTS
        }
        if query.phrases:
            fields["phrase"] = any_of(self.lexicon.phrase("body", phrase) for phrase in query.phrases)
        together = {**self._together.added(query), "all": self._all(counts)}
        fields |= {name: any_of(one.asked for one in added) for name, added in together.items() if added}
        return fields | self._exactly(query)

    def words(self, query: Query) -> list[str]:
        """Every word that is scored, those of phrases among them, each once."""
        return list(self._counted(query))

    def on_pages(self, keys: Iterable[int], asked: Any) -> Any:
        """Only what `asked` adds, for these pages."""
        return _Ask.boolean_query([(Occur.Must, self._keyed(keys)), (Occur.Should, asked)])

    def liked(self, words: Mapping[str, float]) -> Any:
        """What pages make of words that interest somebody, each by what it counts."""
        return any_of(_Ask.boost_query(self._word(word).asked, amount) for word, amount in words.items())

    def among(self, keys: Iterable[int], asked: IndexQuery) -> Any:
        """Those of these pages that are allowed, with the scores of what was asked, 0 where they hold no word of it."""
        return _Ask.boolean_query(
            [(Occur.Must, self._keyed(keys)), (Occur.Must, asked.allowed), (Occur.Should, asked.whole)]
        )

    def _keyed(self, keys: Iterable[int]) -> Any:
        return silent(_Ask.term_set_query(self._schema, "key", list(keys)))

    def all_of(self, query: Query) -> Any:
        """Pages that hold all words of a query."""
        words = [self._word(word).asked for word in self._counted(query)]
        return _Ask.const_score_query(_Ask.boolean_query([(Occur.Must, word) for word in words]), 1.0)

    def beside(self, one: str, other: str) -> Any:
        """Pages that say two words beside each other, in this order."""
        ways = [analyser.joined([one, other]).split() for analyser in self.lexicon.analysers()]
        return any_of(_Ask.phrase_query(self._schema, "body", [*way], slop=NEAR_SLOP) for way in ways if len(way) > 1)

    def called(self, query: Query) -> Any:
        """Pages whose title, a part of it, or the text of a link to them says just this."""
        return any_of(self._exactly(query).values())

    def pages_with(self, word: str) -> int:
        """How many pages hold a word in any of its forms; an upper bound where it has several."""
        if (known := self._words.get(word)) is not None:
            return known.pages
        return self.lexicon.pages_with(word)

    # What a page must hold.

    def _needed(self, query: Query, counts: Counter[str]) -> Needed:
        """What a page must hold to be an answer at all."""
        phrases = [(Occur.Must, self.lexicon.phrase("body", phrase)) for phrase in query.phrases]
        if phrases:
            pages = min(self.lexicon.pages_with_all(phrase) for phrase in query.phrases)
            return Needed(phrases, frozenset(), pages)
        finders = self._finders(counts)
        if not finders:
            return Needed([(Occur.Must, silent(_Ask.all_query()))], frozenset(), self._searcher.num_docs)
        pages = min(self._searcher.num_docs, sum(self._word(word).pages for word in finders))
        any_one = any_of(times(self._word(word).asked, counts[word]) for word in finders)
        return Needed([(Occur.Must, any_one)], frozenset(finders), pages)

    def _finders(self, counts: Counter[str]) -> list[str]:
        """The words of which a page must hold one, rarest first."""
        finders: list[str] = []
        found, common = 0, COMMON * self._searcher.num_docs
        for word in sorted(counts, key=lambda word: self._word(word).pages):
            pages = self._word(word).pages
            if pages > common and found >= ENOUGH:
                break
            finders.append(word)
            found += pages
        return finders

    # What adds to its score.

    def _added(self, query: Query, counts: Counter[str], needed: Needed) -> Iterator[Added]:
        """Beside what a page must hold, which scores already where `needed` says so."""
        if not counts:
            return
        for word, count in counts.items():
            known = self._word(word)
            for added in known.beside if word in needed.scored else chain(known.beside, known.body):
                yield Added(times(added.asked, count), added.pages)
        yield from self._all(counts)
        yield from chain.from_iterable(self._together.added(query).values())
        for asked in self._exactly(query).values():
            yield Added(asked, 1)

    def _all(self, counts: Counter[str]) -> list[Added]:
        """What a page has more that holds all words, of those that any page holds."""
        held = [known for word in counts if (known := self._word(word)).pages]
        if len(held) < 2:
            return []
        every = _Ask.boolean_query([(Occur.Must, known.asked) for known in held])
        return [Added(_Ask.const_score_query(every, ALL), min(known.pages for known in held))]

    def _exactly(self, query: Query) -> dict[str, Any]:
        """What says just the query, or just what is left of it without stop words."""
        digests = dict.fromkeys((digest_of(query.said), digest_of(content(query.said, self.lexicon.languages))))
        return {
            name: _Ask.const_score_query(
                any_of(_Ask.term_query(self._schema, name, digest, "basic") for digest in digests), amount
            )
            for name, amount in EXACT.items()
        }

    # Words and phrases.

    def _counted(self, query: Query) -> Counter[str]:
        """Every word that is scored, with how often it was typed."""
        return Counter([*self.lexicon.content(query), *chain.from_iterable(query.phrases)])

    def _word(self, word: str) -> Word:
        known = self._words.get(word)
        if known is None:
            if len(self._words) >= MEMO_WORDS:
                self._words.clear()
            known = self._words[word] = self._made(word)
        return known

    def _made(self, word: str) -> Word:
        forms = self.lexicon.living(word)
        added = {name: list(self._added_by(name, forms)) for name in WEIGHTS}
        asked = any_of(self._weighted("body", tokens, forms) for tokens in forms)
        return Word(asked, self.pages_with(word), added.pop("body"), list(chain.from_iterable(added.values())))

    def _added_by(self, field: str, forms: list[list[str]]) -> Iterator[Added]:
        for tokens in forms:
            if pages := self._searcher.num_docs if is_single(tokens) else self.lexicon.pages(field, tokens):
                yield Added(self._weighted(field, tokens, forms), pages)

    def _weighted(self, field: str, tokens: list[str], forms: list[list[str]]) -> Any:
        asked, weight = self.lexicon.asked(field, tokens), WEIGHTS[field] * self._evened(field, tokens, forms)
        return asked if weight == 1.0 else _Ask.boost_query(asked, weight)

    def _evened(self, field: str, tokens: list[str], forms: list[list[str]]) -> float:
        """A word is as rare as all its forms together. Pages in another language, or in none that could be told, hold
        it in a form of their own; few pages do, and BM25 would take the word for a rare one there."""
        own = self.lexicon.pages(field, tokens)
        if len(forms) < 2 or len(tokens) > 1 or not own:
            return 1.0
        pages = self._searcher.num_docs
        whole = min(pages, sum(self.lexicon.pages(field, form) for form in forms))
        return rarity(whole, pages) / rarity(own, pages)


def rarity(holding: int, pages: int) -> float:
    """As the word index counts it for BM25."""
    return math.log1p((pages - holding + 0.5) / (holding + 0.5))
