"""Seeds from a search endpoint that the settings name: one request, by the same fetcher as everything else."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from urllib.parse import quote

from msgspec.structs import replace

from whimbrel.api.briefing import brief_for
from whimbrel.api.credentials import read_keys
from whimbrel.api.seeds import SeedError, read_seeds
from whimbrel.config import Settings
from whimbrel.fetch.dns import NameResolver
from whimbrel.fetch.http import Fetcher
from whimbrel.migrants.judge import guard_of
from whimbrel.migrants.wire.messages import Brief
from whimbrel.parse.answered import pages_answered
from whimbrel.records.response import Response
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.urls.normal import origin

TERMS = "{searchTerms}"
"""As OpenSearch 1.1 writes it."""
MOST_BYTES = 4_000_000


def asked_elsewhere(settings: Settings, subject: str, most: int) -> list[Url]:
    """The first pages that the endpoint names; none where there is no endpoint. They are strangers: whoever answers may
    name any address, so the guard of addresses judges each by where it is."""
    template = settings.topic.search_url
    if not template:
        return []
    (url,) = read_seeds([template.replace(TERMS, quote(subject, safe=""))])
    brief = brief_for(settings, [url], [], keys=read_keys(settings, [url]))
    with ThreadPoolExecutor(1) as apart:  # the caller may be in a running loop of its own
        answer = apart.submit(asyncio.run, _asked(url, brief)).result()
    found = pages_answered(answer.body, url, time.time())
    if isinstance(found, Verdict):
        raise SeedError(f"[topic] search_url: the answer of {origin(url)} cannot be used: {found.reason}.")
    return found[:most]


async def _asked(url: Url, brief: Brief) -> Response:
    settings = replace(brief.fetch, max_body_bytes=MOST_BYTES, accept_types=())
    fetcher = Fetcher(settings, guard_of(brief), NameResolver())
    try:
        answer = await fetcher.fetch(url)
    finally:
        await fetcher.close()
    if isinstance(answer, Response) and answer.status == HTTPStatus.OK:
        return answer
    if isinstance(answer, Response):
        why = f"it answered {answer.status}"
    else:
        why = answer.reason if isinstance(answer, Verdict) else answer.detail
    raise SeedError(f"[topic] search_url: {origin(url)} could not be asked: {why}. Name a URL to begin at.")
