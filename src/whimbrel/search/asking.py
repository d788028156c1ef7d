"""How a query is put to the word index.

Words are looked for in `body`, which holds all words of a page. Words that every fifth page holds only rank; of the
others, where they are four or more, three in ten may be missing. What is found is scored by BM25, and again by the BM25
of the smaller fields with these weights. Whole titles and whole anchors that say just what was asked add a fixed
amount. Words that stand beside each other on the page as in the query add to it (the sequential dependence of Metzler
and Croft, "A Markov Random Field Model for Term Dependencies", 2005), where at least one of the two is rare enough to
make that cheap.
"""

import math
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import Any

import tantivy
from msgspec import Struct
from tantivy import Occur

from whimbrel.search.arranging import Added, Needed, all_but, any_of, ranked, silent
from whimbrel.search.contract import Query
from whimbrel.search.schema import seal_of
from whimbrel.search.words import Analysers, paired

WEIGHTS = {"body": 1.0, "title": 0.4, "headings": 0.1, "anchors": 0.15, "address": 0.1}
EXACT = {"title_is": 60.0, "title_part_is": 10.0, "anchor_is": 10.0}
NEAR = 3.0
NEAR_SLOP = 2
NEAR_COMMON = 0.3
"""Two words that each stand on more than this share of the pages are not looked for beside each other."""

NEAR_PAGES = 3_000
"""Nor are two that each stand on more pages than this: positions of so many pages take milliseconds to read."""

SMALL = 20

SHARE_NEEDED = 0.7
COMMON = 0.2
MOST_LANGUAGES = 3
MEMO_TOKENS = 10_000
MEMO_WORDS = 2_000
"""Some kilobytes each. What is asked in a room of one subject has few words: most of a query is made already."""

_Ask = tantivy.Query


class Asked(Struct, frozen=True):
    """A query for the word index, with scores and without them."""

    whole: Any
    chosen: Any


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
        self._analysers = analysers
        self._languages = languages[:MOST_LANGUAGES]
        self._counts: dict[tuple[str, str], int] = {}
        """On how many pages tokens stand that were asked for lately, by field."""
        self._words: dict[str, Word] = {}

    def ask(self, query: Query) -> Asked:
        needed = self._needed(query)
        filters = [(Occur.Must, silent(choice)) for choice in self._choices(query)]
        filters += [(Occur.MustNot, self._word(word).asked) for word in query.excluded]
        filters += [(Occur.MustNot, self._phrase("body", phrase)) for phrase in query.excluded_phrases]
        clauses = [*needed.clauses, *filters]
        return Asked(ranked(clauses, needed.pages, self._added(query, needed)), _Ask.boolean_query(clauses))

    def by_field(self, query: Query) -> dict[str, Any]:
        """What each field adds to a text score: the parts that the scores of `ask` are the sums of."""
        words = words_of(query)
        if not words:
            return {}
        forms = [form.split() for word in words for form in self._living(word)]
        fields = {name: any_of(self._weighted(name, tokens) for tokens in forms) for name in WEIGHTS}
        if query.phrases:
            fields["phrase"] = any_of(self._phrase("body", phrase) for phrase in query.phrases)
        if near := self._near(query.words):
            fields["near"] = any_of(near)
        return fields | self._exactly(query)

    def on_pages(self, keys: Iterable[int], asked: Any) -> Any:
        """Only what `asked` adds, for these pages."""
        keys_query = _Ask.term_set_query(self._schema, "key", list(keys))
        return _Ask.boolean_query([(Occur.Must, silent(keys_query)), (Occur.Should, asked)])

    def forms(self, word: str) -> list[str]:
        return self._analysers.forms(word, self._languages)

    def pages_with(self, word: str) -> int:
        """How many pages hold a word in any of its forms; an upper bound where it has several."""
        if (known := self._words.get(word)) is not None:
            return known.pages
        return sum(self._pages("body", form.split()) for form in self.forms(word))

    # What a page must hold.

    def _needed(self, query: Query) -> Needed:
        """What a page must hold to be an answer at all."""
        phrases = [(Occur.Must, self._phrase("body", phrase)) for phrase in query.phrases]
        pages = min((self._pages_with_all(phrase) for phrase in query.phrases), default=self._searcher.num_docs)
        common = COMMON * self._searcher.num_docs
        known = {word: self._word(word) for word in query.words}
        rare = [word for word in query.words if known[word].pages <= common]
        words = sorted(rare or (() if phrases else query.words), key=lambda word: known[word].pages)
        if not words:
            return Needed(phrases or [(Occur.Must, silent(_Ask.all_query()))], frozenset(), pages)
        may_miss = len(words) - math.ceil(SHARE_NEEDED * len(words)) if rare and len(words) > 2 else 0
        found = all_but(may_miss, [known[word].asked for word in words], [known[word].pages for word in words])
        scored = frozenset(words) if found.scored else frozenset()
        return Needed([*phrases, *found.clauses], scored, min(pages, found.pages))

    def _pages_with_all(self, words: Iterable[str]) -> int:
        return min(map(self.pages_with, words), default=0)

    def _choices(self, query: Query) -> list[Any]:
        chosen = []
        for field, values in (("host", query.sites), ("type", query.types), ("lang", query.languages)):
            if values:
                chosen.append(any_of(_Ask.term_query(self._schema, field, value, "basic") for value in values))
        if query.after is not None or query.before is not None:
            first = None if query.after is None else int(query.after)
            end = None if query.before is None else int(query.before)
            # An end that is not given counts as part of the range: the library refuses to leave it out.
            within = (self._schema, "at", tantivy.FieldType.Integer, first, end)
            chosen.append(_Ask.range_query(*within, include_upper=end is None))
        return chosen

    # What adds to its score.

    def _added(self, query: Query, needed: Needed) -> Iterator[Added]:
        """Beside what a page must hold, which scores already where `needed` says so."""
        words = words_of(query)
        if not words:
            return
        for word in words:
            known = self._word(word)
            yield from known.beside
            if word not in needed.scored:
                yield from known.body
        for asked in self._near(query.words):
            yield Added(asked, self._searcher.num_docs)
        for asked in self._exactly(query).values():
            yield Added(asked, 1)

    def _near(self, words: tuple[str, ...]) -> list[Any]:
        analyser = self._analysers.of(self._languages[0] if self._languages else "")
        tokens = [analyser[word].split() for word in words]
        common = min(NEAR_COMMON * self._searcher.num_docs, NEAR_PAGES)
        counts = [self._pages("body", form) for form in tokens]
        return [
            _Ask.boost_query(_Ask.phrase_query(self._schema, "body", [*one, *other], slop=NEAR_SLOP), NEAR)
            for at, (one, other) in enumerate(pairwise(tokens))
            if one != other and 0 < min(counts[at : at + 2]) <= max(common, SMALL)
        ]

    def _exactly(self, query: Query) -> dict[str, Any]:
        seal = seal_of(query.said)
        return {
            name: _Ask.const_score_query(_Ask.term_query(self._schema, name, seal, "basic"), amount)
            for name, amount in EXACT.items()
        }

    # Words and phrases.

    def _word(self, word: str) -> Word:
        known = self._words.get(word)
        if known is None:
            if len(self._words) >= MEMO_WORDS:
                self._words.clear()
            known = self._words[word] = self._made(word)
        return known

    def _made(self, word: str) -> Word:
        forms = [form.split() for form in self._living(word)]
        added = {name: list(self._added_by(name, forms)) for name in WEIGHTS}
        asked = any_of(self._tokens("body", tokens) for tokens in forms)
        return Word(asked, self.pages_with(word), added.pop("body"), list(chain.from_iterable(added.values())))

    def _added_by(self, field: str, forms: list[list[str]]) -> Iterator[Added]:
        for tokens in forms:
            if pages := self._searcher.num_docs if _is_single(tokens) else self._pages(field, tokens):
                yield Added(self._weighted(field, tokens), pages)

    def _weighted(self, field: str, tokens: list[str]) -> Any:
        asked = self._tokens(field, tokens)
        return asked if WEIGHTS[field] == 1.0 else _Ask.boost_query(asked, WEIGHTS[field])

    def _living(self, word: str) -> list[str]:
        """The forms that some page holds: of three languages, mostly one has the word."""
        forms = self.forms(word)
        return [form for form in forms if self._pages("body", form.split())] or forms[:1]

    def _tokens(self, field: str, tokens: list[str]) -> Any:
        if _is_single(tokens):
            # Pages hold it in pairs, with the one before and the one behind.
            return _Ask.regex_query(self._schema, field, f"{tokens[0]}.?|.{tokens[0]}")
        if len(tokens) == 1:
            return _Ask.term_query(self._schema, field, tokens[0], "freq")
        if field in ("title", "body"):
            return _Ask.phrase_query(self._schema, field, list(tokens))
        return _Ask.boolean_query([(Occur.Must, self._tokens(field, [token])) for token in tokens])

    def _phrase(self, field: str, words: tuple[str, ...]) -> Any:
        ways = dict.fromkeys(self._analysers.of(language).joined(words) for language in ("", *self._languages))
        return any_of(self._tokens(field, way.split()) for way in ways)

    def _pages(self, field: str, tokens: list[str]) -> int:
        """On how many pages a field holds these tokens; an upper bound where they are several."""
        return min((self._count(field, token) for token in tokens), default=0)

    def _count(self, field: str, token: str) -> int:
        known = self._counts.get((field, token))
        if known is None:
            if len(self._counts) >= MEMO_TOKENS:
                self._counts.clear()
            known = self._counts[field, token] = int(self._searcher.doc_freq(field, token))
        return known


def words_of(query: Query) -> list[str]:
    """Every word that is scored, those of phrases among them."""
    return list(dict.fromkeys((*query.words, *(word for phrase in query.phrases for word in phrase))))


def _is_single(tokens: list[str]) -> bool:
    """Whether it is one character of a script that is indexed by pairs."""
    return len(tokens) == 1 and len(tokens[0]) == 1 and paired(tokens[0])
