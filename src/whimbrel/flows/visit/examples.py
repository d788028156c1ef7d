"""Gets the pages that somebody gives as examples of a kind or of a topic, and says which of them show none."""

from collections.abc import Sequence
from http import HTTPStatus

from msgspec import Struct

from whimbrel.fetch.http import Fetcher
from whimbrel.flows.visit.crawl import REDIRECTS
from whimbrel.flows.visit.permission import ask, permission
from whimbrel.parse import html, places
from whimbrel.parse.outline import upper
from whimbrel.records.request import Alike
from whimbrel.records.response import Response
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict, refused
from whimbrel.structure.example import MOST_ELEMENTS, ExamplePage, judge_example
from whimbrel.structure.shape import DEEPEST, Shape, Shaper
from whimbrel.urls.normal import normalise
from whimbrel.urls.normal import origin as origin_of

MOST_HOPS = 5


async def fetch_examples(urls: Sequence[Url], fetcher: Fetcher, agent: str, now: float) -> Alike | Verdict:
    """One request each, after robots.txt, one after the other; a verdict where one of them cannot serve."""
    shaper = Shaper()
    outlines = []
    for url in urls:
        answer = await _get(url, fetcher, agent, now)
        if isinstance(answer, Verdict):
            return answer
        content_type = answer.headers.get("content-type", "text/html")
        steps = upper(answer.body, content_type, DEEPEST)[:MOST_ELEMENTS]
        shown = ExamplePage(url, answer.status, steps, len(html.read(answer.body, content_type).text))
        shape = judge_example(shown, shaper)
        if not isinstance(shape, Shape):
            return shape
        outlines.append(steps)
    return Alike(0, list(urls), outlines)


class ShownPage(Struct, frozen=True):
    """A page that shows a topic, as it was fetched; `meta` is what it says of itself in its head."""

    url: Url
    title: str
    text: str
    meta: str


def shown_page(url: Url, body: bytes, content_type: str) -> ShownPage:
    page, plan = places.read(body, content_type, 0)
    return ShownPage(url, page.title, page.text, plan.meta)


async def fetch_shown(urls: Sequence[Url], fetcher: Fetcher, agent: str, now: float) -> list[ShownPage] | Verdict:
    """The pages that show a topic; a verdict where one of them cannot be had or says nothing."""
    shown = []
    for url in urls:
        answer = await _get(url, fetcher, agent, now)
        if isinstance(answer, Verdict):
            return answer
        if answer.status != HTTPStatus.OK:
            return refused("example", f"the example {url} cannot be had: the server answered {answer.status}.")
        page = shown_page(url, answer.body, answer.headers.get("content-type", "text/html"))
        if not page.text.strip():
            return refused("example", f"the example {url} has no text. Choose another page.")
        shown.append(page)
    return shown


async def _get(url: Url, fetcher: Fetcher, agent: str, now: float) -> Response | Verdict:
    asked = await ask(origin_of(url), fetcher, now)
    known = permission(asked.copy, agent, asked.reason)
    if known.rules is None:
        return refused("robots", f"the example {url} cannot be fetched now: {known.reason}. Try again later.")
    verdict = known.rules.judge(url)
    if not verdict.accepted:
        return refused("robots", f"the example {url} may not be fetched: {verdict.reason}. Choose another page.")
    for _ in range(MOST_HOPS):
        answer = await fetcher.fetch(url)
        if isinstance(answer, Verdict):
            return refused(answer.rule, f"the example {url} cannot be fetched: {answer.reason}.")
        if not isinstance(answer, Response):
            return refused("unreachable", f"the example {url} cannot be fetched: {answer.detail}.")
        if answer.status not in REDIRECTS or "location" not in answer.headers:
            return answer
        target = normalise(answer.headers["location"], url)
        if isinstance(target, Verdict):
            return refused("redirect", f"the example {url} redirects to what is no page.")
        url = target
    return refused("redirect", f"the example {url} redirects too often. Give the URL that it ends at.")
