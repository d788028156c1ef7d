"""Kinds of URLs that are not worth asking for: learned from a sample, page by page.

URLs of one *form* (host, number of steps in the path, names of the parameters) differ in their values. A part that
takes many values is free, like a title; one of a few belongs to the kind, like `action=edit`. So a kind is a form with
its few values fixed, and a new one among those makes a new kind, of which nothing is known yet.

Two kinds are not worth it. Of one, all that was asked for was refused (it asks not to be kept, or wants a login) and
nothing led to a page that is not reached otherwise. The other has an id in its URLs that keeps changing, and its pages
repeat what others said: it may cost three requests for every page's worth of new words. What a list names one by one is
no such repetition, however alike the words are.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import xxhash

from whimbrel.frontier import patterns
from whimbrel.frontier.doubt import DOUBT, Doubt
from whimbrel.frontier.forms import (
    ASKED,
    COUNTED,
    FEW,
    LATE,
    LEADING,
    NEW,
    NOTHING,
    SAMPLE,
    WORTH,
    FormState,
    at_large,
    fixed,
    form_of,
    free,
    nothing,
    shown,
    sums,
    view,
)
from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED, Verdict, refused

FRUITLESS = "fruitless"
REPEATED = "repeated"
REQUESTS_A_PAGE = 3
_MOST_KINDS = 256
_MOST_ENTRIES = 100_000
_SEEN_BITS = 1 << 20
_OPEN: tuple[list[float], float] = ([], 0.0)
_FRAMED = 10
"""A page counts as having at least a tenth of its own: a date that changes in its frame is no news."""


class Trial(NamedTuple):
    """What a URL is tried as. Which parts are `free` says how the form is divided into kinds at the moment."""

    form: str
    free: tuple[bool, ...]
    kind: str
    with_id: bool


class Kinds:
    """States by form, kept like those of the watch: drained with each commit what changed, recalled when needed.
    `redeemed` says that a kind that was given up has turned out to be worth it."""

    def __init__(self, recall: Callable[[str], FormState | None] = lambda _: None, capacity: int = 5_000) -> None:
        self._recall = recall
        self._capacity = capacity
        self._states: dict[str, FormState] = {}
        self._changed: dict[str, None] = {}
        self._seen = bytearray(_SEEN_BITS // 8)
        self._marked = 0
        self._last: dict[str, frozenset[int]] = {}
        self._excused: set[Url] = set()
        self._entries: set[Url] = set()
        self._turned_away: set[Url] = set()
        self._closed: dict[str, dict[str, tuple[list[float], float]]] = {}
        self._doubts: dict[str, Doubt] = {}
        self.redeemed = False

    def visited(self, url: Url, kept: bool, sample: bytes = b"", novel: bool = True, *, leads_on: bool = False) -> None:
        """One more was asked for. `sample` are hashes of some of its words where an id is in its URL; a copy of another
        page is kept, but not novel. What is not kept `leads_on` where its links may be followed."""
        key, state, values = self._noted(url)
        kind = fixed(state, values)
        count = state.counts.setdefault(kind, nothing())
        if kept:
            self._fruit(count)
            count[NEW] += self._novelty(f"{key}\n{kind}", sample) if novel else 0.0
        count[ASKED] += 1
        count[LEADING] += leads_on and not kept
        if len(state.counts) > _MOST_KINDS:
            rarest = min(state.counts, key=lambda kind: (state.counts[kind][WORTH] > 0, state.counts[kind][ASKED]))
            del state.counts[rarest]
        self._keep(key, state)

    def needed(self, url: Url) -> None:
        """It led to a page that was kept and is not known otherwise."""
        key, _, values = form_of(url)
        state = self._state(key)
        if state is not None:
            self._fruit(state.counts.setdefault(fixed(state, values), nothing()))
            self._keep(key, state)

    def _fruit(self, count: list[float]) -> None:
        """Where it comes late, the kind may have been given up, and others may be like it."""
        if count[ASKED] and not count[WORTH]:
            self.redeemed |= count[ASKED] >= FEW
            count[LATE] += not count[LEADING]
        count[WORTH] += 1

    def listed(self, urls: Iterable[Url]) -> None:
        """Links of one page, in order. Those that differ in an id alone are its entries, each of which is asked for
        once: by the first link that names it."""
        named: set[str] = set()
        lists: dict[str, list[Url]] = {}
        for url in urls:
            if (ids := patterns.ids(url)) and named.isdisjoint(ids):
                named.update(ids)
                lists.setdefault(patterns.copies(url)[0], []).append(url)
        for entries in lists.values():
            if len(entries) >= FEW and len(self._entries) < _MOST_ENTRIES:
                self.redeemed |= not self._turned_away.isdisjoint(entries)
                self._turned_away.difference_update(entries)
                self._entries.update(entries)

    def judge(self, url: Url) -> Verdict:
        key, state, values = self._noted(url)
        if url in self._excused or not any(free(state)):
            return ACCEPTED
        kind = fixed(state, values)
        count = state.counts.get(kind, NOTHING)
        if self._is_fruitless(key, count):
            return refused(FRUITLESS, f"{self._evidence(key, count)} ({shown(state, key, kind.split(chr(10)))})")
        if url in self._entries or not patterns.copies(url)[0]:
            return ACCEPTED
        asked, new, wide = at_large(state, kind.split("\n"))
        if asked < SAMPLE + REQUESTS_A_PAGE * new:
            return ACCEPTED
        if len(self._turned_away) < _MOST_ENTRIES:
            self._turned_away.add(url)
        told = f"an id in it keeps changing: {asked:.0f} like it brought as much that is new as {new:.1f} pages"
        return refused(REPEATED, f"{told} ({shown(state, key, wide)})")

    def _is_fruitless(self, key: str, count: Sequence[float]) -> bool:
        """What leads on has to be tried by itself. Of what does not, only whether all of its kind are alike is in
        doubt, and other kinds of the site say how alike they are there."""
        asked = count[ASKED]
        if count[WORTH] or asked < FEW:
            return False
        return asked >= SAMPLE or (not count[LEADING] and self._doubt(key).of(asked) <= DOUBT)

    def _evidence(self, key: str, count: Sequence[float]) -> str:
        asked = count[ASKED]
        others = f", and {self._doubt(key).kinds - 1} other kinds of this site are like that" if asked < SAMPLE else ""
        return f"{asked:.0f} like it were asked for: none could be kept, none led to a page not known otherwise{others}"

    def _doubt(self, key: str) -> Doubt:
        host = key.split(" ")[1]
        if host not in self._doubts:
            forms = self._closed.get(host, {}).values()
            asked = [number for numbers, _ in forms for number in numbers]
            self._doubts[host] = Doubt(asked, sum(late for _, late in forms))
        return self._doubts[host]

    def trial(self, url: Url) -> Trial:
        """The kind a URL is tried as: parts with a few values count as free already. While none has, all of a form are
        one kind: that nothing is known of it must not make every URL a kind of its own."""
        key, _, values = form_of(url)
        state = self._state(key)
        parts = tuple(free(state, FEW)) if state is not None else ()
        if state is None or not any(parts):
            return Trial(key, (), "", bool(patterns.copies(url)[0]))
        kind = fixed(state, values, FEW)
        with_id = bool(patterns.copies(url)[0])
        return Trial(key, parts, "\n".join(view(state, kind.split("\n"))) if with_id else kind, with_id)

    def room(self, url: Url, trial: Trial) -> int | None:
        """How many of a kind may be under way at once while it is not known whether it is worth it; None where there
        is no doubt."""
        state = self._state(trial.form)
        if state is None or not trial.free:
            certain = state is not None and not trial.with_id and any(count[WORTH] for count in state.counts.values())
            return None if certain else FEW
        if trial.with_id:
            own = fixed(state, form_of(url)[2], FEW).split("\n")
            widest = sums(state, trial.kind.split("\n"))
            asked, new, _ = at_large(state, own)
            both = ((asked, new), (widest[ASKED], widest[NEW]))
            return max(1, *(round(SAMPLE + REQUESTS_A_PAGE * n - a) for a, n in both))
        asked, kept, _, leading, _ = sums(state, trial.kind.split("\n"))
        if kept:
            return None
        # Its neighbours are tried at the same time, and what they bring decides as well.
        alone = leading or not any(free(state))
        missing = SAMPLE - asked if alone else self._doubt(trial.form).missing(asked)
        return max(1, min(FEW, round(missing)))

    def excuse(self, urls: Iterable[Url]) -> None:
        """These are asked for all the same, so that it is noticed when their kind is worth it after all."""
        self._excused.update(urls)

    def is_due(self, url: Url) -> bool:
        """It need not wait for what others of its kind bring."""
        return url in self._excused or url in self._entries

    def drain(self) -> list[tuple[str, FormState]]:
        """The states that changed since the last drain."""
        changed = [(key, self._states[key]) for key in self._changed]
        self._changed = {}
        for key in list(self._states)[: max(0, len(self._states) - self._capacity)]:
            del self._states[key]
            self._closed.pop(key.split(" ")[1], None)  # without it the others need more of their own again
            self._doubts.pop(key.split(" ")[1], None)
        return changed

    def _noted(self, url: Url) -> tuple[str, FormState, list[str]]:
        """The form of a URL with its values counted: also what is only known says which parts are free."""
        key, names, values = form_of(url)
        state = self._state(key)
        if state is None:
            state = self._states[key] = FormState(names, [[] for _ in names])
        self._note(state, values)
        return key, state, values

    def _note(self, state: FormState, values: list[str]) -> None:
        """Counts with a value that is free from now on are those of one kind."""
        freed = False
        for known, value in zip(state.values, values, strict=True):
            if len(known) < SAMPLE and value not in known:
                known.append(value)
                freed |= len(known) == SAMPLE
        if freed:
            merged: dict[str, list[float]] = {}
            for narrow, count in state.counts.items():
                kind = fixed(state, narrow.split("\n"))
                so_far = merged.setdefault(kind, nothing())
                merged[kind] = [a + b for a, b in zip(so_far, count, strict=True)]
            state.counts = merged

    def _novelty(self, kind: str, sample: bytes) -> float:
        """The share of a page's words that no page before it had, beside those that the last page of its kind had too,
        which are its frame; all of them where it has no sample."""
        if not sample:
            return 1.0
        if self._marked > _SEEN_BITS // 4:  # too full to tell: what was said long ago counts as new again
            self._seen, self._marked = bytearray(_SEEN_BITS // 8), 0
        places = {int.from_bytes(sample[at : at + 4], "big") % _SEEN_BITS for at in range(0, len(sample), 4)}
        new = {place for place in places if not self._seen[place >> 3] & 1 << (place & 7)}
        for place in new:
            self._seen[place >> 3] |= 1 << (place & 7)
        self._marked += len(new)
        own = len(places - self._last.get(kind, frozenset()))
        self._last.pop(kind, None)
        self._last[kind] = frozenset(places)
        if len(self._last) > self._capacity:
            del self._last[next(iter(self._last))]
        return len(new) / max(own, len(places) / _FRAMED)

    def _state(self, key: str) -> FormState | None:
        state = self._states.get(key)
        if state is None and (state := self._recall(key)) is not None:
            self._states[key] = state
            state.counts = {kind: [*count, 0.0, 0.0][:COUNTED] for kind, count in state.counts.items()}
            self._compare(key, state)
        return state

    def _compare(self, key: str, state: FormState) -> None:
        """What this form says about how alike the kinds of its site are."""
        host, counts = key.split(" ")[1], state.counts.values()
        shut = [count[ASKED] for count in counts if count[ASKED] and not count[WORTH] and not count[LEADING]]
        closed = (shut if any(free(state)) else [], sum(count[LATE] for count in counts))
        if self._closed.get(host, {}).get(key, _OPEN) != closed:
            self._closed.setdefault(host, {})[key] = closed
            self._doubts.pop(host, None)

    def _keep(self, key: str, state: FormState) -> None:
        self._states.pop(key, None)
        self._states[key] = state
        self._changed[key] = None
        self._compare(key, state)


def sample(text: str) -> bytes:
    """Hashes of an eighth of a page's runs of four words, the same on every page; ids and long numbers are left out."""
    words = [word for word in re.findall(r"\w+", text) if not _ID.fullmatch(word)]
    hashes = {
        xxhash.xxh32_intdigest(" ".join(words[at : at + 4]).encode("utf-8", "surrogatepass"))
        for at in range(len(words) - 3)
    }
    chosen = sorted(number for number in hashes if number % 8 == 0)[:256]
    return b"".join((number >> 3).to_bytes(4, "big") for number in chosen)


_ID = re.compile(r"[0-9]{4,}|(?=.*[0-9])[0-9a-f]{6,}")
