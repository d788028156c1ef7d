"""A site in files whose pages have a kind that something other than their structure says, and pages drawn from it.

The kind's name is taken out of the markup first ("blinded"): every class of html and body, class names that hold a word
for a kind, and such words in the page's title (h1). What is left is what a site would show that never thought of naming
its kinds. The headings of sections stay as they are: "Functions" over a list names the list, not the page.
"""

import re
import zlib
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random

from msgspec import Struct

from whimbrel.records.outline import WORDS_MARK, Step

EXAMPLES = 3

# One half of the pages was looked at when the constants of `structure` were chosen; this tells the halves apart.
_HALVES = 0x26486AC7
_STUB = b'http-equiv="refresh"'
_HEAD_BYTES = 3_000
_TITLE = f"{WORDS_MARK}h1"


class NotThatSite(Exception):
    """The message says what is missing."""


class LabelledSite(Struct, frozen=True):
    """`kind_of` says the kind of a page by its path in the folder, or ""; `background` is how many pages go unnamed."""

    name: str
    package: str
    folder: Path
    start: str
    kinds: tuple[str, ...]
    kind_words: re.Pattern[str]
    kind_of: Callable[[Path, str], str]
    background: int

    def at(self, folder: Path) -> "LabelledSite":
        """The same site in another place."""
        return LabelledSite(
            self.name, self.package, folder, self.start, self.kinds, self.kind_words, self.kind_of, self.background
        )

    def blind(self, steps: list[Step]) -> list[Step]:
        return [(depth, tag, self._blinded(tag, classes) if classes else "") for depth, tag, classes in steps]

    def _blinded(self, tag: str, classes: str) -> str:
        if tag in ("html", "body"):
            return ""
        if tag[:1] == WORDS_MARK:
            return self.kind_words.sub("", classes.lower()) if tag == _TITLE else classes
        tells = self.kind_words.search
        return " ".join(name for name in classes.split() if not tells(name.lower().replace("_", "-")))


class Labelled(Struct, frozen=True):
    """A page and its kind."""

    kind: str
    path: Path


class Drawn(Struct, frozen=True):
    """Examples by kind, pages whose kind nobody is told, and pages to judge; none in two of them."""

    examples: dict[str, tuple[Labelled, ...]]
    background: tuple[Labelled, ...]
    judged: tuple[Labelled, ...]


def draw(site: LabelledSite, judged: int, seed: int, half: int = 1) -> Drawn:
    """As many pages of each kind as there are, in turn, until there are enough."""
    chance = Random(seed)
    files = _files(site, half)
    for paths in files.values():
        chance.shuffle(paths)
    pages = {kind: _pages(kind, paths) for kind, paths in sorted(files.items())}
    examples = {kind: tuple(islice(some, EXAMPLES)) for kind, some in pages.items()}
    if set(examples) != set(site.kinds) or any(len(some) < EXAMPLES for some in examples.values()):
        raise NotThatSite(f"{site.folder} does not hold {EXAMPLES} pages of every kind: {', '.join(site.kinds)}.")
    others = list(islice(_in_turn(pages), judged + site.background))
    chance.shuffle(others)
    return Drawn(examples, tuple(others[: site.background]), tuple(others[site.background :]))


def is_stub(head: bytes) -> bool:
    """A redirect in markup: a crawl would not keep it."""
    return _STUB in head[:_HEAD_BYTES].lower()


def _files(site: LabelledSite, half: int) -> dict[str, list[Path]]:
    files: dict[str, list[Path]] = {}
    for path in sorted(site.folder.rglob("*.html")):
        name = path.relative_to(site.folder).as_posix()
        if zlib.crc32(name.encode(), _HALVES) % 2 == half and (kind := site.kind_of(site.folder, name)):
            files.setdefault(kind, []).append(path)
    return files


def _pages(kind: str, paths: list[Path]) -> Iterator[Labelled]:
    for path in paths:
        with path.open("rb") as file:
            if not is_stub(file.read(_HEAD_BYTES)):
                yield Labelled(kind, path)


def _in_turn(pages: dict[str, Iterator[Labelled]]) -> Iterator[Labelled]:
    left = dict(pages)
    while left:
        for kind in list(left):
            page = next(left[kind], None)
            if page is None:
                del left[kind]
            else:
                yield page
