"""The kept copy of a page as a document that can do nothing: takes its bytes, gives HTML for the reader's frame."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from msgspec import Struct
from turbohtml import Document

from whimbrel.parse.assets import assets_of
from whimbrel.parse.document import tree_of
from whimbrel.records.url import Url
from whimbrel.urls.normal import normalise
from whimbrel.web.markup import root, sheets, shown

MOST_LINKS = 5_000
MOST_CHARACTERS = 8_000_000
"""A browser drawn to its knees reads nothing either; the rest can be saved."""

_SCRIPTS = [Path(__file__).parent / "static" / name for name in ("watch.js", "frame.js")]
_CUT = '<p class="whimbrel-left-out">[This page is too long to be shown whole. Save it to have all of it.]</p></body>'
_STYLE = (
    "[data-whimbrel=outside]::after{content:'\\2197';font-size:.75em;opacity:.6;margin-left:.1em}"
    ".whimbrel-left-out{opacity:.6;font-style:italic}::highlight(found){background:#ffd54d;color:#111}"
    "::highlight(here){background:#ff8a1f;color:#111}"
)


class CopyTarget(Struct, frozen=True):
    url: Url
    kept: bool
    fragment: str = ""


class Frame(Struct, frozen=True):
    """What our script in the frame is told: the token both sides show, and to whom it may speak."""

    nonce: str
    token: str
    origin: str


class CopyAddresses:
    """The addresses of one page, each looked up once."""

    def __init__(
        self, page: Url, base: str, is_kept: Callable[[Url], bool], place: Callable[[Url], str | None]
    ) -> None:
        self._page = page
        self._base = base
        self._is_kept = is_kept
        self._place = place
        self._known: dict[str, CopyTarget | None] = {}
        self._files: dict[str, str | None] = {}

    def link(self, href: str) -> CopyTarget | None:
        if href not in self._known:
            if len(self._known) >= MOST_LINKS:
                return None
            self._known[href] = self._target(href)
        return self._known[href]

    def _target(self, href: str) -> CopyTarget | None:
        url = normalise(href, self._base)
        if not isinstance(url, str):
            return None
        fragment = href.partition("#")[2]
        if url == self._page and (fragment or href.strip() == "#"):
            return CopyTarget(url, True, fragment or "top")
        return CopyTarget(url, self._is_kept(url))

    def file(self, href: str) -> str | None:
        if href not in self._files:
            url = normalise(href, self._base) if href.strip() else None
            self._files[href] = self._place(url) if isinstance(url, str) else None
        return self._files[href]


def base_of(document: Document, page: Url) -> str:
    element = document.find("base")
    href = element.attr("href") if element is not None else None
    base = normalise(href, page) if href else None
    return base if isinstance(base, str) else page


def read(body: bytes, content_type: str) -> Document:
    return tree_of(body, content_type)[0]


def wanted_files(document: Document, page: Url) -> list[Url]:
    """The files the page is shown with, each once."""
    base = base_of(document, page)
    found = (normalise(href, base) for href in assets_of(document))
    return list(dict.fromkeys(url for url in found if isinstance(url, str)))


def framed(document: Document, page: Url, frame: Frame, is_kept: Callable[[Url], bool],
           place: Callable[[Url], str | None]) -> str:  # fmt: skip
    """The whole document. The frame's token stands in the script's text, where no style sheet can look for it."""
    places = CopyAddresses(page, base_of(document, page), is_kept, place)
    parts = [
        f'<!doctype html>\n{root(document, places)}<head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<script nonce="{frame.nonce}">{_script()}("{frame.token}","{frame.origin}");</script>',
        *sheets(document, places),
        f"<style>{_STYLE}</style></head>",
    ]
    size = 0
    for part in shown(document, places):
        parts.append(part)
        size += len(part)
        if size > MOST_CHARACTERS:
            parts.append(_CUT)
            break
    return "".join([*parts, "</html>"])


@cache
def _script() -> str:
    return "\n".join(script.read_text("utf-8").strip() for script in _SCRIPTS).rstrip(";")
