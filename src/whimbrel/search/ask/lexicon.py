"""The words of one state of the index: in which forms pages hold a word, on how many, and how it is asked for."""

from collections.abc import Iterable
from typing import Any

import tantivy
from tantivy import Occur

from whimbrel.parse.stops import FALLBACK, asked_in, content, foreign, stop_words
from whimbrel.parse.words import Analyser, Analysers, paired
from whimbrel.search.ask.arranging import any_of
from whimbrel.search.contract import Query

MOST_LANGUAGES = 3
MEMO_TOKENS = 10_000
"""Some kilobytes. What is asked in a room of one subject has few words."""

_Ask = tantivy.Query


class Lexicon:
    """`languages` are those of the pages, most first."""

    def __init__(self, schema: Any, searcher: Any, analysers: Analysers, languages: list[str]) -> None:
        self.schema = schema
        self.languages = languages[:MOST_LANGUAGES]
        self.spoken = self.languages or [FALLBACK]
        self.total: int = searcher.num_docs
        self._searcher = searcher
        self._analysers = analysers
        self._counts: dict[tuple[str, str], int] = {}
        """On how many pages tokens stand that were asked for lately, by field."""

    @property
    def analyser(self) -> Analyser:
        """Of the language that most pages are in."""
        return self._analysers.of(self.languages[0] if self.languages else "")

    def analysers(self) -> list[Analyser]:
        return [self._analysers.of(language) for language in self.spoken]

    def content(self, query: Query) -> list[str]:
        """The words that say what is looked for, those in quotation marks left out."""
        words = content(query.words, self.languages)
        return [] if query.phrases and words == list(query.words) and self.little(words) else words

    def is_sentence(self, query: Query) -> bool:
        """Whoever types bare words means these; whoever asks in a sentence, which little words make it, says in words
        of their own what it is about."""
        return len(content(query.words, self.languages)) < len(query.words)

    def asked_in(self, query: Query) -> str:
        """The language of a sentence."""
        return asked_in(query.words, self.languages)

    def foreign(self, query: Query) -> str:
        """The language that a query is in, where hardly a page is; else ""."""
        return foreign(query.words, self.languages)

    def little(self, words: Iterable[str]) -> bool:
        """Whether they are all stop words."""
        return all(any(word in stop_words(language) for language in self.spoken) for word in words)

    def forms(self, word: str) -> list[str]:
        return self._analysers.forms(word, self.languages)

    def living(self, word: str) -> list[list[str]]:
        """The forms that some page holds, as tokens: of three languages, mostly one has the word."""
        forms = [form.split() for form in self.forms(word)]
        return [form for form in forms if self.pages("body", form)] or forms[:1]

    def asked(self, field: str, tokens: list[str]) -> Any:
        if is_single(tokens):
            # Pages hold it in pairs, with the one before and the one behind.
            return _Ask.regex_query(self.schema, field, f"{tokens[0]}.?|.{tokens[0]}")
        if len(tokens) == 1:
            return _Ask.term_query(self.schema, field, tokens[0], "freq")
        if field in ("title", "body"):
            return _Ask.phrase_query(self.schema, field, list(tokens))
        return _Ask.boolean_query([(Occur.Must, self.asked(field, [token])) for token in tokens])

    def phrase(self, field: str, words: tuple[str, ...]) -> Any:
        ways = dict.fromkeys(self._analysers.of(language).joined(words) for language in ("", *self.languages))
        return any_of(self.asked(field, way.split()) for way in ways)

    def pages_with(self, word: str) -> int:
        """How many pages hold a word in any of its forms; an upper bound where it has several."""
        return sum(self.pages("body", form.split()) for form in self.forms(word))

    def pages_with_all(self, words: Iterable[str]) -> int:
        return min(map(self.pages_with, words), default=0)

    def pages(self, field: str, tokens: list[str]) -> int:
        """On how many pages a field holds these tokens; an upper bound where they are several."""
        return min((self.count(field, token) for token in tokens), default=0)

    def count(self, field: str, token: str) -> int:
        known = self._counts.get((field, token))
        if known is None:
            if len(self._counts) >= MEMO_TOKENS:
                self._counts.clear()
            known = self._counts[field, token] = int(self._searcher.doc_freq(field, token))
        return known


def is_single(tokens: list[str]) -> bool:
    """Whether it is one character of a script that is indexed by pairs."""
    return len(tokens) == 1 and len(tokens[0]) == 1 and paired(tokens[0])
