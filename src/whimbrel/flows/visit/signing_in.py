"""Logs in by a site's own form: asks for the page, fills the form in, sends it, and looks whether we are in.

The login page is one that the user named, and is asked as a browser asks it: nothing of it is kept.
"""

import asyncio
from collections.abc import Awaitable, Callable
from urllib.parse import urlencode

from msgspec import Struct

from whimbrel.fetch.credentials import Credentials, Login
from whimbrel.fetch.http import Fetcher
from whimbrel.parse.forms import LoginForm, form_for, forms_in
from whimbrel.records.response import Response
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.urls.normal import normalise, origin

MOST_HOPS = 10
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_KEEPS_METHOD = frozenset({307, 308})
_SHOWN_FIELDS = 12
_BARED = "its form is shown over https and would send the password over http, where anybody on the way can read it"


class NotIn(Struct, frozen=True):
    """Why a login did not let us in. `refused`: the site answered and said no, so asking the same again is no use."""

    why: str
    refused: bool


class Doors:
    """The sites that a login lets us into. Many visits share one login: they wait for it, and each knows by its number
    whether another has come since."""

    def __init__(self, fetcher: Fetcher, pause: Callable[[Url], Awaitable[None]]) -> None:
        self._fetcher = fetcher
        self._pause = pause
        self._locks: dict[Credentials, asyncio.Lock] = {}
        self._entered: dict[Credentials, int | NotIn] = {}
        self._shown: set[Credentials] = set()

    async def entered(self, door: Credentials) -> int | NotIn:
        """The number of the login that holds; the first to come logs in. What did not let us in is not asked again."""
        async with self._locks.setdefault(door, asyncio.Lock()):
            if door not in self._entered:
                ended = await sign_in(self._fetcher, door, self._pause)
                self._entered[door] = 1 if ended is None else ended
            return self._entered[door]

    async def renewed(self, door: Credentials, login: int) -> bool:
        """Whether we are known again after a session was over. A login that never showed us a page is not repeated."""
        async with self._locks.setdefault(door, asyncio.Lock()):
            now = self._entered.get(door)
            if isinstance(now, int) and now != login:
                return True
            if door not in self._shown:
                return False
            self._shown.discard(door)
            ended = await sign_in(self._fetcher, door, self._pause)
            self._entered[door] = login + 1 if ended is None else ended
            return ended is None

    def shown(self, door: Credentials | None) -> None:
        """A page of the site came as it is for those who are in."""
        if door is not None:
            self._shown.add(door)


async def sign_in(fetcher: Fetcher, door: Credentials, pause: Callable[[Url], Awaitable[None]]) -> NotIn | None:
    """None where we are in; the fetcher then holds the cookies."""
    login = door.login
    assert login is not None, "a door has a login"
    fetcher.leave(door)
    ended = await _walk_in(fetcher, door, login, pause)
    if ended is None and not fetcher.is_inside(door):
        ended = NotIn("it took what was sent, and gave no cookie to be known by", refused=True)
    if ended is not None:
        fetcher.leave(door)
    return ended


async def _walk_in(
    fetcher: Fetcher, door: Credentials, login: Login, pause: Callable[[Url], Awaitable[None]]
) -> NotIn | None:
    page = await _follow(fetcher, door, pause, login.page, None)
    if isinstance(page, NotIn):
        return page
    forms = _forms(page)
    form = form_for(forms, frozenset(name for name, _ in login.fields))
    if form is None:
        return NotIn(_no_form(forms, login), refused=True)
    if written := sorted(form.passwords.intersection(name for name, _ in login.fields) - set(login.secret)):
        advice = f"{', '.join(written)} is a password: name it in login_secrets, not in login_fields"
        return NotIn(advice, refused=True)
    target = normalise(form.action or page.url, page.url)
    if isinstance(target, Verdict) or origin(target) not in door.origins:
        return NotIn(f"its form would send the password elsewhere ({form.action})", refused=True)
    if _bares(page.url, target):
        return NotIn(_BARED, refused=True)
    filled = urlencode(list((dict(form.values) | dict(login.fields)).items()))
    if not form.posts:
        target, filled = Url(f"{target.partition('?')[0]}?{filled}"), ""
    answer = await _follow(fetcher, door, pause, target, filled.encode() if form.posts else None)
    return answer if isinstance(answer, NotIn) else _judged(answer, login, form)


def _judged(answer: Response, login: Login, form: LoginForm) -> NotIn | None:
    """Whether the page that a login ends at is one for somebody who is in."""
    if answer.status >= 500 or answer.status == 429:
        return NotIn(f"it answered {answer.status}", refused=False)
    if answer.status >= 400:
        return NotIn(f"it answered {answer.status}", refused=True)
    if login.check:
        here = login.check.encode() in answer.body
        return None if here else NotIn(f"the page that follows does not say “{login.check}”", refused=True)
    again = form_for(_forms(answer), frozenset(name for name, _ in login.fields))
    return NotIn("it shows its form again", refused=True) if again is not None and again.passwords else None


async def _follow(
    fetcher: Fetcher, door: Credentials, pause: Callable[[Url], Awaitable[None]], url: Url, form: bytes | None
) -> Response | NotIn:
    for _ in range(MOST_HOPS):
        await pause(url)
        answer = await fetcher.fetch(url, any_type=True, form=form, entering=door)
        if not isinstance(answer, Response):
            return NotIn(answer.reason if isinstance(answer, Verdict) else answer.detail, refused=False)
        if answer.status not in REDIRECTS:
            return answer
        target = normalise(answer.headers.get("location", ""), url)
        if isinstance(target, Verdict) or origin(target) not in door.origins:
            advice = "where another host lets people in, cookies of a browser do (cookies = …)"
            # Its origin alone: what else stands in it may be what was just sent.
            where = f" ({origin(target)})" if not isinstance(target, Verdict) else ""
            return NotIn(f"it leads to another host{where}; {advice}", refused=True)
        if answer.status not in _KEEPS_METHOD:
            form = None
        if form is not None and _bares(url, target):
            return NotIn(_BARED, refused=True)
        url = target
    return NotIn(f"it leads on for more than {MOST_HOPS} addresses", refused=True)


def _bares(before: Url, after: Url) -> bool:
    """Whether what was safe on its way would be so no more."""
    return before.startswith("https:") and after.startswith("http:")


def _forms(page: Response) -> list[LoginForm]:
    return forms_in(page.body, page.headers.get("content-type", "text/html"))


def _no_form(forms: list[LoginForm], login: Login) -> str:
    wanted = ", ".join(name for name, _ in login.fields)
    known = [f"({', '.join(form.names[:_SHOWN_FIELDS])})" for form in forms if form.names]
    there = f"its forms have the fields {' and '.join(known)}" if known else "no form is in it; scripts may make one"
    return f"{login.page} has no form with the fields {wanted}: {there}"
