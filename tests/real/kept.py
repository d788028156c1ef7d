"""What a command made of a site: a crawl, its pages, a refresh, its changes, as JSON."""

import json
import subprocess
from pathlib import Path
from typing import Any

from commands import WHIMBREL


def asked(*arguments: str | Path) -> Any:
    """What the command answers with --json: lines become a list where there are several records."""
    command = [*WHIMBREL, *map(str, arguments), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=1800, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def crawl(repo: Path, url: str, *options: str) -> Any:
    return asked("crawl", url, "--repo", repo, *options)


def refresh(repo: Path, *options: str) -> Any:
    return asked("refresh", "--repo", repo, *options)


def pages(repo: Path, *options: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        [*WHIMBREL, "pages", "--repo", str(repo), "--json", *options], capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def changes(repo: Path, *options: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        [*WHIMBREL, "changes", "--repo", str(repo), "--json", *options], capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]
