"""Judgements in words: weighed as the paper's are, and told which three contradict."""

from itertools import combinations

import pytest

from whimbrel.exchange.check_ahp import WORDS, check_ahp

PAPER = ("load", "URL capacity", "parent rank", "bandwidth", "loading rate", "agent capacity", "latency")
UPPER = ((1 / 7, 1 / 8, 2, 1 / 4, 2, 3), (1 / 2, 5, 4, 3, 4), (7, 4, 5, 4), (1, 1, 1), (2, 3), (2,))


def in_words(value: float) -> str:
    word = next(word for word, number in WORDS.items() if number == round(max(value, 1 / value)))
    return word if value >= 1 else word.replace("more", "less")


def test_the_papers_judgements_in_words_give_its_weights() -> None:
    values = [value for row in UPPER for value in row]
    said = [[*pair, in_words(value)] for pair, value in zip(combinations(PAPER, 2), values, strict=True)]
    told = check_ahp({"criteria": list(PAPER), "judgements": said})
    weights = told["weights"]
    assert isinstance(weights, dict)
    assert list(weights.values()) == pytest.approx([0.0735, 0.2730, 0.3732, 0.0555, 0.1164, 0.0616, 0.0468], abs=0.0005)
    assert told["ratio"] == pytest.approx(0.083, abs=0.001)
    assert told["consistent"]
    assert told["rows"][0] == "1/7 1/8 2 1/4 2 3"  # type: ignore[index]


def test_the_three_that_contradict_are_named() -> None:
    said = [["a", "b", "strongly more"], ["b", "c", "moderately more"], ["a", "c", "very strongly less"]]
    told = check_ahp({"criteria": ["a", "b", "c"], "judgements": said})
    assert not told["consistent"]
    assert "a is 5× b and b is 3× c, so a should be about 15× c, but 1/7 is given" in str(told["contradiction"])


def test_without_judgements_a_form_comes_that_can_be_sent_back() -> None:
    form = check_ahp({})
    questions, judgements = form["questions"], form["judgements"]
    assert isinstance(questions, list)
    assert len(questions) == 28
    told = check_ahp({"judgements": judgements})
    assert told["ratio"] == 0
    assert told["weights"] == dict.fromkeys(told["weights"], 0.125)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"criteria": ["a"]}, "2 to 30 different names"),
        ({"criteria": ["a", "a"]}, "2 to 30 different names"),
        ({"criteria": ["a", "b"], "judgements": [["a", "c", "equally"]]}, "'c' is none of the criteria: a, b"),
        ({"criteria": ["a", "b"], "judgements": [["a", "a", "equally"]]}, "cannot be compared with itself"),
        ({"criteria": ["a", "b"], "judgements": [["a", "b", "quite"]]}, "'quite' is no judgement"),
        ({"criteria": ["a", "b"], "judgements": [["a", "b", 10]]}, "10 is no judgement"),
        ({"criteria": ["a", "b"], "judgements": [["a", "b", 2], ["b", "a", 2]]}, "compared twice"),
        ({"criteria": ["a", "b", "c"], "judgements": [["a", "b", 2]]}, "2 pairs are not compared yet"),
        ({"criteria": ["a", "b"], "judgements": [7]}, "a judgement is"),
        ({"criteria": ["a", "b"], "judgements": 7}, "judgements are a list"),
    ],
)
def test_what_cannot_be_weighed_says_why(line: dict[str, object], words: str) -> None:
    assert words in str(check_ahp(line)["error"])
