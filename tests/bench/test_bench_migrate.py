"""The bench of bytes over the link, on a small manual made by script."""

import shutil
import tarfile
from pathlib import Path

import pytest

from whimbrel.bench import made_up, migrate
from whimbrel.bench.migrate import LinkRow, MigrateReport, MigrateSite, goals


def test_a_migrant_beside_the_server_sends_less_than_a_central_crawl_fetches(tmp_path: Path) -> None:
    if shutil.which("nginx", path="/usr/sbin:/usr/bin") is None:
        pytest.skip("nginx is not installed")
    both = made_up.releases(tmp_path / "made", 40)
    data = tmp_path / "data"
    data.mkdir()
    for number, release in enumerate((both.old, both.new)):
        with tarfile.open(data / f"{number}.tar.xz", "w:xz", preset=0) as packed:
            packed.add(release, arcname=release.name)
    site = MigrateSite("small", both.old, "index.html")
    work = tmp_path / "work"
    work.mkdir()
    report = migrate.run([site], data, work, lambda words: None, peers=False, liars=False)
    first, quiet, changed = report.rows
    for row in report.rows:
        assert row.kept >= 40  # and as many in both folders
        assert 0 < row.to_place + row.from_place < row.central
    assert quiet.from_place < first.from_place
    assert changed.from_place < first.from_place


def test_what_crossed_the_link_is_held_against_the_goal() -> None:
    row = LinkRow("first crawl of a manual", 10, 1000, 50, 250, 1200, 0.35, 1.0)
    missed = LinkRow("refresh", 10, 1000, 50, 250, 0, 0.02, 1.0)
    assert [(goal.value, goal.reached) for goal in goals(MigrateReport(6, (row, missed)))] == [
        (0.3, True),
        (0.3, False),
    ]
