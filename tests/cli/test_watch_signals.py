"""`refresh --watch` ends when it is told to: a real process, real signals, at every moment of it."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from whimbrel.cli.running import Interrupts, _interrupted_by
from whimbrel.testing.web import TinyWeb, site

PATIENCE_SECONDS = 60.0
"""A round is five minutes: what ends before that was ended by its signal."""
WAITING = "the next round is in"
PATIENT = """
import sys
from whimbrel.cli.main import main
from whimbrel.migrants.home import manager
manager.FAREWELL_SECONDS = 3600.0  # nothing ends here because time passes, however little of it a busy machine gives
sys.exit(main())
"""


class Watch:
    """A watch in a session of its own, so that a signal reaches all of its processes, as a terminal's does."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = [sys.executable, "-c", PATIENT, "refresh", "--watch", "--all", "--repo", str(folder), *arguments]
        environment = {**os.environ, "WHIMBREL_CRAWL_MIGRANTS": "1"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                        start_new_session=True, env=environment)  # fmt: skip
        self.said: list[str] = []
        self._news = threading.Condition()
        self._hearing = threading.Thread(target=self._hear, daemon=True)
        self._hearing.start()

    def _hear(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._news:
                self.said.append(line)
                self._news.notify_all()

    def hear(self, words: str) -> bool:
        with self._news:
            return self._news.wait_for(lambda: any(words in line for line in self.said), PATIENCE_SECONDS)

    def signal(self, number: int) -> None:
        if number == signal.SIGINT:
            os.killpg(self.process.pid, number)
        else:
            self.process.send_signal(number)

    def code(self) -> int:
        code = self.process.wait(PATIENCE_SECONDS)
        self._hearing.join(PATIENCE_SECONDS)
        return code

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._hearing.join()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def watching(tmp_path: Path, call: Callable[..., Any]) -> Iterator[tuple[TinyWeb, Callable[..., Watch]]]:
    """A site, and a folder of it that can be watched."""
    begun: list[Watch] = []
    folder = tmp_path / "folder"

    def watch(*arguments: str) -> Watch:
        begun.append(Watch(folder, *arguments))
        return begun[-1]

    with TinyWeb(site(6)) as web:
        assert call("crawl", web.url("/"), "--repo", folder, "--json", "--twins-time", "0").code == 0
        yield web, watch
        for each in begun:
            each.close()
    with sqlite3.connect(folder / "crawl.sqlite") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
    status = call("status", "--repo", folder, "--json")
    assert (status.code, status.object["pages"]) == (0, 6)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_ends_the_wait(watching: Any, number: int) -> None:
    _, watch = watching
    running = watch()
    assert running.hear(WAITING)
    running.signal(number)
    assert running.code() == 0
    assert not any("Traceback" in line for line in running.said)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_one_signal_ends_a_run_and_the_watch_with_it(watching: Any, number: int, arguments: tuple[str, ...]) -> None:
    web, watch = watching
    before = web.count("/page/3.html")
    web.hold("/page/3.html")
    running = watch(*arguments)
    assert web.wait_for("/page/3.html", before + 1, PATIENCE_SECONDS)
    running.signal(number)
    web.release("/page/3.html")
    assert running.code() == 0
    assert not any(WAITING in line or "Traceback" in line for line in running.said)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_a_run_at_once(watching: Any, number: int) -> None:
    """The page that is waited for never comes."""
    web, watch = watching
    before = web.count("/page/3.html")
    web.hold("/page/3.html")
    running = watch()
    assert web.wait_for("/page/3.html", before + 1, PATIENCE_SECONDS)
    running.signal(number)
    assert running.hear("stopping"), "it says that it was heard, and what a second one does"
    running.signal(number)
    assert running.code() == 130
    assert not any("Traceback" in line for line in running.said)


def test_a_signal_that_a_run_heard_as_it_ended_is_known_to_whoever_outlasts_it() -> None:
    heard: list[bool] = []

    async def run() -> None:
        with _interrupted_by(lambda: heard.append(True), lambda: bool(heard)):
            os.kill(os.getpid(), signal.SIGINT)
            while not heard:
                await asyncio.sleep(0)

    with Interrupts() as interrupts:
        asyncio.run(asyncio.wait_for(run(), PATIENCE_SECONDS))
        assert interrupts.heard
    with Interrupts() as quiet:
        assert not quiet.heard
