"""A collection of fixed size: the most important pages stay, and never more than asked for."""

import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands import Ask
from folders import check_archives, consistent, crawl, finish, outcomes, rows, start
from whimbrel.config import ConfigError
from whimbrel.flows.collecting.collection import Collecting
from whimbrel.flows.collecting.link_file import NAME, LinkFile
from whimbrel.flows.collecting.ranking import ranked
from whimbrel.rank.pagerank import pagerank
from whimbrel.repository.contract import RepositoryError
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.build.indexer import Indexer
from whimbrel.testing.reply import Page, Request
from whimbrel.testing.web import TinyWeb

LEAVES, HUBS = 40, 4
SIZE = HUBS + 1


def manual() -> dict[str, Page]:
    """The start page lists leaves first; every leaf leads to the hubs, which matter most and are met last."""
    hubs = [f"/hub{number}.html" for number in range(HUBS)]
    leaves = [f"/leaf{number}.html" for number in range(LEAVES)]
    pages = {"/": page("start", *leaves)}
    pages |= {leaf: page(f"leaf {number}", "/", *hubs) for number, leaf in enumerate(leaves)}
    return pages | {hub: page(f"hub{number} hubs", "/", *hubs) for number, hub in enumerate(hubs)}


def page(name: str, *links: str) -> str:
    text = " ".join(f"{name}{number}" for number in range(60))
    return f"<title>{name}</title><p>{name} {text}</p>" + "".join(f'<a href="{link}">{link}</a>' for link in links)


def held(folder: Path) -> set[str]:
    return {path for path, outcome in outcomes(folder).items() if outcome == "fetched"}


BEST = {"/", *(f"/hub{number}.html" for number in range(HUBS))}


# Ranks.


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.integers(0, 11), max_size=6), min_size=1, max_size=12))
def test_ranks_are_those_of_the_links_among_what_is_known(
    tmp_path_factory: pytest.TempPathFactory, out: list[list[int]]
) -> None:
    """Pages 0 to n were visited, the others wait; some links lead to what is neither."""
    links = LinkFile(tmp_path_factory.mktemp("links"))
    links.note((source, [*targets, 99]) for source, targets in enumerate(out))
    waiting = np.arange(len(out), 12)
    found = ranked(links, waiting).of(np.arange(12))
    links.close()
    pairs = [(source, target) for source, targets in enumerate(out) for target in set(targets) - {source}]
    sources, targets = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    assert np.abs(found - pagerank(sources, targets, 12)).max() < 1e-5
    assert found.sum() == pytest.approx(1.0)


def test_of_what_left_only_what_belongs_here_comes_back(tmp_path: Path) -> None:
    links = LinkFile(tmp_path)
    links.note([(1, [5, 6, 7]), (2, [5, 6]), (3, [5])])
    pages = Collecting(2, links)
    chosen = pages.rank(np.array([6, 7]), np.array([5]), np.array([1, 2]), 1)
    assert chosen.keys == [5, 6]
    assert 0.5 < chosen.missing <= 1.0
    assert pages.outranks(5, lambda _: True)
    assert not pages.outranks(99, lambda _: True), "what nobody links to is the least"
    assert pages.let_go(lambda key: key != 1) == 2
    links.close()


def test_links_that_were_written_can_be_asked_for(tmp_path: Path) -> None:
    links = LinkFile(tmp_path)
    links.note([(1, [3, 2, 3, 1]), (-5, [])])
    links.note([(1, [4])])
    assert (links.led_to(1), links.led_to(-5), links.led_to(9)) == ([4], [], [])
    assert (list(links.sources()), links.count()) == ([-5, 1], 2)
    links.close()


def test_a_file_of_links_that_is_none_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"no database" * 200)
    with pytest.raises(RepositoryError, match="remove it"):
        LinkFile(tmp_path)


# Crawls.


def test_the_most_important_pages_are_held_and_the_others_known(tmp_path: Path, ask: Ask) -> None:
    with TinyWeb(manual()) as web:
        ended = crawl(tmp_path, web.url("/"), collection=SIZE)
        assert "most important" in ended.words
    assert held(tmp_path) == BEST
    became = outcomes(tmp_path)
    assert set(became.values()) <= {"fetched", "refused:collection", "discovered"}
    assert sum(value == "refused:collection" for value in became.values()) >= SIZE - 1, "those that made room"
    consistent(tmp_path)
    told = ask("pages", "--outcome", "refused", "--repo", tmp_path).stdout
    assert "less important than the 5 pages that are kept" in told
    status = json.loads(ask("status", "--json", "--repo", tmp_path).stdout)
    assert (status["pages"], status["collection"]) == (SIZE, SIZE)
    assert status["unseen"][0]["reason"] in ("collection", "due")
    shown = ask("status", "--repo", tmp_path).stdout
    assert "5 of 5, the most important of the pages known" in shown


def test_what_left_goes_with_the_next_prune_and_from_the_index(tmp_path: Path, ask: Ask) -> None:
    with TinyWeb(manual()) as web:
        crawl(tmp_path, web.url("/"), collection=SIZE)
        left = "SELECT count(*) FROM version v JOIN url u ON u.id = v.url WHERE u.rule = 'collection'"
        assert int(str(rows(tmp_path, left)[0][0])) > 0
        with Indexer(tmp_path) as indexer:
            indexer.catch_up()
        with Searcher(tmp_path) as searcher:
            assert len(searcher.answer(parse("hubs")).hits) == HUBS
            assert [hit.title for hit in searcher.answer(parse("leaf")).hits] == ["start"], "which links to them"
        gone = ask("prune", "--keep", "3", "--repo", tmp_path)
        assert gone.returncode == 0
        assert rows(tmp_path, left) == [(0,)]
        check_archives(tmp_path)
        consistent(tmp_path)
        crawl(tmp_path, collection=SIZE)
    assert held(tmp_path) == BEST


def test_a_smaller_collection_sheds_and_a_larger_one_grows(tmp_path: Path, ask: Ask) -> None:
    with TinyWeb(manual()) as web:
        crawl(tmp_path, web.url("/"), limit=20)
        assert len(held(tmp_path)) == 20
        finish(tmp_path, "--collection", "5")
        assert held(tmp_path) == BEST
        finish(tmp_path, "--collection", "9")
        assert held(tmp_path) > BEST
        assert len(held(tmp_path)) == 9
        assert json.loads(ask("crawl", "--dry-run", "--json", "--repo", tmp_path).stdout)["collection"] == 9
        finish(tmp_path, web.url("/"))
        assert len(held(tmp_path)) == LEAVES + HUBS + 1, "without the flag the whole site is kept"
    assert rows(tmp_path, "SELECT count(*) FROM url WHERE rule = 'collection'") == [(0,)]


def test_a_site_that_fits_is_kept_whole(tmp_path: Path) -> None:
    with TinyWeb(manual()) as web:
        crawl(tmp_path, web.url("/"), collection=500)
    assert len(held(tmp_path)) == LEAVES + HUBS + 1


def test_who_does_not_ask_for_it_pays_nothing(tmp_path: Path) -> None:
    with TinyWeb(manual()) as web:
        crawl(tmp_path, web.url("/"), limit=3)
    assert not (tmp_path / NAME).exists()


@pytest.mark.parametrize("other", [{"limit": 5}, {"assets": True}, {"like": ["/leaf1.html"]}])
def test_what_does_not_go_together_is_refused(tmp_path: Path, other: dict[str, object]) -> None:
    with TinyWeb(manual()) as web, pytest.raises(ConfigError, match="do not go together"):
        crawl(tmp_path / "folder", web.url("/"), collection=SIZE, **other)
    assert not (tmp_path / "folder").exists()


class Struck(TinyWeb):
    """Kills home when so many requests have come."""

    at = 0
    home = 0

    def _record(self, request: Request) -> int:
        number = super()._record(request)
        if len(self.log) == self.at and self.home:
            os.kill(self.home, signal.SIGKILL)
        return number


@pytest.mark.parametrize("at", [4, 8, 14, 30])
def test_killed_at_any_moment_it_holds_no_more_than_asked_for(tmp_path: Path, at: int) -> None:
    with Struck(manual()) as web:
        web.at = at
        running = start(tmp_path, web.url("/"), "--collection", str(SIZE), "--migrants", "1")
        web.home = running.pid
        running.communicate(timeout=300)
        web.home = 0
        if (tmp_path / "crawl.sqlite").exists():
            assert len(held(tmp_path)) <= SIZE
        finish(tmp_path, web.url("/"), "--collection", str(SIZE))
    assert held(tmp_path) == BEST
    check_archives(tmp_path)


def test_twins_of_a_page_that_leaves_leave_with_it(tmp_path: Path) -> None:
    pages = manual()
    pages["/copy.html"] = pages["/leaf0.html"]
    pages["/"] = page("start", "/leaf0.html", "/copy.html", *(f"/leaf{number}.html" for number in range(1, LEAVES)))
    with TinyWeb(pages) as web:
        crawl(tmp_path, web.url("/"), collection=SIZE)
    became = outcomes(tmp_path)
    assert held(tmp_path) == BEST
    assert {became["/leaf0.html"], became["/copy.html"]} <= {"refused:collection", "discovered"}
    assert rows(tmp_path, "SELECT count(*) FROM twins")[0][0] == SIZE
