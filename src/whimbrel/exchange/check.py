"""`check`: single rules, asked by JSON lines and answered line by line.

A kind is named in `KINDS` with its module and what it takes and gives; the module is imported when it is asked for.
"""

import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import cast

from msgspec import Struct


class CheckKind(Struct, frozen=True):
    """A question that can be asked. `takes` and `gives` name the fields, `example` is a line to try it with."""

    module: str
    function: str
    takes: str
    gives: str
    example: str


KINDS = {
    "robots": CheckKind(
        "whimbrel.exchange.check_robots",
        "check_robots",
        "robots_b64, agent, url",
        "allowed, rule, crawl_delay, sitemaps",
        '{"robots_b64": "VXNlci1hZ2VudDogKgpEaXNhbGxvdzogL3RtcA==", "agent": "whimbrel", '
        '"url": "https://example.org/tmp/a"}',
    ),
    "url": CheckKind(
        "whimbrel.exchange.check_url",
        "check_url",
        "input, base (may be null)",
        "href, normal; or failure, reason",
        '{"input": "../b?q#f", "base": "https://example.org/d/e"}',
    ),
    "page": CheckKind(
        "whimbrel.exchange.check_page",
        "check_page",
        "html_b64, url, content_type (optional)",
        "title, text, main_text, links, language, charset, cut",
        '{"html_b64": "PHRpdGxlPkhpPC90aXRsZT48YSBocmVmPWI+YjwvYT4=", "url": "https://example.org/"}',
    ),
    "change": CheckKind(
        "whimbrel.exchange.check_change",
        "check_change",
        "before_b64, after_b64, url, history_b64 and neighbours_b64 (optional lists)",
        "changed, kinds, amount, where, noise",
        '{"before_b64": "PHA+T2xkPC9wPg==", "after_b64": "PHA+TmV3PC9wPg==", "url": "https://example.org/"}',
    ),
    "sitemap": CheckKind(
        "whimbrel.exchange.check_sitemap",
        "check_sitemap",
        "body_b64, url",
        "kind, urls, foreign, notes; or error, reason",
        '{"body_b64": "aHR0cHM6Ly9leGFtcGxlLm9yZy9h", "url": "https://example.org/sitemap.txt"}',
    ),
    "ahp": CheckKind(
        "whimbrel.exchange.check_ahp",
        "check_ahp",
        "criteria (optional list of names), judgements (list of [name, name, how much])",
        "weights, ratio, consistent, contradiction, rows; without judgements questions, answers, judgements",
        '{"criteria": ["load", "CPU", "latency"], "judgements": [["load", "CPU", "moderately more"], '
        '["CPU", "latency", "strongly more"], ["load", "latency", "very strongly more"]]}',
    ),
    "structure": CheckKind(
        "whimbrel.exchange.check_structure",
        "check_structure",
        "a_b64, b_b64",
        "matched, size_a, size_b, similarity",
        '{"a_b64": "PHA+PGI+YTwvYj48L3A+", "b_b64": "PHA+YjwvcD4="}',
    ),
    "patterns": CheckKind(
        "whimbrel.exchange.check_patterns",
        "check_patterns",
        "baskets, min_support (a count or a share), min_confidence",
        "frequent, largest, rules, weight",
        '{"baskets": [[1, 8, 5], [8, 1], [8]], "min_support": 2, "min_confidence": 0.6}',
    ),
}

Check = Callable[[Mapping[str, object]], dict[str, object]]


def check_of(name: str) -> Check:
    kind = KINDS[name]
    return cast(Check, getattr(importlib.import_module(kind.module), kind.function))


def answers(name: str, lines: Iterable[bytes]) -> Iterator[str]:
    """One line of JSON for each line, in order."""
    check = check_of(name)
    for number, line in enumerate(lines, 1):
        yield json.dumps(_answer(check, line, number, KINDS[name]))


def _answer(check: Check, line: bytes, number: int, kind: CheckKind) -> dict[str, object]:
    # The standard library's reader takes lone surrogates, which scripts do write and URLs have rules for.
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError) as error:
        return {"error": f"line {number} is not JSON ({error}): send {kind.example}"}
    if not isinstance(asked, dict):
        return {"error": f"line {number} is not a JSON object: send {kind.example}"}
    return check(asked)
