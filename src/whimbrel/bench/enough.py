"""An answer that was not enough, and the pages that come of it, on real sites whose generator says the kind of a page.

A part of the site is crawled and indexed. A question is asked: the name of a kept page. The kinds of its best answers,
as the generator's file names say them and no judge of ours, are what is wanted. A wish is made of the answer and
granted by a crawl, with no limit but the site; every page that it brings is held against its file name.
Beside it a plain crawl makes as many visits from the same start. Pages of which no name tells the kind are counted and
not judged.

Precision is the share of the pages brought that are of a wanted kind; recall is the share of the wanted kinds' pages
that links lead to and that were not here. Dead are answers that were errors, redundant are pages that say what a kept
one says, stray are pages of another kind: the last a plain crawl keeps, and a wish does not.
"""

import asyncio
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from statistics import mean
from tempfile import TemporaryDirectory
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from whimbrel import api
from whimbrel.api.granting import Granting
from whimbrel.api.wishing import TOP, folder_settings, propose
from whimbrel.bench.goals import Goal, at_least, at_most
from whimbrel.bench.server import serving
from whimbrel.bench.structure_site import NotThatSite
from whimbrel.bench.structure_sites import LATER, SITES, KindsSite
from whimbrel.config import load
from whimbrel.flows.packing import unpack
from whimbrel.readers.contract import ReaderSettings
from whimbrel.readers.log import ReaderLog
from whimbrel.readers.wishes import Wishes
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome, Visit
from whimbrel.records.wish import NewWish
from whimbrel.repository.engines import open_reader
from whimbrel.repository.views import Selection
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.contract import DEFAULTS

FIRST = 120
"""Pages that are here when the question is asked."""
FEWEST = 10
"""Pages of a kind that are not here, for it to be asked for."""
GOAL = 0.85
PAPERS = {"dead": 9 / 70, "redundant": 4 / 70}
"""Of the documents that the papers' crawler brought; a conventional one 15 and 29 of 70 (P0, Table 7.2)."""
BOUNDLESS = 1_000_000

_KEPT = (Outcome.FETCHED, Outcome.UNCHANGED)
Say = Callable[[str], None]


class VisitsMade(Struct, frozen=True):
    """What visits came to: pages of a wanted kind, of another, of one that no name tells, errors and copies."""

    visits: int
    fitting: int
    stray: int
    untold: int
    dead: int
    redundant: int


class EnoughDraw(Struct, frozen=True):
    """One question. `brought` pages are judged, `right` of them are of the wanted kinds, of which `missing` were not
    here."""

    query: str
    kinds: tuple[str, ...]
    brought: int
    untold: int
    right: int
    missing: int
    ended: str
    ours: VisitsMade
    plain: VisitsMade

    @property
    def precision(self) -> float:
        return self.right / self.brought if self.brought else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.missing if self.missing else 0.0


class EnoughSite(Struct, frozen=True):
    site: str
    generator: str
    reachable: int
    draws: tuple[EnoughDraw, ...]

    @property
    def precision(self) -> float:
        return mean(draw.precision for draw in self.draws)

    @property
    def recall(self) -> float:
        return mean(draw.recall for draw in self.draws)


class EnoughReport(Struct, frozen=True):
    seed: int
    sites: tuple[EnoughSite, ...]


def goals(report: EnoughReport) -> list[Goal]:
    found = []
    for site in report.sites:
        found.append(at_least(f"{site.site}: precision", site.precision, GOAL))
        found.append(at_least(f"{site.site}: recall", site.recall, GOAL))
    for name, share in PAPERS.items():
        ours = [(getattr(draw.ours, name), draw.ours.visits) for site in report.sites for draw in site.draws]
        visits = sum(count for _, count in ours)
        if visits:
            found.append(at_most(f"{name} of what was asked for", sum(count for count, _ in ours) / visits, share))
    return found


def names() -> tuple[str, ...]:
    return tuple(site.name for site in (*SITES, *LATER))


def site_named(name: str) -> KindsSite:
    return next(site for site in (*SITES, *LATER) if site.name == name)


def run(names: Sequence[str], draws: int, seed: int, say: Say) -> EnoughReport:
    return EnoughReport(seed, tuple(_site(site_named(name), draws, seed, say) for name in names))


def _site(site: KindsSite, draws: int, seed: int, say: Say) -> EnoughSite:
    if not (site.folder / "index.html").exists():
        raise NotThatSite(f"{site.folder} has no index.html. Install the package {site.package}.")
    with TemporaryDirectory() as made:
        work = Path(made)
        core = max(os.sched_getaffinity(0))
        with serving(site.folder, work, core) as origin:
            say(f"{site.name}: crawling all of it, to know what links lead to …")
            start = f"{origin}/index.html"
            _crawl(work / "all", [start])
            labels = _labels(site, work / "all")
            say(f"{site.name}: {len(labels)} pages; crawling the first {FIRST} …")
            _crawl(work / "first", [start], limit=FIRST)
            with Indexer(work / "first", DEFAULTS) as indexer:
                indexer.catch_up()
            questions = _questions(work / "first", labels, draws, Random(seed))
            if not questions:
                raise NotThatSite(f"{site.name} has no kind of which {FEWEST} pages are left to find.")
            drawn = [_draw(work, labels, question, say) for question in questions]
    return EnoughSite(site.name, site.generator, len(labels), tuple(drawn))


def _labels(site: KindsSite, folder: Path) -> dict[Url, str]:
    """Every page that is kept of the site, and its kind; "" where no name tells it."""
    return {url: site.kind_of(site.folder, unquote(urlsplit(url).path).lstrip("/")) for url in _kept(folder)}


def _kept(folder: Path) -> list[Url]:
    with open_reader(folder) as reader:
        return [one.url for one in reader.urls(Selection(_KEPT, assets=False)) if "html" in one.mime]


def _questions(folder: Path, labels: dict[Url, str], draws: int, chance: Random) -> list[str]:
    """What kept pages are called, of each kind in turn of which enough is left to find."""
    here = set(_kept(folder))
    left = Counter(kind for url, kind in labels.items() if kind and url not in here)
    names: dict[str, list[str]] = {}
    for url, name in _names(folder).items():
        kind = labels.get(url, "")
        if kind and left[kind] >= FEWEST:
            names.setdefault(kind, []).append(name)
    for some in names.values():
        chance.shuffle(some)
    rounds = (
        some[at]
        for at in range(max(map(len, names.values()), default=0))
        for _, some in sorted(names.items())
        if at < len(some)
    )
    return list(islice(rounds, draws))


def _names(folder: Path) -> dict[Url, str]:
    """By its title, or where others have the same, by its first heading; without a name of its own a page is left
    out."""
    with open_reader(folder) as reader:
        titles = {one.url: one.title for one in reader.urls(Selection(_KEPT, assets=False))}
        headings = {url: unpack(packed).headings.partition("\n")[0] for url, packed in reader.current_readings(titles)}
    common = Counter(titles.values())
    called = {url: title if common[title] == 1 else headings.get(url, "") for url, title in titles.items()}
    again = Counter(called.values())
    return {url: name for url, name in called.items() if name.strip() and again[name] == 1}


def _draw(work: Path, labels: dict[Url, str], question: str, say: Say) -> EnoughDraw:
    folder, beside = work / "wish", work / "plain"
    for one in (folder, beside):
        shutil.rmtree(one, ignore_errors=True)
        shutil.copytree(work / "first", one)
    here = set(_kept(folder))
    with Searcher(folder) as searcher:
        answer = searcher.answer(parse(question), snippets=False, facets=False).hits
    hits = [hit.url for hit in answer if labels.get(hit.url, "")]
    kinds = tuple(sorted({labels.get(url, "") for url in hits[:TOP]} - {""}))
    say(f"  {question}: {', '.join(kinds)} …")
    with open_reader(folder) as reader:
        proposal = propose(reader, hits, folder_settings(reader), BOUNDLESS)
    boundless = ReaderSettings(more_visits=BOUNDLESS, more_visits_reader=BOUNDLESS, more_visits_day=BOUNDLESS)
    with ReaderLog(folder) as log:
        sites = tuple(site.host for site in proposal.sites)
        sought = tuple(kind.sought for kind in proposal.kinds)
        number = Wishes(log).add(NewWish(0, question, hits[0], sought, sites, BOUNDLESS, BOUNDLESS), boundless, 1.0)
        assert isinstance(number, int)
    Granting(folder).run()
    with ReaderLog(folder) as log:
        wish = Wishes(log).one(number)
        brought = list(Wishes(log).pages([number]))
    assert wish is not None
    wanted = [url for url, kind in labels.items() if kind in kinds and url not in here]
    judged = [url for url in brought if labels.get(url, "")]
    right = sum(labels[url] in kinds for url in judged)
    ours = _visits(folder, here, labels, kinds)
    plain = _plain(beside, here, labels, kinds, wish.visited)
    return EnoughDraw(
        question, kinds, len(judged), len(brought) - len(judged), right, len(wanted), wish.words, ours, plain
    )


def _visits(folder: Path, here: set[Url], labels: dict[Url, str], kinds: Sequence[str]) -> VisitsMade:
    """What became of everything that was asked for since."""
    with open_reader(folder) as reader:
        rows = [
            (one.url, Outcome(one.outcome))
            for one in reader.urls(Selection(assets=False))
            if one.url not in here and one.tries and one.visited_at is not None
        ]
    return _sorted(rows, labels, kinds)


def _plain(folder: Path, here: set[Url], labels: dict[Url, str], kinds: Sequence[str], visits: int) -> VisitsMade:
    made: list[tuple[Url, Outcome]] = []
    _crawl(folder, [], visits=visits, heard=lambda some: made.extend((one.url, one.outcome) for one in some))
    return _sorted([row for row in made if row[0] not in here], labels, kinds)


def _sorted(rows: Iterable[tuple[Url, Outcome]], labels: dict[Url, str], kinds: Sequence[str]) -> VisitsMade:
    counts: Counter[str] = Counter()
    for url, outcome in rows:
        if outcome in (Outcome.FAILED, Outcome.GONE, Outcome.UNREACHABLE):
            counts["dead"] += 1
        elif outcome is Outcome.DUPLICATE:
            counts["redundant"] += 1
        else:
            kind = labels.get(url, "")
            counts["untold" if not kind else "fitting" if kind in kinds else "stray"] += 1
    return VisitsMade(
        sum(counts.values()), counts["fitting"], counts["stray"], counts["untold"], counts["dead"], counts["redundant"]
    )


def _crawl(
    folder: Path, seeds: Sequence[str], limit: int | None = None, visits: int | None = None,
    heard: Callable[[list[Visit]], None] = lambda visits: None,
) -> None:  # fmt: skip
    settings = load(Path("/dev/null"), {}, {"crawl.limit": limit, "crawl.types": ["html"]})
    opened = api.open_crawl(settings, api.read_seeds(seeds), folder, budget=visits)

    async def hear(some: list[Visit]) -> None:
        heard(some)

    opened.manager.listen(hear)
    try:
        asyncio.run(api.run_crawl(opened))
    finally:
        opened.store.close()
