"""`check structure`: one line in, one line out."""

from base64 import b64encode

import pytest

from whimbrel.exchange.check import KINDS, answers
from whimbrel.exchange.check_structure import check_structure


def asked(a: str, b: str) -> dict[str, object]:
    return check_structure({"a_b64": b64encode(a.encode()).decode(), "b_b64": b64encode(b.encode()).decode()})


def test_the_worked_example() -> None:
    before = (
        "<html><head><title></title></head><body><center><h1></h1></center><center><b></b><br></center><center></center>"
        "<center><h3></h3></center><p><br><br><object><b></b></object></p><h2></h2></body></html>"
    )
    after = (
        "<html><head><title></title></head><body><center><h1></h1></center><center><b></b><br></center><center></center>"
        "<center><b></b></center><center><h3></h3></center><p></p><h2></h2></body></html>"
    )
    # A parser closes a p before a center; object stands where the example has one, and matches nothing either.
    assert asked(before, after) == {"matched": 14, "size_a": 18, "size_b": 16, "similarity": 0.8235}


def test_text_and_attributes_do_not_count() -> None:
    assert asked("<p class=a>one", "<p id=b>two")["similarity"] == 1.0
    assert asked("", "")["matched"] == 3


def test_a_large_pair_says_that_it_is_the_least() -> None:
    answer = asked("<i></i><b></b>" * 3_000, "<b></b><b></b><i></i>" * 2_000)
    assert "piece by piece" in str(answer["note"])


@pytest.mark.parametrize(
    "line", [{}, {"a_b64": ""}, {"a_b64": "", "b_b64": 7}, {"a_b64": "%%%", "b_b64": ""}, {"a_b64": "é", "b_b64": ""}]
)
def test_what_cannot_be_used_is_answered_with_what_to_send(line: dict[str, object]) -> None:
    answer = check_structure(line)
    assert list(answer) == ["error"]
    assert "send {" in str(answer["error"])


def test_the_kind_is_registered_with_an_example_that_works() -> None:
    (answer,) = answers("structure", [KINDS["structure"].example.encode()])
    assert '"matched": 4' in answer
