import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from whimbrel.urls.normal import key, normalise
from whimbrel.urls.resolve import LinkResolver

LINKS = [
    *("", "#", "#f", " #f", "\t#f", "?x", " ?x", "\n?x#f", "?", "?a/b", "?%41", "?%"),
    *(".", "..", "./", "../", "../..", "../../../x", "./x", "../x#f", "x/../y", "x/.", "%2e%2e/x", ".%2E"),
    *("x", "x#f", "x #f", "x\t#f", " x ", "x y", "x.html?q#f", "x/", "x//y", "x%41", "x%", "x%#f", "é", "x:y"),
    *("/", "/x", "//other", "//other/x?y", "\\x", "\\\\other\\x", "/\\other", "x\\y", "///x"),
    *("http:", "http:x", "http:?x", "http:#f", "ht\ttp:?x", "HTTP:", "https:x", "https:?x", "http:/x", "http:\\x"),
    *("http://other/x", "HTTPS://u:p@Other:443/x", "http://", "http://[", "http://h:b/", "httpx", "http", "https?x"),
    *("mailto:a@b", "javascript:x()", "data:,x", "file:///x", "\ud800", "x\ud800", "a" * 2000, "1/2;3=4,5/~_-"),
]
BASES = [
    *("http://h", "http://h/", "http://h/a", "http://h/a/", "http://h/a/b", "http://h/a/c", "http://h/a/b/c.html"),
    *("http://h/a/b?q=/x/y", "http://h/a/b#/x/y", "http://h/a/b?q#f?/", "http://h?q=/", "http://h#/", "https://h/a/b"),
    *("http://h/a//", "http://h//", "http://h/a/b/..", "http://h/a/./", "HTTP://H:80/a/b", "http://h:81/a/b"),
    *("http://u:p@h/a/b", "http://h/@a/b", "http://h/%41/b", "http://h/A/b", "http://h/%41/b%", "http://h/%41/%/b"),
    *("http://h/%/%41/", "http://h/a\\b", "http://h/a b/c", "http://[::1]/a/", "http://h/a/%2e%2e/b"),
    *(
        "http://127.0.0.1:8080/a/b",
        "http://127.0.0.1/a/c",
        "http://127.0.0.01/a/b",
        "http://1.2.3/a",
        "http://256.0.0.1/a",
    ),
    *("http://[bad/a/", "nowhere", "", "mailto:x", "file:///a/b", "data:,x", "http://h/\ud800/x"),
]
NASTY = "ab/\\.?#%41 \t:@;=h"

links = st.one_of(st.sampled_from(LINKS), st.text(NASTY, max_size=10), st.text(max_size=5))
bases = st.one_of(st.sampled_from(BASES), st.text(NASTY, max_size=10).map("http://h/".__add__))


def expected(link: str, base: str) -> tuple[str, int] | None:
    url = normalise(link, base)
    return (url, key(url)) if isinstance(url, str) else None


def agrees_with_normalise(pages: list[tuple[str, list[str]]], remembered: int) -> None:
    resolver = LinkResolver(remembered)
    for base, found in pages:
        wanted = [expected(link, base) for link in found]
        assert resolver.resolve_all(found, base) == wanted
        assert [resolver.resolve(link, base) for link in found] == wanted
        assert len(resolver) <= remembered


def test_agrees_with_normalise_on_every_pair_in_both_orders() -> None:
    pages = [(base, LINKS) for base in BASES]
    agrees_with_normalise(pages, 100_000)
    agrees_with_normalise(pages[::-1], 100_000)


@given(st.lists(st.tuples(bases, st.lists(links, max_size=6)), max_size=8), st.integers(1, 40))
@example([("http://h/%41/b", ["x%"]), ("http://h/A/b", ["x%"])], 40)
@example([("http://h/a?q", ["?x", ""]), ("http://h/b?r", ["?x", ""])], 40)
def test_agrees_with_normalise(pages: list[tuple[str, list[str]]], remembered: int) -> None:
    agrees_with_normalise(pages, remembered)


@pytest.mark.long
@settings(max_examples=10_000)
@given(st.lists(st.tuples(bases, st.lists(links, max_size=6)), max_size=8), st.integers(1, 40))
def test_agrees_with_normalise_in_the_long_run(pages: list[tuple[str, list[str]]], remembered: int) -> None:
    agrees_with_normalise(pages, remembered)


def test_memory_is_bounded_within_a_page_and_over_many() -> None:
    resolver = LinkResolver(remembered=100)
    resolver.resolve_all([f"page{number}" for number in range(1_000)], "http://h/a")
    assert 0 < len(resolver) <= 100
    for number in range(1_000):
        resolver.resolve("x", f"http://h/{number}/")
    assert 0 < len(resolver) <= 100


def test_a_very_long_link_is_resolved_but_not_remembered() -> None:
    resolver = LinkResolver()
    link = "x" * 100_000
    assert resolver.resolve(link, "http://h/") == expected(link, "http://h/")
    assert len(resolver) == 0


def test_a_repeated_link_gives_the_remembered_answer() -> None:
    resolver = LinkResolver()
    first = resolver.resolve("../x", "http://h/a/b")
    assert resolver.resolve("../x", "http://h/a/c") is first
