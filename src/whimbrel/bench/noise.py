"""`bench noise`: sites in two point releases, in which nearly all bytes differ and few pages say anything else.

Each page is compared as a refresh compares it: with six pages of the site kept before, and the first six that came in
anew. Truth is the text of the site's own content element (`released`).
"""

import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import median
from time import process_time

from msgspec import Struct
from msgspec.structs import replace

from whimbrel.bench.goals import Goal, at_least
from whimbrel.bench.machine import MissingTool, Say
from whimbrel.bench.refresh_runs import Runs
from whimbrel.bench.refresh_site import served
from whimbrel.bench.released import SOURCES, Released, ReleasedPackage, releases, rewritten, text_of
from whimbrel.change.habits import NO_HABITS
from whimbrel.change.version import read_version
from whimbrel.flows.refresh.comparing import NEIGHBOURS, SiteRepeats, compared
from whimbrel.parse import html
from whimbrel.records.change import Change
from whimbrel.repository.engines import open_reader

HTML = "text/html"
SEED = 4
SAMPLE = 400
NAMED_ALARMS = 6
GOAL_QUIET = 0.99
INSTALLED = (Path("/usr/share/doc/openjdk-17-jre-headless"), Path("/usr/share/doc/python3.11/html"))


class NoiseTold(Struct, frozen=True):
    """What was said of a site's pages. `changed` pages say something else, `unchanged` ones have other bytes only."""

    pages: int
    same_bytes: int
    changed: int
    found: int
    unchanged: int
    alarms: int

    @property
    def quiet(self) -> float:
        return 1 - self.alarms / self.unchanged if self.unchanged else 1.0


class PackageRow(Struct, frozen=True):
    package: str
    versions: tuple[str, str]
    held_out: bool
    scripted: bool
    told: NoiseTold
    text_alarms: int
    """How many unchanged pages differ in their visible text."""
    pair_ms: float
    """CPU time of reading and comparing two versions, the median."""
    named: tuple[str, ...]
    """Some alarms and all that was missed."""
    refreshed: NoiseTold | None = None
    """The same for a sample that was crawled and refreshed from a server on loopback."""


class NoiseReport(Struct, frozen=True):
    rows: tuple[PackageRow, ...]
    missing: tuple[str, ...]


def together(rows: Sequence[PackageRow]) -> NoiseTold:
    """The figures of some sites added up."""
    return NoiseTold(*(sum(getattr(row.told, name) for row in rows) for name in NoiseTold.__struct_fields__))


def goals(report: NoiseReport) -> list[Goal]:
    """Of the sites that nobody looked at while the rules were made."""
    told = together([row for row in report.rows if row.held_out])
    return [at_least("share of unchanged pages that raise no alarm", told.quiet, GOAL_QUIET)] if told.unchanged else []


def run(
    packages: Sequence[str], cache: Path, work: Path, say: Say, sample: int = SAMPLE, most: int | None = None
) -> NoiseReport:
    """The named packages, or all; what cannot be had is said and replaced by a rewritten site where nothing is left.

    `most` bounds the pages of a site that are compared, `sample` those that are crawled and refreshed.
    """
    wanted = [source for source in SOURCES if not packages or source.package in packages]
    rows, missing = [], []
    for source in wanted:
        try:
            released = releases(source, cache, say)
        except MissingTool as reason:
            missing.append(str(reason))
            continue
        rows.append(_measured(released, work, say, sample, most))
    if not rows:
        rows.append(_measured(_rewritten(work, say), work, say, sample, most))
    return NoiseReport(tuple(rows), tuple(missing))


def _rewritten(work: Path, say: Say) -> Released:
    site = next((folder for folder in INSTALLED if folder.is_dir()), None)
    if site is None:
        raise MissingTool("no release can be fetched and no site is installed; run: apt-get install openjdk-17-doc")
    say(f"no releases can be fetched: {site} with dates, build marks and menus rewritten by script instead")
    return rewritten(ReleasedPackage(site.name, "main,div.body,[role=main]"), site, work / "rewritten")


def _measured(released: Released, work: Path, say: Say, sample: int, most: int | None) -> PackageRow:
    say(f"{released.source.package}: {released.versions[0]} and {released.versions[1]} …")
    row = compare(released, most)
    if sample:
        say(f"{released.source.package}: crawl and refresh of {sample} pages …")
        folder = work / "sample"
        try:
            row = replace(row, refreshed=refreshed(released, folder, sample))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return row


class _PackagePair(Struct, frozen=True):
    path: str
    before: bytes
    after: bytes
    changed: bool


def _pairs(released: Released, paths: Sequence[str]) -> Iterator[_PackagePair]:
    """Pages whose bytes differ and whose content element is there in both releases."""
    for path in paths:
        before, after = (released.old / path).read_bytes(), (released.new / path).read_bytes()
        if before == after:
            continue
        was, now = text_of(before, released.source), text_of(after, released.source)
        if was is not None and now is not None:
            yield _PackagePair(path, before, after, was != now)


def compare(released: Released, most: int | None = None) -> PackageRow:
    """Every page of both releases, or a sample of them, by the decision that a refresh makes."""
    paths = released.pages()
    if most is not None and most < len(paths):
        paths = sorted(Random(SEED).sample(paths, most))
    same = sum((released.old / path).read_bytes() == (released.new / path).read_bytes() for path in paths)
    chosen = Random(SEED).sample(paths, min(NEIGHBOURS, len(paths)))
    site = SiteRepeats([read_version((released.old / path).read_bytes(), HTML) for path in chosen])
    counts = {(changed, alarm): 0 for changed in (True, False) for alarm in (True, False)}
    times, named, text_alarms = [], [], 0
    for pair in _pairs(released, paths):
        began = process_time()
        old, new = read_version(pair.before, HTML), read_version(pair.after, HTML)
        change = compared(old, new, NO_HABITS, site)
        times.append(process_time() - began)
        counts[pair.changed, change.changed] += 1
        if pair.changed != change.changed and (pair.changed or counts[False, True] <= NAMED_ALARMS):
            named.append(_named(pair, change))
        if not pair.changed:
            text_alarms += html.read(pair.before, HTML).text != html.read(pair.after, HTML).text
    told = NoiseTold(
        len(paths), same, counts[True, True] + counts[True, False], counts[True, True],
        counts[False, True] + counts[False, False], counts[False, True],
    )  # fmt: skip
    return PackageRow(
        released.source.package, released.versions, released.source.held_out, released.scripted, told, text_alarms,
        1000 * median(times) if times else 0.0, tuple(named),
    )  # fmt: skip


def _named(pair: _PackagePair, change: Change) -> str:
    if pair.changed:
        return f"missed: {pair.path}"
    spot = change.where[0]
    return f"alarm: {pair.path}: {', '.join(spot.kinds)} at {spot.place}: {spot.before[:60]!r} to {spot.after[:60]!r}"


def refreshed(released: Released, folder: Path, sample: int) -> NoiseTold:
    """A sample of the pages behind a server: crawled in the old release, refreshed in the new one."""
    paths = released.pages()
    chosen = sorted(Random(SEED).sample(paths, min(sample, len(paths))))
    site, data = folder / "site", folder / "data"
    site.mkdir(parents=True)
    _lay(released.old, chosen, site)
    # The pages reach each other only by chance: a sample is cut out of the site.
    index = "".join(f'<li><a href="{path}">{number}</a>' for number, path in enumerate(chosen))
    (site / "index.html").write_text(f"<title>Sample</title><main><ul>{index}</ul></main>")
    runs = Runs(folder)
    with served(site) as server:
        runs.crawl(server, data)
        began = time.time()
        _lay(released.new, chosen, site)
        runs.refresh(server, data, "--all")
        with open_reader(data) as reader:
            told = {one.url.removeprefix(f"{server.origin}/") for one in reader.since(began) if one.what == "changed"}
    pairs = list(_pairs(released, chosen))
    changed = {pair.path for pair in pairs if pair.changed}
    unchanged = {pair.path for pair in pairs} - changed
    return NoiseTold(
        len(chosen), len(chosen) - len(pairs), len(changed), len(changed & told), len(unchanged), len(unchanged & told)
    )


def _lay(release: Path, paths: Sequence[str], site: Path) -> None:
    for path in paths:
        target = site / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((release / path).read_bytes())
