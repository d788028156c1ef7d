"""More like these, from the web: the words of a search become a topic and its best answers the pages that show it.

One page says beforehand which sites will be asked and how much is kept at most; nothing is asked before somebody says
so.
"""

from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from whimbrel.search.contract import Hit
from whimbrel.urls.normal import authority, origin
from whimbrel.web.desk import LONGEST_QUERY, Desk
from whimbrel.web.forms import fields
from whimbrel.web.presentation import page
from whimbrel.web.wanted import LONGEST_TOPIC, MOST_EXAMPLES, wish_of

PATH = "/crawl/like"
SHOWN_ANSWERS = 5
PAGES_AT_MOST = "100"
SCOPES = {"host": "these hosts alone", "domain": "their whole domains"}


class ShownExample(Struct, frozen=True):
    """An answer that may show the topic. `barred` says why its site may not be asked from here, "" where it may."""

    hit: Hit
    site: str
    barred: str


def ask(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    text = " ".join(request.query_params.get("q", "")[:LONGEST_QUERY].split())
    answer = desk.answer(text, 1, desk.door.results, snippets=False, facets=False) if text else None
    topic = " ".join(answer.query.said)[:LONGEST_TOPIC] if answer is not None else ""
    examples = _examples(desk, answer.hits) if answer is not None else []
    given = {f"example{place}": each.hit.url for place, each in enumerate(examples) if not each.barred}
    return _page(request, text, examples, {"topic": topic, "limit": PAGES_AT_MOST, **given})


async def begin(request: Request) -> Response:
    return await run_in_threadpool(_begin, request, fields(await request.body()))


def _begin(request: Request, sent: dict[str, str]) -> Response:
    """What is asked for is checked as any crawl that the crawl room starts."""
    desk: Desk = request.app.state.desk
    text = " ".join(sent.get("q", "")[:LONGEST_QUERY].split())
    chosen = [url for place in range(MOST_EXAMPLES) if (url := sent.get(f"example{place}", "").strip())]
    problem = _problem(desk, sent, chosen)
    if not problem:
        return RedirectResponse("/crawl", 303)
    hits = desk.answer(text, 1, desk.door.results, snippets=False, facets=False).hits if text else ()
    return _page(request, text, _examples(desk, hits), sent, problem)


def _problem(desk: Desk, sent: dict[str, str], chosen: list[str]) -> str:
    """Begins; or what stands in the way."""
    if not sent.get("topic", "").strip():
        return "Say in a few words what the pages are to be about."
    if not chosen:
        return "Choose at least one page that shows it: its site is where the crawl begins."
    first = wish_of({"url": chosen[0], "topic": sent["topic"], "examples": "\n".join(chosen)})
    if isinstance(first, str):
        return first
    sites = list(dict.fromkeys(f"{origin(url)}/" for url in first.examples))
    scope = sent.get("scope", "host") if sent.get("scope", "host") in SCOPES else "host"
    given = {"topic": first.topic, "limit": sent.get("limit", "").strip() or PAGES_AT_MOST, "scope": scope}
    wish = wish_of(
        {**given, "url": sites[0], "also": "\n".join(sites[1:]), "examples": "\n".join(chosen), "assets": "yes"}
    )
    return wish if isinstance(wish, str) else desk.crawls.start(wish)


def _examples(desk: Desk, hits: tuple[Hit, ...]) -> list[ShownExample]:
    """The best answers that are web pages: a document is no page to begin at."""
    pages = [hit for hit in hits if hit.type == "html"][:SHOWN_ANSWERS]
    barred = {hit.site: desk.crawls.barred(hit.url) for hit in pages}
    return [ShownExample(hit, authority(hit.url), barred[hit.site]) for hit in pages]


def _page(
    request: Request, text: str, examples: list[ShownExample], given: dict[str, str], problem: str = ""
) -> Response:
    desk: Desk = request.app.state.desk
    return page(
        request, "more_like.html", 400 if problem else 200, here="crawl", q=text, examples=examples, given=given,
        problem=problem, scopes=SCOPES, running=desk.crawls.progress() is not None,
        sites=list(dict.fromkeys(each.site for each in examples if not each.barred)),
    )  # fmt: skip
