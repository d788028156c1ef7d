"""The columns of a kind of page, learned from some of its pages, and the row that any page of it gives."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct

from whimbrel.fields.cells import Cell, CellKey, cells
from whimbrel.fields.marks import ALIKE, FieldRules, Marks, found
from whimbrel.parse.pieces import Piece

MOST_COLUMNS = 200
MOST_CHARACTERS = 32_000
"""Of one value: spreadsheets hold no more."""

HALF = 0.5
"""Of the pages have what has no label; what fewer have is a page's own text."""
SAME = 0.9
"""Of the pages on which two columns say the same, from which on one is enough; and of the values that begin with the
same words, from which on these are the template's."""

TITLE, HEADING = "title", "heading"
DEFAULT_RULES = FieldRules()


class Column(Struct, frozen=True):
    """`keys` say where its values stand; `first` and `last` are words of the template around each value."""

    name: str
    keys: tuple[CellKey, ...]
    first: str = ""
    last: str = ""

    def value(self, said: Mapping[CellKey, list[str]]) -> str:
        lines = [line for key in self.keys for line in said.get(key, ())]
        text = "\n".join(lines)[:MOST_CHARACTERS]
        if self.first and text.startswith(self.first):
            text = text[len(self.first) :]
        return (text.removesuffix(self.last) if self.last else text).strip()


class KindTable(Struct, frozen=True):
    marks: Marks
    columns: tuple[Column, ...]

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def row(self, page: Sequence[Piece]) -> dict[str, str]:
        """What a page says in each column; columns that it has nothing for are left out."""
        said = _by_key(cells(page, self.marks))
        return {column.name: value for column in self.columns if (value := column.value(said))}


def learned(pages: Sequence[Sequence[Piece]], rules: FieldRules = DEFAULT_RULES) -> KindTable:
    """The table of pages of one kind, the columns in the order of the page."""
    marks = found(pages, rules)
    read = [cells(page, marks) for page in pages]
    said = [_by_key(page) for page in read]
    mine = _cells_by_key(read)
    seen: list[list[str]] = []
    kept: dict[CellKey, Column] = {}
    for key in sorted(mine, key=lambda key: (_rank(key, mine[key]), _place(key, read), key)):
        column = _column(key, mine[key], said, titled=any(one.name == TITLE for one in kept.values()))
        values = [column.value(page) for page in said]
        if _varies(key, values, rules) and not _leads_on(mine[key], read) and not _is_among(values, seen):
            kept[key] = column
            seen.append(values)
    ordered = sorted(kept, key=lambda key: (_place(key, read), key))[:MOST_COLUMNS]
    return KindTable(marks, tuple(_named_apart([kept[key] for key in ordered])))


def _by_key(page: Sequence[Cell]) -> dict[CellKey, list[str]]:
    said: defaultdict[CellKey, list[str]] = defaultdict(list)
    for cell in page:
        if cell.text:
            said[cell.key].append(cell.text)
    return said


def _cells_by_key(read: Sequence[Sequence[Cell]]) -> dict[CellKey, list[Cell]]:
    found: defaultdict[CellKey, list[Cell]] = defaultdict(list)
    for page in read:
        for cell in page:
            if cell.text:
                found[cell.key].append(cell)
    return found


def _rank(key: CellKey, mine: Sequence[Cell]) -> int:
    """Of two columns that say the same the first by this is kept: headings, what has a label, what has none."""
    return 0 if mine[0].level else 1 if key[0] != "place" else 2


def _place(key: CellKey, read: Sequence[Sequence[Cell]]) -> float:
    """Where it mostly stands."""
    at = [next((at for at, cell in enumerate(page) if cell.key == key), None) for page in read]
    found = [one for one in at if one is not None]
    return sum(found) / len(found) if found else 0.0


def _column(key: CellKey, mine: Sequence[Cell], said: Sequence[Mapping[CellKey, list[str]]], titled: bool) -> Column:
    """What stands around a value is cut off where the template has no other way to say what it is: in a heading ("Class
    Reader"), and before what has no label ("Posted by")."""
    texts = ["\n".join(page[key]) for page in said if key in page]
    first, last = _around(texts) if key[0] == "place" else ("", "")
    last = last if mine[0].level else ""
    return Column(_name(key, mine, first, titled), (key,), first, last)


def _name(key: CellKey, mine: Sequence[Cell], first: str, titled: bool) -> str:
    if key[0] != "place":
        return _plain(key[2]) or "text"
    named = Counter(cell.name for cell in mine if cell.name).most_common(1)
    if mine[0].level and (not titled or not named):
        return HEADING if titled else TITLE
    return _plain(first) or (named[0][0] if named else "text")


def _plain(label: str) -> str:
    return " ".join(label.split()).strip(" :·–—-|()[]=¶#")


def _around(texts: Sequence[str]) -> tuple[str, str]:
    """The words that nearly all values begin and end with."""
    if len(set(texts)) < 2:
        return "", ""
    first = _shared([text.split(" ") for text in texts])
    last = _shared([text.split(" ")[::-1] for text in texts])
    return " ".join(first) + " " if first else "", " " + " ".join(reversed(last)) if last else ""


def _shared(texts: Sequence[list[str]]) -> list[str]:
    shared: list[str] = []
    while True:
        at = len(shared)
        # The last word of a text is its own: something has to be left.
        following = Counter(text[at] for text in texts if len(text) > at + 1 and text[:at] == shared)
        word, count = following.most_common(1)[0] if following else ("", 0)
        if count < SAME * len(texts):
            return shared
        shared.append(word)


def _varies(key: CellKey, values: Sequence[str], rules: FieldRules) -> bool:
    filled = Counter(value for value in values if any(map(str.isalnum, value)))
    if key[0] != "place":
        return len(filled) > 1 and filled.total() >= max(2.0, rules.rare * len(values))
    most = max(filled.values(), default=0)
    return len(filled) > 1 and filled.total() >= HALF * len(values) and most < ALIKE * filled.total()


def _leads_on(mine: Sequence[Cell], read: Sequence[Sequence[Cell]]) -> bool:
    """Whether it is the way to the next page: a link alone, named by another's title, and no two pages lead to one."""
    if not all(cell.linked and len(set(cell.targets)) == 1 and not cell.level for cell in mine):
        return False
    titles = {cell.text for page in read for cell in page if cell.level}
    named = sum(cell.text in titles for cell in mine)
    targets = {cell.targets[0] for cell in mine}
    return len(targets) == len(mine) and named >= SAME * len(mine) - 1


def _is_among(values: Sequence[str], seen: Sequence[Sequence[str]]) -> bool:
    filled = sum(map(bool, values))
    return any(
        sum(bool(one) and one == other for one, other in zip(values, others, strict=True)) >= SAME * filled
        for others in seen
    )


def _named_apart(columns: Sequence[Column]) -> list[Column]:
    """Names are told apart by numbers; where two columns of a name never stand on one page they are left two."""
    met: Counter[str] = Counter()
    named = []
    for column in columns:
        met[column.name.casefold()] += 1
        count = met[column.name.casefold()]
        named.append(column if count == 1 else Column(f"{column.name} {count}", column.keys, column.first, column.last))
    return named
