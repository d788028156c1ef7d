"""A filter of pages is asked at the place: what it refuses never travels, and the result is the same."""

from pathlib import Path

from neighbours import allow, at_work, crawl_far, join

from folders import consistent, crawl, everything
from whimbrel.places.at.diary import leaves
from whimbrel.places.home.book import PlaceBook
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb


def pages() -> dict[str, Reply]:
    """Every tenth page is short; the others are long and do not pack well."""
    found = {"/": Reply("".join(f"<a href=/{at}>{at}</a>" for at in range(40)).encode())}
    for at in range(40):
        words = " ".join(f"{at * 7919 + word * 104729:x}" for word in range(20 if at % 10 == 0 else 2000))
        found[f"/{at}"] = Reply(f"<title>Page {at}</title><p>{words}</p>".encode())
    return found


def test_what_a_filter_refuses_at_a_place_does_not_travel(tmp_path: Path) -> None:
    keep = "page.words < 100 && page.depth == 1"
    folder, place = tmp_path / "far", tmp_path / "place"
    join(folder, place)
    allow(place, requests_per_second="1000")
    with TinyWeb(pages()) as web:
        assert crawl(tmp_path / "local", web.url("/"), keep=keep).why == "finished"
        with at_work(place):
            assert crawl_far(folder, web.url("/"), keep=keep).why == "finished"
    assert everything(folder) == everything(tmp_path / "local")
    assert sum(row[2] == "fetched" for row in everything(folder)) == 4
    consistent(folder)
    booked = PlaceBook(folder).read().places["library"]
    assert booked.link_bytes < booked.site_bytes / 10
    assert {url for leaf in leaves(place) for url, _ in leaf.pages}
