"""Documents that are no pages, as a refresh compares them: by what can be read from them, in a helper process."""

from typing import TYPE_CHECKING

from xxhash import xxh3_128_digest

# What reads pages and documents takes long to load, and a first crawl compares nothing: it is imported when asked for.
if TYPE_CHECKING:
    from whimbrel.change.version import ComparedVersion
    from whimbrel.documents import Extractor
    from whimbrel.flows.copies import DecodedCopy

_CPU_SECONDS, _WALL_SECONDS = 10, 15.0
"""For a document, while the thread that writes waits."""


class PaperVersions:
    """One helper process for all of them, which starts with the first."""

    def __init__(self) -> None:
        self._extractor: Extractor | None = None

    def takes(self, copy: "DecodedCopy") -> bool:
        from whimbrel.documents import kind_of

        return kind_of(copy.content_type, copy.address, copy.body) is not None

    def version(self, copy: "DecodedCopy") -> "ComparedVersion | None":
        """None where it cannot be read, or not to its end: what is compared has to be all of it."""
        from whimbrel.change.version import of_text
        from whimbrel.documents import DocumentLimits, Extractor, Unreadable

        if self._extractor is None:
            self._extractor = Extractor(DocumentLimits(cpu_seconds=_CPU_SECONDS, wall_seconds=_WALL_SECONDS))
        read = self._extractor.read(copy.body, copy.content_type, copy.address)
        if isinstance(read, Unreadable) or read.cut or not read.text:
            return None
        # A title that was taken from the text would be told twice.
        title = read.title if read.title not in " ".join(read.text.split()) else ""
        return of_text(read.text, xxh3_128_digest(copy.body), title)

    def close(self) -> None:
        if self._extractor is not None:
            self._extractor.close()
            self._extractor = None
