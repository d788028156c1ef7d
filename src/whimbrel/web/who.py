"""Who reads: nobody in particular, until somebody says yes.

A yes brings a cookie with a name that chance made and our seal; a no brings one that says no, and nothing else.
"""

import re
import secrets

from msgspec import Struct
from starlette.requests import Request

from whimbrel.readers.contract import NOBODY, SECONDS_A_DAY
from whimbrel.readers.log import ReaderLog
from whimbrel.web.seals import Seals
from whimbrel.web.settings import Door

YEAR_SECONDS = int(365 * SECONDS_A_DAY)
NO = "no"
_AGENT = re.compile(
    r"bot\b|crawl|spider|slurp|headless|curl|wget|python|java/|go-http|libwww|scrapy|agent\b|gpt|claude", re.IGNORECASE
)
"""What programs call themselves that come by themselves. Whoever hides it is a reader as far as anybody can tell."""


class Who(Struct, frozen=True):
    """`number` is the reader's in the log, NOBODY without a yes; `recorded` says whether what they do is kept.
    `asked` is whether they have answered, and `may_ask` whether they can be asked here at all."""

    number: int = NOBODY
    id: str = ""
    recorded: bool = False
    asked: bool = False
    may_ask: bool = False


class Readership:
    """Knows readers by their cookies. It is asked for every page and waits for nothing."""

    def __init__(self, door: Door, seals: Seals, log: ReaderLog) -> None:
        self._door = door
        self._seals = seals
        self._log = log
        self.may_ask = door.readers.remember and not door.read_only

    def who(self, request: Request) -> Who:
        given = request.cookies.get(self.cookie_name, "")
        may_ask = self.may_ask and not is_agent(request)
        id, _, seal = given.partition(".")
        known = self._log.reader_of(id) if seal and self._seals.holds(seal, "reader", id) else None
        if known is None:
            return Who(asked=given == NO, may_ask=may_ask)
        return Who(known[0], id, known[1] and may_ask, True, may_ask)

    def join(self, origin: str, now: float) -> str:
        """A new reader's cookie."""
        id = secrets.token_urlsafe(16)
        self._log.join(id, self._seals.seal("origin", origin), now)
        return self._cookie(f"{id}.{self._seals.seal('reader', id)}")

    def refusal(self) -> str:
        """The cookie of one who said no: it names nobody."""
        return self._cookie(NO)

    def view_seal(self, id: str, url: str, version: int, query: str) -> str:
        """Shows that this reader was shown this page for this query."""
        return self._seals.seal("view", id, url, str(version), query)

    @property
    def cookie_name(self) -> str:
        """Cookies do not tell ports apart."""
        return f"whimbrel-reader-{self._door.port}"

    def _cookie(self, value: str) -> str:
        return f"{self.cookie_name}={value}; Path=/; Max-Age={YEAR_SECONDS}; HttpOnly; SameSite=Strict"


def is_agent(request: Request) -> bool:
    name = request.headers.get("user-agent", "")
    return not name or _AGENT.search(name) is not None


def is_looked_at(request: Request) -> bool:
    """Whether somebody sees the answer: not where a browser fetches it ahead."""
    purposes = f"{request.headers.get('sec-purpose', '')} {request.headers.get('purpose', '')}".lower()
    return "prefetch" not in purposes and "prerender" not in purposes and request.method == "GET"
