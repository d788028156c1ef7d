"""How well and how cheaply near-duplicates are found among a million documents, and among real pages.

Ours is what the follower does: sketch, index of bands, estimate, comparison of the texts. Making the texts stands for
extracting them and is not counted. Beside it 64-bit SimHash with distance 3 (Manku, Jain, Das Sarma 2007) judges the
first documents of the same run, and where rensa is installed its sketch is timed too.
"""

import gc
import importlib.util
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from msgspec import Struct

from whimbrel.bench.goals import Goal, at_least, at_most
from whimbrel.bench.machine import MissingTool
from whimbrel.bench.near_copies import CopiesScore, Family, families, judged, read_pages
from whimbrel.bench.near_documents import EDITS, Language, document, language_of, origin
from whimbrel.bench.near_finder import Finder, ReadPage, StageClock, seen
from whimbrel.bench.simhash import SimHashes
from whimbrel.dedupe.shingles import runs_of, words_of
from whimbrel.dedupe.sketch import BINS, least_of
from whimbrel.documents.memory import memory_of
from whimbrel.flows.twins.near import BATCH

GOAL_MS = 0.3
GOAL_BYTES = 300_000_000
GOAL_PRECISION = 0.99
GOAL_RECALL_OF_COPIES = 0.92
GOAL_RECALL = {0.0: 0.98, 0.01: 0.98, 0.02: 0.98, 0.05: 0.90}
MODEL_PAGES = 400

Say = Callable[[str], None]


class NearTrial(Struct, frozen=True):
    """`site` gives the words of the documents, and its pages are judged besides. `copies` pages are taken of each
    release of the real near-copies; `releases` is a folder of packed ones."""

    site: Path
    documents: int = 1_000_000
    peer_documents: int = 20_000
    real_pages: int = 3_000
    seed: int = 1
    copies: int = 0
    releases: Path | None = None


class NearScore(Struct, frozen=True):
    """What one way found: links said, those that are right, and by share of edited words how many copies it linked."""

    name: str
    documents: int
    linked: int
    right: int
    copies: dict[float, int]
    recalled: dict[float, int]
    milliseconds: float

    @property
    def precision(self) -> float:
        return self.right / self.linked if self.linked else 1.0

    def recall(self, edits: float) -> float:
        return self.recalled.get(edits, 0) / self.copies[edits] if self.copies.get(edits) else 1.0


class Real(Struct, frozen=True):
    """Near-twins among real pages of one site. Pages under different file names are different pages: `wrong` counts
    those that were linked all the same; `same_name` are left to the reader."""

    site: str
    pages: int
    linked: int
    same_name: int
    wrong: int
    examples: tuple[str, ...]


class NearReport(Struct, frozen=True):
    """Stages are CPU milliseconds a document. Growth is what the process grew by while the documents came in, peak how
    much larger it was at its largest."""

    words: float
    ours: NearScore
    simhash: NearScore | None
    stages: dict[str, float]
    index_bytes: int
    growth_bytes: int
    peak_bytes: int
    sketches_ms: dict[str, float]
    real: Real | None
    copies: list[CopiesScore]
    absent: list[str]


def run(plan: NearTrial, say: Say) -> NearReport:
    say(f"reading pages of {plan.site} for their words …")
    texts = [page.text for page in _pages(plan.site, MODEL_PAGES, plan.seed)]
    language = language_of(texts)
    if not language.lengths:
        raise ValueError(f"{plan.site} holds no pages with enough words; name a folder of HTML pages with --site")
    say(f"{plan.documents} documents …")
    gc.freeze()  # what the words are kept in is no part of what is measured
    before = memory_of("self")
    ours, finder, watch = _ours(plan, language, say)
    after = memory_of("self")
    copies, absent = _copies(plan, say)
    say(f"SimHash on the first {plan.peer_documents} …")
    return NearReport(
        words=sum(language.lengths) / len(language.lengths),
        ours=ours,
        simhash=_simhash(plan, language) if plan.peer_documents else None,
        stages={stage: spent / 1e6 / plan.documents for stage, spent in watch.spent.items()},
        index_bytes=finder.index.size_bytes,
        growth_bytes=after.resident_bytes - before.resident_bytes,
        peak_bytes=max(0, after.peak_bytes - before.resident_bytes),
        sketches_ms=_sketches(texts),
        real=_real(plan, say) if plan.real_pages else None,
        copies=copies,
        absent=absent,
    )


def _ours(plan: NearTrial, language: Language, say: Say) -> tuple[NearScore, Finder, StageClock]:
    watch = StageClock()
    with tempfile.TemporaryFile() as sketches:
        finder = Finder(lambda number: _made(language, number), watch, sketches.fileno())
        links = dict[int, int]()
        for number in range(plan.documents):
            leader = finder.take(_made(language, number))
            if leader is not None:
                links[number] = leader
            if number and number % 100_000 == 0:
                say(f"{number} …")
    spent = sum(watch.spent.values()) / 1e6 / plan.documents
    return _judged("whimbrel", plan.documents, links, spent), finder, watch


def _made(language: Language, number: int) -> ReadPage:
    text = document(language, number)
    return ReadPage("", "", text, text)


def _simhash(plan: NearTrial, language: Language) -> NearScore:
    peer, spent, links = SimHashes(), 0, dict[int, int]()
    count = min(plan.peer_documents, plan.documents)
    for number in range(count):
        text = document(language, number)
        begun = time.process_time_ns()
        twin = peer.take(words_of(text))
        spent += time.process_time_ns() - begun
        if twin is not None:
            links[number] = twin
    return _judged("SimHash, 64 bits, distance 3", count, links, spent / 1e6 / count)


def _judged(name: str, documents: int, links: dict[int, int], milliseconds: float) -> NearScore:
    """A link is right when both documents are editions of one text, and neither is a sibling."""
    right, copies, recalled = 0, Counter[float](), Counter[float]()
    for number in range(documents):
        made = origin(number)
        good = number in links and _one_text(number, links[number])
        right += good
        if made.edits is not None:
            copies[made.edits] += 1
            recalled[made.edits] += good
    return NearScore(name, documents, len(links), right, dict(copies), dict(recalled), milliseconds)


def _one_text(number: int, other: int) -> bool:
    one, two = origin(number), origin(other)
    return one.source == two.source and not one.sibling and not two.sibling


def _sketches(texts: list[str]) -> dict[str, float]:
    """CPU milliseconds a text, shingles included, on the real pages that the words come from."""
    ways: dict[str, Callable[[str], object]] = {"ours": lambda text: least_of(runs_of(words_of(text)))}
    if importlib.util.find_spec("rensa") is not None:
        ways["rensa"] = _by_rensa
    spent = {}
    for name, way in ways.items():
        begun = time.process_time_ns()
        for text in texts:
            way(text)
        spent[name] = (time.process_time_ns() - begun) / 1e6 / len(texts)
    return spent


def _by_rensa(text: str) -> object:
    from rensa import RMinHash

    words = text.lower().split()
    sketch = RMinHash(num_perm=BINS, seed=1)
    sketch.update(list(map(" ".join, zip(words, words[1:], words[2:], strict=False))))
    return sketch.digest()


def _real(plan: NearTrial, say: Say) -> Real:
    say(f"comparing {plan.real_pages} real pages …")
    pages = list(_pages(plan.site, plan.real_pages, plan.seed))
    with tempfile.TemporaryFile() as sketches:
        finder = Finder(pages.__getitem__, StageClock(), sketches.fileno())
        links = [(at, leader) for at, page in enumerate(pages) if (leader := finder.take(page)) is not None]
    names = [(pages[one].path, pages[other].path) for one, other in links]
    wrong = [(one, other) for one, other in names if Path(one).name != Path(other).name]
    examples = tuple(f"{one} | {other}" for one, other in (wrong or names)[:5])
    return Real(str(plan.site), len(pages), len(links), len(links) - len(wrong), len(wrong), examples)


def _copies(plan: NearTrial, say: Say) -> tuple[list[CopiesScore], list[str]]:
    """Figures of the families at hand, and why the others are not."""
    found, absent = list[CopiesScore](), list[str]()
    for family in families(plan.releases) if plan.copies else ():
        say(f"comparing {family.name} …")
        try:
            found.append(_judged_family(family, plan))
        except MissingTool as error:
            absent.append(f"{family.name}: {error}")
    return found, absent


def _judged_family(family: Family, plan: NearTrial) -> CopiesScore:
    pages = read_pages(family, plan.copies, plan.seed)
    with tempfile.TemporaryFile() as sketches:
        finder = Finder(pages.__getitem__, StageClock(), sketches.fileno())
        for at, page in enumerate(pages, 1):
            finder.take(page)
            if at % BATCH == 0 or at == len(pages):
                finder.settle()
    return judged(family, pages, list(finder.leaders))


def _pages(site: Path, count: int, seed: int) -> Iterator[ReadPage]:
    """Pages drawn from a folder."""
    paths = sorted(site.rglob("*.html"))
    for path in Random(seed).sample(paths, min(count, len(paths))):
        yield seen(str(path.relative_to(site)), path.read_bytes(), quick=False)


def goals(report: NearReport) -> list[Goal]:
    said = [
        at_most("ms of CPU a document", report.ours.milliseconds, GOAL_MS),
        at_most("MB of memory at its largest, for a million", report.peak_bytes / 1e6, GOAL_BYTES / 1e6),
        at_least("precision", report.ours.precision, GOAL_PRECISION),
    ]
    for copies in report.copies:
        said += [
            at_least(f"precision, {copies.name}", copies.precision, GOAL_PRECISION),
            at_least(f"recall, {copies.name}", copies.recall, GOAL_RECALL_OF_COPIES),
        ]
    held_to = [edits for edits in EDITS if edits in GOAL_RECALL]
    return said + [
        at_least(f"recall at {edits:.0%} edited words", report.ours.recall(edits), GOAL_RECALL[edits])
        for edits in held_to
    ]
