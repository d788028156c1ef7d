"""A crawl for pages of one kind: what is kept, what is only followed, and what is said of bad examples."""

import asyncio
from pathlib import Path

import pytest

from folders import consistent, crawl, outcomes, rows
from shop_site import item, shop
from whimbrel import api
from whimbrel.api import SeedError
from whimbrel.config import load
from whimbrel.testing.web import Page, Reply, TinyWeb


def kept(folder: Path) -> set[str]:
    return {path for path, outcome in outcomes(folder).items() if outcome == "fetched"}


@pytest.mark.parametrize("migrants", [1, 2])
def test_pages_of_the_kind_are_kept_and_all_others_only_followed(tmp_path: Path, migrants: int) -> None:
    with TinyWeb(shop()) as web:
        ended = crawl(tmp_path, web.url("/"), like=[web.url("/item/3"), web.url("/item/8")], migrants=migrants)
    assert ended.why == "finished"
    items = {f"/item/{number}" for number in range(40)}
    assert kept(tmp_path) == items
    others = {path: outcome for path, outcome in outcomes(tmp_path).items() if path not in items}
    assert set(others.values()) == {"refused:structure"}
    reasons = {str(reason) for (reason,) in rows(tmp_path, "SELECT reason FROM url WHERE rule = 'structure'")}
    assert all("built otherwise than asked for" in reason for reason in reasons)
    consistent(tmp_path)


def test_a_limit_counts_pages_of_the_kind_and_few_others_are_asked_for(tmp_path: Path) -> None:
    """Links to items stand in a place of their own: that is learned, and they come first."""
    with TinyWeb(shop(80, 120)) as web:
        ended = crawl(tmp_path, web.url("/"), like=[web.url("/item/3")], limit=60, migrants=1)
        asked = [request.path for request in web.log]
    assert ended.why == "limit"
    assert len(kept(tmp_path)) == 60
    stories = sum(path.startswith("/story/") for path in asked)
    assert stories < 90, f"{stories} stories were asked for on the way to 60 items"


def test_a_second_run_goes_on_with_the_same_request(tmp_path: Path) -> None:
    with TinyWeb(shop()) as web:
        like = [web.url("/item/3")]
        crawl(tmp_path, web.url("/"), like=like, limit=5)
        before = web.count("/item/3")
        crawl(tmp_path, web.url("/"), like=like)
        assert web.count("/item/3") - before <= 1, "the examples were looked at once"
    assert kept(tmp_path) == {f"/item/{number}" for number in range(40)}


SHELL = "<html><head><script src=app.js></script></head><body><div id=root></div></body></html>"


@pytest.mark.parametrize(
    ("path", "page", "words"),
    [
        ("/empty", "", "has no elements"),
        ("/shell", SHELL, "a shell that a script fills"),
        ("/gone", Reply(b"<h1>no</h1>", status=404), "answered 404"),
    ],
)
def test_an_example_that_shows_no_kind_is_refused_with_what_to_do(
    tmp_path: Path, path: str, page: Page, words: str
) -> None:
    with TinyWeb({**shop(5, 5), path: page}) as web, pytest.raises(SeedError, match=words):
        crawl(tmp_path, web.url("/"), like=[web.url(path)])


def test_an_example_that_robots_txt_forbids_is_not_fetched(tmp_path: Path) -> None:
    pages = {**shop(5, 5), "/robots.txt": Reply(b"User-agent: *\nDisallow: /item/", content_type="text/plain")}
    with TinyWeb(pages) as web:
        with pytest.raises(SeedError, match="may not be fetched"):
            crawl(tmp_path, web.url("/"), like=[web.url("/item/3")])
        assert web.count("/item/3") == 0


def test_a_site_of_one_template_is_told_and_the_crawl_goes_on(tmp_path: Path) -> None:
    links = "".join(f"<a href=/item/{number}>{number}</a>" for number in range(120))
    pages: dict[str, Page] = {f"/item/{number}": item(number) for number in range(120)}
    pages["/"] = item(0).replace("<section", f"{links}<section")
    with TinyWeb(pages) as web:
        settings = load(Path("/dev/null"), {}, api.flags_of({"like": [web.url("/item/3")], "migrants": 1}))
        opened = api.open_crawl(settings, api.read_seeds([web.url("/")]), tmp_path)
        try:
            ended = asyncio.run(asyncio.wait_for(opened.manager.run(), 300))
        finally:
            opened.store.close()
    assert ended.why == "finished"
    assert any("one template" in note for note in opened.manager.progress.notes)
    assert len(kept(tmp_path)) == 121, "a longer table makes no other kind"
