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
_SHORT_RUN = 3
_NAMES_SHOWN = 120


class Seen(Struct, frozen=True):
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

    Without `recall` what left is forgotten, which can delay a verdict and never causes one.
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

    def visit(self, seen: Seen) -> int:
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
        elif run >= _SHORT_RUN - 1 and traps.repeats_itself(url):
            return refused("trap", f"the path repeats itself, and {run} pages in a row were only copies")
        if not verdict.accepted or run < _SHORT_RUN:
            return verdict
        return self._judge_run(url, key, run)

    def drain(self) -> list[tuple[str, PatternState]]:
        """The states that changed since the last drain, to be stored with the visits that changed them."""
        changed = [(key, self._states[key]) for key in self._changed]
        self._changed = {}
        self._shrink()
        return changed

    def _visit_plain(self, seen: Seen) -> bool:
        # A mirror has one copy of each page; only a second copy within one corner counts as barren.
        if not seen.duplicate:
            return False
        key = "copies in " + patterns.place(seen.url)
        state = self._state(key)
        barren = traps.shape_depth(state, seen.shape) is not None
        self._keep(key, traps.after_visit(state, seen.shape, seen.depth, barren))
        return barren

    def _visit_variable(self, key: str, seen: Seen) -> bool:
        copies, _ = patterns.copies(seen.url)
        if copies:
            self._visit_copy("copies of " + copies, seen)
        state, leads_out = self._follow(key, seen)
        # Of several pages at one depth each may be the first with its shape: which one was fetched first is
        # chance, and must not decide.
        known_at = traps.shape_depth(state, seen.shape)
        novel = known_at is None or known_at >= min(seen.depth, 0xFFFF)
        barren = not leads_out and (not novel or self._explodes(key))
        self._keep(key, traps.after_visit(state, seen.shape, seen.depth, barren))
        return barren

    def _visit_copy(self, key: str, seen: Seen) -> None:
        state = self._state(key)
        again = traps.shape_depth(state, seen.shape) is not None
        self._keep(key, traps.after_visit(state, seen.shape, seen.depth, again))

    def _follow(self, key: str, seen: Seen) -> tuple[PatternState, bool]:
        """Whether a new link leads out of the pattern to something that is not known to be barren too."""
        state, path, leads_out = self._state(key), key.partition("?")[0], False
        for url in seen.found:
            target = patterns.pattern(url)
            if not target:
                leads_out = True
                continue
            if target.partition("?")[0] == path:
                continue
            number = xxhash.xxh32_intdigest(target.encode())
            if traps.knows_target(state, number):
                leads_out = leads_out or self._lively(target)
            else:
                state, leads_out = traps.with_target(state, number), True
        return state, leads_out

    def _lively(self, key: str) -> bool:
        state = self._states.get(key, EMPTY)
        return state.fetched > 0 and state.barren < _LIVELY

    def _explodes(self, key: str) -> bool:
        path, _, names = key.partition("?")
        if "&" not in names:
            return False
        family = "combinations of " + path
        state = self._state(family)
        grown = traps.with_set(state, names)
        if grown is not state:
            self._keep(family, grown)
        return 0 < self._settings.max_combinations <= traps.combinations(grown, names)

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
        return refused("trap", f"a session id makes endless copies: {state.fetched} fetched ({_shown(copies)})")

    def _judge_run(self, url: Url, key: str, run: int) -> Verdict:
        settings = self._settings
        state = self._state(key or "copies in " + patterns.place(url))
        shown = _shown(key or patterns.place(url))
        if 0 < settings.patience <= run and state.stale >= min(settings.pattern_patience, settings.patience):
            return refused("trap", f"{_counting(key)}{run} pages in a row led only to more of the same ({shown})")
        barren = self._state(_corner(url)).barren
        if not 0 < settings.spread_patience <= barren:
            return ACCEPTED
        if state.barren < settings.pattern_patience and not (key and self._explodes(key)):
            return ACCEPTED
        return refused("trap", f"{_counting(key)}{barren} pages of this kind brought nothing new ({shown})")

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


def _corner(url: Url) -> str:
    return "corner " + patterns.place(url)


def _counting(key: str) -> str:
    names = patterns.parameters(key)
    return f"?{names}= keeps changing: " if names else ""


def _shown(pattern: str) -> str:
    return pattern if len(pattern) <= _NAMES_SHOWN else pattern[: _NAMES_SHOWN - 1] + "…"
