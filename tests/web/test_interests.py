"""What a reader says interests them weighs their results alone, can be left out, and is theirs to delete."""

import re
from pathlib import Path

import pytest
from kept_shelf import BARE, TIDES
from msgspec.structs import replace
from web_client import PERSON, Answered, Reader, Running

from whimbrel.rank.profile import ReaderProfile
from whimbrel.readers.bookmarks import MOST_BOOKMARKS
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.contract import DEFAULTS

EDGE = "a-boundary-of-parts"


@pytest.fixture
def reader(server: Running) -> Reader:
    server.reader()  # others look for the first reader of the folder, which is not to be deleted here
    return server.reader()


def send_file(server: Running, reader: Reader, file: bytes, token: str = "") -> Answered:
    parts = {"token": (token or reader.token).encode(), "file": file}
    body = b"".join(
        f'--{EDGE}\r\nContent-Disposition: form-data; name="{name}"; filename="b.html"\r\n\r\n'.encode()
        + part
        + b"\r\n"
        for name, part in parts.items()
    )
    kind = {"Content-Type": f"multipart/form-data; boundary={EDGE}", "Accept": "text/html"}
    return server.ask("POST", "/me/bookmarks", body + f"--{EDGE}--\r\n".encode(), **(reader.headers | kind))


def hits(page: Answered) -> list[str]:
    return re.findall(r'<a class="open" href="/read\?url=([^&"]*)', page.text)


def test_bookmarks_weigh_the_results_of_their_reader_alone(server: Running, reader: Reader, shelf: Path) -> None:
    before = reader.get("/", q="estuary")
    assert "what interests you" not in before.text
    file = f'<DT><A HREF="{TIDES}" ADD_DATE="1700000000">Tides and waders</A><DT><A HREF="javascript:1">x</A>'
    taken = send_file(server, reader, file.encode())
    assert taken.status == 200
    assert "1 bookmarks were taken; 1 entries had no address" in taken.text
    weighed = reader.get("/", q="estuary")
    assert "Weighed by" in weighed.text
    assert "what you say interests you" in weighed.text, "and each result says so"
    plain = reader.get("/", q="estuary", plain=1)
    assert "Not weighed by" in plain.text
    assert hits(plain) == hits(before)
    assert sorted(hits(weighed)) == sorted(hits(before))
    assert "what interests you" not in server.reader().get("/", q="estuary").text
    assert reader.post("/me/interests", do="off").status == 303
    assert "Weighed by" not in reader.get("/", q="estuary").text
    reader.post("/me/interests", do="on")
    kept = reader.get("/me/export.json").json()["interests"]
    assert [one["value"] for one in kept] == [TIDES]
    reader.post("/me/delete")
    for path in shelf.glob("readers.sqlite*"):
        assert b"Tides and waders" not in path.read_bytes()


def test_fields_and_a_start_page_are_said_and_unsaid(reader: Reader) -> None:
    assert reader.post("/me/interests", fields="waders, sea  birds,,waders", start="docs.example.org").status == 303
    shown = reader.get("/me").text
    assert 'value="sea birds, waders"' in shown
    assert 'value="https://docs.example.org/"' in shown
    wrong = reader.post("/me/interests", fields="", start="http://")
    assert wrong.status == 400
    assert "cannot be a start page" in wrong.text
    reader.post("/me/interests", fields="x" * 5_000, start="")
    assert "Weighed by" not in reader.get("/", q="zzzqqq").text


def test_what_is_no_bookmark_file_is_refused_with_what_to_do(server: Running, reader: Reader) -> None:
    for garbage in (b"", b"\x00\xff" * 40_000, b"<a " * 100_000):
        said = send_file(server, reader, garbage)
        assert said.status == 400
        assert "Export it" in said.text
    many = "".join(f'<A HREF="https://e.org/{at}">{at}</A>\n' for at in range(100_000))
    assert (
        f"{MOST_BOOKMARKS} bookmarks were taken; {100_000 - MOST_BOOKMARKS} older"
        in send_file(server, reader, many.encode()).text
    )
    assert "Weighed by" in reader.get("/", q="estuary").text
    assert send_file(server, reader, b"x" * (33 << 20)).status == 413
    assert send_file(server, reader, b"<a href=https://e.org/>", token="0" * 40).status == 403, "a form of another"
    cookie, token = server.visit()
    stranger = Reader(server, cookie, token)
    assert send_file(server, stranger, b"<a href=https://e.org/>").status == 403
    assert stranger.post("/me/interests", fields="waders").status == 403
    broken = server.ask("POST", "/me/bookmarks", b"--", Content_Type="multipart/form-data", User_Agent=PERSON)
    assert broken.status == 403


def test_both_formulas_raise_what_a_profile_speaks_of(shelf: Path) -> None:
    profile = ReaderProfile({"godwits": 3, "tide": 2}, {}, {})
    for formula in ("words", "papers"):
        settings = replace(DEFAULTS, profile_formula=formula, profile_weight=1.0)
        with Searcher(shelf, settings) as searcher:
            found = searcher.answer(parse("estuary"), profile=profile).hits
            without = searcher.answer(parse("estuary")).hits
        parts = {hit.url: {part.name: part.points for part in hit.parts}.get("profile", 0.0) for hit in found}
        assert parts[TIDES] > parts.get(BARE, 0.0), formula
        assert not any(part.name == "profile" for hit in without for part in hit.parts)
