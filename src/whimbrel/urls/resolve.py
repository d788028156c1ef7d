"""The links of a page as URLs, remembered per directory.

Pages of one directory repeat most of their links, and what a relative link means depends on the directory
of its page alone: unless it is empty, begins with "?" or "#", or repeats the scheme without slashes
("http:?x"), where RFC 3986 and the WHATWG standard keep the page's own path. Those are never remembered.
"""

import re
from collections.abc import Iterable

from whimbrel.records.url import Url
from whimbrel.urls.normal import href, key, normalise, without_user_info

Resolved = tuple[Url, int] | None

REMEMBERED = 131_072
"""Links kept in memory, over all directories: some 30 MB with links of usual length."""

_LONGEST_REMEMBERED = 1_000
_CONTROLS_AND_SPACE = "".join(map(chr, range(0x21)))
# The standard removes these wherever they stand, before it reads anything.
_IGNORED = {ord("\t"): None, ord("\n"): None, ord("\r"): None}
# Steps up, then a path no part of which the standard or our normal form would change.
_PLAIN = re.compile(
    r"((?:\.\./)*)"
    r"([A-Za-z0-9_~][A-Za-z0-9_~.,;=@-]*(?:/[A-Za-z0-9_~][A-Za-z0-9_~.,;=@-]*)*/?(?:\?[A-Za-z0-9_~.,;=&+/-]*)?)"
)

# A base that the standard would leave as it is: a lower-case host or an IPv4 address, and path segments that need
# no look.
_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_PLAIN_BASE = re.compile(rf"https?://(?:[a-z][a-z0-9.-]*|{_BYTE}(?:\.{_BYTE}){{3}})(?::[1-9][0-9]{{3,4}})?/"
                         r"(?:[A-Za-z0-9_~][A-Za-z0-9_~.,;=@-]*/)*(?:[A-Za-z0-9_~][A-Za-z0-9_~.,;=@-]*)?")  # fmt: skip
_ABSOLUTE = ("http://", "https://")


def _resolve(link: str, base: str) -> Resolved:
    url = normalise(link, base)
    return (url, key(url)) if isinstance(url, str) else None


def _needs_whole_base(link: str) -> bool:
    start = link.translate(_IGNORED).lstrip(_CONTROLS_AND_SPACE)
    if not start or start[0] in "?#":
        return True
    if start[:4].lower() != "http":
        return False
    scheme, colon, rest = start.partition(":")
    return bool(colon) and scheme.lower() in ("http", "https") and rest[:1] not in ("/", "\\")


class _Directory(dict[str, Resolved]):
    """What each link means on the pages of one directory; `base` is the page being read.

    `ancestors` are the directory and those above it, as text a plain path can be added to; none where the
    text would have to be normalised again.
    """

    __slots__ = ("ancestors", "base", "resolver")

    def __init__(self, resolver: "LinkResolver", ancestors: tuple[str, ...]) -> None:
        super().__init__()
        self.resolver = resolver
        self.ancestors = ancestors
        self.base = ""

    def __missing__(self, link: str) -> Resolved:
        if link[:1] == "#":
            return self.resolver.page_itself()
        stem, mark, _ = link.partition("#")
        # A space before the "#" belongs to the path, but would be trimmed from the end of a link.
        if mark and stem[-1] > " ":
            resolved = self[stem]
            lasting = stem in self
        elif self.ancestors and (plain := _PLAIN.fullmatch(link)):
            resolved = self._join(*plain.groups())
            lasting = True
        elif self.ancestors and link.startswith(_ABSOLUTE):
            resolved = self.resolver.absolute(link)
            lasting = True
        else:
            resolved = _resolve(link, self.base)
            lasting = not _needs_whole_base(link)
        if lasting and len(link) <= _LONGEST_REMEMBERED:
            self.resolver.make_room()
            self[link] = resolved
        return resolved

    def _join(self, up: str, path: str) -> Resolved:
        steps = len(up) // 3
        url = Url(self.ancestors[min(steps, len(self.ancestors) - 1)] + path)
        return url, key(url)


class LinkResolver:
    """Equal to `normalise` and `key` for every link and base, only faster.

    Not for use by two threads at a time. When `remembered` links are kept all of them are forgotten at once:
    the working set is back after a few pages, and nothing has to be counted on a hit.
    """

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._remembered = remembered
        self._kept = 0
        self._directories: dict[str, _Directory] = {}
        self._absolute: dict[str, Resolved] = {}
        self._base: str | None = None
        self._name = ""
        self._directory = _Directory(self, ())
        self._page_itself: Resolved = None

    def resolve(self, link: str, base: str) -> Resolved:
        """The URL `link` names on the page `base` with its key; None where it is not to be followed."""
        if base != self._base:
            self._turn_to(base)
        return self._directory[link]

    def resolve_all(self, links: Iterable[str], base: str) -> list[Resolved]:
        """`resolve` for every link of a page, in order."""
        if base != self._base:
            self._turn_to(base)
        return list(map(self._directory.__getitem__, links))

    def page_itself(self) -> Resolved:
        """What every link of the form "#fragment" means on the page being read."""
        if self._page_itself is None and self._base is not None:
            self._page_itself = _resolve("#", self._base)
        return self._page_itself

    def absolute(self, link: str) -> Resolved:
        """A link that names its host means the same wherever the base is a URL at all."""
        if link in self._absolute:
            return self._absolute[link]
        resolved = _resolve(link, self._directory.base)
        if len(link) <= _LONGEST_REMEMBERED:
            self.make_room()
            self._absolute[link] = resolved
        return resolved

    def make_room(self) -> None:
        """Counts one more link, and forgets all where that is one too many."""
        if self._kept >= self._remembered:
            self._directory.clear()
            self._absolute.clear()
            self._directories = {self._name: self._directory}
            self._kept = 0
        self._kept += 1

    def __len__(self) -> int:
        """Links remembered now; never more than asked for."""
        return len(self._absolute) + sum(map(len, self._directories.values()))

    def _turn_to(self, base: str) -> None:
        self._name = _directory_of(base)
        directory = self._directories.get(self._name)
        if directory is None:
            directory = _Directory(self, _ancestors(self._name))
            self.make_room()
            self._directories[self._name] = directory
        directory.base = base
        self._base, self._directory, self._page_itself = base, directory, None


def _directory_of(base: str) -> str:
    """The directory of an http(s) page, "" for what is no URL.

    A base of another scheme stands for itself: its rules differ (file:, data:). Escapes stay as written:
    whether one is decoded also depends on the link that is added.
    """
    if _PLAIN_BASE.fullmatch(base):
        return base[: base.rindex("/") + 1]
    plain = href(base)
    if not isinstance(plain, str):
        return ""
    if not plain.startswith(_ABSOLUTE):
        return plain
    path = without_user_info(plain.partition("#")[0].partition("?")[0])
    return path[: path.rindex("/") + 1]


def _ancestors(directory: str) -> tuple[str, ...]:
    if not directory.startswith(_ABSOLUTE) or "%" in directory:
        return ()
    found = [directory]
    while directory.count("/") > 3:
        directory = directory[: directory.rindex("/", 0, -1) + 1]
        found.append(directory)
    return tuple(found)
