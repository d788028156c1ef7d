"""The reading end of the index: any number of them, also while it is written."""

import sqlite3
import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from whimbrel.rank.fuse import NEUTRAL
from whimbrel.rank.profile import ReaderProfile
from whimbrel.records.url import Url
from whimbrel.repository.engines import open_reader
from whimbrel.repository.location import Where, located
from whimbrel.search.ask.asking import Asker, IndexQuery
from whimbrel.search.ask.correcting import Corrector
from whimbrel.search.ask.elsewhere import found_elsewhere
from whimbrel.search.ask.interesting import interesting
from whimbrel.search.ask.nearness import Meant, Nearness
from whimbrel.search.ask.newest import NewestIndex, OpenedIndex
from whimbrel.search.ask.picturing import IMAGE, answer_pictures
from whimbrel.search.ask.snippets import Highlighter
from whimbrel.search.ask.texts import Excerpt, Texts
from whimbrel.search.ask.weighing import NOTHING, HitCandidate, Matching, Ranking, best_first, weighed
from whimbrel.search.ask.why import parts_of, weights_of
from whimbrel.search.book import Book, BookRow, IndexUnreadable, OtherForm
from whimbrel.search.build.gathering import pending_of
from whimbrel.search.citing import Citations
from whimbrel.search.contract import DEFAULTS, Answer, Facet, Hit, Query, ReaderVoices, SearchSettings
from whimbrel.search.meaning.sense import NoWeights, Sense, installed
from whimbrel.search.places import FOLDER, report_damage
from whimbrel.search.ranks import Ranks
from whimbrel.urls.normal import key as key_of

MOST_REACHED = 1_000
LARGEST_PAGE = 100
FACET_VALUES = 12
SHOWN_TWINS = 5
NO_EXCERPT = Excerpt()
GIST_CHARACTERS = 2_000
QUESTION_WORDS = 4
"""So many beside a phrase that no page says are a question that can be answered without it, which is then said."""
_Scored = tuple[float, Any]
"""A text score, and the place of a page in the word index."""
_FACETS = {name: {"terms": {"field": name, "size": FACET_VALUES}} for name in ("site", "type", "lang")}

NOT_BUILT = "there is no index yet; `whimbrel index` builds it"
OTHER_FORM = "the index is of an older form; it is built anew at the next catch-up (`whimbrel index`)"
DAMAGED = "the index is damaged; it is built anew at the next catch-up (`whimbrel index`)"


class FoundPages(Struct, frozen=True):
    """What the word index found for a query: the best candidates, best first, and how many match in all. `spread` is
    how they spread by facets, where that was asked for."""

    ranking: Ranking
    total: int
    spread: "Future[Any] | None" = None

    @property
    def candidates(self) -> list[HitCandidate]:
        return self.ranking.between(0, len(self.ranking.keys))


class Circumstances(Struct, frozen=True):
    """When a question is asked, and what interests the one who asks."""

    now: float
    profile: ReaderProfile | None = None


class Searcher:
    """Answers queries over one folder; changes nothing in it. Threads may share one: they take turns."""

    def __init__(
        self,
        where: Where,
        settings: SearchSettings = DEFAULTS,
        *,
        sense: Sense | None = None,
        voices: ReaderVoices | None = None,
    ) -> None:
        self.folder = located(where).beside
        self.settings = settings
        self._place = self.folder / FOLDER
        self._source = open_reader(where)
        self._index = NewestIndex(self._place)
        self._ranks = Ranks(self._place)
        self._citations = Citations(self._place)
        self._nearness = Nearness(self._place, (sense or installed()) if settings.meaning_weight else None)
        self._voices = voices if settings.reader_weight else None
        self._beside = ThreadPoolExecutor(1, "whimbrel-facets")
        self._turn = threading.RLock()

    def __enter__(self) -> "Searcher":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        with self._turn:
            self._index.close()
            self._source.close()
            self._beside.shutdown()

    def answer(
        self,
        query: Query,
        page: int = 1,
        size: int = 10,
        snippets: bool = True,
        facets: bool = True,
        why: bool = False,
        now: float | None = None,
        profile: ReaderProfile | None = None,
    ) -> Answer:
        """One page of hits. `why` tells the text part of scores field by field; freshness is measured from `now`;
        `profile` is what interests the one who asks."""
        began = time.perf_counter()
        around = Circumstances(time.time() if now is None else now, profile)
        page, size = max(1, page), min(max(1, size), LARGEST_PAGE)
        with self._turn:
            try:
                if IMAGE in query.types:
                    found = answer_pictures(self._place, self._source, query, page, size, snippets, facets)
                    return msgspec.structs.replace(found, took_ms=(time.perf_counter() - began) * 1000)
                answer = self._answer(query, page, size, snippets, facets, why, around)
            except NoWeights as error:
                self._nearness = Nearness(self._place, None)
                answer = self._answer(query, page, size, snippets, facets, why, around)
                answer = msgspec.structs.replace(answer, notes=(*answer.notes, str(error)))
            except (IndexUnreadable, sqlite3.DatabaseError, ValueError, OSError) as error:
                answer = self._unanswered(query, page, size, error)
            except BaseException as error:
                # Damage in the middle of a file shows as a panic, which the binding does not derive from Exception.
                if type(error).__name__ != "PanicException":
                    raise
                answer = self._unanswered(query, page, size, error)
            answer = self._with_entries(answer, query) if page == 1 else answer
        return msgspec.structs.replace(answer, took_ms=(time.perf_counter() - began) * 1000)

    def find(self, query: Query, reach: int, now: float) -> FoundPages:
        """Candidates by all parts of the score; the word index alone decides who is one."""
        return self._find(self._index.opened(), query, reach, False, Circumstances(now))

    def state(self) -> tuple[Any, Book, Asker]:
        """The word index, the book and the asker of the newest commit; for whoever looks deeper than an answer."""
        state = self._index.opened()
        return state.searcher, state.book, state.asker

    def text(self, row: BookRow) -> str:
        """The visible text of a page, "" where the repository no longer holds it."""
        return self.texts([row]).whole(row.key)

    def texts(self, rows: Iterable[BookRow]) -> Texts:
        """Those of several pages, unpacked when they are asked for."""
        return Texts(self.folder, self._source, rows)

    def gists(self, urls: Sequence[Url]) -> dict[Url, tuple[str, str]]:
        """The beginning of these pages, title first, and their languages; those that the index does not know are left
        out."""
        with self._turn:
            try:
                rows = self._index.opened().book.rows([key_of(url) for url in urls])
                texts = self.texts(rows.values())
                return {
                    row.url: (f"{row.title}\n{texts.whole(row.key)[:GIST_CHARACTERS]}", row.language)
                    for row in rows.values()
                }
            except (IndexUnreadable, sqlite3.DatabaseError, OSError):
                return {}

    def words_on(self, url: Url) -> int:
        """How many words a page has; 0 where it is not in the index."""
        with self._turn:
            try:
                key = key_of(url)
                row = self._index.opened().book.rows([key]).get(key)
                return len(self.text(row).split()) if row is not None else 0
            except (IndexUnreadable, sqlite3.DatabaseError, OSError):
                return 0

    # Answering.

    def _answer(
        self, query: Query, page: int, size: int, snippets: bool, facets: bool, why: bool, around: Circumstances
    ) -> Answer:
        notes, state = list(query.notes), self._index.opened()
        if query.empty:
            return Answer(query, page, size, (), 0, (), "", pending_of(self._source, state.book), tuple(notes), 0.0)
        reach = min(MOST_REACHED, max(self.settings.candidates, page * size))
        meant, corrected, found = self._understood(state, query, reach, facets, around)
        if not found.total and query.phrases and len(query.words) >= QUESTION_WORDS:
            meant, corrected, found = self._understood(state, loosened(query), reach, facets, around)
            notes += [quoted_nowhere(query)] if found.total else []
        if language := state.asker.lexicon.foreign(query):
            notes.append(in_another_language(language, state.asker.lexicon.spoken))
        if unlike := self._nearness.note(query):
            notes.append(unlike)
        if page * size > MOST_REACHED:
            notes.append(f"only the first {MOST_REACHED:,} hits can be paged through")
        hits = self._hits(
            state, meant, found.ranking, found.ranking.between((page - 1) * size, page * size), snippets, why
        )
        spread = _facets(found.spread.result()) if found.spread is not None and found.total else ()
        pending = pending_of(self._source, state.book)
        return Answer(query, page, size, tuple(hits), found.total, spread, corrected, pending, tuple(notes), 0.0)

    def _with_entries(self, answer: Answer, query: Query) -> Answer:
        """And what is not here, but could be."""
        try:
            shown, count = found_elsewhere(self.folder, query)
        except sqlite3.DatabaseError as error:
            return msgspec.structs.replace(answer, notes=(*answer.notes, f"index entries cannot be read: {error}"))
        return msgspec.structs.replace(answer, elsewhere=shown, all_elsewhere=count)

    def _unanswered(self, query: Query, page: int, size: int, error: BaseException) -> Answer:
        self._index.close()
        if not self._index.exists:
            note = NOT_BUILT
        elif isinstance(error, OtherForm):
            note = OTHER_FORM
        else:
            report_damage(self.folder, f"{type(error).__name__}: {error}")
            note = DAMAGED
        return Answer(query, page, size, (), 0, (), "", self._source.urls_after(0), (*query.notes, note), 0.0)

    def _understood(
        self, state: OpenedIndex, query: Query, reach: int, facets: bool, around: Circumstances
    ) -> tuple[Query, str, FoundPages]:
        """The query as it is answered, how one would have typed it where that is another, and what was found."""
        corrector = Corrector(state.speller, state.asker, lambda asked: _best(state, asked))
        meant, corrected = corrector.meant(query)
        return meant, corrected, self._find(state, meant, reach, facets, around)

    def _find(self, state: OpenedIndex, query: Query, reach: int, facets: bool, around: Circumstances) -> FoundPages:
        asked = state.asker.ask(query)
        # The word index works without the interpreter's lock: what spreads is counted while the best are looked for.
        spread = self._beside.submit(state.searcher.aggregate, asked.chosen, _FACETS) if facets else None
        if query.asks:
            result = state.searcher.search(asked.whole, limit=reach, count=True)
            # Where no page holds any of the words nothing is known of what they mean here.
            lexicon = state.asker.lexicon
            asked_of = lexicon.is_sentence(query) and self._nearness.understands(lexicon.asked_in(query))
            about = query.like is not None or asked_of
            meant = self._nearness.meant(query) if about and result.count else None
            hits, beyond = self._nearest_too(state, asked, result.hits, meant)
            return FoundPages(
                best_first(self._weighed(state, query, hits, meant, around)), result.count + beyond, spread
            )
        if query.like is not None and (meant := self._nearness.meant(query)) is not None:
            hits, beyond = self._nearest_too(state, asked, [], meant)
            return FoundPages(best_first(self._weighed(state, query, hits, meant, around)), beyond, spread)
        result = state.searcher.search(asked.chosen, limit=reach, count=True, order_by_field="at")
        hits = [(0.0, place) for _, place in result.hits]
        return FoundPages(self._weighed(state, query, hits, None, around), result.count, spread)

    def _nearest_too(
        self, state: OpenedIndex, asked: IndexQuery, hits: list[_Scored], meant: Meant | None
    ) -> tuple[list[_Scored], int]:
        """With the pages that are nearest in meaning, and how many of these hold no word of what was asked."""
        if meant is None:
            return hits, 0
        known = state.searcher.fast_field_values("key", [place for _, place in hits])
        keys = set(meant.nearest.tolist()).difference(known)
        if not keys:
            return hits, 0
        near = state.searcher.search(state.asker.among(keys, asked), limit=len(keys), count=False).hits
        return [*hits, *near], sum(text <= 0 for text, _ in near)

    def _weighed(
        self, state: OpenedIndex, query: Query, hits: list[_Scored], meant: Meant | None, around: Circumstances
    ) -> Ranking:
        if not hits:
            return NOTHING
        texts, places = zip(*hits, strict=True)
        keys = np.array(state.searcher.fast_field_values("key", list(places)), np.int64)
        moments = np.array(state.searcher.fast_field_values("at", list(places)), np.float64)
        readers = np.full(len(keys), NEUTRAL)
        if self._voices is not None:
            readers = np.array(self._voices.values(query.text, keys.tolist()), np.float64)
        near, profiles = (
            self._nearness.values(meant, keys),
            interesting(state, keys, around.profile, self.settings, self.texts),
        )
        fitting = np.array(texts, np.float64)
        # Whoever types bare words means the pages that say these, not those that others send on to.
        sent_on = self.settings.cited_weight and state.asker.lexicon.is_sentence(query)
        cited = self._citations.values(keys, fitting) if sent_on else np.zeros(len(keys))
        found = Matching(keys, moments, fitting, near, readers, profiles, cited)
        return weighed(found, self._ranks, self.settings, around.now)

    def _hits(
        self, state: OpenedIndex, query: Query, ranking: Ranking, chosen: list[HitCandidate], snippets: bool, why: bool
    ) -> list[Hit]:
        keys = [one.key for one in chosen]
        # What was forgotten a moment ago is not shown, though the index has not heard of it yet.
        there = self._source.still_there(keys)
        rows = {key: row for key, row in state.book.rows(keys).items() if key in there and row.role == "page"}
        twins = state.book.twins(rows.values())
        ways = self._source.ways(row.key for row in rows.values() if row.type != "html")
        texts = Texts(self.folder, self._source, rows.values()) if snippets else None
        highlighter = Highlighter(state.asker.words(query) if snippets else (), state.asker.lexicon.forms)
        added = self._added(state, query, keys) if why else {}
        weights = weights_of(self.settings)
        hits = []
        for one in chosen:
            if one.key not in rows:
                continue
            row, same = rows[one.key], twins.get(one.key, [])
            excerpt = texts.excerpt(row.key, highlighter) if texts is not None else NO_EXCERPT
            hits.append(
                Hit(
                    url=row.url,
                    key=row.key,
                    title=row.title,
                    snippet=excerpt.pieces,
                    site=row.site,
                    type=row.type,
                    language=row.language,
                    fetched_at=row.fetched_at,
                    modified_at=row.modified_at,
                    changed_at=row.changed_at,
                    twins=len(same),
                    twin_urls=tuple(url for _, url in sorted(same, key=lambda twin: twin[1])[:SHOWN_TWINS]),
                    versions=row.versions,
                    score=one.score,
                    parts=parts_of(
                        one.values,
                        weights,
                        added.get(one.key),
                        ranking.best,
                        self._voices.told(query.text, one.key) if self._voices is not None else "",
                    ),
                    linked_from=ways.get(row.key),
                    section=excerpt.section,
                    mark=excerpt.mark,
                )
            )
        return hits

    def _added(self, state: OpenedIndex, query: Query, keys: list[int]) -> dict[int, dict[str, float]]:
        """What each field added to the text score of these pages."""
        added: dict[int, dict[str, float]] = {key: {} for key in keys}
        for name, asked in state.asker.by_field(query).items() if keys else ():
            result = state.searcher.search(state.asker.on_pages(keys, asked), limit=len(keys), count=False)
            places = [place for _, place in result.hits]
            for key, (amount, _) in zip(state.searcher.fast_field_values("key", places), result.hits, strict=True):
                added[key][name] = float(amount)
        return added


def _best(state: OpenedIndex, asked: Any) -> float:
    """The best score that any page has."""
    result = state.searcher.search(asked, limit=1, count=False)
    return float(result.hits[0][0]) if result.hits else 0.0


def loosened(query: Query) -> Query:
    """The same without the demand that phrases be found as they are."""
    return msgspec.structs.replace(query, words=query.said, phrases=())


def quoted_nowhere(query: Query) -> str:
    said = ", ".join(f'"{" ".join(phrase)}"' for phrase in query.phrases)
    return f"no page says {said}; its words were looked for one by one"


def in_another_language(asked: str, spoken: Sequence[str]) -> str:
    return f"this seems to be asked in another language ({asked}) than the pages are in ({', '.join(spoken)})"


def _facets(spread: Any) -> tuple[Facet, ...]:
    return tuple(
        Facet(name, tuple((bucket["key"], bucket["doc_count"]) for bucket in spread[name]["buckets"]))
        for name in _FACETS
    )
