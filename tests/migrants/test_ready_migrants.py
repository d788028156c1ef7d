"""Migrants forked from a process that has loaded all modules work and end as those do that are started anew."""

import asyncio
import mmap
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from folders import everything
from ready_migrants import Forked, forked, ready
from whimbrel import api
from whimbrel.config import load
from whimbrel.migrants.wire.channel import Carrier, Journey, Passport
from whimbrel.migrants.wire.local import Local, Started
from whimbrel.testing.site import site
from whimbrel.testing.web import TinyWeb


def crawled(folder: Path, seed: str, carrier: Carrier) -> list[tuple[object, ...]]:
    opened = api.open_crawl(load(None, {}, {"crawl.migrants": 2}), api.read_seeds([seed]), folder, carrier=carrier)
    try:
        asyncio.run(asyncio.wait_for(api.run_crawl(opened), 300))
    finally:
        opened.store.close()
    return everything(folder)


def test_a_crawl_ends_the_same(tmp_path: Path) -> None:
    with TinyWeb(site(30, 5, missing=2)) as web:
        forked = crawled(tmp_path / "forked", web.url("/"), ready())
        assert forked == crawled(tmp_path / "started", web.url("/"), Local())
    assert len(forked) >= 30


def begun(folder: Path) -> Started:
    """One whose connection is closed at once, of which it ends."""
    ours, theirs = socket.socketpair()
    mark = os.memfd_create("mark")
    os.ftruncate(mark, mmap.PAGESIZE)
    with ours, theirs:
        process = forked(Journey(Passport("m1", bytes(32)), "here", str(folder)), theirs.fileno(), mark)
    os.close(mark)
    process.wait()
    return process


def test_its_end_is_heard_and_killing_it_then_harms_nobody(tmp_path: Path) -> None:
    process = begun(tmp_path)
    process.kill()
    process.wait()
    assert process.pid > 0


def test_waiting_for_one_that_lasts_ends() -> None:
    lasting = subprocess.Popen(["sleep", "1000"])
    forked = Forked(lasting.pid, os.pidfd_open(lasting.pid))
    with pytest.raises(subprocess.TimeoutExpired):
        forked.wait(0.0)
    forked.kill()
    forked.wait()
    lasting.wait()


@pytest.mark.parametrize("what", ["environment", "program"])
def test_where_either_differs_it_is_started_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    assert isinstance(begun(tmp_path), Forked)
    if what == "environment":
        monkeypatch.setenv("WHIMBREL_OF_A_TEST", "1")
    else:
        (tmp_path / "python").symlink_to(sys.executable)
        monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert isinstance(begun(tmp_path), subprocess.Popen)
    monkeypatch.undo()
    assert isinstance(begun(tmp_path), Forked)
