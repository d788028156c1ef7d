"""Changes on their way to a person, by mail, chat or push: each is told at least once, whatever ends the program.

What is new since the last notice is one notice, however much it is: a message for each of ten thousand changes helps
nobody. How far it went is written down once it was taken, and not before. In quiet hours, after too many notices within
an hour, and while a receiver that failed has its rest, changes wait, and then come together.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace
from xxhash import xxh3_64_hexdigest

from whimbrel.flows.telling.digest import NoticeText, notice_of
from whimbrel.flows.telling.folding import FoldedChange, folded
from whimbrel.flows.telling.hearing import Hearing
from whimbrel.flows.telling.news import NewsFilter, is_wanted
from whimbrel.flows.telling.progress_file import ProgressFile
from whimbrel.flows.telling.webhook import Delivered, NotTaken, Taken
from whimbrel.records.hours import Hours
from whimbrel.repository.engines import open_reader
from whimbrel.repository.location import Where, located
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Position, Told
from whimbrel.urls.normal import host

NAME = "notices.json"
LOCK = "notices.lock"
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 60.0, 3_600.0
HOUR_SECONDS = 3_600.0
MOST_FOLDED = 500
"""Beyond so many it is not looked which changes are only due to others."""

Send = Callable[[NoticeText], Taken | NotTaken]
SiteChoices = Mapping[str, NewsFilter | None]
"""By host: of which changes anybody is told at all, None of none."""


ANY = NewsFilter()


class NoticeWanted(Struct, frozen=True):
    """Who is told of what. `receiver` is where notices go, which may hold a secret; `reader` is where the folder is
    shown in a browser, "" where it is not."""

    receiver: str
    choice: NewsFilter
    most_an_hour: int = 6
    quiet: Hours | None = None
    reader: str = ""

    @property
    def name(self) -> str:
        chosen = (self.choice.site, sorted(self.choice.kinds), self.choice.degree, self.choice.words)
        return xxh3_64_hexdigest(f"{self.receiver} {chosen}".encode())


class NoticeProgress(Struct, frozen=True):
    """`done` is the end of what was told; `failures` are those in a row, `sent` the moments of the last hour's
    notices."""

    done: Position
    failures: int = 0
    not_before: float = 0.0
    sent: tuple[float, ...] = ()


class Notices:
    """The notices of one folder to one receiver."""

    def __init__(self, where: Where, wanted: NoticeWanted, sites: SiteChoices = MappingProxyType({})) -> None:
        self._where = where
        self._sites = sites
        self._wanted = wanted
        self._folder = located(where).beside
        self._file = ProgressFile(self._folder, NAME, LOCK, NoticeProgress, "telling")

    def begin(self, now: float) -> None:
        """From now on, where nobody was told before: what a kill comes before is then told by the next run."""
        with self._file.locked(), open_reader(self._where) as reader:
            book = self._file.read()
            if self._wanted.name not in book:
                self._file.write(book | {self._wanted.name: NoticeProgress(reader.position_before(now))})

    def deliver(self, send: Send, now: float, minute_of_day: int) -> Delivered:
        with self._file.locked(), open_reader(self._where) as reader:
            book = self._file.read()
            progress = book.get(self._wanted.name) or NoticeProgress(reader.position_before(now))
            last = reader.position()
            told = self._news(reader, progress.done, last)
            if told and self._waits(progress, now, minute_of_day):
                return Delivered(left=True)
            answer = send(notice_of(told, self._folder.resolve().name, self._wanted.reader)) if told else None
            self._file.write(book | {self._wanted.name: _after(progress, answer, last, now)})
            if isinstance(answer, NotTaken):
                return Delivered(left=True, problem=answer.reason)
            return Delivered(1, len(told)) if told else Delivered()

    def _waits(self, progress: NoticeProgress, now: float, minute_of_day: int) -> bool:
        lately = sum(now - at < HOUR_SECONDS for at in progress.sent)
        quiet = self._wanted.quiet is not None and self._wanted.quiet.holds(minute_of_day)
        return quiet or now < progress.not_before or lately >= self._wanted.most_an_hour

    def _news(self, reader: Reader, since: Position, last: Position) -> list[FoldedChange]:
        # What was erased since takes its numbers along.
        done = Position(min(since.change, last.change), min(since.version, last.version))
        choice = self._wanted.choice
        told = [
            one
            for one in reader.told_between(done, last, choice.site)
            if is_wanted(one, choice, reader) and self._may_be_told(one, reader)
        ]
        told = Hearing(reader).heard(told, silenced=False, unseen=False)
        items = folded(told, reader) if len(told) <= MOST_FOLDED else [FoldedChange(one) for one in told]
        return [item for item in items if not item.because_of]

    def _may_be_told(self, told: Told, reader: Reader) -> bool:
        choice = self._sites.get(host(told.url), ANY) if self._sites else ANY
        return choice is not None and (choice is ANY or is_wanted(told, choice, reader))


def _after(progress: NoticeProgress, answer: Taken | NotTaken | None, last: Position, now: float) -> NoticeProgress:
    if isinstance(answer, NotTaken):
        wait = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2.0**progress.failures)
        rest = now + max(wait, answer.wait_seconds or 0.0)
        return replace(progress, failures=progress.failures + 1, not_before=rest)
    sent = tuple(at for at in (*progress.sent, *((now,) if answer is not None else ())) if now - at < HOUR_SECONDS)
    return NoticeProgress(last, sent=sent)
