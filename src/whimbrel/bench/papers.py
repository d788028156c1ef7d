"""`bench papers`: what each source paper claims, what ours comes to, and the most that was possible, claim by claim.

The papers' own sites and readers are gone: what they measured is measured again on sites made by script and in
simulations, and said to be so. What needs their data cannot be repeated, and is listed as that.
"""

from pathlib import Path
from statistics import mean, stdev
from typing import Literal

from msgspec import Struct

from whimbrel.bench import made_up, papers_site, schedule
from whimbrel.bench import refresh as refreshing
from whimbrel.bench.freshness import measure, simulate
from whimbrel.bench.freshness_policies import OURS, WITHOUT_SIGNALS, bound
from whimbrel.bench.freshness_worlds import ImportanceSpread, WorldScale, simulated
from whimbrel.bench.goals import Goal, at_least
from whimbrel.bench.machine import Say
from whimbrel.bench.refresh_site import ServedSite, served
from whimbrel.change.checksum import checksum
from whimbrel.change.rms import rms
from whimbrel.migrants.home.choice import PAPER_CRITERIA
from whimbrel.revisit.rule import next_fr_max

How = Literal["crawl", "simulation", "calculation", "not reproducible: data lost", "another bench"]
LOST: How = "not reproducible: data lost"
P0 = "P0, structure driven cooperative migrating crawler"
P1 = "P1, incremental parallel crawler"
P2 = "P2, selective incremental crawler"
P3 = "P3, URL ordering by similarity"
P4 = "P4, usage pattern and image based crawling"
_DOG = "The quick brown fox jumps over the lazy dog"
SHARES = (0.20, 0.35)


class PapersTrial(Struct, frozen=True):
    """`seeds` worlds of a simulation and sites of documents; `pages` of the manual that is crawled again."""

    seeds: int
    pages: int
    work: Path


class Claim(Struct, frozen=True):
    """One line: what the paper says (`theirs`, as printed), ours, the most possible (None where there is no bound),
    over `n` cases with this `spread`. `least` is what ours has to reach so that the claim holds, None where it cannot
    fail or was not measured."""

    paper: str
    where: str
    claim: str
    theirs: str
    how: How
    ours: float | None = None
    most: float | None = None
    n: int = 0
    spread: float = 0.0
    least: float | None = None
    note: str = ""


class Report(Struct, frozen=True):
    seeds: int
    pages: int
    claims: list[Claim]


def goals(report: Report) -> list[Goal]:
    return [
        at_least(f"{one.paper[:2]} {one.where}: {one.claim}", one.ours, one.least)
        for one in report.claims
        if one.ours is not None and one.least is not None
    ]


def run(plan: PapersTrial, say: Say) -> Report:
    claims = [
        *_choosing(plan, say),
        *_sitemaps(plan, say),
        *_documents(plan, say),
        *_calculated(),
        *_revisits(plan, say),
    ]
    return Report(plan.seeds, plan.pages, sorted([*claims, *_ELSEWHERE], key=lambda one: one.paper[:2]))


# P0, chapter 4: who gets the work.


def _choosing(plan: PapersTrial, say: Say) -> list[Claim]:
    report = schedule.run(schedule.ScheduleTrial(seeds=max(2, plan.seeds), crews=(4,)), say)
    with_ahp = [_saved(scene, "ahp") / _saved(scene, "host hash") for scene in report.scenes]
    best = [
        max(line.figures["saved"].mean for line in scene.lines) / _saved(scene, "host hash") for scene in report.scenes
    ]
    note = "AHP against a hash of the host, over kinds of worlds; the most: the best of all ways in each"
    return [
        Claim(P0, "Table 4.13", "pages saved with AHP, as a multiple", "4035 against 3692 (1.09)", "simulation",
              mean(with_ahp), mean(best), len(with_ahp), _spread(with_ahp), 1.0, note),
        Claim(P0, "Table 4.2", "consistency of the judgements", ".083", "calculation", PAPER_CRITERIA.ratio, n=1,
              note="with CPU as eighth criterion; the printed 7×7 matrix is a test, and gives .083"),
    ]  # fmt: skip


def _saved(scene: schedule.Scene, way: str) -> float:
    return next(line.figures["saved"].mean for line in scene.lines if line.way == way)


# P0, chapter 5: what sitemaps and validators save.


def _sitemaps(plan: PapersTrial, say: Say) -> list[Claim]:
    site = ServedSite(made_up.releases(plan.work / "made-up", plan.pages), plan.work / "site", 1_700_000_000.0)
    bench = refreshing.RefreshBench(site, plan.work, say)
    with served(site.folder) as server:
        base = plan.work / "base"
        bench.crawl(server, base)
        rows = [bench.step(f"{share:.0%} of the files", server, base, share) for share in SHARES]
    listed, coverage = bench.sitemaps()
    by_links, more = coverage.by_links.pages, coverage.with_sitemap.pages
    pairs = [(row, row.recrawl) for row in rows if row.recrawl is not None]
    fewer = [1 - row.ours.counted.bodies / again.counted.bodies for row, again in pairs]
    needed = [1 - (row.changed + row.new) / again.counted.bodies for row, again in pairs]
    lighter = [1 - row.ours.counted.sent_bytes / again.counted.sent_bytes for row, again in pairs]
    least_bytes = [1 - row.needed_bytes / again.counted.sent_bytes for row, again in pairs]
    # At so many seconds between two requests, time goes by the number of requests alone.
    due = next(row for row in listed if row.name == "truthful sitemap: only what is due")
    spaced = 1 - due.ours.counted.requests / (due.pages + 1)
    possible = 1 - (due.changed + due.new + 2) / (due.pages + 1)
    return [
        Claim(P0, "Table 5.5", "more links with sitemaps", "+12 … 35 %", "crawl", more / by_links - 1,
              coverage.on_server / by_links - 1, by_links, least=min(0.12, coverage.on_server / by_links - 1),
              note="a site with pages that no link reaches: the most is all of them"),
        Claim(P0, "Table 5.6", "fewer pages fetched on a revisit", "65 … 81 %", "crawl", mean(fewer), mean(needed),
              len(fewer), _spread(fewer), min(0.65, mean(needed)), "where 20 and 35 % of the files changed"),
        Claim(P0, "Table 5.1–5.4", "fewer bytes on a revisit", "71 … 98 %", "crawl", mean(lighter), mean(least_bytes),
              len(lighter), _spread(lighter), min(0.71, mean(least_bytes)), "headers of 304 among them"),
        Claim(P0, "Table 5.7", "less time at spaced requests", "15 … 35 %", "crawl", spaced, possible, due.pages,
              least=0.15, note="a refresh by a truthful sitemap, by requests against one for every page"),
    ]  # fmt: skip


# P0, Tables 5.1d and 7.2: copies and blank pages.


def _documents(plan: PapersTrial, say: Say) -> list[Claim]:
    say("documents with copies and blank ones …")
    found = [papers_site.documents(plan.work, seed) for seed in range(1, plan.seeds + 1)]
    shares = [one.recognised / one.copies for one in found]
    bytes_alone = mean(one.by_bytes for one in found)
    count = papers_site.DOCUMENTS
    useful = [1 - (one.dead_shown + one.redundant_shown) / count for one in found]
    return [
        Claim(P0, "Table 5.1d", "duplicates recognised, as a share", "243 against 64", "crawl", mean(shares), 1.0,
              found[0].copies * len(found), _spread(shares), 0.9,
              f"same bytes, same words, nearly the same; by bytes alone {bytes_alone / found[0].copies:.0%}"),
        Claim(P0, "Table 7.2", "of 70 documents neither dead nor redundant, among what is shown",
              "26 of 70 conventional, 57 of 70 theirs", "crawl", mean(useful), 1.0, count * len(found), _spread(useful),
              57 / 70, f"{mean(one.dead_shown for one in found):.1f} dead and "
              f"{mean(one.redundant_shown for one in found):.1f} redundant are shown"),
    ]  # fmt: skip


# What can be worked out by hand.


def _calculated() -> list[Claim]:
    return [
        Claim(P1, "§4", "RMS of the sentence with dog", "127.329", "calculation", rms(_DOG), n=1),
        Claim(P1, "§4", "checksum of the sentence with dog", "4.5996", "calculation", checksum(_DOG, 12), n=1,
              note="the printed 43.356 leaves out two characters"),
        Claim(P2, "§3.2", "rounds until the next visit", "2", "calculation", next_fr_max(3, 45, 10, 20), n=1),
    ]  # fmt: skip


# P2: when to visit again.


def _revisits(plan: PapersTrial, say: Say) -> list[Claim]:
    say("visits by the paper's rule and by ours …")
    shares: dict[str, list[float]] = {"P2's rule": [], OURS: []}
    for seed in range(801, 801 + max(2, plan.seeds)):
        world = simulated("steady", seed, ImportanceSpread.PARETO, WorldScale(pages=60, ticks=300, visits=3))
        for name, values in shares.items():
            policy = WITHOUT_SIGNALS[name](world)
            values.append(measure(world, simulate(world, policy)).freshness / bound(world))
    ratios = [ours / theirs for ours, theirs in zip(shares[OURS], shares["P2's rule"], strict=True)]
    return [
        Claim(P2, "§3.3", "freshness by the paper's rule, of what is possible", "not printed", "simulation",
              mean(shares["P2's rule"]), 1.0, len(ratios), _spread(shares["P2's rule"])),
        Claim(P2, "§3.3", "freshness of ours against the paper's rule", "–", "simulation", mean(ratios),
              1 / mean(shares["P2's rule"]), len(ratios), _spread(ratios), 1.0, "pages differ in importance"),
    ]  # fmt: skip


_ELSEWHERE = [
    Claim(P0, "Table 7.1", "precision and recall of a kind of page", "84 and 85 %", "another bench",
          note="needs documentations that are installed: whimbrel bench structure"),
    Claim(P0, "Table 6.6", "what readers do ranks pages", "weights of pages", LOST, note="15 readers, as printed"),
    Claim(P0, "Table 7.3", "satisfaction of readers", "4 4 5 4 … against 2 1 3 1 …", LOST, note="ten readers"),
    Claim(P1, "§4", "changes found, false alarms", "not printed", "another bench",
          note="needs pairs of versions: whimbrel bench change, bench timelines"),
    Claim(P3, "Table V", "precision of the order by similarity", "four sites", LOST,
          note="the sites are gone, and the structure scores cannot come from their links"),
    Claim(P4, "§5", "pages of interest by usage and pictures", "one portal", LOST,
          note="neither log nor portal is given"),
]  # fmt: skip


def _spread(values: list[float]) -> float:
    return stdev(values) if len(values) > 1 else 0.0
