"""The writing end of the index: follows the repository's events, one writer a folder.

In two steps. Listening: what events tell of is read from the repository and noted in the book, its links counted, and
marked stale; only then does the number of the last event move on. Indexing: stale pages are put into the word index
with the anchors that all pages heard of so far give them; once that is committed they are stale no longer. A kill
between any two lines leaves work that is done again with the same result.
"""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, closing
from typing import Any

import tantivy

from whimbrel.documents.contract import DEFAULT_LIMITS, DocumentLimits
from whimbrel.documents.lettering import Lettering, missing
from whimbrel.documents.papers import Papers
from whimbrel.parse.words import Analysers
from whimbrel.readers.log import ReaderLog
from whimbrel.readers.wishes import Wishes
from whimbrel.records.picturing import CLASSES_FILE
from whimbrel.repository.engines import open_reader
from whimbrel.repository.location import Where, located
from whimbrel.search.book import Book, BookRow, IndexUnreadable, OtherForm
from whimbrel.search.build.bodies import Bodies
from whimbrel.search.build.collecting import seldom_collected
from whimbrel.search.build.gathering import Gatherer, pending_of
from whimbrel.search.build.listening import BATCH, Listener
from whimbrel.search.build.picturing import PictureListener, PictureShapes, PictureTexts
from whimbrel.search.build.purging import beside_removed, unheld
from whimbrel.search.build.understanding import Understanding, Understood, forget
from whimbrel.search.citing import FILE as LINKS
from whimbrel.search.contract import DEFAULTS, CaughtUp, SearchSettings
from whimbrel.search.meaning.meanings import remove
from whimbrel.search.meaning.sense import Sense, installed
from whimbrel.search.meaning.vectors import FILE as VECTORS
from whimbrel.search.picture_book import FILE as PICTURES
from whimbrel.search.picture_book import PictureBook, possible
from whimbrel.search.places import DAMAGED, FOLDER, WORDS, lock
from whimbrel.search.ranks import FILE as RANKS
from whimbrel.search.ranks import write_ranks
from whimbrel.search.schema import document, schema

MOST_PURGES = 5
BOOK_CACHE_BYTES = 32 << 20
SOURCE_CACHE_BYTES = 8 << 20

OLD_VECTORS = "meaning.npy"
OTHER_VECTORS = "what pages are about was worked out by other weights; `whimbrel index --meaning` does it anew"
OTHER_FORM = "the index was of an older form and was built anew; nothing was wrong with it"
BUSY = "another process writes this index; answers come from what it has written so far"


class Indexer:
    """`writes` is False where another process holds the index: then nothing is written, and catch_up says so."""

    def __init__(
        self,
        where: Where,
        settings: SearchSettings = DEFAULTS,
        *,
        leave_out: frozenset[tuple[int, str]] = frozenset(),
        limits: DocumentLimits = DEFAULT_LIMITS,
        sense: Sense | None = None,
    ) -> None:
        location = located(where)
        self.folder = folder = location.beside
        self._place = location.file(FOLDER)
        self._settings = settings
        self._leave_out = leave_out
        self._limits = limits
        self._source = open_reader(location, cache_bytes=SOURCE_CACHE_BYTES)
        self._papers = Papers(folder)
        knows = (sense or installed()) if settings.meaning_weight else None
        self._understanding = Understanding(self._place, self._source, self._papers, knows) if knows else None
        self._forget_words()
        self._notes: list[str] = []
        self._lock = lock(self._place)
        self._book: Book | None = None
        self._words: Any = None
        self._writer: Any = None
        self._fresh = False
        """Whether nothing was added to the word index yet: then there is nothing to replace."""
        if self.writes:
            try:
                self._open()
            except BaseException:
                self.close()
                raise

    @property
    def writes(self) -> bool:
        return self._lock is not None

    def __enter__(self) -> "Indexer":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._let_go()
        self._papers.close()
        self._source.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def pending(self) -> int:
        """Pages that are kept but not in the index as they are: some may be counted twice while a crawl runs."""
        if self._book is not None:
            return pending_of(self._source, self._book)
        try:
            book = Book(self._place)
        except IndexUnreadable:
            return self._source.urls_after(0)
        try:
            return pending_of(self._source, book)
        finally:
            book.close()

    def documents(self) -> dict[str, int]:
        """How many documents gave text ("read"), and how many did not, by kind of failure."""
        return self._papers.counts()

    def catch_up(self, limit: int | None = None) -> CaughtUp:
        """Takes in what the repository has told since; at most `limit` pages, all of them without one."""
        if not self.writes:
            return CaughtUp(0, 0, self.pending(), (BUSY,))
        if (self._place / DAMAGED).exists():
            self._start_over((self._place / DAMAGED).read_text(errors="replace") or "an answer could not be read")
        try:
            return self._catch_up(limit)
        except (IndexUnreadable, sqlite3.DatabaseError, ValueError) as error:
            if self._source_is_at_fault(error):
                raise
            self._start_over(str(error))
            return self._catch_up(limit)

    def rebuild(self) -> CaughtUp:
        """Builds the index anew from the repository."""
        if not self.writes:
            return CaughtUp(0, 0, self.pending(), (BUSY,))
        self._clear()
        self._open()
        self._papers.keep_only(self._source.digests)
        with seldom_collected():
            return self._catch_up(None)

    def understand(self, enough: Callable[[], bool] = lambda: False, *, most: int | None = None) -> Understood:
        """Works out what the pages of the index are about until it is enough; not at all without the extra, or where
        more than `most` wait."""
        if not self.writes or self._understanding is None:
            return Understood()
        return self._understanding.follow(self._opened(), enough, most)

    def _catch_up(self, limit: int | None) -> CaughtUp:
        book = self._opened()
        if self._source.last_event() < book.number("done"):
            self._start_over("it is ahead of the repository, which must have been replaced")
            book = self._opened()
        self._mind(book)
        listener = Listener(self._source, book, self._leave_out)
        listener.hear(limit)
        listener.follow_redirects()
        indexed, removed = self._index(book, limit)
        self._picture(book, limit)
        if not pending_of(self._source, book):
            self._weigh(book, indexed + removed)
            self._purge(book, limit)
        notes, self._notes = tuple(self._notes), []
        return CaughtUp(indexed, removed, pending_of(self._source, book), notes)

    # Indexing.

    def _index(self, book: Book, limit: int | None) -> tuple[int, int]:
        """Every stale page once; none becomes stale meanwhile."""
        indexed = removed = 0
        fresh, self._fresh = self._fresh, False
        with Gatherer(self._source, book, self._papers, self._bodies, self._limits) as gatherer:
            while limit is None or indexed + removed < limit:
                most = self._settings.commit_pages
                some = most if limit is None else min(most, limit - indexed - removed)
                rows = self._put(book, gatherer, some, replace=not fresh)
                if not rows:
                    break
                indexed += sum(row.role == "page" for row in rows)
                removed += sum(row.role == "gone" for row in rows)
        return indexed, removed

    def _put(self, book: Book, gatherer: Gatherer, most: int, *, replace: bool) -> list[BookRow]:
        """One commit of the word index, then one of the book."""
        done: list[BookRow] = []
        after = -(1 << 63)
        while len(done) < most and (rows := book.stale(after, min(BATCH, most - len(done)))):
            after = rows[-1].version
            for row in rows if replace else ():
                self._writer.delete_documents_by_term("key", row.key)
            for row, material in gatherer.material([row for row in rows if row.role == "page"]):
                self._writer.add_document(document(row, material, self._analysers))
                done.append(row)
            done += [row for row in rows if row.role != "page"]
        if done:
            self._writer.commit()
            with book:
                book.learn(self._analysers.take_met())
                book.settle(done)
            self._forget([row.key for row in done if row.role == "gone"])
        return done

    def _picture(self, book: Book, limit: int | None) -> None:
        """Pictures follow pages, whose languages are known by then."""
        if book.count("stale = 1") or not possible():
            return
        with ExitStack() as open_for:
            pictures = open_for.enter_context(closing(PictureBook(self._place)))
            texts = shapes = None
            if self._lettered():
                lettering = open_for.enter_context(Lettering(self._settings.text_in_pictures or "", self._limits))
                texts = PictureTexts(self._source, self._papers, lettering)
            if (self.folder / CLASSES_FILE).exists():
                shapes = open_for.enter_context(PictureShapes(self._source, pictures, self.folder))
            PictureListener(self._source, book, pictures, Analysers(), texts, shapes).hear(limit)

    def _lettered(self) -> bool:
        """Whether text in pictures is to be read and can be; why it cannot is said once."""
        languages = self._settings.text_in_pictures
        why = missing(languages) if languages else ""
        if why and why not in self._notes:
            self._notes.append(why)
        return bool(languages) and not why

    def _forget(self, keys: list[int]) -> None:
        if keys:
            with ReaderLog(self.folder) as log:
                log.forget_pages(keys)
                Wishes(log).forget(set(keys))
            forget(self._place, keys)
            self._papers.keep_only(self._source.digests)

    def _purge(self, book: Book, limit: int | None) -> None:
        """After something was forgotten, its words leave the files: see `purging`. What a limit leaves over is pending
        and goes on with the next catch-up."""
        if not book.number("purge"):
            return
        for _ in range(MOST_PURGES if limit is None else 1):
            self._writer.wait_merging_threads()
            self._writer = self._words.writer(self._settings.memory_bytes, 1)
            beside = beside_removed(self._words, self._place / WORDS)
            if not beside:
                self._finish_purge(book)
                return
            with book:
                book.mark_targets(beside)
            self._index(book, limit)

    def _finish_purge(self, book: Book) -> None:
        self._writer.garbage_collect_files()
        with book:
            book.unlearn(unheld(self._words, book, self._analysers))
        self._forget_words()
        if book.shrink():
            with book:
                book.note("purge", 0)

    def _mind(self, book: Book) -> None:
        """Vectors of an older release, and those that nobody wants any more, go."""
        with book:
            old = book.drop_old_vectors()
        if old:
            (self._place / OLD_VECTORS).unlink(missing_ok=True)
            self._notes.append(OTHER_VECTORS)
        if not self._settings.meaning_weight:
            (self._place / VECTORS).unlink(missing_ok=True)
            remove(self._place)

    def _weigh(self, book: Book, changed: int) -> None:
        """Ranks move little with a few pages and cost the whole graph: they wait until one in a hundred changed."""
        known = all((self._place / file).exists() for file in (RANKS, LINKS))
        if known and not changed:
            return
        waiting = book.number("unranked") + changed
        due = not known or waiting * 100 >= book.count()
        if due:
            write_ranks(self._place, book)
        with book:
            book.note("unranked", 0 if due else waiting)

    # Opening, mending.

    def _opened(self) -> Book:
        if self._book is None:
            self._open()
        if self._book is None:
            raise AssertionError("an index that was opened has a book")
        return self._book

    def _open(self) -> None:
        known = (self._place / WORDS / "meta.json").exists() or (self._place / "pages.sqlite").exists()
        try:
            self._open_parts(create=not known)
        except OtherForm:
            self._begin_anew(OTHER_FORM)
        except (IndexUnreadable, sqlite3.DatabaseError, ValueError, OSError) as error:
            self._start_over(str(error))

    def _open_parts(self, *, create: bool) -> None:
        if (self._place / DAMAGED).exists():
            raise IndexUnreadable((self._place / DAMAGED).read_text(errors="replace") or "an answer could not be read")
        words = self._place / WORDS
        self._book = Book(self._place, create=create, cache_bytes=BOOK_CACHE_BYTES)
        if create:
            words.mkdir(parents=True, exist_ok=True)
            index = tantivy.Index(schema(), path=str(words))
        else:
            self._book.check()
            index = tantivy.Index.open(str(words))
            index.reload()
        self._fresh = index.searcher().num_docs == 0
        if self._fresh and self._book.count("stale = 0") > 0:
            raise IndexUnreadable("the word index is empty and the book is not")
        self._words, self._writer = index, index.writer(self._settings.memory_bytes, 1)

    def _start_over(self, why: str) -> None:
        self._begin_anew(f"the index was damaged ({' '.join(why.split())[:200]}) and was built anew")

    def _begin_anew(self, note: str) -> None:
        self._notes.append(note)
        self._clear()
        self._open_parts(create=True)

    def _forget_words(self) -> None:
        """Words in the memos are not told to the book again."""
        self._analysers = Analysers()
        self._bodies = Bodies(self._analysers)

    def _clear(self) -> None:
        self._let_go()
        self._forget_words()
        aside = self._place / f"{WORDS}.old"
        if (self._place / WORDS).exists():
            # tantivy looks at the folder now and then while anyone has it open, and leaves a lock file there.
            shutil.rmtree(aside, ignore_errors=True)
            (self._place / WORDS).rename(aside)
        shutil.rmtree(aside, ignore_errors=True)
        for path in self._place.iterdir():
            if path.name.startswith(("pages.sqlite", PICTURES, RANKS, LINKS, DAMAGED)):
                path.unlink()

    def _let_go(self) -> None:
        self._words = self._writer = None
        if self._book is not None:
            self._book.close()
            self._book = None

    def _source_is_at_fault(self, error: Exception) -> bool:
        """Whether the repository itself cannot be read: building anew would not help then."""
        if not isinstance(error, sqlite3.DatabaseError):
            return False
        try:
            self._source.last_event()
        except sqlite3.DatabaseError:
            return True
        return isinstance(error, sqlite3.OperationalError)
