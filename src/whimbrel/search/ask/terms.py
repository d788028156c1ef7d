"""The papers' view of an index in five columns (P4): a term, the terms that go with it, the pages of each, and where on
the page it stands."""

import math
from collections import Counter
from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from whimbrel.parse.stops import FALLBACK, stop_words
from whimbrel.parse.words import split
from whimbrel.records.url import Url
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.book import BookRow
from whimbrel.search.schema import address_words
from whimbrel.topic.thesaurus import relations

READ_PAGES = 40
AROUND = 8
SHORTEST_RELATED = 3
LEAST_PAGES = 2
MOST_CAPTIONS, SHOWN_CAPTIONS = 40, 3
"""Words of the combination table that are looked up, and pages of each that are named."""

Forms: TypeAlias = Callable[[str], list[str]]


class TermPage(Struct, frozen=True):
    """A page that holds a term. `where` names the parts that do, `at` are the positions in its text, by words."""

    url: Url
    title: str
    where: tuple[str, ...]
    count: int
    at: tuple[int, ...]


class Related(Struct, frozen=True):
    """A term that often stands near the other: on how many of the pages read, and some of them."""

    term: str
    pages: int
    urls: tuple[Url, ...]


class Prospective(Struct, frozen=True):
    """A word that may stand for the other (P4's prospective caption), by the combination table: on how many pages it
    is, and some of them."""

    term: str
    pages: int
    urls: tuple[Url, ...]


class TermView(Struct, frozen=True):
    """`term` is the word as it is indexed, `total` how many pages hold it."""

    word: str
    term: str
    total: int
    pages: tuple[TermPage, ...]
    related: tuple[Related, ...]
    prospective: tuple[Prospective, ...] = ()


def view(searcher: Searcher, word: str, now: float, pages: int = 10, related: int = 10) -> TermView:
    """What the index says of a word: read from the pages that it fits best."""
    words = split(word)[:1]
    if not words:
        return TermView(word, "", 0, (), ())
    term = words[0]
    found = searcher.find(parse(f'"{term}"'), READ_PAGES, now)
    engine, book, asker = searcher.state()
    forms = set(asker.lexicon.forms(term))
    rows = book.rows(one.key for one in found.candidates)
    read = [(rows[one.key], split(searcher.text(rows[one.key]))) for one in found.candidates if one.key in rows]
    anchors = book.anchors(row.key for row, _ in read)
    places = [_page(row, text, anchors.get(row.key, []), forms, asker.lexicon.forms) for row, text in read[:pages]]
    near = _near([(row, text) for row, text in read], forms, asker.lexicon.forms)
    ranked = sorted(
        ((word, urls) for word, urls in near.items() if len(urls) >= min(LEAST_PAGES, len(read))),
        key=lambda pair: (-len(pair[1]) * math.log((engine.num_docs + 1) / (asker.pages_with(pair[0]) + 1)), pair[0]),
    )
    others = tuple(Related(word, len(urls), tuple(urls[:3])) for word, urls in ranked[:related])
    spoken = Counter(row.language or FALLBACK for row, _ in read).most_common(1)
    captions = _captions(searcher, term, spoken[0][0] if spoken else FALLBACK, now, related)
    return TermView(word, min(forms, key=len), found.total, tuple(places), others, captions)


def _captions(searcher: Searcher, term: str, language: str, now: float, most: int) -> tuple[Prospective, ...]:
    """What the combination table has for a word, as far as pages say it, the most frequent first."""
    known = relations(language, term)
    said = []
    for word in (*known.same, *known.near)[:MOST_CAPTIONS]:
        found = searcher.find(parse(f'"{word}"'), SHOWN_CAPTIONS, now)
        if found.total:
            _, book, _ = searcher.state()
            rows = book.rows(one.key for one in found.candidates[:SHOWN_CAPTIONS])
            urls = tuple(rows[one.key].url for one in found.candidates[:SHOWN_CAPTIONS] if one.key in rows)
            said += [Prospective(word, found.total, urls)] if urls else []
    return tuple(sorted(said, key=lambda one: (-one.pages, one.term))[:most])


def _page(row: BookRow, text: list[str], anchors: list[str], forms: set[str], forms_of: Forms) -> TermPage:
    at = tuple(number for number, word in enumerate(text) if _is(word, forms, forms_of))
    parts = {"title": row.title, "links to it": " ".join(anchors), "address": address_words(row.url)}
    where = tuple(name for name, said in parts.items() if any(_is(word, forms, forms_of) for word in split(said)))
    return TermPage(row.url, row.title, (*where, "text") if at else where, len(at), at[:20])


def _near(read: list[tuple[BookRow, list[str]]], forms: set[str], forms_of: Forms) -> dict[str, list[Url]]:
    """Words within a few of the term, most frequent spelling of each form, with the pages on which they are."""
    spellings: dict[str, Counter[str]] = {}
    urls: dict[str, list[Url]] = {}
    for row, text in read:
        stops = stop_words(row.language or FALLBACK)
        around = {
            word
            for number, met in enumerate(text)
            if _is(met, forms, forms_of)
            for word in text[max(0, number - AROUND) : number + AROUND + 1]
        }
        for word in around:
            if len(word) < SHORTEST_RELATED or word.isdigit() or word in stops or _is(word, forms, forms_of):
                continue
            form = forms_of(word)[-1]
            spellings.setdefault(form, Counter())[word] += 1
            seen = urls.setdefault(form, [])
            if row.url not in seen:
                seen.append(row.url)
    return {count.most_common(1)[0][0]: urls[form] for form, count in spellings.items()}


def _is(word: str, forms: set[str], forms_of: Forms) -> bool:
    return not forms.isdisjoint(forms_of(word))
