"""Pages of which only an index entry is here: shown apart from the results, and fetched when somebody asks."""

from collections.abc import Callable
from pathlib import Path

from test_serving import wait_for_end
from web_client import Running

from commands import run
from whimbrel.flows.entries import EntryBook
from whimbrel.places.home.book import BookedPlace, PlaceBook, PlaceStanding
from whimbrel.records.entry import ENTRY_RULE, PageEntry
from whimbrel.records.visit import Outcome, Visit
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.contract import DEFAULTS
from whimbrel.testing.web import Reply, TinyWeb
from whimbrel.urls.normal import key, normalise

TIDE = b"<title>Tides</title><p>The ebb and the flood of the estuary, and when the moon makes them spring or neap.</p>"
PAGES = {"/": Reply(b"<title>Shore</title><p>Shore</p><a href=/tide.html>tides</a>"), "/tide.html": Reply(TIDE)}


def turned_away(folder: Path, name: str) -> None:
    with PlaceBook(folder).change() as booked:
        booked.places[name] = BookedPlace(name, ["127.0.0.1"], PlaceStanding.REVOKED)


def test_an_entry_is_shown_apart_and_its_page_comes_when_it_is_asked_for(
    serving: Callable[..., Running], tmp_path: Path
) -> None:
    with TinyWeb(PAGES) as web:
        assert run("crawl", web.url("/"), "--depth", "0", "--delay", "0", "--repo", tmp_path).returncode == 0
        url = normalise(web.url("/tide.html"))
        assert isinstance(url, str)
        visit = Visit(key(url), url, 1, Outcome.REFUSED, ENTRY_RULE, "", 200, 1_700_000_000.0, 100)
        words = [("ebb", 255), ("<b>flood</b>", 200)]
        entry = PageEntry(visit.key, "Tides & <i>more</i>", "When the moon turns them", "en", b"d", words)
        EntryBook(tmp_path).settle([("library", visit)], [entry])
        with Indexer(tmp_path, DEFAULTS) as indexer:
            indexer.catch_up()
        server = serving(tmp_path, networks=("127.0.0.0/8",))
        cookie, token = server.visit()
        shown = server.ask("GET", "/?q=ebb", Cookie=cookie).text
        assert "Not here: 1 page found by an index entry alone" in shown
        assert "its body is at the place library, where it was read" in shown
        assert "Tides &amp; &lt;i&gt;more" in shown, "whatever a place says is no markup"
        assert "Not here" not in server.get("/", q="shore").text
        turned_away(tmp_path, "library")
        shown = server.ask("GET", "/?q=ebb", Cookie=cookie).text
        assert "its body is at the place" not in shown
        assert "library, revoked since; the page comes from its site when asked for" in shown
        assert server.get("/api/search", q="ebb").json()["elsewhere"][0]["revoked"]
        told = run("search", "ebb", "--repo", tmp_path).stdout
        assert "at place library, revoked since; the page comes from its site when asked for" in told
        assert server.get("/api/search", q="ebb").json()["elsewhere"][0]["url"] == url
        form = {"url": url, "assets": "yes", "token": token}
        assert f'name="url" value="{url}"' in shown
        assert server.post("/crawl/start", form, Cookie=cookie).status == 303
        assert wait_for_end()
    assert EntryBook(tmp_path).count() == 0
