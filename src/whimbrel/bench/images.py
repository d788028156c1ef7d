"""Shapes of pictures told, and labels that contradict them.

Eight classes of animals and things, by the words of their file names in Open Clip Art and by the names of characters in
the font Symbola. Learned pictures are shown again rotated, resized and noised; then pictures that were not learned, of
the same source (each is left out in turn) and of the other. The chain code alone is compared with the numbers beside
it. Classes are learned as a folder learns them (`shapes.altering`), with altered copies of each; the copies that are
judged are altered by another program, and by chance.
"""

import io
import re
import subprocess
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from whimbrel.bench import machine
from whimbrel.bench.goals import Goal, at_least, at_most
from whimbrel.records.picturing import LabelSays, PictureClass
from whimbrel.shapes.altering import example_of
from whimbrel.shapes.classes import Apart, ShapeClasses, classes_of
from whimbrel.shapes.segment import Grey
from whimbrel.shapes.shape import PictureShape, by_code, by_numbers, shape_of

CLIPART = Path("/usr/share/openclipart/svg")
FONT = Path("/usr/share/fonts/truetype/ancient-scripts/Symbola_hint.ttf")
DRAWN_BY = Path("/usr/bin/rsvg-convert")
CLASSES = ("cat", "dog", "horse", "elephant", "dolphin", "penguin", "heart", "tree")
MOST_OF_A_CLASS = 12
COPIES = 3
SIDE = 180
FOUND, FLAGGED, FALSELY = 0.95, 0.9, 0.05


class Example(Struct, frozen=True, eq=False):
    name: str
    source: str
    grey: Any
    shape: PictureShape


class ImagesReport(Struct, frozen=True):
    """Shares of all cases. `unseen` is of the same source, `other_source` of glyphs by clip art; `…_by_code` by the
    chain code alone. `confusion` counts what unseen pictures of each class were taken for."""

    seed: int
    pictures: dict[str, int]
    copies: int
    copies_found: float
    copies_found_by_code: float
    wrong_labels_flagged: float
    right_labels_flagged: float
    unseen: float
    unseen_by_code: float
    other_source: float
    other_source_by_code: float
    chance: float
    confusion: dict[str, dict[str, int]]
    cpu_milliseconds: float


def goals(report: ImagesReport) -> list[Goal]:
    return [
        at_least("class found of altered copies", report.copies_found, FOUND),
        at_least("wrong labels flagged", report.wrong_labels_flagged, FLAGGED),
        at_most("right labels flagged", report.right_labels_flagged, FALSELY),
        at_least("unseen pictures told, beside the chain code alone", report.unseen, report.unseen_by_code),
        at_least("glyphs told by clip art, beside the code alone", report.other_source, report.other_source_by_code),
    ]


def run(seed: int, say: machine.Say) -> ImagesReport:
    machine.need_package(CLIPART / "animals", "openclipart-svg", say)
    machine.need_package(FONT, "fonts-symbola", say)
    machine.need_package(DRAWN_BY, "librsvg2-bin", say)
    say("drawing …")
    began = time.process_time()
    examples = [*_clipart(), *_glyphs()]
    each = (time.process_time() - began) / max(1, len(examples))
    say(f"{len(examples)} pictures; altering them …")
    return measured(examples, seed, each)


def measured(examples: Sequence[Example], seed: int, each_seconds: float = 0.0) -> ImagesReport:
    chance = np.random.default_rng(seed)
    classes = _learned(examples, chance)
    codes = ShapeClasses(classes.examples, classes.reach, by_code)
    copies = [(one, altered) for one in examples for altered in _altered(one, chance)]
    wrong = [
        classes.says(str(chance.choice([name for name in classes.examples if name != one.name])), shape)
        for one, shape in copies
    ]
    right = [classes.says(one.name, shape) for one, shape in copies]
    clipart, glyphs = ([one for one in examples if one.source == source] for source in ("clipart", "glyph"))
    confusion = {name: dict(counts) for name, counts in _confusion(clipart, by_numbers).items()}
    return ImagesReport(
        seed, dict(Counter(f"{one.source} {one.name}" for one in examples)), len(copies),
        _share(classes.nearest(shape).name == one.name for one, shape in copies),
        _share(codes.nearest(shape).name == one.name for one, shape in copies),
        _share(said is LabelSays.CONTRADICTS for said in wrong),
        _share(said is LabelSays.CONTRADICTS for said in right),
        _right(confusion), _right(_confusion(clipart, by_code)),
        _told(glyphs, clipart, by_numbers), _told(glyphs, clipart, by_code),
        max(Counter(one.name for one in clipart).values(), default=0) / max(1, len(clipart)), confusion,
        1000 * each_seconds,
    )  # fmt: skip


def _learned(examples: Iterable[Example], chance: np.random.Generator) -> ShapeClasses:
    """As a folder learns them."""
    known: dict[str, PictureClass] = {}
    for one in examples:
        if (learned := example_of(one.grey, one.source, chance)) is not None:
            known.setdefault(one.name, PictureClass(one.name, [])).examples.append(learned)
    return classes_of(list(known.values()))


def _share(cases: Iterable[bool]) -> float:
    listed = list(cases)
    return sum(listed) / max(1, len(listed))


def _by_name(examples: Iterable[Example]) -> dict[str, list[PictureShape]]:
    found: dict[str, list[PictureShape]] = {}
    for one in examples:
        found.setdefault(one.name, []).append(one.shape)
    return found


def _confusion(examples: Sequence[Example], apart: Apart) -> dict[str, Counter[str]]:
    """Each picture is told by all others."""
    confusion: dict[str, Counter[str]] = {}
    for one in examples:
        others = _by_name(other for other in examples if other is not one)
        told = ShapeClasses(others, float("inf"), apart).nearest(one.shape).name
        confusion.setdefault(one.name, Counter())[told] += 1
    return confusion


def _right(confusion: "dict[str, Counter[str]] | dict[str, dict[str, int]]") -> float:
    every = sum(sum(counts.values()) for counts in confusion.values())
    return sum(counts.get(name, 0) for name, counts in confusion.items()) / max(1, every)


def _told(unknown: Sequence[Example], by: Sequence[Example], apart: Apart) -> float:
    classes = ShapeClasses(_by_name(by), float("inf"), apart)
    return _share(classes.nearest(one.shape).name == one.name for one in unknown)


# Pictures.


def _clipart() -> list[Example]:
    from PIL import Image

    examples: list[Example] = []
    for name in CLASSES:
        word = re.compile(rf"(?:^|[_\-\d ]){name}s?(?:[_\-\d .]|$)")
        files = {path.name: path for path in sorted(CLIPART.rglob("*.svg")) if word.search(path.name.lower())}
        taken = 0
        for path in files.values():
            command = [str(DRAWN_BY), "-w", str(SIDE), "-h", str(SIDE), "-a", "-b", "white", "-f", "png", str(path)]
            drawn = subprocess.run(command, capture_output=True, check=False, timeout=60).stdout
            if not drawn or taken == MOST_OF_A_CLASS:
                continue
            grey: Grey = np.asarray(Image.open(io.BytesIO(drawn)).convert("L"))
            # Some drawings are filed twice, under other names.
            if not any(np.array_equal(grey, one.grey) for one in examples):
                taken += _added(examples, name, "clipart", grey)
    return examples


def _glyphs() -> list[Example]:
    from PIL import Image, ImageDraw, ImageFont

    examples: list[Example] = []
    font = ImageFont.truetype(str(FONT), SIDE * 2 // 3)
    for code in [*range(0x2600, 0x2800), *range(0x1F300, 0x1F600)]:
        words = unicodedata.name(chr(code), "").lower().split()
        named = [name for name in CLASSES if name in words and "face" not in words]
        if named:
            picture = Image.new("L", (SIDE, SIDE), 255)
            ImageDraw.Draw(picture).text((SIDE // 8, SIDE // 16), chr(code), 0, font)
            _added(examples, named[0], "glyph", np.asarray(picture))
    return examples


def _added(examples: list[Example], name: str, source: str, grey: Grey) -> bool:
    shape = shape_of(grey)
    if shape is not None:
        examples.append(Example(name, source, grey, shape))
    return shape is not None


def _altered(one: Example, chance: np.random.Generator) -> list[PictureShape]:
    from PIL import Image

    shapes = []
    for _ in range(COPIES):
        angle = float(chance.uniform(0, 360))
        picture = Image.fromarray(one.grey).rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
        scale = float(chance.uniform(0.6, 1.6))
        picture = picture.resize((max(8, round(scale * picture.width)), max(8, round(scale * picture.height))))
        grey = np.asarray(picture).astype(np.float64) + chance.normal(0.0, 12.0, (picture.height, picture.width))
        specks = chance.random(grey.shape)
        grey[specks < 0.005], grey[specks > 0.995] = 0.0, 255.0
        shape = shape_of(np.clip(grey, 0, 255).astype(np.uint8))
        # A copy in which nothing is seen any more counts as one that was not found.
        shapes.append(shape if shape is not None else _NOTHING)
    return shapes


_NOTHING = PictureShape(np.zeros(64, np.int64), np.full(23, 9.0), np.full(34, 9.0))
