"""Who is measured: how each is started, and what it has to show afterwards."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from whimbrel.bench.figures import miscounted
from whimbrel.bench.machine import MissingTool, Say, need_package
from whimbrel.repository.engines import open_reader
from whimbrel.repository.views import Selection

WGET2 = Path("/usr/bin/wget2")
CHECKOUT = Path(__file__).parents[3]
INSTALLER = CHECKOUT / "requirements" / "install.py"
SPIDER = Path(__file__).with_name("spider.py")


class PeerTask(Struct, frozen=True):
    """What every peer has to do: crawl from `seed`, where `expected` pages can be reached."""

    seed: str
    expected: int
    scrapy_pages: int


class RunSeen(Struct, frozen=True):
    """What a run left behind."""

    pages: int
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Peer(Struct, frozen=True):
    """`most_runs` spares time: a slow peer's figures differ little from run to run. `exit_codes` are those that
    mean the crawl went through; wget2 says 8 when some page of the site was not there."""

    name: str
    words: str
    prepare: Callable[[Say], None]
    command: Callable[[PeerTask, Path], list[str]]
    look: Callable[[PeerTask, Path], RunSeen]
    most_runs: int | None = None
    exit_codes: tuple[int, ...] = (0,)


def settings() -> dict[str, str]:
    """The environment of every peer: without what would configure or redirect it."""
    ours = ("WHIMBREL_", "SCRAPY_", "MALLOC_")
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(ours) and not name.lower().endswith("_proxy")
    }


def _whimbrel_command(task: PeerTask, folder: Path) -> list[str]:
    """Without what follows after the last commit; followers are measured by themselves."""
    crawl = [sys.executable, "-P", "-m", "whimbrel", "crawl", task.seed]
    return [*crawl, "--twins-time", "0", "--repo", str(folder / "data")]


def _whimbrel_look(task: PeerTask, folder: Path) -> RunSeen:
    with open_reader(folder / "data") as reader:
        overview = reader.overview()
        with_document = Selection(outcomes=("fetched", "unchanged", "duplicate"), assets=False)
        pages = sum(1 for one in reader.urls(with_document) if one.mime == "text/html")
    counts = overview.counts
    faults = [
        miscounted(pages, task.expected),
        f"{overview.due} URLs still wait in the queue" if overview.due else "",
        "" if sum(counts.states.values()) == counts.known else "the counts of outcomes do not add up",
    ]
    for name, end in overview.archives:
        size = (folder / "data" / "archive" / name).stat().st_size
        if size != end:
            faults.append(f"{name} has {size} bytes where {end} were committed")
    archived = sum(end for _, end in overview.archives)
    note = f"{counts.pages} pages kept in {archived / 1e6:.0f} MB of WARC, everything synced to disk"
    return RunSeen(pages, tuple(filter(None, faults)), (note,))


def _wget2_command(task: PeerTask, folder: Path) -> list[str]:
    return [
        str(WGET2), "--no-config", "--quiet", "--recursive", "--level=0", "--max-threads=16", "--no-parent",
        "--no-host-directories", "--no-hsts", r"--accept-regex=\.html([?#].*)?$",
        f"--directory-prefix={folder / 'pages'}", task.seed,
    ]  # fmt: skip


def _wget2_look(task: PeerTask, folder: Path) -> RunSeen:
    pages = sum(1 for _ in (folder / "pages").rglob("*.html"))
    return RunSeen(pages, tuple(filter(None, [miscounted(pages, task.expected)])))


def scrapy_python() -> Path:
    beside = Path(os.environ.get("WHIMBREL_VENV") or CHECKOUT / ".venv").absolute()
    return beside.with_name(f"{beside.name}-bench") / "bin" / "python"


def _scrapy_prepare(say: Say) -> None:
    if not INSTALLER.exists():
        raise MissingTool("Scrapy is measured from a checkout of Whimbrel only. Leave it out: --peers whimbrel,wget2")
    if not scrapy_python().exists():
        say(f"making an environment for Scrapy from requirements/bench.lock ({scrapy_python().parents[1].name})")
    done = subprocess.run([sys.executable, str(INSTALLER), "bench"], stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise MissingTool("Scrapy could not be installed; see above. Leave it out: --peers whimbrel,wget2")


def _scrapy_command(task: PeerTask, folder: Path) -> list[str]:
    return [str(scrapy_python()), "-I", str(SPIDER), task.seed, str(folder), str(task.scrapy_pages)]


def _scrapy_look(task: PeerTask, folder: Path) -> RunSeen:
    with (folder / "pages.jsonl").open("rb") as lines:
        pages = sum(1 for _ in lines)
    stats = json.loads((folder / "stats.json").read_text())
    at_work = float(stats.get("elapsed_time_seconds", 0))
    size = int(stats.get("downloader/response_bytes", 0)) / max(1, pages)
    rate = pages / at_work if at_work else 0.0
    notes = [f"{rate:.1f} pages/s between its start and its end, start-up left out; {size / 1000:.0f} KB a page"]
    wanted = task.expected
    if 0 < task.scrapy_pages < task.expected:
        wanted = task.scrapy_pages
        notes.append(f"ended by CLOSESPIDER_PAGECOUNT after {wanted} of {task.expected} pages (--scrapy-pages 0: all)")
    # The last requests under way still come in after the count is reached.
    late = pages - wanted if wanted < task.expected and wanted <= pages <= wanted + 64 else 0
    return RunSeen(pages, tuple(filter(None, [miscounted(pages - late, wanted)])), tuple(notes))


PEERS = {
    peer.name: peer
    for peer in (
        Peer(
            "whimbrel", "home and one migrant; WARC, SQLite, duplicates, traps, synced to disk",
            lambda say: None, _whimbrel_command, _whimbrel_look,
        ),
        Peer(
            "wget2", "16 threads; files as they come",
            lambda say: need_package(WGET2, "wget2", say), _wget2_command, _wget2_look, exit_codes=(0, 8),
        ),
        Peer(
            "scrapy", "a CrawlSpider, 32 requests at a time; body, title and text as JSON lines",
            _scrapy_prepare, _scrapy_command, _scrapy_look, most_runs=3,
        ),
    )
}  # fmt: skip
