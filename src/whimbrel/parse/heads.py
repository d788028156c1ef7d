"""What a `<meta>` or a `<link>` may say, told by its names alone.

A page has a dozen of them, nearly all say nothing that is asked here, and the pages of a site repeat them: each
combination of names is judged once, and only those elements are read that may say something.
"""

from typing import TypeAlias, TypeVar

from msgspec import Struct
from turbohtml import Element

from whimbrel.parse.dates import names_date
from whimbrel.parse.directives import names_us

_FEEDS = ("application/rss+xml", "application/atom+xml")
MOST_REMEMBERED = 4096
LONGEST_REMEMBERED = 400
"""Characters of all names of an element: longer ones are no names, and would let a page fill our memory."""


class MetaSays(Struct, frozen=True):
    """What a `<meta>` is about, if anything."""

    directives: bool
    refresh: bool
    date: bool


class LinkSays(Struct, frozen=True):
    """What a `<link>` names, if anything."""

    canonical: bool
    feed: bool


Names: TypeAlias = tuple[str | None, ...]
Says = TypeVar("Says", MetaSays, LinkSays)
_METAS: dict[Names, MetaSays] = {}
_LINKS: dict[Names, LinkSays] = {}


def meta_says(meta: Element) -> MetaSays:
    attr = meta.attr
    names = attr("name"), attr("property"), attr("itemprop"), attr("http-equiv")
    return _METAS.get(names) or _remembered(_METAS, names, _judged_meta(*names))


def link_says(link: Element) -> LinkSays:
    names = link.attr("rel"), link.attr("type")
    return _LINKS.get(names) or _remembered(_LINKS, names, _judged_link(*names))


def _judged_meta(name: str | None, subject: str | None, item: str | None, pragma: str | None) -> MetaSays:
    return MetaSays(names_us(name or ""), pragma is not None, names_date(subject or name or item or ""))


def _judged_link(rel: str | None, kind: str | None) -> LinkSays:
    """Feeds by autodiscovery: HTML standard §4.6.6.1, "alternate"."""
    relations = (rel or "").lower().split()
    of_feed = (kind or "").partition(";")[0].strip().lower() in _FEEDS
    return LinkSays("canonical" in relations, of_feed and ("alternate" in relations or "feed" in relations))


def _remembered(memo: dict[Names, Says], names: Names, says: Says) -> Says:
    if sum(len(name) for name in names if name) <= LONGEST_REMEMBERED:
        if len(memo) >= MOST_REMEMBERED:
            memo.clear()
        memo[names] = says
    return says
