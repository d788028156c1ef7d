"""Watches a crawl for traps: what visits brought, and which URLs are not worth one.

Home tells the watch about every first visit of a page and asks it about every new URL, best twice: when the
URL is found and again when it is handed out, because evidence may have come in between.
"""

from collections.abc import Callable, Sequence
from itertools import islice

import xxhash
from msgspec import Struct

from whimbrel.frontier import patterns, traps
from whimbrel.frontier.patterns import Certainty
from whimbrel.frontier.traps import EMPTY, PatternState, TrapSettings
from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED, Verdict, refused

_LIVELY = 10
_SHORT_RUN = 2
_NAMES_SHOWN = 120


class FirstVisit(Struct, frozen=True):
    """A first visit that brought a document.

    `run` is the URL's own, as the visit of its parent gave it (0 for a seed). `shape` is `patterns.shape` of
    the visible text. `duplicate` says that the same body was known already. `found` are the page's links
    that were new to the crawl and inside its scope.
    """

    url: Url
    depth: int
    run: int
    shape: int
    duplicate: bool
    found: Sequence[Url]


def _nothing(key: str) -> PatternState | None:
    return None


class Watch:
    """States by key. At a drain beyond `capacity` the least recently used leave; `recall` brings one back.

    `recall` is asked for every key that is not in memory, so it should be quick to say that there is none.
    Without it what left is forgotten, and a trap may be taken up again for one more patience.
    """

    __slots__ = ("_capacity", "_changed", "_recall", "_settings", "_states")

    def __init__(
        self,
        settings: TrapSettings,
        recall: Callable[[str], PatternState | None] = _nothing,
        capacity: int = 20_000,
    ) -> None:
        self._settings = settings
        self._recall = recall
        self._capacity = capacity
        self._states: dict[str, PatternState] = {}
        self._changed: dict[str, None] = {}

    def __len__(self) -> int:
        return len(self._states)

    def visit(self, seen: FirstVisit) -> int:
        """The run of the URLs found on this page: 0 if it brought anything new, else one more than its own."""
        key = patterns.pattern(seen.url)
        if not key and not seen.duplicate and not seen.run:
            return 0
        barren = self._visit_variable(key, seen) if key else self._visit_plain(seen)
        if seen.run:
            corner = _corner(seen.url)
            self._keep(corner, traps.counted(self._state(corner), barren))
        return seen.run + 1 if barren else 0

    def judge(self, url: Url, depth: int, run: int) -> Verdict:
        settings = self._settings
        verdict = traps.by_form(url, depth, settings)
        if not verdict.accepted:
            return verdict
        key = patterns.pattern(url)
        if key:
            verdict = self._judge_variable(url, key)
        elif run >= _SHORT_RUN and traps.repeats_itself(url):
            return refused("trap", f"the path repeats itself, and {run} pages in a row were only copies")
        if not verdict.accepted or not run:
            return verdict
        if key:
            verdict = self._judge_combination(key)
        return self._judge_run(url, key, run) if verdict.accepted else verdict

    def drain(self) -> list[tuple[str, PatternState]]:
        """The states that changed since the last drain, to be stored with the visits that changed them."""
        changed = [(key, self._states[key]) for key in self._changed]
        self._changed = {}
        self._shrink()
        return changed

    def _visit_plain(self, seen: FirstVisit) -> bool:
        # A mirror has one copy of each page; only a second copy within one corner counts as barren.
        return seen.duplicate and self._again("copies in " + patterns.place(seen.url), seen)

    def _visit_variable(self, key: str, seen: FirstVisit) -> bool:
        copies, _ = patterns.copies(seen.url)
        if copies:
            self._again("copies of " + copies, seen)
        state, leads_out = self._follow(key, seen)
        # Of several pages at one depth each may be the first with its shape: which one was fetched first is
        # chance, and must not decide.
        known_at = traps.shape_depth(state, seen.shape)
        novel = known_at is None or known_at >= min(seen.depth, traps.DEEPEST)
        barren = not leads_out and (not novel or self._explodes(key))
        self._keep(key, traps.after_visit(state, seen.shape, seen.depth, novel, barren))
        if "?" in key:
            family = _family(key)
            self._keep(family, traps.counted(self._state(family), barren))
        return barren

    def _again(self, key: str, seen: FirstVisit) -> bool:
        """Whether a page of the same words was seen under `key` before; from now on it was."""
        state = self._state(key)
        again = traps.shape_depth(state, seen.shape) is not None
        self._keep(key, traps.after_visit(state, seen.shape, seen.depth, not again, again))
        return again

    def _follow(self, key: str, seen: FirstVisit) -> tuple[PatternState, bool]:
        """Whether a new link leads out of the pattern to something that is not known to be dull too."""
        state, leads_out = self._state(key), False
        path, _, names = key.partition("?")
        beside = {names: None}
        for url in seen.found:
            target = patterns.pattern(url)
            target_path, _, target_names = target.partition("?")
            if not target:
                leads_out = True
            elif target_path == path:
                beside[target_names] = None
            elif traps.knows_target(state, number := xxhash.xxh32_intdigest(target.encode())):
                leads_out = leads_out or self._lively(target)
            else:
                state, leads_out = traps.with_target(state, number), True
        if names:
            self._keep(_family(key), traps.with_sets(self._state(_family(key)), beside))
        return state, leads_out

    def _lively(self, key: str) -> bool:
        state = self._state(key)
        return state.fetched > 0 and state.dull < _LIVELY

    def _explodes(self, key: str) -> bool:
        """Whether the path's parameters combine so freely that new words alone mean nothing any more."""
        names, most = patterns.parameters(key), self._settings.max_combinations
        return "&" in names and 0 < most <= traps.combinations(self._state(_family(key)), names)

    def _judge_variable(self, url: Url, key: str) -> Verdict:
        settings = self._settings
        if 0 < settings.max_pattern_pages <= self._state(key).fetched:
            return refused("trap", f"more than {settings.max_pattern_pages} pages of one pattern ({_shown(key)})")
        copies, certainty = patterns.copies(url)
        if not copies or not settings.max_copies:
            return ACCEPTED
        state = self._state("copies of " + copies)
        enough = settings.max_copies * (1 + Certainty.SURE - certainty)
        # A sure session id needs no equal texts: the page may show the id.
        surely = certainty is Certainty.SURE and state.fetched >= 2 * settings.max_copies
        if state.barren < enough and not surely:
            return ACCEPTED
        named = "an id" if certainty is Certainty.RANDOM else "a session id"
        return refused("trap", f"{named} makes endless copies: {state.fetched} fetched ({_shown(copies)})")

    def _judge_combination(self, key: str) -> Verdict:
        if not self._explodes(key):
            return ACCEPTED
        barren = self._state(_family(key)).barren
        if not 0 < self._settings.spread_patience <= barren:
            return ACCEPTED
        told = f"parameters combined in ever new ways: {barren} pages in a row led nowhere else"
        return refused("trap", f"{told} ({_shown(key)})")

    def _judge_run(self, url: Url, key: str, run: int) -> Verdict:
        settings = self._settings
        state = self._state(key or "copies in " + patterns.place(url))
        shown = _shown(key or patterns.place(url))
        if 0 < settings.patience <= run and state.stale >= min(settings.pattern_patience, settings.patience):
            return refused("trap", f"{_changing(key)}{run} pages in a row led only to more of the same ({shown})")
        barren = self._state(_corner(url)).barren
        if not 0 < settings.spread_patience <= barren or state.barren < settings.pattern_patience:
            return ACCEPTED
        return refused("trap", f"{_changing(key)}{barren} pages of this kind brought nothing new ({shown})")

    def _state(self, key: str) -> PatternState:
        state = self._states.get(key)
        return state or self._recall(key) or EMPTY

    def _keep(self, key: str, state: PatternState) -> None:
        self._states.pop(key, None)
        self._states[key] = state
        self._changed[key] = None

    def _shrink(self) -> None:
        excess = len(self._states) - self._capacity
        if excess > 0:
            for key in list(islice(self._states, excess + self._capacity // 4)):
                del self._states[key]


def _family(key: str) -> str:
    return "combinations of " + key.partition("?")[0]


def _corner(url: Url) -> str:
    return "corner " + patterns.place(url)


def _changing(key: str) -> str:
    names = patterns.parameters(key)
    return f"?{names}= keeps changing: " if names else ""


def _shown(pattern: str) -> str:
    return pattern if len(pattern) <= _NAMES_SHOWN else pattern[: _NAMES_SHOWN - 1] + "…"
