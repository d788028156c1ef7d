"""Witnesses: sitemaps that are honest, mute, always now; validators that stay; liars that mend."""

from random import Random

import pytest

from whimbrel.revisit.classes import DAY, WEEK
from whimbrel.revisit.rate import WEEKLY, Belief
from whimbrel.revisit.trust import (
    LEAST_RECALL,
    SHARE,
    UNTRIED,
    VALIDATORS,
    Claims,
    Witness,
    compared,
    expected,
    has_say,
    heard,
    is_sampled,
    may_skip,
)


def after_visits(recall: float, false: float, visits: int, seed: int = 1, start: Witness = UNTRIED) -> Witness:
    """After visits to pages of which a fifth have changed; `false` is the chance of a signal without a change."""
    dice = Random(seed)
    witness = start
    for _ in range(visits):
        changed = dice.random() < 0.2
        signalled = dice.random() < (recall if changed else false)
        witness = heard(witness, int(signalled), changed)
    return witness


def test_precision_and_recall_are_learned() -> None:
    witness = after_visits(recall=0.7, false=0.1, visits=3000)
    assert witness.recall == pytest.approx(0.7, abs=0.1)
    assert witness.precision == pytest.approx(0.2 * 0.7 / (0.2 * 0.7 + 0.8 * 0.1), abs=0.15)


def test_nothing_is_skipped_on_the_word_of_a_stranger() -> None:
    verdict = may_skip(UNTRIED, 1, 1, 1)
    assert (verdict.accepted, verdict.rule) == (False, "trust")


def test_an_honest_sitemap_spares_visits_and_is_sampled() -> None:
    witness = after_visits(recall=1.0, false=0.0, visits=100)
    verdicts = [may_skip(witness, key, 1, 1) for key in range(4000)]
    sampled = [verdict for verdict in verdicts if not verdict.accepted]
    assert {verdict.rule for verdict in sampled} == {"sample"}
    assert len(sampled) / 4000 == pytest.approx(SHARE, abs=0.015)


def test_a_sitemap_that_never_moves_has_no_say_though_it_is_mostly_right() -> None:
    witness = after_visits(recall=0.0, false=0.0, visits=100)
    assert witness.quiet > 5 * witness.unannounced / 2
    assert may_skip(witness, 1, 1, 1).rule == "trust"


def test_a_sitemap_that_is_always_now_is_not_listened_to() -> None:
    witness = UNTRIED
    dice = Random(4)
    for _ in range(200):
        witness = heard(witness, 10, dice.random() < 0.2, silent_chance=0.2)
    assert not has_say(witness)


def test_one_sampled_lie_counts_for_those_it_stands_for() -> None:
    honest = after_visits(recall=1.0, false=0.0, visits=200)
    caught = heard(honest, 0, True, sampled_share=SHARE)
    assert may_skip(honest, 3, 1, 1).rule != "trust"
    assert may_skip(caught, 3, 1, 1).rule == "trust"


def test_a_sitemap_that_earned_its_say_and_then_lies_both_ways_is_found_out_within_two_rounds() -> None:
    """A thousand pages, a tenth of which changes a round: none of these is announced, and another tenth is."""
    witness, dice = after_visits(recall=1.0, false=0.0, visits=400), Random(5)
    missed = []
    for turn in range(4):
        missed.append(0)
        for key in range(1000):
            changed, signals = dice.random() < 0.1, int(key % 10 == 0)
            share = SHARE if witness.least_recall >= LEAST_RECALL and not signals else 1.0
            if signals == 0 and may_skip(witness, key, turn, seed=turn).accepted:
                missed[-1] += changed
            else:
                witness = heard(witness, signals, changed and not signals, sampled_share=share)
    assert missed[0] < 40, "a sampled page with an unannounced change counts for twenty"
    assert missed[2:] == [0, 0]
    assert witness.precision < 0.2


def test_a_liar_regains_its_say() -> None:
    liar = after_visits(recall=0.0, false=0.0, visits=300)
    mended = after_visits(recall=1.0, false=0.0, visits=1500, seed=2, start=liar)
    assert may_skip(liar, 1, 1, 1).rule == "trust"
    assert mended.least_recall > 0.9


def test_validators_are_believed_until_the_bytes_change_under_them() -> None:
    assert may_skip(VALIDATORS, 1, 1, 1).rule != "trust"
    forged = heard(VALIDATORS, 0, True, sampled_share=SHARE)
    assert may_skip(forged, 1, 1, 1).rule == "trust"


def test_a_change_that_silence_explains_is_not_all_credited_to_the_signal() -> None:
    sure = heard(UNTRIED, 1, True, silent_chance=0.0)
    doubtful = heard(UNTRIED, 1, True, silent_chance=0.9)
    assert sure.precision > 0.5
    assert doubtful.right_alarms < 0.6 < sure.right_alarms


def test_sampling_is_the_same_for_the_same_arguments_and_differs_by_turn() -> None:
    first = [is_sampled(key, 1, 7) for key in range(2000)]
    assert first == [is_sampled(key, 1, 7) for key in range(2000)]
    assert first != [is_sampled(key, 2, 7) for key in range(2000)]
    assert not any(is_sampled(key, 1, 7, share=0.0) for key in range(100))
    assert all(is_sampled(key, 1, 7, share=1.0) for key in range(100))


def test_a_site_that_exaggerates_is_corrected() -> None:
    claims = Claims()
    for _ in range(60):
        claims = compared(claims, "daily", Belief(30.0, 30.0 * 10 * DAY))
    assert expected("daily", claims).rate == pytest.approx(1 / (10 * DAY), rel=0.2)
    assert expected("weekly", claims).rate == pytest.approx(1 / (10 * WEEK), rel=0.2)
    assert expected("", claims) == WEEKLY
    assert compared(claims, "", WEEKLY) == claims


def test_words_that_mean_nothing_are_not_used() -> None:
    claims = Claims()
    for number in range(60):
        claims = compared(claims, "daily", Belief(30.0, 30.0 * DAY * 10.0 ** (3 if number % 2 else -3)))
    assert expected("daily", claims) == WEEKLY
    assert expected("daily", Claims()).rate == pytest.approx(1 / DAY)
