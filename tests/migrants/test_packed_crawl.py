"""A crawl whose words are packed on their way ends as any other; only the bytes are fewer."""

import asyncio
from pathlib import Path

import pytest
from packed import PackedPipes
from test_channel import crawl_by_pipes, pages

from folders import PATIENCE, check_archives, consistent, crawl, everything, rows
from whimbrel import api
from whimbrel.config import load
from whimbrel.flows.refresh.course import RefreshWish
from whimbrel.migrants.home.ending import RunEnd
from whimbrel.migrants.wire.channel import HouseRules
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

READ = "SELECT u.url, v.status, v.mime, v.charset, v.language, v.title, v.canonical, v.size, v.etag, r.packed"

MOST_QUIET = 4_500
"""Bytes for forty pages that have not changed, each in a parcel of its own as on a machine with too much to do; asked
for one by one they take four times as many."""
FROM = "FROM version v JOIN url u ON u.version = v.id LEFT JOIN reading r ON r.version = v.id"


def read(folder: Path) -> list[tuple[object, ...]]:
    return sorted(rows(folder, f"{READ} {FROM}"), key=str)


def counted(folder: Path) -> list[tuple[object, ...]]:
    return sorted(rows(folder, "SELECT url, occurrences FROM url"), key=str)


def refresh_by_pipes(folder: Path, pipes: PackedPipes) -> RunEnd:
    settings = load(Path("/dev/null"), {}, {"crawl.migrants": 1})
    refreshing = api.open_refresh(settings, folder, RefreshWish(everything=True), carrier=pipes)

    async def run() -> RunEnd:
        ended = await api.run_refresh(refreshing)
        await pipes.ended()
        return ended

    try:
        return asyncio.run(asyncio.wait_for(run(), PATIENCE))
    finally:
        refreshing.opened.store.close()


@pytest.mark.parametrize("migrants", [1, 2])
def test_a_packed_crawl_equals_the_local_one(tmp_path: Path, migrants: int) -> None:
    pipes = PackedPipes(tmp_path / "held-home", tmp_path / "held-place")
    with TinyWeb(pages()) as web:
        assert crawl(tmp_path / "local", web.url("/start"), migrants=str(migrants)).why == "finished"
        assert crawl_by_pipes(tmp_path / "packed", pipes, web.url("/start"), migrants=str(migrants)).why == "finished"
    assert everything(tmp_path / "packed") == everything(tmp_path / "local")
    assert read(tmp_path / "packed") == read(tmp_path / "local")
    if migrants == 1:
        assert counted(tmp_path / "packed") == counted(tmp_path / "local")
    consistent(tmp_path / "packed")
    check_archives(tmp_path / "packed")


def test_assets_and_sitemaps_come_home_packed_too(tmp_path: Path) -> None:
    site = pages() | {
        "/start": "<title>start</title><link rel=stylesheet href=/look.css><p>begin <a href='/'>the others</a>",
        "/look.css": Reply(b"body { background: url(/shore.png) }", content_type="text/css"),
        "/shore.png": Reply(bytes(range(256)) * 9, content_type="image/png"),
        "/sitemap.xml": Reply(b"<urlset><url><loc>/unlinked</loc></url></urlset>", content_type="application/xml"),
    }
    pipes = PackedPipes(tmp_path / "held-home", tmp_path / "held-place")
    with TinyWeb(site) as web:
        listing = f"<urlset><url><loc>{web.url('/page/7?x')}</loc></url></urlset>".encode()
        web.pages["/sitemap.xml"] = Reply(listing, content_type="application/xml")
        assert crawl(tmp_path / "local", web.url("/start"), assets=True).why == "finished"
        assert crawl_by_pipes(tmp_path / "packed", pipes, web.url("/start"), assets=True).why == "finished"
    assert "/shore.png" in str(everything(tmp_path / "local"))
    assert everything(tmp_path / "packed") == everything(tmp_path / "local")
    check_archives(tmp_path / "packed")


def test_a_cable_cut_in_the_middle_of_a_packed_crawl_loses_nothing(tmp_path: Path) -> None:
    pipes = PackedPipes(tmp_path / "held-home", tmp_path / "held-place", cut_after=4)
    with TinyWeb(pages()) as web:
        crawl(tmp_path / "local", web.url("/start"))
        assert crawl_by_pipes(tmp_path / "packed", pipes, web.url("/start")).why == "finished"
    assert len(pipes.journeys) == 2
    assert everything(tmp_path / "packed") == everything(tmp_path / "local")
    consistent(tmp_path / "packed")


def living(changed: bytes = b"") -> dict[str, Reply]:
    """Pages with validators; one of them says something else now."""
    words = " ".join(f"word{number * 7919 % 1009}" for number in range(600))
    links = "".join(f"<a href='/{number}'>{number}</a> " for number in range(40))
    return {
        f"/{number}": Reply(
            f"<title>{number}</title><p>{words} {number}</p>{links}".encode() + (changed if number == 7 else b""),
            etag=f'"{number}-{len(changed) if number == 7 else 0}"',
        )
        for number in range(40)
    }


@pytest.mark.parametrize("lost", ["", "home", "place"])
def test_a_refresh_carries_only_what_changed(tmp_path: Path, lost: str) -> None:
    """Also where one side has lost what both held: then it comes whole once more."""
    folder, held = tmp_path / "folder", {side: tmp_path / f"held-{side}" for side in ("home", "place")}
    with TinyWeb(living()) as web:
        first = PackedPipes(held["home"], held["place"])
        assert crawl_by_pipes(folder, first, web.url("/0")).why == "finished"
        web.pages.update(living(b"<p>The tide has turned."))
        if lost:
            for file in held[lost].iterdir():
                file.unlink()
        again = PackedPipes(held["home"], held["place"])
        assert refresh_by_pipes(folder, again).why == "finished"
        assert crawl(tmp_path / "local", web.url("/0")).why == "finished"
    assert read(folder) == read(tmp_path / "local")
    assert lost or again.up < MOST_QUIET


def test_nothing_changed_takes_a_few_bytes_a_page(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    with TinyWeb(living()) as web:
        pipes = [PackedPipes(tmp_path / "home", tmp_path / "place") for _ in range(2)]
        crawl_by_pipes(folder, pipes[0], web.url("/0"))
        asked = len(web.log)
        assert refresh_by_pipes(folder, pipes[1]).why == "finished"
        assert len(web.log) >= asked + 40
    assert pipes[1].up < MOST_QUIET


def test_a_site_is_read_from_its_files_once_its_server_has_shown_them(tmp_path: Path) -> None:
    """A draft that the server does not show is asked of the server, and so never leaves."""
    site = tmp_path / "site"
    site.mkdir()
    for path, reply in living().items():
        (site / f"{path[1:]}").write_bytes(reply.body)
    (site / "7").write_bytes(b"<p>a draft")
    with TinyWeb(living()) as web:
        house = HouseRules(folders=((web.url("/"), str(site)),), shown=str(tmp_path / "shown.sqlite"))
        pipes = [PackedPipes(tmp_path / "home", tmp_path / "place", house=house) for _ in range(2)]
        crawl_by_pipes(tmp_path / "folder", pipes[0], web.url("/0"))
        assert crawl(tmp_path / "local", web.url("/0")).why == "finished"
        assert everything(tmp_path / "folder") == everything(tmp_path / "local")
        asked = len(web.log)
        assert refresh_by_pipes(tmp_path / "folder", pipes[1]).why == "finished"
        paths = [request.path for request in web.log[asked:]]
    assert "/7" in paths
    assert len(paths) < 30  # some are checked once more, by chance; of forty, fewer than so many in any run
