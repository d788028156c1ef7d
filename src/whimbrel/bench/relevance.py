"""`bench relevance`: how well questions are answered, beside BM25, on collections with judged answers.

Every document is served as a small page, crawled and indexed, and every question asked over HTTP as a reader would. The
measure is nDCG@10 (Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", 2002).
"""

import http.client
import json
import math
import subprocess
import sys
import urllib.parse
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from whimbrel.bench import relevance_sets as sets
from whimbrel.bench.goals import Goal, at_least
from whimbrel.bench.machine import MissingTool, Say
from whimbrel.bench.peers import INSTALLER, scrapy_python
from whimbrel.bench.search import crawl
from whimbrel.bench.search_latency import served
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.contract import SearchSettings

TOP = 10
LEAD = 0.01
"""By how much ours is to be better on average."""
TUNED_ON = "these three collections, two at a time, and known pages of Java's and PostgreSQL's manuals"


class CollectionScore(Struct, frozen=True):
    """nDCG@10 of one collection, ours and BM25's; `unanswered` questions found no page at all. `meaning` is ours with
    vectors, None where that was not asked for."""

    name: str
    documents: int
    questions: int
    ours: float
    bm25: float
    unanswered: int
    meaning: float | None = None


class RelevanceReport(Struct, frozen=True):
    collections: list[CollectionScore]
    ours: float
    bm25: float
    tuned_on: str
    meaning: float | None = None


def run(paths: Sequence[Path], work: Path, say: Say, *, meaning: bool = False) -> RelevanceReport:
    peer = prepared(say)
    judged = [_judged(sets.read(path), work, peer, say, meaning) for path in paths]
    with_meaning = [one.meaning for one in judged if one.meaning is not None]
    return RelevanceReport(
        judged, _mean([one.ours for one in judged]), _mean([one.bm25 for one in judged]), TUNED_ON,
        _mean(with_meaning) if with_meaning else None,
    )  # fmt: skip


def goals(report: RelevanceReport) -> list[Goal]:
    each = [at_least(f"nDCG@10 on {one.name}, less BM25's", one.ours - one.bm25, 0.0) for one in report.collections]
    return [*each, at_least("nDCG@10 on average, less BM25's", report.ours - report.bm25, LEAD)]


def prepared(say: Say) -> Path:
    """The Python of the peers' environment."""
    if not INSTALLER.exists():
        raise MissingTool("BM25 is measured from a checkout of Whimbrel only")
    say("bm25s comes from requirements/bench.lock")
    if subprocess.run([sys.executable, str(INSTALLER), "bench"], stdin=subprocess.DEVNULL, check=False).returncode:
        raise MissingTool("bm25s could not be installed; see above")
    return scrapy_python()


def _judged(collection: sets.Collection, work: Path, peer: Path, say: Say, meaning: bool) -> CollectionScore:
    site, folder = work / f"{collection.name}-site", work / collection.name
    sets.write_site(collection, site)
    crawl(site, folder, say)
    names = {f"/{at}.html": paper.name for at, paper in enumerate(collection.papers)}
    asked = [question.text for question in collection.questions]
    ways = [answered(folder, asked, meaning=way) for way in ((False, True) if meaning else (False,))]
    found = [[[names.get(path, "") for path in row] for row in rows] for rows in ways]
    ours, bm25s, *more = (
        _mean([ndcg(row, one.relevant) for row, one in zip(rows, collection.questions, strict=True)])
        for rows in (found[0], bm25(peer, collection, asked), *found[1:])
    )
    say(f"{collection.name}: {ours:.3f}, BM25 {bm25s:.3f}")
    unanswered = sum(not row for row in found[0])
    return CollectionScore(collection.name, len(names), len(asked), ours, bm25s, unanswered, *more)


def answered(folder: Path, questions: Sequence[str], most: int = TOP, *, meaning: bool) -> list[list[str]]:
    """The paths of the best pages for each, from an index with vectors or without."""
    settings = SearchSettings() if meaning else SearchSettings(meaning_weight=0.0)
    with Indexer(folder, settings) as indexer:
        indexer.rebuild()
        indexer.understand()
    with served(folder, {"WHIMBREL_SEARCH_MEANING_WEIGHT": str(settings.meaning_weight)}) as (address, _):
        return [best(address, question, most) for question in questions]


def best(address: str, question: str, most: int = TOP) -> list[str]:
    """The paths of the best pages, best first."""
    connection = http.client.HTTPConnection(address, timeout=60)
    try:
        parameters = urllib.parse.urlencode({"q": question, "size": most, "snippets": 0, "facets": 0})
        connection.request("GET", f"/api/search?{parameters}")
        answer = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    return [urllib.parse.urlsplit(hit["url"]).path for hit in answer["hits"]]


def bm25(peer: Path, collection: sets.Collection, questions: list[str]) -> list[list[str]]:
    texts = [f"{paper.title} {paper.text}" for paper in collection.papers]
    command = [str(peer), "-I", str(Path(__file__).with_name("bm25_peer.py")), str(TOP)]
    given = json.dumps({"texts": texts, "queries": questions})
    said = subprocess.run(command, input=given, text=True, capture_output=True, check=True).stdout
    return [[collection.papers[place].name for place in row] for row in json.loads(said)]


def ndcg(found: Sequence[str], relevant: Mapping[str, float]) -> float:
    """Of the first ten: what their grades are worth at their places, beside the best order there is."""
    most = sorted(relevant.values(), reverse=True)
    return _worth([relevant.get(name, 0.0) for name in found]) / _worth(most)


def _worth(grades: Sequence[float]) -> float:
    return sum(grade / math.log2(place + 1) for place, grade in enumerate(grades[:TOP], 1))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(1, len(values))
