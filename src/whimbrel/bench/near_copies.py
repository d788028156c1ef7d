"""Real near-copies: the same page in two releases of a manual.

What is right is said by the texts and not by the addresses: two pages are one where all that is seen of them shares
most of its runs of three words. Of the pairs of one path that share nine runs in ten, all should be found.
"""

import tarfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random

from msgspec import Struct

from whimbrel.bench.machine import MissingTool, Say
from whimbrel.bench.near_finder import ReadPage, seen
from whimbrel.bench.released import ReleasedPackage, cache_folder, newest, releases
from whimbrel.dedupe.shingles import resemblance, shingles_of, words_of

RIGHT = 0.6
CLEARLY_RIGHT = 0.8
NEAR_COPIES = 0.9
PACKAGES = (("llvm-14-doc", "llvm-15-doc"), ("libboost1.74-doc", "libboost1.81-doc"))
IN_TWO_VERSIONS = ("postgresql-doc-15", "tomcat10-docs", "bind9-doc", "python-django-doc", "erlang-doc")
"""Nothing was chosen on these."""

Release = dict[str, Callable[[], bytes]]


class Family(Struct, frozen=True):
    """Two releases; `load` reads where they are kept."""

    name: str
    load: Callable[[], tuple[Release, Release]]


class CopiesScore(Struct, frozen=True):
    """Links said, those right by their texts at two degrees; pairs of one path that are near-copies, and those found.
    `elsewhere` are links between pages of different paths."""

    name: str
    pages: int
    linked: int
    right: int
    clearly_right: int
    elsewhere: int
    pairs: int
    found: int

    @property
    def precision(self) -> float:
        return self.right / self.linked if self.linked else 1.0

    @property
    def recall(self) -> float:
        return self.found / self.pairs if self.pairs else 1.0


def families(packed: Path | None, say: Say = lambda words: None) -> list[Family]:
    """Those of a folder with NAME-RELEASE.tar.xz, one after the other, and those of Debian's pools."""
    archives = sorted(packed.glob("*-*.tar.xz")) if packed is not None and packed.is_dir() else []
    by_name = [(one, other) for one, other in pairwise(archives) if _name(one) == _name(other)]
    return [
        *(Family(f"{_stem(one)}, {_stem(other)}", partial(_packed, one, other)) for one, other in by_name),
        *(Family(", ".join(pair), partial(_two_packages, pair, say)) for pair in PACKAGES),
        *(Family(f"{package}, two versions", partial(_two_versions, package, say)) for package in IN_TWO_VERSIONS),
    ]


def _stem(archive: Path) -> str:
    return archive.name.removesuffix(".tar.xz")


def _name(archive: Path) -> str:
    return _stem(archive).rpartition("-")[0]


def _packed(*archives: Path) -> tuple[Release, Release]:
    one, other = map(_unpacked, archives)
    return one, other


def _unpacked(archive: Path) -> Release:
    """Paths without the first step, which names the release."""
    found: Release = {}
    with tarfile.open(archive) as packed:
        for member in packed:
            if member.isfile() and member.name.endswith(".html") and (held := packed.extractfile(member)) is not None:
                found[member.name.partition("/")[2]] = partial(bytes, held.read())
    return found


def _two_packages(packages: tuple[str, str], say: Say) -> tuple[Release, Release]:
    one, other = (_files(_documents(package, newest(package, cache_folder(), say))) for package in packages)
    return one, other


def _two_versions(package: str, say: Say) -> tuple[Release, Release]:
    both = releases(ReleasedPackage(package, "body"), cache_folder(), say)
    return _files(both.old), _files(both.new)


def _documents(package: str, folder: Path) -> Path:
    return folder / "usr/share/doc" / package


def _files(folder: Path) -> Release:
    return {
        str(path.relative_to(folder)): path.read_bytes
        for path in folder.rglob("*.html")
        if path.is_file() and not path.is_symlink()
    }


def read_pages(family: Family, count: int, seed: int) -> list[ReadPage]:
    """The same paths of both releases, as they come, mixed."""
    old, new = family.load()
    if not old or not new:
        raise MissingTool("no pages in it")
    paths = sorted({*old, *new})
    chance = Random(seed)
    drawn = chance.sample(paths, min(count, len(paths)))
    pages = [seen(path, release[path]()) for release in (old, new) for path in drawn if path in release]
    chance.shuffle(pages)
    return pages


def judged(family: Family, pages: list[ReadPage], leaders: list[int]) -> CopiesScore:
    """`leaders`: for each page the one that it was linked to, or itself."""
    links = [(one, other) for one, other in enumerate(leaders) if one != other]
    alike = [_alike(pages[one], pages[other]) for one, other in links]
    by_path = dict[str, list[int]]()
    for at, page in enumerate(pages):
        by_path.setdefault(page.path, []).append(at)
    pairs = [pair for pair in by_path.values() if len(pair) == 2 and _alike(*(pages[at] for at in pair)) >= NEAR_COPIES]
    right = Counter(share for share in (RIGHT, CLEARLY_RIGHT) for likeness in alike if likeness >= share)
    return CopiesScore(
        name=family.name,
        pages=len(pages),
        linked=len(links),
        right=right[RIGHT],
        clearly_right=right[CLEARLY_RIGHT],
        elsewhere=sum(pages[one].path != pages[other].path for one, other in links),
        pairs=len(pairs),
        found=sum(leaders[one] == leaders[other] for one, other in pairs),
    )


def _alike(one: ReadPage, other: ReadPage) -> float:
    return resemblance(*(shingles_of(words_of(page.whole)) for page in (one, other)))
