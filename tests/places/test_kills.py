"""Home, its server, the place and its migrant are killed in the middle of a crawl: it ends as any other."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from neighbours import PATIENCE, allow, at_work, crawl_far, join, start_place

from folders import COMMAND, consistent, crawl, everything, finish
from whimbrel.testing.web import TinyWeb, site

PAGES = site(120, 4, seed=5)


class Once:
    """Does something as soon as the site was asked so often, from a thread of its own."""

    def __init__(self, web: TinyWeb, requests: int, deed: "Callable[[], None]") -> None:
        self._web, self._requests, self._deed = web, requests, deed
        self._asked = len(web.log)
        self.done = False
        self._thread = threading.Thread(target=self._wait)
        self._thread.start()

    def _wait(self) -> None:
        assert self._web.wait_for_requests(self._asked + self._requests, PATIENCE)
        self._deed()
        self.done = True

    def join(self) -> None:
        self._thread.join()


def migrant_of(place: int) -> int:
    """The process that the place's program started."""
    children = Path(f"/proc/{place}/task/{place}/children").read_text().split()
    return int(children[0])


@pytest.mark.parametrize("whom", ["migrant", "server", "place"])
def test_whoever_is_killed_the_crawl_ends_the_same(tmp_path: Path, whom: str) -> None:
    folder, place = tmp_path / "far", tmp_path / "place"
    join(folder, place)
    allow(place, requests_per_second="200")
    again: list[subprocess.Popen[bytes]] = []
    with TinyWeb(PAGES) as web, at_work(place) as program:

        def kill() -> None:
            match whom:
                case "migrant":
                    os.kill(migrant_of(program.pid), signal.SIGKILL)
                case "server":
                    os.kill(int((folder / "places/server.pid").read_text()), signal.SIGKILL)
                case _:
                    program.kill()
                    again.append(start_place(place))

        crawl(tmp_path / "local", web.url("/"))
        killing = Once(web, 40, kill)
        try:
            assert crawl_far(folder, web.url("/")).why == "finished"
        finally:
            killing.join()
            for process in again:
                process.kill()
                process.wait()
    assert killing.done
    assert everything(folder) == everything(tmp_path / "local")
    consistent(folder)


def test_home_is_killed_and_goes_on_when_it_is_started_again(tmp_path: Path) -> None:
    folder, place = tmp_path / "far", tmp_path / "place"
    join(folder, place)
    allow(place, requests_per_second="200")
    with TinyWeb(PAGES) as web, at_work(place):
        crawl(tmp_path / "local", web.url("/"))
        home = subprocess.Popen(
            [*COMMAND, web.url("/"), "--repo", str(folder), "--json"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        killing = Once(web, 40, home.kill)
        killing.join()
        home.wait()
        finish(folder, web.url("/"))
    assert everything(folder) == everything(tmp_path / "local")
    consistent(folder)
