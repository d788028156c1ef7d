"""The resident tells what changed in the owner's folders, and writes what the owner gets for it."""

import asyncio
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

from whimbrel.fetch.folder_events import FolderEvents
from whimbrel.fetch.from_files import AsServed, ShownBook
from whimbrel.fetch.site_watch import PageMoved
from whimbrel.places.at import resident as resident_module
from whimbrel.places.at.dead_links import MissingBook
from whimbrel.places.at.gifts import DEAD_LINKS, FEED, FOLDER, SITEMAP, sitemaps
from whimbrel.places.at.resident import MOST_NOTICED, SHOWN, Resident, notices
from whimbrel.places.link.calls import Notice
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome, Visit
from whimbrel.urls.normal import key

ORIGIN = "http://docs.example"
NAMES = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9", "a": "http://www.w3.org/2005/Atom"}


def write(path: Path, text: str, at: float) -> None:
    path.write_text(text)
    os.utime(path, (at, at))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    site.mkdir()
    for name in ("tide.html", "draft.html"):
        write(site / name, name, 1_700_000_000.0)
    folder = tmp_path / "place"
    folder.mkdir()
    book = ShownBook(folder / SHOWN)
    book.put(Url(f"{ORIGIN}/tide.html"), AsServed(True, b"HTTP/1.1 200 OK", False, False))
    book.put(Url(f"{ORIGIN}/draft.html"), AsServed(False, b"HTTP/1.1 404 Not Found", False, False))
    book.close()
    return folder


def resident(place: Path, told: list[Notice]) -> Resident:
    return Resident([(ORIGIN, str(place.parent / "site"))], place, told.append)


def test_changes_are_told_and_listed_and_drafts_are_not(place: Path) -> None:
    watching = resident(place, [])
    watching.look(1_700_000_100.0)
    write(place.parent / "site" / "tide.html", "another tide", 1_700_000_200.0)
    write(place.parent / "site" / "draft.html", "another draft", 1_700_000_200.0)
    (notice,) = notices(watching.look(1_700_000_201.0), 1_700_000_201.0)
    assert notice == Notice("docs.example", [f"{ORIGIN}/tide.html"], 1_700_000_201.0)
    assert [moved.url for moved in watching.since(1_700_000_150.0)] == [f"{ORIGIN}/tide.html"]
    watching.give(1_700_000_201.0)
    assert not watching.owes
    book = ShownBook(place / SHOWN)
    book.put(Url(f"{ORIGIN}/reef.html"), AsServed(True, b"HTTP/1.1 200 OK", False, False))
    book.close()
    assert watching.owes, "a page that is shown from now on is listed"
    watching.give(1_700_000_202.0)
    assert not watching.owes
    watching.close()
    below = place / FOLDER / "docs.example"
    listed = ElementTree.fromstring((below / SITEMAP).read_text())
    assert [loc.text for loc in listed.iterfind(".//s:loc", NAMES)] == [f"{ORIGIN}/tide.html"]
    assert [date.text for date in listed.iterfind(".//s:lastmod", NAMES)] == ["2023-11-14T22:16:40Z"]
    entries = ElementTree.fromstring((below / FEED).read_text()).findall("a:entry", NAMES)
    assert [entry.findtext("a:title", "", NAMES) for entry in entries] == [f"Changed: {ORIGIN}/tide.html"]


@pytest.mark.parametrize("kernel", [True, False])
def test_a_written_file_is_noticed_while_it_runs(place: Path, kernel: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Told by the kernel, long before all files are looked at again; or by looking, where the kernel does not tell."""
    if kernel:
        monkeypatch.setattr(resident_module, "TOLD_LOOK_SECONDS", 86_400.0)
        monkeypatch.setattr(resident_module, "LOOK_SECONDS", 86_400.0)
    else:
        monkeypatch.setattr(resident_module, "FolderEvents", _deaf)
        monkeypatch.setattr(resident_module, "LOOK_SECONDS", 0.1)
    said: list[str] = []

    async def run() -> list[Notice]:
        told: asyncio.Queue[Notice] = asyncio.Queue()
        watching = Resident([(ORIGIN, str(place.parent / "site"))], place, told.put_nowait, say=said.append)
        running = asyncio.create_task(watching.run())
        first = await told.get()
        write(place.parent / "site" / "tide.html", "another tide", 1_700_000_200.0)
        second = await asyncio.wait_for(told.get(), 120)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        return [first, second]

    assert [notice.urls for notice in asyncio.run(run())] == [[f"{ORIGIN}/tide.html"]] * 2
    assert len(said) == (0 if kernel else 1)


def _deaf(roots: list[Path]) -> FolderEvents:
    raise OSError(28, "no space left on device")


def test_many_pages_are_told_and_listed_in_several() -> None:
    pages = [PageMoved(Url(f"{ORIGIN}/{number}.html"), float(number), False) for number in range(MOST_NOTICED + 1)]
    assert [len(notice.urls) for notice in notices(pages, 5.0)] == [MOST_NOTICED, 1]
    files = sitemaps(pages, most=600)
    assert sorted(files) == ["sitemap-1.xml", "sitemap-2.xml", "sitemap.xml"]
    index = ElementTree.fromstring(files["sitemap.xml"])
    assert [loc.text for loc in index.iterfind(".//s:loc", NAMES)] == [f"{ORIGIN}/{name}" for name in sorted(files)[:2]]


def answered(path: str, status: int) -> Visit:
    url = Url(f"{ORIGIN}/{path}")
    return Visit(key(url), url, 1, Outcome.GONE if status == 404 else Outcome.FETCHED, "", "", status, 1000.0, 10)


def test_links_that_lead_nowhere_are_listed_with_the_pages_that_hold_them(place: Path) -> None:
    """What no page of the folder links to is not listed, nor is a link of a draft; and what comes back is forgotten."""
    site = place.parent / "site"
    write(site / "tide.html", '<a href="old.html#top">old</a> <a href="/new.html">new</a>', 1_700_000_200.0)
    write(site / "draft.html", '<a href="old.html">old</a>', 1_700_000_200.0)
    missing = MissingBook(place)
    missing.hear([answered("old.html", 404), answered("other.html", 404), answered("new.html", 200)])
    watching = Resident([(ORIGIN, str(site))], place, lambda notice: None, MissingBook(place))
    watching.look(1_700_000_300.0)
    watching.give(1_700_000_300.0)
    written = place / FOLDER / "docs.example" / DEAD_LINKS
    assert written.read_text() == f"{ORIGIN}/old.html\n    {ORIGIN}/tide.html\n"
    watching.close()
    watching = Resident([(ORIGIN, str(site))], place, lambda notice: None, missing)
    watching.give(1_700_000_301.0)
    assert not watching.owes
    missing.hear([answered("old.html", 200)])
    assert watching.owes
    watching.give(1_700_000_302.0)
    assert written.read_text() == ""
    watching.close()
