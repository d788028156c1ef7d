"""A Garden by the Shore: the small site that `whimbrel try` crawls, untidy in the ways that sites are.

Thirty pages lie in `site/`. Beside them one page exists twice, one has moved, one is missing, one corner is closed
to robots, and the calendar goes on and on without ever saying anything new.
"""

from importlib import resources
from importlib.resources.abc import Traversable

from whimbrel.testing.reply import Page, Reply, Request, redirect

START = "/"
PAGES = 30
KEPT_PAGE = "/birds/whimbrel.html"
COPY = "/print/whimbrel.html"
MOVED = "/birds/numenius-phaeopus.html"
MISSING = "/birds/dodo.html"
CLOSED = "/nests/where.html"
CALENDAR = "/calendar?month="
MONTHS = 5_000
"""More than anybody would follow; a page a month for four centuries."""

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml",
}
_FILLED_IN = ("/robots.txt", "/sitemap.xml")
_MONTH = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Month {month} · Calendar</title><link rel="stylesheet" href="/style.css"></head>
<body>
  <h1>Month {month}</h1>
  <p>Nothing is entered for this month yet.</p>
  <p><a href="/calendar?month={next}">Next month</a> <a href="/">Start</a></p>
</body>
</html>
"""


def garden() -> dict[str, Page]:
    """The site by path, for a `TinyWeb`."""
    pages: dict[str, Page] = {}
    _collect(resources.files(__name__) / "site", "/", pages)
    pages[COPY] = pages[KEPT_PAGE]
    pages[MOVED] = redirect(KEPT_PAGE, 301)
    pages.update((f"{CALENDAR}{month}", _month) for month in range(1, MONTHS + 1))
    return pages


def _collect(folder: Traversable, path: str, pages: dict[str, Page]) -> None:
    for entry in folder.iterdir():
        if entry.is_dir():
            _collect(entry, f"{path}{entry.name}/", pages)
        else:
            here = path if entry.name == "index.html" else path + entry.name
            pages[here] = _page(here, entry)


def _page(path: str, file: Traversable) -> Page:
    body = file.read_bytes()
    kind = _TYPES[file.name[file.name.rindex(".") :]]
    if path in _FILLED_IN:
        return _with_origin(body, kind)
    # As on most servers, text travels compressed and pictures as they are.
    return Reply(body, content_type=kind, codings=("gzip",) if kind.startswith("text/") else ())


def _with_origin(body: bytes, kind: str) -> Page:
    """The port is known only once the server runs, and a sitemap has to name whole addresses."""

    def answer(request: Request) -> Reply:
        origin = f"http://{request.headers['host']}"
        return Reply(body.replace(b"{origin}", origin.encode("latin-1")), content_type=kind)

    return answer


def _month(request: Request) -> Reply:
    month = int(request.path.removeprefix(CALENDAR))
    return Reply(_MONTH.format(month=month, next=month % MONTHS + 1).encode())
