"""Two texts as runs of words: what stayed, what went, what came; and the same within a line."""

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal

from msgspec import Struct

_MOST_WORDS = 3_000
_CONTEXT_WORDS = (4, 2, 1)
"""On either side of what differs; fewer where there is little room."""
_LEAST_CHARACTERS = 24
CUT = "…"


class WordRun(Struct, frozen=True):
    """A run of words that stands in both versions (" "), only in the old one ("-") or only in the new one ("+")."""

    sign: Literal[" ", "-", "+"]
    text: str


def words_between(before: str, after: str) -> tuple[WordRun, ...]:
    """Texts of very many words, and such without a word in common, stand one after the other."""
    old, new = before.split(), after.split()
    if len(old) + len(new) > _MOST_WORDS or not set(old) & set(new):
        return tuple(_runs(("-", old), ("+", new)))
    found: list[WordRun] = []
    for tag, i, j, k, n in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        found += _runs((" ", new[k:n])) if tag == "equal" else _runs(("-", old[i:j]), ("+", new[k:n]))
    return tuple(found)


def _runs(*runs: tuple[Literal[" ", "-", "+"], Sequence[str]]) -> Iterator[WordRun]:
    return (WordRun(sign, " ".join(words)) for sign, words in runs if words)


def shortened(words: Sequence[WordRun], most: int) -> tuple[WordRun, ...]:
    """About so many characters of it: what differs, with a few words on either side where there is room."""
    runs: list[WordRun] = []
    for context in _CONTEXT_WORDS:
        runs = list(_framed(words, context))
        if _length(runs) <= most:
            return tuple(runs)
    left = sum(run.sign != " " for run in runs)
    room = most - _length([run for run in runs if run.sign == " "]) - left
    found: list[WordRun] = []
    for run in runs:
        # What went and what came in its place belong together.
        if found and room < 0 and not (run.sign == "+" and found[-1].sign == "-"):
            return (*found, WordRun(" ", CUT))
        text = run.text if run.sign == " " else cut(run.text, max(_LEAST_CHARACTERS, room // left))
        if run.sign != " ":
            room, left = room - len(text), left - 1
        found.append(WordRun(run.sign, text))
    return tuple(found)


def _length(runs: Sequence[WordRun]) -> int:
    return sum(len(run.text) + 1 for run in runs) - 1


def _framed(words: Sequence[WordRun], context: int) -> Iterator[WordRun]:
    last = len(words) - 1
    for at, run in enumerate(words):
        said = run.text.split()
        if run.sign != " " or len(words) == 1 or len(said) <= context * (1 if at in (0, last) else 2):
            yield run
        elif at == 0:
            yield WordRun(" ", f"{CUT} {' '.join(said[-context:])}")
        elif at == last:
            yield WordRun(" ", f"{' '.join(said[:context])} {CUT}")
        else:
            yield WordRun(" ", f"{' '.join(said[:context])} {CUT} {' '.join(said[-context:])}")


def cut(text: str, most: int) -> str:
    """At the end of a word where there is one near."""
    if len(text) <= most:
        return text
    kept = text[: max(1, most - 1)]
    at = kept.rfind(" ")
    return (kept[:at] if at > most // 2 else kept).rstrip() + CUT


def plainly(words: Iterable[WordRun]) -> str:
    """For where there are no colours: -[what went] +[what came]."""
    return " ".join(run.text if run.sign == " " else f"{run.sign}[{run.text}]" for run in words)
