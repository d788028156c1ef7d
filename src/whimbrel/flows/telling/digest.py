"""A notice in words: what happened, how much, where, and the words that went and came."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from whimbrel.flows.telling.feed import difference_path
from whimbrel.flows.telling.folding import FoldedChange
from whimbrel.flows.telling.saying import OF_SITES, excerpts, measure, moment, name_of, summary
from whimbrel.flows.telling.wording import plainly
from whimbrel.urls.normal import authority

MOST_SHOWN = 20
MOST_PLACES = 4
PLACE_CHARACTERS = 400
TITLE_CHARACTERS = 120
_ORDER = ("away", "answers", "gone", "moved", "changed", "restored", "new")
_VERBS = {
    "new": "New", "changed": "Changed", "moved": "Moved", "gone": "Gone", "restored": "Back", "away": "Away",
    "answers": "Answers again",
}  # fmt: skip


class NoticeText(Struct, frozen=True):
    title: str
    body: str


def notice_of(items: Sequence[FoldedChange], folder: str, reader: str) -> NoticeText:
    """One change by its name, several by their number; of many the greatest are told, the others counted."""
    chosen = sorted(items, key=lambda item: -_weight(item))[:MOST_SHOWN]
    shown = sorted(chosen, key=lambda item: (_place(item), item.told.url))
    parts = ["\n".join(_told(item, reader)) for item in shown]
    if len(items) > len(shown):
        kept = {id(item) for item in shown}
        parts.append(_counted([item for item in items if id(item) not in kept], items))
    return NoticeText(_title(items, folder), "\n\n".join(parts) + "\n")


def _title(items: Sequence[FoldedChange], folder: str) -> str:
    if len(items) == 1:
        told = items[0].told
        return f"{_VERBS.get(told.what, told.what)}: {_line(name_of(told)) or told.url}"[:TITLE_CHARACTERS]
    sites = Counter(authority(item.told.url) for item in items)
    where = next(iter(sites)) if len(sites) == 1 else f"{len(sites)} sites"
    return f"{len(items):,} changes on {where} ({folder})"[:TITLE_CHARACTERS]


def _told(item: FoldedChange, reader: str) -> Iterator[str]:
    told = item.told
    yield f"{_VERBS.get(told.what, told.what)}: {_line(name_of(told))[:TITLE_CHARACTERS] or told.url}"
    yield told.url
    if told.what in ("changed", "restored"):
        yield f"{moment(told.at)}, {measure(told)}"
        for spot, words in excerpts(told, MOST_PLACES, PLACE_CHARACTERS):
            name = "" if spot.shows == "words" else f"{spot.shows}: "
            yield f"  {name}{_line(plainly(words))}"
    else:
        yield ", ".join(part for part in (moment(told.at), _line(summary(told))) if part)
    if item.also_on:
        yield f"also on {len(item.also_on)} other page{'' if len(item.also_on) == 1 else 's'} because of it"
    if reader:
        yield reader.rstrip("/") + difference_path(told)


def _counted(rest: Sequence[FoldedChange], items: Iterable[FoldedChange]) -> str:
    counts = Counter(item.told.what for item in rest)
    kinds = ", ".join(f"{counts[what]:,} {what}" for what in _ORDER if counts[what])
    since = min(item.told.at for item in items)
    return f"And {len(rest):,} more: {kinds}.\n`whimbrel changes --since {moment(since)}` lists them."


def _weight(item: FoldedChange) -> float:
    """A page that is gone or moved is as much as one that changed wholly; a site is more than any page."""
    what = item.told.what
    if what in OF_SITES:
        return 2.0
    return item.told.amount if what == "changed" else 1.0 if what in ("gone", "moved") else 0.5


def _place(item: FoldedChange) -> int:
    return _ORDER.index(item.told.what) if item.told.what in _ORDER else len(_ORDER)


def _line(text: str) -> str:
    """A page's words in one line, without what a terminal or a mail's head would obey."""
    return " ".join("".join(c if c.isprintable() or c.isspace() else "\ufffd" for c in text).split())
