"""Does a site still know us? An answer that may be its login page is doubted, and a page that was there is asked again.

What a login page looks like is each site's own; that a page which was shown is shown no longer is plain everywhere.
"""

import re
from collections.abc import Awaitable, Callable, Iterable

from msgspec import Struct
from msgspec.structs import replace

from whimbrel.dedupe import exact
from whimbrel.fetch.cookies import is_over
from whimbrel.fetch.http import Fetcher
from whimbrel.flows.visit.signing_in import Doors
from whimbrel.parse import html
from whimbrel.records.response import Response
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.records.visit import Visit
from whimbrel.urls.normal import normalise, origin

MOST_WITNESSES = 3
MOST_TEXTS = 100_000
MOST_HOPS = 5
REDIRECTS = frozenset({300, 301, 302, 303, 307, 308})
_REFUSALS = frozenset({401, 403})
_MISSING = frozenset({404, 410})
_DOCUMENT = frozenset({200, 203})
_PASSWORD = re.compile(rb"""<input\b[^>]*\btype\s*=\s*["']?password""", re.IGNORECASE)
_LEFT_ALONE = "It is not asked further, and what is left stays due"
_NEXT_COOKIE = re.compile(r", (?=[^ ;,=]+=)")


class Lost(Struct, frozen=True):
    """`by_this`: the answer itself took the session away, so its URL is not asked again. `renewed`: a login made us
    known again, so the URL is asked once more. `refused`: a login was refused."""

    reason: str
    by_this: bool = False
    renewed: bool = False
    refused: bool = False


class Sessions:
    """Watches over the sites that we have credentials for. `pause` waits until a site may be asked once more."""

    def __init__(
        self, fetcher: Fetcher, witnesses: Iterable[tuple[Url, bytes]], pause: Callable[[Url], Awaitable[None]]
    ) -> None:
        self._fetcher = fetcher
        self._pause = pause
        self._witnesses: dict[str, dict[Url, bytes]] = {}
        self._always_ask: set[str] = set()
        self._texts: dict[bytes, int] = {}
        self.over: dict[str, str] = {}
        """Sites that no longer know us, and how that was seen."""
        self._doors = Doors(fetcher, pause)
        for url, group in witnesses:
            self._witnesses.setdefault(origin(url), {})[url] = group

    async def enter(self, url: Url) -> "Lost | int":
        """Before a URL is asked for: logs in where that is needed. Gives which login it was, by number."""
        door = self._fetcher.door(url)
        if door is None:
            return 0
        entered = await self._doors.entered(door)
        if isinstance(entered, int):
            return entered
        advice = "see its login in the settings, and run the command again"
        self.over[origin(url)] = f"{origin(url)} did not let us in: {entered.why}. {_LEFT_ALONE}: {advice}"
        return Lost(self.over[origin(url)], refused=entered.refused)

    async def lost(self, task: Task, response: Response, now: float, login: int = 0) -> Lost | None:
        """Before an answer is read: whether it shows that the session is over."""
        takes_away = self._takes_away(task.url, response, now)
        what = "its cookie was taken back" if takes_away else _doubt(task, response, self._always_ask)
        lost = await self._why_lost(task.url, response, what, login) if what else None
        if lost is not None:
            return replace(lost, by_this=takes_away)
        if response.status in _DOCUMENT and not (task.asset or task.sitemap):
            self._trust(task.url, lambda: _group(response))
            self._doors.shown(self._fetcher.door(task.url))
        return None

    async def lost_in_words(self, task: Task, response: Response, visit: Visit, login: int = 0) -> Lost | None:
        """Once it is read: a page with the words of another may be what everybody is shown."""
        if visit.document is None or task.asset or task.sitemap:
            return None
        group = exact.group(visit.document.digest, visit.document.text_digest)
        first = self._texts.setdefault(group, task.key)
        if len(self._texts) > MOST_TEXTS:
            self._texts.clear()
        if first == task.key or first == 0:
            return None
        lost = await self._why_lost(task.url, response, "another page's words", login)
        if lost is None:
            self._texts[group] = 0  # a copy, and known as one
        return lost

    def _trust(self, url: Url, group: Callable[[], bytes]) -> None:
        known = self._witnesses.setdefault(origin(url), {})
        if len(known) < MOST_WITNESSES and url not in known:
            known[url] = group()

    async def _why_lost(self, url: Url, doubted: Response, what: str, login: int) -> Lost | None:
        site = origin(url)
        witnesses = {one: group for one, group in self._witnesses.get(site, {}).items() if one != url}
        if witnesses:
            over = not await self._one_stands(witnesses, doubted)
            how = "no longer knows us"
        else:
            over = await self._never_knew(url, doubted)
            how = "does not accept the credentials it was given"
        if not over:
            return None
        if (door := self._fetcher.door(url)) is not None:
            if await self._doors.renewed(door, login):
                if witnesses and await self._one_stands(witnesses, doubted):
                    self._doors.shown(door)  # so it is this URL that ends the session, should it be over again
                return Lost("the session was over, and a login renewed it", renewed=True)
            if isinstance(refused := await self.enter(url), Lost):
                return refused
        advice = "log in anew, renew what its auth, cookies, headers or login name, and run the command again"
        self.over[site] = f"{site} {how} ({url}: {what}). {_LEFT_ALONE}: {advice}"
        return Lost(self.over[site])

    async def _one_stands(self, witnesses: dict[Url, bytes], doubted: Response) -> bool:
        for url, group in witnesses.items():
            await self._pause(url)
            answer = await self._fetcher.fetch(url)
            if not isinstance(answer, Response):
                return True  # the site is away, which says nothing of the session
            if answer.status not in _DOCUMENT:
                continue
            if _group(answer) == group:
                if _asks_for_password(answer):
                    self._always_ask.add(origin(url))  # so that a password asked for is no sign there
                return True
            if not _asks_for_password(answer) and not _same_words(answer, doubted):
                return True
        return False

    async def _never_knew(self, url: Url, doubted: Response) -> bool:
        if doubted.status in REDIRECTS:
            return await self._ends_at_login(url, doubted)
        if doubted.status in _MISSING:
            return False
        if doubted.status == 401:
            return True
        await self._pause(url)
        stranger = await self._fetcher.fetch(url, anonymous=True)
        return isinstance(stranger, Response) and stranger.status == doubted.status and _same_words(stranger, doubted)

    async def _ends_at_login(self, url: Url, answer: Response) -> bool:
        site = origin(url)
        for _ in range(MOST_HOPS):
            target = normalise(answer.headers.get("location", ""), url)
            if isinstance(target, Verdict) or origin(target) != site:
                return False
            url = target
            await self._pause(url)
            followed = await self._fetcher.fetch(url)
            if not isinstance(followed, Response):
                return False
            answer = followed
            if answer.status not in REDIRECTS:
                return answer.status in _REFUSALS or _asks_for_password(answer)
        return False

    def _takes_away(self, url: Url, response: Response, now: float) -> bool:
        said = response.headers.get("set-cookie", "")
        if not said:
            return False
        ours = self._fetcher.proof(url).names
        return any(_is_cleared(cookie, ours, now) for cookie in _NEXT_COOKIE.split(said))


def _doubt(task: Task, response: Response, always_ask: set[str]) -> str:
    """Why an answer may be no page of the site's, or ""."""
    status = response.status
    if status == 401 or (status in _REFUSALS | _MISSING and not task.asset and not task.sitemap):
        return f"answered {status}"
    if status in REDIRECTS:
        target = normalise(response.headers.get("location", ""), task.url)
        same = not isinstance(target, Verdict) and target.rstrip("/") == task.url.rstrip("/")
        return "" if same else f"answered {status}"
    if status in _DOCUMENT and origin(task.url) not in always_ask and _asks_for_password(response):
        return "a page that asks for a password"
    return ""


def _asks_for_password(response: Response) -> bool:
    return _PASSWORD.search(response.body) is not None


def _same_words(one: Response, other: Response) -> bool:
    if one.body == other.body:
        return True
    words = _words(one)
    return bool(words) and words == _words(other)


def _group(response: Response) -> bytes:
    return exact.group(exact.digest(response.body), exact.text_digest(_words(response)))


def _words(response: Response) -> str:
    return html.read(response.body, response.headers.get("content-type", "text/html")).text


def _is_cleared(cookie: str, ours: frozenset[str], now: float) -> bool:
    pair, *attributes = cookie.split(";")
    name, _, value = pair.strip().partition("=")
    if name not in ours:
        return False
    said = {key.strip().lower(): text.strip() for key, _, text in (one.partition("=") for one in attributes)}
    return is_over(said, now) or not value.strip('"')
