"""The methods of `bench change` on sites in two releases, most of which nobody looked at while the rules were made.

A sample of each site's pages; truth is the text of its content element (`released`). Ours also sees some pages of the
site, old and new, as in a refresh.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

from msgspec import Struct

from whimbrel.bench.machine import MissingTool, Say
from whimbrel.bench.released import SOURCES, Released, releases, text_of
from whimbrel.change.decide import decide
from whimbrel.change.noise import learn
from whimbrel.change.tree import compare
from whimbrel.change.version import ComparedVersion, read_version
from whimbrel.parse.tree import tree

HTML = "text/html"
SEED = 4
MOST_CHANGED, MOST_UNCHANGED = 20, 30
NEIGHBOURS = 6
_LOOKED_AT = 2_000

Seen = Callable[[bytes], object]


class SiteScore(Struct, frozen=True):
    method: str
    held_out: bool
    changes: int
    found: int
    quiet: int
    false_alarms: int


class Sites(Struct, frozen=True):
    scores: list[SiteScore]
    names: list[str]
    missing: list[str]


class _Pair(Struct, frozen=True):
    before: bytes
    after: bytes
    changed: bool


def run(methods: Mapping[str, Seen], cache: Path, say: Say) -> Sites:
    """`methods` are those that compare two views of a page."""
    scores: list[SiteScore] = []
    names, missing = [], []
    for source in SOURCES:
        try:
            released = releases(source, cache, say)
        except MissingTool as reason:
            missing.append(str(reason))
            continue
        say(f"{source.package} {released.versions[0]}, {released.versions[1]}")
        names.append(source.package)
        pairs = _sample(released)
        for method, said in _verdicts(released, pairs, methods).items():
            scores.append(_score(method, source.held_out, pairs, said))
    return Sites(_added(scores), names, missing)


def _sample(released: Released) -> list[_Pair]:
    """Changed and unchanged pages with other bytes, as many as fit, in an order that the seed decides."""
    paths = released.pages()
    Random(SEED).shuffle(paths)
    kept: dict[bool, list[_Pair]] = {True: [], False: []}
    room = {True: MOST_CHANGED, False: MOST_UNCHANGED}
    for path in paths[:_LOOKED_AT]:
        before, after = (released.old / path).read_bytes(), (released.new / path).read_bytes()
        if before == after:
            continue
        was, now = text_of(before, released.source), text_of(after, released.source)
        if was is None or now is None:
            continue
        if len(kept[was != now]) < room[was != now]:
            kept[was != now].append(_Pair(before, after, was != now))
        if all(len(kept[changed]) == room[changed] for changed in room):
            break
    return kept[True] + kept[False]


def _verdicts(released: Released, pairs: Sequence[_Pair], methods: Mapping[str, Seen]) -> dict[str, list[bool]]:
    found = {name: [seen(pair.before) != seen(pair.after) for pair in pairs] for name, seen in methods.items()}
    found["P1 tree"] = [
        compare(tree(pair.before, HTML), tree(pair.after, HTML)).degree != "none" for pair in pairs
    ]  # fmt: skip
    versions = [(read_version(pair.before, HTML), read_version(pair.after, HTML)) for pair in pairs]
    found["ours"] = [decide(before, after).changed for before, after in versions]
    common = learn([], _neighbours(released))
    found["ours with neighbours"] = [decide(before, after, common).changed for before, after in versions]
    return found


def _neighbours(released: Released) -> list[ComparedVersion]:
    """Some pages in the old release and others in the new one."""
    paths = released.pages()
    chosen = Random(SEED + 1).sample(paths, min(2 * NEIGHBOURS, len(paths)))
    return [
        read_version(((released.old, released.new)[at % 2] / path).read_bytes(), HTML)
        for at, path in enumerate(chosen)
    ]  # fmt: skip


def _score(method: str, held_out: bool, pairs: Sequence[_Pair], said: Sequence[bool]) -> SiteScore:
    changes = [alarm for pair, alarm in zip(pairs, said, strict=True) if pair.changed]
    quiet = [alarm for pair, alarm in zip(pairs, said, strict=True) if not pair.changed]
    return SiteScore(method, held_out, len(changes), sum(changes), len(quiet), sum(quiet))


def _added(scores: Sequence[SiteScore]) -> list[SiteScore]:
    """Over all sites that were looked at, and over all that were held out."""
    totals: dict[tuple[bool, str], SiteScore] = {}
    for one in scores:
        key = (one.held_out, one.method)
        so_far = totals.get(key, SiteScore(one.method, one.held_out, 0, 0, 0, 0))
        totals[key] = SiteScore(
            one.method, one.held_out, so_far.changes + one.changes, so_far.found + one.found,
            so_far.quiet + one.quiet, so_far.false_alarms + one.false_alarms,
        )  # fmt: skip
    return list(totals.values())
