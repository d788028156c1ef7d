"""To keep the page that one is on: a bookmarklet leads here, and here one says yes.

Nothing is begun before somebody says so on a page of ours: any site can lead a browser to our address. Cookies are not
sent along from there (RFC 6265bis §5.3.7, SameSite=Strict), so whoever comes from elsewhere is first led on by a page
of ours, which knows nobody and shows nothing but where it leads.
"""

from html import escape
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from whimbrel.records.verdict import Verdict
from whimbrel.urls.normal import authority, normalise
from whimbrel.web import library
from whimbrel.web.desk import Desk
from whimbrel.web.presentation import clock, link, page

PATH = "/keep"
FROM = "/keep/from"
_LONGEST = 4_000
_SCRIPT = (
    "javascript:location.href='{0}?url='+encodeURIComponent(location.href)+'&title='+encodeURIComponent(document.title)"
)


def bookmarklet(request: Request) -> str:
    address = f"{request.url.scheme}://{request.url.netloc}{FROM}"
    return _SCRIPT.format(quote(address, safe=":/[]"))


def arrive(request: Request) -> Response:
    """Needs no key: it only leads on."""
    given = {name: request.query_params.get(name, "")[:_LONGEST] for name in ("url", "title")}
    onward = escape(link(PATH, **given))
    return HTMLResponse(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Keep this page</title>'
        f'<meta http-equiv="refresh" content="0;url={onward}"><main><h1>Keep this page</h1>'
        f'<p><a href="{onward}">Go on</a></p></main></html>\n'
    )


def ask(request: Request) -> Response:
    """What would be fetched, and whether it is kept already."""
    desk: Desk = request.app.state.desk
    given = request.query_params.get("url", "")[:_LONGEST]
    url = normalise(given)
    if isinstance(url, Verdict) or not url.startswith(("http://", "https://")):
        words = (
            "Only pages with an http or https address can be kept, not a file, an empty tab or a browser's own page."
        )
        return page(request, "problem.html", 400, title="This is no page of the web", words=words, q="")
    kept = ""
    with library.opened(desk.location) as reader:
        detail = library.detail_of(reader, url) if reader is not None else None
        if detail is not None and detail.versions:
            kept = clock(detail.versions[-1].at)
    return page(
        request, "keep.html", here="crawl", q="", url=url, title=request.query_params.get("title", "")[:300],
        site=authority(url), kept=kept, problem=desk.crawls.barred(url),
    )  # fmt: skip
