import msgspec
import pytest

from whimbrel.records.url import Url
from whimbrel.urls.scope import Scope, ScopeKind, registrable_domain

SEEDS = (Url("https://docs.example.co.uk/guide/start.html?x=/y"), Url("http://127.0.0.1:8080/api/"))


@pytest.mark.parametrize(
    ("kind", "url", "accepted"),
    [
        ("host", "https://docs.example.co.uk/other", True),
        ("host", "http://docs.example.co.uk/other", True),
        ("host", "https://docs.example.co.uk:8443/", False),
        ("host", "https://www.example.co.uk/", False),
        ("host", "http://127.0.0.1:8080/", True),
        ("host", "http://127.0.0.1/", False),
        ("domain", "https://www.example.co.uk/", True),
        ("domain", "https://example.co.uk:8443/", True),
        ("domain", "https://other.co.uk/", False),
        ("domain", "http://127.0.0.1/", True),
        ("domain", "http://1.0.0.1/", False),
        ("prefix", "https://docs.example.co.uk/guide/", True),
        ("prefix", "http://docs.example.co.uk/guide/a/b", True),
        ("prefix", "https://docs.example.co.uk/guide", False),
        ("prefix", "https://docs.example.co.uk/guides/", False),
        ("prefix", "http://127.0.0.1:8080/api/x", True),
        ("list", "http://127.0.0.1:8080/api/", True),
        ("list", "http://127.0.0.1:8080/api/x", False),
    ],
)
def test_judge(kind: str, url: str, accepted: bool) -> None:
    verdict = Scope(ScopeKind(kind), SEEDS).judge(Url(url))
    assert verdict.accepted is accepted
    if not accepted:
        assert verdict.rule == "scope"
        assert "seed" in verdict.reason or "listed" in verdict.reason


def test_the_reason_names_the_place_and_some_of_the_seeds() -> None:
    seeds = tuple(Url(f"http://h{number}.org/") for number in range(9))
    reason = Scope(ScopeKind.HOST, seeds).judge(Url("http://else.org/")).reason
    assert reason == "else.org is not the host of a seed (h0.org, h1.org, h2.org and 6 more)"


@pytest.mark.parametrize(
    ("name", "domain"),
    [
        ("a.b.example.org", "example.org"),
        ("www.example.co.uk.", "example.co.uk"),
        ("someone.github.io", "someone.github.io"),
        ("github.io", "github.io"),
        ("localhost", "localhost"),
        ("10.0.0.1", "10.0.0.1"),
        ("[2001:db8::1]", "[2001:db8::1]"),
        ("www.xn--bcher-kva.example", "xn--bcher-kva.example"),
    ],
)
def test_registrable_domain(name: str, domain: str) -> None:
    assert registrable_domain(name) == domain


@pytest.mark.parametrize("kind", ScopeKind)
def test_travels_as_msgpack_and_judges_the_same(kind: ScopeKind) -> None:
    scope = Scope(kind, SEEDS)
    assert scope.judge(SEEDS[0]).accepted
    arrived = msgspec.msgpack.decode(msgspec.msgpack.encode(scope), type=Scope)
    assert arrived == scope
    assert arrived.judge(SEEDS[1]).accepted
