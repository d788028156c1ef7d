"""What is variable in a URL, and what stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.frontier.patterns import Certainty, copies, parameters, pattern, place, shape
from whimbrel.records.url import Url


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://h.test/", ""),
        ("http://127.0.0.1:8080/a/b.html", ""),
        ("http://h3.test/java.base/java/util/List.html", ""),
        ("http://h.test/cal.php?time=101", "h.test/cal.php?time"),
        ("http://h.test/post/17/", "h.test/post/#/"),
        ("http://h.test/2024/May/5", "h.test/#/#/#"),
        ("http://h.test/may/be", ""),
        ("http://h.test/x?b=2&a=1&b=3", "h.test/x?a&b"),
        ("http://h.test/x?b=2;a=1", "h.test/x?a&b"),
        ("http://h.test/x;jsessionid=0A1B?a=1", "h.test/x?a&jsessionid"),
        ("http://h.test/?12", "h.test/?#"),
        ("http://h.test/c/8f3a9c12de/x", "h.test/c/~/x"),
        ("http://h.test/u/123e4567-e89b-12d3-a456-426614174000/", "h.test/u/~/"),
        ("http://h.test/(S(lit3py55t21z5v55vlm25s55))/x", "h.test/~/x"),
        ("http://h.test/fn._mm256_maskz_cvtepi32_epi8.html", "h.test/fn._mm#_maskz_cvtepi#_epi#.html"),
        ("http://h.test/aZ3kf93kLm20q8Pw/x", "h.test/~/x"),
    ],
)
def test_pattern(url: str, expected: str) -> None:
    assert pattern(Url(url)) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://h.test/a/7.html?page=3", ("", Certainty.RANDOM)),
        ("http://h.test/a/7.html?sid=3", ("h.test/a/7.html?sid=~", Certainty.NAMED)),
        ("http://h.test/a;JSESSIONID=3F?x=1", ("h.test/a;JSESSIONID=~?x=1", Certainty.SURE)),
        ("http://h.test/a/0123abcd/7.html", ("h.test/a/~/7.html", Certainty.RANDOM)),
        ("http://h.test/20240517/", ("", Certainty.RANDOM)),
        ("http://h.test/a?residence=3", ("", Certainty.RANDOM)),
    ],
)
def test_copies_blank_only_what_may_be_a_session(url: str, expected: tuple[str, Certainty]) -> None:
    assert copies(Url(url)) == expected


def test_place_is_the_first_folder() -> None:
    assert place(Url("http://h.test/")) == "h.test/"
    assert place(Url("http://h.test/a.html?x=/y/")) == "h.test/"
    assert place(Url("http://h.test/v12/b/c.html")) == "h.test/v#/"


def test_parameters_are_the_names() -> None:
    assert parameters("h.test/x?a&b") == "a&b"
    assert parameters("h.test/x") == ""


@given(st.text(), st.integers(0, 10**9), st.integers(0, 10**9))
def test_shape_ignores_figures(text: str, one: int, other: int) -> None:
    assert shape(f"{text} {one}, {text}") == shape(f"{text} {other}/{text}")


@given(st.text("abcdefgh ", min_size=1), st.text("abcdefgh ", min_size=1))
def test_shape_tells_words_apart(one: str, other: str) -> None:
    assert (shape(one) == shape(other)) == (one.replace(" ", "") == other.replace(" ", ""))


def test_shape_takes_broken_text() -> None:
    assert shape("\ud800 a") != shape("a")


PATHS = st.text("ab/01;?&=-._~%", max_size=40)


@given(PATHS, st.integers(0, 10**6), st.integers(0, 10**6))
def test_counting_on_stays_in_the_pattern(path: str, one: int, other: int) -> None:
    assert pattern(Url(f"http://h.test/{path}/{one}.x")) == pattern(Url(f"http://h.test/{path}/{other}.x"))


@given(PATHS)
def test_every_url_has_a_pattern_a_place_and_copies(path: str) -> None:
    url = Url("http://h.test/" + path)
    found = pattern(url)
    assert found == "" or found.startswith("h.test/")
    assert not any(character.isdigit() for character in found)
    assert place(url).startswith("h.test/")
    assert copies(url)[0] == "" or copies(url)[0].startswith("h.test/")
