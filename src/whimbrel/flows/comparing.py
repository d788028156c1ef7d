"""What became of a page between the kept version and the one that just came in.

A page's own history says what on it turns over by itself; its neighbours say what the site repeats on every page. The
neighbours are some kept pages of the site and the first ones that came in anew, both taken once a run: a template that
was rebuilt is known after a few pages.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator

import msgspec

from whimbrel.change.decide import decide
from whimbrel.change.noise import Noise, learn
from whimbrel.change.version import Version
from whimbrel.flows.archive import Archive
from whimbrel.flows.copies import kept_copy, visited_copy
from whimbrel.records.change import Change, Kind
from whimbrel.records.visit import Document, Visit
from whimbrel.repository.contract import Known, RepositoryError
from whimbrel.repository.warc import Content, WarcError

HISTORY = 4
NEIGHBOURS = 6
NEWCOMERS = 6
REMEMBERED_SITES = 16
_COMPARED = ("text/html", "application/xhtml+xml", "text/plain")
_BY_MIME: tuple[tuple[str, Kind], ...] = (
    ("image/", "image"), ("text/css", "presentation"), ("text/javascript", "behavioural"),
    ("application/javascript", "behavioural"),
)  # fmt: skip


class Site:
    """What a site repeats on its pages: on those that are kept, and on those that came in anew."""

    def __init__(self, kept: list[Version]) -> None:
        self._newcomers: list[Version] = []
        self.common = learn([], kept)

    def meet(self, page: Version) -> None:
        if len(self._newcomers) < NEWCOMERS:
            self._newcomers.append(page)
            if len(self._newcomers) == NEWCOMERS:
                self.common = _joined(self.common, learn([], self._newcomers))


def _joined(these: Noise, those: Noise) -> Noise:
    shared = these.shared | those.shared
    return Noise(
        shared=shared, repeated=these.repeated | those.repeated, seen=(these.seen | those.seen) - shared,
        files=these.files | those.files,
    )  # fmt: skip


def compared(history: list[Version], after: Version, site: Site) -> Change:
    """What became of a page whose kept versions are `history`, the newest last; the site learns from the new one."""
    common = site.common
    noise = msgspec.structs.replace(learn(history), shared=common.shared, repeated=common.repeated, files=common.files)
    change = decide(history[-1], after, noise)
    site.meet(after)
    return change


class Comparing:
    """Remembers a few pages of each site while a run lasts."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._sites: OrderedDict[int, Site] = OrderedDict()

    def compare(self, row: Known, visit: Visit, document: Document) -> Change:
        copy = visited_copy(visit) if document.mime.startswith(_COMPARED) and not row.asset else None
        history = list(_versions(self._kept(row))) if copy is not None else []
        if copy is None or not history:
            return whole_change(document.mime)
        after = copy.version()
        site = self._site(row)
        return compared(history, after, site)

    def _kept(self, row: Known) -> list[Content]:
        try:
            return self._archive.copies(row.key, HISTORY)
        except (WarcError, OSError) as error:
            raise RepositoryError(f"the kept copy of {row.url} cannot be read: {error}") from error

    def _site(self, row: Known) -> Site:
        site = self._sites.get(row.lane)
        if site is None:
            site = Site(list(_versions(self._archive.neighbours(row.lane, row.key, NEIGHBOURS))))
            self._sites[row.lane] = site
        self._sites.move_to_end(row.lane)
        if len(self._sites) > REMEMBERED_SITES:
            self._sites.popitem(last=False)
        return site


def whole_change(mime: str) -> Change:
    """Other bytes, of which no more can be said than of what kind they are."""
    kind: Kind = next((kind for prefix, kind in _BY_MIME if mime.startswith(prefix)), "content")
    return Change(True, (kind,), 1.0, (), ())


def _versions(contents: Iterable[Content]) -> Iterator[Version]:
    for content in contents:
        copy = kept_copy(content)
        if copy is not None:
            yield copy.version()
