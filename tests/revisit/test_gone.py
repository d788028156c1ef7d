"""Gone, missing, unreachable; and pages that say 200 and mean 404."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.records.url import Url
from whimbrel.revisit.gone import WAIT_SECONDS, Absence, UrlShowed, after, likeness, soft_404

HOME = Url("https://example.org/")
PAGE = Url("https://example.org/a")
PROBE = Url("https://example.org/b8f1c2")
LONG = " ".join(f"word{number}" for number in range(200))
SORRY = "Sorry, we could not find what you were looking for. Try the search or go to the front page."


def test_gone_is_404_again_after_a_wait() -> None:
    first = after(None, 404, now=100.0)
    assert (first.standing, first.again_at) == ("missing", 100.0 + WAIT_SECONDS)
    soon = after(first.absence, 404, now=200.0)
    assert (soon.standing, soon.again_at) == ("missing", 100.0 + WAIT_SECONDS)
    later = after(soon.absence, 404, now=100.0 + WAIT_SECONDS)
    assert (later.standing, later.again_at) == ("gone", None)
    assert "3 times" in later.reason


def test_410_says_for_good_and_is_believed() -> None:
    first = after(None, 410, now=100.0)
    assert (first.standing, first.again_at) == ("gone", None)
    assert "for good" in first.reason


def test_an_error_page_of_once_is_forgotten() -> None:
    missing = after(None, 404, now=0.0)
    back = after(missing.absence, 200, now=10.0)
    assert (back.standing, back.absence) == ("here", None)


@pytest.mark.parametrize("status", [None, 500, 503, 429, 403, 401, 451])
def test_unreachable_is_not_gone_and_does_not_clear_what_is_known(status: int | None) -> None:
    absence = Absence(0.0, 0.0, 1)
    judged = after(absence, status, now=10 * WAIT_SECONDS)
    assert (judged.standing, judged.absence) == ("unreachable", absence)


@given(st.lists(st.tuples(st.sampled_from([200, 304, 301, 404, 410, 500, None]), st.floats(1, 1e6)), max_size=40))
def test_gone_needs_two_absences_a_wait_apart_or_the_word_for_it(answers: list[tuple[int | None, float]]) -> None:
    absence, now, missing_since = None, 0.0, None
    for status, passed in answers:
        now += passed
        judged = after(absence, status, now)
        absence = judged.absence
        if judged.standing == "gone":
            assert status == 410 or (missing_since is not None and now - missing_since >= WAIT_SECONDS)
        if status == 410:
            missing_since = None
        elif status == 404:
            missing_since = now if missing_since is None else missing_since
        elif status is not None and status < 400:
            missing_since = None


def look(asked: Url = PAGE, final: Url | None = None, title: str = "", text: str = LONG) -> UrlShowed:
    return UrlShowed(asked, final or asked, title, text)


def test_the_text_of_a_url_that_cannot_exist() -> None:
    verdict = soft_404(look(text=SORRY), look(PROBE, text=SORRY))
    assert (verdict.accepted, verdict.rule) == (False, "soft_404")
    assert soft_404(look(), look(PROBE, text=SORRY)).accepted


def test_redirected_to_where_the_probe_was() -> None:
    elsewhere = Url("https://example.org/search")
    assert not soft_404(look(final=elsewhere), look(PROBE, elsewhere)).accepted


@pytest.mark.parametrize("title", ["404 – Example", "Page not found", "Seite nicht gefunden", "ページが見つかりません"])
def test_a_title_with_a_redirect_home_or_little_text(title: str) -> None:
    assert not soft_404(look(final=HOME, title=title), None).accepted
    assert not soft_404(look(title=title, text=SORRY), None).accepted


def test_a_title_alone_is_no_proof() -> None:
    assert soft_404(look(title="Why 404 pages matter"), None).accepted
    assert soft_404(look(title="Room 4040", text=SORRY), None).accepted
    assert soft_404(look(final=HOME, title="Example"), None).accepted


def test_the_home_page_and_other_hosts_are_never_like_the_probe() -> None:
    assert soft_404(look(HOME, text=SORRY), look(PROBE, text=SORRY)).accepted
    assert soft_404(look(text=SORRY), look(Url("https://example.net/x"), text=SORRY)).accepted


@given(st.text(max_size=200), st.text(max_size=200))
def test_likeness_is_a_share_and_symmetric(one: str, other: str) -> None:
    assert 0.0 <= likeness(one, other) <= 1.0
    assert likeness(one, other) == likeness(other, one)
    assert likeness(one, one) == 1.0
