"""`watch`: one round by a real process tells a real mail server; a server that is away or refuses gets it later."""

import json
import socket
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("apprise", reason="the extra `notify` is not installed")

from aiosmtpd.controller import Controller

from changing_folder import LINES, page
from commands import asking, run
from folders import crawl
from whimbrel.cli import notices
from whimbrel.cli.watch import unit_for
from whimbrel.flows.telling.digest import NoticeText
from whimbrel.flows.telling.webhook import NotTaken
from whimbrel.testing.web import TinyWeb

LOCAL = "127.0.0.1"


class Inbox:
    """What the mail server was given; `refuses` answers as one that wants no mail."""

    def __init__(self) -> None:
        self.mails: list[Any] = []
        self.refuses = False

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if self.refuses:
            return "554 5.7.1 no mail from you"
        self.mails.append(message_from_bytes(envelope.content, policy=default))
        return "250 OK"


def _free_port() -> int:
    with socket.create_server((LOCAL, 0)) as server:
        return int(server.getsockname()[1])


def rested(folder: Path) -> None:
    """The rest that a receiver is given after a failure is over."""
    progress = json.loads((folder / "notices.json").read_text())
    for one in progress.values():
        one["not_before"] = 0.0
    (folder / "notices.json").write_text(json.dumps(progress))


@pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")
def test_a_change_is_mailed_with_its_words_once_whatever_the_server_does(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder, file, ask, port = tmp_path / "folder", tmp_path / "whimbrel.toml", asking(capfd), _free_port()
    to = f"mailto://{LOCAL}:{port}?to=ada@example.org&from=whimbrel@example.org&mode=insecure"
    file.write_text(f'[crawl]\nmigrants = 1\n[[notify]]\nto = "{to}"\ndegree = "small"\n')
    box = Inbox()
    controller = Controller(box, hostname=LOCAL, port=port)

    def rounds() -> str:
        done = ask("watch", "--all", "--rounds", "1", "--repo", folder, "--config", file)
        assert done.returncode == 0, done.stderr
        return done.stderr

    with TinyWeb({"/": page("Home", *LINES, links=("/bird",)), "/bird": page("Bird", *LINES)}) as web:
        crawl(folder, web.url("/"), migrants=1)
        assert "notify" not in rounds(), "what was there before is no news"
        web.pages["/bird"] = page("Bird", *LINES, "It calls seven times <b>in a row</b>.")
        assert "[[notify]] 1 (mailto) did not take a notice" in rounds(), "the server is away"
        assert "notify" not in rounds(), "it has its rest"
        controller.start()
        try:
            box.refuses = True
            rested(folder)
            assert "no mail from you" in rounds()
            box.refuses = False
            rested(folder)
            assert "[[notify]] 1 (mailto) was told of 1 change" in rounds()
            assert "notify" not in rounds()
        finally:
            controller.stop()
    (mail,) = box.mails
    assert (mail["subject"], "ada@example.org" in mail["to"]) == ("Changed: Bird", True)
    assert "It calls seven times" in mail.get_body(("plain", "html")).get_content()
    assert (folder / "index").exists(), "a round also makes searchable"


@pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")
def test_a_server_that_takes_the_call_and_says_nothing_counts_as_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would answer after an hour; nobody waits for as long."""
    monkeypatch.setattr("whimbrel.cli.notices.LONGEST_SECONDS", 0.5)
    with socket.create_server((LOCAL, 0)) as server:
        to = f"mailto://{LOCAL}:{server.getsockname()[1]}?to=ada@example.org&from=w@example.org&mode=insecure"
        answer = notices._send(to, "[[notify]] 1", NoticeText("Changed: Bird", "It calls."))
    assert isinstance(answer, NotTaken)
    assert answer.reason


@pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")
def test_a_table_that_cannot_work_is_said_before_anything_is_fetched(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder, file, ask = tmp_path / "folder", tmp_path / "whimbrel.toml", asking(capfd)
    with TinyWeb({"/": page("Home", *LINES)}) as web:
        crawl(folder, web.url("/"), migrants=1)
        before = len(web.log)
        for table, words in (
            ('to = "nonsense"', "expected an address"),
            ('to = "mailto://ada:hunter2@example.org"', "it holds a password"),
            ('to = "what://is.this"', "no address that apprise knows"),
            ('to = "env:NO_SUCH_VARIABLE"', "is not set"),
            ('to = "json://127.0.0.1"\ndegree = "huge"', "no degree"),
            ('to = "json://127.0.0.1"\nquiet = "night"', "names no hours"),
            ('degree = "small"', "where to tell"),
        ):
            file.write_text(f"[[notify]]\n{table}\n")
            done = ask("watch", "--rounds", "1", "--repo", folder, "--config", file)
            assert (done.returncode, words in done.stderr, "hunter2" in done.stderr) == (2, True, False), done.stderr
        assert len(web.log) == before


def test_a_unit_quotes_what_systemd_would_read() -> None:
    unit = unit_for(Path("/srv/my copies/100%"), Path("/etc/w.toml"), ["/opt/w him/whimbrel"], 600)
    assert 'ExecStart="/opt/w him/whimbrel" "watch" "--repo" "/srv/my copies/100%%" "--config" "/etc/w.toml"' in unit
    assert "WorkingDirectory=/srv/my copies\n" in unit
    assert run("watch", "--unit").returncode == 2
