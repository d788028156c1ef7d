"""What a page says between the texts of its template, and which of these names it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from whimbrel.fields.marks import LONGEST_LABEL, Marks
from whimbrel.parse.pieces import Piece

_LISTS = frozenset({"table", "tbody", "thead", "dl", "ul"})

_OPENING = ("(", "[", "{", "<", "«", "“")

CellKey = tuple[str, str, str]
"""What a column is told by: its kind (label, head, place), where, and what the label says."""


class Cell(NamedTuple):
    """What stands in one place of a page. `level`, `name` and `targets` are those of its pieces."""

    key: CellKey
    text: str
    level: int
    name: str
    targets: tuple[str, ...]
    linked: bool


def cells(page: Sequence[Piece], marks: Marks) -> list[Cell]:
    """In the order of the page; what follows one label in several lines is several cells of one key."""
    heads: dict[tuple[int, int], Piece] = {}
    label: Piece | None = None
    spent = -1
    found: list[Cell] = []
    for line in _runs(marks.apart(page), marks):
        first = line[0]
        if (first.path, first.text) in marks.texts:
            label = first
            if first.column >= 0 and "thead" in first.tags:
                heads[_table(first), first.column] = first
            continue
        if label is not None and label.line == first.line:
            spent = first.line
        elif label is not None and label.line == spent:
            label = None  # what named something in its own line names nothing below it
        if first.level and (label is None or label.line != first.line):
            label = None  # a heading begins something else
        found.append(_cell(line, label, heads.get((_table(first), first.column))))
    return found


def _runs(page: Sequence[Piece], marks: Marks) -> Iterator[list[Piece]]:
    """A text of the template by itself, what is between two within one line together."""
    run: list[Piece] = []
    for piece in page:
        fixed = (piece.path, piece.text) in marks.texts
        if run and (fixed or piece.line != run[-1].line):
            yield run
            run = []
        if fixed:
            yield [piece]
        else:
            run.append(piece)
    if run:
        yield run


def _cell(line: list[Piece], label: Piece | None, head: Piece | None) -> Cell:
    first = line[0]
    if head is not None and (label is None or label.row != first.row):
        key = ("head", head.path, head.text)
    elif label is not None and _labels(label, first):
        key = ("label", label.path, label.text)
    else:
        key = ("place", first.path, "")
    targets = tuple(piece.target for piece in line if piece.target)
    name = first.name if all(piece.name == first.name for piece in line) else first.called
    return Cell(key, _said(line), first.level, name, targets, all(piece.target for piece in line))


def _labels(label: Piece, value: Piece) -> bool:
    """A label stands right before what it names, in the same line, beside it or above it; a heading above all that
    comes until the next. A heading is named by nothing but what stands in its own line."""
    if label.line == value.line:
        return True
    if value.level or len(label.text) > LONGEST_LABEL:
        return False
    if label.level:
        return True
    shared = sum(1 for one, other in zip(label.boxes, value.boxes, strict=False) if one == other)
    return len(label.boxes) - shared <= 1 or label.tags[shared - 1] in _LISTS


def _table(piece: Piece) -> int:
    """The number of the table that a piece is in."""
    for box, tag in zip(reversed(piece.boxes), reversed(piece.tags), strict=True):
        if tag == "table":
            return box
    return -1


def _said(line: list[Piece]) -> str:
    text = ""
    for piece in line:
        text += f"{' ' if piece.apart and not text.endswith(_OPENING) else ''}{piece.text}"
    return " ".join(text.split()).strip(" :")
