"""A page that is edited is told at every edit and kept as it is; what turns over by itself is kept too, silently."""

import shutil
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from folders import check_archives, rows
from growing_site import Followed
from whimbrel.change.habits import Habits
from whimbrel.cli.main import main
from whimbrel.flows.packing import unpacked_habits, unpacked_spots
from whimbrel.records.url import Url
from whimbrel.repository.embedded.changes import Tellings, Told
from whimbrel.repository.embedded.erase import ForgetTarget, erase
from whimbrel.repository.embedded.reader import Reader
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.build.indexer import Indexer
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb
from whimbrel.urls.normal import key as key_of

STORY = (
    "The whimbrel breeds across the far north and winters on coasts further south.",
    "It probes mud and wet sand for crabs and worms, and takes berries in late summer.",
    "Seven whistles in a row are how most people know it long before they see it.",
)
EDITS = {
    "a price": ("It costs 10 euros.", "It costs 12 euros.", "It costs 9 euros.", "It costs 15 euros.",
                "It costs 11 euros.", "It costs 14 euros."),
    "a version": ("The newest release is 1.0.2.", "The newest release is 1.0.3.", "The newest release is 1.1.0.",
                  "The newest release is 1.1.1.", "The newest release is 2.0.0.", "The newest release is 2.0.1."),
    "prose": ("The hide is open to all.", "The hide is for members only.", "Ask the warden for a key to the hide.",
              "Nobody may enter until the nests are empty.", "Boots are needed on the path.",
              "The path was moved to the east bank."),
    "a deadline": ("Send it by 3 May 2027.", "Send it by 10 May 2027.", "Send it by 1 June 2027.",
                   "Send it by 15 July 2027.", "Send it by 2 August 2027.", "Send it by 9 September 2027."),
}  # fmt: skip
SAYINGS = (
    "Early birds sing",
    "Still waters run deep",
    "No smoke without fire",
    "Haste makes waste",
    "All is well that ends",
)
ROTATING: dict[str, Callable[[int], str]] = {
    "a counter": lambda turn: f"<p>Birds on the marsh: {173 * turn + 11}</p>",
    "a nonce": lambda turn: f"<p>Visit {turn * 7919 % 1000}x{turn * 104729 % 99991}a{turn * 31 % 97}f</p>",
    "a saying": lambda turn: f"<blockquote>{SAYINGS[turn % len(SAYINGS)]}</blockquote>",
}


def page(inside: str) -> Reply:
    story = f"<h1>Whimbrels</h1><p>{STORY[0]}</p>{inside}<p>{STORY[1]}</p><p>{STORY[2]}</p>"
    return Reply(f"<!doctype html><title>Whimbrels</title><main>{story}</main>".encode())


class Watched(Followed):
    """A folder that follows one page."""

    @property
    def url(self) -> Url:
        return Url(self.web.url("/"))

    def show(self, inside: str) -> list[Told]:
        """The page says this now; what a refresh tells of it."""
        self.web.pages["/"] = page(inside)
        return self.look()

    def look(self) -> list[Told]:
        before = len(self.changes())
        self.refresh()
        return self.changes()[before:]

    def changes(self) -> list[Told]:
        with Tellings(self.folder) as reader:
            return [one for one in reader.since(0.0) if one.what == "changed"]

    def kept(self) -> str:
        with Reader(self.folder) as reader:
            return reader.body(self.url).payload.decode()

    def finds(self, said: str) -> int:
        """How many pages a search finds that say just this."""
        with Indexer(self.folder) as indexer:
            indexer.catch_up()
        with Searcher(self.folder) as searcher:
            return searcher.answer(parse(f'"{said}"'), 1, 10, now=0.0).total

    def versions(self) -> list[bool]:
        """Of every kept state, whether it was told."""
        with Reader(self.folder) as reader:
            return [version.told for version in reader.versions(self.url)]

    def habits(self) -> Habits:
        ((packed,),) = rows(self.folder, "SELECT habits FROM revisit WHERE url = ?", [key_of(self.url)])
        assert isinstance(packed, bytes)
        return unpacked_habits(packed, 0)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    with TinyWeb({"/": page("")}) as web:
        yield Watched(web, tmp_path / "folder")


@pytest.mark.parametrize("what", EDITS)
def test_every_edit_is_told_however_often_there_is_one(watched: Watched, what: str) -> None:
    watched.web.pages["/"] = page(f"<p>{EDITS[what][0]}</p>")
    watched.crawl()
    for before, after in pairwise(EDITS[what]):
        assert watched.look() == [] == watched.look()
        (told,) = watched.show(f"<p>{after}</p>")
        assert (told.degree, told.kinds) == ("small", "content")
        assert after in watched.kept()
        assert before not in watched.kept()
    assert [watched.finds(said) for said in EDITS[what]] == [0] * (len(EDITS[what]) - 1) + [1]
    assert watched.versions() == [True] * 6


@pytest.mark.parametrize("what", ROTATING)
def test_what_turns_over_falls_silent_and_is_kept_as_it_was_last_seen(watched: Watched, what: str) -> None:
    watched.web.pages["/"] = page(ROTATING[what](0))
    watched.crawl()
    told = [len(watched.show(ROTATING[what](turn))) for turn in range(1, 7)]
    assert told[2:] == [0, 0, 0, 0], "known after two visits"
    assert ROTATING[what](6) in watched.kept()
    assert watched.versions()[-1] is False
    assert watched.versions().count(False) == 1, "one state of noise, however many came"
    assert rows(watched.folder, "SELECT count(*) FROM passing") == [(1,)]
    (edit,) = watched.show(f"{ROTATING[what](7)}<p>The hide is closed.</p>")
    assert "hide" in str(edit.details)
    assert False not in watched.versions()
    assert rows(watched.folder, "SELECT count(*) FROM passing") == [(0,)]
    check_archives(watched.folder)


def test_a_spot_that_says_something_new_in_kind_is_told(watched: Watched) -> None:
    watched.web.pages["/"] = page(ROTATING["a saying"](0))
    watched.crawl()
    for turn in range(1, 6):
        watched.show(ROTATING["a saying"](turn))
    (told,) = watched.show('<blockquote>The marsh is sold: <a href="/sale">read on</a></blockquote>')
    assert "marsh is sold" in str(told.details)


def test_numbers_that_turn_over_hide_no_words(watched: Watched) -> None:
    watched.web.pages["/"] = page(ROTATING["a counter"](0))
    watched.crawl()
    for turn in range(1, 6):
        watched.show(ROTATING["a counter"](turn))
    (told,) = watched.show("<p>Birds on the marsh: none, they have left</p>")
    assert "they have left" in str(told.details)


def test_a_habit_is_lost_where_the_spot_comes_to_rest(watched: Watched) -> None:
    watched.web.pages["/"] = page(ROTATING["a counter"](0))
    watched.crawl()
    for turn in range(1, 6):
        watched.show(ROTATING["a counter"](turn))
    before = watched.versions()
    assert before[-1] is False
    resting = [watched.look() for _ in range(6)]
    late = [told for some in resting for told in some]
    assert len(late) == 1, "what stays was no noise: it is told after all"
    assert "876" in str(late[0].details)
    assert watched.versions()[-1] is True
    assert "876" in watched.kept()
    assert len(watched.show(ROTATING["a counter"](9))) == 1, "and the next one is news again"
    check_archives(watched.folder)


def test_what_nobody_reads_is_recorded_and_told_only_on_demand(watched: Watched) -> None:
    watched.crawl()
    assert watched.show("<script>send('/api/two')</script>") == []
    with Tellings(watched.folder) as reader:
        (one,) = (told for told in reader.since(0.0, unread=True) if told.what == "changed")
    assert (one.kinds, one.degree, one.told) == ("behavioural", "trivial", 0)
    watched.web.pages["/"] = page("<script>send('/api/three')</script>")
    watched.refresh(**{"refresh.tell_unread": True})
    assert [told.kinds for told in watched.changes()] == ["behavioural"]


def test_what_passes_is_searched_exported_and_forgotten(watched: Watched) -> None:
    watched.web.pages["/"] = page(ROTATING["a counter"](0))
    watched.crawl()
    for turn in range(1, 5):
        watched.show(ROTATING["a counter"](turn))
    assert rows(watched.folder, "SELECT count(*) FROM passing") == [(1,)]
    for name in ("jsonl", "warc"):
        output = str(watched.folder.parent / name)
        assert main(["export", "--repo", str(watched.folder), "--format", name, "--output", output]) == 0
    assert "marsh: 703" in (watched.folder.parent / "jsonl").read_text()
    with (watched.folder.parent / "warc").open("rb") as stream:
        bodies = [record.reader.read() for record in ArchiveIterator(stream, record_types=WarcRecordType.response)]
    assert sum(b"marsh: 703" in body for body in bodies) == 1
    copy = watched.folder.parent / "copy"
    shutil.copytree(watched.folder, copy)
    erase(copy, ForgetTarget((watched.url,)), 2e9, "whimbrel")
    assert rows(copy, "SELECT count(*) FROM passing") == [(0,)]


def repeating(web: TinyWeb, line: str, others: str, nonce: str = "") -> None:
    """Pages that all say the same line, but for the first."""
    links = "".join(f'<a href="/{name}">{name}</a>' for name in "abcd")
    web.pages["/"] = page(f"<p>{line}</p><p>{nonce}</p>{links}")
    for name in "abcd":
        web.pages[f"/{name}"] = Reply(f"<title>{name}</title><p>About {name} alone.<p>{others}".encode())


@pytest.mark.parametrize("turning", [False, True])
def test_a_number_that_leaves_what_the_site_repeats_is_told_at_its_visit(watched: Watched, turning: bool) -> None:
    """Whether the page answers "not modified" from then on, or with something that turns over beside it."""
    said = [f"<b>Visit {turn * 7919 % 1000}x{turn}</b>" if turning else "" for turn in range(6)]
    repeating(watched.web, "A ticket costs 12 euros.", "A ticket costs 12 euros.", said[0])
    watched.crawl()
    told = []
    for turn in range(1, 6):
        repeating(watched.web, "A ticket costs 14 euros.", "A ticket costs 12 euros.", said[turn])
        told.append(len([one for one in watched.look() if "14" in str(unpacked_spots(one.details)[0])]))
        assert "14 euros" in watched.kept()
    assert told == [1, 0, 0, 0, 0], "at its visit, and once"


def test_a_number_that_the_whole_site_moves_is_the_sites(watched: Watched) -> None:
    repeating(watched.web, "Release 1.16 of the guide.", "Release 1.16 of the guide.")
    watched.crawl()
    repeating(watched.web, "Release 1.17 of the guide.", "Release 1.17 of the guide.")
    assert [watched.look() for _ in range(3)] == [[], [], []]
    assert "1.17" in watched.kept()


def test_what_may_be_drawn_by_lot_is_looked_at_twice(watched: Watched) -> None:
    banner, edit = "<p>Members read on.</p>", "<p>The hide is closed.</p>"

    def answers(*inside: str) -> list[str]:
        """What a refresh tells while the page answers so; all of it is asked for."""
        replies = iter([page(one) for one in inside])
        watched.web.pages["/"] = lambda request: next(replies)
        found = [str(unpacked_spots(one.details)[0]) for one in watched.look()]
        assert next(replies, None) is None
        return found

    watched.crawl()
    (first,) = answers(banner)
    assert "Members read on" in first, "nothing is known of it yet"
    assert answers("", banner) == [], "another already: nobody took it down"
    assert banner in watched.kept()
    (told,) = answers(banner + edit)
    assert "hide is closed" in told
    assert "Members" not in told
    assert answers(edit) == [], "it is known for it"
    (told,) = answers(*[edit.replace("closed", "open")] * 2)
    assert "open" in told, "a sentence that is edited once more is looked at twice, and told"
    assert watched.versions()[-1] is True
    check_archives(watched.folder)
