"""A folder with two versions of a page, a page that is gone and one that moved, for the verbs that tell of changes."""

from pathlib import Path

from folders import crawl, refreshed
from whimbrel.testing.reply import Reply, redirect
from whimbrel.testing.web import TinyWeb

LINES = (
    "The whimbrel winters on warm coasts and breeds in the far north.",
    "Its bill is long and bent, and it probes the mud for crabs.",
    "In spring the flocks come over the moors by night.",
)


def page(name: str, *paragraphs: str, links: tuple[str, ...] = ()) -> Reply:
    body = "".join(f"<p>{text}</p>" for text in paragraphs) + "".join(f'<a href="{link}">{link}</a>' for link in links)
    return Reply(f"<!doctype html><title>{name}</title><main><h1>{name}</h1>{body}</main>".encode())


def grow_changing(folder: Path) -> str:
    """Crawls and refreshes; returns the site's origin, which answers no more."""
    pages = {
        "/": page("Home", *LINES, links=("/bird", "/old", "/lost")),
        "/bird": page("Bird", *LINES[:2], "It calls seven times."),
        "/old": page("Old", LINES[2], "This page has an address of long ago, and will leave it."),
        "/lost": page("Lost", LINES[1], "Nobody will find this page once it has been taken away."),
    }
    with TinyWeb(pages) as web:
        crawl(folder, web.url("/"), migrants=1)
        web.pages["/bird"] = page("Bird", "A new line stands first.", *LINES[:2], "It calls eight times, or so.")
        web.pages["/old"] = redirect("/young", 301)
        web.pages["/young"] = page("Young", LINES[2], "This page has an address of today.")
        del web.pages["/lost"]
        refreshed(folder, {"refresh.gone_after_seconds": 0.0})
        return web.url("")
