"""How a query is put to the word index.

Words are looked for in `body`, which holds all words of a page. Words that every fifth page holds only rank; of the
others, where they are four or more, three in ten may be missing. What is found is scored by BM25, and again by the BM25
of the smaller fields with these weights. Whole titles and
whole anchors that say just what was asked add a fixed amount. Words that stand beside each other on the page as in the
query add to it (the sequential dependence of Metzler and Croft, "A Markov Random Field Model for Term Dependencies",
2005), where at least one of the two is rare enough to make that cheap.
"""

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import tantivy
from msgspec import Struct
from tantivy import Occur

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

_Ask = tantivy.Query


class Asked(Struct, frozen=True):
    """A query for the word index: with scores, without them, and beside it what each field adds to a text score."""

    whole: Any
    chosen: Any
    fields: dict[str, Any]


class Asker:
    """Makes queries for one state of the index. `languages` are those of its pages, most first."""

    def __init__(self, schema: Any, searcher: Any, analysers: Analysers, languages: list[str]) -> None:
        self._schema = schema
        self._searcher = searcher
        self._analysers = analysers
        self._languages = languages[:MOST_LANGUAGES]
        self._counts: dict[str, int] = {}
        """On how many pages tokens stand that were asked for lately."""

    def ask(self, query: Query) -> Asked:
        fields = self._fields(query)
        needed = [(Occur.Must, _silent(self._needed(query)))]
        needed += [(Occur.Must, _silent(choice)) for choice in self._choices(query)]
        needed += [(Occur.MustNot, self._word("body", word)) for word in query.excluded]
        needed += [(Occur.MustNot, self._phrase("body", phrase)) for phrase in query.excluded_phrases]
        scored = [(Occur.Should, asked) for asked in fields.values()]
        return Asked(_Ask.boolean_query(needed + scored), _Ask.boolean_query(needed), fields)

    def on_pages(self, keys: Iterable[int], asked: Any) -> Any:
        """Only what `asked` adds, for these pages."""
        keys_query = _Ask.term_set_query(self._schema, "key", list(keys))
        return _Ask.boolean_query([(Occur.Must, _silent(keys_query)), (Occur.Should, asked)])

    def forms(self, word: str) -> list[str]:
        return self._analysers.forms(word, self._languages)

    def pages_with(self, word: str) -> int:
        """How many pages hold a word in any of its forms; an upper bound where it has several."""
        return sum(min(self._count(token) for token in form.split()) for form in self.forms(word))

    def _fields(self, query: Query) -> dict[str, Any]:
        said = [word for phrase in query.phrases for word in phrase]
        words = list(dict.fromkeys((*query.words, *said)))
        if not words:
            return {}
        fields = {name: _any(self._word(name, word) for word in words) for name in WEIGHTS}
        fields = {name: _Ask.boost_query(asked, WEIGHTS[name]) for name, asked in fields.items()}
        if query.phrases:
            fields["phrase"] = _any(self._phrase("body", phrase) for phrase in query.phrases)
        if near := self._near(query.words):
            fields["near"] = _Ask.boost_query(_any(near), NEAR)
        seal = seal_of(query.said)
        fields |= {name: self._exactly(name, seal, amount) for name, amount in EXACT.items()}
        return fields

    def _needed(self, query: Query) -> Any:
        """What a page must hold to be an answer at all."""
        clauses = [(Occur.Must, self._phrase("body", phrase)) for phrase in query.phrases]
        common = COMMON * self._searcher.num_docs
        rare = [word for word in query.words if self.pages_with(word) <= common]
        words = [(Occur.Should, self._word("body", word)) for word in rare or query.words]
        if rare or (words and not clauses):
            needed = len(words) if len(words) < 3 or not rare else math.ceil(SHARE_NEEDED * len(words))
            clauses.append((Occur.Must, _Ask.boolean_query(words, minimum_number_should_match=needed)))
        return _Ask.boolean_query(clauses) if clauses else _Ask.all_query()

    def _word(self, field: str, word: str) -> Any:
        return _any(self._tokens(field, form.split()) for form in self._living(word))

    def _living(self, word: str) -> list[str]:
        """The forms that some page holds: of three languages, mostly one has the word."""
        forms = self.forms(word)
        return [form for form in forms if all(map(self._count, form.split()))] or forms[:1]

    def _tokens(self, field: str, tokens: list[str]) -> Any:
        if len(tokens) == 1 and len(tokens[0]) == 1 and paired(tokens[0]):
            # Pages hold it in pairs, with the one before and the one behind.
            return _Ask.regex_query(self._schema, field, f"{tokens[0]}.?|.{tokens[0]}")
        if len(tokens) == 1:
            return _Ask.term_query(self._schema, field, tokens[0], "freq")
        if field in ("title", "body"):
            return _Ask.phrase_query(self._schema, field, list(tokens))
        return _Ask.boolean_query([(Occur.Must, self._tokens(field, [token])) for token in tokens])

    def _phrase(self, field: str, words: tuple[str, ...]) -> Any:
        ways = dict.fromkeys(self._analysers.of(language).joined(words) for language in ("", *self._languages))
        return _any(self._tokens(field, way.split()) for way in ways)

    def _near(self, words: tuple[str, ...]) -> list[Any]:
        analyser = self._analysers.of(self._languages[0] if self._languages else "")
        tokens = [analyser[word].split() for word in words]
        common = min(NEAR_COMMON * self._searcher.num_docs, NEAR_PAGES)
        counts = [min((self._count(token) for token in form), default=0) for form in tokens]
        return [
            _Ask.phrase_query(self._schema, "body", [*one, *other], slop=NEAR_SLOP)
            for at, (one, other) in enumerate(pairwise(tokens))
            if one != other and 0 < min(counts[at : at + 2]) <= max(common, SMALL)
        ]

    def _exactly(self, field: str, seal: int, amount: float) -> Any:
        return _Ask.const_score_query(_Ask.term_query(self._schema, field, seal, "basic"), amount)

    def _choices(self, query: Query) -> list[Any]:
        chosen = []
        for field, values in (("host", query.sites), ("type", query.types), ("lang", query.languages)):
            if values:
                chosen.append(_any(_Ask.term_query(self._schema, field, value, "basic") for value in values))
        if query.after is not None or query.before is not None:
            first = None if query.after is None else int(query.after)
            end = None if query.before is None else int(query.before)
            chosen.append(
                _Ask.range_query(self._schema, "at", tantivy.FieldType.Integer, first, end, include_upper=False)
            )
        return chosen

    def _count(self, token: str) -> int:
        if token not in self._counts:
            if len(self._counts) >= MEMO_TOKENS:
                self._counts.clear()
            self._counts[token] = int(self._searcher.doc_freq("body", token))
        return self._counts[token]


def _any(queries: Iterable[Any]) -> Any:
    ways = list(queries)
    if not ways:
        return _Ask.empty_query()
    return ways[0] if len(ways) == 1 else _Ask.boolean_query([(Occur.Should, way) for way in ways])


def _silent(query: Any) -> Any:
    """Chooses without scoring."""
    return _Ask.const_score_query(query, 0.0)
