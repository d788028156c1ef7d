"""What a page looks like from above: the paths of its upper elements, what its headings say, and its skeleton.

A template shows in the upper levels, in class names, and in which paths there are at all; how often one is there, and
what stands deep inside, is the page's own. So a path counts once, from the root down to `DEEPEST`. The same elements
within the two around each, wherever they stand, are the page's parts: in another site the same template stands deeper
or less deep. The words of headings are the template's own where other pages say the same; that shows only beside those.

Beside what a page looks like stands where the links to it stand: its roles on the site (`structure.roles`).
"""

import re
from collections.abc import Iterable

import xxhash
from msgspec import Struct

from whimbrel.records.outline import WORDS_MARK, Step

DEEPEST = 9
SKELETON_DEEPEST = 5
FEWEST_PATHS = 4
"""Any document has a root, a head and a body: below this there is nothing to compare."""

ROLE = 13
PART = 14
WORDS = 15
"""The depth of a role, of a part, and of what a heading says: deeper than any path."""

_DEPTH_BITS = 4
_SURELY = 60
_MOST_CLASSES = 8
_MOST_PATHS = 5_000
_REMEMBERED = 100_000
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"\w+")


class Shape(Struct, frozen=True):
    """`paths` and `parts` are hashes with the depth in their lowest bits. Those of depth `WORDS`, among both, are what
    headings say, those of depth `ROLE` the roles. `skeleton` has every subtree once among its siblings.
    """

    paths: frozenset[int]
    skeleton: tuple[Step, ...]
    parts: frozenset[int] = frozenset()

    @property
    def is_empty(self) -> bool:
        # Most pages have many: only of the others it has to be seen which are elements.
        return len(self.paths) < _SURELY and len(self.elements) < FEWEST_PATHS

    @property
    def elements(self) -> frozenset[int]:
        """The paths alone, without what headings say."""
        return frozenset(path for path in self.paths if depth_of(path) not in (WORDS, ROLE))

    @property
    def has_roles(self) -> bool:
        return any(depth_of(path) == ROLE for path in self.paths)

    def in_roles(self, roles: frozenset[int]) -> "Shape":
        """The same page, once it is known where links to it stand."""
        return Shape(self.paths | roles, self.skeleton, self.parts | roles) if roles else self

    def without_roles(self) -> "Shape":
        return Shape(_unlinked(self.paths), self.skeleton, _unlinked(self.parts)) if self.has_roles else self


class Shaper:
    """Makes shapes, and remembers the paths and classes it met: the pages of a site share most of them."""

    def __init__(self) -> None:
        self._hashes: dict[tuple[int, str, str], int] = {}
        self._classes: dict[str, str] = {}
        self._parts: dict[int, int] = {}
        self._said: dict[tuple[str, str], tuple[int, ...]] = {}

    def shape(self, steps: Iterable[Step]) -> Shape:
        """The shape of a page by its elements in order; those below `DEEPEST` do not matter."""
        above = [0] * (DEEPEST + 2)
        named = [""] * (DEEPEST + 3)
        paths: set[int] = set()
        parts: set[int] = set()
        said: set[int] = set()
        upper: list[Step] = []
        hashes, told, known = self._hashes, self._classes, self._parts
        for depth, tag, written in steps:
            if tag[:1] == WORDS_MARK:
                if len(said) < _MOST_PATHS:
                    said.update(self._said.get((tag, written)) or self._heard(tag, written))
                continue
            if depth > DEEPEST:
                continue
            # The root's and the body's class often names the page, not the template.
            classes = ("" if depth < 2 else told.get(written) or self._told(written)) if written else ""
            key = (above[depth], tag, classes)
            path = hashes.get(key) or self._hashed(key, depth)
            above[depth + 1] = path
            named[depth + 2] = name = f"{tag}.{classes}"
            if path not in paths:
                if len(paths) >= _MOST_PATHS:
                    continue
                paths.add(path)
                # A path's part is the path's own: it is worked out once for each.
                parts.add(known.get(path) or self._part(path, f"{named[depth]} {named[depth + 1]} {name}"))
            if depth <= SKELETON_DEEPEST and len(upper) < _MOST_PATHS:
                upper.append((depth, tag, classes))
        return Shape(frozenset(paths | said), _skeleton(upper), frozenset(parts | said))

    def _part(self, path: int, words: str) -> int:
        part = numbered(words, PART)
        if len(self._parts) >= _REMEMBERED:
            self._parts.clear()
        self._parts[path] = part
        return part

    def _hashed(self, key: tuple[int, str, str], depth: int) -> int:
        path = numbered(f"{key[0]} {key[1]}.{key[2]}", depth)
        if len(self._hashes) >= _REMEMBERED:
            self._hashes.clear()
        self._hashes[key] = path
        return path

    def _heard(self, heading: str, written: str) -> tuple[int, ...]:
        """What a heading says, whole and by its first word ("Header <vector>"), numbers alike."""
        words = _WORD.findall(_DIGITS.sub("0", written.lower()))
        heard = tuple(numbered(f"{heading} {said}", WORDS) for said in (" ".join(words), *words[:1]) if said)
        if len(self._said) >= _REMEMBERED:
            self._said.clear()
        self._said[heading, written] = heard
        return heard

    def _told(self, written: str) -> str:
        """Class names in one order, numbers alike: "post-17 post" and "post post-4" are the same kind of thing."""
        classes = ".".join(sorted(set(_DIGITS.sub("0", written).split()))[:_MOST_CLASSES])
        if len(self._classes) >= _REMEMBERED:
            self._classes.clear()
        self._classes[written] = classes
        return classes


def _unlinked(paths: frozenset[int]) -> frozenset[int]:
    return frozenset(path for path in paths if depth_of(path) != ROLE)


def numbered(said: str, depth: int) -> int:
    whole = xxhash.xxh3_64_intdigest(said.encode("utf-8", "replace"))
    return (whole >> 1 + _DEPTH_BITS) << _DEPTH_BITS | depth


def depth_of(path: int) -> int:
    return path & (1 << _DEPTH_BITS) - 1


def signature(shape: Shape) -> int:
    """One number for the upper levels: pages that agree in it are very likely of one template, others may be too."""
    upper = sorted(path for path in shape.elements if depth_of(path) <= SKELETON_DEEPEST)
    return xxhash.xxh3_64_intdigest(b"".join(path.to_bytes(8, "big") for path in upper))


def _skeleton(upper: list[Step]) -> tuple[Step, ...]:
    """The tree without a subtree that one of its siblings equals, in the order of the page."""
    open_nodes: list[tuple[Step, dict[tuple[Step, ...], None]]] = []
    for step in upper:
        while len(open_nodes) > step[0]:
            _close(open_nodes)
        open_nodes.append((step, {}))
    while len(open_nodes) > 1:
        _close(open_nodes)
    return _flat(*open_nodes[0]) if open_nodes else ()


def _close(open_nodes: list[tuple[Step, dict[tuple[Step, ...], None]]]) -> None:
    done = open_nodes.pop()
    open_nodes[-1][1][_flat(*done)] = None


def _flat(step: Step, subtrees: dict[tuple[Step, ...], None]) -> tuple[Step, ...]:
    return (step, *(below for subtree in subtrees for below in subtree))
