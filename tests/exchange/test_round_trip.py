"""Out as an archive and in again, with everything that a folder gathers over the years."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from test_import import exported, take

from grown_folder import Served, grow, page, small_world
from whimbrel.records.url import Url
from whimbrel.repository.embedded.reader import Reader
from whimbrel.repository.members import members
from whimbrel.repository.views import Selection

A = "http://a.example"
ANY = Selection(outcomes=("fetched", "unchanged", "duplicate", "gone", "redirected", "refused"))


def years(seed: int) -> list[dict[str, Served]]:
    """A world that changes: texts, twins that part and join, pages that go, move and come back, pictures redrawn."""
    chance, worlds = Random(seed), [small_world()]
    for number in range(1, 5):
        world = dict(worlds[-1])
        for url in sorted(url for url in world if not url.endswith(("/", "/moved"))):
            match chance.randrange(9):
                case 0:
                    world[url] = _changed(url, f"edition {number} of {url}")
                case 1:
                    world[url] = Served(b"gone", 404)
                case 2:
                    world[url] = small_world()[url]  # as it was at first
                case 3:
                    world[url] = Served(b"", 301, location="/deep/1")
                case 4:
                    world[url] = _changed(url, f"the same words in edition {number}")
        worlds.append(world)
    return worlds


def _changed(url: str, words: str) -> Served:
    if url.endswith(".svg"):
        return Served(f"<svg>{words}</svg>".encode(), mime="image/svg+xml")
    return Served(page(words, ["/deep/2"]), zipped="zipped" in url)


def histories(folder: Path) -> Mapping[str, list[tuple[str, str, float]]]:
    """The versions of each URL, oldest first: digest, title and moment."""
    with Reader(folder) as reader:
        urls = [listed.url for listed in reader.urls(ANY) if listed.mime]
        return {url: [(v.digest.hex(), v.title, round(v.at, 3)) for v in reader.versions(url)] for url in urls}


def states(folder: Path) -> list[tuple[object, ...]]:
    """What became of each URL that was answered. Answers that nothing changed are in no archive: to a reader of one,
    a page that was looked at again and one that was fetched are the same."""
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as database:
        rows = database.execute(
            "SELECT u.url, u.depth, iif(u.outcome = 'unchanged', 'fetched', u.outcome), u.asset, hex(v.digest),"
            " v.title, s.url, t.url FROM url u LEFT JOIN version v ON v.id = u.version"
            " LEFT JOIN twins w ON u.outcome = 'duplicate' AND w.id = v.twins LEFT JOIN url s ON s.id = w.survivor"
            " LEFT JOIN url t ON u.outcome = 'redirected' AND t.id = u.target WHERE u.status > 0 ORDER BY u.url"
        )
        return rows.fetchall()


def told(folder: Path) -> list[tuple[object, ...]]:
    """The changes that were noted. A replaced picture is noted for itself and for the page by which it was found: which
    page that was is in no archive."""
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as database:
        query = (
            "SELECT u.url, c.what, round(c.at, 3) FROM change c JOIN url u ON u.id = c.url"
            " WHERE c.kinds != 'image' OR u.asset ORDER BY 1, 3"
        )
        return database.execute(query).fetchall()


def told_of_pictures(folder: Path, *, asset: int) -> set[float]:
    """The moments at which a replaced picture was told: for itself, or for the page that shows it."""
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as database:
        query = "SELECT c.at FROM change c JOIN url u ON u.id = c.url WHERE c.what = 'changed' AND u.asset = ?"
        return {at for (at,) in database.execute(query + ("" if asset else " AND c.kinds = 'image'"), (asset,))}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", ["warc", "wacz"])
def test_versions_digests_and_order_come_back(tmp_path: Path, seed: int, name: str) -> None:
    grow(tmp_path / "one", *years(seed), seed=seed)
    imported = take(tmp_path / "other", exported(tmp_path / "one", name, tmp_path / "file"))
    assert imported.faults == 0
    before, after = histories(tmp_path / "one"), histories(tmp_path / "other")
    assert max(map(len, before.values())) > 2
    assert after == before
    assert states(tmp_path / "other") == states(tmp_path / "one")
    assert told(tmp_path / "other") == told(tmp_path / "one")
    left_out = told_of_pictures(tmp_path / "one", asset=0)
    assert left_out <= told_of_pictures(tmp_path / "one", asset=1), "nothing else is left out of the comparison"
    with Reader(tmp_path / "one") as one, Reader(tmp_path / "other") as other:
        for url, versions in before.items():
            for mine, theirs in zip(one.versions(Url(url)), other.versions(Url(url)), strict=True):
                assert one.body(Url(url), mine).payload == other.body(Url(url), theirs).payload
            assert one.body(Url(url)).payload == other.body(Url(url)).payload
            assert versions


@pytest.mark.parametrize("seed", range(4))
def test_what_a_folder_has_in_part_is_made_whole(tmp_path: Path, seed: int) -> None:
    """It may hold some years already, the first ones or the last."""
    worlds = years(seed)
    grow(tmp_path / "one", *worlds, seed=seed)
    whole = exported(tmp_path / "one", "warc", tmp_path / "whole.warc.gz")
    history = histories(tmp_path / "one")
    for name, share in (("begun", slice(0, 3)), ("ended", slice(2, None)), ("all", slice(0, None))):
        folder = tmp_path / name
        take(folder, _part(whole, share, tmp_path / f"{name}.warc.gz"))
        held = histories(folder)
        assert take(folder, whole).faults == 0
        assert {url: versions for url, versions in histories(folder).items() if url in history} == history, name
        assert (held == history) == (name == "all")
        with Reader(folder) as reader:
            newest = {page.url: page.digest.hex() for page in reader.pages()}
            assert all(history[url][-1][0] == digest for url, digest in newest.items() if url in history)
        again = take(folder, whole)
        assert (again.versions, dict(again.outcomes), again.faults) == (0, {}, 0)


def _part(archive: Path, share: slice, path: Path) -> Path:
    """The records of some rounds of visits, which are days apart."""
    days: list[str] = []
    with archive.open("rb") as file, path.open("wb") as out:
        for record in members(file, archive.name, archive.stat().st_size):
            if record.kind == "warcinfo":
                continue
            if (day := record.headers["warc-date"][:10]) not in days:
                days.append(day)
            if days.index(day) in range(*share.indices(99)):
                out.write(record.member)
    return path
