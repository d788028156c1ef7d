import base64
import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from whimbrel.fetch.robots import ALLOW_ALL, LONGEST_BODY, parse
from whimbrel.records.verdict import ACCEPTED, Verdict

GOOGLE = Path(__file__).parents[2].parent / "shared" / "data" / "robots" / "google.jsonl"


def allowed(body: str, path: str, agent: str = "whimbrel") -> bool:
    return parse(body.encode()).judge(agent, "http://h" + path).accepted


def test_googles_verdicts() -> None:
    if not GOOGLE.exists():
        pytest.skip(f"needs {GOOGLE.name} from the shared data")
    cases = [json.loads(line) for line in GOOGLE.read_text().splitlines()]
    judged = [(case, parse(base64.b64decode(case["robots_b64"])).judge(case["agent"], case["url"])) for case in cases]
    wrong = [case for case, verdict in judged if verdict.accepted != case["allowed"]]
    assert [case for case in wrong if not case["google_specific"]] == []
    # Google alone takes a directory for its index.html.
    assert {case["url"] for case in wrong} <= {"http://foo.com/allowed-slash/"}
    assert len(cases) > 200


def test_the_verdict_names_the_line() -> None:
    robots = parse(b"# ours\r\nUser-agent: *\r\nDisallow: /tmp # scratch\r\nAllow: /tmp/open")
    assert robots.judge("whimbrel", "http://h/tmp/x") == Verdict(False, "robots", "Disallow: /tmp (line 3)")
    assert robots.judge("whimbrel", "http://h/tmp/open") == Verdict(True, "robots", "Allow: /tmp/open (line 4)")
    assert robots.judge("whimbrel", "http://h/") == ACCEPTED


def test_nothing_forbids_nothing() -> None:
    assert parse(b"") == ALLOW_ALL
    assert ALLOW_ALL.judge("whimbrel", "http://h/a") == ACCEPTED


def test_robots_txt_itself_is_always_allowed() -> None:
    assert allowed("User-agent: *\nDisallow: /", "/robots.txt")
    assert not allowed("User-agent: *\nDisallow: /", "/robots.txt/x")


@pytest.mark.parametrize(
    "agent", ["whimbrel", "Whimbrel/1.2", "WHIMBREL/1.2 (+https://example.org/bot)", "whimbrel (a bird)"]
)
def test_an_agent_is_known_by_its_product(agent: str) -> None:
    body = "User-agent: Whimbrel/9 beta\nDisallow: /a\n\nUser-agent: *\nDisallow: /b"
    assert not allowed(body, "/a", agent)
    assert allowed(body, "/b", agent)


def test_an_agent_with_digits_in_its_name() -> None:
    body = "User-agent: bot2000\nDisallow: /"
    assert not allowed(body, "/", "bot2000/1.0")
    assert allowed(body, "/", "bot3000/1.0")


def test_crawl_delay_belongs_to_its_group() -> None:
    body = b"User-agent: *\nCrawl-delay: 10\n\nUser-agent: bad\nDisallow: /\nUser-agent: slow\nCrawl-delay: 2.5\n"
    robots = parse(body)
    assert robots.crawl_delay("whimbrel") == 10
    assert robots.judge("whimbrel", "http://h/a").accepted
    assert robots.crawl_delay("bad") is None
    assert not robots.judge("bad", "http://h/a").accepted
    assert robots.crawl_delay("slow") == 2.5


@pytest.mark.parametrize("value", ["", "soon", "-1", "nan", "inf", "1e999", "0"])
def test_a_delay_that_is_none(value: str) -> None:
    assert parse(f"User-agent: *\nCrawl-delay: {value}".encode()).crawl_delay("whimbrel") is None


def test_sitemaps_belong_to_the_whole_file() -> None:
    body = "Sitemap: http://h/é.xml\nUser-agent: a\nsite-map: http://h/2.xml\nSITEMAP:http://h/2.xml\nSitemap:\n"
    assert parse(body.encode()).sitemaps == ("http://h/é.xml", "http://h/2.xml")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/%7ejoe", "/~joe"),
        ("/a b", "/a%20b"),
        ("/{id}", "/%7Bid%7D"),
        ("/é", "/%C3%A9"),
        ("/%c3%a9", "/%C3%A9"),
        ("/%C3%A9", "/%c3%a9"),
        ("/?q='", "/?q=%27"),
        ("*%7e", "/x%7E"),
        ("*/%7e$", "/x/~"),
    ],
)
def test_a_disallow_holds_for_a_url_in_normal_form(pattern: str, path: str) -> None:
    assert not allowed(f"User-agent: *\nDisallow: {pattern}", path)


def test_a_dot_segment_does_not_widen_a_pattern() -> None:
    assert allowed("User-agent: *\nDisallow: /%2e%2e/", "/a")


def test_a_line_cut_by_the_size_limit_does_not_count() -> None:
    head = b"User-agent: *\nDisallow: /a\n"
    filler = b"#" * (LONGEST_BODY - len(head) - len(b"\nDisallow: /")) + b"\nDisallow: /private"
    robots = parse(head + filler)
    assert not robots.judge("whimbrel", "http://h/a").accepted
    assert robots.judge("whimbrel", "http://h/public").accepted


def test_control_characters_do_not_reach_a_reason() -> None:
    reason = parse(b"User-agent: *\nDisallow: /\x1b[31m").judge("whimbrel", "http://h/%1B[31m").reason
    assert reason == "Disallow: /%1B[31m (line 2)"


@given(st.text("/ab*$", min_size=1, max_size=10).map("/".__add__), st.text("/ab", max_size=12).map("/".__add__))
@example("/a*a$", "/a")
@example("/*ab*ba$", "/aba")
def test_wildcards_match_as_a_regular_expression_would(pattern: str, path: str) -> None:
    body, end = (pattern[:-1], r"\Z") if pattern.endswith("$") else (pattern, "")
    expression = ".*".join(map(re.escape, body.split("*"))) + end
    matched = re.match(expression, path) is not None
    assert allowed(f"User-agent: *\nDisallow: {pattern}", path) is not matched


rules = st.lists(st.tuples(st.booleans(), st.text("/ab*$", max_size=5).map("/".__add__)), max_size=8)


@given(rules, st.text("/ab", max_size=8).map("/".__add__))
def test_the_longest_match_wins_and_allow_wins_a_tie(chosen: list[tuple[bool, str]], path: str) -> None:
    lines = [f"{'Allow' if allow else 'Disallow'}: {pattern}" for allow, pattern in chosen]
    matching = [
        (len(pattern), allow) for allow, pattern in chosen if not allowed(f"User-agent: *\nDisallow: {pattern}", path)
    ]
    best = max(matching, default=(0, True))
    assert allowed("\n".join(["User-agent: *", *lines]), path) is best[1]


@given(st.binary(max_size=200), st.text(max_size=20), st.text(max_size=40))
def test_any_bytes_can_be_read(noise: bytes, agent: str, url: str) -> None:
    robots = parse(b"User-agent: *\nDisallow: /\n" + noise)
    assert robots.judge(agent, url).rule in ("", "robots")
    assert all(delay > 0 for delay in robots.delays.values())


def test_a_pattern_of_stars_stays_linear() -> None:
    # A backtracking matcher would not finish this within the age of the universe.
    body = b"User-agent: *\nDisallow: /" + b"a*" * 100_000 + b"b\n"
    assert parse(body).judge("whimbrel", "http://h/" + "a" * 200_000).accepted


def test_many_rules_stay_linear() -> None:
    wild = b"".join(b"Disallow: /*a*%d$\n" % number for number in range(100_000))
    robots = parse(b"User-agent: *\nDisallow: /last\n" + wild)
    rules = robots.for_agent("whimbrel")
    assert sum(len(group.rules) for group in robots.groups) < 100_000
    assert rules.judge("http://h/" + "a" * 2_000).accepted
    assert not rules.judge("http://h/ba77").accepted
