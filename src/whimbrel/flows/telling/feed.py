"""Changes as an Atom feed (RFC 4287): only news, the newest first, each entry leading to what differs."""

from collections.abc import Iterable, Iterator
from itertools import islice
from urllib.parse import quote, urlencode
from uuid import NAMESPACE_URL, uuid5
from xml.sax.saxutils import escape, quoteattr

from msgspec import Struct

from whimbrel.flows.telling.differing_page import marked
from whimbrel.flows.telling.folding import FoldedChange
from whimbrel.flows.telling.news import NewsFilter
from whimbrel.flows.telling.saying import excerpts, measure, moment, name_of, summary
from whimbrel.records.url import Url
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Told

MOST_ENTRIES = 100
_MOST_PLACES = 10
_MOST_CHARACTERS = 1_000
# XML 1.0 §2.2: other control characters cannot be written at all, nor halves of a pair.
_UNWRITABLE = {code: None for code in range(32) if code not in (9, 10, 13)} | {0xFFFE: None, 0xFFFF: None}
_HALVES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_VERBS = {
    "new": "New", "changed": "Changed", "moved": "Moved", "gone": "Gone", "restored": "Back", "missing": "Missing",
    "away": "Away", "answers": "Answers again",
}  # fmt: skip


class Feed(Struct, frozen=True):
    """`name` is what it is about, `key` what tells it from every other feed; `reader` is where the folder is shown in a
    browser ("" where it is not), `address` where the feed itself lies, `began_at` its moment while there is nothing
    to tell."""

    name: str
    key: str
    reader: str = ""
    address: str = ""
    began_at: float = 0.0


def feed_of(news: Reader, choice: NewsFilter, reader: str, address: str = "") -> Feed:
    """The feed of these changes keeps its name wherever it lies."""
    overview = news.overview()
    name = news.location.beside.resolve().name
    wanted = (str(choice.site or ""), *sorted(choice.kinds), choice.degree or "", choice.words)
    wanted += tuple(name for name in ("unseen", "silenced") if getattr(choice, name))
    key = " ".join(("whimbrel changes", name, *overview.seeds[:1], *wanted))
    began = overview.last_visit_at or 0.0
    return Feed(str(choice.site or name), key, reader.rstrip("/"), address, began)


def entries(items: Iterable[FoldedChange], most: int = MOST_ENTRIES) -> list[FoldedChange]:
    """As many as a reader will look at; a page that changed because of another stands in the entry of that one."""
    return list(islice((item for item in items if not item.because_of), most))


def updated(items: Iterable[FoldedChange], feed: Feed) -> float:
    return max((item.told.at for item in items), default=feed.began_at)


def atom(items: list[FoldedChange], feed: Feed) -> str:
    links = [("self", feed.address), ("alternate", f"{feed.reader}/" if feed.reader else "")]
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<title>{_text(f'Changes in {feed.name}')}</title>",
        f"<id>{uuid5(NAMESPACE_URL, feed.key).urn}</id>",
        f"<updated>{moment(updated(items, feed))}</updated>",
        "<author><name>Whimbrel</name></author>",
        "<generator>Whimbrel</generator>",
        *(f'<link rel="{rel}" href={_attribute(href)}/>' for rel, href in links if href),
        *(_entry(item, feed) for item in items),
        "</feed>\n",
    ]
    return "\n".join(lines)


def _entry(item: FoldedChange, feed: Feed) -> str:
    told = item.told
    name = uuid5(NAMESPACE_URL, f"{told.url} {told.what} {told.at:.3f}").urn
    title = f"{_VERBS[told.what]}: {name_of(told) or told.url}"
    links = "".join(f"<link rel={quoteattr(rel)} href={_attribute(href)}/>" for rel, href in _links(told, feed.reader))
    kinds = "".join(f"<category term={quoteattr(term)}/>" for term in (told.what, *told.kinds.split(",")) if term)
    said = summary(told)
    return (
        f"<entry><title>{_text(title)}</title><id>{name}</id>{links}<updated>{moment(told.at)}</updated>{kinds}"
        f"<summary>{_text(said or title)}</summary>"
        f'<content type="html">{_text("".join(_content(item)))}</content></entry>'
    )


def _links(told: Told, reader: str) -> Iterator[tuple[str, str]]:
    """To the difference where somebody shows it, else to the page."""
    if not reader:
        yield "alternate", told.url
        return
    yield "alternate", reader + difference_path(told)
    yield "related", told.url


def difference_path(told: Told) -> str:
    """Where the reader shows what happened to a page."""
    shown: dict[str, object] = {"url": told.url}
    if told.what in ("changed", "restored") and told.after is not None and told.before is not None:
        shown |= {"view": "changes", "v": told.after, "from": told.before}
    return f"/read?{urlencode(shown)}"


def _content(item: FoldedChange) -> Iterator[str]:
    told = item.told
    page = escape(told.url, {'"': "&quot;"})
    yield f'<p><a href="{page}">{page}</a></p>'
    if told.what in ("changed", "restored"):
        yield f"<p>{escape(measure(told))}</p>"
        for spot, words in excerpts(told, _MOST_PLACES, _MOST_CHARACTERS):
            name = "" if spot.shows == "words" else f"{escape(spot.shows)}: "
            yield f"<p><small>{escape(spot.place)}</small><br>{name}{marked(words)}</p>"
    elif said := summary(told):
        yield f"<p>{escape(said)}</p>"
    if item.also_on:
        yield f"<p>Also on: {', '.join(map(_linked, item.also_on))}</p>"


def _linked(url: Url) -> str:
    page = escape(url, {'"': "&quot;"})
    return f'<a href="{page}">{page}</a>'


def _attribute(address: str) -> str:
    """An IRI reference (RFC 3987): what may not stand in one is escaped."""
    return quoteattr(quote(_writable(address), safe="%/:?#[]@!$&'()*+,;=~-._"))


def _text(words: str) -> str:
    return escape(_writable(words))


def _writable(words: str) -> str:
    return words.translate(_UNWRITABLE).translate(_HALVES)
