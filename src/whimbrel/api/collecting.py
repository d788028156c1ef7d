"""A crawl that fills a collection of fixed size. Imported only where one is asked for: ranks take NumPy."""

from functools import partial

from whimbrel.config import ConfigError, Settings
from whimbrel.flows.collecting.collection import Collecting
from whimbrel.flows.collecting.link_file import LinkFile
from whimbrel.migrants.home.collector import Collector
from whimbrel.migrants.home.manager import Manager
from whimbrel.repository.port.writer import Writer

_APART = {
    "limit": "a limit ends the crawl where a collection goes on and replaces pages",
    "like": "a collection holds the most important pages, whatever their kind",
    "only": "pictures would stay when their page leaves",
    "assets": "style sheets and images would stay when their page leaves",
}


def check_collection(settings: Settings) -> None:
    for name, why in _APART.items():
        if getattr(settings.crawl, name):
            raise ConfigError(f"crawl.collection and crawl.{name} do not go together: {why}. Leave one of them out.")


def collect(manager: Manager, store: Writer, size: int) -> None:
    """Whoever closes the folder leaves the file of links to itself: what was written is written."""
    pages = Collecting(size, LinkFile(store.location.beside))
    manager.collect(pages, partial(Collector, pages, store))
