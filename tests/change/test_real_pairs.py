"""Real pages: every change is found, and noise stays quiet."""

import gzip
import json
from pathlib import Path

import pytest

from whimbrel.change.decide import decide
from whimbrel.change.version import ComparedVersion, read_version

PAIRS = Path(__file__).parents[2].parent / "shared" / "data" / "changes"


def version(name: str) -> ComparedVersion:
    return read_version(gzip.decompress((PAIRS / "pages" / f"{name}.html.gz").read_bytes()), "text/html")


@pytest.mark.skipif(not PAIRS.is_dir(), reason="the pairs of real versions are not beside the project")
def test_changes_are_found_and_noise_is_not() -> None:
    missed = alarms = 0
    for line in (PAIRS / "pairs.jsonl").read_text().splitlines():
        pair = json.loads(line)
        changed = decide(version(pair["before"]), version(pair["after"])).changed
        missed += pair["changed"] and not changed
        alarms += changed and not pair["changed"]
    assert missed <= 2
    assert alarms <= 1
