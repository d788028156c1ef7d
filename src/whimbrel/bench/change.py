"""`bench change`: real changes found and false alarms raised, ours beside the paper's methods and simple ones.

No number in `whimbrel.change` was fitted to these pairs, but their differences were read while its rules were made:
none of these sites is held out. Sites that are stand in `change_sites`.
"""

import gzip
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import process_time

import msgspec
from msgspec import Struct

from whimbrel.bench.goals import Goal, at_most
from whimbrel.change.checksum import checksum_of
from whimbrel.change.decide import decide
from whimbrel.change.fingerprint import fingerprint
from whimbrel.change.noise import learn
from whimbrel.change.rms import rms_of
from whimbrel.change.tree import compare
from whimbrel.change.version import ComparedVersion, read_version
from whimbrel.parse import html, reading
from whimbrel.parse.document import tree_of
from whimbrel.parse.tree import tag_sequence, tree

HTML = "text/html"
GOAL_PAIR_MS = 5.0
_HISTORY_VERSIONS = 6

_MONTHS = ("January", "February", "March", "April", "May")
_SAYINGS = ("Early birds sing", "Still waters run deep", "No smoke without fire", "Haste makes waste")

_WORDS, _PARTS, _RANKS = ("content",), ("structural", "content"), ("structural", "presentation")
LABELLED: dict[str, tuple[str, ...]] = {
    "89ccf961b8fe5a11": _WORDS,
    "9a286f7e85005ee5": _WORDS,
    "2a12d04f6bd52137": _PARTS,
    "385055730dbc84e3": _WORDS,
    "3f202aa85432fb59": _WORDS,
    "8799078ccb3843bf": _WORDS,
    "35ea251f4302032b": _WORDS,
    "467ef2b1bea9fae5": _WORDS,
    "e202f4ba451a6c0c": _PARTS,
    "2d84210129048e99": _WORDS,
    "3093cde5cfafcd42": _PARTS,
    "331e4c20b1efb873": _RANKS,
    "e79f74daef9c61cc": _WORDS,
    "176a6079bbaf999e": _PARTS,
    "62391cb43aa28765": _RANKS,
    "b83ee5984f50b8b9": _WORDS,
    "380d429484be1693": _WORDS,
    "b32c9bdda844adaa": _PARTS,
}
"""Kinds as a person sees them, by the version before; read from the difference of the pages' text and elements."""


class Case(Struct, frozen=True):
    page: str
    before: str
    after: str
    changed: bool

    @property
    def site(self) -> str:
        return self.page.partition("/")[0]


class ChangeScore(Struct, frozen=True):
    """How a method did on the pairs of one site, or of all."""

    method: str
    site: str
    changes: int
    found: int
    quiet: int
    false_alarms: int

    @property
    def precision(self) -> float:
        return self.found / max(1, self.found + self.false_alarms)

    @property
    def recall(self) -> float:
        return self.found / max(1, self.changes)


class MethodCost(Struct, frozen=True):
    """The CPU time a method takes for a page, its parsing included, and what it must keep of the page before."""

    method: str
    microseconds: float
    bytes_kept: float


class ChangeReport(Struct, frozen=True):
    pairs: int
    scores: list[ChangeScore]
    costs: list[MethodCost]
    pair_ms: float
    """CPU time of reading and comparing two versions, the median."""
    mistakes: list[str]
    kinds_right: int
    kinds_labelled: int
    kinds_wrong: list[str]


Seen = Callable[[bytes], object]


def goals(report: ChangeReport) -> list[Goal]:
    return (
        [at_most("ms of CPU a pair, read and compared, median", report.pair_ms, GOAL_PAIR_MS)] if report.pairs else []
    )


def run(folder: Path, say: Callable[[str], None]) -> ChangeReport:
    """Every method over every pair in `folder`, which holds `pairs.jsonl` and `pages/`."""
    cases = [msgspec.json.decode(line, type=Case) for line in (folder / "pairs.jsonl").read_bytes().splitlines()]
    names = dict.fromkeys(name for case in cases for name in (case.before, case.after))
    bodies = {name: gzip.decompress((folder / "pages" / f"{name}.html.gz").read_bytes()) for name in names}
    say("CPU time")
    pair_ms = _pair_ms([(bodies[case.before], bodies[case.after]) for case in cases])
    costs = [*_costs([*bodies.values()])]
    verdicts: dict[str, list[bool]] = {}
    for method, seen in METHODS.items():
        say(method)
        views = {name: seen(body) for name, body in bodies.items()}
        verdicts[method] = [views[case.before] != views[case.after] for case in cases]
    say("the tree, level by level")
    trees = {name: tree(body, HTML) for name, body in bodies.items()}
    verdicts["P1 tree"] = [compare(trees[case.before], trees[case.after]).degree != "none" for case in cases]
    say("ours")
    versions = {name: read_version(body, HTML) for name, body in bodies.items()}
    verdicts |= _ours(cases, versions, "ours")
    say("ours, with noise put in")
    restless = {name: read_version(_restless(body, n), HTML) for n, (name, body) in enumerate(bodies.items())}
    verdicts |= _ours(cases, restless, "noise put in, ours")
    kinds = [(case, decide(versions[case.before], versions[case.after]).kinds) for case in cases]
    labelled = [(case, found) for case, found in kinds if case.before in LABELLED and case.changed]
    wrong = [
        f"{case.page} {case.before}: {', '.join(found)} instead of {', '.join(LABELLED[case.before])}"
        for case, found in labelled
        if found != LABELLED[case.before]
    ]
    return ChangeReport(
        pairs=len(cases),
        scores=list(_scores(cases, verdicts)),
        costs=costs,
        pair_ms=pair_ms,
        mistakes=list(_mistakes(cases, verdicts)),
        kinds_right=len(labelled) - len(wrong),
        kinds_labelled=len(labelled),
        kinds_wrong=wrong,
    )


def _visible(body: bytes) -> object:
    return html.read(body, HTML).text


def _text_and_links(body: bytes) -> object:
    page = html.read(body, HTML)
    return page.text, [anchor.href for anchor in page.anchors]


def _main_text_and_links(body: bytes) -> object:
    blocks = read_version(body, HTML).blocks
    return [(block.text, block.links) for block in blocks]


def _paragraphs(body: bytes) -> list[tuple[str, str]]:
    return [(block.tag, block.text) for block in read_version(body, HTML).blocks]


METHODS: Mapping[str, Seen] = {
    "bytes": lambda body: body,
    "visible text": _visible,
    "visible text or links": _text_and_links,
    "extracted main text": lambda body: reading.main_text(body, HTML),
    "main part, text or links": _main_text_and_links,
    "P1 fingerprint": lambda body: fingerprint(tag_sequence(body, HTML)),
    "P1 RMS, whole page": lambda body: rms_of([html.read(body, HTML).text]),
    "P1 checksum, whole page": lambda body: checksum_of([("body", html.read(body, HTML).text)]),
    "P1 RMS, main part": lambda body: rms_of([text for _, text in _paragraphs(body)]),
    "P1 checksum, main part": lambda body: checksum_of(_paragraphs(body)),
}


def _restless(body: bytes, visit: int) -> bytes:
    """The page with a date, a counter and a line that rotates at the head of its main part."""
    lines = (
        f"Today is {1 + visit % 28} {_MONTHS[visit % len(_MONTHS)]} 2024",
        f"{1000 + 7 * visit} readers so far",
        _SAYINGS[visit % len(_SAYINGS)],
    )
    start = max(body.find(b"<main"), body.find(b"<body"))
    at = body.find(b">", start) + 1
    return body[:at] + "".join(f"<p>{line}</p>" for line in lines).encode() + body[at:]


def _ours(cases: Sequence[Case], versions: Mapping[str, ComparedVersion], name: str) -> dict[str, list[bool]]:
    older = _histories(cases, versions)
    beside = [_neighbours(case, cases, versions) for case in cases]
    found: dict[str, list[bool]] = {}
    for method, past, near in (
        (name, False, False),
        (f"{name} with history", True, False),
        (f"{name} with neighbours", False, True),
        (f"{name} with both", True, True),
    ):
        found[method] = [
            decide(
                versions[case.before],
                versions[case.after],
                learn([*(history if past else ()), versions[case.before]], neighbours if near else ()),
            ).changed
            for case, history, neighbours in zip(cases, older, beside, strict=True)
        ]
    return found


def _histories(cases: Sequence[Case], versions: Mapping[str, ComparedVersion]) -> list[list[ComparedVersion]]:
    """For each pair the versions of its page that stand before it in the file, never those of the pair or later.

    Where a pair begins with the version that the one before ended with, that is one visit and not two.
    """
    seen: defaultdict[str, list[str]] = defaultdict(list)
    histories = []
    for case in cases:
        past = seen[case.page]
        older = past[:-1] if past[-1:] == [case.before] else past
        histories.append([versions[name] for name in older[-_HISTORY_VERSIONS:]])
        seen[case.page] = [*older, case.before, case.after]
    return histories


def _neighbours(case: Case, cases: Sequence[Case], versions: Mapping[str, ComparedVersion]) -> list[ComparedVersion]:
    """Of every other page of the site the version that shares most files with this one: nothing else tells when."""
    files = {*versions[case.after].sources, *versions[case.after].sheets}
    best: dict[str, tuple[int, str]] = {}
    for other in cases:
        if other.site == case.site and other.page != case.page:
            for name in (other.before, other.after):
                common = len(files.intersection((*versions[name].sources, *versions[name].sheets)))
                best[other.page] = max(best.get(other.page, (0, "")), (common, name))
    return [versions[name] for common, name in best.values() if common]


def _scores(cases: Sequence[Case], verdicts: Mapping[str, Sequence[bool]]) -> Iterator[ChangeScore]:
    sites = [*dict.fromkeys(case.site for case in cases)]
    groups = {site: {site} for site in sites}
    groups["all"] = {*sites}
    for method, said in verdicts.items():
        for name, members in groups.items():
            pairs = [(case.changed, alarm) for case, alarm in zip(cases, said, strict=True) if case.site in members]
            changes = [alarm for changed, alarm in pairs if changed]
            quiet = [alarm for changed, alarm in pairs if not changed]
            yield ChangeScore(method, name, len(changes), sum(changes), len(quiet), sum(quiet))


def _mistakes(cases: Sequence[Case], verdicts: Mapping[str, Sequence[bool]]) -> Iterator[str]:
    for method, said in verdicts.items():
        if method.startswith("ours"):
            for case, alarm in zip(cases, said, strict=True):
                if case.changed != alarm:
                    what = "false alarm" if alarm else "missed"
                    yield f"{method}: {what}, {case.page} {case.before} to {case.after}"


def _costs(bodies: Sequence[bytes]) -> Iterator[MethodCost]:
    sample = bodies[:: max(1, len(bodies) // 60)]
    sizes: dict[str, tuple[Seen, Callable[[object], int]]] = {
        "parsing alone": (lambda body: tree_of(body, HTML)[0], lambda document: 0),
        "P1 tree": (lambda body: tree(body, HTML), lambda node: len(msgspec.msgpack.encode(node))),
        "P1 fingerprint": (METHODS["P1 fingerprint"], _kept),
        "P1 RMS": (METHODS["P1 RMS, main part"], _kept),
        "P1 checksum": (METHODS["P1 checksum, main part"], _kept),
        "ours": (lambda body: read_version(body, HTML).blocks, _kept),
    }
    for method, (seen, kept) in sizes.items():
        times, weights = [], []
        for body in sample:
            start = process_time()
            view = seen(body)
            times.append(process_time() - start)
            weights.append(kept(view))
        yield MethodCost(method, 1e6 * median(times), median(weights))


def _kept(view: object) -> int:
    return len(msgspec.msgpack.encode(view))


def _pair_ms(pairs: Sequence[tuple[bytes, bytes]]) -> float:
    times = []
    for before, after in pairs:
        start = process_time()
        decide(read_version(before, HTML), read_version(after, HTML))
        times.append(process_time() - start)
    return 1000 * median(times)
