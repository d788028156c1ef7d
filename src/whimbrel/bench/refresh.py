"""What a refresh fetches, beside a conventional recrawl, on a real site that changes step by step.

Bodies and bytes are the server's own count. The conventional recrawl is the same crawler with an empty folder, so that
only what a refresh knows makes the difference. Truth is the difference of the pages' content element on disk.
"""

import shutil
import time
from pathlib import Path
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from whimbrel.bench import made_up
from whimbrel.bench.goals import Goal
from whimbrel.bench.machine import Say
from whimbrel.bench.refresh_coverage import Coverage, coverage_of
from whimbrel.bench.refresh_runs import Answer, Runs, Took
from whimbrel.bench.refresh_site import ContentSaid, CountingServer, ReleaseStep, ServedSite, served, unpack
from whimbrel.repository.contract import Plan, Settled
from whimbrel.repository.engines import open_reader, open_writer

SHARES = (0.20, 0.35, 1.00)
HIDDEN = 120
SEED = 4
MOST_LOOKS = 4
MOST_EXCESS = 0.01
HELD_TO = ("20% of the files", "35% of the files")
"""The steps whose fetched bodies may lie no further beyond what changed."""
LISTED_SHARE = 0.8
"""Of the pages that links reach, how many the sitemap of the coverage run lists: no site lists all of them."""


class RefreshTruth(Struct, frozen=True):
    """Changes told against the difference on disk. `loud` pages differ in words or links of their content element,
    `reshaped` ones in its elements alone, `quiet` ones only in bytes around it or in attributes."""

    loud: int
    found: int
    reshaped: int
    reshaped_told: int
    quiet: int
    alarms: int
    gone: int
    gone_told: int
    new: int
    new_told: int


class ScenarioRow(Struct, frozen=True):
    """One scenario."""

    name: str
    pages: int
    changed: int
    new: int
    ours: Took
    recrawl: Took | None
    truth: RefreshTruth
    asked_again: int
    skipped: int
    needed_bytes: int
    """Of the files that changed and of those that are new and linked: no method can do with less."""

    @property
    def excess(self) -> float:
        """Bodies beyond those that changed or are new, as a share of these."""
        needed = self.changed + self.new
        return (self.ours.counted.bodies - needed) / needed if needed else 0.0


class RefreshReport(Struct, frozen=True):
    site: str
    pages: int
    rows: tuple[ScenarioRow, ...]
    coverage: Coverage


class RefreshBench(Runs):
    def __init__(self, site: ServedSite, work: Path, say: Say) -> None:
        super().__init__(work)
        self.site = site
        self.say = say

    def fresh(self, base: Path) -> Path:
        folder = self.work / f"data-{self.count}"
        shutil.copytree(base, folder)
        return folder

    # Scenarios.

    def step(self, name: str, server: CountingServer, base: Path, share: float) -> ScenarioRow:
        """Old release, known to `base`; a step; a refresh of it, and a recrawl beside it."""
        self.say(f"{name} …")
        self.site.reset()
        before = self.site.bodies(frozenset(self.site.releases.pages(self.site.folder)))
        step = self.site.advance(share, SEED)
        folder, began = self.fresh(base), time.time()
        ours, answer = self.refresh(server, folder, "--all")
        row = self.row(name, server, folder, step, before, began, ours, answer)
        shutil.rmtree(folder)
        again = self.work / f"again-{self.count}"
        conventional = self.crawl(server, again)
        shutil.rmtree(again)
        return _with_recrawl(row, conventional)

    def unseen(self, name: str, server: CountingServer, base: Path, share: float) -> list[ScenarioRow]:
        """Pages that change behind validators that stay: refreshed until a sample finds it out."""
        self.site.reset()
        before = self.site.bodies(frozenset(self.site.releases.pages(self.site.folder)))
        step = self.site.advance(share, SEED, keep_times=True)
        folder, began, rows = self.fresh(base), time.time(), list[ScenarioRow]()
        while len(rows) < MOST_LOOKS and not (rows and rows[-1].asked_again):
            words = f"{name}, refresh {len(rows) + 1}"
            self.say(f"{words} …")
            ours, answer = self.refresh(server, folder, "--all")
            rows.append(self.row(words, server, folder, step, before, began, ours, answer))
        shutil.rmtree(folder)
        return rows

    def row(
        self, name: str, server: CountingServer, folder: Path, step: ReleaseStep, before: dict[str, ContentSaid],
        began: float, ours: Took, answer: Answer,
    ) -> ScenarioRow:  # fmt: skip
        with open_reader(folder) as reader:
            told: dict[str, set[str]] = {}
            for one in reader.since(began):
                told.setdefault(one.what, set()).add(one.url.removeprefix(f"{server.origin}/"))
        # Pages that no page of the mixture links to cannot be found by links.
        new = {path for what in ("new", "first") for path in told.get(what, set()) if path in step.added}
        because = answer["because"]
        asked_again = int(because.get("validators that lie", 0)) if isinstance(because, dict) else 0
        needed = sum((self.site.folder / path).stat().st_size for path in step.changed | new)
        return ScenarioRow(
            name, len(before), len(step.changed), len(new), ours, None, self._truth(step, before, told, new),
            asked_again, int(str(answer["skipped"])), needed,
        )  # fmt: skip

    def _truth(
        self, step: ReleaseStep, before: dict[str, ContentSaid], told: dict[str, set[str]], new: set[str]
    ) -> RefreshTruth:
        after = self.site.bodies(step.changed)
        known = {path for path in step.changed if path in before}
        loud = set(step.changed - known)
        loud |= {
            path for path in known if (after[path].words, after[path].links) != (before[path].words, before[path].links)
        }
        reshaped = {path for path in known - loud if after[path].elements != before[path].elements}
        quiet = step.changed - loud - reshaped
        changed = told.get("changed", set())
        return RefreshTruth(
            len(loud), len(loud & changed), len(reshaped), len(reshaped & changed), len(quiet),
            len(changed - loud - reshaped), len(step.removed), len(step.removed & told.get("gone", set())), len(new),
            len(new),
        )  # fmt: skip

    def sitemaps(self) -> tuple[list[ScenarioRow], Coverage]:
        """A truthful sitemap that also lists pages no link reaches, then the same with one that lies."""
        rows = []
        self.site.reset()
        with served(self.site.folder) as server:
            self.say("a sitemap: crawl without it, crawl with it …")
            linked = self.site.releases.pages(self.site.folder)
            self.site.hide(HIDDEN, SEED)
            alone = self.work / "linked"
            self.crawl(server, alone)
            left_out = Random(SEED).sample(sorted(linked), round((1 - LISTED_SHARE) * len(linked)))
            self.site.list_pages(server.origin, but=frozenset(left_out))
            both = self.work / "listed"
            self.crawl(server, both)
            coverage = coverage_of(alone, both, self.site.releases.pages(self.site.folder), server.origin)
            for name, lastmod in (("truthful sitemap", None), ("sitemap that says always now", time.time() + 3600)):
                rows += self._learned(name, server, both, lastmod)
        return rows, coverage

    def _learned(self, name: str, server: CountingServer, base: Path, lastmod: float | None) -> list[ScenarioRow]:
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


def goals(report: RefreshReport) -> list[Goal]:
    figure = "share of bodies fetched beyond those that changed or are new"
    return [
        Goal(f"{figure}, {row.name}", row.excess, f"within {MOST_EXCESS:.0%}", abs(row.excess) <= MOST_EXCESS)
        for row in report.rows
        if row.name in HELD_TO
    ]


def run(data: Path | None, work: Path, say: Say, shares: tuple[float, ...] = SHARES) -> RefreshReport:
    """`data` holds two releases of a site; without it they are made by script."""
    if data is None:
        releases = made_up.releases(work / "made-up")
    else:
        say("unpacking …")
        releases = unpack(data, work)
    site = ServedSite(releases, work / "site", time.time())
    bench = RefreshBench(site, work, say)
    rows: list[ScenarioRow] = []
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
    name = data.name if data is not None else "a manual made by script"
    return RefreshReport(name, first.pages, (*rows, *listed), coverage)


def _with_recrawl(row: ScenarioRow, recrawl: Took) -> ScenarioRow:
    return replace(row, recrawl=recrawl)


def _let_an_hour_pass(folder: Path) -> None:
    """Sitemaps rest an hour between two looks; for the bench it has passed."""
    store = open_writer(folder)
    try:
        sitemaps = store.past.sitemaps()
        known = store.known(one.key for one in sitemaps)
        plan = Plan()
        for one in sitemaps:
            row = known[one.key]
            plan.settled.append(Settled(row.key, row.outcome, row.rule, "", 200, one.visited_at - 7200, row.target, -1))
        store.commit(plan, time.time())
    finally:
        store.close()
