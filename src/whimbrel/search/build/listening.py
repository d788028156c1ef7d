"""The first step of indexing: what the repository's events tell of is noted in the book and marked stale.

Only then does the number of the last event move on.
"""

from whimbrel.flows.packing import links_of
from whimbrel.repository.port.followed import Followed
from whimbrel.repository.views import Newest
from whimbrel.search.book import Book
from whimbrel.search.build.gathering import row_of
from whimbrel.urls.normal import key as key_of

MOST_STEPS = 10
BATCH = 512
COMMIT_EVENTS = 8_192
"""In one transaction. Keys are spread evenly, so that a few hundred rows touch most of the book's table."""


class Listener:
    """`leave_out` are anchor texts, by the key of their target, that are not to be known: for measuring."""

    def __init__(self, source: Followed, book: Book, leave_out: frozenset[tuple[int, str]]) -> None:
        self._source = source
        self._book = book
        self._leave_out = leave_out

    def hear(self, limit: int | None) -> None:
        heard = 0
        while limit is None or heard < limit:
            with self._book:
                now = self._hear_some(COMMIT_EVENTS if limit is None else min(COMMIT_EVENTS, limit - heard))
            if not now:
                break
            heard += now
        self._book.rest()

    def _hear_some(self, most: int) -> int:
        """At most so many events; says how many there were."""
        heard = 0
        while heard < most:
            done = self._book.number("done")
            events = self._source.events(done, min(BATCH, most - heard))
            if not events:
                break
            keys = {event.url for event in events}
            self._note_down(keys, self._source.newest(keys))
            if self._source.forgot(done, events[-1].seq):
                self._book.note("purge", 1)
            self._book.note("done", events[-1].seq)
            heard += len(events)
        return heard

    def _note_down(self, keys: set[int], kept: dict[int, Newest]) -> None:
        before = self._book.rows(keys)
        readings = self._source.readings(one.version for one in kept.values())
        rows = [
            row_of(one, self._links(readings.get(one.version, b"")), was=before.get(one.key)) for one in kept.values()
        ]
        fresh = self._book.put(rows)
        self._book.mark_gone(key for key in before if key not in kept)
        if any(before[key].links and before[key].links != row.links for row in rows if (key := row.key) in before) or (
            before.keys() - kept.keys()
        ):
            fresh |= self._book.drop_unused_anchors()
        # A page that became a twin, or stopped being one, brings its anchors to another page or takes them away.
        self._book.mark_targets(fresh | {row.key for row in rows if row.role == "twin"})

    def _links(self, packed: bytes) -> bytes:
        if not packed:
            return b""
        urls, texts = links_of(packed)
        if self._leave_out:
            pairs = zip(urls, texts, strict=True)
            texts = ["" if (key_of(url), text) in self._leave_out else text for url, text in pairs]
        return self._book.links(urls, texts)

    def follow_redirects(self) -> None:
        """All URLs have to be read for it, so it waits until all was heard and one page in a hundred is new. Counting
        the pages takes milliseconds, too: a server asks every other second."""
        book = self._book
        stale = book.count("stale = 1")
        if not stale or self._source.urls_after(book.number("done")) or stale * 100 < max(book.count(), 1):
            return
        with book:
            book.note_moves(moves(self._source))


def moves(source: Followed) -> dict[int, int]:
    """Every URL that redirects, with where it leads in the end."""
    steps = source.redirects()
    return {key: end for key in steps if (end := _end_of(key, steps)) != key}


def _end_of(key: int, steps: dict[int, int]) -> int:
    for _ in range(MOST_STEPS):
        if key not in steps:
            break
        key = steps[key]
    return key
