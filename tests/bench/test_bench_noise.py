"""The noise bench on a site of a few pages."""

from pathlib import Path

import pytest

from whimbrel.bench.change_sites import Sites
from whimbrel.bench.change_sites import run as run_sites
from whimbrel.bench.machine import MissingTool
from whimbrel.bench.noise import compare, refreshed
from whimbrel.bench.released import Released, ReleasedPackage, releases, rewritten, text_of, versions_of

SOURCE = ReleasedPackage("marsh-doc", "div.body", ("div.nav",))
WORDS = ("tide", "marsh", "heath", "moor", "coast", "reed", "sand", "wing", "nest", "flock", "crab", "worm")


def page(name: str, version: str, text: str) -> str:
    return (
        f"<!doctype html><html><head><title>{name} {version}</title></head><body>"
        f"<div class=related>Manual {version}</div><div class=body><div class=nav>Up {version}</div>"
        f"<h1>{name}</h1><p>{text}</p></div><p>Manual {version}, made on 3 May 2027</p></body></html>"
    )


@pytest.fixture
def released(tmp_path: Path) -> Released:
    for release, version in (("old", "1.2"), ("new", "1.3")):
        folder = tmp_path / release
        folder.mkdir()
        for name in WORDS:
            changed = name in ("crab", "worm") and release == "new"
            text = f"What is known of {name}." if not changed else f"All about {name}, written anew."
            (folder / f"{name}.html").write_text(page(name, version, text))
    return Released(SOURCE, ("1.2", "1.3"), tmp_path / "old", tmp_path / "new")


def test_changes_and_alarms_are_counted(released: Released) -> None:
    row = compare(released)
    assert (row.told.pages, row.told.same_bytes) == (12, 0)
    assert (row.told.changed, row.told.found) == (2, 2)
    assert (row.told.unchanged, row.told.alarms, row.told.quiet) == (10, 0, 1.0)
    assert row.text_alarms == 10


def test_an_alarm_is_named(released: Released) -> None:
    file = released.new / "tide.html"
    file.write_text(file.read_text().replace("<p>What", "<h4>What"))
    row = compare(released)
    assert row.told.alarms == 1
    assert "tide.html: structural, presentation" in row.named[0]


def test_a_sample_is_crawled_and_refreshed(released: Released, tmp_path: Path) -> None:
    folder = tmp_path / "sample"
    folder.mkdir()
    told = refreshed(released, folder, 100)
    assert (told.pages, told.changed, told.found, told.unchanged, told.alarms) == (12, 2, 2, 10, 0)


def test_content_is_the_sites_own_element() -> None:
    assert text_of(page("a", "1", "Some   words").encode(), SOURCE) == "aSome words"
    assert text_of(b"<p>no such element", SOURCE) is None


def test_a_release_by_script_differs_in_every_page_and_says_the_same(released: Released, tmp_path: Path) -> None:
    made = rewritten(SOURCE, released.old, tmp_path / "made")
    assert made.scripted
    assert len(made.pages()) == len(WORDS)
    row = compare(made)
    assert (row.told.same_bytes, row.told.changed, row.told.unchanged, row.told.alarms) == (0, 0, 12, 0)


def test_what_the_pools_do_not_have_is_said(tmp_path: Path) -> None:
    assert versions_of("no-such-package-of-ours") == []
    with pytest.raises(MissingTool, match="no two versions of no-such-package-of-ours"):
        releases(ReleasedPackage("no-such-package-of-ours", "main"), tmp_path, lambda words: None)


def test_sites_that_cannot_be_had_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    said = run_sites({}, tmp_path, lambda words: None)
    assert isinstance(said, Sites)
    assert (said.scores, said.names) == ([], [])
    assert said.missing
