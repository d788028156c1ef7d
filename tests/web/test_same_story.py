"""Whoever tells of a page tells the same: the list of changes, the feed, the interface for programs, the reader."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import feedparser
import pytest
from web_client import Running

from growing_site import Followed
from whimbrel.cli.main import main
from whimbrel.records.url import Url
from whimbrel.repository.embedded.reader import Reader
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

STORY = "".join(f"<p>Paragraph {word} stays as it is, however often the page is looked at.</p>" for word in "abcdef")


def page(counted: int, said: str, script: str = "") -> Reply:
    inside = f"<p>Birds on the marsh: {counted}</p><p>{said}</p>{STORY}<script>{script}</script>"
    return Reply(f"<!doctype html><title>Marsh</title><main><h1>Marsh</h1>{inside}</main>".encode())


VISITS = (
    page(40, "The hide is open."),
    page(51, "The hide is open."),  # learned from here on
    page(77, "The hide is open."),
    page(78, "The hide is open.", "go('/there')"),  # nobody reads it
    page(90, "The hide is closed."),
    page(104, "The hide is closed."),
)


@pytest.mark.parametrize("keep_noise", [False, True])
def test_all_tell_the_same(
    tmp_path: Path, serving: Callable[..., Running], capsys: pytest.CaptureFixture[str], keep_noise: bool
) -> None:
    with TinyWeb({"/": page(11, "The hide is open.")}) as web:
        url = web.url("/")
        followed = Followed(web, tmp_path)
        followed.crawl()
        for visit in VISITS:
            web.pages["/"] = visit
            followed.refresh(**{"refresh.keep_noise": keep_noise})

    def listed(*flags: str) -> list[dict[str, object]]:
        capsys.readouterr()
        assert main(["changes", "--json", "--kind", "changed", *flags, "--repo", str(tmp_path)]) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    told = listed()
    assert [one["degree"] for one in told] == ["small"] * 3, "twice the number, until it is known, and once the words"
    assert "closed" in str(told[0])
    assert listed("--degree", "small") == told
    assert listed("--degree", "medium") == []
    assert listed("--degree", "trivial") == listed("--unread")
    assert sorted(str(one["degree"]) for one in listed("--unread")) == ["small", "small", "small", "trivial"]
    with Reader(tmp_path) as reader:
        versions = reader.versions(Url(url))
    assert sum(version.told for version in versions) == 1 + len(told), "the first, and one for each change"
    assert len(versions) == (7 if keep_noise else 5)

    server = serving(tmp_path)
    assert len(feedparser.parse(server.get("/feed.atom", kind="changed").body).entries) == 3
    assert [one["degree"] for one in server.get("/api/changed", kind="changed").json()["pages"]] == ["small"] * 3
    shown = server.get("/read", url=url, view="changes").text
    assert re.search(r'class="badge">4<span class="unseen"> versions', shown), "as many as were told"
    assert shown.count("no change told") == len(versions) - 4
    first = server.get("/").text
    assert "closed" in first
    assert "104" not in first
