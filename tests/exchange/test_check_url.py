import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.exchange.check_url import check_url

WHATWG = Path(__file__).parents[2].parent / "shared" / "data" / "urls" / "whatwg.jsonl"


def test_the_web_platforms_cases() -> None:
    if not WHATWG.exists():
        pytest.skip(f"needs {WHATWG.name} from the shared data")
    cases = [json.loads(line) for line in WHATWG.read_text().splitlines()]
    answers = [(case, check_url(case)) for case in cases]
    wrong = [
        (case, answer)
        for case, answer in answers
        if (answer.get("href"), answer.get("failure", False)) != (case.get("href"), case.get("failure", False))
    ]
    assert wrong == []
    assert len(cases) > 400


def test_an_http_url_has_a_normal_form() -> None:
    answer = check_url({"input": "../%7Eb#c", "base": "http://u:p@H/a/"})
    assert answer == {"href": "http://u:p@h/%7Eb#c", "normal": "http://h/~b"}


def test_another_scheme_has_an_href_and_a_reason() -> None:
    answer = check_url({"input": "mailto:a@b"})
    assert answer == {"href": "mailto:a@b", "reason": "scheme mailto is neither http nor https"}


def test_a_failure_has_a_reason() -> None:
    answer = check_url({"input": "//", "base": None})
    assert answer["failure"] is True
    assert "no scheme" in str(answer["reason"])


@pytest.mark.parametrize("line", [{}, {"input": 3}, {"input": "a", "base": 3}, {"inptu": "a"}, [], "x", None])
def test_a_line_it_cannot_use_is_told_what_to_send(line: dict[str, object]) -> None:
    assert 'send {"input"' in str(check_url(line)["error"])


@given(st.text(), st.none() | st.text())
def test_any_text_gets_an_answer(text: str, base: str | None) -> None:
    answer = check_url({"input": text, "base": base})
    assert ("href" in answer) != ("failure" in answer)
