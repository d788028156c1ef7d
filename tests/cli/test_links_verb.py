"""Bad links, told with the pages that hold them: a site with one of each kind, crawled and asked for real."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commands import Ask, asking, run
from folders import crawl
from whimbrel.api.elsewhere import FOLDER
from whimbrel.repository.engines import open_reader
from whimbrel.testing.reply import Reply, redirect
from whimbrel.testing.web import TinyWeb

WORDS = "The whimbrel winters on warm coasts and breeds in the far north, and comes over the moors in spring by night."
LOST = Reply(
    f"<title>Oops</title><h1>Nothing here</h1><p>{'We looked everywhere for it and were sorry. ' * 20}".encode()
)


def page(name: str, *links: str) -> Reply:
    items = "".join(f'<li><a href="{link}">{name} to {number}</a>' for number, link in enumerate(links))
    text = f"{name} {WORDS} " * 3
    return Reply(
        f"<!doctype html><title>{name}</title><h1 id=top-of-{name}>{name}</h1><p>{text}</p><ul>{items}</ul>".encode()
    )


@pytest.fixture(scope="module")
def webs() -> Iterator[tuple[TinyWeb, TinyWeb]]:
    outside = TinyWeb(
        {"/fine": page("fine"), "/robots.txt": Reply(b"User-agent: *\nDisallow: /shut/\n", content_type="text/plain")}
    )
    with outside, TinyWeb({}) as web:
        links = (
            "/two", "/lost", "/gone", "/moved", "/for-now", "/broken", "/two#top-of-two", "/two#nowhere", "/shut",
            "/page/a",
            "/page/none-1", "/page/none-2", outside.url("/fine"), outside.url("/dead"), outside.url("/shut/x"),
            "http://10.255.255.1/inner",
        )  # fmt: skip
        web.pages |= {
            "/": page("one", *links), "/two": page("two", "/lost", "/moved-on", "#none"), "/gone": Reply(b"", 410),
            "/moved": redirect("/two", 301), "/for-now": redirect("/two", 302), "/moved-on": redirect("/lost", 308),
            "/broken": Reply(b"", 500), "/shut": Reply(b"", 403), "/page/a": page("a"),
        }  # fmt: skip
        soft = {"/page/none-1": LOST, "/page/none-2": LOST}
        web.pages |= soft
        yield web, outside


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, webs: tuple[TinyWeb, TinyWeb]) -> Path:
    place = tmp_path_factory.mktemp("linked")
    crawl(place, webs[0].url("/"), migrants=1, sitemaps=False)
    return place


@pytest.fixture
def ask(capfd: pytest.CaptureFixture[str]) -> Ask:
    return asking(capfd)


def told(said: str) -> tuple[dict[str, Any], dict[str, Any]]:
    *links, counts = map(json.loads, said.splitlines())
    return {"/" + link["url"].split("/", 3)[3]: link for link in links}, counts


def test_bad_links_are_told_with_their_pages_and_words(ask: Ask, folder: Path, webs: tuple[TinyWeb, TinyWeb]) -> None:
    web, outside = webs
    before = len(web.log) + len(outside.log)
    found, counts = told(ask("links", "--dead", "--json", "--repo", folder).stdout)
    assert {path: link["kind"] for path, link in found.items()} == {
        "/lost": "missing", "/gone": "missing", "/moved": "moved", "/moved-on": "missing", "/broken": "error",
        "/two#nowhere": "fragment", "/two#none": "fragment",
    }  # fmt: skip
    assert found["/lost"]["pages"] == [
        {"page": web.url("/"), "words": "one to 1"}, {"page": web.url("/two"), "words": "two to 0"},
    ]  # fmt: skip
    assert found["/moved"]["leads_to"] == web.url("/two")
    assert "redirects to" in found["/moved-on"]["reason"]
    assert found["/lost"]["since"] is not None
    assert (counts["pages"], counts["unasked"]["scope"]) == (5, 4)
    assert len(web.log) + len(outside.log) == before, "nobody is asked"


def test_a_failing_check_has_a_code_of_its_own(ask: Ask, folder: Path) -> None:
    assert ask("links", "--dead", "--fail", "--repo", folder).returncode == 6
    assert ask("links", "--dead", "--fail", "--kind", "unreachable", "--repo", folder).returncode == 0
    assert "no kind" in ask("links", "--kind", "rumour", "--repo", folder).stderr
    assert ask("links", "--repo", folder / "none").returncode == 3
    shown = ask("links", "--repo", folder)
    assert "--dead lists the bad ones" in shown.stdout
    assert "--external asks" in shown.stdout


def test_a_table_has_a_row_for_each_page(ask: Ask, folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(ask("links", "--dead", "--csv", "-", "--repo", folder).stdout)))
    assert [row["words"] for row in rows if row["url"].endswith("/lost")] == ["one to 1", "two to 0"]


def test_what_is_outside_is_asked_politely_and_error_pages_are_known(
    folder: Path, webs: tuple[TinyWeb, TinyWeb]
) -> None:
    web, outside = webs
    # Whatever this program is asked below /page/, it says that it looked everywhere.
    probe = [one for one in _probes(folder) if "/page/" in one]
    web.pages |= {"/" + url.split("/", 3)[3]: LOST for url in probe}
    done = run("links", "--dead", "--json", "--external", "--probe", "--repo", folder)
    assert done.returncode == 0, done.stderr
    found, counts = told(done.stdout)
    assert {path for path, link in found.items() if link["kind"] == "soft"} == {"/page/none-1", "/page/none-2"}
    assert found["/dead"]["pages"] == [{"page": web.url("/"), "words": "one to 13"}]
    assert "/fine" not in found
    asked = [request.path for request in outside.log]
    assert asked[0] == "/robots.txt"
    assert "/shut/x" not in asked
    with open_reader(folder / FOLDER) as elsewhere:
        rules = {listed.url: listed.rule for listed in elsewhere.urls()}
    assert rules["http://10.255.255.1/inner"] == "address", "pages may not send us into private networks"
    assert counts["unasked"] == {}


def _probes(folder: Path) -> list[str]:
    from whimbrel.flows.linking.probing import probes

    with open_reader(folder) as reader:
        return [str(url) for url in probes(reader, None)]
