"""What the followers of twins read of a repository: pages as they stand now, their main text and all that is seen."""

from collections import OrderedDict

from whimbrel.flows.copies import copy_of
from whimbrel.flows.packing import unpack
from whimbrel.parse.reading import main_text
from whimbrel.repository.engines import open_reader
from whimbrel.repository.location import Where
from whimbrel.repository.views import Grouped

TEXTS_AT_HAND = 64
_MARKUP = ("text/html", "application/xhtml+xml", "text/plain")


class TwinPages:
    """Reads a folder while others write it; keeps a few texts at hand, since the same ones are compared again."""

    def __init__(self, where: Where) -> None:
        self.reader = open_reader(where)
        self._texts: OrderedDict[tuple[int, int], str] = OrderedDict()

    def close(self) -> None:
        self.reader.close()

    def one(self, key: int) -> Grouped | None:
        return self.reader.grouped([key]).get(key)

    def knows_site(self, site: str) -> bool:
        host = site.partition(":")[0] if not site.startswith("[") else site.rpartition("]")[0] + "]"
        return self.reader.knows_host(host)

    def text(self, page: Grouped) -> str:
        """The main text of the newest version; "" where the kept copy cannot be read."""
        key = (page.key, page.version)
        if key in self._texts:
            self._texts.move_to_end(key)
            return self._texts[key]
        text = self._texts[key] = self._read(page)
        if len(self._texts) > TEXTS_AT_HAND:
            self._texts.popitem(last=False)
        return text

    def whole(self, page: Grouped) -> str:
        """All that is seen of the newest version; "" where that was not kept."""
        return self._reading(page.version)

    def _read(self, page: Grouped) -> str:
        if page.mime not in _MARKUP:
            return self._reading(page.version)
        copy = copy_of(self.reader, page.version)
        return "" if copy is None else main_text(copy.body, copy.content_type, quick=True)

    def _reading(self, version: int) -> str:
        packed = self.reader.readings([version]).get(version)
        return "" if packed is None else unpack(packed).text
