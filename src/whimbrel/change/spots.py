"""The spots in which two versions of a page differ, by the names under which they are known again at the next visit."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from whimbrel.change.align import Pair, align, moved
from whimbrel.change.blocks import Block
from whimbrel.change.habits import NOTHING, SORTS, UNSURE, Habits, PlaceHeld, held_by, joined, key_of
from whimbrel.change.lasting_blocks import as_lasts, parameters_apart
from whimbrel.change.mask import masked, masked_code, numbers_of, without_texts
from whimbrel.change.rows import differing_rows
from whimbrel.change.ties import in_old_order
from whimbrel.change.version import ComparedVersion

_CODE_KEY_CHARACTERS = 40

Name = tuple[str, ...]


class PlaceNames:
    """The names by which the places of a page are known again, whatever stands in them: the next block with a word
    before and behind, and how far it is (between numbers alone places cannot be told apart), or the path if only one
    block has it. Where rows are of one form ("Server 1", "Server 2"), which of them it is belongs to the name."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        said = [masked(block.text) for block in blocks]
        self._blocks, self._said = blocks, said
        self._worded = [any(map(str.isalpha, text)) for text in said]
        self._paths = Counter(block.path for block in blocks)
        self._after = self._beside("after", range(len(blocks)))
        self._before = self._beside("before", range(len(blocks) - 1, -1, -1))

    def of(self, at: int) -> set[Name]:
        known = {self._after[at], self._before[at]}
        if self._paths[self._blocks[at].path] == 1:
            known.add(("only", self._blocks[at].path))
        return known

    def _beside(self, side: str, way: range) -> dict[int, Name]:
        found: dict[int, Name] = {}
        alike: Counter[Name] = Counter()
        landmark, distance = "", 0
        for at in way:
            name = (side, self._blocks[at].tag, landmark, str(distance))
            found[at] = (*name, str(alike[name])) if alike[name] else name
            alike[name] += 1
            landmark, distance = (self._said[at], 0) if self._worded[at] else (landmark, distance + 1)
        return found

    def text(self, at: int) -> Name | None:
        """By which the numbers of a text are known again; None where it has no words."""
        return (self._blocks[at].tag, self._said[at]) if self._worded[at] else None

    def turning(self, moving: Iterable[int], habits: Habits) -> Iterator[Name]:
        """Of texts whose numbers differ now, those that differ in most of the places that say them, now or at visits
        before. A place that is known to turn over stands for itself: one price that never rests says nothing of the
        others, while in a poll now this number moves and now that."""
        moved: dict[Name, set[int]] = {}
        for at in moving:
            if name := self.text(at):
                moved.setdefault(name, set()).add(at)
        said: dict[Name | None, list[int]] = {}
        for at in range(len(self._blocks)) if moved else ():
            said.setdefault(self.text(at), []).append(at)
        for name, now in moved.items():
            unsure = [at for at in said[name] if len(said[name]) == 1 or not self._knows(at, habits)]
            before = {at for at in unsure if any(habits.has_seen("figure", *one) for one in self.of(at))}
            if not now.isdisjoint(unsure) and 2 * len((now | before).intersection(unsure)) > len(unsure):
                yield name

    def _knows(self, at: int, habits: Habits) -> bool:
        return any(habits.has("figure", *name) for name in self.of(at))


def differing(older: ComparedVersion, newer: ComparedVersion, habits: Habits) -> dict[str, dict[int, PlaceHeld]]:
    """The spots in which two versions differ, by sort. `habits` tell what has been there before."""
    found: dict[str, dict[int, PlaceHeld]] = {sort: {} for sort in SORTS}
    if older.markup != newer.markup or not older.markup:
        _differing_blocks(older, newer, found, habits)
    if older.title != newer.title:
        found["title"][key_of(())] = NOTHING
    for was, now in ((older.code, newer.code), (older.styles, newer.styles), (older.actions, newer.actions)):
        found["code"] |= {key_of([code_key(code)]): NOTHING for code in set(was) ^ set(now)}
    return found


def _differing_blocks(
    older: ComparedVersion, newer: ComparedVersion, found: dict[str, dict[int, PlaceHeld]], habits: Habits
) -> None:
    before, after = older.blocks, in_old_order(older.blocks, newer.blocks)
    was, now = [block.text for block in before], [block.text for block in after]
    pairs = align(was, now)
    here, there = PlaceNames(before), PlaceNames(after)
    numbered: list[int] = []
    for pair in pairs:
        if pair.before is None or pair.after is None:
            continue
        old, new = before[pair.before], after[pair.after]
        if (old.text, old.links, old.images) != (new.text, new.links, new.images):
            common = here.of(pair.before) & there.of(pair.after)
            found["figure"] |= {key_of(name): NOTHING for name in common}
            each = numbers_apart(old, new)
            found["figure"] |= {key_of((*name, one)): NOTHING for name in common for one in each}
            if only_numbers(old, new):
                numbered.append(pair.after)
                found["place"] |= {key_of(name): UNSURE for name in common}
            elif (parameters := parameters_apart(old, new)) is not None:
                found["figure"] |= {key_of(parameter_name(*one)): NOTHING for one in parameters}
            elif as_lasts(old, newer.address) != as_lasts(new, newer.address):
                held = joined(held_by(old), held_by(new))
                found["place"] |= {key_of(name): held for name in common}
        elif (old.classes, old.dress) != (new.classes, new.dress):
            found["look"] |= {key_of(name): NOTHING for name in here.of(pair.before)}
    found["number"] |= {key_of(name): NOTHING for name in there.turning(numbered, habits)}
    found["row"] |= differing_rows(before, after, habits)
    elsewhere = moved(pairs, was, now)
    found["number"] |= {key_of(name): NOTHING for name in rolled(pairs, elsewhere, before, after)}
    paths = {after[j].path for _, j in elsewhere.values()}
    found["order"] |= {key_of([path]): NOTHING for path in paths}
    found["turn"] |= {key_of([text]): NOTHING for text in set(was) ^ set(now)}


def rolled(
    pairs: Iterable[Pair], elsewhere: Mapping[Pair, object], before: Sequence[Block], after: Sequence[Block]
) -> set[Name]:
    """Of texts that came, those of which others went that differ in nothing but numbers: of the last five days one went
    and today came, and each of the rest stands one place further on."""
    alone = [pair for pair in pairs if pair not in elsewhere]
    gone = {roll_name(before[pair.before]) for pair in alone if pair.before is not None and pair.after is None}
    return gone & {roll_name(after[pair.after]) for pair in alone if pair.after is not None and pair.before is None}


def roll_name(block: Block) -> Name:
    return "rolls", block.path, masked(block.text)


def parameter_name(path: str, name: str) -> Name:
    """By which a parameter of links is known again, wherever these stand: of sessions, or of what is drawn by lot."""
    return "parameter", path, name


def only_numbers(before: Block, after: Block) -> bool:
    """Whether the texts differ, but in nothing but numbers, dates and tokens."""
    return before.text != after.text and masked(before.text) == masked(after.text)


def numbers_apart(before: Block, after: Block) -> list[str]:
    """Which of several numbers of a text differ: a deadline may stand beside the date of today."""
    was, now = numbers_of(before.text), numbers_of(after.text)
    if len(was) < 2 or len(was) != len(now):
        return []
    return [f"#{at}" for at, (old, new) in enumerate(zip(was, now, strict=True)) if old != new]


def code_key(code: str) -> str:
    return masked_code(without_texts(code.strip()[: 4 * _CODE_KEY_CHARACTERS]))[:_CODE_KEY_CHARACTERS]
