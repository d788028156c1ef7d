"""The bench of places, on a small manual made by script."""

import tarfile
from pathlib import Path

import pytest

from whimbrel.bench import made_up, migrate
from whimbrel.bench.migrate import MigrateReport, goals
from whimbrel.bench.migrate_rows import LinkRow, MigrateSite
from whimbrel.bench.namespaces import hindrance
from whimbrel.bench.server import NGINX


@pytest.mark.long
@pytest.mark.skipif(bool(hindrance()), reason=hindrance())
@pytest.mark.skipif(not NGINX.exists(), reason="nginx is not installed")
def test_a_migrant_beside_the_server_sends_less_than_a_central_crawl_fetches(tmp_path: Path) -> None:
    both = made_up.releases(tmp_path / "made", 200)
    data = tmp_path / "data"
    data.mkdir()
    for number, release in enumerate((both.old, both.new)):
        with tarfile.open(data / f"{number}.tar.xz", "w:xz", preset=0) as packed:
            packed.add(release, arcname=release.name)
    site = MigrateSite("small", both.old, "index.html")
    work = tmp_path / "work"
    work.mkdir()
    report = migrate.run([site], data, work, lambda words: None, parts=["bytes"], peers=False)
    first, quiet, changed, quiet_again, later = report.rows
    for row in report.rows:
        assert row.kept >= 200  # and as many in both folders
        assert row.checks > 0
        assert 0 < row.to_place + row.from_place - row.checks < row.central
    assert quiet.from_place < first.from_place
    assert changed.from_place < first.from_place
    assert quiet_again.from_place < changed.from_place
    assert later.most is None, "told, and no goal"


def test_what_crossed_the_link_is_held_against_the_goal() -> None:
    row = LinkRow("first crawl of a manual", 10, 1000, 50, 250, 1200, 0.35, 1.0)
    missed = LinkRow("refresh", 10, 1000, 50, 250, 0, 0.02, 1.0)
    assert [(goal.value, goal.reached) for goal in goals(MigrateReport(6, rows=(row, missed)))] == [
        (0.3, True),
        (0.3, False),
    ]


def test_without_machines_far_from_each_other_it_says_so_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    told: list[str] = []
    report = migrate.run([], None, tmp_path, told.append, parts=["bytes"])
    assert "root" in report.hindrance
    assert any("root" in words for words in told)
    assert report.rows == ()
