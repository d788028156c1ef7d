"""Migrants that misbehave: what home starts in place of a migrant, as a process of its own."""

import os
import stat
import sys
from pathlib import Path

import pytest

START = """#!{python}
import json, os, signal, sys, time
from pathlib import Path
COUNT = Path({count!r})
BORN = len(COUNT.read_text()) + 1
COUNT.write_text("x" * BORN)
{before}
from whimbrel.migrants import __main__ as migrant
from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.stream import StreamChannel
from whimbrel.parse import html
def says(instead):
    send = StreamChannel.send
    def said(channel, body):
        for message in instead(wire.read_from_migrant(body)):
            send(channel, message if isinstance(message, bytes) else wire.encode(message))
    StreamChannel.send = said
{after}
sys.argv = sys.argv[2:]
migrant.main()
"""

DEADLY = """
read = html.read
def deadly(body, *arguments, **options):
    if b"<p>poison" in body:
        {what}
    return read(body, *arguments, **options)
html.read = deadly
"""

DIES_AT_ONCE = "sys.exit(3)"
DIES_TWICE_AT_ONCE = "if BORN <= 2: sys.exit(3)"
DIES_OF_A_PAGE = DEADLY.format(what="os.kill(os.getpid(), signal.SIGKILL)")
IS_STUCK_IN_A_PAGE = DEADLY.format(what="Path(str(COUNT) + '.stuck').write_text(str(os.getpid())); signal.pause()")
"""It leaves its number behind."""
BREAKS_A_VISIT_AT_FIRST = """
from whimbrel.flows.visit import crawl
async def broken(task, tools):
    raise RuntimeError("out of ink")
if BORN == 1: crawl.visit = broken
"""
OF_ANOTHER_RELEASE = "os.environ['WHIMBREL_WIRE'] = '99'"
SPEAKS_NONSENSE = "says(lambda message: [bytes((0xC1, 0xC1))])"
IS_BORN_TWO_HOURS_AHEAD = """
if BORN == 1:
    told = time.time
    time.time = lambda: told() + 7200
"""
SENDS_EVERYTHING_TWICE = "says(lambda message: [message] * (2 if isinstance(message, wire.Parcel) else 1))"
INVENTS_VISITS = """
import msgspec
from whimbrel.urls.normal import key
def forged(message):
    if isinstance(message, wire.Parcel):
        invented = [
            msgspec.structs.replace(visit, key=key(url), url=url, reason="invented")
            for visit in message.visits for url in (visit.url + "invented", "http://127.0.0.1:1/invented")
        ]
        message = msgspec.structs.replace(message, visits=message.visits + invented)
    return [message]
says(forged)
"""


def engage(monkeypatch: pytest.MonkeyPatch, folder: Path, *, before: str = "", after: str = "") -> "Understudy":
    """From now on home starts this program where it would start a migrant. `before` runs ahead of all imports."""
    folder.mkdir(parents=True, exist_ok=True)
    count = folder / "born"
    count.write_text("")
    program = folder / "migrant"
    program.write_text(START.format(python=sys.executable, count=str(count), before=before, after=after))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(sys, "executable", os.fspath(program))
    return Understudy(count)


class Understudy:
    def __init__(self, count: Path) -> None:
        self._count = count

    @property
    def stuck(self) -> Path:
        """Holds the number of the process that is stuck in a page, once one is."""
        return self._count.with_name(f"{self._count.name}.stuck")

    @property
    def born(self) -> int:
        """How many were started."""
        return len(self._count.read_text())
