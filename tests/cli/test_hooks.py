"""Webhooks: every change arrives, in order, numbered, whatever fails on the way."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from changing_folder import grow_changing
from folders import rows
from whimbrel.cli import hooks
from whimbrel.flows.telling.webhook import LONGEST_WAIT_SECONDS, NAME, Delivered, NotTaken, Taken, Webhook
from whimbrel.repository.contract import FolderBusy, RepositoryError
from whimbrel.repository.embedded.opening import open_database
from whimbrel.testing.reply import Reply, Request, redirect
from whimbrel.testing.web import TinyWeb

Call = Callable[..., Any]
WHATS = ["changed", "gone", "moved", "new"]


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hooked") / "folder"
    grow_changing(folder)
    return folder


@pytest.fixture
def folder(grown: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(grown, tmp_path / "folder", ignore=shutil.ignore_patterns("*.sock")))


class Receiver:
    """Takes messages as `answers` say, the last of them for ever."""

    def __init__(self, *answers: Taken | NotTaken) -> None:
        self._answers = list(answers) or [Taken()]
        self.messages: list[dict[str, Any]] = []

    def __call__(self, message: bytes, sequence: int) -> Taken | NotTaken:
        self.messages.append(json.loads(message))
        assert self.messages[-1]["sequence"] == sequence
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    @property
    def whats(self) -> list[str]:
        return sorted(change["what"] for message in self.messages for change in message["changes"])


def deliver(folder: Path, post: Any, now: float = 1e9, *, waits: bool = False) -> Delivered:
    return Webhook(folder, "http://x.org/hook", None, 0.0).deliver(post, now, waits=waits)


def another_change(folder: Path) -> None:
    database = open_database(folder)
    database.execute(
        "INSERT INTO change (url, at, what, kinds, amount, details)"
        " SELECT url, at, 'gone', '', 0, x'' FROM change LIMIT 1"
    )
    database.close()


def test_every_change_is_posted_and_none_twice(folder: Path) -> None:
    receiver = Receiver()
    assert deliver(folder, receiver) == Delivered(1, 4)
    assert receiver.whats == WHATS
    assert deliver(folder, receiver) == Delivered()
    another_change(folder)  # of a visit made earlier that came home late
    assert deliver(folder, receiver) == Delivered(1, 1)
    assert [message["sequence"] for message in receiver.messages] == [1, 2]


def test_what_was_not_taken_is_posted_again_with_its_number_and_nothing_else_in_it(folder: Path) -> None:
    receiver = Receiver(NotTaken("503"), Taken())
    assert deliver(folder, receiver) == Delivered(left=True, problem="503")
    another_change(folder)
    assert deliver(folder, receiver) == Delivered(2, 5)
    first, again, second = receiver.messages
    assert first == again
    assert (again["sequence"], second["sequence"], len(second["changes"])) == (1, 2, 1)


KILLED = """
import os, sys
from pathlib import Path
from whimbrel.flows.telling.webhook import Webhook

def post(message, sequence):
    Path(sys.argv[2]).write_bytes(message)
    os._exit(9)

Webhook(Path(sys.argv[1]), "http://x.org/hook", None, 0.0).deliver(post, 1e9, waits=False)
"""


def test_killed_after_the_post_and_before_the_answer(folder: Path, tmp_path: Path) -> None:
    seen = tmp_path / "message"
    ended = subprocess.run([sys.executable, "-c", KILLED, str(folder), str(seen)], timeout=300)
    assert ended.returncode == 9
    another_change(folder)
    receiver = Receiver()
    deliver(folder, receiver)
    assert receiver.messages[0] == json.loads(seen.read_bytes()), "at least once, and recognisably"


def test_a_receiver_that_fails_is_given_longer_and_longer_rests(folder: Path) -> None:
    receiver, now, waits = Receiver(NotTaken("down")), 1e9, []
    for _ in range(9):
        deliver(folder, receiver, now, waits=True)
        told = len(receiver.messages)
        wait = 0.0
        while len(receiver.messages) == told:
            wait += 30.0
            deliver(folder, receiver, now + wait, waits=True)
        waits.append(wait)
        now += wait
    assert waits[:3] == [60.0, 120.0, 240.0]
    assert max(waits) == LONGEST_WAIT_SECONDS
    asked = Receiver(NotTaken("busy", wait_seconds=7200.0))
    deliver(folder, asked, now + 3600.0)
    assert deliver(folder, asked, now + 3600.0 + 7199.0, waits=True) == Delivered(left=True)


def test_many_changes_go_in_several_messages(folder: Path) -> None:
    for _ in range(3):
        another_change(folder)
    database = open_database(folder)
    database.executemany(
        "INSERT INTO change (url, at, what, kinds, amount, details) SELECT url, at + ?, what, kinds, amount, details"
        " FROM change WHERE seq = 1",
        [(float(number),) for number in range(1200)],
    )
    database.close()
    receiver = Receiver()
    sent = deliver(folder, receiver)
    assert sent.messages == 3
    assert sent.changes == 4 + 3 + 1200
    assert max(len(message["changes"]) for message in receiver.messages) <= 501


def test_erased_changes_do_not_stop_it(folder: Path) -> None:
    receiver = Receiver()
    deliver(folder, receiver)
    database = open_database(folder)
    database.execute("DELETE FROM change")
    database.close()
    assert deliver(folder, receiver) == Delivered()
    another = open_database(folder)
    another.execute(
        "INSERT INTO change (seq, url, at, what, kinds, amount, details)"
        " SELECT 1, id, 5.0, 'gone', '', 0, x'' FROM url LIMIT 1"
    )
    another.close()
    assert deliver(folder, receiver).changes == 1


def test_one_at_a_time_and_a_file_that_cannot_be_read_is_said(folder: Path) -> None:
    def busy(message: bytes, sequence: int) -> Taken:
        with pytest.raises(FolderBusy):
            deliver(folder, Receiver())
        return Taken()

    assert deliver(folder, busy).messages == 1
    assert b"x.org" not in (folder / NAME).read_bytes(), "an address may hold a secret"
    (folder / NAME).write_text("{")
    with pytest.raises(RepositoryError, match="Remove it"):
        deliver(folder, Receiver())


def test_over_http(folder: Path) -> None:
    posted: list[Request] = []
    answers = [Reply(b"", 503), Reply(b"", 500), Reply(b"ok")]

    def hook(request: Request) -> Reply:
        posted.append(request)
        return answers.pop(0)

    waits: list[float] = []
    with TinyWeb({"/hook": hook, "/moved": redirect("/hook", 301)}) as web:
        moved = hooks.deliver(folder, web.url("/moved"), None, 0.0, tries=1)
        assert "name that address" in moved.problem
        assert posted == []
        assert hooks.deliver(folder, web.url("/hook"), None, 0.0, sleep=waits.append) == Delivered(1, 4)
        port = web.url("")
    assert waits == [1.0, 4.0]
    assert {request.headers["x-whimbrel-sequence"] for request in posted} == {"1"}
    dead = hooks.deliver(folder, f"{port}/other", None, 0.0, sleep=waits.append)
    assert dead.problem
    assert "posted the next time" in hooks.words(dead)


def test_a_refresh_posts_what_it_found(call: Call, tmp_path: Path) -> None:
    posted: list[Request] = []

    def hook(request: Request) -> str:
        posted.append(request)
        return "thanks"

    text = " ".join(f"word{number}" for number in range(60))
    with TinyWeb({"/": f"<title>Home</title><p>{text}</p>", "/hook": hook}) as web:
        folder = tmp_path / "f"
        assert call("crawl", web.url("/"), "--repo", folder).code == 0
        web.pages["/"] = f"<title>Home</title><p>{text}</p><p>Something new, and quite a lot of it.</p>"
        for _ in range(2):
            assert call("refresh", "--all", "--repo", folder, "--webhook", web.url("/hook")).code == 0
    assert len(posted) == 1
    assert rows(folder, "SELECT count(*) FROM change") == [(1,)]
