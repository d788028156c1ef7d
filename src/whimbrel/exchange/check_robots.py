"""`check robots`: what a robots.txt says about one URL, and which line says it."""

import binascii
from base64 import b64decode
from collections.abc import Mapping

from whimbrel.fetch.robots import parse

SEND = 'send {"robots_b64": "…", "agent": "whimbrel", "url": "https://example.org/a"}'


def check_robots(line: Mapping[str, object]) -> dict[str, object]:
    """`{robots_b64, agent, url}` to `{allowed, rule, crawl_delay, sitemaps}`; `rule` is the line or null."""
    if not isinstance(line, Mapping):
        return {"error": f"not a JSON object: {SEND}"}
    encoded, agent, url = line.get("robots_b64"), line.get("agent"), line.get("url")
    for name, value in (("robots_b64", encoded), ("agent", agent), ("url", url)):
        if not isinstance(value, str):
            return {"error": f'"{name}" must be a text: {SEND}'}
    try:
        robots = parse(b64decode(str(encoded), validate=True))
    except (binascii.Error, ValueError):
        return {"error": f'"robots_b64" is not base64; encode the bytes of the robots.txt: {SEND}'}
    rules = robots.for_agent(str(agent))
    verdict = rules.judge(str(url))
    return {
        "allowed": verdict.accepted,
        "rule": verdict.reason or None,
        "crawl_delay": rules.crawl_delay,
        "sitemaps": list(robots.sitemaps),
    }
