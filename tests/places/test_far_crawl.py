"""A crawl by a place in another process, over a NATS server with TLS, ends as one at home does."""

import subprocess
import sys
from pathlib import Path

from neighbours import allow, at_work, crawl_far, join

from folders import consistent, crawl, everything
from whimbrel.places.at.diary import leaves
from whimbrel.places.home.book import PlaceBook
from whimbrel.places.home.telling import place_lines
from whimbrel.repository.contract import Roll
from whimbrel.repository.engines import open_writer
from whimbrel.testing.web import TinyWeb, site


def rolls(folder: Path) -> list[Roll]:
    store = open_writer(folder)
    try:
        return list(store.roster.rolls())
    finally:
        store.close()


def test_a_crawl_at_a_place_equals_the_local_one(tmp_path: Path) -> None:
    folder, place = tmp_path / "far", tmp_path / "place"
    join(folder, place)
    allow(place, requests_per_second="1000")
    with TinyWeb(site(60, 4, seed=3)) as web:
        assert crawl(tmp_path / "local", web.url("/")).why == "finished"
        asked = len(web.log)
        with at_work(place):
            ended = crawl_far(folder, web.url("/"), check_share=0.0)
        assert ended.why == "finished"
        assert len(web.log) == 2 * asked
    assert len(everything(folder)) > 60
    assert everything(folder) == everything(tmp_path / "local")
    consistent(folder)
    left = {url for leaf in leaves(place) for url, _ in leaf.pages}
    assert {row[0] for row in everything(folder)} <= left | {web.url("/robots.txt")}
    booked = PlaceBook(folder).read().places["library"]
    assert booked.seen_at
    assert booked.link_bytes > 1000
    assert booked.visits == len(everything(folder))
    assert booked.site_bytes > booked.link_bytes
    assert booked.round_trip_seconds > 0.0
    assert booked.cores > 0
    assert any("ms from home and back" in line for line in place_lines(booked, booked.seen_at))
    assert [roll.birthplace for roll in rolls(folder)] == ["library"], "nobody starts where nothing is to be done"
    shown = subprocess.run(
        [sys.executable, "-m", "whimbrel", "status", "--why", "127.0.0.1", "--repo", str(folder)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    words = " ".join(shown.stdout.split())
    assert "at place `library`" in words
    assert "ms there and back" in words, "the way there was known before anything was given out"
