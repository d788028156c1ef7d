"""Rules for URLs: read off a pair, applied, written out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.dedupe.rewrites import RewriteKind, RewriteRule, applied, difference, inverse, section, single_variants
from whimbrel.records.url import Url
from whimbrel.urls.normal import normalise

PAIRS = [
    ("http://x.org/a/index.html", "http://x.org/a/", "x.org: drop index.html"),
    ("http://x.org/a/print/b", "http://x.org/a/b", "x.org: /print/ → /"),
    ("http://x.org/en-us/b", "http://x.org/en/b", "x.org: /en-us/ → /en/"),
    ("http://x.org/a?id=1&sid=2", "http://x.org/a?id=1", "x.org: drop parameter sid"),
    ("http://x.org/a?sid=2", "http://x.org/a", "x.org: drop parameter sid"),
    ("http://x.org/About/Us", "http://x.org/about/us", "x.org: lower-case path"),
    ("http://www.x.org/a", "http://x.org/a", "www.x.org: www.x.org → x.org"),
    ("http://x.org:8080/a", "https://x.org:8080/a", "x.org:8080: http → https"),
    ("http://x.org/a", "http://x.org/a/", "x.org: add the trailing slash"),
    ("http://x.org/a/", "http://x.org/a", "x.org: drop the trailing slash"),
]


@pytest.mark.parametrize(("url", "preferred", "words"), PAIRS)
def test_a_rule_is_read_off_a_pair(url: str, preferred: str, words: str) -> None:
    rule = difference(Url(url), Url(preferred))
    assert rule is not None
    assert str(rule) == words
    assert applied(rule, Url(url)) == preferred
    assert applied(rule, Url(preferred)) is None


@pytest.mark.parametrize(
    ("url", "other"),
    [
        ("http://x.org/a", "http://x.org/b"),
        ("http://x.org/a", "http://x.org/a"),
        ("http://x.org/a?id=1", "http://x.org/a?id=2"),
        ("http://x.org/A?sid=1", "http://x.org/a"),
        ("http://x.org/a", "http://mirror.example/a"),
    ],
)
def test_no_rule_where_more_or_less_differs(url: str, other: str) -> None:
    assert difference(Url(url), Url(other)) is None


def test_a_rule_keeps_to_its_place() -> None:
    rule = RewriteRule("x.org", "/shop/", RewriteKind.PARAMETER, "sid")
    assert applied(rule, Url("http://x.org/shop/a?sid=1")) == "http://x.org/shop/a"
    assert applied(rule, Url("http://x.org/blog/a?sid=1")) is None
    assert applied(rule, Url("http://y.org/shop/a?sid=1")) is None
    assert str(rule) == "x.org/shop/: drop parameter sid"


def test_sections() -> None:
    assert section(Url("http://x.org/shop/a/b?c=d")) == "/shop/"
    assert section(Url("http://x.org/view.php?c=d")) == "/view.php"
    assert section(Url("http://x.org/")) == "/"


def test_the_way_back() -> None:
    for url, preferred, _ in PAIRS:
        rule, back = difference(Url(url), Url(preferred)), difference(Url(preferred), Url(url))
        if rule is not None and back is not None and rule.kind is not RewriteKind.HOST:
            assert inverse(rule) == back


@given(
    st.lists(st.sampled_from(["a", "B", "print", "index.html", "%2F", "x y"]), max_size=4),
    st.lists(st.tuples(st.sampled_from(["id", "sid", "Q", ""]), st.text(max_size=3)), max_size=3),
)
def test_what_a_rule_makes_is_normal_and_making_it_twice_changes_nothing(
    steps: list[str], parameters: list[tuple[str, str]]
) -> None:
    query = "&".join(f"{name}={value}" for name, value in parameters)
    url = normalise(f"http://x.org/{'/'.join(steps)}{'?' if query else ''}{query}")
    assert isinstance(url, str)
    for rule, made in single_variants(url):
        assert normalise(made) == made
        assert applied(rule, made) is None
