"""Which changes somebody wants to hear of."""

import re
from collections.abc import Iterator, Mapping
from math import inf

from msgspec import Struct

from whimbrel.change.degree import DEGREES, UNREAD, Degree, at_least
from whimbrel.flows.packing import unpack, unpacked_spots
from whimbrel.flows.refresh.absent import missing
from whimbrel.flows.telling.folding import FoldedChange, folded
from whimbrel.flows.telling.hearing import Hearing
from whimbrel.flows.telling.moments import moment_of
from whimbrel.records.change import KINDS
from whimbrel.records.verdict import Verdict
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Site, Told, site_of

WHATS = ("new", "changed", "moved", "gone", "restored", "missing", "away", "answers")
CHOICES = (*WHATS, "first", *KINDS)
LONGEST_FILTER = 1_000
"""Characters that a filter may have: a feed's address is asked for again and again."""
_WORD = re.compile(r"\w+")


class NewsFilter(Struct, frozen=True):
    """`kinds` are what happened or kinds of change, any of them; `degree` is the least; all of `words` have to be among
    what came or went. What is empty does not choose. Without `private`, pages fetched with credentials are left out."""

    since: float = 0.0
    until: float = inf
    site: Site | None = None
    kinds: frozenset[str] = frozenset()
    degree: Degree | None = None
    words: str = ""
    private: bool = True
    unread: bool = False
    """Whether changes of what nobody reads are wanted too: they are where somebody names their kind or degree."""
    unseen: bool = False
    """Only what was not marked as seen."""
    silenced: bool = False
    """Only what was silenced, which is left out else."""

    @property
    def is_open(self) -> bool:
        """Whether everything on the site in that time is wanted."""
        return not (self.kinds or self.degree is not None or self.words or self.unseen or self.silenced)


FILTERS = ("since", "until", "site", "kind", "degree", "words", "unread", "unseen", "silenced")


def choice_of(given: Mapping[str, str], now: float) -> NewsFilter | str:
    """What people wrote under the names of `FILTERS`, or which of it cannot be understood and what can be."""
    for name in FILTERS:
        text = given.get(name, "")
        if len(text) > LONGEST_FILTER or any(ord(character) < 32 for character in text):
            return f"{name} is longer than {LONGEST_FILTER:,} characters, or holds characters that no text has."
    at = {}
    for name, default in (("since", 0.0), ("until", inf)):
        text = given.get(name, "")
        named = moment_of(text, now) if text else default
        if named is None:
            return f"{name} {text!r} names no moment. Write yesterday, 2026-03-01, '3 days' or 12h."
        at[name] = named
    site = site_of(given["site"]) if given.get("site") else None
    if isinstance(site, Verdict):
        return f"site {given['site']!r}: {site.reason}. Write it like docs.example.org."
    kinds = {part.strip().lower() for part in given.get("kind", "").split(",") if part.strip()}
    for name in sorted(kinds.difference(CHOICES)):
        return f"kind {name!r} is no kind. There are {', '.join(CHOICES)}."
    least = given.get("degree", "").strip().lower()
    degrees: dict[str, Degree] = {name: name for name in DEGREES[1:]}
    if least and least not in degrees:
        return f"degree {least!r} is no degree. There are {', '.join(degrees)}."
    unread = bool(given.get("unread")) or not UNREAD.isdisjoint(kinds) or least == "trivial"
    return NewsFilter(
        at["since"], at["until"], site, frozenset(kinds), degrees.get(least), given.get("words", ""), unread=unread,
        unseen=bool(given.get("unseen")), silenced=bool(given.get("silenced")),
    )  # fmt: skip


def chosen(reader: Reader, choice: NewsFilter, hearing: Hearing | None = None) -> Iterator[FoldedChange]:
    """The newest first, each page that changed because of another behind its name only."""
    hearing = hearing or Hearing(reader)
    for batch in reader.batches(
        choice.since, choice.until, choice.site, firsts="first" in choice.kinds, unread=choice.unread
    ):
        wanted = [told for told in batch if is_wanted(told, choice, reader)]
        heard = hearing.heard(wanted, silenced=choice.silenced, unseen=choice.unseen)
        yield from hearing.marked(folded(heard, reader), silenced=choice.silenced)


def pending(reader: Reader, choice: NewsFilter) -> Iterator[FoldedChange]:
    """Pages that were missing at the last visit and may be gone: whatever the period, since they wait."""
    hearing = Hearing(reader)
    for one in missing(reader, choice.site):
        told = Told(one.since, "missing", one.url, one.title, "", 0.0, None, None, None, b"", one.reason)
        wanted = [told] if is_wanted(told, choice, reader) else []
        if hearing.heard(wanted, silenced=choice.silenced, unseen=choice.unseen):
            yield FoldedChange(told, asked_again_at=one.asked_again_at)


def is_wanted(told: Told, choice: NewsFilter, reader: Reader) -> bool:
    """Whatever its moment and its site."""
    if choice.kinds and choice.kinds.isdisjoint((told.what, *told.kinds.split(","))):
        return False
    if not choice.private and reader.has_private(told.url):
        return False
    size = degree_of(told)
    if choice.degree is not None and size is not None and size not in at_least(choice.degree):
        return False
    wanted = _WORD.findall(choice.words.casefold())
    return not wanted or _words_of(told, reader).issuperset(wanted)


def degree_of(told: Told) -> Degree | None:
    """How much of a page changed; None where nobody can say, and for pages that came, moved or went."""
    return next((name for name in DEGREES if name == told.degree), None)


def _words_of(told: Told, reader: Reader) -> set[str]:
    """Every word of a page that came or went, else those that differ: as kept with the change, which is cut short, and
    between the two texts."""
    where, _ = unpacked_spots(told.details)
    found = {word for spot in where for text in (spot.before, spot.after) for word in _words(text)}
    packed = reader.readings([number for number in (told.before, told.after) if number is not None])
    texts = [set(_words(unpack(packed[number]).text)) for number in (told.before, told.after) if number in packed]
    differing = texts[0] ^ texts[1] if len(texts) == 2 else texts[0] if texts else set()
    return found | differing | (set(_words(told.title)) if len(texts) < 2 else set())


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
