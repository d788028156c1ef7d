"""`check change`: one line in, one line out."""

import json
from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whimbrel.exchange.check import KINDS, answers
from whimbrel.exchange.check_change import check_change


def encoded(markup: str) -> str:
    return b64encode(markup.encode()).decode()


def asked(before: str, after: str, **more: object) -> dict[str, object]:
    line = {"before_b64": encoded(before), "after_b64": encoded(after), "url": "https://example.org/a"}
    return check_change(line | more)


def test_a_change() -> None:
    answer = asked("<h1>Head</h1><p>One two three", "<h1>Head</h1><p>One two four")
    spot = {
        "what": "changed",
        "kinds": ["content"],
        "place": "p 1 under “Head”",
        "before": "One two three",
        "after": "One two four",
    }
    # A third of the words of 13 and 12 letters, of 33 letters in both versions.
    assert answer == {
        "changed": True,
        "kinds": ["content"],
        "amount": 0.2626,
        "where": [spot | {"amount": 0.2626}],
        "noise": [],
    }


def test_history_and_neighbours_tell_noise() -> None:
    history = [encoded("<p>Seen 1 times<p>Text"), encoded("<p>Seen 2 times<p>Text")]
    answer = asked("<p>Seen 3 times<p>Text", "<p>Seen 4 times<p>Text", history_b64=history)
    assert (answer["changed"], answer["kinds"], answer["amount"], answer["where"]) == (False, [], 0.0, [])
    assert "visit to visit" in str(answer["noise"])
    near = [encoded("<p>New menu<p>Else")]
    assert asked("<p>Text", "<p>New menu<p>Text", neighbours_b64=near)["changed"] is False


def test_the_example_is_answered() -> None:
    (answer,) = answers("change", [KINDS["change"].example.encode()])
    assert json.loads(answer)["changed"] is True


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"before_b64": "", "after_b64": ""},
        {"before_b64": "", "after_b64": "", "url": "example.org"},
        {"before_b64": "", "url": "https://example.org/"},
        {"before_b64": 7, "after_b64": "", "url": "https://example.org/"},
        {"before_b64": "%%%", "after_b64": "", "url": "https://example.org/"},
        {"before_b64": "", "after_b64": "é", "url": "https://example.org/"},
        {"before_b64": "", "after_b64": "", "url": "https://example.org/", "history_b64": "AAAA"},
        {"before_b64": "", "after_b64": "", "url": "https://example.org/", "history_b64": [None]},
        {"before_b64": "", "after_b64": "", "url": "https://example.org/", "neighbours_b64": ["%"]},
        {"before_b64": "", "after_b64": "", "url": "https://example.org/", "content_type": 1},
    ],
)
def test_what_cannot_be_used_is_answered_with_what_to_send(line: dict[str, object]) -> None:
    answer = check_change(line)
    assert list(answer) == ["error"]
    assert "send {" in str(answer["error"])


@given(st.binary(max_size=150), st.binary(max_size=150))
@settings(max_examples=50)
def test_any_bytes_give_an_answer_that_is_json(before: bytes, after: bytes) -> None:
    line = {name: b64encode(body).decode() for name, body in (("before_b64", before), ("after_b64", after))}
    answer = check_change(line | {"url": "https://example.org/"})
    assert json.loads(json.dumps(answer)) == answer
    assert "error" not in answer
