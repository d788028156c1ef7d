"""Pages as a topic sees them: how often each word, in the form by which words are compared, stands in which part.

A text is split in C and its words are counted as they are written; what a word is compared by is looked up once for
all pages. Of most pages only the words of the topic are ever asked for, so nothing more is worked out of them
(docs/decisions/0250).
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from functools import cached_property
from itertools import chain, filterfalse
from typing import Protocol
from urllib.parse import unquote

from msgspec import Struct

from whimbrel.parse.stops import FALLBACK, stop_words
from whimbrel.parse.words import Analyser, split
from whimbrel.records.page import BEGINNING
from whimbrel.records.picturing import PictureSeen
from whimbrel.records.url import Url

MOST_TEXT = BEGINNING
"""Characters of a page that are read: what it is about shows before."""

MEMO_WORDS = 300_000
MOST_SOUGHT = 32
"""Collections of words that are looked up again and again: a few for each topic."""
HEAD_COUNTS, ADDRESS_COUNTS = 4, 3
"""Words in a title, and in an address or a link, for as many in the text."""

_ENDING = re.compile(r"\.\w{1,5}$")
_TOGETHER = re.compile(r"(?<=[a-z])(?=[A-Z])")

Counts = Mapping[str, int]


class Part(Protocol):
    """The words of a part of a page."""

    @property
    def counts(self) -> Counts: ...

    @property
    def total(self) -> int: ...

    def forms(self) -> set[str]: ...

    def of(self, forms: Collection[str]) -> dict[str, int]:
        """How often each of these stands here; those that do not are left out."""


class CountedPart:
    """A part whose words were counted before."""

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        self.total = sum(counts.values())

    def forms(self) -> set[str]:
        return set(self.counts)

    def of(self, forms: Collection[str]) -> dict[str, int]:
        counts = self.counts
        return {form: counts[form] for form in counts.keys() & forms if counts[form]}


class PageWords:
    """`address` are the words of the URL and of the links that led to it, `meta` those of the page's description and
    keywords, `head` of its title, `body` of its text. `documents` are those of the documents that it links to, None
    where it links to none."""

    def __init__(self, address: Part, meta: Part, head: Part, body: Part, documents: Part | None, text: str) -> None:
        self.address, self.meta, self.head, self.body, self.documents = address, meta, head, body, documents
        self.text = text

    @property
    def length(self) -> int:
        return self.body.total

    def forms(self) -> set[str]:
        """All its words."""
        return set().union(*(part.forms() for part in (self.body, self.head, self.address)))

    @cached_property
    def joined(self) -> Counts:
        """All words, one in the title or the address for several in the text."""
        return _joined(self.body.counts, self.head.counts, self.address.counts)

    def of(self, forms: Collection[str]) -> tuple[dict[str, int], dict[str, int]]:
        """The same for these words alone; and how often each of them is said, wherever."""
        parts = self.body.of(forms), self.head.of(forms), self.address.of(forms)
        return _joined(*parts), _joined(*parts, head_counts=1, address_counts=1)


def _joined(
    body: Counts, head: Counts, address: Counts, head_counts: int = HEAD_COUNTS, address_counts: int = ADDRESS_COUNTS
) -> dict[str, int]:
    joined = dict(body)
    for part, times in ((head, head_counts), (address, address_counts)):
        for form, count in part.items():
            joined[form] = joined.get(form, 0) + times * count
    return joined


class PageTexts(Struct, frozen=True):
    """The parts of a page as they are written. `led` are the texts of links to it, `documents` what is known of the
    documents that it links to."""

    url: Url
    title: str
    text: str
    meta: str = ""
    led: str = ""
    documents: str | None = None
    pictures: tuple[PictureSeen, ...] = ()
    """Those that were looked at."""


class Written:
    """A part as it is written. Nothing is looked at before somebody asks."""

    def __init__(self, counter: "WordCounter", text: str) -> None:
        self._counter = counter
        self._text = text

    @cached_property
    def words(self) -> dict[str, int]:
        words = Counter(split(self._text[:MOST_TEXT]))
        self._counter.meet(words)
        return words

    @cached_property
    def counts(self) -> Counts:
        return self._counter.compared(self.words)

    def forms(self) -> set[str]:
        return self._counter.forms_among(self.words)

    @cached_property
    def total(self) -> int:
        return self._counter.telling(self.words)

    def of(self, forms: Collection[str]) -> dict[str, int]:
        return self._counter.found(self.words, forms)


class _Telling(dict[str, tuple[str, ...]]):
    """A memo from a word to what it is compared by: nothing for a stop word, several pairs of characters for a run of
    some scripts. And back: how a form is written, which words say nothing, and which stand for several forms."""

    def __init__(self, forms: Analyser, language: str) -> None:
        super().__init__()
        self._forms = forms
        self._stops = frozenset(forms[word] for word in stop_words(language or FALLBACK))
        self.written: dict[str, list[str]] = {}
        self.shortest: dict[str, str] = {}
        self.single: list[tuple[str, str]] = []
        self.silent: set[str] = set()
        self.several: set[str] = set()

    def __missing__(self, word: str) -> tuple[str, ...]:
        forms = self._forms[word].split()
        self._forms.met.clear()
        told = self[word] = tuple(form for form in forms if form not in self._stops and tells(form))
        if len(told) == 1 and len(forms) == 1:
            self._one(word, told[0])
        else:
            (self.several if told else self.silent).add(word)
        return told

    def _one(self, word: str, form: str) -> None:
        self.written.setdefault(form, []).append(word)
        self.shortest.pop(form, None)
        self.single.append((word, form))

    def meet(self, words: Collection[str]) -> None:
        """Looks up what was never met, plain words all at once."""
        missing = list(filterfalse(self.__contains__, words))
        plain = [word for word in missing if word.isascii()]
        stops, one = self._stops, self._one
        for word, form in zip(plain, self._forms.stemmed(plain), strict=True):
            if form in stops or not tells(form):
                self[word] = ()
                self.silent.add(word)
            else:
                self[word] = (form,)
                one(word, form)
        if len(plain) < len(missing):
            for word in missing:
                self[word]

    def forget(self) -> None:
        for memo in (self, self.written, self.shortest, self.single, self.silent, self.several):
            memo.clear()


class _Sought:
    """How some forms are written, as far as that was met: words to forms."""

    def __init__(self, forms: frozenset[str], telling: _Telling) -> None:
        self._forms = forms
        self._heard = len(telling.single)
        self.words = {word: form for form in forms for word in telling.written.get(form, ())}

    def listen(self, single: list[tuple[str, str]]) -> None:
        """Takes in what was met since."""
        if self._heard < len(single):
            self.words |= {word: form for word, form in single[self._heard :] if form in self._forms}
            self._heard = len(single)


class WordCounter:
    """Counts the words of texts as one language compares them, without its stop words."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._forms = Analyser(language)
        self._telling = _Telling(self._forms, language)
        self._sought: dict[frozenset[str], _Sought] = {}

    def counts(self, text: str) -> Counts:
        return Written(self, text).counts

    def page(self, page: PageTexts) -> PageWords:
        documents = None if page.documents is None else Written(self, page.documents)
        address, meta, head = (Written(self, text) for text in (_address(page), page.meta, page.title))
        return PageWords(address, meta, head, Written(self, page.text), documents, page.text[:MOST_TEXT])

    # What is written, as it is compared.

    def meet(self, words: Collection[str]) -> None:
        """Looks up what was never met."""
        telling = self._telling
        if len(telling) >= MEMO_WORDS:
            telling.forget()
            self._sought.clear()
        telling.meet(words)

    def compared(self, words: Counts) -> Counts:
        telling, counted = self._telling, dict[str, int]()
        for word, number in words.items():
            for form in telling[word]:
                counted[form] = counted.get(form, 0) + number
        return counted

    def forms_among(self, words: Collection[str]) -> set[str]:
        """By which these words are compared, without how often."""
        return set(chain.from_iterable(map(self._telling.__getitem__, words)))

    def telling(self, words: dict[str, int]) -> int:
        """How many of these words say something."""
        if self._by_words(words):
            return sum(words.values()) - sum(map(words.__getitem__, self._telling.silent & words.keys()))
        return sum(self.compared(words).values())

    def found(self, words: dict[str, int], forms: Collection[str]) -> dict[str, int]:
        if not self._by_words(words):
            return CountedPart(self.compared(words)).of(forms)
        written, found = self._written(forms), dict[str, int]()
        for word in written.keys() & words.keys():
            form = written[word]
            found[form] = found.get(form, 0) + words[word]
        return found

    def _by_words(self, words: dict[str, int]) -> bool:
        """Whether each of the words stands for one form at most."""
        return words.keys().isdisjoint(self._telling.several)

    def _written(self, forms: Collection[str]) -> dict[str, str]:
        """How these forms are written. The same ones are asked for of every page."""
        asked = frozenset(forms)
        sought = self._sought.get(asked)
        if sought is None:
            if len(self._sought) >= MOST_SOUGHT:
                self._sought.clear()
            sought = self._sought[asked] = _Sought(asked, self._telling)
        sought.listen(self._telling.single)
        return sought.words

    def spelling(self, form: str) -> str:
        """A form as it was met, the shortest way: what words are compared by is no word to read."""
        shortest = self._telling.shortest.get(form)
        if shortest is None:
            written = self._telling.written.get(form, ())
            shortest = self._telling.shortest[form] = min(written, key=lambda word: (len(word), word), default=form)
        return shortest

    def forms(self, text: str) -> list[str]:
        """The words of a text in order, without stop words."""
        words = split(text)
        self.meet(words)
        return list(chain.from_iterable(map(self._telling.__getitem__, words)))

    def places(self, text: str, forms: Collection[str]) -> list[tuple[int, str]]:
        """Where these words stand in a text, counted in words, stop words too."""
        telling, words = self._telling, split(text[:MOST_TEXT])
        self.meet(words)
        said = {word for form in forms for word in telling.written.get(form, ())} | telling.several
        return [
            (at, form) for at, word in enumerate(words) if word in said for form in telling[word] if form in forms
        ]  # fmt: skip

    def spellings(self, text: str) -> dict[str, Counter[str]]:
        """By form, how the text writes it."""
        spelt: dict[str, Counter[str]] = {}
        for word, number in Counter(split(text[:MOST_TEXT])).items():
            for form in self._telling[word]:
                spelt.setdefault(form, Counter())[word] += number
        return spelt


def tells(form: str) -> bool:
    """Numbers and single letters say nothing of a topic; a single character of some scripts is a word."""
    return not form.isdigit() and (len(form) > 1 or not form.isascii())


def _address(page: PageTexts) -> str:
    return f"{address_text(page.url)} {page.led}"


def address_text(url: Url) -> str:
    """What the path and the query of a URL say, without the ending of a file's name."""
    path, _, query = url.partition("//")[2].partition("/")[2].partition("#")[0].partition("?")
    if "%" in url:
        path, query = unquote(path), unquote(query)
    return _TOGETHER.sub(" ", f"{_ENDING.sub('', path)} {query}".replace("_", " "))
