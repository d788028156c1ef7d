"""A crawl ordered by similarity to a query. Imported only where that is asked for: it takes NumPy and stemmers."""

from whimbrel.config import ConfigError
from whimbrel.migrants.home.likening import Likening
from whimbrel.migrants.home.manager import Manager
from whimbrel.parse.words import split
from whimbrel.repository.port.writer import Writer


def check_query(query: str | None) -> str:
    if not query:
        raise ConfigError('crawl.order = "similarity" needs words to go by: --query WORDS, or crawl.query.')
    if not split(query):
        raise ConfigError(f"crawl.query: there is no word in {query!r} to order pages by.")
    return query


def order_by_likeness(manager: Manager, store: Writer, query: str) -> None:
    manager.order_by(Likening(store, query))
