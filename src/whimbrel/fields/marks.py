"""What the template wrote: the text that stays while pages change.

A text that many pages have in the same place is the template's, unless other pages have another text in its stead
there (after EXALG, Arasu and Garcia-Molina, "Extracting Structured Data from Web Pages", 2003, which tells template
from data by how often tokens occur together).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct

from whimbrel.parse.pieces import Piece

LONGEST_LABEL = 60
"""In characters; what is longer is a sentence."""

ALIKE = 0.95
"""Of the texts in one place that are the same where the template writes it; the others are its exceptions."""

_CLOSING = ")]}>»”’"
_END = Piece("", "", -1, (), ())
_LED = re.compile(r"([^\s:][^:]{0,59}?)\s*:\s+(?=\S)")

Mark = tuple[str, str]
"""Where a text stands, and what it says."""


class FieldRules(Struct, frozen=True):
    """`common`: the share of pages from which on a text is the template's. `rare`: the share that is enough for a label
    among others of its kind, since not every page fills every field. `led`: the share of a path's texts that are
    labels, from which on others there may be. `instead`: the share of what takes a text's place that is found nowhere
    else, from which on the text was the page's own."""

    common: float = 0.5
    rare: float = 0.03
    led: float = 0.5
    instead: float = 0.5


class Marks(Struct, frozen=True):
    """The template's texts, and the beginnings of pieces that are ("Version: 1.2" begins with one)."""

    texts: frozenset[Mark]
    beginnings: frozenset[Mark]

    def apart(self, page: Sequence[Piece]) -> list[Piece]:
        """The pieces with their beginnings split off."""
        return [part for piece in joined(page) for part in _split(piece, self.beginnings)]


def found(pages: Sequence[Sequence[Piece]], rules: FieldRules) -> Marks:
    beginnings = _beginnings(pages, rules)
    bare = Marks(frozenset(), beginnings)
    return Marks(_texts([bare.apart(page) for page in pages], rules), beginnings)


def joined(page: Iterable[Piece]) -> list[Piece]:
    """Signs that stand alone belong to the piece before them, like a comma between two links; at the end of a line they
    are the template's, unless they close a bracket."""
    done: list[Piece] = []
    signs = ""
    for piece in [*page, _END]:
        if done and done[-1].line == piece.line and not any(map(str.isalnum, piece.text)):
            signs += piece.text
            continue
        if done and signs:
            kept = signs if done[-1].line == piece.line else "".join(sign for sign in signs if sign in _CLOSING)
            done[-1] = done[-1]._replace(text=done[-1].text + kept)
        done.append(piece)
        signs = ""
    return done[:-1]


def _split(piece: Piece, beginnings: frozenset[Mark]) -> list[Piece]:
    led = _LED.match(piece.text)
    if led is None or (piece.path, led[1]) not in beginnings:
        return [piece]
    return [
        piece._replace(path=f"{piece.path}»", text=led[1]),
        piece._replace(path=f"{piece.path}«", text=piece.text[led.end() :], apart=True),
    ]


def _beginnings(pages: Sequence[Sequence[Piece]], rules: FieldRules) -> frozenset[Mark]:
    on: Counter[Mark] = Counter()
    said: defaultdict[Mark, set[str]] = defaultdict(set)
    for page in pages:
        led = {(piece.path, begins[1]): piece.text for piece in joined(page) if (begins := _LED.match(piece.text))}
        on.update(led.keys())
        for mark, text in led.items():
            said[mark].add(text)
    least = _few(len(pages), rules)
    return frozenset(mark for mark, count in on.items() if count >= least and len(said[mark]) > 1)


def _few(pages: int, rules: FieldRules) -> float:
    return max(2.0, rules.rare * pages)


def _texts(pages: Sequence[Sequence[Piece]], rules: FieldRules) -> frozenset[Mark]:
    on: Counter[Mark] = Counter()
    occurrences: Counter[Mark] = Counter()
    follows: defaultdict[Mark, Counter[Mark]] = defaultdict(Counter)
    for page in pages:
        marks = [(piece.path, piece.text) for piece in page]
        on.update(set(marks))
        occurrences.update(marks)
        for before, after in pairwise(marks):
            follows[before][after] += 1
    common = {mark for mark, count in on.items() if count >= rules.common * len(pages) and _says(mark)}
    standing = _before(follows, common)
    led = _led_paths(occurrences, common, rules)
    filled = _filled_paths(pages, occurrences)
    few = _few(len(pages), rules)
    return frozenset(
        mark
        for mark, count in on.items()
        if (mark in common or (count >= few and mark[0] in led and _is_followed(follows[mark], common)))
        and mark[0] not in filled
        and _says(mark)
        and not _is_instead(mark, standing, follows, occurrences, rules)
    )


def _says(mark: Mark) -> bool:
    """Signs and numbers name nothing."""
    return any(map(str.isalpha, mark[1]))


def _before(follows: dict[Mark, Counter[Mark]], common: set[Mark]) -> dict[Mark, Mark]:
    """For each text the one of the template's that mostly stands before it."""
    best: dict[Mark, tuple[int, Mark]] = {}
    for before in sorted(common & follows.keys()):
        for after, count in follows[before].items():
            if after not in best or count > best[after][0]:
                best[after] = (count, before)
    return {after: before for after, (_, before) in best.items()}


def _led_paths(occurrences: Counter[Mark], common: set[Mark], rules: FieldRules) -> set[str]:
    """Where labels stand: most of what stands there is the template's."""
    all_of: Counter[str] = Counter()
    of_template: Counter[str] = Counter()
    for mark, count in occurrences.items():
        all_of[mark[0]] += count
        of_template[mark[0]] += count if mark in common else 0
    return {path for path, count in all_of.items() if of_template[path] >= rules.led * count}


def _filled_paths(pages: Sequence[Sequence[Piece]], occurrences: Counter[Mark]) -> set[str]:
    """Places that each page has once at most and that pages fill differently: all that stands there is theirs."""
    many = {path for page in pages for path, count in Counter(piece.path for piece in page).items() if count > 1}
    most: Counter[str] = Counter()
    all_of: Counter[str] = Counter()
    for (path, _), count in occurrences.items():
        most[path] = max(most[path], count)
        all_of[path] += count
    return {path for path, count in all_of.items() if path not in many and most[path] < ALIKE * count}


def _is_followed(following: Counter[Mark], common: set[Mark]) -> bool:
    """A label stands before something that differs."""
    return 2 * sum(count for mark, count in following.items() if mark in common) < following.total()


def _is_instead(
    mark: Mark,
    before: dict[Mark, Mark],
    follows: dict[Mark, Counter[Mark]],
    occurrences: Counter[Mark],
    rules: FieldRules,
) -> bool:
    """Whether other pages have another text in its stead: then it is one of the values a field has."""
    label = before.get(mark)
    if label is None or 2 * follows[label][mark] < occurrences[mark]:
        return False
    others = {one: count for one, count in follows[label].items() if one[0] == mark[0] and one != mark}
    here = sum(others.values())
    return here > 0 and here >= rules.instead * sum(occurrences[one] for one in others)
