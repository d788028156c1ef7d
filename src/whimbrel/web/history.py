"""What happened to pages lately, as the start page and the crawl room show it."""

from itertools import islice

from msgspec import Struct

from whimbrel.flows.telling.feed import difference_path
from whimbrel.flows.telling.folding import FoldedChange
from whimbrel.flows.telling.news import NewsFilter, chosen, pending
from whimbrel.flows.telling.saying import OF_SITES, excerpts, name_of, summary
from whimbrel.flows.telling.wording import WordRun
from whimbrel.records.url import Url
from whimbrel.repository.engines import open_reader
from whimbrel.repository.location import Where

DAY_SECONDS = 86_400.0
_CHARACTERS = 120


class Happening(Struct, frozen=True):
    """What happened to a page: `what` is one of `WHATS`, `more` where it went, or why.

    `words` are those of the place that changed most, `shown_at` is where to read it; `also_on` counts the pages that
    changed only because of it.
    """

    what: str
    url: Url
    title: str
    at: float
    more: str
    shown_at: str
    words: tuple[WordRun, ...]
    also_on: int


def lately(where: Where, since: float, most: int) -> list[Happening]:
    """The latest first, each page once."""
    latest: dict[str, Happening] = {}
    with open_reader(where) as news:
        waiting = islice(pending(news, NewsFilter(since)), most // 3)
        for item in waiting:
            latest[item.told.url] = happening(item)
        for item in chosen(news, NewsFilter(since)):
            if len(latest) >= most:
                break
            if not item.because_of and item.told.url not in latest:
                latest[item.told.url] = happening(item)
    return sorted(latest.values(), key=lambda one: -one.at)


def happening(item: FoldedChange) -> Happening:
    """With the words of the place that changed most."""
    told = item.told
    words = next((words for _, words in excerpts(told, 1, _CHARACTERS)), ())
    more = summary(told) if told.what in OF_SITES else told.target or told.reason
    return Happening(told.what, told.url, name_of(told), told.at, more, difference_path(told), words, len(item.also_on))
