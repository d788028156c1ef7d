"""Two answers for one URL: what is a lie, what is noise, and what the server itself explains."""

import asyncio
import gzip
import selectors
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
from msgspec import structs

from whimbrel import api
from whimbrel.api.briefing import brief_for
from whimbrel.config import load
from whimbrel.flows.copies import DecodedCopy
from whimbrel.places.home.belief import Trust
from whimbrel.places.home.checking import PlaceChecker
from whimbrel.places.home.looking import ShownAnswer, differ, edited_since, left, shown
from whimbrel.places.home.said import SaidBook, whose_word
from whimbrel.places.home.waiting import MOST_WAITING, MOST_WAITING_BYTES, ClaimedPage, WaitingClaims
from whimbrel.records.response import Failure, FailureKind, Response
from whimbrel.records.task import NO_VALIDATORS, Validators
from whimbrel.records.url import Url
from whimbrel.records.visit import Archived, Exchange, Outcome, Visit
from whimbrel.urls.normal import key

URL = Url("http://127.0.0.1/page")
HTML = {"content-type": "text/html"}


def page(text: str, script: str = "") -> ShownAnswer:
    body = f"<html><head><title>Tide</title>{script}</head><body><h1>Tide</h1><p>{text}</p></body></html>"
    answer = shown(URL, 200, HTML, body.encode())
    assert answer is not None
    return answer


def test_words_scripts_standing_and_targets_are_compared_and_noise_is_not() -> None:
    calm = page("The tide is low at the estuary this evening, and the waders rest.")
    assert not differ(calm, calm)
    assert differ(calm, page("The tide is high at the estuary this evening, and the waders fly."))
    assert differ(
        calm, page("The tide is low at the estuary this evening, and the waders rest.", "<script>x()</script>")
    )
    absent = shown(URL, 404, {}, b"")
    moved = shown(URL, 301, {"location": "/other"}, b"")
    assert absent
    assert moved
    assert differ(calm, absent)
    assert not differ(absent, ShownAnswer("absent"))
    assert differ(moved, ShownAnswer("redirect", target="http://127.0.0.1/elsewhere"))
    assert not differ(moved, ShownAnswer("redirect", target="http://127.0.0.1/other"))
    assert shown(URL, 503, {}, b"") is None
    assert shown(URL, 304, {}, b"") is None


def test_what_differs_between_home_s_own_looks_is_nobodys_lie() -> None:
    first, second = page("The winning number of today is seven, says the crab."), page("It is nine, says the worm.")
    assert not left(page("It was three, says the curlew, and nobody minds."), first, second)
    assert left(page("It was three, says the curlew, and nobody minds."), first, first)
    picture = [shown(URL, 200, {"content-type": "image/png"}, data) for data in (b"one", b"two", b"three")]
    assert left(picture[0], picture[1], picture[1])  # type: ignore[arg-type]
    assert not left(picture[0], picture[1], picture[2])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("modified", "edited"),
    [("Wed, 01 Jul 2026 10:00:50 GMT", True), ("Wed, 01 Jul 2026 09:00:00 GMT", False), ("", False), ("soon", False)],
)
def test_the_server_may_say_that_the_page_was_edited_meanwhile(modified: str, edited: bool) -> None:
    headers = {"date": "Wed, 01 Jul 2026 10:01:00 GMT", "last-modified": modified}
    response = Response(URL, 200, headers, b"", b"", b"", b"", "HTTP/1.1", "", 0.0)
    assert edited_since(response, 30.0) is edited


# The checker itself, with a server and a keeper that are played.


class PlayedServer:
    def __init__(self, answers: "Callable[[Url, int], tuple[int, str] | None]", etag: str = "") -> None:
        self._answers, self._etag = answers, etag
        self.asked: list[Url] = []
        self.sent_pages = 0

    async def fetch(
        self, url: Url, validators: Validators = NO_VALIDATORS, *, any_type: bool = False
    ) -> Response | Failure:
        self.asked.append(url)
        answer = self._answers(url, self.asked.count(url))
        if answer is None:
            return Failure(FailureKind.CONNECT, "nobody there")
        status, text = answer
        if self._etag and validators.etag == self._etag:
            return Response(url, 304, {}, b"", b"", b"", b"", "HTTP/1.1", "", 0.0)
        self.sent_pages += "robots" not in url
        body = f"<title>Tide</title><p>{text}</p>".encode()
        return Response(url, status, HTML, b"", body, body, b"", "HTTP/1.1", "", 0.0)


class PlayedKeeper:
    def __init__(self) -> None:
        self.book = Trust()
        self.turned_away = ""

    def trust(self, place: str) -> Trust:
        return self.book

    def disbelieve(self, place: str, why: str) -> None:
        self.book.doubt = self.turned_away = why


def visit(number: int, text: str, at: float) -> Visit:
    url = Url(f"http://127.0.0.1/{number}")
    body = f"<title>Tide</title><p>{text}</p>".encode()
    exchange = Exchange(
        b"", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", body, "HTTP/1.1", "", 0, 0, False, False
    )
    return Visit(key(url), url, 1, Outcome.FETCHED, "", "", 200, at, 10, exchange=exchange)


def looked(
    folder: Path,
    server: PlayedServer,
    visits: list[Visit],
    kept: "Callable[[Url], DecodedCopy | None]" = lambda _: None,
) -> tuple[PlayedKeeper, list[Url]]:
    brief = brief_for(load(Path("/dev/null"), {}, api.flags_of({})), [URL], [])
    keeper, said = PlayedKeeper(), SaidBook(folder)
    checker = PlaceChecker(keeper, said, brief, 1.0, kept, chance=Random(1), clock=Still())
    again: list[Url] = []
    checker.refetch = again.extend

    async def run() -> None:
        for each in visits:  # one by one: what is agreed on is known by what comes later
            checker.heard("library", True, [each], [])
            task = asyncio.create_task(checker.run(server))
            while checker._waiting or checker._looks:
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        checker.busy()

    asyncio.run(run())
    checker.close()
    return keeper, again


class Still:
    def time(self) -> float:
        return 1000.0

    def monotonic(self) -> float:
        return 1000.0


class Settable(Still):
    """Stands until a test moves it on."""

    seconds = 10_000.0

    def time(self) -> float:
        return self.seconds

    def monotonic(self) -> float:
        return self.seconds


def says(url: Url, time: int) -> tuple[int, str]:
    return (404, "") if url.endswith("robots.txt") else (200, f"The truth about {url}, whenever it is asked for")


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


class Jumping(selectors.SelectSelector):
    """Nobody waits: where there is nothing to do for a while, that while is over."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        self.now += 0.0 if ready else timeout or 0.0
        return ready


class JumpingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


class Drawing(Random):
    """Draws the first page of each stratum, so that a test knows which."""

    def random(self) -> float:
        return 0.0


def checking(folder: Path, server: PlayedServer, parcel: list[Visit], share: float, clock: "Still") -> PlayedKeeper:
    """One parcel of a place that was believed so far, and all looks that follow from it."""
    brief = brief_for(load(Path("/dev/null"), {}, api.flags_of({})), [URL], [])
    keeper = PlayedKeeper()
    keeper.book.since_doubt = 25
    checker = PlaceChecker(keeper, SaidBook(folder), brief, share, lambda _: None, chance=Drawing(1), clock=clock)

    async def run() -> None:
        checker.heard("library", True, parcel, [])
        task = asyncio.create_task(checker.run(server))
        while checker._waiting or checker._looks:
            await asyncio.sleep(1.0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        runner.run(run())
    checker.close()
    return keeper


def test_one_lie_that_was_drawn_brings_those_beside_it_to_light(tmp_path: Path) -> None:
    """One page in ten is drawn. Of the others half are false: they are looked at when the drawn one was."""
    truth = [visit(number, says(Url(f"http://127.0.0.1/{number}"), 0)[1], 1000.0) for number in range(5)]
    lies = [visit(number, "A lie, told about this page and others" + " " * number, 1000.0) for number in range(5, 10)]
    drawn_first = structs.replace(lies[0], exchange=structs.replace(lies[0].exchange, raw=b"<p>Short lie"))
    keeper = checking(tmp_path, PlayedServer(says), [*truth, drawn_first, *lies[1:]], 0.1, Still())
    assert "not what it sent" in keeper.turned_away


def test_while_what_was_drawn_is_true_nothing_more_is_asked_for(tmp_path: Path) -> None:
    parcel = [visit(number, says(Url(f"http://127.0.0.1/{number}"), 0)[1], 1000.0) for number in range(10)]
    server = PlayedServer(says)
    keeper = checking(tmp_path, server, parcel, 0.1, Still())
    assert (keeper.book.checked, server.sent_pages) == (1, 1)


class Edited(PlayedServer):
    """Says of each page when it was edited."""

    def __init__(self, modified: str) -> None:
        super().__init__(says)
        self._modified = {**HTML, "date": "Thu, 01 Jan 1970 02:46:40 GMT", "last-modified": modified}

    async def fetch(
        self, url: Url, validators: Validators = NO_VALIDATORS, *, any_type: bool = False
    ) -> Response | Failure:
        answer = await super().fetch(url, validators, any_type=any_type)
        return structs.replace(answer, headers=self._modified) if isinstance(answer, Response) else answer


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
