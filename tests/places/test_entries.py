"""Pages that a place tells by their index entries first: home finds them, says where they are, and asks for them."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from neighbours import at_work, crawl_far, join

from folders import crawl, everything
from whimbrel.flows.entries import EntryBook
from whimbrel.places.at.diary import leaves
from whimbrel.records.entry import ENTRY_RULE
from whimbrel.repository.engines import open_reader
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.contract import Answer
from whimbrel.testing.web import TinyWeb

BIRDS = ("whimbrel", "curlew", "godwit", "sanderling", "turnstone", "avocet")
PLAIN = "The birds of this shore walk along the water and look for what the tide has left behind for them today. "


def page(bird: str, said: str = "") -> bytes:
    links = "".join(f'<li><a href="/{other}.html">{other}</a></li>' for other in BIRDS)
    return (
        f"<html lang=en><head><title>The {bird}</title><meta name=description content='All that is known of the {bird}"
        f" and of where it spends the winter, by those who counted it.'></head><body><nav><ul>{links}</ul></nav>"
        f"<h1>The {bird}</h1><p>{PLAIN * 8}</p><h2>Migration of the {bird}</h2><p>{PLAIN}{said}</p></body></html>"
    ).encode()


def birds() -> dict[str, bytes]:
    return {"/": page("shore"), **{f"/{bird}.html": page(bird, f"{bird} {bird}") for bird in BIRDS}}


@pytest.fixture
def entered(tmp_path: Path) -> Iterator[tuple[Path, TinyWeb]]:
    """A folder that crawled a site by a place, entries first."""
    folder, place = tmp_path / "far", tmp_path / "place"
    join(folder, place)
    with TinyWeb(birds()) as web, at_work(place):
        end = crawl_far(folder, web.url("/"), entries_first=True, check_share=0.0)
        assert end.why == "finished"
        yield folder, web


def found(folder: Path, words: str) -> Answer:
    with Indexer(folder) as indexer:
        indexer.catch_up()
    with Searcher(folder) as searcher:
        return searcher.answer(parse(words), 1, 10, now=1e9)


def outcomes(folder: Path) -> dict[str, tuple[str, str]]:
    with open_reader(folder) as reader:
        return {one.url.rpartition("/")[2]: (one.outcome, one.rule) for one in reader.urls() if "xml" not in one.url}


def test_pages_are_known_by_their_entries_and_counts_add_up(entered: tuple[Path, TinyWeb], tmp_path: Path) -> None:
    folder, web = entered
    known = outcomes(folder)
    assert known[""] == ("fetched", ""), "what was named comes whole"
    assert {known[f"{bird}.html"] for bird in BIRDS} == {("refused", ENTRY_RULE)}
    with open_reader(folder) as reader:
        counts = reader.overview().counts
        assert counts.pages == 1
        assert sum(counts.states.values()) == counts.known == len(list(reader.urls()))
    assert EntryBook(folder).count() == len(BIRDS)
    crawl(tmp_path / "local", web.url("/"))
    assert {row[0] for row in everything(tmp_path / "local")} == {row[0] for row in everything(folder)}
    whole = sum(len(body) for path, body in birds().items() if path != "/")
    left = list(leaves(tmp_path / "place"))
    assert sum(leaf.bytes for leaf in left) < whole
    shown = {url.rpartition("/")[2]: how for leaf in left for url, how in leaf.pages}
    assert {shown[f"{bird}.html"] for bird in BIRDS} == {"index entry"}, "the owner sees what left"


def test_a_search_finds_an_entry_and_says_where_its_body_is(entered: tuple[Path, TinyWeb]) -> None:
    folder, web = entered
    answer = found(folder, "godwits migration")
    assert [hit.url for hit in answer.elsewhere] == [web.url("/godwit.html")]
    hit = answer.elsewhere[0]
    assert (hit.title, hit.place, answer.all_elsewhere) == ("The godwit", "library", 1)
    assert hit.about.startswith("All that is known of the godwit")
    assert len(found(folder, "migration").elsewhere) == 5
    assert found(folder, "migration").all_elsewhere == len(BIRDS)
    assert not found(folder, "godwit -migration").elsewhere
    assert not found(folder, "godwit site:elsewhere.example").elsewhere
    assert not found(folder, "pelican").elsewhere
    printed = subprocess.run(
        [sys.executable, "-m", "whimbrel", "search", "godwit", "--repo", str(folder)],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert "Not here, found by an index entry alone: 1 page" in printed
    assert "its body is at place library" in printed


def test_the_body_comes_when_it_is_asked_for_and_the_entry_goes(entered: tuple[Path, TinyWeb]) -> None:
    folder, web = entered
    assert crawl_far(folder, web.url("/godwit.html"), entries_first=True, check_share=0.0).why == "finished"
    assert outcomes(folder)["godwit.html"] == ("fetched", "")
    answer = found(folder, "godwit migration")
    assert web.url("/godwit.html") in [hit.url for hit in answer.hits]
    assert not answer.elsewhere
    assert EntryBook(folder).count() == len(BIRDS) - 1


def test_a_page_that_is_gone_takes_its_entry_along(entered: tuple[Path, TinyWeb]) -> None:
    folder, web = entered
    web.pages = {path: body for path, body in birds().items() if "curlew" not in path}
    crawl_far(folder, web.url("/curlew.html"), entries_first=True, check_share=0.0)
    assert outcomes(folder)["curlew.html"][0] in ("failed", "gone")
    assert not found(folder, "curlew").elsewhere


def test_without_the_setting_or_the_place_all_bodies_come(entered: tuple[Path, TinyWeb], tmp_path: Path) -> None:
    """Home has no place any more, as after `places revoke`; the setting is taken back."""
    folder, web = entered
    revoked = subprocess.run(
        [sys.executable, "-m", "whimbrel", "places", "revoke", "library", "--repo", str(folder)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert revoked.returncode == 0, revoked.stderr
    assert crawl_far(folder, web.url("/avocet.html"), entries_first=True, check_share=0.0).why == "finished"
    assert outcomes(folder)["avocet.html"] == ("fetched", ""), "asked of the site by home itself"
    assert crawl_far(folder, check_share=0.0).why == "finished"
    assert {name: one for name, one in outcomes(folder).items() if one != ("fetched", "")} == {}
    assert EntryBook(folder).count() == 0


def test_what_is_forgotten_has_no_entry_either(entered: tuple[Path, TinyWeb]) -> None:
    folder, web = entered
    command = [sys.executable, "-m", "whimbrel", "forget", web.url("/avocet.html"), "--yes", "--repo", str(folder)]
    subprocess.run([*command, "--json"], capture_output=True, check=True)
    assert not found(folder, "avocet").elsewhere
    assert b"avocet" not in (folder / "entries.sqlite").read_bytes()
    told = subprocess.run(
        [sys.executable, "-m", "whimbrel", "search", "godwit", "--json", "--repo", str(folder)],
        capture_output=True, check=True,
    )  # fmt: skip
    assert json.loads(told.stdout)["elsewhere"][0]["place"] == "library"
