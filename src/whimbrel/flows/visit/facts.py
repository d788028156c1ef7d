"""What a page filter is told of a page: what it asks for, worked out where it asks."""

import re
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from whimbrel.parse.document import tree_of
from whimbrel.parse.embedded import data_in, types_in
from whimbrel.parse.language import language_of
from whimbrel.parse.pictures import pictures_of
from whimbrel.records.page import Page
from whimbrel.records.picturing import LEAST_PIXELS
from whimbrel.records.response import Response
from whimbrel.records.sifting import FIELDS, Fact, Facts
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.urls.normal import host

MOST_CHARACTERS = 2_000_000
MOST_LINKS = 10_000
_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]{1,2}|[^\W_]+"
)
"""Where a script puts no spaces between words, two letters count as one."""


def facts_of(
    task: Task, response: Response, mime: str, page: Page | None, links: Sequence[Url], asks: Callable[[str], bool]
) -> Facts:
    """Of a document that is not read here (`page` is None) only what its answer says; the rest is empty."""
    parts = urlsplit(task.url)
    text = page.text[:MOST_CHARACTERS] if page is not None else ""
    told: dict[str, Callable[[], Fact]] = {
        "url": lambda: task.url,
        "host": lambda: host(task.url),
        "path": lambda: parts.path,
        "query": lambda: parts.query,
        "depth": lambda: task.depth,
        "status": lambda: response.status,
        "type": lambda: mime,
        "bytes": lambda: len(response.body),
        "title": lambda: page.title if page is not None else "",
        "text": lambda: text,
        "language": lambda: language_of(text, page.language) if page is not None else "",
        "words": lambda: sum(1 for _ in _WORD.finditer(text)),
        "headings": lambda: page.headings.splitlines() if page is not None else [],
        "links": lambda: [str(url) for url in links[:MOST_LINKS]],
        "pictures": lambda: _pictures(response.body, mime) if page is not None else 0,
        "data": lambda: types_in(data_in(response.body, mime, task.url)) if page is not None else [],
    }
    facts: Facts = {name: told[name]() for name in FIELDS if name in told and asks(name)}
    if page is not None and page.written_at and asks("date"):
        facts["date"] = page.written_at
    return facts


def _pictures(body: bytes, mime: str) -> int:
    """How many different ones the page shows, without those that it draws small."""
    shown = pictures_of(tree_of(body, mime)[0])
    return len({one.addresses[0] for one in shown if not one.drawn_under(LEAST_PIXELS)})
