"""How near the main text comes to what people marked, beside its peers, and what it costs.

The shipped model was learned from the pages at hand, so its own figure on them proves nothing. What is judged are
models of the same making that never saw the site of a page, or its kind: learned anew for every fold, names and all.
"""

import hashlib
import json
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from whimbrel.bench import goals as reached
from whimbrel.bench import text_peers
from whimbrel.bench.goals import Goal
from whimbrel.bench.machine import MissingTool, Say
from whimbrel.bench.peers import scrapy_python, settings
from whimbrel.bench.text_pages import MainText, f1, html_of, truths
from whimbrel.parse import reading

FOLDS = 5
HTML = "text/html; charset=utf-8"
SITES, KINDS = "ours, site never seen", "ours, kind never seen"
QUICK_SITES, QUICK_KINDS = "quick, site never seen", "quick, kind never seen"
SHIPPED, QUICK = "ours, as shipped", "quick, as shipped"


class TextScore(Struct, frozen=True):
    """`milliseconds` of CPU a page, bytes to text; None where only the judgement was measured."""

    name: str
    mean: float
    kinds: dict[str, float]
    worst_site: str
    worst: float
    """The mean over the pages of the site that comes out worst, of those with three pages or more."""
    milliseconds: float | None = None

    @property
    def worst_kind(self) -> str:
        return min(self.kinds, key=self.kinds.__getitem__)


class TextReport(Struct, frozen=True):
    pages: int
    sites: int
    scores: list[TextScore]
    missing: list[str]

    def score(self, name: str) -> TextScore | None:
        return next((one for one in self.scores if one.name == name), None)


def run(folder: Path, say: Say) -> TextReport:
    pages = truths(folder)
    missing: list[str] = []
    scores = _validated(folder, pages, say, missing)
    for name, quick in ((SHIPPED, False), (QUICK, True)):
        say(name)
        scores.append(_shipped(folder, pages, name, quick))
    for peer in text_peers.PEERS:
        say(peer)
        try:
            scores.append(_peer(folder, pages, peer))
        except MissingTool as reason:
            missing.append(str(reason))
    return TextReport(len(pages), len({page.site for page in pages}), scores, missing)


def goals(report: TextReport) -> list[Goal]:
    found: list[Goal] = []
    ours, by_kind, quick = report.score(SITES), report.score(KINDS), report.score(QUICK_SITES)
    peer = report.score("trafilatura")
    for one in filter(None, (ours, by_kind)):
        found.append(reached.at_least(f"mean F1 ({one.name})", one.mean, 0.79))
        found.append(
            reached.at_least(f"F1 of the worst kind ({one.name}: {one.worst_kind})", one.kinds[one.worst_kind], 0.60)
        )
        if peer is not None:
            found.append(reached.at_least(f"mean F1 above trafilatura's ({one.name})", one.mean - peer.mean, 0.03))
    if quick is not None and peer is not None:
        found.append(reached.at_least(f"mean F1 above trafilatura's ({quick.name})", quick.mean - peer.mean, 0.0))
    for name, most in ((SHIPPED, 0.2), (QUICK, 0.1)):
        cost = report.score(name)
        if cost is not None and peer is not None and cost.milliseconds is not None and peer.milliseconds:
            share = cost.milliseconds / peer.milliseconds
            found.append(reached.at_most(f"CPU as a share of trafilatura's ({name})", share, most))
    return found


def _validated(folder: Path, pages: Sequence[MainText], say: Say, missing: list[str]) -> list[TextScore]:
    try:
        import numpy  # noqa: F401
    except ImportError:
        missing.append("models learned anew need NumPy, which comes with `whimbrel search`")
        return []
    from whimbrel.bench import text_folds

    marked = text_folds.marked_pages(folder, pages)
    scores = []
    for names, groups in (
        ((SITES, QUICK_SITES), folds([page.site for page in pages])),
        ((KINDS, QUICK_KINDS), [page.kind for page in pages]),
    ):
        for name, texts in zip(names, text_folds.texts(marked, groups, say), strict=True):
            scores.append(_score(name, pages, texts))
    return scores


def folds(sites: Sequence[str]) -> list[str]:
    """Every site in one of five folds, by a hash of its name: all its pages are held out together."""
    return [str(int(hashlib.sha256(site.encode()).hexdigest(), 16) % FOLDS) for site in sites]


def _shipped(folder: Path, pages: Sequence[MainText], name: str, quick: bool) -> TextScore:
    texts, seconds = [], 0.0
    for page in pages:
        body = html_of(folder, page.id)
        began = time.process_time()
        texts.append(reading.main_text(body, HTML, quick=quick))
        seconds += time.process_time() - began
    return _score(name, pages, texts, 1e3 * seconds / len(pages))


def _peer(folder: Path, pages: Sequence[MainText], peer: str) -> TextScore:
    python = scrapy_python()
    if not python.exists():
        raise MissingTool(f"{peer} is not installed; `python requirements/install.py bench` does it")
    command = [str(python), "-I", text_peers.__file__, str(folder), peer]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=settings(), check=False)
    if done.returncode == text_peers.ABSENT:
        raise MissingTool(f"{peer} is not installed; `python requirements/install.py bench` does it")
    if done.returncode:
        raise MissingTool(f"{peer} failed: {done.stderr.decode(errors='replace')[-200:]}")
    found = {line["page"]: line for line in map(json.loads, done.stdout.splitlines())}
    seconds = sum(line["seconds"] for line in found.values())
    return _score(peer, pages, [found[page.id]["text"] for page in pages], 1e3 * seconds / len(pages))


def _score(name: str, pages: Sequence[MainText], texts: Sequence[str], milliseconds: float | None = None) -> TextScore:
    values = [f1(text, page.main_text) for page, text in zip(pages, texts, strict=True)]
    kinds = _means([page.kind for page in pages], values, 1)
    sites = _means([page.site for page in pages], values, 3)
    worst = min(sites, key=sites.__getitem__) if sites else ""
    return TextScore(name, sum(values) / len(values), kinds, worst, sites.get(worst, 0.0), milliseconds)


def _means(names: Sequence[str], values: Sequence[float], least: int) -> dict[str, float]:
    groups: dict[str, list[float]] = {}
    for name, value in zip(names, values, strict=True):
        groups.setdefault(name, []).append(value)
    return {name: sum(group) / len(group) for name, group in sorted(groups.items()) if len(group) >= least}
