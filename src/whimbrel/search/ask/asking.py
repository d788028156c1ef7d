"""How a query is put to the word index.

Any page may answer that holds one of the words asked for; how well it does is its score. Stop words are left out, and a
word that every fifth page holds finds none by itself while rarer words find enough. Words are looked for in `body`,
which holds all words of a page. What is found is scored by BM25, a word that was typed twice counting twice, and again
by the BM25 of the smaller fields with these weights. Pages that hold all words, and whole titles and whole anchors that
say just what was asked, add a fixed amount. Words that stand beside each other on the page as in the query add to it
(the sequential dependence of Metzler and Croft, "A Markov Random Field Model for Term Dependencies", 2005), where at
least one of the two is rare enough to make that cheap. What stands in quotation marks a page must hold.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, pairwise
from typing import Any

import tantivy
from msgspec import Struct
from tantivy import Occur

from whimbrel.parse.stops import FALLBACK, content, stop_words
from whimbrel.parse.words import Analysers, paired
from whimbrel.search.ask.arranging import Added, Needed, any_of, ranked, silent
from whimbrel.search.contract import Query
from whimbrel.search.schema import digest_of

WEIGHTS = {"body": 1.0, "title": 0.2, "headings": 0.05, "anchors": 0.4, "address": 0.1}
EXACT = {"title_is": 60.0, "title_part_is": 10.0, "anchor_is": 10.0}
ALL = 1.0
"""What a page has more that holds all words."""

PASSAGE = 6.0
"""What a page has more that says all words, except those on many pages, within so many of each other."""

PASSAGE_WORDS = 30
FEWEST_IN_PASSAGE, MOST_IN_PASSAGE = 3, 8
SAID = 10.0
"""What a page has more that says what was typed from its first word that is no stop word to the last."""

FEWEST_SAID, MOST_SAID = 8, 24
"""Words: what is shorter may be a heading or the text of a link, and lists of contents say these too."""
NEAR = 0.2
NEAR_SLOP = 2
NEAR_COMMON = 0.3
"""Two words that each stand on more than this share of the pages are not looked for beside each other."""

NEAR_PAGES = 3_000
"""Nor are two that each stand on more pages than this: positions of so many pages take milliseconds to read."""

SMALL = 20

COMMON = 0.2
ENOUGH = 200
"""Pages that rarer words have to find before the common ones only rank: as many as are weighed."""

MOST_LANGUAGES = 3
MEMO_TOKENS = 10_000
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
        self._analysers = analysers
        self._languages = languages[:MOST_LANGUAGES]
        self._spoken = self._languages or [FALLBACK]
        self._counts: dict[tuple[str, str], int] = {}
        """On how many pages tokens stand that were asked for lately, by field."""
        self._words: dict[str, Word] = {}

    def ask(self, query: Query) -> IndexQuery:
        counts = self._counted(query)
        needed = self._needed(query, counts)
        filters = [(Occur.Must, silent(choice)) for choice in self._choices(query)]
        filters += [(Occur.MustNot, self._word(word).asked) for word in query.excluded]
        filters += [(Occur.MustNot, self._phrase("body", phrase)) for phrase in query.excluded_phrases]
        clauses = [*needed.clauses, *filters]
        quoted = [(Occur.Must, self._phrase("body", phrase)) for phrase in query.phrases]
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
        asked = [(self._living(word), count) for word, count in counts.items()]
        fields = {
            name: any_of(times(self._weighted(name, form, forms), count) for forms, count in asked for form in forms)
            for name in WEIGHTS
        }
        if query.phrases:
            fields["phrase"] = any_of(self._phrase("body", phrase) for phrase in query.phrases)
        if near := self._near(self.content(query)):
            fields["near"] = any_of(near)
        fixed = {"all": self._together(counts), "passage": self._passage(query), "said": self._said(query)}
        fields |= {name: added[0].asked for name, added in fixed.items() if added}
        return fields | self._exactly(query)

    def content(self, query: Query) -> list[str]:
        """The words that say what is looked for, those in quotation marks left out."""
        words = content(query.words, self._languages)
        return [] if query.phrases and words == list(query.words) and self.little(words) else words

    def is_sentence(self, query: Query) -> bool:
        """Whoever types bare words means these; whoever asks in a sentence, which little words make it, says in words
        of their own what it is about."""
        return len(content(query.words, self._languages)) < len(query.words)

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
        ways = [analyser.joined([one, other]).split() for analyser in map(self._analysers.of, self._spoken)]
        return any_of(_Ask.phrase_query(self._schema, "body", [*way], slop=NEAR_SLOP) for way in ways if len(way) > 1)

    def little(self, words: list[str]) -> bool:
        """Whether they are all stop words."""
        return all(any(word in stop_words(language) for language in self._spoken) for word in words)

    def called(self, query: Query) -> Any:
        """Pages whose title, a part of it, or the text of a link to them says just this."""
        return any_of(self._exactly(query).values())

    def speaks(self, language: str) -> bool:
        return language in self._spoken

    def forms(self, word: str) -> list[str]:
        return self._analysers.forms(word, self._languages)

    def pages_with(self, word: str) -> int:
        """How many pages hold a word in any of its forms; an upper bound where it has several."""
        if (known := self._words.get(word)) is not None:
            return known.pages
        return sum(self._pages("body", form.split()) for form in self.forms(word))

    # What a page must hold.

    def _needed(self, query: Query, counts: Counter[str]) -> Needed:
        """What a page must hold to be an answer at all."""
        phrases = [(Occur.Must, self._phrase("body", phrase)) for phrase in query.phrases]
        if phrases:
            pages = min(self._pages_with_all(phrase) for phrase in query.phrases)
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

    def _pages_with_all(self, words: Iterable[str]) -> int:
        return min(map(self.pages_with, words), default=0)

    def _choices(self, query: Query) -> list[Any]:
        chosen = []
        filters = {"host": query.sites, "type": query.types, "lang": query.languages, "has": query.has}
        for field, values in filters.items():
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

    def _added(self, query: Query, counts: Counter[str], needed: Needed) -> Iterator[Added]:
        """Beside what a page must hold, which scores already where `needed` says so."""
        if not counts:
            return
        for word, count in counts.items():
            known = self._word(word)
            for added in known.beside if word in needed.scored else chain(known.beside, known.body):
                yield Added(times(added.asked, count), added.pages)
        for asked in self._near(self.content(query)):
            yield Added(asked, self._searcher.num_docs)
        yield from self._together(counts)
        yield from self._passage(query)
        yield from self._said(query)
        for asked in self._exactly(query).values():
            yield Added(asked, 1)

    def _together(self, counts: Counter[str]) -> list[Added]:
        """What a page has more that holds all words, of those that any page holds."""
        held = [known for word in counts if (known := self._word(word)).pages]
        if len(held) < 2:
            return []
        every = _Ask.boolean_query([(Occur.Must, known.asked) for known in held])
        return [Added(_Ask.const_score_query(every, ALL), min(known.pages for known in held))]

    def _near(self, words: list[str]) -> list[Any]:
        analyser = self._analysers.of(self._languages[0] if self._languages else "")
        tokens = [form for word in words if self._pages("body", form := analyser[word].split())]
        common = min(NEAR_COMMON * self._searcher.num_docs, NEAR_PAGES)
        counts = [self._pages("body", form) for form in tokens]
        pairs = {
            (*one, *other): None
            for at, (one, other) in enumerate(pairwise(tokens))
            if one != other and min(counts[at : at + 2]) <= max(common, SMALL)
        }
        return [
            _Ask.boost_query(_Ask.phrase_query(self._schema, "body", list(pair), slop=NEAR_SLOP), NEAR)
            for pair in pairs
        ]

    def _passage(self, query: Query) -> list[Added]:
        """What a page has more that says all words in one passage, as the text does that bare words are remembered
        from. Where the words of a sentence meet by chance is a list of everything."""
        if self.is_sentence(query):
            return []
        words = self.content(query)
        analyser = self._analysers.of(self._languages[0] if self._languages else "")
        tokens = list(dict.fromkeys(chain.from_iterable(analyser[word].split() for word in words)))
        held = {token: count for token in tokens if (count := self._count("body", token))}
        common = max(NEAR_COMMON * self._searcher.num_docs, SMALL)
        rare = [token for token, count in held.items() if count <= common]
        if not FEWEST_IN_PASSAGE <= len(held) <= MOST_IN_PASSAGE or len(rare) < 2:
            return []
        asked = _Ask.phrase_query(self._schema, "body", [*rare], slop=PASSAGE_WORDS)
        return [Added(_Ask.const_score_query(asked, PASSAGE), self._searcher.num_docs)]

    def _said(self, query: Query) -> list[Added]:
        """What a page has more that says just this: whoever copies a sentence looks for the page that has it. Whoever
        asks wants an answer, and what says the question itself is often a list of contents."""
        if query.text.rstrip().endswith(("?", "？")):
            return []
        weighty = set(self.content(query))
        at = [place for place, word in enumerate(query.words) if word in weighty]
        words = query.words[at[0] : at[-1] + 1][:MOST_SAID] if at else ()
        if len(words) < FEWEST_SAID or not 0 < self._pages_with_all(words) <= NEAR_PAGES:
            return []
        return [Added(_Ask.const_score_query(self._phrase("body", words), SAID), self._searcher.num_docs)]

    def _exactly(self, query: Query) -> dict[str, Any]:
        """What says just the query, or just what is left of it without stop words."""
        digests = dict.fromkeys((digest_of(query.said), digest_of(content(query.said, self._languages))))
        return {
            name: _Ask.const_score_query(
                any_of(_Ask.term_query(self._schema, name, digest, "basic") for digest in digests), amount
            )
            for name, amount in EXACT.items()
        }

    # Words and phrases.

    def _counted(self, query: Query) -> Counter[str]:
        """Every word that is scored, with how often it was typed."""
        return Counter([*self.content(query), *chain.from_iterable(query.phrases)])

    def _word(self, word: str) -> Word:
        known = self._words.get(word)
        if known is None:
            if len(self._words) >= MEMO_WORDS:
                self._words.clear()
            known = self._words[word] = self._made(word)
        return known

    def _made(self, word: str) -> Word:
        forms = self._living(word)
        added = {name: list(self._added_by(name, forms)) for name in WEIGHTS}
        asked = any_of(self._weighted("body", tokens, forms) for tokens in forms)
        return Word(asked, self.pages_with(word), added.pop("body"), list(chain.from_iterable(added.values())))

    def _added_by(self, field: str, forms: list[list[str]]) -> Iterator[Added]:
        for tokens in forms:
            if pages := self._searcher.num_docs if _is_single(tokens) else self._pages(field, tokens):
                yield Added(self._weighted(field, tokens, forms), pages)

    def _weighted(self, field: str, tokens: list[str], forms: list[list[str]]) -> Any:
        asked, weight = self._tokens(field, tokens), WEIGHTS[field] * self._evened(field, tokens, forms)
        return asked if weight == 1.0 else _Ask.boost_query(asked, weight)

    def _evened(self, field: str, tokens: list[str], forms: list[list[str]]) -> float:
        """A word is as rare as all its forms together. Pages in another language, or in none that could be told, hold
        it in a form of their own; few pages do, and BM25 would take the word for a rare one there."""
        own = self._pages(field, tokens)
        if len(forms) < 2 or len(tokens) > 1 or not own:
            return 1.0
        pages = self._searcher.num_docs
        whole = min(pages, sum(self._pages(field, form) for form in forms))
        return rarity(whole, pages) / rarity(own, pages)

    def _living(self, word: str) -> list[list[str]]:
        """The forms that some page holds, as tokens: of three languages, mostly one has the word."""
        forms = [form.split() for form in self.forms(word)]
        return [form for form in forms if self._pages("body", form)] or forms[:1]

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


def rarity(holding: int, pages: int) -> float:
    """As the word index counts it for BM25."""
    return math.log1p((pages - holding + 0.5) / (holding + 0.5))


def times(asked: Any, count: int) -> Any:
    """What was typed several times counts several times."""
    return asked if count == 1 else _Ask.boost_query(asked, float(count))


def _is_single(tokens: list[str]) -> bool:
    """Whether it is one character of a script that is indexed by pairs."""
    return len(tokens) == 1 and len(tokens[0]) == 1 and paired(tokens[0])
