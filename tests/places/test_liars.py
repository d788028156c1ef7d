"""A place that lies is found in a real crawl, and its site fetched from home; an honest one is believed."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from neighbours import allow, at_work, crawl_far, join

from folders import crawl, everything
from whimbrel.places.home.book import PlaceBook
from whimbrel.places.home.said import whose_word
from whimbrel.repository.engines import open_reader
from whimbrel.testing.reply import Page, Reply, Request
from whimbrel.testing.web import TinyWeb, site
from whimbrel.urls.normal import key

COUNTER = iter(range(10**9))


def told_to_the_place(request: Request) -> bool:
    """Migrants at places ask for identity coding, and home does not: so the test knows whom it answers."""
    return request.headers.get("accept-encoding") == "identity"


def lying(page: Page) -> Page:
    """As if the place altered what it was shown."""
    assert isinstance(page, Reply)
    altered = Reply(page.body.replace(b"</body>", b"<p>Buy feathers at the lagoon.</p></body>"))
    return lambda request: altered if told_to_the_place(request) else page


def turning(page: Page) -> Page:
    """Another advertisement for everybody, each time."""
    assert isinstance(page, Reply)
    return lambda request: Reply(
        page.body.replace(b"</body>", f"<p>Offer {next(COUNTER)} of wader</p></body>".encode())
    )


@contextmanager
def at_a_place(tmp_path: Path, pages: dict[str, Page], **options: object) -> Iterator[tuple[Path, TinyWeb]]:
    folder, place = tmp_path / "far", tmp_path / "place"
    join(folder, place)
    allow(place, requests_per_second="1000")
    with TinyWeb(pages) as web, at_work(place):
        assert crawl_far(folder, web.url("/"), **options).why == "finished"
        yield folder, web


def test_a_place_that_alters_a_tenth_is_found_and_its_site_fetched_from_home(tmp_path: Path) -> None:
    honest = site(400, 4, seed=7)
    pages = {path: lying(page) if number % 10 == 3 else page for number, (path, page) in enumerate(honest.items())}
    with at_a_place(tmp_path, pages, check_share=0.08) as (folder, web):
        crawl(tmp_path / "local", web.url("/"))
    trust = PlaceBook(folder).read().places["library"].trust
    assert trust.differed >= 3
    assert "not what it sent" in trust.doubt
    assert trust.fetched <= 500
    ours, locally = everything(folder), everything(tmp_path / "local")
    assert [(row[0], row[1], row[5]) for row in ours] == [(row[0], row[1], row[5]) for row in locally], "as home saw it"
    listed = subprocess.run(
        [sys.executable, "-m", "whimbrel", "places", "--repo", str(folder)], capture_output=True, text=True, check=True
    )
    assert "not believed" in listed.stdout
    with open_reader(folder) as reader:
        named = [url for url in trust.unlike if "robots" not in url]
        words = [
            [whose_word(folder, key(url), version.at) for version in reader.versions(url)]  # type: ignore[arg-type]
            for url in named
        ]
    why = subprocess.run(
        [sys.executable, "-m", "whimbrel", "status", "--why", "127.0.0.1", "--repo", str(folder)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "not believed" in why.stdout
    told = subprocess.run(
        [sys.executable, "-m", "whimbrel", "pages", named[-1], "--json", "--repo", str(folder)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert '"place": "library"' in told.stdout
    assert ["library", ""] in words, "its word is still known as its word"


def test_pages_that_turn_over_by_themselves_put_nobody_in_doubt(tmp_path: Path) -> None:
    pages = {path: turning(page) for path, page in site(40, 4, seed=8).items()}
    with at_a_place(tmp_path, pages, check_share=1.0) as (folder, _):
        pass
    trust = PlaceBook(folder).read().places["library"].trust
    assert not trust.doubt
    assert trust.differed == 0
    assert trust.checked + trust.unsteady >= 40
