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


def test_crawl_delay_belongs_to_the_agents_above_it() -> None:
    body = b"User-agent: *\nCrawl-delay: 10\n\nUser-agent: bad\nDisallow: /\nUser-agent: slow\nCrawl-delay: 2.5\n"
    robots = parse(body)
    assert robots.crawl_delay("whimbrel") == 10
    assert robots.crawl_delay("bad") is None
    assert robots.crawl_delay("slow") == 2.5


@pytest.mark.parametrize(
    "record", ["Crawl-delay: 10", "Sitemap: http://h/s.xml", "Host: h", "Noindex: /x", "Clean-param: a"]
)
def test_other_records_do_not_end_a_list_of_agents(record: str) -> None:
    """RFC 9309 §2.2.4: they must not interfere with the records that it defines."""
    body = f"User-agent: *\n{record}\n\nUser-agent: bad\nDisallow: /a\n{record}\nUser-agent: next\nDisallow: /b"
    for agent in ("whimbrel", "bad"):
        assert not allowed(body, "/a", agent)
        assert allowed(body, "/b", agent)
    assert not allowed(body, "/b", "next")


def test_the_reason_names_the_line_that_ends_no_group() -> None:
    robots = parse(b"User-agent: *\nCrawl-delay: 10\n\nUser-agent: bad\nDisallow: /\n\nUser-agent: c\nDisallow: /c")
    reason = "Disallow: / (line 5, also for the agents above line 2: Crawl-delay ends no group)"
    assert robots.judge("whimbrel", "http://h/a").reason == reason
    assert robots.judge("c", "http://h/c").reason == "Disallow: /c (line 8)"


@pytest.mark.parametrize("rule", ["Disallow", "Allow"])
@pytest.mark.parametrize(
    ("pattern", "hit", "missed"),
    [
        ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html", "/path/file-with-a-x.html"),
        ("/path/foo-%24", "/path/foo-$", "/path/foo-"),
        ("/foo-%24", "/foo-$/more", "/foo-x"),
        ("/a%2a*/%2A$", "/a*bc/*", "/a*bc/*d"),
        ("/a%2A", "/a%2Ab", "/ab"),
        ("/a$b", "/a%24b", "/a"),
        ("/a*%24$", "/ab$", "/ab"),
        ("/a*b", "/a*b", "/a*c"),
    ],
)
def test_escaped_operators_are_characters(rule: str, pattern: str, hit: str, missed: str) -> None:
    """RFC 9309 §2.2.3 gives the first two."""
    other = "" if rule == "Disallow" else "Disallow: /\n"
    body = f"User-agent: *\n{other}{rule}: {pattern}"
    assert allowed(body, hit) is (rule == "Allow")
    assert allowed(body, missed) is (rule == "Disallow")


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_characters_are_read(codec: str) -> None:
    robots = parse("User-agent: *\r\nDisallow: /é\r\nSitemap: http://h/s.xml".encode(codec))
    assert not robots.judge("whimbrel", "http://h/%C3%A9").accepted
    assert robots.judge("whimbrel", "http://h/e").accepted
    assert robots.sitemaps == ("http://h/s.xml",)
    assert not robots.unreadable


def test_what_is_no_text_is_said_to_be_none() -> None:
    assert parse(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0").unreadable
    assert not parse(b"<!doctype html><p>No such page.").unreadable
    assert not parse(b"User-agent: *\nDisallow: /\n\0").unreadable


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
