"""How a spider trap is told from a long site (P2 §4).

A trap extends itself: its pages lead to new URLs for ever and those bring nothing new. So a page counts as
*barren* when its words were seen before under the same pattern and none of its new links leads to something
else, and a URL carries its *run*: how many barren pages in a row led to it. One page with something new sets
the run back to nought. Neither a long chain of articles nor a wide list of them ever gets a run.

Three things are judged beside that by the URL alone: its length, its depth, and path segments that repeat.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED, Verdict, refused

_SHAPES = 128
_TARGETS = 64
_SETS = 64
_WIDTH = 4
DEEPEST = 0xFFFF


class TrapSettings(Struct, frozen=True, array_like=True):
    """Where patience ends. A limit of 0 is no limit.

    `patience`: barren pages in a row in one line of links. `spread_patience`: barren pages in a row in one
    corner of a site, for traps that branch. `pattern_patience`: how many of those must be of the URL's own
    pattern; versions of a manual stay below it. `max_copies`: how often a page is fetched again under
    another session id. `max_combinations`: free combinations of parameters on one path, from which on a page
    has to lead out of them to count as new. `max_repeats`: how often one path segment may occur.
    """

    patience: int = 40
    spread_patience: int = 200
    pattern_patience: int = 20
    max_copies: int = 3
    max_combinations: int = 8
    max_repeats: int = 3
    max_url_length: int = 2048
    max_path_segments: int = 40
    max_depth: int = 5000
    max_pattern_pages: int = 100_000


class PatternState(Struct, frozen=True, array_like=True):
    """What is remembered of a pattern, in at most some two kilobytes.

    `barren` counts visits in a row without anything new, `stale` all of them, `dull` visits in a row without
    new words, wherever their links led. `shapes` are the text shapes
    met last (four bytes each), `depths` the smallest depth each was met at (two bytes each), `targets` the
    patterns its pages led to, `sets` the combinations of parameter names seen on its path.
    """

    fetched: int = 0
    barren: int = 0
    stale: int = 0
    dull: int = 0
    shapes: bytes = b""
    depths: bytes = b""
    targets: bytes = b""
    sets: tuple[str, ...] = ()


EMPTY = PatternState()


def counted(state: PatternState, barren: bool) -> PatternState:
    """One more page was visited."""
    return replace(
        state,
        fetched=state.fetched + 1,
        barren=state.barren + 1 if barren else 0,
        stale=state.stale + barren,
    )


def after_visit(state: PatternState, shape: int, depth: int, novel: bool, barren: bool) -> PatternState:
    """One more page was visited and its shape is remembered, at the smallest depth it was met at."""
    short, depth = _short(shape), min(depth, DEEPEST)
    at = _position(state.shapes, short)
    shapes, depths = state.shapes, state.depths
    if at >= 0:
        depth = min(depth, _depth_at(depths, at))
        shapes, depths = shapes[:at] + shapes[at + 4 :], depths[: at // 2] + depths[at // 2 + 2 :]
    return PatternState(
        state.fetched + 1,
        state.barren + 1 if barren else 0,
        state.stale + barren,
        0 if novel else state.dull + 1,
        (shapes + short)[-_SHAPES * _WIDTH :],
        (depths + depth.to_bytes(2, "big"))[-_SHAPES * 2 :],
        state.targets,
        state.sets,
    )


def shape_depth(state: PatternState, shape: int) -> int | None:
    """The smallest depth at which the pattern had a page of this shape, as far as it remembers."""
    at = _position(state.shapes, _short(shape))
    return None if at < 0 else _depth_at(state.depths, at)


def knows_target(state: PatternState, target: int) -> bool:
    return _position(state.targets, _short(target)) >= 0


def with_target(state: PatternState, target: int) -> PatternState:
    return replace(state, targets=(state.targets + _short(target))[-_TARGETS * _WIDTH :])


def with_sets(state: PatternState, names: Iterable[str]) -> PatternState:
    """Remember combinations of parameter names; the first ones seen are the smallest and matter most."""
    fresh = [each for each in names if each and each not in state.sets]
    return replace(state, sets=(*state.sets, *fresh)[:_SETS]) if fresh else state


def combinations(state: PatternState, names: str) -> int:
    """How many free combinations of optional parameters the path has; 0 if `names` is not one of them.

    Faceted navigation offers every parameter with and without every other, so a combination is free when it
    was also seen without any one of its parameters. A forum's `t` and `start`, or a content manager's `view`
    and `id`, do not stand alone. What is in all combinations is not optional.
    """
    core, free = _free(state.sets)
    return len(free) if frozenset(names.split("&")) - core in free else 0


@lru_cache(maxsize=256)
def _free(sets: tuple[str, ...]) -> tuple[frozenset[str], frozenset[frozenset[str]]]:
    named = [frozenset(names.split("&")) for names in sets]
    core = frozenset.intersection(*named) if named else frozenset()
    optional = {names - core for names in named}
    free = (names for names in optional if len(names) >= 2 and all(names - {name} in optional for name in names))
    return core, frozenset(free)


def by_form(url: Url, depth: int, settings: TrapSettings) -> Verdict:
    """What the URL alone gives away."""
    if 0 < settings.max_url_length < len(url):
        return refused("trap", f"the URL is longer than {settings.max_url_length} characters")
    if 0 < settings.max_depth < depth:
        return refused("trap", f"more than {settings.max_depth} links away from every seed")
    slashes = url.count("/") - 2
    if 0 < settings.max_path_segments < slashes:
        return refused("trap", f"the path has more than {settings.max_path_segments} segments")
    most = settings.max_repeats
    if most and (slashes > most or url.count("&") >= most):
        repeated = _repeated(url, most)
        if repeated:
            return refused("trap", f"{repeated!r} occurs more than {most} times in the URL")
    if "%252525" in url:
        return refused("trap", "the URL wraps an escaped URL in itself again and again")
    return ACCEPTED


def repeats_itself(url: Url) -> bool:
    """Whether any path segment occurs twice."""
    segments = [segment for segment in url.partition("?")[0].split("/")[3:] if segment]
    return len(set(segments)) < len(segments)


def _repeated(url: Url, most: int) -> str:
    """The first segment or parameter that occurs more than `most` times; numbers may, twice as often."""
    path, _, query = url.partition("?")
    parts = path.split("/")[3:]
    if query:
        parts = list(chain(parts, query.split("&")))
    if len(parts) - len(set(parts)) < most:
        return ""
    for part in parts:
        if part and parts.count(part) > (2 * most if part.isdigit() else most):
            return part
    return ""


def _short(number: int) -> bytes:
    return (number & 0xFFFFFFFF).to_bytes(_WIDTH, "big")


def _depth_at(depths: bytes, at: int) -> int:
    return depths[at // 2] << 8 | depths[at // 2 + 1]


def _position(packed: bytes, short: bytes) -> int:
    at = packed.find(short)
    while at % _WIDTH and at >= 0:
        at = packed.find(short, at + 1)
    return at
