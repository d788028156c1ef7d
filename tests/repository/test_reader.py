"""The reading end: what it counts adds up, what it gives back is what was served, also while a crawl writes."""

import asyncio
from pathlib import Path

import pytest

from grown_folder import SEED, grow, pages_of, small_world
from whimbrel.api import crawl
from whimbrel.flows.copies import DecodedCopy, decoded
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.records.visit import Outcome
from whimbrel.repository.contract import NothingThere
from whimbrel.repository.embedded.reader import Reader
from whimbrel.repository.views import Selection, Site, site_of
from whimbrel.testing.site import site
from whimbrel.testing.web import TinyWeb


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reader") / "folder"
    grow(path, small_world())
    return path


@pytest.fixture
def reader(folder: Path):  # type: ignore[no-untyped-def]
    with Reader(folder) as opened:
        yield opened


def test_states_add_up_and_name_every_outcome(reader: Reader) -> None:
    counts = reader.counts()
    assert sum(counts.states.values()) == counts.known == len(list(reader.urls()))
    assert set(counts.states) == set(Outcome)
    assert counts.pages == len(list(reader.pages(Selection(outcomes=("fetched",), assets=False))))
    assert set(counts.bytes) == {"novel", "duplicate", "not_modified"}


def test_every_page_gives_back_what_was_served(reader: Reader) -> None:
    world = small_world()
    seen = set()
    for page in reader.pages():
        copy = decoded(reader.body(page.url))
        assert isinstance(copy, DecodedCopy)
        assert copy.body == world[page.url].body, page.url
        seen.add(page.url)
    assert seen == pages_of(world)


def test_pages_come_nearest_first_and_twins_name_their_survivor(reader: Reader) -> None:
    pages = list(reader.pages())
    assert [(p.depth, p.url) for p in pages] == sorted((p.depth, p.url) for p in pages)
    twins = {p.url: (p.duplicate_of, p.reason) for p in pages if p.duplicate_of is not None}
    assert twins[Url("http://a.example/copy/2")] == ("http://a.example/near", "same bytes")
    assert twins[Url("http://a.example/clothes")] == ("http://a.example/near", "same text")
    assert all(page.duplicate_of is None for page in pages if page.outcome != "duplicate")


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection(rules=("robots",)), {"http://a.example/private/x"}),
        (Selection(outcomes=("redirected",)), {"http://a.example/moved"}),
        (Selection(outcomes=("failed",), match="gone$"), {"http://a.example/gone"}),
        (Selection(outcomes=("out_of_scope",)), {"http://c.example/"}),
        (
            Selection(site=Site("b.example")),
            {"http://b.example/", "http://b.example/copy", "http://b.example/zipped"},
        ),
        (Selection(site=Site("b.example", "b.example:81")), set()),
        (Selection(site=Site("nowhere.example")), set()),
        (Selection(assets=True), {"http://a.example/look.svg", "http://a.example/again.svg"}),
        (Selection(limit=1), {SEED}),
        (Selection(limit=0), set()),
    ],
)
def test_choosing(reader: Reader, selection: Selection, expected: set[str]) -> None:
    assert {one.url for one in reader.urls(selection)} == expected


def test_all_about_one_url(reader: Reader) -> None:
    detail = reader.detail(Url("http://a.example/copy/2"))
    assert detail.via == ("http://a.example/deep/2", "http://a.example/deep/1", SEED)
    assert detail.listed.duplicate_of == "http://a.example/near"
    assert "http://a.example/near" in detail.twins
    assert len(detail.versions) == 1
    assert detail.due_at is None
    assert reader.detail(Url("http://a.example/moved")).target == "http://a.example/deep/1"


def test_what_is_not_there_is_said(reader: Reader, tmp_path: Path) -> None:
    with pytest.raises(NothingThere, match="not known"):
        reader.detail(Url("http://a.example/never"))
    with pytest.raises(NothingThere, match="no copy"):
        reader.body(Url("http://a.example/private/x"))
    with pytest.raises(NothingThere, match="holds no crawl"):
        Reader(tmp_path / "nothing")


def test_lanes_add_up(reader: Reader) -> None:
    lanes = reader.lanes()
    assert [lane.host for lane in lanes] == ["a.example", "b.example", "c.example"]
    assert sum(lane.known for lane in lanes) == reader.counts().known
    assert sum(lane.kept for lane in lanes) == reader.counts().pages


def test_a_site_is_a_host_or_one_of_its_ports() -> None:
    assert site_of("Example.org") == Site("example.org")
    assert site_of("example.org:8080") == Site("example.org", "example.org:8080")
    assert site_of("https://example.org:8080/x") == Site("example.org", "example.org:8080")
    assert isinstance(site_of("exa mple"), Verdict)
    assert Site("example.org").covers("https://example.org:8080/x")
    assert not Site("example.org", "example.org:80").covers("https://example.org:8080/x")
    assert not Site("example.org").covers("https://www.example.org/")


def test_reading_while_a_crawl_writes(tmp_path: Path) -> None:
    async def run(web: TinyWeb) -> list[int]:
        known = []
        async for _ in crawl([web.url()], repo=tmp_path / "folder"):
            with Reader(tmp_path / "folder") as reader:
                counts = reader.overview().counts
                assert sum(counts.states.values()) == counts.known
                assert sum(1 for _ in reader.pages()) >= counts.pages
                known.append(counts.known)
        return known

    with TinyWeb(site(pages=25, duplicates=3, missing=2)) as web:
        known = asyncio.run(run(web))
    assert known == sorted(known)
    with Reader(tmp_path / "folder") as reader:
        assert reader.counts().pages == 25
