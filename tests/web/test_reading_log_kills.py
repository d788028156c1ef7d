"""What `whimbrel serve` acknowledged of readers outlives its being killed in the middle of batches."""

import contextlib
import http.client
import json
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from kept_shelf import TIDES
from web_client import Reader, Running

from whimbrel.readers.log import ReaderLog
from whimbrel.readers.opening import FILE

SERVE = [sys.executable, "-c", "import sys; from whimbrel.cli.serve import command; sys.exit(command())"]
JOURNAL = f"{FILE}-wal"
TRACED = ["strace", "-D", "-f", "-y", "-qq", "--seccomp-bpf", "-s", "0", "-e", "trace=pwrite64,fdatasync,fsync"]
"""It is the server that is the child, and what traces it a process beside."""
SENDERS = 4
ENOUGH = 25
"""Batches that are acknowledged before the server is killed."""


class Process(Running):
    """The server as a process of its own, which can be killed. What it wrote and when it synced stands in `trace`."""

    def __init__(self, folder: Path) -> None:
        self.trace = Path(f"{folder}.trace")
        traced = [*TRACED, "-o", str(self.trace)]
        command = [*traced, *SERVE, "--repo", str(folder), "--port", "0", "--no-open", "--json"]
        self.folder = folder
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.port = int(json.loads(self.process.stdout.readline())["address"].rstrip("/").rpartition(":")[2])

    def end(self, number: signal.Signals) -> None:
        self.process.send_signal(number)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def knows(self, reader: Reader, old_port: int) -> Reader:
        """The same reader, before a server at another port: cookies are named after it."""
        return Reader(self, reader.headers["Cookie"].replace(f"-{old_port}=", f"-{self.port}="), reader.token)


class Sender(threading.Thread):
    """Sends batch after batch over one connection until nobody answers."""

    def __init__(self, server: Process, reader: Reader, view: dict[str, Any], names: str, heard: threading.Semaphore):
        super().__init__()
        self.sent: list[str] = []
        self.acknowledged: list[str] = []
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        self._reader, self._view, self._names, self._heard = reader, view, names, heard

    def run(self) -> None:
        headers = {**self._reader.headers, "Content-Type": "application/json"}
        with contextlib.suppress(OSError, http.client.HTTPException):
            while True:
                self.sent.append(f"{self._names}-{len(self.sent):09}")
                self._connection.request("POST", "/events", body_of(self._reader, self._view, self.sent[-1]), headers)
                answer = self._connection.getresponse()
                said = json.loads(answer.read())
                assert (answer.status, said["batch"], said["new"]) == (200, self.sent[-1], True)
                self.acknowledged.append(self.sent[-1])
                self._heard.release()
        self._connection.close()


def body_of(reader: Reader, view: dict[str, Any], name: str) -> bytes:
    deeds = [["scroll", 1, 999.0], ["copy", 1, 1000.0], ["active", 3, 1000.0]]
    return json.dumps({"token": reader.token, "batch": name, "sent": 1000.0, "deeds": deeds, **view}).encode()


def batches_in(folder: Path) -> dict[str, int]:
    with ReaderLog(folder) as log, log.reading() as database:
        rows = database.execute("SELECT count(*) FROM deed WHERE action < 20").fetchone()[0]
        names = [name for (name,) in database.execute("SELECT name FROM batch")]
    assert rows == 3 * len(names), "a batch is there whole or not at all"
    assert len(names) == len(set(names))
    return dict.fromkeys(names, 3)


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is missing; syncs cannot be seen without it")
def test_killed_in_the_middle_of_batches_nothing_acknowledged_is_lost_or_doubled(shelf: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    shutil.copytree(shelf, folder, ignore=shutil.ignore_patterns("readers*.sqlite*", "*.sock"))
    server = Process(folder)
    readers = [server.reader() for _ in range(SENDERS)]
    sent: set[str] = set()
    for round in range(2):
        heard = threading.Semaphore(0)
        view = [reader.view(TIDES, "estuary") for reader in readers]
        named = [f"batch-of-round-{round}-{number}" for number in range(SENDERS)]
        senders = [Sender(server, *each, heard) for each in zip(readers, view, named, strict=True)]
        for sender in senders:
            sender.start()
        for _ in range(ENOUGH):
            heard.acquire()
        server.end(signal.SIGKILL)
        for sender in senders:
            sender.join()
        acknowledged = {name for sender in senders for name in sender.acknowledged}
        assert len(acknowledged) >= ENOUGH
        for kept in (_cut_back(server, tmp_path / f"copy-{round}"), folder):
            assert acknowledged <= set(batches_in(kept))
        before, server = server.port, Process(folder)
        readers = [server.knows(reader, before) for reader in readers]
        for sender, reader, shown in zip(senders, readers, view, strict=True):
            for name in sender.sent:  # as a browser does that heard nothing: all of it once more
                answer = reader.send(json.loads(body_of(reader, shown, name)))
                assert answer.status == 200
                assert not (name in acknowledged and answer.json()["new"])
            sent |= set(sender.sent)
    server.end(signal.SIGTERM)
    assert set(batches_in(folder)) == sent


def _cut_back(server: Process, copy: Path) -> Path:
    """The log as it is left by a machine that went down: the journal ends where the last sync found its end."""
    copy.mkdir()
    shutil.copyfile(server.folder / FILE, copy / FILE)
    journal = (server.folder / JOURNAL).read_bytes()
    (copy / JOURNAL).write_bytes(journal[: _synced(server.trace.read_text())])
    return copy


def _synced(trace: str) -> int:
    """Where the journal ended when the last sync began of those that came to their end."""
    end = synced = 0
    begun: dict[str, int] = {}
    for thread, call, rest in re.findall(r"^(\d+) +(?:<\.\.\. )?(\w+)(.*)", trace, re.MULTILINE):
        if call == "pwrite64" and JOURNAL in rest:
            length, place = re.findall(r"(\d+), (\d+)(?:\)| <)", rest)[-1]
            end = int(length) + int(place)
        elif call != "pwrite64" and JOURNAL in rest:
            begun[thread] = end
        if call != "pwrite64" and rest.endswith("= 0"):
            synced = begun.pop(thread, synced)
    return synced
