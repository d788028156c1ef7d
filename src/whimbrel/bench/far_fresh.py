"""From a change of a file at the site until a search at home finds it: a resident place that reads the site's files,
and a home that watches. Pages are edited one by one, some time after the one before was found: after a round for what
it was told home leaves as long a pause as the round took."""

import subprocess
import time
from pathlib import Path
from random import Random

from whimbrel.bench import made_up
from whimbrel.bench.far import FarHome, place_at, served_far
from whimbrel.bench.goals import Goal, at_most
from whimbrel.bench.machine import MissingTool, Say
from whimbrel.bench.namespaces import far_world
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.contract import DEFAULTS

PAGES = 60
EDITS = 20
ROUND_TRIP_SECONDS, MEGABITS = 0.02, 10
PATIENCE_SECONDS = 120.0
LOOK_SECONDS = 0.1
MOST_SECONDS = 3.0
LEAST_PAUSE_SECONDS = 5.0


def fresh_goals(delays: "tuple[float, ...]") -> list[Goal]:
    if not delays:
        return []
    late = sorted(delays)[min(len(delays) - 1, int(0.95 * len(delays)))]
    return [at_most(f"seconds from a change to a search that finds it, p95 of {len(delays)}", late, MOST_SECONDS)]


def far_fresh(folder: Path, say: Say, edits: int = EDITS) -> list[float]:
    folder.mkdir(parents=True)
    root = made_up.releases(folder / "made", PAGES).old
    with far_world() as world, served_far(world.sites[0], root, folder / "nginx"):
        site, home = world.sites[0], FarHome(world, folder / "home")
        with place_at(site, folder / "place") as place:
            place.join(home, "home", [site.near])
            place.allow([(f"http://{site.near}/", root.resolve())], requests_per_second="1000")
            place.run()
            site.link.way(ROUND_TRIP_SECONDS, MEGABITS * 1e6)
            say("a crawl, an index, and a watch")
            home.crawl("home", f"http://{site.near}/index.html")
            home.run("index", "--repo", str(home.path("home")))
            watch = home.start("refresh", "--watch", "--repo", str(home.path("home")), "--twins-time", "0")
            try:
                _awaited(home, watch)
                pages = Random(3).sample(sorted(root.rglob("*/*.html")), edits)
                delays = []
                for number, page in enumerate(pages):
                    delays.append(_found(home, page, f"curlewword{number}q", watch, say))
                    time.sleep(max(LEAST_PAUSE_SECONDS, 2 * delays[-1]))
                return delays
            finally:
                watch.kill()
                watch.wait()


def _awaited(home: FarHome, watch: "subprocess.Popen[bytes]") -> None:
    """Until the first round is over, and the place has been heard."""
    said = home.path("said.log")
    ends = time.monotonic() + PATIENCE_SECONDS
    while b"the next round is in" not in said.read_bytes():
        if watch.poll() is not None or time.monotonic() > ends:
            raise MissingTool(f"the watch did not come to its first pause: {said.read_text()[-500:]}")
        time.sleep(LOOK_SECONDS)


def _found(home: FarHome, page: Path, word: str, watch: "subprocess.Popen[bytes]", say: Say) -> float:
    """Seconds until a search finds the word; `PATIENCE_SECONDS` where none did."""
    text = page.read_text()
    page.write_text(text.replace("<p>", f"<p>The {word} was seen at the estuary this morning, they say. ", 1))
    began = time.monotonic()
    while (taken := time.monotonic() - began) < PATIENCE_SECONDS and watch.poll() is None:
        with Searcher(home.path("home"), DEFAULTS) as searcher:
            answer = searcher.answer(parse(word), 1, 1, now=time.time())
            if answer.hits and not answer.corrected:
                say(f"found after {taken:.1f} s")
                return taken
        time.sleep(LOOK_SECONDS)
    say("not found")
    return PATIENCE_SECONDS
