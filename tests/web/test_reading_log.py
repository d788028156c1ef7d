"""What readers do comes into the log: after a yes and not before, once, and within what a person does."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from kept_shelf import BARE, TIDES
from web_client import PERSON, Reader, Running

from whimbrel.readers.contract import ReaderSettings
from whimbrel.readers.log import ReaderLog
from whimbrel.records.deed import Action, Deed
from whimbrel.web.settings import Door

Batch = dict[str, object]


def deeds(folder: Path) -> list[Deed]:
    with ReaderLog(folder) as log:
        return list(log.deeds())


def batch(view: Batch, name: str = "a-batch-of-events", **changed: object) -> Batch:
    told: Batch = {"batch": name, "sent": 1000.0, "deeds": [["scroll", 1, 999.0], ["copy", 1, 1000.0]], **view}
    return told | changed


@pytest.fixture
def reader(server: Running) -> Reader:
    return server.reader()


def test_a_batch_is_counted_once_however_often_it_comes(reader: Reader, shelf: Path) -> None:
    before = len(deeds(shelf))
    reader.get("/", q="estuary")
    sent = batch(reader.view(TIDES, "estuary"))
    assert [reader.send(sent).json()["new"] for _ in range(3)] == [True, False, False]
    new = deeds(shelf)[before:]
    assert [each.action for each in new if each.action < Action.SHOWN] == [Action.SCROLL, Action.COPY]
    opened = next(each for each in new if each.action is Action.OPENED)
    assert (opened.page, opened.query, opened.rank, opened.version) == (TIDES, "estuary", 2, new[-1].version)
    assert new[-1].rank == 2, "the rank is where it was shown"


def test_only_what_was_shown_to_this_reader_is_believed(server: Running, reader: Reader) -> None:
    view = reader.view(TIDES, "estuary")
    for forged in (batch(view, url=BARE), batch(view, v=1), batch(view, q="other words"), batch(view, seal="0" * 40)):
        said = reader.send(forged)
        assert said.status == 400
        assert said.json()["error"] == "This batch is of a page that was not shown to this reader."
    assert server.reader().send(batch(view)).status == 400


@pytest.mark.parametrize(
    ("deed", "why"),
    [
        (["scroll", -1, 1000.0], "more or less than a reader does"),
        (["scroll", 1e300, 1000.0], "more or less than a reader does"),
        (["scroll", 1, 2000.0], "in the future"),
        (["scroll", 1, -1e9], "30 days ago"),
        (["stars", 5, 1000.0], "no action that a browser tells of"),
    ],
)
def test_what_no_reader_does_is_refused_whole(reader: Reader, shelf: Path, deed: list[object], why: str) -> None:
    view = reader.view(TIDES)
    before = len(deeds(shelf))
    said = reader.send(batch(view, deeds=[["copy", 1, 1000.0], deed]))
    assert said.status == 400
    assert why in said.json()["error"]
    assert len(deeds(shelf)) == before


def test_who_may_tell(server: Running, reader: Reader) -> None:
    sent = batch(reader.view(TIDES), "another-batch-of-mine")
    assert reader.send(sent, Content_Type="text/plain").status == 415
    assert reader.send(sent | {"token": "wrong"}).status == 403
    assert reader.send(sent, Origin="http://elsewhere.example").status == 403
    assert reader.send(sent, User_Agent="SomeBot/1.0").status == 403
    assert reader.send(sent | {"deeds": [["copy", 1, 1000.0]] * 100_000}).status == 413
    assert reader.send(sent).status == 200
    reader.post("/consent", answer="no")
    said = reader.send(batch(sent, "after-they-said-no"))
    assert (said.status, said.json()["error"]) == (403, "Nothing is kept of a reader who has not said yes.")
    reader.post("/consent", answer="yes")
    assert reader.send(batch(sent, "after-they-said-no")).status == 200


def test_without_a_yes_nothing_is_stored_and_no_name_is_given(server: Running, shelf: Path) -> None:
    def held() -> tuple[int, list[int]]:
        with ReaderLog(shelf) as log, log.reading() as database:
            tables = ("reader", "tally", "query", "page", "place", "batch")
            rows = [database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]
        return len(deeds(shelf)), rows

    before = held()
    cookie, token = server.visit()
    for headers in ({"User-Agent": PERSON, "Cookie": cookie}, {"User-Agent": PERSON}):
        for path, parameters in (("/", {"q": "estuary"}), ("/read", {"url": TIDES, "q": "estuary"}), ("/me", {})):
            answer = server.get(path, headers, **parameters)
            assert answer.status == 200
            assert "whimbrel-reader" not in str(answer.headers)
    said = server.post("/consent", {"answer": "no", "back": "/", "token": token}, Cookie=cookie, User_Agent=PERSON)
    assert said.cookie == f"whimbrel-reader-{server.port}=no"
    assert "SameSite=Strict" in said.headers["Set-Cookie"]
    asked = server.get("/", {"Cookie": f"{cookie}; {said.cookie}", "User-Agent": PERSON}).text
    assert "May what you read here be remembered?" not in asked, "asked once"
    assert held() == before


@pytest.mark.parametrize("answer", ["", "maybe"])
def test_what_is_no_answer_is_no_yes(reader: Reader, answer: str) -> None:
    assert reader.post("/consent", answer=answer).status == 400


def test_an_answer_leads_back_into_this_site_alone(reader: Reader) -> None:
    for back in ("//elsewhere.example/", "/\\elsewhere.example", "http://elsewhere.example/"):
        assert reader.post("/consent", answer="yes", back=back).headers["Location"] == "/me"
    assert reader.post("/consent", answer="yes", back="/?q=a").headers["Location"] == "/?q=a"


def test_a_reader_sees_takes_along_and_deletes_what_is_theirs(server: Running, shelf: Path) -> None:
    reader, other = server.reader(), server.reader()
    for one in (reader, other):
        one.get("/", q="a peculiar quorum of godwits" if one is reader else "estuary")
        one.send(batch(one.view(TIDES, "a peculiar quorum of godwits" if one is reader else "estuary"), place=0.5))
    reader.post("/favourite", url=BARE, keep="yes")
    assert "Scrolled" in reader.get("/me").text
    kept = reader.get("/me/export.json").json()
    assert {each["action"] for each in kept["done"]} >= {"scroll", "copy", "opened", "favourite"}
    assert kept["places"][0]["place"] == 0.5
    assert [each["url"] for each in kept["favourites"]] == [BARE]
    theirs = other.get("/me/export.json").json()
    gone = reader.post("/me/delete")
    assert gone.cookie == f"whimbrel-reader-{server.port}=no"
    assert other.get("/me/export.json").json() == theirs
    assert reader.get("/me/export.json").json()["done"] == []
    held = [file for file in shelf.rglob("*") if file.is_file() and b"peculiar quorum" in file.read_bytes()]
    assert held == []


def test_what_is_kept_of_nobody_is_nothing_of_others(server: Running, reader: Reader) -> None:
    reader.get("/", q="estuary")
    kept = server.get("/me/export.json", {"User-Agent": PERSON}).json()
    assert kept["done"] == kept["places"] == []


def test_statistics_need_the_key_on_this_machine_too(server: Running, reader: Reader) -> None:
    refused = reader.get("/statistics")
    assert (refused.status, refused.headers["Location"]) == (303, "/login?next=/statistics")
    reader.send(batch(reader.view(TIDES), "one-for-the-count"))
    key = {"Authorization": f"Bearer {server.key}"}
    for parameters in ({}, {"reader": "1"}, {"reader": "99999999999999999999"}, {"reader": "x"}):
        assert server.get("/statistics", key, **parameters).status == 200
    assert "Reader 1<" in server.get("/statistics", key).text


def test_a_server_that_only_shows_asks_and_stores_nothing(serving: Callable[..., Running], tmp_path: Path) -> None:
    quiet = serving(tmp_path, read_only=True)
    page = quiet.get("/", {"User-Agent": PERSON})
    assert "May what you read here be remembered?" not in page.text
    form = {"answer": "yes", "token": page.form_token}
    assert quiet.post("/consent", form, Cookie=page.cookie, User_Agent=PERSON).status == 403


def test_an_address_that_is_typed_opens_the_page(server: Running) -> None:
    answer = server.get("/", q=TIDES)
    assert (answer.status, "typed=1" in answer.headers["Location"]) == (303, True)
    assert server.get("/", q="http://never.example/").status == 200


def test_stars_are_given_changed_and_taken_back(server: Running, reader: Reader, shelf: Path) -> None:
    for stars, shown in (("4", 4), ("2", 2), ("0", 0)):
        assert reader.post("/stars", url=TIDES, stars=stars, q="estuary").status == 303
        assert reader.get("/read", url=TIDES).text.count('class="icon chosen" name="stars"') == shown
    given = [each.amount for each in deeds(shelf) if each.action is Action.STARS]
    assert given[-2:] == [4.0, 2.0]
    for wrong in ("6", "-1", "x", ""):
        assert reader.post("/stars", url=TIDES, stars=wrong).status == 400
    assert reader.post("/stars", url="http://never.example/", stars="3").status == 404


def test_a_reader_goes_on_where_they_were(server: Running, reader: Reader) -> None:
    reader.send(batch(reader.view(TIDES, "estuary"), "where-they-were-", place=0.4))
    home = reader.get("/").text
    assert "Continue where you were" in home
    assert "40 % down" in home
    assert 'data-place="0.4"' in reader.get("/read", url=TIDES, on=1).text
    assert "data-place" not in reader.get("/read", url=TIDES).text
    assert "Continue where you were" not in server.reader().get("/").text


def test_a_saved_search_tells_what_is_new_until_its_address_is_taken_back(
    server: Running, reader: Reader, shelf: Path
) -> None:
    assert reader.post("/saved", do="save", q=" estuary ").headers["Location"] == "/?q=estuary"
    assert "Feed of this search" in reader.get("/", q="estuary").text
    with ReaderLog(shelf) as log, log.writing() as database:
        database.execute("UPDATE saved SET at = 0")  # saved long ago, so that all of it is new
    found = re.search(r'href="(/saved/[^"]+)"', reader.get("/saved").text)
    assert found is not None
    feed = server.get(found[1])  # by a program, without a cookie
    assert feed.status == 200
    assert feed.text.count("<entry>") == 3
    assert "Tides of the estuary" in feed.text
    assert server.get(found[1], {"If-None-Match": feed.headers["ETag"]}).status == 304
    assert "new or changed" in reader.get("/").text
    number = re.search(r'name="number" value="(\d+)"', reader.get("/saved").text)
    assert number is not None
    server.reader().post("/saved", do="drop", number=number[1])
    assert server.get(found[1]).status == 200, "another reader's is not theirs to drop"
    reader.post("/saved", do="renew", number=number[1])
    assert server.get(found[1]).status == 404
    reader.post("/saved", do="drop", number=number[1])
    assert "None yet." in reader.get("/saved").text
    assert reader.post("/saved", do="save", q="  ").status == 400


def test_not_enough_is_noted_with_what_stood_highest_and_shows_pages_of_its_kind(
    server: Running, reader: Reader, shelf: Path
) -> None:
    shown = reader.get("/", q="estuary").text
    assert "Was this enough?" in shown
    highest = server.get("/api/search", q="estuary").json()["hits"][0]["url"]
    told = reader.post("/enough", q=" estuary ", answer="no")
    assert told.status == 200
    assert "More of this kind" in told.text
    low = [each for each in deeds(shelf) if each.action is Action.LOW_RATING]
    assert (low[-1].page, low[-1].query, low[-1].rank) == (highest, "estuary", 1)
    assert reader.post("/enough", q="estuary", answer="yes").headers["Location"] == "/?q=estuary"
    assert reader.post("/enough", q="zzzqqq", answer="no").status == 200
    assert reader.post("/enough", q="", answer="no").status == 303
    cookie, token = server.visit()
    said = server.post("/enough", {"q": "estuary", "answer": "no", "token": token}, Cookie=cookie, User_Agent=PERSON)
    assert said.status == 200, "a wish is answered without a yes too"
    assert len([each for each in deeds(shelf) if each.action is Action.LOW_RATING]) == len(low), "and not noted"


def test_a_page_is_tried_higher_only_for_readers_who_said_yes(shelf: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    shutil.copytree(shelf, folder, ignore=shutil.ignore_patterns("readers*.sqlite*", "*.sock"))
    door = Door(port=0, readers=ReaderSettings(explore=1.0))
    with Running(folder, door, reader_weight=0.4) as exploring:
        plain = exploring.get("/", {"User-Agent": PERSON}, q="estuary").text
        hits = [hit["url"] for hit in exploring.get("/api/search", q="estuary").json()["hits"]]
        reader = exploring.reader()
        seen = reader.get("/", q="estuary").text
        assert reader.get("/", q=" estuary").text.count("higher than its score this once") == 1, "the same all day"
    assert "higher than its score this once" not in plain
    assert seen.count("higher than its score this once") == 1
    shown = [each.page for each in sorted(deeds(folder), key=lambda each: each.rank) if each.action is Action.SHOWN]
    assert sorted(shown) == sorted(hits)
    assert shown != hits, "the log holds what was shown"
