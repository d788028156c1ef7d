"""`check`: one line out for each line in, in order, whatever the line."""

import io
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.exchange.check import KINDS, answers

Call = Callable[..., Any]


@pytest.mark.parametrize("kind", KINDS)
def test_the_example_of_the_help_works_as_it_stands(call: Call, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(KINDS[kind].example.encode() + b"\n")))
    said = call("check", kind)
    assert said.code == 0
    assert len(said.lines) == 1
    assert "error" not in said.lines[0]
    given_fields = KINDS[kind].gives.replace(";", ",").replace(" or ", " ")
    assert set(said.lines[0]) <= {field.strip() for field in given_fields.split(",")}
    assert KINDS[kind].takes in call("check", "--help").out


@given(lines=st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"")), max_size=8))
def test_one_line_of_json_for_each_line(lines: list[bytes]) -> None:
    for kind in KINDS:
        read = [json.loads(answer) for answer in answers(kind, lines)]
        assert len(read) == len(lines)
        assert all("error" in answer for answer in read)


def test_a_bad_line_does_not_stop_the_next() -> None:
    lines = [b"nonsense", b"[" * 100_000, b"3", b'{"input": "\\ud800", "base": "http://a/"}', b'{"input": "b"}']
    read = [json.loads(answer) for answer in answers("url", lines)]
    assert [set(answer) for answer in read] == [
        {"error"}, {"error"}, {"error"}, {"href", "normal"}, {"failure", "reason"}
    ]  # fmt: skip
    assert "line 1" in read[0]["error"]


def test_each_line_is_answered_before_the_next_is_asked() -> None:
    asking = subprocess.Popen(
        [sys.executable, "-m", "whimbrel", "check", "url"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert asking.stdin is not None
    assert asking.stdout is not None
    for path in ("a", "b"):
        asking.stdin.write(json.dumps({"input": path, "base": "http://x/"}) + "\n")
        asking.stdin.flush()
        assert json.loads(asking.stdout.readline())["href"] == f"http://x/{path}"
    asking.communicate()
    assert asking.returncode == 0


def test_no_input_is_an_error(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    said = call("check", "url")
    assert said.code == 2
    assert "standard input" in said.err
    assert call("check", "weather").code == 2
