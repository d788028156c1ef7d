"""Settings of one site, seen and edited in the crawl room, and what a filter would do before it is taken.

Patterns are tried in a process of their own and within a limit of time, since Python's expressions may take for ever on
the wrong text, and would hold this server meanwhile. What did not come through its trial is not saved.
"""

import subprocess
import sys

import msgspec
from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from whimbrel.api import stored_settings
from whimbrel.api.site_settings import (
    FilterTrial,
    holding,
    host_named,
    said_of_sites,
    said_table,
    say_of_site,
    words_of,
)
from whimbrel.config import ConfigError, SiteTable
from whimbrel.config.layers import load_stored
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.location import Location
from whimbrel.web.desk import Desk
from whimbrel.web.forms import fields
from whimbrel.web.presentation import page

PATH = "/crawl/site"
TRIAL_SECONDS = 20.0
SHOWN_URLS = 100
NOTIFY = {
    "everything": "everything",
    "trivial": "trivial changes and more",
    "small": "small changes and more",
    "medium": "medium changes and more (from a third of the page)",
    "large": "large changes and more",
    "complete": "complete changes alone",
    "nothing": "nothing",
}
_TEXTS = ("delay_seconds", "hours", "notify", "notify_words")
_LISTS = ("include", "exclude")


class ShownTrial(Struct, frozen=True):
    """Some of each, and how many there are."""

    known: int
    dropped: int
    groups: tuple[tuple[str, int, tuple[str, ...]], ...]


def show(request: Request) -> Response:
    desk: Desk = request.app.state.desk
    try:
        host = host_named(request.query_params.get("host", "")[:300])
        said = said_of_sites(desk.location).get(host, SiteTable(host=host))
    except ConfigError as error:
        return page(request, "problem.html", 400, title="No such site", words=str(error), here="crawl", q="")
    return _page(request, host, _as_fields(said), saved="saved" in request.query_params)


async def change(request: Request) -> Response:
    return await run_in_threadpool(_change, request, fields(await request.body()))


def _change(request: Request, sent: dict[str, str]) -> Response:
    desk: Desk = request.app.state.desk
    host = ""
    try:
        host = host_named(sent.get("host", "")[:300])
        table = said_table(host, _understood(sent))
        trial = _tried(desk.location, table)
    except ConfigError as error:
        return _page(request, host, sent, problem=str(error)) if host else _nowhere(request, str(error))
    if sent.get("do") != "save":
        return _page(request, host, sent, trial=_shown(trial))
    say_of_site(desk.location, table)
    return RedirectResponse(f"{PATH}?host={host}&saved=1", 303)


def _nowhere(request: Request, words: str) -> Response:
    return page(request, "problem.html", 400, title="No such site", words=words, here="crawl", q="")


def _understood(sent: dict[str, str]) -> dict[str, object]:
    given: dict[str, object] = {name: sent.get(name, "").strip() for name in _TEXTS}
    given |= {name: [line.strip() for line in sent.get(name, "").splitlines() if line.strip()] for name in _LISTS}
    return given


def _as_fields(table: SiteTable) -> dict[str, str]:
    words = words_of(table)
    return {
        name: "\n".join(map(str, value)) if isinstance(value, list) else _number(value) for name, value in words.items()
    }


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _tried(location: Location, table: SiteTable) -> FilterTrial:
    """ConfigError where a pattern takes too long, or the trial could not be made."""
    if not table.include and not table.exclude:
        patterns = ["--include=", "--exclude="]
    else:
        patterns = [f"--include={one}" for one in table.include or ("",)]
        patterns += [f"--exclude={one}" for one in table.exclude or ("",)]
    command = [
        sys.executable,
        "-P",
        "-m",
        "whimbrel",
        "site",
        "--dry-run",
        "--json",
        "--repo",
        str(location),
        *patterns,
    ]
    try:
        done = subprocess.run(
            [*command, "--", str(table.host)], stdin=subprocess.DEVNULL, capture_output=True, timeout=TRIAL_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise ConfigError(
            f"these patterns took longer than {TRIAL_SECONDS:g} s on the known URLs, and would hold a crawl up. "
            "Write them without repetitions within repetitions."
        ) from None
    if done.returncode:
        raise ConfigError(done.stderr.decode("utf-8", "replace").strip()[-500:] or "the trial failed")
    return msgspec.json.decode(done.stdout, type=FilterTrial)


def _shown(trial: FilterTrial) -> ShownTrial:
    groups = (
        ("kept and visited no more; copies stay", trial.kept),
        ("waiting, and out of the queue", trial.waiting),
        ("not here, and not asked for again", trial.others),
        ("let in by the next crawl, or visited again", trial.let_in),
    )
    some = tuple((words, len(urls), tuple(urls[:SHOWN_URLS])) for words, urls in groups if urls)
    return ShownTrial(trial.known, trial.dropped, some)


def _page(
    request: Request, host: str, given: dict[str, str], *, problem: str = "", saved: bool = False,
    trial: ShownTrial | None = None,
) -> Response:  # fmt: skip
    desk: Desk = request.app.state.desk
    return page(
        request, "site.html", 400 if problem else 200, here="crawl", q="", host=host, given=given, problem=problem,
        saved=saved, trial=trial, degrees=NOTIFY, otherwise=_otherwise(desk.location, host),
    )  # fmt: skip


def _otherwise(location: Location, host: str) -> dict[str, str]:
    """What the settings of the last crawl say of the site, where nothing is said here."""
    try:
        settings = load_stored(stored_settings(location) or {})
    except (RepositoryError, ConfigError):
        return {}
    return {name: text.replace("\n", ", ") for name, text in _as_fields(holding(settings, host)).items()}
