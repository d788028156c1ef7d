"""What a visit to a kept page means, judged one by one: here, missing, gone, moved, or nothing said."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from whimbrel.flows.packing import pack
from whimbrel.flows.refresh.again import Again, JudgingRules, VisitJudged
from whimbrel.flows.refresh.holding import unpacked_absence
from whimbrel.flows.refresh.noting import noted
from whimbrel.records.role import Role
from whimbrel.records.url import Url
from whimbrel.records.visit import Document, Link, Outcome, Reading, Visit
from whimbrel.repository.contract import HeldVersion, KnownUrl, Returned
from whimbrel.repository.embedded.store import Store
from whimbrel.revisit.classes import DAY
from whimbrel.revisit.history import unpacked
from whimbrel.urls.normal import key as key_of

URL = Url("http://a.example/page")
KEY = key_of(URL)
THEN, NOW = 1_000_000.0, 2_000_000.0
ROW = KnownUrl(KEY, URL, 1, 1, 0, 0, 0, Outcome.FETCHED, "", None, 7, 0)
HELD = HeldVersion(KEY, 7, THEN, "A page", Returned(KEY, b"old", '"1"', "", b"", 0, b""), None, 7, 0)
DOCUMENT = Document(
    b"old", b"", 0, 10, "text/html", "utf-8", "A page", "en", "", '"2"', "", pack(Reading("", [], [], [])), ()
)


@pytest.fixture
def again(tmp_path: Path) -> Iterator[Again]:
    store = Store(tmp_path / "again")
    yield Again(store.past, JudgingRules(gone_after_seconds=DAY))
    store.close()


def visit(outcome: Outcome, status: int, *, rule: str = "", document: Document | None = None) -> Visit:
    return Visit(KEY, URL, 1, outcome, rule, "as the server said", status, NOW, 0, document)


def judge(again: Again, seen: Visit, row: KnownUrl = ROW, held: HeldVersion = HELD, now: float = NOW) -> VisitJudged:
    return again.judge(seen, row, held, now, lambda: "the words of the kept version")


def test_not_modified_is_a_visit_without_a_change(again: Again) -> None:
    judged = judge(again, visit(Outcome.UNCHANGED, 304))
    assert (judged.standing, judged.outcome, judged.keep, judged.what) == ("not modified", "unchanged", False, None)
    assert judged.returned is not None
    history = unpacked(judged.returned.history)
    assert (history.visits, history.visited_at) == (2, NOW)


def test_the_same_bytes_renew_the_validators(again: Again) -> None:
    judged = judge(again, visit(Outcome.FETCHED, 200, document=DOCUMENT))
    assert (judged.standing, judged.keep) == ("same bytes", False)
    assert judged.returned is not None
    assert judged.returned.etag == '"2"'


def test_a_twin_stays_a_twin(again: Again) -> None:
    row = ROW._replace(outcome=Outcome.DUPLICATE)
    assert judge(again, visit(Outcome.UNCHANGED, 304), row).outcome == Outcome.DUPLICATE


def test_missing_once_is_asked_again_and_missing_for_a_day_is_gone(again: Again) -> None:
    first = judge(again, visit(Outcome.FAILED, 404, rule="http_404"))
    assert (first.standing, first.outcome, first.what, first.again_at) == ("missing", "fetched", None, NOW + DAY)
    assert first.returned is not None
    absence = unpacked_absence(first.returned.absence)
    assert absence is not None
    assert absence.since == NOW
    missed = HELD._replace(returned=first.returned)
    soon = judge(again, visit(Outcome.FAILED, 404, rule="http_404"), held=missed, now=NOW + DAY / 2)
    assert (soon.standing, soon.again_at) == ("missing", NOW + DAY)
    late = judge(again, visit(Outcome.FAILED, 404, rule="http_404"), held=missed, now=NOW + DAY)
    assert (late.standing, late.outcome, late.what, late.rule) == ("gone", "gone", "gone", "http_404")


def test_gone_for_good_is_believed_at_once(again: Again) -> None:
    assert judge(again, visit(Outcome.FAILED, 410, rule="http_410")).standing == "gone"


def test_an_answer_in_between_forgets_the_absence(again: Again) -> None:
    first = judge(again, visit(Outcome.FAILED, 404, rule="http_404"))
    assert first.returned is not None
    back = judge(again, visit(Outcome.UNCHANGED, 304), held=HELD._replace(returned=first.returned))
    assert back.returned is not None
    assert back.returned.absence == b""


@pytest.mark.parametrize(
    ("outcome", "status", "rule"),
    [(Outcome.UNREACHABLE, 0, "timeout"), (Outcome.FAILED, 503, "http_503"), (Outcome.REFUSED, 0, "robots")],
)
def test_what_says_nothing_about_the_page_leaves_it_as_it_was(
    again: Again, outcome: Outcome, status: int, rule: str
) -> None:
    judged = judge(again, visit(outcome, status, rule=rule))
    assert (judged.standing, judged.outcome, judged.returned, judged.what) == ("away", "fetched", None, None)
    assert judged.reason == "not seen at the last visit: as the server said"


def test_a_page_that_asks_not_to_be_kept_is_refused(again: Again) -> None:
    assert judge(again, visit(Outcome.REFUSED, 200, rule="noindex")).outcome == Outcome.REFUSED


@pytest.mark.parametrize(("status", "standing"), [(301, "moved"), (308, "moved"), (302, "missing"), (307, "missing")])
def test_only_a_lasting_redirect_moves_a_page(again: Again, status: int, standing: str) -> None:
    judged = judge(again, visit(Outcome.REDIRECTED, status))
    assert judged.standing == standing
    assert (judged.what == "moved") == (standing == "moved")


def test_a_redirect_of_once_that_lasts_a_day_moves_the_page_too(again: Again) -> None:
    first = judge(again, visit(Outcome.REDIRECTED, 302))
    assert first.returned is not None
    held = HELD._replace(returned=first.returned)
    assert judge(again, visit(Outcome.REDIRECTED, 302), held=held, now=NOW + DAY).standing == "moved"


def test_a_page_that_was_gone_and_answers_is_back(again: Again) -> None:
    judged = judge(again, visit(Outcome.FETCHED, 200, document=DOCUMENT), ROW._replace(outcome=Outcome.GONE))
    assert (judged.standing, judged.what, judged.keep) == ("restored", "restored", True)


def test_a_sitemap_is_read_and_never_told(again: Again) -> None:
    row = ROW._replace(asset=Role.SITEMAP)
    read = judge(again, visit(Outcome.FETCHED, 200, document=DOCUMENT), row)
    assert (read.standing, read.reason, read.what) == ("listed", "as the server said", None)
    assert judge(again, visit(Outcome.FAILED, 404, rule="http_404"), row).standing == "still gone"


def test_a_move_is_noted_with_its_target_and_silence_is_not(again: Again) -> None:
    target = Url("http://a.example/new")
    seen = Visit(KEY, URL, 1, Outcome.REDIRECTED, "", "", 301, NOW, 0, links=[Link(5, target, 1, 0, False, "", "")])
    told = noted(judge(again, seen), seen, HELD, -1)
    assert told is not None
    assert (told.what, told.target, told.kept) == ("moved", 5, -1)
    quiet = visit(Outcome.UNCHANGED, 304)
    assert noted(judge(again, quiet), quiet, HELD, -1) is None
