"""What a refresh fetches, beside a conventional recrawl, on a real site that changes step by step.

Bodies and bytes are the server's own count. The conventional recrawl is the same crawler with an empty folder, so that
only what a refresh knows makes the difference. Truth is the difference of the pages' content element on disk.
"""

import json
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from whimbrel.bench import peers
from whimbrel.bench.machine import Missing
from whimbrel.bench.refresh_site import Counted, Server, Site, Step, served, unpack
from whimbrel.flows.packing import unpack as unpacked
from whimbrel.rank.pagerank import pagerank
from whimbrel.repository.embedded.changes import Changes
from whimbrel.repository.embedded.reader import Reader
from whimbrel.repository.embedded.store import open_database

SHARES = (0.20, 0.35, 1.00)
HIDDEN = 120
SEED = 4
MOST_LOOKS = 4
Say = Callable[[str], None]


class Took(Struct, frozen=True):
    """One run: what the server counted, and what it cost."""

    counted: Counted
    seconds: float
    cpu_seconds: float
    urls: int
    pages: int


class Truth(Struct, frozen=True):
    """Changes told against the difference on disk. `loud` pages differ in words or links of their content element,
    `quiet` ones only in bytes outside it."""

    loud: int
    found: int
    quiet: int
    alarms: int
    gone: int
    gone_told: int
    new: int
    new_told: int


class Row(Struct, frozen=True):
    """One scenario."""

    name: str
    pages: int
    changed: int
    new: int
    ours: Took
    recrawl: Took | None
    truth: Truth
    asked_again: int
    skipped: int

    @property
    def excess(self) -> float:
        """Bodies beyond those that changed or are new, as a share of these."""
        needed = self.changed + self.new
        return (self.ours.counted.bodies - needed) / needed if needed else 0.0


class Coverage(Struct, frozen=True):
    """§7: the share of what was crawled that the sitemap led to: of all, of unique, of indexed pages, of PageRank."""

    linked_only: int
    with_sitemap: int
    of_all: float
    of_unique: float
    of_indexed: float
    of_rank: float


class Report(Struct, frozen=True):
    site: str
    pages: int
    rows: tuple[Row, ...]
    coverage: Coverage


class Bench:
    def __init__(self, site: Site, work: Path, say: Say) -> None:
        self.site = site
        self.work = work
        self.say = say
        self.runs = 0

    # Runs.

    def crawl(self, server: Server, folder: Path) -> Took:
        return self._run(server, folder, "crawl", f"{server.origin}/index.html")

    def refresh(self, server: Server, folder: Path, *options: str) -> tuple[Took, dict[str, object]]:
        took = self._run(server, folder, "refresh", *options)
        return took, self._answer

    def _run(self, server: Server, folder: Path, *arguments: str) -> Took:
        server.take_count()
        self.runs += 1
        command = [sys.executable, "-P", "-m", "whimbrel", *arguments, "--repo", str(folder), "--json"]
        settings = peers.settings() | {"WHIMBREL_REFRESH_GONE_AFTER_SECONDS": "0", "WHIMBREL_CRAWL_MIGRANTS": "1"}
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(command, cwd=self.work, env=settings, capture_output=True, text=True)
        seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            raise Missing(f"{' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
        self._answer: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        with Reader(folder) as reader:
            counts = reader.counts()
        return Took(server.take_count(), seconds, cpu, counts.known, counts.pages)

    def fresh(self, base: Path) -> Path:
        folder = self.work / f"data-{self.runs}"
        shutil.copytree(base, folder)
        return folder

    # Scenarios.

    def step(self, name: str, server: Server, base: Path, share: float) -> Row:
        """Old release, known to `base`; a step; a refresh of it, and a recrawl beside it."""
        self.say(f"{name} …")
        self.site.reset()
        before = self.site.bodies(frozenset(self.site.releases.pages(self.site.folder)))
        step = self.site.advance(share, SEED)
        folder, began = self.fresh(base), time.time()
        ours, answer = self.refresh(server, folder, "--all")
        row = self.row(name, server, folder, step, before, began, ours, answer)
        shutil.rmtree(folder)
        again = self.work / f"again-{self.runs}"
        conventional = self.crawl(server, again)
        shutil.rmtree(again)
        return _with_recrawl(row, conventional)

    def unseen(self, name: str, server: Server, base: Path, share: float) -> list[Row]:
        """Pages that change behind validators that stay: refreshed until a sample finds it out."""
        self.site.reset()
        before = self.site.bodies(frozenset(self.site.releases.pages(self.site.folder)))
        step = self.site.advance(share, SEED, keep_times=True)
        folder, began, rows = self.fresh(base), time.time(), list[Row]()
        while len(rows) < MOST_LOOKS and not (rows and rows[-1].asked_again):
            words = f"{name}, refresh {len(rows) + 1}"
            self.say(f"{words} …")
            ours, answer = self.refresh(server, folder, "--all")
            rows.append(self.row(words, server, folder, step, before, began, ours, answer))
        shutil.rmtree(folder)
        return rows

    def row(
        self, name: str, server: Server, folder: Path, step: Step, before: dict[str, tuple[bytes, bytes]],
        began: float, ours: Took, answer: dict[str, object],
    ) -> Row:  # fmt: skip
        with Changes(folder) as reader:
            told: dict[str, set[str]] = {}
            for one in reader.since(began):
                told.setdefault(one.what, set()).add(one.url.removeprefix(f"{server.origin}/"))
        after = self.site.bodies(step.changed)
        loud = {path for path in step.changed if after[path] != before.get(path)}
        quiet = step.changed - loud
        # Pages that no page of the mixture links to cannot be found by links.
        new = {path for path in told.get("new", set()) if path in step.added}
        changed = told.get("changed", set())
        truth = Truth(
            len(loud), len(loud & changed), len(quiet), len(changed - loud),
            len(step.removed), len(step.removed & told.get("gone", set())), len(new), len(new),
        )  # fmt: skip
        because = answer["because"]
        asked_again = int(because.get("validators that lie", 0)) if isinstance(because, dict) else 0
        pages = len(before)
        return Row(
            name, pages, len(step.changed), len(new), ours, None, truth, asked_again, int(str(answer["skipped"]))
        )

    def sitemaps(self) -> tuple[list[Row], Coverage]:
        """A truthful sitemap that also lists pages no link reaches, then the same with one that lies."""
        rows = []
        self.site.reset()
        with served(self.site.folder) as server:
            self.say("a sitemap: crawl without it, crawl with it …")
            self.site.hide(HIDDEN, SEED)
            linked = self.crawl(server, self.work / "linked")
            self.site.list_pages(server.origin)
            base = self.work / "listed"
            self.crawl(server, base)
            coverage = self._coverage(base, linked.pages)
            for name, lastmod in (("truthful sitemap", None), ("sitemap that says always now", time.time() + 3600)):
                rows += self._learned(name, server, base, lastmod)
        return rows, coverage

    def _learned(self, name: str, server: Server, base: Path, lastmod: float | None) -> list[Row]:
        """Two steps: what the first refresh learns of the sitemap decides what the second one spares."""
        rows = []
        folder = self.fresh(base)
        self.site.reset()
        self.site.hide(HIDDEN, SEED)
        for turn, (share, options) in enumerate(((0.10, ("--all",)), (0.10, ()))):
            self.say(f"{name}, refresh {turn + 1} …")
            before = self.site.bodies(frozenset(self.site.releases.pages(self.site.folder)))
            time.sleep(1.1)  # times in a sitemap have no fractions
            step = self.site.advance(share, SEED + turn)
            self.site.list_pages(server.origin, None if lastmod is None else lastmod + turn)
            _let_an_hour_pass(folder)
            began = time.time()
            ours, answer = self.refresh(server, folder, *options)
            words = "learning, all asked" if turn == 0 else "only what is due"
            rows.append(self.row(f"{name}: {words}", server, folder, step, before, began, ours, answer))
        shutil.rmtree(folder)
        return rows

    def _coverage(self, folder: Path, linked: int) -> Coverage:
        with Changes(folder) as reader:
            listed = reader.listed()
            pages = list(reader.pages())
        unique = {page.url for page in pages if page.outcome != "duplicate"}
        indexed = {page.url for page in pages if page.url in unique and page.mime.startswith("text/html")}
        places = {page.url: place for place, page in enumerate(pages)}
        links = [
            (places[page.url], places[url])
            for page in pages if page.reading
            for url in unpacked(page.reading).urls if url in places
        ]  # fmt: skip
        edges = np.array(links, dtype=np.int64).reshape(-1, 2)
        ranks = pagerank(edges[:, 0], edges[:, 1], len(pages))
        mass = sum(float(ranks[place]) for url, place in places.items() if url in listed)
        return Coverage(
            linked, len(unique), len(listed & places.keys()) / len(places), len(listed & unique) / len(unique),
            len(listed & indexed) / max(1, len(indexed)), mass,
        )  # fmt: skip


def run(data: Path, work: Path, say: Say, shares: tuple[float, ...] = SHARES) -> Report:
    say("unpacking …")
    releases = unpack(data, work)
    site = Site(releases, work / "site", time.time())
    bench = Bench(site, work, say)
    rows: list[Row] = []
    with served(site.folder) as server:
        say("the first crawl …")
        base = work / "base"
        first = bench.crawl(server, base)
        rows += [bench.step(f"{share:.0%} of the files", server, base, share) for share in shares]
        rows += bench.unseen("35% with times and sizes kept", server, base, 0.35)
    with served(site.folder, validators=False) as server:
        say("the first crawl, without validators …")
        site.reset()
        base = work / "bare"
        bench.crawl(server, base)
        rows.append(bench.step("20% without validators", server, base, 0.20))
    listed, coverage = bench.sitemaps()
    return Report(data.name, first.pages, (*rows, *listed), coverage)


def _with_recrawl(row: Row, recrawl: Took) -> Row:
    return replace(row, recrawl=recrawl)


def _let_an_hour_pass(folder: Path) -> None:
    """Sitemaps rest an hour between two looks; for the bench it has passed."""
    database = open_database(folder)
    database.execute("UPDATE url SET visited_at = visited_at - 7200 WHERE asset = 2")
    database.close()
