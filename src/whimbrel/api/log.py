"""The log that `[log] file` asks for: a line of JSON for every visit, whoever runs the crawl."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from whimbrel.config import ConfigError
from whimbrel.migrants.home.manager import Manager
from whimbrel.records.visit import Visit


def check_log(file: str | None) -> None:
    """Raises where the log could not be written: that is said before anything is fetched."""
    if file:
        _opened(file).close()


@contextmanager
def logged(manager: Manager, file: str | None) -> Iterator[None]:
    """What the manager's run brings is written there while the block lasts."""
    if not file:
        yield
        return
    with _opened(file) as log:

        async def write(visits: list[Visit]) -> None:
            log.writelines(_line(visit) for visit in visits)
            log.flush()

        manager.listen(write)
        yield


def _opened(file: str) -> TextIO:
    try:
        return Path(file).open("a", encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"the log {file} cannot be written: {error.strerror}") from error


def _line(visit: Visit) -> str:
    said = {
        "at": round(visit.at, 3), "url": visit.url, "outcome": visit.outcome, "status": visit.status,
        "rule": visit.rule, "reason": visit.reason, "bytes": visit.received_bytes,
    }  # fmt: skip
    return json.dumps(said) + "\n"
