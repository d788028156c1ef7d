"""Home looks at what places said: at which of it, when, and what follows."""

import asyncio
import gzip
import itertools
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from msgspec import structs
from played import (
    HTML,
    URL,
    Edited,
    LoopClock,
    PlayedKeeper,
    PlayedServer,
    Settable,
    Still,
    Timed,
    checking,
    looked,
    says,
    visit,
)

from whimbrel import api
from whimbrel.api.briefing import brief_for
from whimbrel.config import load
from whimbrel.flows.copies import DecodedCopy
from whimbrel.places.home.checking import PlaceChecker
from whimbrel.places.home.said import SaidBook, whose_word
from whimbrel.places.home.waiting import MOST_WAITING, MOST_WAITING_BYTES, ClaimedPage, WaitingClaims
from whimbrel.records.url import Url
from whimbrel.records.visit import Archived, Outcome, Visit
from whimbrel.urls.normal import key


def test_what_is_called_unchanged_is_looked_at_where_a_change_was_to_be_expected(tmp_path: Path) -> None:
    brief = brief_for(load(Path("/dev/null"), {}, api.flags_of({})), [URL], [])
    keeper, said = PlayedKeeper(), SaidBook(tmp_path)
    keeper.book.since_doubt = 25
    visits = [
        structs.replace(visit(number, "", 1000.0), outcome=Outcome.UNCHANGED, status=304, exchange=None)
        for number in range(200)
    ]
    likely = {each.key for each in visits[:100]}

    def expects(heard: Sequence[Visit]) -> dict[int, float]:
        return {each.key: float(each.key in likely) for each in heard}

    checker = PlaceChecker(keeper, said, brief, 1.0, lambda _: None, chance=Random(1), clock=Still(), expects=expects)
    checker.heard("library", True, visits, [])
    looked_at = {key(checker._waiting.pop().url) for _ in range(len(checker._waiting))}
    checker.close()
    assert likely <= looked_at
    assert 0 < len(looked_at - likely) < 20


def test_one_lie_that_was_drawn_brings_those_beside_it_to_light(tmp_path: Path) -> None:
    """One page in ten is drawn. Of the others half are false: they are looked at when the drawn one was."""
    truth = [visit(number, says(Url(f"http://127.0.0.1/{number}"), 0)[1], 1000.0) for number in range(5)]
    lies = [visit(number, "A lie, told about this page and others" + " " * number, 1000.0) for number in range(5, 10)]
    drawn_first = structs.replace(lies[0], exchange=structs.replace(lies[0].exchange, raw=b"<p>Short lie"))
    keeper = checking(tmp_path, PlayedServer(says), [*truth, drawn_first, *lies[1:]], 0.1, Still())
    assert "not what it sent" in keeper.turned_away


def test_looks_keep_to_the_pause_of_the_site(tmp_path: Path) -> None:
    """Also where many wait at once, and for robots.txt."""
    truth = []
    for number in range(12):
        url = Url(f"https://docs.example.org/{number}")
        truth.append(structs.replace(visit(number, says(url, 0)[1], 1000.0), url=url, key=key(url)))
    server = Timed()
    keeper = checking(tmp_path, server, truth, 1.0, LoopClock())
    assert keeper.book.checked == 12
    pauses = [later - before for before, later in itertools.pairwise(server.at)]
    assert len(pauses) >= 12
    assert min(pauses) >= 0.5, "as often as any address is asked"


def test_while_what_was_drawn_is_true_nothing_more_is_asked_for(tmp_path: Path) -> None:
    parcel = [visit(number, says(Url(f"http://127.0.0.1/{number}"), 0)[1], 1000.0) for number in range(10)]
    server = PlayedServer(says)
    keeper = checking(tmp_path, server, parcel, 0.1, Still())
    assert (keeper.book.checked, server.sent_pages) == (1, 1)


@pytest.mark.parametrize(
    ("modified", "found"), [("Thu, 01 Jan 1970 02:46:35 GMT", False), ("Tue, 30 Dec 1969 02:46:40 GMT", True)]
)
def test_a_visit_said_to_be_old_excuses_no_lie_about_a_page_that_is_older_still(
    tmp_path: Path, modified: str, found: bool
) -> None:
    """When a page was visited is the place's word: no page that lay for longer than a place holds visits is excused."""
    lies = [visit(number, "A lie, told about this page and others", -(10.0**8)) for number in range(4)]
    keeper = checking(tmp_path, Edited(modified), lies, 1.0, Settable())
    assert bool(keeper.turned_away) == found


def test_a_second_look_is_waited_for_however_long_a_run_is_done(tmp_path: Path) -> None:
    """A place that says it visited its pages a minute ago makes home wait so long: the run does not end before."""
    brief = brief_for(load(Path("/dev/null"), {}, api.flags_of({})), [URL], [])
    clock = Settable()
    checker = PlaceChecker(
        PlayedKeeper(), SaidBook(tmp_path), brief, 1.0, lambda _: None, chance=Random(1), clock=clock
    )

    async def run() -> None:
        checker.heard("library", True, [visit(1, "A lie, and a slow one at that", 9_000.0)], [])
        task = asyncio.create_task(checker.run(PlayedServer(says)))
        while not checker._second_looks:
            await asyncio.sleep(0)
        assert checker.busy()
        clock.seconds += 1_000.0
        assert checker.busy()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert not checker.busy() or not checker._second_looks

    asyncio.run(run())
    checker.close()


def test_where_home_does_not_keep_up_nobody_chooses_what_is_left_out() -> None:
    waiting = WaitingClaims(Random(5))
    waiting.extend(ClaimedPage("library", Url(f"http://127.0.0.1/{n}"), 0.0, None) for n in range(2 * MOST_WAITING))
    left = [int(waiting.pop().url.rpartition("/")[2]) for _ in range(len(waiting))]
    assert len(left) == MOST_WAITING == waiting.under_way("library")
    assert sum(number < MOST_WAITING for number in left) > MOST_WAITING / 5, "those that came first, too"


def test_three_lies_turn_a_place_away_and_all_it_said_is_asked_for(tmp_path: Path) -> None:
    visits = [visit(number, "Lies, and nothing of it is true at all", 1000.0) for number in range(4)]
    keeper, again = looked(tmp_path, PlayedServer(says), visits)
    assert keeper.book.differed == 3
    assert "http://127.0.0.1/2" in keeper.turned_away
    assert sorted(again) == sorted(each.url for each in visits)
    assert whose_word(tmp_path, visits[0].key, 1000.0) == "library"
    assert whose_word(tmp_path, visits[0].key, 2000.0) == ""
    assert whose_word(tmp_path / "nowhere", visits[0].key, 1000.0) == ""


@pytest.mark.parametrize(("etag", "sent_pages", "differed"), [('"one"', 0, 0), ('"two"', 8, 3)])
def test_that_nothing_changed_is_checked_by_the_servers_word_and_a_lie_by_the_page(
    tmp_path: Path, etag: str, sent_pages: int, differed: int
) -> None:
    """Two looks at each of three pages that changed, and one look more at each of the others: none was agreed on."""
    urls = [Url(f"http://127.0.0.1/{number}") for number in range(3)]
    unchanged = [Visit(key(url), url, 1, Outcome.UNCHANGED, "", "", 304, 1000.0, 10) for url in urls]
    held = DecodedCopy({**HTML, "etag": '"one"'}, b"<title>Tide</title><p>What home has of it since last week")
    server = PlayedServer(says, etag)
    keeper, again = looked(tmp_path, server, unchanged, lambda _: held)
    assert (keeper.book.checked, keeper.book.differed) == (3, differed)
    assert bool(again) == bool(keeper.turned_away) == bool(differed)
    assert server.sent_pages <= sent_pages


@pytest.mark.parametrize(("home_has", "sent_pages"), [("The same as ever", 0), ("What was true before", 1)])
def test_a_body_that_home_has_is_checked_as_unchanged_and_another_one_whole(
    tmp_path: Path, home_has: str, sent_pages: int
) -> None:
    """Also where the place sends it: the server's word that nothing changed is all there is to hear."""
    held = DecodedCopy({**HTML, "etag": '"one"'}, f"<title>Tide</title><p>{home_has}</p>".encode())
    server = PlayedServer(lambda url, _: (404, "") if "robots" in url else (200, "The same as ever"), '"one"')
    keeper, _ = looked(tmp_path, server, [visit(1, "The same as ever", 1000.0)], lambda _: held)
    assert (keeper.book.checked, keeper.book.differed) == (1, 0)
    assert server.sent_pages == sent_pages


def test_what_waits_is_bounded_by_its_bytes_and_records_that_cannot_be_read_harm_nobody(tmp_path: Path) -> None:
    brief = brief_for(load(Path("/dev/null"), {}, api.flags_of({})), [URL], [])
    checker = PlaceChecker(PlayedKeeper(), SaidBook(tmp_path), brief, 1.0, lambda _: None, chance=Random(1))
    for number in range(20):
        checker.heard("library", True, [visit(number, "x" * (MOST_WAITING_BYTES // 10), 1000.0)], [])
    assert 0 < len(checker._waiting) < 10
    url = Url("http://127.0.0.1/bad")
    archived = Archived(gzip.compress(f"WARC/1.1\r\nWARC-Target-URI: {url}".encode()), b"", b"")
    before = len(checker._waiting)
    checker.heard(
        "library", True, [Visit(key(url), url, 1, Outcome.FETCHED, "", "", 200, 1.0, 1, archived=archived)], []
    )
    assert len(checker._waiting) == before
    checker.close()


class CountedBook(SaidBook):
    read = 0

    def only_said(self, place: str) -> list[Url]:
        self.read += 1
        return super().only_said(place)


def test_what_a_place_said_that_is_not_believed_is_read_once_and_when_it_says_more(tmp_path: Path) -> None:
    brief = brief_for(load(Path("/dev/null"), {}, api.flags_of({})), [URL], [])
    keeper, said = PlayedKeeper(), CountedBook(tmp_path)
    checker = PlaceChecker(keeper, said, brief, 1.0, lambda _: None, chance=Random(1))
    again: list[Url] = []
    checker.refetch = again.extend
    checker.heard("library", True, [visit(1, "A", 1000.0)], [])
    checker._waiting.pop()
    keeper.book.doubt = "it lies"
    checker.distrust(["library"])
    assert [checker.busy() for _ in range(50)] == [True] + [False] * 49
    assert said.read == 1
    checker.heard("library", True, [visit(2, "B", 1000.0)], [])
    assert [checker.busy(), checker.busy(), said.read] == [True, False, 2]
    assert again == ["http://127.0.0.1/1", "http://127.0.0.1/2"]
    checker.close()


def test_a_site_that_is_being_rewritten_puts_nobody_in_doubt(tmp_path: Path) -> None:
    """The page on which both agreed is another too when home looks again: the whole site is in motion."""
    rewritten = []

    def answers(url: Url, time: int) -> tuple[int, str]:
        if url.endswith("/1"):
            rewritten.append(url)
        return (404, "") if "robots" in url else (200, f"{'Another' if rewritten else 'The first'} tale of {url}")

    visits = [visit(n, f"The first tale of http://127.0.0.1/{n}", 1000.0) for n in range(2)]
    keeper, again = looked(tmp_path, PlayedServer(answers), visits)
    assert (keeper.book.checked, keeper.book.differed, keeper.book.unsteady) == (1, 0, 1)
    assert again == []


def test_a_site_that_home_cannot_reach_or_may_not_ask_is_told_as_unchecked(tmp_path: Path) -> None:
    keeper, _ = looked(
        tmp_path, PlayedServer(lambda url, _: (404, "") if "robots" in url else None), [visit(1, "A", 1000.0)]
    )
    assert "home cannot look for itself (nobody there)" in keeper.book.words
    server = PlayedServer(lambda url, _: (503, ""))
    keeper, _ = looked(tmp_path, server, [visit(1, "A", 1000.0)])
    assert "robots.txt answered 503" in keeper.book.words
    assert [url for url in server.asked if "robots" not in url] == []
