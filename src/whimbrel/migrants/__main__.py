"""A migrant's process: `python -m whimbrel.migrants CONNECTION MARK NAME KEY`: two inherited file descriptors, the name
that is the migrant's for life, and home's public key.

Exit codes: 0 when home said halt or closed the connection, 70 when a visit broke, 76 when home broke the contract.
"""

import ctypes
import gc
import os
import resource
import signal
import sys
import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whimbrel.documents import Extractor
    from whimbrel.documents.pictures import PictureReader
    from whimbrel.flows.visit.papers import PaperSaid
    from whimbrel.records.sifting import PageFilter
    from whimbrel.records.url import Url
    from whimbrel.records.verdict import Verdict
    from whimbrel.shapes.shape import PictureShape
    from whimbrel.sieve.asking import Sieve

VISIT_BROKEN = 70  # EX_SOFTWARE of sysexits.h
CONTRACT_BROKEN = 76  # EX_PROTOCOL
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def main() -> None:
    # Ctrl-C reaches the whole process group; when to stop is home's to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Loading and parsing make no cycles but a great many objects, among which the collector would look for some all
    # the time; `Migrant.pulse` collects now and then instead.
    gc.disable()
    import msgspec
    import uvloop

    from whimbrel.migrants.away.session import BrokenVisit, Session
    from whimbrel.migrants.wire.channel import HouseRules, Passport
    from whimbrel.migrants.wire.local import inherited
    from whimbrel.migrants.wire.messages import VERSION, WireError

    gc.freeze()
    if cores := os.environ.get("WHIMBREL_CORES"):
        os.sched_setaffinity(0, {int(core) for core in cores.split(",")})
    connection, mark, name, key = sys.argv[1:5]
    bare = bool(os.environ.get("WHIMBREL_BARE"))
    house = msgspec.json.decode(os.environ.get("WHIMBREL_HOUSE", "{}"), type=HouseRules)
    if house.sites:  # one that was stopped for taking too much must not outlive whoever would let it go on
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if house.memory_bytes:
        resource.setrlimit(resource.RLIMIT_DATA, (house.memory_bytes, house.memory_bytes))
    version = int(os.environ.get("WHIMBREL_WIRE") or VERSION)
    passport = Passport(name, bytes.fromhex(key), os.environ.get("WHIMBREL_SHELF", ""), bare, house, version)

    async def serve() -> None:
        try:
            channel = await inherited(int(connection), int(mark))
            await Session(channel, passport, _sifting, _PaperReader().read, _ShapeReader().read).run()
        except WireError as error:
            _end(CONTRACT_BROKEN, f"whimbrel migrant: {error}; home and migrants must be of the same release")
        except BrokenVisit as error:
            _end(VISIT_BROKEN, "".join(traceback.format_exception(error)))
        _end(0)

    uvloop.run(serve())


def _sifting(page_filter: "PageFilter", abroad: bool) -> "Sieve | str":
    # Imported here: most crawls keep whatever they find.
    from whimbrel.sieve.asking import Sieve, SieveError, cannot_begin

    if abroad and (why := cannot_begin(page_filter)):
        return why
    sieve = Sieve(page_filter)
    try:
        sieve.check()
    except SieveError as error:
        return str(error)
    return sieve


class _PaperReader:
    """Documents that are no web pages, for judges of words: in a helper process, as everywhere (docs/documents.md), and
    with less patience. A topic shows on the first pages, and a migrant that reads hears nobody meanwhile."""

    def __init__(self) -> None:
        self._extractor: Extractor | None = None

    def read(self, body: bytes, mime: str, url: "Url") -> "PaperSaid | str":
        # Imported here: most crawls judge no documents.
        from whimbrel.documents import DocumentLimits, Extractor, Unreadable
        from whimbrel.documents.kinds import FEED, SNIFFED_BYTES, kind_of
        from whimbrel.flows.visit.papers import PaperSaid

        if kind_of(mime, url, body[:SNIFFED_BYTES]) == FEED:
            return "a feed lists pages and is none"
        if self._extractor is None:
            limits = DocumentLimits(cpu_seconds=6, wall_seconds=10.0, pages=40, characters=60_000)
            self._extractor = Extractor(limits)
        told = self._extractor.read(body, mime, url)
        return told.reason if isinstance(told, Unreadable) else PaperSaid(told.title, told.text, told.language)


class _ShapeReader:
    """Shapes in pictures, which are decoded in a helper process, with the same patience."""

    def __init__(self) -> None:
        self._pictures: PictureReader | None = None

    def read(self, body: bytes) -> "PictureShape | Verdict":
        # Imported here: few crawls look at pictures.
        from whimbrel.documents import DocumentLimits
        from whimbrel.documents.pictures import PictureReader
        from whimbrel.flows.picturing import PictureLooks, looks_of

        if self._pictures is None:
            self._pictures = PictureReader(DocumentLimits(cpu_seconds=6, wall_seconds=10.0))
        looks = looks_of(body, self._pictures)
        return looks.shape if isinstance(looks, PictureLooks) else looks


def _end(code: int, words: str = "") -> None:
    """Nobody is left to send anything to: cancelling visits and tearing down a large heap would only take time."""
    if words:
        sys.stderr.write(f"{words}\n")
        sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
