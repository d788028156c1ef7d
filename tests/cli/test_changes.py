"""`changes`, `diff`, `sitemap` and `prune` over one folder that changed."""

import shutil
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from changing_folder import grow_changing
from folders import check_archives
from whimbrel.flows.telling.moments import moment_of
from whimbrel.parse.sitemaps import Sitemap, read_sitemap
from whimbrel.records.url import Url
from whimbrel.repository.embedded.changes import Tellings
from whimbrel.repository.embedded.reader import Reader
from whimbrel.testing.reply import Request
from whimbrel.testing.web import TinyWeb

Call = Callable[..., Any]
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("changing") / "folder"
    return folder, grow_changing(folder)


def test_the_changes_for_scripts(call: Call, grown: tuple[Path, str]) -> None:
    folder, origin = grown
    said = call("changes", "--repo", folder, "--json")
    told = {(line["what"], line["url"].removeprefix(origin)): line for line in said.lines}
    assert set(told) == {("new", "/young"), ("changed", "/bird"), ("moved", "/old"), ("gone", "/lost")}
    assert [line["at"] for line in said.lines] == sorted((line["at"] for line in said.lines), reverse=True)
    changed = told["changed", "/bird"]
    assert changed["kinds"] == ["structural", "content"]
    assert 0 < changed["amount"] < 1
    assert changed["degree"] == "small"
    assert [spot["what"] for spot in changed["where"]] == ["added", "changed"]
    assert changed["where"][0]["after"] == "A new line stands first."
    assert changed["summary"] == "+[A new line stands first.] … It calls -[seven times.] +[eight times, or so.]"
    assert told["moved", "/old"]["target"] == f"{origin}/young"
    assert set(changed) == {
        "at", "what", "url", "title", "kinds", "amount", "degree", "summary", "where", "noise", "before", "after",
        "target", "reason", "also_on", "because_of", "asked_again_at", "id", "seen", "silenced",
    }  # fmt: skip
    firsts = call("changes", "--repo", folder, "--kind", "first", "--json").lines
    assert {line["url"].removeprefix(origin) for line in firsts} == {"/", "/bird", "/old", "/lost"}


def test_the_changes_for_a_person(call: Call, grown: tuple[Path, str]) -> None:
    folder, origin = grown
    said = call("changes", "--repo", folder)
    lines = said.out.splitlines()
    assert lines[:2] == ["first crawl: 4 pages", "since yesterday: 1 changed, 1 new, 1 moved, 1 gone"]
    assert "Home" not in said.out, "the pages of a first crawl are counted, not listed"
    assert "It calls -[seven times.] +[eight times, or so.]" in said.out
    assert f"to {origin}/young" in said.out
    assert "404" in said.out
    assert max(map(len, lines)) <= 80
    assert "no changes" in call("changes", "--repo", folder, "--site", "elsewhere.example").out


def test_changes_are_chosen(call: Call, grown: tuple[Path, str]) -> None:
    folder, origin = grown

    def told(*options: str) -> set[str]:
        said = call("changes", "--repo", folder, "--json", *options)
        assert said.code == 0, said.err
        return {line["url"].removeprefix(origin) for line in said.lines}

    assert told("--kind", "gone,new") == {"/lost", "/young"}
    assert told("--kind", "content") == {"/bird"}
    assert told("--degree", "small") == {"/bird", "/young", "/old", "/lost"}
    assert told("--degree", "medium", "--kind", "changed") == set()
    assert told("--words", "EIGHT times") == {"/bird"}
    assert told("--words", "seven") == {"/bird"}, "what went counts as well"
    assert told("--words", "winters") == set(), "this stood there before and does now"
    assert told("--words", "address today") == {"/young"}
    assert told("--until", "1 day ago") == set()
    assert told("--site", origin.removeprefix("http://")) == {"/bird", "/young", "/old", "/lost"}
    for option, wrong in (("--kind", "rumour"), ("--degree", "huge"), ("--until", "soon"), ("--site", "http://["),
                          ("--reader", "here")):  # fmt: skip
        said = call("changes", "--repo", folder, option, wrong, "--atom", folder.parent / "unwritten.xml")
        assert (said.code, option in said.err) == (2, True), option
    assert call("changes", "--repo", folder, "--kind", "new", "--webhook", "http://127.0.0.1:9/").code == 2


def test_the_list_is_cut_and_says_so(call: Call, grown: tuple[Path, str]) -> None:
    said = call("changes", "--repo", grown[0], "--limit", "1").out
    assert "and 3 older" in said
    assert said.count(grown[1]) == 1


def test_a_feed_and_a_webhook(call: Call, grown: tuple[Path, str], tmp_path: Path) -> None:
    feed = tmp_path / "changes.xml"
    posted: list[Request] = []
    with TinyWeb({"/hook": lambda request: posted.append(request) or "thanks"}) as web:  # type: ignore[func-returns-value]
        said = call("changes", "--repo", grown[0], "--atom", feed, "--webhook", web.url("/hook"))
    assert (said.code, said.out) == (0, "")
    assert [request.method for request in posted] == ["POST"]
    assert posted[0].headers["content-type"] == "application/json"
    root = ElementTree.parse(feed).getroot()
    terms = [entry.find(f"{ATOM}category").attrib["term"] for entry in root.findall(f"{ATOM}entry")]  # type: ignore[union-attr]
    assert sorted(terms) == ["changed", "gone", "moved", "new"], "what a first crawl found is no news"
    assert call("changes", "--repo", grown[0], "--webhook", web.url("/hook")).code == 0, "nothing is left to post"
    assert call("changes", "--repo", grown[0], "--webhook", "ftp://x.org/hook").code == 2


def test_a_first_crawl_is_no_change(call: Call, folder: Path) -> None:
    pages = call("status", "--repo", folder, "--json").object["pages"]
    since = call("changes", "--repo", folder, "--since", "1970-01-01")
    assert since.out == f"first crawl: {pages} pages\n"


def test_moments_as_people_name_them() -> None:
    now = datetime(2026, 3, 5, 14, 30, tzinfo=UTC).timestamp()

    def named(text: str) -> str:
        moment = moment_of(text, now)
        assert moment is not None
        return datetime.fromtimestamp(moment, UTC).strftime("%m-%d %H:%M")

    assert named("yesterday") == "03-04 00:00"
    assert named("today") == "03-05 00:00"
    assert named("3 days") == named("3d ago") == "03-02 14:30"
    assert named("12h") == "03-05 02:30"
    assert named("2026-03-01") == "03-01 00:00"
    assert named("2026-03-01T10:00+02:00") == "03-01 08:00"
    assert moment_of("when it rained", now) is None


def test_a_difference_by_paragraph(call: Call, grown: tuple[Path, str], tmp_path: Path) -> None:
    folder, origin = grown
    said = call("diff", f"{origin}/bird", "--repo", folder)
    assert "+[A new line stands first.]" in said.out
    assert "-[seven times.] +[eight times, or so.]" in said.out
    assert "winters" not in said.out, "what stayed is not shown"
    assert "winters" in call("diff", f"{origin}/bird", "--repo", folder, "--all").out
    lines = call("diff", f"{origin}/bird", "1", "2", "--repo", folder, "--json").lines
    assert [(line["sign"], line["counted"]) for line in lines] == [("added", True), ("changed", True)]
    page = tmp_path / "bird.html"
    assert call("diff", f"{origin}/bird", "--html", page, "--repo", folder).code == 0
    assert "<ins>A new line stands first.</ins>" in page.read_text()
    assert call("diff", f"{origin}/", "--repo", folder).code == 3, "there is but one version"
    assert call("diff", f"{origin}/bird", "1", "3", "--repo", folder).code == 3


def test_a_sitemap_of_what_is_known(call: Call, grown: tuple[Path, str], tmp_path: Path) -> None:
    folder, origin = grown
    site = origin.removeprefix("http://")
    said = call("sitemap", site, "--repo", folder)
    read = read_sitemap(said.out.encode(), Url(f"{origin}/sitemap.xml"), time.time())
    assert isinstance(read, Sitemap)
    assert (read.kind, read.notes) == ("urlset", ())
    lastmod = {entry.url.removeprefix(origin): entry.lastmod for entry in read.urls}
    assert set(lastmod) == {"/", "/bird", "/young"}
    with Reader(folder) as reader:
        first, second = reader.versions(Url(f"{origin}/bird"))
    assert lastmod["/bird"] == int(second.at)
    assert first.at < second.at
    assert call("sitemap", site, "--repo", folder, "-o", tmp_path / "map.xml").code == 0
    assert (tmp_path / "map.xml").read_text() == said.out
    assert call("sitemap", "elsewhere.example", "--repo", folder).code == 3


def test_pruning_leaves_the_newest_and_what_is_shared(call: Call, grown: tuple[Path, str], tmp_path: Path) -> None:
    folder = tmp_path / "pruned"
    shutil.copytree(grown[0], folder)
    bird = Url(f"{grown[1]}/bird")
    dry = call("prune", "--keep", "1", "--dry-run", "--repo", folder, "--json").object
    assert (dry["versions"], dry["pages"], dry["files"]) == (1, 1, 0)
    with Reader(folder) as reader:
        bodies = {page.url: reader.body(page.url).payload for page in reader.pages()}
    done = call("prune", "--keep", "1", "--repo", folder, "--json").object
    assert (done["versions"], done["records"]) == (1, 3)
    with Tellings(folder) as reader:
        assert len(reader.versions(bird)) == 1
        assert {page.url: reader.body(page.url).payload for page in reader.pages()} == bodies
        told = [(one.what, one.url) for one in reader.since(0.0)]
    assert ("changed", bird) in told
    assert ("new", bird) not in told, "its first version is gone, but it was known before"
    check_archives(folder)
    assert call("prune", "--keep", "1", "--repo", folder, "--json").object["versions"] == 0


def test_dead_and_redundant_links_are_counted(grown: tuple[Path, str]) -> None:
    with Tellings(grown[0]) as reader:
        counted = reader.dead_links()
    assert (counted.dead, counted.redundant, counted.blank, counted.soft) == (1, 1, 0, 0)
