"""Somebody's word that a change is no news: it is heeded by all who tell, and taking it back leaves nothing behind."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from growing_site import Followed
from whimbrel.change.decide import decide
from whimbrel.change.habits import NO_HABITS
from whimbrel.change.noise import Noise
from whimbrel.change.taught import SILENCED, pointed_at, quieted, taught
from whimbrel.change.version import read_version
from whimbrel.cli.main import main
from whimbrel.flows.attention.book import NAME, AttentionBook
from whimbrel.flows.telling.news import NewsFilter
from whimbrel.flows.telling.notices import Notices, NoticeWanted
from whimbrel.flows.telling.webhook import Taken, Webhook
from whimbrel.records.url import Url
from whimbrel.repository.contract import RepositoryError
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

STORY = "".join(f"<p>Paragraph {word} stays as it is, however often the page is looked at.</p>" for word in "abcdef")


def written(saying: str, hide: str = "open", title: str = "Marsh") -> bytes:
    inside = f"<h2>Saying of the hour</h2><p>{saying}</p><h2>The hide</h2><p>It is {hide} today.</p>{STORY}"
    return f"<!doctype html><title>{title}</title><main><h1>Marsh</h1>{inside}</main>".encode()


def listed(capsys: pytest.CaptureFixture[str], folder: Path, *flags: str) -> list[dict[str, object]]:
    capsys.readouterr()
    assert main(["changes", "--json", "--since", "1d", "--repo", str(folder), *flags]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


SAYINGS = (
    "Slow and steady wins the race.",
    "A stitch in time saves nine for us.",
    "Early birds catch the worm, they say.",
    "Still waters run deep, as always.",
    "All good things come to an end.",
)
OTHERS = ("Rome was not built in a day.", "Look before you leap, my friend.", "Every cloud has a silver lining.")


def silenced(web: TinyWeb, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Followed, dict[str, object]]:
    """A page that was told as changed once, of which nothing is to be told any more; and that change."""
    followed = Followed(web, folder)
    followed.crawl()
    web.pages["/"] = Reply(written(SAYINGS[1]))
    followed.refresh()
    (told,) = listed(capsys, folder)
    assert main(["silence", str(told["id"]), "--repo", str(folder)]) == 0
    return followed, told


def test_a_silenced_place_is_noise_until_the_word_is_taken_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with TinyWeb({"/": Reply(written(SAYINGS[0]))}) as web:
        followed, told = silenced(web, tmp_path, capsys)
        assert "whatever stands here" in capsys.readouterr().out
        assert listed(capsys, tmp_path) == [], "what was told before falls silent too"
        assert [one["silenced"] for one in listed(capsys, tmp_path, "--silenced")] == [1]
        web.pages["/"] = Reply(written(SAYINGS[2]))
        followed.refresh()
        assert listed(capsys, tmp_path) == [], "a refresh heeds it"
        followed.refresh()
        assert listed(capsys, tmp_path) == [], "also where what came stays"
        web.pages["/"] = Reply(written(SAYINGS[3], "closed"))
        followed.refresh()
        (other,) = listed(capsys, tmp_path)
        assert "closed" in str(other["where"])
        assert "waters" not in str(other["where"])
        assert SILENCED in str(other["noise"])

        web.pages["/"] = Reply(written(SAYINGS[4], "closed"))
        followed.refresh()
        assert main(["silence", "--undo", "1", "--repo", str(tmp_path)]) == 0
        ids = [one["id"] for one in listed(capsys, tmp_path)]
        assert ids == [other["id"], told["id"]], "what was told before is listed again"


def test_what_came_meanwhile_and_is_still_there_is_told_when_the_word_is_taken_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with TinyWeb({"/": Reply(written(SAYINGS[0]))}) as web:
        followed, told = silenced(web, tmp_path, capsys)
        for _ in range(4):  # it rests: no visit shows that it turns over by itself
            followed.refresh()
        web.pages["/"] = Reply(written(SAYINGS[2]))
        followed.refresh()
        assert listed(capsys, tmp_path) == []
        assert main(["silence", "--undo", "1", "--repo", str(tmp_path)]) == 0
        followed.refresh()
        later, earlier = listed(capsys, tmp_path)
        assert (earlier["id"], "Early birds" in str(later["where"])) == (told["id"], True)


def test_what_is_new_in_kind_is_told_all_the_same() -> None:
    older, newer = (read_version(written(saying), "text/html") for saying in SAYINGS[:2])
    (spots,) = pointed_at(older, newer).values()
    for saying, changes in (
        (SAYINGS[2], False),
        (SAYINGS[2] + " <a href=/news>All our sayings are for sale</a>", True),
        (" ".join(SAYINGS * 4), True),
    ):
        later = read_version(written(saying), "text/html")
        plain = decide(newer, later)
        assert plain.changed
        change = quieted(plain, decide(newer, later, Noise(taught(NO_HABITS, spots))))
        assert change.changed is changes, saying
        assert {spot.reason for spot in change.noise} == (set() if changes else {SILENCED})
        assert quieted(plain, plain) == plain


def test_a_place_is_silenced_on_every_page_or_a_page_whatever_happens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def pages(number: int) -> dict[str, Reply]:
        start = written(SAYINGS[number]) + b"<a href=/two>two</a>"
        return {
            "/": Reply(start),
            "/two": Reply(written(OTHERS[number], title="Two").replace(b"stays", b"is left")),
        }

    with TinyWeb(pages(0)) as web:
        followed = Followed(web, tmp_path)
        followed.crawl()
        web.pages.update(pages(1))
        followed.refresh()
        told = listed(capsys, tmp_path)
        assert len(told) == 2
        assert main(["silence", str(told[0]["id"]), "--everywhere", "--repo", str(tmp_path)]) == 0
        assert listed(capsys, tmp_path) == []
        web.pages.update(pages(2))
        followed.refresh()
        assert listed(capsys, tmp_path) == []
        assert main(["silence", "--undo", "1", "--repo", str(tmp_path)]) == 0
        assert main(["silence", web.url("/two"), "--repo", str(tmp_path)]) == 0
        left = listed(capsys, tmp_path)
        assert [one["url"] for one in left] == [web.url("/")]
        assert main(["forget", web.url("/two"), "--yes", "--repo", str(tmp_path)]) == 0
        with AttentionBook(tmp_path) as book:
            assert book.silences() == (), "what is forgotten is named nowhere"


def test_notices_and_webhooks_heed_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    posted: list[bytes] = []

    def post(body: bytes, number: int) -> Taken:
        posted.append(body)
        return Taken()

    with TinyWeb({"/": Reply(written(SAYINGS[0]))}) as web:
        followed = Followed(web, tmp_path)
        followed.crawl()
        wanted = Notices(tmp_path, NoticeWanted("mailto://x", NewsFilter(private=False)))
        wanted.begin(0.0)
        web.pages["/"] = Reply(written(SAYINGS[1]))
        followed.refresh()
        (told,) = listed(capsys, tmp_path)
        assert main(["silence", str(told["id"]), "--repo", str(tmp_path)]) == 0
        delivered = wanted.deliver(lambda notice: Taken(), 2e9, 720)
        assert (delivered.messages, delivered.left) == (0, False)
        Webhook(tmp_path, "http://x", None, 0.0).deliver(post, 2e9, waits=False)
        assert b"Saying" not in b"".join(posted)
        assert b'"changed"' not in b"".join(posted)


def test_what_was_seen_is_marked_and_can_be_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with TinyWeb({"/": Reply(written(SAYINGS[0]))}) as web:
        followed = Followed(web, tmp_path)
        followed.crawl()
        web.pages["/"] = Reply(written(SAYINGS[1]))
        followed.refresh()
        assert [one["seen"] for one in listed(capsys, tmp_path, "--mark-seen")] == [False]
        assert [one["seen"] for one in listed(capsys, tmp_path)] == [True]
        assert listed(capsys, tmp_path, "--unseen") == []
        web.pages["/"] = Reply(written(SAYINGS[1], "closed"))
        followed.refresh()
        assert ["closed" in str(one) for one in listed(capsys, tmp_path, "--unseen")] == [True]


def test_nothing_said_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    """Each word is acknowledged on standard output; a kill comes at some moment after one."""
    said = (
        "import sys, pathlib\nfrom whimbrel.flows.attention.book import AttentionBook\n"
        "with AttentionBook(pathlib.Path(sys.argv[1])) as book:\n"
        "    for number in range(10**6):\n"
        "        book.see([str(number)], 1.0)\n"
        "        book.silence(f'http://a.example/{number}', '', 'page', [], {}, 1.0)\n"
        "        print(number, flush=True)\n"
    )
    acknowledged = -1
    for round in range(3):
        folder = tmp_path / str(round)
        folder.mkdir()
        with subprocess.Popen([sys.executable, "-c", said, str(folder)], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(5 * (round + 1)):
                acknowledged = int(process.stdout.readline())
            os.kill(process.pid, signal.SIGKILL)
            process.stdout.read()
        with AttentionBook(folder) as book:
            assert len(book.silences()) > acknowledged
            assert book.seen(map(str, range(acknowledged + 1))) == set(map(str, range(acknowledged + 1)))
    assert stat_mode(tmp_path / "0" / NAME) == 0o600


def stat_mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_damaged_file_says_what_to_do_and_a_copy_carries_it(tmp_path: Path) -> None:
    with AttentionBook(tmp_path) as book:
        assert (book.silences(), book.seen(["1"])) == ((), set())
        assert not (tmp_path / NAME).exists(), "who only looks makes no file"
        first = book.silence(Url("http://a.example/"), "A", "page", ["all"], {}, 1.0)
        assert book.silence(Url("http://a.example/"), "A", "page", ["all"], {}, 2.0) == first, "said twice"
        with AttentionBook(tmp_path) as other:
            other.undo(first)
        assert book.silences() == (), "what others take back is heard of"
        assert book.undo(first) is None
        book.see(["x"], 1.0)
    copy = Path(shutil.copytree(tmp_path, tmp_path / "copy"))
    with AttentionBook(copy) as book:
        assert book.seen(["x", "y"]) == {"x"}
        book.unsee(["x"])
        assert book.seen(["x"]) == set()
    (tmp_path / NAME).write_bytes(b"no database" * 100)
    with AttentionBook(tmp_path) as book, pytest.raises(RepositoryError, match="remove it to begin anew"):
        book.silences()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nonsense"], 3, "There is no change"),
        (["0" * 11 + "-" + "0" * 8], 3, "There is no change"),
        (["--undo", "7"], 3, "there is no silence 7"),
        (["--everywhere"], 2, "say which change"),
        (["x", "--undo", "1"], 2, "nothing else"),
        (["http://never.example/"], 3, "is not known here"),
    ],
)
def test_a_wrong_word_is_said(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int,
    words: str,
) -> None:  # fmt: skip
    folder = tmp_path_factory.mktemp("asked")
    with TinyWeb({"/": Reply(written(SAYINGS[0]))}) as web:
        Followed(web, folder).crawl()
    assert main(["silence", *arguments, "--repo", str(folder)]) == code
    assert words in capsys.readouterr().err
