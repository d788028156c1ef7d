"""Gets the pages that somebody gives as examples of a kind, and says which of them show none."""

from collections.abc import Sequence

from whimbrel.fetch.http import Fetcher
from whimbrel.flows.visit.crawl import REDIRECTS
from whimbrel.flows.visit.permission import ask, permission
from whimbrel.parse import html
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
