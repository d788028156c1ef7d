"""Replies collected from the test suites of HTTP clients, served byte for byte."""

import asyncio
import base64
import json
from pathlib import Path

import pytest

from whimbrel.records.response import Failure, Response
from whimbrel.records.verdict import Verdict
from whimbrel.testing.web import Reply, TinyWeb

REPLIES = Path(__file__).parents[2].parent / "shared" / "data" / "http" / "replies.jsonl"


def cases() -> list[bytes]:
    return [base64.b64decode(json.loads(line)["reply_b64"]) for line in REPLIES.read_text().splitlines()]


@pytest.mark.skipif(not REPLIES.exists(), reason="the shared replies are not here")
def test_every_reply_is_a_response_or_a_typed_failure(use_fetcher):
    async def use(fetcher):
        return await asyncio.gather(*(fetcher.fetch(web.url(f"/{n}")) for n in range(len(replies))))

    replies = cases()
    with TinyWeb({}) as web:
        port = str(web.port).encode()
        for number, reply in enumerate(replies):
            web.pages[f"/{number}"] = Reply(raw=reply.replace(b"@PORT@", port))
        outcomes = use_fetcher(use, total_seconds=300)
    assert len(outcomes) == len(replies) >= 228
    for outcome in outcomes:
        assert isinstance(outcome, (Response, Failure, Verdict))
        if isinstance(outcome, Failure):
            assert outcome.detail.isprintable()
        elif isinstance(outcome, Response):
            assert outcome.head.startswith(b"HTTP/1.")
            assert outcome.head.endswith(b"\r\n\r\n")
            assert outcome.head.count(b"\r\n\r\n") == 1
            assert 200 <= outcome.status <= 999
    assert sum(isinstance(outcome, Response) for outcome in outcomes) > len(outcomes) / 2
