"""Pages of a Rust documentation with the kind that their file name says, blinded."""

import re
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

from msgspec import Struct

from whimbrel.parse.outline import Step

SITE = Path("/usr/share/doc/rust-doc/html")
PACKAGE = "rust-doc"
KINDS = ("enum", "fn", "macro", "module", "source", "struct", "trait")
EXAMPLES = 3
BACKGROUND = 1_000

_CRATES = ("alloc", "core", "proc_macro", "std", "test")
_NAMED = re.compile(r"(struct|enum|trait|fn|macro)\.")
_KIND_WORDS = re.compile(
    r"\b(?:structs?|enums?|traits?|fns?|fnname|functions?|macros?|mods?|modules?|source|src|srclink)\b"
)
_STUB = b'http-equiv="refresh"'
_HEAD_BYTES = 3_000

# One half of the pages was looked at when the constants of `structure` were chosen; this tells the halves apart.
_HALVES = 0x26486AC7


class NotRust(Exception):
    """The message says what is missing."""


class Labelled(Struct, frozen=True):
    """A page and its kind."""

    kind: str
    path: Path


class Drawn(Struct, frozen=True):
    """Examples by kind, pages whose kind nobody is told, and pages to judge; none in two of them."""

    examples: dict[str, tuple[Labelled, ...]]
    background: tuple[Labelled, ...]
    judged: tuple[Labelled, ...]


def kind_of(path: str) -> str:
    """What the file name says, or ""."""
    top, name = path.partition("/")[0], path.rpartition("/")[2]
    if top == "src":
        return "source" if name.endswith(".rs.html") else ""
    if top not in _CRATES:
        return ""
    named = _NAMED.match(name)
    return named[1] if named else "module" if name == "index.html" else ""


def blind(steps: list[Step]) -> list[Step]:
    """Without what the site says about the kind: every class of html and body, and class names that hold its name."""
    return [(depth, tag, _blinded(tag, classes) if classes else "") for depth, tag, classes in steps]


def _blinded(tag: str, classes: str) -> str:
    if tag in ("html", "body"):
        return ""
    return " ".join(name for name in classes.split() if not _KIND_WORDS.search(name.lower().replace("_", "-")))


def draw(site: Path, judged: int, seed: int) -> Drawn:
    """As many pages of each kind as there are, in turn, until there are enough."""
    chance = Random(seed)
    files = _files(site)
    for paths in files.values():
        chance.shuffle(paths)
    pages = {kind: _pages(kind, paths) for kind, paths in sorted(files.items())}
    examples = {kind: tuple(islice(some, EXAMPLES)) for kind, some in pages.items()}
    if set(examples) != set(KINDS) or any(len(some) < EXAMPLES for some in examples.values()):
        raise NotRust(f"{site} does not hold {EXAMPLES} pages of every kind: {', '.join(KINDS)}.")
    others = list(islice(_in_turn(pages), judged + BACKGROUND))
    chance.shuffle(others)
    return Drawn(examples, tuple(others[:BACKGROUND]), tuple(others[BACKGROUND:]))


def _files(site: Path) -> dict[str, list[Path]]:
    files: dict[str, list[Path]] = {}
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        if (kind := kind_of(name)) and zlib.crc32(name.encode(), _HALVES) % 2:
            files.setdefault(kind, []).append(path)
    return files


def _pages(kind: str, paths: list[Path]) -> Iterator[Labelled]:
    """Without the stubs: they redirect, and a crawl would not keep them."""
    for path in paths:
        with path.open("rb") as file:
            if _STUB not in file.read(_HEAD_BYTES).lower():
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
