"""Topics as settings ask for them, and the pages of the index that show one where no example was named."""

import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from whimbrel.api.seeds import SeedError, read_seeds
from whimbrel.config import Settings
from whimbrel.flows.requests import as_sent
from whimbrel.records.request import Topical
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.repository.contract import DONE, OPEN, Enquiry, NothingThere
from whimbrel.repository.engines import open_reader
from whimbrel.repository.location import Where, located
from whimbrel.search.places import has_index
from whimbrel.topic.asking import TopicWish, ask
from whimbrel.topic.calibrating import ScoresMet, bar
from whimbrel.topic.counting import PageTexts, PageWords, WordCounter
from whimbrel.topic.relevance import papers_relevance
from whimbrel.topic.tables import Keyword, TopicTables
from whimbrel.topic.termfile import TermFile, read

MOST_READ = 5_000
"""Pages of the index that keywords are held against."""


def wish_of(settings: Settings) -> TopicWish:
    """What the settings ask for; a file of terms says which keywords."""
    topic = settings.topic
    file = term_file(Path(topic.terms)) if topic.terms else None
    subject = topic.subject or (file.topic if file else "")
    language = topic.language or (file.language if file else "")
    threshold = topic.threshold or (file.threshold if file else 0.0)
    edited = file.keywords if file else ()
    return TopicWish(subject, language, topic.keywords, topic.scorer, topic.strategy, threshold, edited)


def term_file(path: Path) -> TermFile:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SeedError(f"--terms {path} cannot be read: {error}") from error
    told = read(text, str(path))
    if isinstance(told, Verdict):
        raise SeedError(f"--terms: {told.reason}")
    return told


def open_topics(where: Where) -> list[tuple[Enquiry, Topical]]:
    """The topics that crawls of the folder look for, or have found enough of, the latest first."""
    try:
        with open_reader(where) as reader:
            kept = [one for one in reversed(reader.requests()) if one.state in (OPEN, DONE)]
    except NothingThere:
        return []
    asked = [(one, as_sent(one, 0)) for one in kept]
    return [(one, request) for one, request in asked if isinstance(request, Topical)]


def topic_asked(where: Where, number: str) -> tuple[Enquiry, Topical] | None:
    """The topic of this number, or the one that took its place when its terms were edited; None where there is none."""
    kept = open_topics(where)
    exact = next((one for one in kept if str(one[0].number) == number), None)
    if exact is not None or not number.isdecimal():
        return exact
    try:
        with open_reader(where) as reader:
            former = next((as_sent(one, 0) for one in reader.requests() if one.number == int(number)), None)
    except NothingThere:
        return None
    return next((one for one in kept if isinstance(former, Topical) and one[1].topic == former.topic), None)


def from_index(where: Where, wish: TopicWish, settings: Settings) -> list[PageTexts]:
    """The pages of the folder's index that answer best; none where there is no index."""
    return [page for _, page in hits(where, wish.subject, settings)]


def hits(where: Where, subject: str, settings: Settings) -> list[tuple[Url, PageTexts]]:
    if not has_index(located(where).beside):
        return []
    # Imported here: searching takes an extra, and there was an index before somebody could have removed it.
    from whimbrel.search.ask.query import parse
    from whimbrel.search.ask.searcher import Searcher

    with Searcher(where, settings.search) as searcher:
        found = searcher.find(parse(subject), settings.topic.seed_pages, time.time())
        _, book, _ = searcher.state()
        rows = book.rows(one.key for one in found.candidates)
        ranked = [rows[one.key] for one in found.candidates if one.key in rows][: settings.topic.seed_pages]
        return [(row.url, PageTexts(row.url, row.title, searcher.text(row))) for row in ranked]


class TermEffect(Struct, frozen=True):
    """What a keyword does to the pages that are here: on how many it stands, how many would not be kept without it, and
    how many would be kept only without it."""

    word: str
    of: str
    weight: float
    pages: int
    keeps: int
    drops: int


class TopicView(Struct, frozen=True):
    """A topic as a crawl would see it. `seeds` pages show it, `read` were looked at, `kept` of them are about it."""

    tables: TopicTables
    seeds: int
    read: int
    kept: int
    threshold: float
    effects: tuple[TermEffect, ...]


def view(where: Where, settings: Settings) -> TopicView:
    """The tables of a topic, and what each keyword would keep and drop of the pages in the index."""
    wish = wish_of(settings)
    named = read_seeds(settings.topic.examples)
    here = _indexed(where, settings)
    shown = [here[url] for url in named if url in here] if named else from_index(where, wish, settings)
    if missing := [url for url in named if url not in here]:
        raise SeedError(f"{missing[0]} is not kept here, or not indexed. Name a kept page, or crawl it first.")
    made = ask(wish, shown)
    if isinstance(made, Verdict):
        raise SeedError(made.reason)
    counter = WordCounter(made.request.language)
    words = [counter.page(page) for page in here.values()]
    keywords = frozenset(form for form, _, _ in made.request.keywords)
    rest = ScoresMet()
    scores = [papers_relevance(page, keywords).score for page in words]
    for score in scores:
        rest.note(score)
    at = wish.threshold or bar(made.request.shown, rest).at
    effects = tuple(_effect(one, words, scores, keywords, at) for one in made.tables.keywords)
    return TopicView(made.tables, len(shown), len(words), sum(score >= at > 0 for score in scores), at, effects)


def _effect(
    one: Keyword, words: Sequence[PageWords], scores: Sequence[float], keywords: frozenset[str], at: float
) -> TermEffect:
    """By the papers' formula, in which every keyword counts by itself."""
    without = keywords - {one.form}
    pages = keeps = drops = 0
    for page, score in zip(words, scores, strict=True):
        if not page.of([one.form])[0] and not page.meta.of([one.form]):
            continue
        pages += 1
        other = papers_relevance(page, without).score
        keeps += score >= at > other
        drops += other >= at > score
    return TermEffect(one.word, one.of, one.weight, pages, keeps, drops)


def _indexed(where: Where, settings: Settings) -> dict[Url, PageTexts]:
    if not has_index(located(where).beside):
        return {}
    from whimbrel.search.ask.searcher import Searcher
    from whimbrel.search.graph import link_graph

    with Searcher(where, settings.search) as searcher:
        _, book, _ = searcher.state()
        keys, _, _ = link_graph(book)
        rows = list(book.rows(keys.tolist()[:MOST_READ]).values())
        texts = searcher.texts(rows)
        return {row.url: PageTexts(row.url, row.title, texts.whole(row.key)) for row in rows}
