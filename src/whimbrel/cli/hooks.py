"""Posting changes to a webhook, for `changes` and `refresh`."""

import http.client
import time
from base64 import b64encode
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, unquote, urlsplit

import click

from whimbrel.cli.words import harmless

if TYPE_CHECKING:
    from whimbrel.flows.telling.webhook import Delivered, NotTaken, Taken
    from whimbrel.repository.views import Site

HOOK_SECONDS = 30.0
TRIES = 3
_FIRST_WAIT_SECONDS = 1.0
_LONGEST_ANSWER = 1 << 16


def checked(url: str) -> str:
    """Refuses what cannot be posted to."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise click.UsageError(f"--webhook {harmless(url)!r} is no http(s) URL.")
    return url


def deliver(
    folder: Path, url: str, site: "Site | None", since: float, *, tries: int = TRIES,
    sleep: Callable[[float], None] = time.sleep,
) -> "Delivered":  # fmt: skip
    """Posts what the hook has not had yet; after a failure tries again, each time after a longer wait. With one try it
    keeps to the rest that a failing receiver is given."""
    from whimbrel.flows.telling.webhook import Webhook

    webhook = Webhook(folder, url, site, since)
    for attempt in range(tries):
        delivered = webhook.deliver(partial(_post, url), time.time(), waits=tries == 1)
        if not delivered.problem or attempt == tries - 1:
            break
        sleep(_FIRST_WAIT_SECONDS * 4.0**attempt)
    return delivered


def words(delivered: "Delivered") -> str:
    """What stood in the way; "" where nothing did."""
    if not delivered.problem:
        return ""
    return (
        f"the webhook did not take the changes: {harmless(delivered.problem)}. They are kept and posted the next time."
    )


def _post(url: str, message: bytes, sequence: int) -> "Taken | NotTaken":
    """Redirects are not followed: on the way a POST would become a GET, and the changes would be lost."""
    from whimbrel.flows.telling.webhook import NotTaken, Taken

    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    try:
        connection = kind(parts.hostname or "", parts.port, timeout=HOOK_SECONDS)
        try:
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            headers = {"Content-Type": "application/json", "X-Whimbrel-Sequence": str(sequence), **_authorised(parts)}
            connection.request("POST", path, message, headers)
            answer = connection.getresponse()
            answer.read(_LONGEST_ANSWER)
        finally:
            connection.close()
    except (OSError, http.client.HTTPException, ValueError) as error:
        return NotTaken(str(error) or type(error).__name__)
    if 200 <= answer.status < 300:
        return Taken()
    where = f" to {answer.headers.get('Location', '')}; name that address" if 300 <= answer.status < 400 else ""
    return NotTaken(f"{answer.status} {answer.reason}{where}", _wait(answer.headers.get("Retry-After", "")))


def _authorised(parts: SplitResult) -> dict[str, str]:
    if parts.username is None:
        return {}
    named = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"Authorization": f"Basic {b64encode(named.encode()).decode()}"}


def _wait(text: str) -> float | None:
    return float(text) if text.isdecimal() else None
