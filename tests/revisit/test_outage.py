"""When a site is away, and when it is asked again."""

from whimbrel.revisit.classes import DAY, HOUR
from whimbrel.revisit.outage import ANSWERING, LONGEST_REST_SECONDS, Outage, after_answer, after_silence


def test_one_page_says_little_and_the_one_that_answered_last_decides() -> None:
    known = after_answer(1)
    doubted = after_silence(known, 2, 100.0)
    assert (doubted.is_suspect, doubted.is_away, doubted.since) == (True, False, 100.0)
    still = after_silence(doubted, 3, 150.0)
    assert not still.is_away
    away = after_silence(still, 1, 200.0)
    assert (away.is_suspect, away.is_away, away.since, away.last_at) == (False, True, 100.0, 200.0)
    assert after_answer(3) == Outage(answered=3), "whoever answers speaks for the site"


def test_where_nobody_is_known_to_have_answered_none_decides() -> None:
    assert not after_silence(ANSWERING, 1, 100.0).is_away


def test_what_is_said_of_the_whole_site_decides_at_once() -> None:
    assert after_silence(ANSWERING, None, 100.0).is_away


def test_it_is_asked_again_after_as_long_as_it_was_away_and_once_a_day_at_least() -> None:
    away = after_silence(after_answer(1), 1, 100.0)
    assert away.asked_again_at == 100.0, "at the next opportunity"
    later = after_silence(away, 1, 100.0 + HOUR)
    assert later.asked_again_at == 100.0 + 2 * HOUR
    assert after_silence(later, 1, 100.0 + 9 * DAY).asked_again_at == 100.0 + 9 * DAY + LONGEST_REST_SECONDS
