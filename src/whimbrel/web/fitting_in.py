"""What other programs ask a server for: a browser how to search here, a monitor how it goes."""

from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from whimbrel.web.desk import Desk

OPENSEARCH = "/opensearch.xml"
HEALTH = "/healthz"
METRICS = "/metrics"
NAME_CHARACTERS = 16
"""OpenSearch 1.1, "ShortName"."""
_METRICS_TYPE = "text/plain; version=0.0.4"
Labelled = Mapping[str, float]


def opensearch(request: Request) -> Response:
    """OpenSearch 1.1: by it a browser offers to search here from its address field."""
    desk: Desk = request.app.state.desk
    name = desk.location.beside.resolve().name
    address = f"{request.url.scheme}://{request.url.netloc}"
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">'
        f"<ShortName>{escape(name[:NAME_CHARACTERS])}</ShortName>"
        f"<Description>{escape(f'Search {name}, as Whimbrel keeps it')}</Description>"
        f'<Url type="text/html" template={quoteattr(f"{address}/?q={{searchTerms}}")}/>'
        f'<Url type="application/json" template={quoteattr(f"{address}/api/search?q={{searchTerms}}")}/>'
        "<InputEncoding>UTF-8</InputEncoding></OpenSearchDescription>\n"
    )
    return Response(body, media_type="application/opensearchdescription+xml")


def health(request: Request) -> Response:
    """Whether the folder can be read; where it cannot, the answer is 503 and says why."""
    desk: Desk = request.app.state.desk
    desk.overview()
    return PlainTextResponse("ok\n")


def metrics(request: Request) -> Response:
    """Prometheus' text format 0.0.4. Pages that took credentials to read are counted nowhere, and a site of which no
    others are kept is not named: figures are sent on to where the key is not known."""
    desk: Desk = request.app.state.desk
    return Response("".join(_lines(desk)), media_type=_METRICS_TYPE)


def _lines(desk: Desk) -> Iterator[str]:
    seen = desk.overview()
    if seen is None:
        return
    overview, lanes = seen
    counts = overview.counts
    public = desk.public_counts() if overview.private else None
    states = public.states if public is not None else counts.states
    sites = {lane.host: lane for lane in lanes if public is None or public.pages_on.get(lane.host)}
    pages_on = public.pages_on if public is not None else {host: lane.kept for host, lane in sites.items()}
    yield from _metric("pages", "Pages kept", {"": sum(pages_on.values()) if public is not None else counts.pages})
    yield from _metric("urls", "Addresses known, by what became of them", _by("outcome", states))
    yield from _metric("due", "Addresses that wait to be asked for", {"": sum(one.due for one in sites.values())})
    if public is None:  # of what was received nobody knows what was private
        yield from _metric("received_bytes", "Bytes received, by what they were for", _by("kind", counts.bytes))
    yield from _metric("site_pages", "Pages kept, by site", _by("site", pages_on))
    yield from _metric("site_due", "Addresses that wait, by site", _by("site", {one: sites[one].due for one in sites}))
    if overview.last_visit_at is not None:
        yield from _metric("last_visit_timestamp_seconds", "When a page was last visited", {"": overview.last_visit_at})
    yield from _metric("crawl_running", "Whether a crawl runs", {"": float(desk.crawls.progress() is not None)})


def _by(label: str, values: Mapping[str, float]) -> Labelled:
    return {f'{{{label}="{_escaped(name)}"}}': value for name, value in sorted(values.items())}


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _metric(name: str, about: str, values: Labelled) -> Iterator[str]:
    if values:
        yield f"# HELP whimbrel_{name} {about}\n# TYPE whimbrel_{name} gauge\n"
    for labels, value in values.items():
        yield f"whimbrel_{name}{labels} {value:.15g}\n"
