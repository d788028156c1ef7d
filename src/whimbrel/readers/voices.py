"""What readers made of pages, held ready for whoever orders answers.

Worked out from the log beside the answering, never in its way: whoever asks gets what is known, and where that has
become old it is worked out anew meanwhile. Nothing of it is stored: what a reader deletes is gone from it at once.
"""

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from whimbrel.behaviour.actions import USUAL, MiningSettings
from whimbrel.behaviour.exploring import Believed
from whimbrel.behaviour.opinions import ANY, PageOpinion, Words, for_question, opinions
from whimbrel.readers.attendance import shared_voices
from whimbrel.readers.log import ReaderLog
from whimbrel.records.deed import Action, Deed
from whimbrel.records.url import Url
from whimbrel.urls.normal import key as key_of

RENEW_SECONDS = 60.0
"""What is known is left alone for so long, and for ten times as long as working it out took."""
NEUTRAL = PageOpinion().value
MUCH = 0.55
LITTLE = 0.45
DONE = {
    Action.SCROLL: "scrolled", Action.COPY: "copied from it", Action.FIND: "searched in it", Action.BACK: "went back",
    Action.OPEN_URL: "came by its address", Action.FORWARD: "came again", Action.STOP: "stopped it loading",
    Action.FAVOURITE: "kept it as a favourite", Action.PRINT: "printed it", Action.SAVE: "saved it",
    Action.HYPERLINK: "followed its links", Action.HOME: "left for the start page", Action.CLICK: "clicked in it",
    Action.TIME: "stayed", Action.ACTIVE: "read for a while", Action.KEY_UP: "paged up",
    Action.KEY_DOWN: "paged down", Action.REFRESH: "loaded it again", Action.STARS: "gave it four stars or more",
}  # fmt: skip

logger = logging.getLogger(__name__)

Clock = Callable[[], float]


class Voices:
    """Threads share it. `words` says how many words a page has, 0 where that is not known."""

    def __init__(
        self, log: ReaderLog, words: Words, mining: MiningSettings = USUAL, *, clock: Clock = time.monotonic
    ) -> None:
        self._log = log
        self._words = words
        self._mining = mining
        self._lengths: dict[Url, int] = {}
        self._clock = clock
        self._turn = threading.Lock()
        self._known: dict[tuple[str, int], PageOpinion] = {}
        self._not_before = 0.0
        self._at_work: threading.Thread | None = None

    def values(self, query: str, keys: Iterable[int]) -> list[float]:
        """Of pages for a question, from 0 to 1, ½ where nothing is known; what holds for all questions counts too."""
        self._renew_beside()
        known, asked = self._known, as_asked(query)
        return [self._of(known, asked, key) for key in keys]

    def believed(self, query: str, keys: Iterable[int]) -> list[Believed | None]:
        """What clicks say of pages for this question alone."""
        known, asked = self._known, as_asked(query)
        return [known.get((asked, key), PageOpinion()).believed for key in keys]

    def told(self, query: str, key: int) -> str:
        """In words, with the value of each voice; "" where readers did nothing that counts."""
        asked = as_asked(query)
        general, own = self._known.get((ANY, key), PageOpinion()), self._known.get((asked, key), PageOpinion())
        heard = for_question(general, own)
        said = [DONE[action] for action in heard.together if action in DONE]
        parts = [f"those who {said[0]} also {' and '.join(said[1:])} ({heard.pattern:.2f})"] if len(said) > 1 else []
        clicks = own.clicks if (asked, key) in self._known else general.clicks
        if not LITTLE <= clicks <= MUCH:
            how = "opened more often" if clicks > MUCH else "passed over more often"
            parts.append(f"{how} than its place explains ({clicks:.2f})")
        if general.time > MUCH:
            parts.append(f"read longer than is usual for its length ({general.time:.2f})")
        if not LITTLE <= general.stars <= MUCH:
            parts.append(
                f"given {'more' if general.stars > MUCH else 'fewer'} stars than is usual ({general.stars:.2f})"
            )
        readers = max(general.readers, own.readers)
        return f"{readers} reader{'' if readers == 1 else 's'}: {'; '.join(parts)}" if parts else ""

    def renew(self) -> None:
        """Works it out now."""
        began = self._clock()
        try:
            made = opinions(self._deeds(), self._length, self._mining)
        except sqlite3.Error as error:
            logger.warning("what readers made of pages could not be worked out: %s", error)
            made = {}
        self._known = {(as_asked(query), key_of(page)): opinion for (query, page), opinion in made.items()}
        took = self._clock() - began
        self._not_before = self._clock() + max(RENEW_SECONDS, 10 * took)

    def _deeds(self) -> Iterator[Deed]:
        """Where many readers began from one address they share a few voices: one machine cannot be a crowd."""
        voice = shared_voices(self._log.origins())
        for deed in self._log.deeds():
            one = voice.get(deed.reader, deed.reader)
            yield deed if one == deed.reader else replace(deed, reader=one)

    def _length(self, page: Url) -> int:
        """Looked up once: a page's length says the same of it for as long as anybody reads."""
        known = self._lengths.get(page)
        if known is None:
            known = self._lengths[page] = self._words(page)
        return known

    def forget(self) -> None:
        """Somebody had what they did deleted: nothing is held of it until it is worked out anew."""
        self._known = {}
        self._not_before = 0.0

    def wait(self) -> None:
        """Until what is being worked out is ready."""
        at_work = self._at_work
        if at_work is not None:
            at_work.join()

    def _renew_beside(self) -> None:
        with self._turn:
            busy = self._at_work is not None and self._at_work.is_alive()
            if not busy and self._clock() >= self._not_before:
                self._at_work = threading.Thread(target=self.renew, name="whimbrel-voices", daemon=True)
                self._at_work.start()

    @staticmethod
    def _of(known: dict[tuple[str, int], PageOpinion], asked: str, key: int) -> float:
        return for_question(known.get((ANY, key)), known.get((asked, key))).value


def as_asked(query: str) -> str:
    """Questions that differ in case and white space are one."""
    return " ".join(query.casefold().split())
