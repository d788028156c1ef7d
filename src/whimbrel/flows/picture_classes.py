"""Classes of pictures that a folder knows: kept in a file of their own, learned from pictures that somebody names."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
import numpy as np

from whimbrel.documents.contract import Unreadable
from whimbrel.documents.pictures import PictureReader
from whimbrel.records.picturing import CLASSES_FILE, PictureClass, PictureExample
from whimbrel.records.verdict import Verdict, refused
from whimbrel.shapes.altering import example_of
from whimbrel.shapes.segment import Grey

MOST_EXAMPLES = 200
"""Of one class: each picture that is looked at is held against all of them."""
_CHANCE = 7
"""Seeds the noise of altered copies: the same picture teaches the same."""

_classes = msgspec.json.Decoder(list[PictureClass])


class ClassesDamaged(Exception):
    """The file cannot be read; the message says what to do."""


def read_classes(beside: Path) -> list[PictureClass]:
    """Those of a folder, by name; none where none were learned."""
    path = beside / CLASSES_FILE
    try:
        return _classes.decode(path.read_bytes())
    except FileNotFoundError:
        return []
    except (OSError, msgspec.DecodeError) as error:
        raise ClassesDamaged(f"{path} cannot be read: {error}. Delete it, and show the pictures again.") from error


def write_classes(beside: Path, classes: Iterable[PictureClass]) -> None:
    """Whole or not at all."""
    path = beside / CLASSES_FILE
    beside.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    with new.open("wb") as file:
        file.write(msgspec.json.encode(sorted((one for one in classes if one.examples), key=lambda one: one.name)))
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def example_in(body: bytes, source: str, pictures: PictureReader) -> PictureExample | Verdict:
    """What is learned from the bytes of a picture, or why nothing is."""
    drawn = pictures.draw(body)
    if isinstance(drawn, Unreadable):
        return refused(drawn.kind, drawn.reason)
    grey: Grey = np.frombuffer(drawn.greys, np.uint8).reshape(drawn.rows, drawn.columns)
    learned = example_of(grey, source, np.random.default_rng(_CHANCE))
    return learned or refused("shape", "nothing in it can be told from its background")


def forget_pictures(beside: Path, gone: Callable[[str], bool]) -> None:
    """What was learned from the pictures of these URLs."""
    classes = read_classes(beside)
    left = [PictureClass(one.name, [each for each in one.examples if not gone(each.source)]) for one in classes]
    if left != classes:
        write_classes(beside, left)


def with_examples(classes: Iterable[PictureClass], name: str, examples: Iterable[PictureExample]) -> list[PictureClass]:
    """A picture that was shown before is learned anew; of too many the first shown go."""
    by_name = {one.name: one for one in classes}
    known = {one.source: one for one in by_name[name].examples} if name in by_name else {}
    known |= {one.source: one for one in examples}
    by_name[name] = PictureClass(name, list(known.values())[-MOST_EXAMPLES:])
    return list(by_name.values())


def without(classes: Iterable[PictureClass], name: str, sources: Iterable[str]) -> list[PictureClass]:
    """Without these examples of a class; without the class where none are named."""
    gone = set(sources)
    kept = []
    for one in classes:
        left = [example for example in one.examples if gone and example.source not in gone]
        kept.append(PictureClass(one.name, left) if one.name == name else one)
    return [one for one in kept if one.examples]
