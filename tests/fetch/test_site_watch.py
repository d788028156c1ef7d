"""What a resident remembers of a site's folder, and what it tells."""

import os
from pathlib import Path

import pytest

from whimbrel.fetch.site_watch import SiteWatch

ORIGIN = "http://docs.example"


def write(path: Path, text: str, at: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (at, at))


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    write(folder / "index.html", "start", 100.0)
    write(folder / "guide" / "index.html", "guide", 110.0)
    write(folder / "guide" / "a b.html", "spaces", 120.0)
    write(folder / ".draft.html", "secret", 130.0)
    write(folder / "draft.html", "not shown yet", 130.0)
    write(folder / ".git" / "x.html", "secret", 130.0)
    (folder / "away.html").symlink_to(tmp_path / "outside.html")
    write(tmp_path / "outside.html", "secret", 130.0)
    return folder


def watch(site: Path, tmp_path: Path) -> SiteWatch:
    return SiteWatch([(ORIGIN, str(site))], tmp_path / "watch.sqlite", lambda url: "draft" not in url)


def test_pages_are_listed_by_the_urls_they_have(site: Path, tmp_path: Path) -> None:
    watched = watch(site, tmp_path)
    watched.look(500.0)
    assert [(page.url, page.at) for page in watched.pages()] == [
        (f"{ORIGIN}/", 100.0), (f"{ORIGIN}/guide/", 110.0), (f"{ORIGIN}/guide/a%20b.html", 120.0),
    ]  # fmt: skip
    watched.close()


def test_only_other_bytes_are_a_change_and_their_date_is_the_files(site: Path, tmp_path: Path) -> None:
    watched = watch(site, tmp_path)
    assert len(watched.look(500.0)) == 3
    assert watched.look(501.0) == []
    write(site / "index.html", "start", 200.0)  # written anew without another word
    write(site / "guide" / "index.html", "another guide", 210.0)
    assert [(moved.url, moved.at) for moved in watched.look(502.0)] == [(f"{ORIGIN}/guide/", 210.0)]
    assert [moved.url for moved in watched.since(200.0)] == [f"{ORIGIN}/guide/"]
    assert watched.pages()[0].at == 100.0
    watched.close()


def test_what_is_taken_away_is_told_and_remembered_by_the_next_resident(site: Path, tmp_path: Path) -> None:
    first = watch(site, tmp_path)
    first.look(500.0)
    first.close()
    (site / "guide" / "a b.html").unlink()
    later = watch(site, tmp_path)
    assert [(moved.url, moved.gone) for moved in later.look(600.0)] == [(f"{ORIGIN}/guide/a%20b.html", True)]
    assert later.look(601.0) == []
    write(site / "guide" / "a b.html", "spaces", 700.0)
    assert [(moved.url, moved.gone) for moved in later.look(701.0)] == [(f"{ORIGIN}/guide/a%20b.html", False)]
    later.close()


def test_a_folder_that_is_away_takes_no_page_with_it(site: Path, tmp_path: Path) -> None:
    watched = watch(site, tmp_path)
    watched.look(500.0)
    site.rename(tmp_path / "unmounted")
    assert watched.look(600.0) == []
    (tmp_path / "unmounted").rename(site)
    assert watched.look(700.0) == []
    assert len(watched.pages()) == 3
    watched.close()


def test_only_named_files_are_looked_at(site: Path, tmp_path: Path) -> None:
    watched = watch(site, tmp_path)
    watched.look(500.0)
    write(site / "index.html", "another start", 600.0)
    write(site / "guide" / "index.html", "another guide", 610.0)
    (site / "guide" / "a b.html").unlink()
    named = [site / "guide" / "index.html", site / "guide" / "a b.html", site / ".draft.html", tmp_path / "x.html"]
    assert [(moved.url, moved.at, moved.gone) for moved in watched.look_at(named, 620.0)] == [
        (f"{ORIGIN}/guide/", 610.0, False), (f"{ORIGIN}/guide/a%20b.html", 620.0, True),
    ]  # fmt: skip
    assert watched.look_at(named, 630.0) == []
    assert [moved.url for moved in watched.look(640.0)] == [f"{ORIGIN}/"]
    watched.close()
