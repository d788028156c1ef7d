"""One visit, from the task to what goes home. It runs where the migrant is and writes nothing.

The order reads aloud: fetch, read, judge, digest, pack.
"""

import re
from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING

from msgspec.structs import replace

from whimbrel.dedupe import exact
from whimbrel.fetch.politeness import retry_after
from whimbrel.flows import listing
from whimbrel.flows.learning import NOT_KEPT
from whimbrel.flows.packing import pack, unpack
from whimbrel.flows.visit import bare
from whimbrel.flows.visit.facts import facts_of
from whimbrel.flows.visit.leading import (
    asset_links,
    base_of,
    judged,
    links_of,
    respelled,
    targets_of,
    wishes,
    without_acts,
)
from whimbrel.flows.visit.pictures import judged_picture, shown_pictures
from whimbrel.flows.visit.recording import archived, media_type, received, recorded
from whimbrel.flows.visit.tools import Tools
from whimbrel.frontier.cache import UrlCache
from whimbrel.frontier.feeds import FeedsNamed
from whimbrel.parse import css, html
from whimbrel.parse.places import GroundPlan
from whimbrel.records.page import Page
from whimbrel.records.picturing import PictureSeen
from whimbrel.records.response import TRANSIENT, Failure, FailureKind, Response
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED, Verdict
from whimbrel.records.visit import LOGIN, Document, Link, Outcome, Reading, Visit
from whimbrel.urls import acts
from whimbrel.urls.normal import host as host_of
from whimbrel.urls.normal import key as key_of
from whimbrel.urls.normal import normalise
from whimbrel.urls.normal import origin as origin_of

if TYPE_CHECKING:
    from whimbrel.flows.visit.seeking import Seeker
    from whimbrel.flows.visit.sessions import Lost
    from whimbrel.judges.panel import Looked

REDIRECTS = frozenset({300, 301, 302, 303, 307, 308})
MOST_HOPS = 10
SESSION = "session"
MOST_RENEWALS = 3
"""Logins for one URL: one whose visit ends the session each time is an act, like a link that logs out."""
LONGEST_NOTE = 500
BUSY = frozenset({429, 503})
_NO_TLS = frozenset({FailureKind.CONNECT, FailureKind.TIMEOUT, FailureKind.TLS})
_DOCUMENT = frozenset({200, 203})
USER_INFO = re.compile(r"//[^/?#]*@")
_READABLE = ("text/html", "application/xhtml+xml", "text/plain", "text/xml", "application/xml")


async def visit(task: Task, tools: Tools) -> Visit:
    done = await _once(task, tools)
    for _ in range(MOST_RENEWALS):
        if isinstance(done, Visit):
            return done
        done = await _once(task, tools)
    return done if isinstance(done, Visit) else _session_over(task, tools.now(), replace(done, by_this=True))


async def _once(task: Task, tools: Tools) -> "Visit | Lost":
    """What became of it; a session that a login renewed means that it is asked once more."""
    login = await tools.sessions.enter(task.url) if tools.sessions is not None else 0
    if not isinstance(login, int):
        return _session_over(task, tools.now(), login)
    held = tools.gazing.held(task) if tools.gazing is not None else None
    answer = held or await tools.fetcher.fetch(task.url, task.validators, any_type=task.asset)
    at = tools.now()
    match answer:
        case Verdict():
            return _end(task, at, Outcome.REFUSED, answer.rule, answer.reason)
        case Failure():
            return _failed(task, tools, at, answer)
        case Response():
            sessions = tools.sessions if answer.private else None
            if sessions is not None and (lost := await sessions.lost(task, answer, at, login)) is not None:
                return _session_over(task, at, lost) if not lost.renewed or lost.by_this else lost
            seen = await tools.gazing.look(task, answer, tools) if tools.gazing is not None else ()
            tools.at_work_on(task.key)
            done = _bare(task, answer, tools, at, seen) if tools.bare else receive(task, answer, tools, at, seen)
            tools.at_work_on(0)
            if sessions is not None and (lost := await sessions.lost_in_words(task, answer, done, login)) is not None:
                return _session_over(task, at, lost) if not lost.renewed else lost
            return done


def _session_over(task: Task, at: float, lost: "Lost") -> Visit:
    """Nothing of the answer is kept. What ended the session is not asked again; all else stays due."""
    if lost.by_this:
        return _end(task, at, Outcome.REFUSED, acts.RULE, f"visiting it ended the session: {lost.reason}")
    rule = LOGIN if lost.refused else SESSION
    return Visit(task.key, task.url, task.depth, Outcome.DISCOVERED, rule, lost.reason, 0, at, 0, retry_in_seconds=inf)


def _bare(task: Task, response: Response, tools: Tools, at: float, seen: Sequence[PictureSeen] = ()) -> Visit:
    """A visit of which home works out what it can. Without a judge of pages the answer is not even read here; what
    credentials were sent for is known to this migrant alone."""
    if response.status == 304 or response.status in BUSY or response.status >= 500:
        return replace(receive(task, response, tools, at), head=b"")
    if tools.seeker is None and tools.sieve is None and tools.enters is None and not response.private:
        return bare.stripped(task, response, at)
    whole = receive(task, response, tools, at, seen)
    if tools.enters is not None:
        from whimbrel.flows.visit.entering import entered, may_enter  # brings the model of main text

        if may_enter(task, whole, response):
            whole, entry = entered(whole, response)
            tools.enters(entry)
    return bare.undressed(whole, task, response)


def receive(task: Task, response: Response, tools: Tools, at: float, seen: Sequence[PictureSeen] = ()) -> Visit:
    """What a complete answer means. `seen` are the pictures of the page that were looked at."""
    status = response.status
    if status in _DOCUMENT:
        return _document(task, response, tools, at, seen)
    if status in REDIRECTS and (location := response.headers.get("location", "")):
        return _redirected(task, response, location, tools, at)
    if status == 304 and (task.validators.etag or task.validators.last_modified):
        size = len(response.head)
        return Visit(task.key, task.url, task.depth, Outcome.UNCHANGED, "", "", status, at, size, head=response.head)
    reason = f"the server answered {status}"
    if status in BUSY or status >= 500:
        wait = tools.busy(task.url, retry_after(response.headers, at)) if status in BUSY else None
        return _again_or_unreachable(task, tools, at, f"http_{status}", reason, status, wait)
    return _end(task, at, Outcome.FAILED, f"http_{status}", reason, response=response)


def _failed(task: Task, tools: Tools, at: float, failure: Failure) -> Visit:
    if failure.kind in TRANSIENT:
        wait = failure.retry_after_seconds
        visit = _again_or_unreachable(task, tools, at, failure.kind, failure.detail, 0, wait)
    else:
        visit = _end(task, at, Outcome.FAILED, failure.kind, failure.detail)
    if visit.retry_in_seconds is None and origin_of(task.url) in tools.assumed:
        return replace(visit, links=without_tls(task, failure.kind, failure.answered))
    return visit


def without_tls(task: Task, kind: str | None, answered: bool) -> list[Link]:
    """The seed's page by plain http, where nobody speaks https: a link of distance 0, as of a redirect. Whoever does
    speak it and cannot be trusted is not asked without."""
    if kind not in _NO_TLS or answered or task.depth or task.asset:
        return []
    url = normalise(f"http{task.url.removeprefix('https')}")
    return [] if isinstance(url, Verdict) else [Link(key_of(url), url, 0, 0, False, "", "")]


def _again_or_unreachable(
    task: Task, tools: Tools, at: float, rule: str, reason: str, status: int, wait: float | None
) -> Visit:
    again = None
    if task.attempt < tools.retries:
        again = tools.retry_seconds(task.url, task.attempt) if wait is None else wait
    return Visit(
        task.key, task.url, task.depth, Outcome.UNREACHABLE, rule, reason, status, at, 0, retry_in_seconds=again
    )


def _end(task: Task, at: float, outcome: Outcome, rule: str, reason: str, *, response: Response | None = None) -> Visit:
    if response is None:
        return Visit(task.key, task.url, task.depth, outcome, rule, reason, 0, at, 0)
    return Visit(
        task.key, task.url, task.depth, outcome, rule, reason, response.status, at, received(response),
        archived=archived(task, response, exact.digest(response.raw), at),
    )  # fmt: skip


def _redirected(task: Task, response: Response, location: str, tools: Tools, at: float) -> Visit:
    target = tools.resolver.resolve(location, task.url)
    if target is None:
        shown = USER_INFO.sub("//", location)[:200]
        reason = f"redirects to {shown!r}, which is not a URL that can be fetched"
        return _end(task, at, Outcome.FAILED, "redirect", reason, response=response)
    return _forward(task, response, target, tools, at)


def _forward(task: Task, response: Response, target: tuple[Url, int], tools: Tools, at: float) -> Visit:
    url, key = target if tools.rewrite is None else respelled(target[0], tools.rewrite)
    if key == task.key:
        return _end(task, at, Outcome.FAILED, "redirect", "redirects to itself", response=response)
    if task.hops >= MOST_HOPS:
        reason = f"more than {MOST_HOPS} redirects in a row"
        return _end(task, at, Outcome.FAILED, "redirect", reason, response=response)
    verdict = tools.judge(url)
    # A seed that has moved takes its scope along: the user asked for the site, not for its old address.
    moved = task.depth == 0 and verdict.rule == "scope"
    rule, reason = ("", "") if moved else (verdict.rule, verdict.reason)
    link = Link(key, url, 0, task.hops + 1, task.asset, rule, reason, task.sitemap)
    return Visit(
        task.key, task.url, task.depth, Outcome.REDIRECTED, "", f"to {url}", response.status, at, received(response),
        archived=archived(task, response, exact.digest(response.raw), at), links=[link],
    )  # fmt: skip


def _document(task: Task, response: Response, tools: Tools, at: float, seen: Sequence[PictureSeen]) -> Visit:
    mime = media_type(response)
    if task.sitemap:
        return _sitemap(task, response, mime, tools, at)
    if task.asset:
        return _asset(task, response, mime, tools, at)
    if tools.pictures and not mime.startswith(_READABLE):
        return _picture(task, response, mime, tools, at)
    if not mime.startswith(_READABLE):
        if tools.seeker is not None:
            return _paper(task, response, mime, tools, tools.seeker, at)
        kept = recorded(task, response, mime, None, [], b"", at)
        passed = _passed(task, response, mime, None, [], tools)
        return kept if passed.accepted else _unwanted(kept, passed)
    content_type, tree = response.headers.get("content-type", mime), None
    if tools.seeker is not None:
        page, tree = tools.seeker.read(response.body, content_type, tools.assets, tools.sieve is not None)
    else:
        page = html.read(response.body, content_type, assets=tools.assets)
    base = base_of(page, task, tools)
    if page.refresh and (target := tools.resolver.resolve(page.refresh, base)) and target[1] != task.key:
        return _forward(task, response, target, tools, at)
    said = html.header_directives(response.headers.get("x-robots-tag", ""), tools.agent)
    directives, shunning = wishes(page.directives, said, host_of(task.url) in tools.unheeded)
    targets = targets_of(page, base, tools)
    reading, links = links_of(page, targets, base, task, tools, shunning, directives.isdisjoint(NOT_KEPT))
    shown = None
    if tools.pictures:
        shown = shown_pictures(response.body, content_type, base, task, tools)
        links += shown.links
    if response.private:
        links = without_acts(links, response.body)
    for directive in NOT_KEPT:
        if directive in directives:
            reason = f"the page asks for {directive}"
            return Visit(
                task.key, task.url, task.depth, Outcome.REFUSED, directive, reason, response.status, at,
                received(response), links=links, shut="nofollow" in directives,
            )  # fmt: skip
    passed = _passed(task, response, mime, page, reading.urls, tools)
    if shown is not None and not shown.verdict.accepted:
        passed = shown.verdict
    looked = None
    if tools.seeker is not None:
        shut = [link.key for link in links if link.rule]
        leads = dict(zip((anchor.href for anchor in page.anchors), targets, strict=True))
        looked = tools.seeker.look(task, page, tree, leads.get, shut, seen)
        links = tools.seeker.scored(links, looked)
    if (refused := _not_sought(task, response, links, looked, passed, tools, at)) is not None:
        return refused
    if tree is not None:
        page, reading = _read_on(page, tree, reading)
    return _served(recorded(task, response, mime, page, links, pack(reading), at), looked)


def _read_on(page: Page, tree: GroundPlan, reading: Reading) -> tuple[Page, Reading]:
    """Of a page that is kept, all that is kept of it."""
    whole = tree.read_on(page)
    return whole, replace(
        reading, text=whole.text, headings=whole.headings, marks=whole.marks, written_at=whole.written_at
    )


def _paper(task: Task, response: Response, mime: str, tools: Tools, seeker: "Seeker", at: float) -> Visit:
    """A document that is no web page, where only some pages are wanted."""
    looked = seeker.look_at_paper(task, response.body, mime)
    if isinstance(looked, Verdict):
        return _end(task, at, Outcome.REFUSED, looked.rule, looked.reason)
    passed = _passed(task, response, mime, None, [], tools)
    if (refused := _not_sought(task, response, [], looked, passed, tools, at)) is not None:
        return refused
    return _served(recorded(task, response, mime, None, [], b"", at), looked)


def _not_sought(
    task: Task, response: Response, links: list[Link], looked: "Looked | None", passed: Verdict, tools: Tools, at: float
) -> Visit | None:  # fmt: skip
    """A page that is not kept, of which nothing is worked out but its links; None where it is kept. What the judges
    alone refuse waits on the shelf as it was received."""
    against = passed if looked is None or not passed.accepted else looked.verdict
    if against.accepted:
        return None
    visit = Visit(
        task.key, task.url, task.depth, Outcome.REFUSED, against.rule, against.reason, response.status, at,
        received(response), links=links,
    )  # fmt: skip
    if looked is not None and passed.accepted and tools.seeker is not None:
        tools.seeker.shelve(looked, bare.shelvable(visit, task, response))
    return visit


def _served(visit: Visit, looked: "Looked | None") -> Visit:
    """What a page was kept for is its reason."""
    if looked is None:
        return visit
    return replace(visit, requests=looked.numbers, reason=visit.reason or looked.verdict.reason)


def _passed(task: Task, response: Response, mime: str, page: Page | None, links: list[Url], tools: Tools) -> Verdict:
    """What the user's filter of pages says, where there is one."""
    if tools.sieve is None:
        return ACCEPTED
    return tools.sieve.judge(facts_of(task, response, mime, page, links, tools.sieve.asks))


def _unwanted(visit: Visit, verdict: Verdict) -> Visit:
    return Visit(
        visit.key, visit.url, visit.depth, Outcome.REFUSED, verdict.rule, verdict.reason, visit.status, visit.at,
        visit.received_bytes, links=visit.links,
    )  # fmt: skip


def from_shelf(task: Task, tools: Tools) -> Visit | None:
    """A page that an earlier request left on the shelf, without asking anybody; None where it has to be fetched.

    Home may never have heard of its links, or may need them again: all of them are told.
    """
    # What lies there may never have been shown to the filter of pages.
    if tools.seeker is None or tools.sieve is not None or task.asset or task.sitemap:
        return None
    shelved = tools.seeker.shelved(task, tools.now())
    if shelved is None:
        return None
    looked, waiting = shelved
    visit = _whole(waiting, tools)
    if visit.document is None:
        return None
    told = {link.key: link for link in visit.links}
    places = _followed(visit.document)
    links = [told.get(key) or judged(url, key, 1, False, tools) for key, url in places.items()]
    # Received when it was fetched, and counted then.
    visit = replace(visit, links=links, received_bytes=0)
    return _served(visit, looked) if looked.verdict.accepted else _unwanted(visit, looked.verdict)


def recovered(tools: Tools) -> list[Visit]:
    """Pages from the shelf that are wanted after all, now that a judge knows the site better."""
    if tools.seeker is None:
        return []
    found = [(_whole(visit, tools), looked) for looked, visit in tools.seeker.recovered()]
    return [_served(visit, looked) for visit, looked in found if visit.document is not None]


def _whole(visit: Visit, tools: Tools) -> Visit:
    """A visit of the shelf as it would have gone home, had its page been wanted then. What was told with it stands."""
    alone = replace(
        tools, seeker=None, sieve=None, gazing=None, named_feeds=FeedsNamed(), cache=UrlCache(1), aside=UrlCache(1),
        shunned=UrlCache(1),
    )  # fmt: skip
    whole = bare.dressed(visit, lambda task, response, at: receive(task, response, alone, at))
    return replace(whole, links=visit.links)


def _followed(document: Document) -> dict[int, Url]:
    """Where the links of a page lead; of what is no web page nothing was read that leads anywhere."""
    if not document.reading:
        return {}
    reading = unpack(document.reading)
    return {key_of(url): url for url, followed in zip(reading.urls, reading.followed, strict=True) if followed}


def _sitemap(task: Task, response: Response, mime: str, tools: Tools, at: float) -> Visit:
    found = listing.read(response.body, task, tools.judge, tools.rewrite, tools.cache, at)
    if isinstance(found, Verdict):
        return Visit(
            task.key, task.url, task.depth, Outcome.FAILED, found.rule, found.reason, response.status, at,
            received(response),
        )  # fmt: skip
    links, listed, notes = found
    kept = recorded(task, response, mime, None, links, b"", at)
    return replace(kept, listed=listed, reason="; ".join(notes)[:LONGEST_NOTE])


def _asset(task: Task, response: Response, mime: str, tools: Tools, at: float) -> Visit:
    links: list[Link] = []
    if tools.pictures:
        return _picture(task, response, mime, tools, at)
    if mime == "text/css":
        links = asset_links(css.urls(response.body.decode("utf-8", "replace")), task.url, task, tools)
    return recorded(task, response, mime, None, links, b"", at)


def _picture(task: Task, response: Response, mime: str, tools: Tools, at: float) -> Visit:
    kept, passed = recorded(task, response, mime, None, [], b"", at), judged_picture(response.body, mime)
    if passed.accepted and tools.gazing is not None:
        passed = tools.gazing.of_picture(task, response.body)
        kept = replace(kept, reason=passed.reason)
    return kept if passed.accepted else _unwanted(kept, passed)
