"""What is asked of a repository besides keeping and showing, and what came of it: forgetting, thinning, upgrading."""

from msgspec import Struct

from whimbrel.records.url import Url
from whimbrel.repository.views import Site


class ForgetTarget(Struct, frozen=True):
    """What to forget: some URLs, or a whole site."""

    urls: tuple[Url, ...] = ()
    site: Site | None = None

    def covers(self, url: str) -> bool:
        return url in self.urls or (self.site is not None and self.site.covers(url))

    def patterns(self) -> list[str]:
        """As it is noted that they were forgotten: a URL, or a host with or without port."""
        return [*self.urls, *([str(self.site)] if self.site is not None else [])]


class Losses(Struct, frozen=True):
    """What goes: URLs, the kept pages among them, their versions; `heirs` are twins that step in."""

    urls: int
    pages: int
    versions: int
    heirs: int


class Erased(Struct, frozen=True):
    """What went. `records` counts WARC records, `files` the archive files written anew."""

    losses: Losses
    records: int
    files: int
    freed_bytes: int
    notes: tuple[str, ...]


class Thinned(Struct, frozen=True):
    """What went, or would go: versions of so many pages, WARC records, bytes on disk."""

    versions: int
    pages: int
    records: int = 0
    files: int = 0
    freed_bytes: int = 0
    notes: tuple[str, ...] = ()


class FormatStep(Struct, frozen=True):
    """One format number onwards; `copy` is the file that holds the state before."""

    before: int
    after: int
    copy: str
