"""Documents to text, one after another, in a helper process that is replaced when it dies, ages or grows."""

import threading
from typing import Self

from msgspec import Struct

from whimbrel.documents import kinds, outside, wire
from whimbrel.documents.contract import DEFAULT_LIMITS, DocumentLimits, Outcome, Unreadable
from whimbrel.documents.helper import CLOSE_WATCH_SECONDS, Helper, HelperError

DOCUMENTS_A_HELPER = 200
GROWN_BYTES = 256 << 20


class Statistics(Struct, frozen=True):
    """`cpu_seconds` and `peak_bytes` are of the helpers that have ended, all of them once the extractor is closed."""

    documents: int
    helpers: int
    cpu_seconds: float
    peak_bytes: int


class Extractor:
    """Reads documents for as long as it is open. Threads may share it; they wait for one another.

    The helper starts with the first document and dies with the thread that asked for that one, or at `close`.
    """

    def __init__(
        self, limits: DocumentLimits = DEFAULT_LIMITS, *, documents_a_helper: int = DOCUMENTS_A_HELPER
    ) -> None:
        self._limits = limits
        self._documents_a_helper = documents_a_helper
        self._helper: Helper | None = None
        self._turn = threading.Lock()
        self._statistics = Statistics(0, 0, 0.0, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The helper's process id, None while there is none."""
        return self._helper.pid if self._helper is not None and self._helper.alive else None

    def statistics(self) -> Statistics:
        return self._statistics

    def read(self, body: bytes, mime: str, url: str) -> Outcome:
        """What the document says, or why it cannot be read. `mime` may be a whole Content-Type; either may be ""."""
        kind = kinds.kind_of(mime, url, body[: kinds.SNIFFED_BYTES])
        if kind is None:
            return Unreadable("unsupported", f"{mime.partition(';')[0].strip() or 'this type'} is read by nobody here")
        if not body:
            return Unreadable("empty", "no bytes at all")
        if len(body) > self._limits.body_bytes:
            return Unreadable("too_large", f"{len(body)} bytes; {self._limits.body_bytes} are read")
        if (older := self._of_before_2007(body)) is not None:
            return older
        # Text that is no UTF-8 cannot be sent, and no library needs it.
        job = wire.Job(kind, mime.encode("ascii", "replace").decode(), body)
        with self._turn:
            return self._read(job)

    def _of_before_2007(self, body: bytes) -> Outcome | None:
        """Programs of the system read those, under the same limits; the helper may start none."""
        kind = outside.kind_of_compound(body) if kinds.is_compound(body) and not kinds.is_encrypted(body) else None
        if kind is None:
            return None
        draft = outside.read(kind, body, self._limits)
        from whimbrel.documents.reading import finished  # here: it brings the parser of pages along

        return draft if isinstance(draft, Unreadable) else finished(kind, draft, self._limits)

    def close(self) -> None:
        with self._turn:
            self._retire()

    def _read(self, job: wire.Job) -> Outcome:
        try:
            outcome = self._helper_for_next().read(job)
            if isinstance(outcome, Unreadable) and outcome.kind in ("crashed", "out_of_memory"):
                # That may be an earlier document's doing, a person's or the kernel's: once more, alone.
                self._retire()
                outcome = self._helper_for_next().read(job, CLOSE_WATCH_SECONDS)
        except HelperError as error:
            return Unreadable("unavailable", str(error))
        self._count(documents=1)
        return outcome

    def _helper_for_next(self) -> Helper:
        helper = self._helper
        if helper is not None and helper.alive and not self._worn(helper):
            return helper
        self._retire()
        self._helper = Helper(self._limits)
        self._count(helpers=1)
        return self._helper

    def _worn(self, helper: Helper) -> bool:
        return helper.documents >= self._documents_a_helper or helper.memory.resident_bytes > GROWN_BYTES

    def _retire(self) -> None:
        if self._helper is not None:
            ended = self._helper.end()
            self._helper = None
            self._count(cpu_seconds=ended.cpu_seconds, peak_bytes=ended.peak_bytes)

    def _count(self, *, documents: int = 0, helpers: int = 0, cpu_seconds: float = 0.0, peak_bytes: int = 0) -> None:
        before = self._statistics
        self._statistics = Statistics(
            before.documents + documents,
            before.helpers + helpers,
            before.cpu_seconds + cpu_seconds,
            max(before.peak_bytes, peak_bytes),
        )
