"""Links of the owner's own pages that lead nowhere: what the server said is not there, and which files link to it."""

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from whimbrel.parse.html import read
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.records.visit import Visit
from whimbrel.urls.normal import normalise

FILE = "missing.json"
MOST_MISSING = 10_000
_ABSENT = frozenset({404, 410})


class MissingBook:
    """URLs for which the server told a migrant that nothing is there. Of those asked again and found it forgets."""

    def __init__(self, place: Path) -> None:
        self._path = place / FILE
        try:
            self.urls = set(msgspec.json.decode(self._path.read_bytes(), type=list[str]))
        except (OSError, msgspec.DecodeError):
            self.urls = set()
        self.number = 1
        """Rises with every change."""

    def hear(self, visits: Iterable[Visit]) -> None:
        changed = False
        for visit in visits:
            if visit.status in _ABSENT and visit.url not in self.urls and len(self.urls) < MOST_MISSING:
                self.urls.add(visit.url)
                changed = True
            elif visit.status not in {0, *_ABSENT} and visit.url in self.urls:
                self.urls.discard(visit.url)
                changed = True
        if changed:
            self.number += 1
            part = self._path.with_suffix(".part")
            part.write_bytes(msgspec.json.encode(sorted(self.urls)))
            part.replace(self._path)


def dead_links(pages: Iterable[Url], body_of: Callable[[Url], bytes], missing: Iterable[str]) -> dict[str, list[Url]]:
    """By the URL that is not there, the pages that hold a link to it. Pages in which no end of such a URL stands are
    not read further."""
    wanted = set(missing)
    ends = {url.rstrip("/").rpartition("/")[2].encode() for url in wanted}
    found: dict[str, list[Url]] = {}
    for page in pages:
        body = body_of(page) if wanted else b""
        if not any(end in body for end in ends):
            continue
        markup = read(body, "text/html")
        base = normalise(markup.base, page) if markup.base else page
        for anchor in markup.anchors:
            target = normalise(anchor.href, page if isinstance(base, Verdict) else base)
            if not isinstance(target, Verdict) and target in wanted:
                found.setdefault(target, []).append(page)
    return dict(sorted(found.items()))


def dead_lines(dead: dict[str, list[Url]]) -> str:
    return "".join(f"{url}\n" + "".join(f"    {page}\n" for page in pages) for url, pages in dead.items())
