from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.urls.normal import Rewrites, authority, host, href, key, normalise, origin, rewrite

UNRESERVED = "abcXYZ019-._~"
NASTY = "aAhtp:/\\?#@%.2eE4151[]& \t\n\x00é漢ツ{}'\"|^`~\ud800*$"

urlish = st.one_of(
    st.text(NASTY, max_size=30),
    st.builds("http://h{}".format, st.text(NASTY, max_size=30)),
    st.builds("https://example.org/{}".format, st.text(NASTY, max_size=30)),
    st.text(max_size=20),
)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("HTTP://ExAmple.ORG", "http://example.org/"),
        ("http://example.org:80/", "http://example.org/"),
        ("https://example.org:443/a", "https://example.org/a"),
        ("https://example.org:80/a", "https://example.org:80/a"),
        ("http://example.org/a#top", "http://example.org/a"),
        ("http://example.org/?", "http://example.org/?"),
        ("http://name:secret@example.org/a@b", "http://example.org/a@b"),
        ("http://h/%7Euser/%61%2D%2e%5f", "http://h/~user/a-._"),
        ("http://h/%c3%a9?q=%2f", "http://h/%C3%A9?q=%2F"),
        ("http://h/é", "http://h/%C3%A9"),
        ("http://h/a/./b/../c", "http://h/a/c"),
        ("http://h/a/%2e/b/%2E%2e/c", "http://h/a/c"),
        ("http://h/%2541", "http://h/%2541"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://XN--BCHER-KVA.example/", "http://xn--bcher-kva.example/"),
        ("http://उदाहरण.परीक्षा/", "http://xn--p1b6ci4b4b3a.xn--11b5bs3a9aj6g/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://[2001:DB8::0:1]:8080/", "http://[2001:db8::1]:8080/"),
        ("  http://h/a b\t ", "http://h/a%20b"),
        ("http://h/\ud800", "http://h/%EF%BF%BD"),
    ],
)
def test_normal_form(text: str, normal: str) -> None:
    assert normalise(text) == normal


@pytest.mark.parametrize(
    ("text", "base", "reason"),
    [
        ("example.org/a", None, "no scheme"),
        ("", None, "no scheme"),
        ("http://", None, "no host"),
        ("https://?q", None, "no host"),
        ("http://exa mple.org/", None, "host or port is malformed"),
        ("http://h:99999/", None, "host or port is malformed"),
        ("mailto:a@example.org", None, "scheme mailto is neither http nor https"),
        ("javascript:void(0)", "http://h/", "scheme javascript"),
        ("ftp://example.org/a", None, "scheme ftp"),
        ("/a", "nowhere", "the base"),
        ("/a", "mailto:x", "relative to this base"),
    ],
)
def test_a_refusal_says_why(text: str, base: str | None, reason: str) -> None:
    verdict = normalise(text, base)
    assert isinstance(verdict, Verdict)
    assert not verdict.accepted
    assert verdict.rule == "url"
    assert reason in verdict.reason


def test_a_refusal_does_not_repeat_a_password() -> None:
    verdict = normalise("http://name:secret@ho st/")
    assert isinstance(verdict, Verdict)
    assert "secret" not in verdict.reason


def test_a_stray_percent_sign_stays_and_never_becomes_part_of_an_escape() -> None:
    assert normalise("http://h/100%") == "http://h/100%"
    assert normalise("http://h/%%341") == "http://h/%%341"
    assert normalise("http://h/%4%31") == "http://h/%4%31"


def normalising_twice_changes_nothing(text: str, base: str | None) -> None:
    once = normalise(text, base)
    if isinstance(once, Verdict):
        return
    assert normalise(once) == once
    assert once.isascii()
    assert "#" not in once
    assert "@" not in authority(once)
    assert once.startswith(origin(once) + "/")
    assert href(once) == once


@given(urlish, st.none() | urlish)
@example("http://h/%%32e/%2%65", None)
@example("http://h/%4%31%2e%2E", None)
def test_normalising_twice_changes_nothing(text: str, base: str | None) -> None:
    normalising_twice_changes_nothing(text, base)


@pytest.mark.long
@settings(max_examples=20_000)
@given(urlish, st.none() | urlish)
def test_normalising_twice_changes_nothing_in_the_long_run(text: str, base: str | None) -> None:
    normalising_twice_changes_nothing(text, base)


@st.composite
def two_spellings(draw: st.DrawFn) -> tuple[str, str]:
    def escaped(character: str) -> str:
        how = draw(st.sampled_from(["plain", "upper", "lower"]))
        upper = f"%{ord(character):02X}"
        return {"plain": character, "upper": upper, "lower": "%" + upper[1:].lower()}[how]

    # A segment of dots alone is navigation, not a name.
    segment = st.text(UNRESERVED, max_size=5).filter(lambda text: text.strip(".") != "" or text == "")
    segments = draw(st.lists(segment, max_size=4))
    query = draw(st.none() | st.text(UNRESERVED, max_size=5))

    def spelling() -> str:
        scheme = draw(st.sampled_from(["http", "HTTP", "hTtp"]))
        user = draw(st.sampled_from(["", "u@", "u:p@", ":@"]))
        name = draw(st.sampled_from(["bücher.example", "BÜCHER.example", "xn--bcher-kva.EXAMPLE"]))
        port = draw(st.sampled_from(["", ":", ":80", ":0080"]))
        detour = draw(st.sampled_from(["/", "/./", "/%2e/", "/x/../", "/x/.%2E/", "\\"]))
        path = "/".join("".join(map(escaped, part)) for part in segments)
        search = "" if query is None else "?" + "".join(map(escaped, query))
        fragment = draw(st.sampled_from(["", "#", "#/../x"]))
        return f"{scheme}://{user}{name}{port}{detour}{path}{search}{fragment}"

    return spelling(), spelling()


@given(two_spellings())
def test_spellings_of_one_url_have_one_normal_form(spellings: tuple[str, str]) -> None:
    first, second = map(normalise, spellings)
    assert isinstance(first, str)
    assert first == second


@given(urlish)
def test_a_key_fits_a_signed_column_and_depends_on_the_text_alone(text: str) -> None:
    url = normalise("http://h/" + text)
    if isinstance(url, str):
        assert -(2**63) <= key(url) < 2**63
        assert key(url) == key(Url("".join(list(url))))


def test_keys_take_both_signs() -> None:
    keys = [key(Url(f"http://h/{number}")) for number in range(64)]
    assert len(set(keys)) == 64
    assert min(keys) < 0 < max(keys)


@pytest.mark.parametrize(
    ("url", "name", "place", "site"),
    [
        ("http://a/", "a", "a", "http://a"),
        ("https://a/b:c/", "a", "a", "https://a"),
        ("https://example.org:8443/x?y=//z", "example.org", "example.org:8443", "https://example.org:8443"),
        ("http://[::1]/x", "[::1]", "[::1]", "http://[::1]"),
        ("http://[::1]:81/x", "[::1]", "[::1]:81", "http://[::1]:81"),
    ],
)
def test_parts(url: str, name: str, place: str, site: str) -> None:
    assert (host(Url(url)), authority(Url(url)), origin(Url(url))) == (name, place, site)


def test_href_keeps_what_the_standard_keeps() -> None:
    assert href("HTTP://u:p@H/%7e#f") == "http://u:p@h/%7e#f"
    assert href("mailto:x@y") == "mailto:x@y"


def test_rewrites_are_off_by_default() -> None:
    url = Url("http://h/A/index.html/")
    assert rewrite(url, Rewrites()) == url


@pytest.mark.parametrize(
    ("rewrites", "url", "rewritten"),
    [
        (Rewrites(lower_path=True), "http://h/A%C3%89/B?Q=X", "http://h/a%C3%89/b?Q=X"),
        (Rewrites(drop_trailing_slash=True), "http://h/a/?q=/", "http://h/a?q=/"),
        (Rewrites(drop_trailing_slash=True), "http://h/", "http://h/"),
        (Rewrites(drop_default_document=True), "http://h/a/index.html?q", "http://h/a/?q"),
        (Rewrites(drop_default_document=True), "http://h/a/reindex.html", "http://h/a/reindex.html"),
        (Rewrites(True, True, True), "http://h/A/INDEX.php", "http://h/a"),
    ],
)
def test_rewrite(rewrites: Rewrites, url: str, rewritten: str) -> None:
    assert rewrite(Url(url), rewrites) == rewritten


@given(
    st.lists(st.sampled_from(["A", "index.html", "default.asp", "", "%C3%A9", "b"]), max_size=6),
    st.sampled_from([Rewrites(*chosen) for chosen in product([False, True], repeat=3)]),
)
def test_rewriting_twice_changes_nothing_and_stays_normal(segments: list[str], rewrites: Rewrites) -> None:
    once = rewrite(Url("http://h/" + "/".join(segments)), rewrites)
    assert rewrite(once, rewrites) == once
    assert normalise(once) == once
