"""A site on loopback that grows, and the folder that follows it, for tests of what is told as new."""

from math import inf
from pathlib import Path
from typing import Any

from folders import crawl, refreshed
from whimbrel.flows.refresh.course import RefreshWish
from whimbrel.migrants.home.ending import RunEnd
from whimbrel.repository.embedded.news import News
from whimbrel.repository.embedded.outgoing import Outgoing
from whimbrel.repository.views import Position, Told
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

WORDS = ("wader", "shore", "tide", "estuary", "mudflat", "curlew", "feather", "coast", "marsh", "heath", "moor", "bill")


def page(name: str, *links: str, menu: tuple[str, ...] = (), head: str = "") -> Reply:
    """A page with words of its own; the menu stands above them."""
    turn = sum(map(ord, name)) % len(WORDS)
    words = " ".join([name, *WORDS[turn:], *WORDS[:turn]] * 3)
    items = "".join(f'<li><a href="{link}">to {link}</a></li>' for link in links)
    above = "".join(f'<li><a href="{link}">{link}</a></li>' for link in menu)
    nav = f"<nav><ul>{above}</ul></nav>" if menu else ""
    return Reply(
        f"<!doctype html><html lang=en><head>{head}<title>{name}</title></head><body>{nav}<main><h1>{name}</h1>"
        f"<p>{words}.</p><ul>{items}</ul></main></body></html>".encode()
    )


def sitemap(*urls: str) -> Reply:
    body = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return Reply(
        f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{body}</urlset>'.encode(),
        content_type="application/xml",
    )


class Followed:
    """A folder that follows a tiny web."""

    def __init__(self, web: TinyWeb, folder: Path) -> None:
        self.web = web
        self.folder = folder

    def crawl(self, *seeds: str, **options: Any) -> None:
        crawl(self.folder, *(seeds or [self.web.url("/")]), migrants=1, **options)

    def refresh(self, *, confirm: bool = False, **settings: object) -> RunEnd:
        return refreshed(self.folder, settings, RefreshWish(everything=True, confirm=confirm)).end

    def told(self, what: str) -> list[str]:
        """The paths that are told so; all who tell agree."""
        with News(self.folder) as reader:
            every = list(reader.since(0.0))
            lately = [told for batch in reader.batches(0.0, inf) for told in batch]
        with Outgoing(self.folder) as outgoing:
            posted = outgoing.told_between(Position(), outgoing.position(), None)
        paths = self._paths(every, what)
        if what != "first":
            assert self._paths(posted, what) == paths, "webhooks"
            assert self._paths(lately, what) == paths, "the list of changes"
        else:
            assert "first" not in {one.what for one in [*posted, *lately]}
        return paths

    def _paths(self, told: list[Told], what: str) -> list[str]:
        return sorted(one.url.removeprefix(self.web.url("")) for one in told if one.what == what)
