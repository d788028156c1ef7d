"""What an owner sees of the place, and that nothing is left when they leave."""

import asyncio
import re
import subprocess
import sys
import threading
from html.parser import HTMLParser
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from neighbours import PATIENCE, join

from whimbrel.places.at.diary import Diary, Leaf, leaves_before
from whimbrel.places.at.joining import PlaceFolder
from whimbrel.places.at.owner_page import OwnerPage, OwnerServer
from whimbrel.places.at.program import PlaceProgram


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("owner")
    join(base / "home", base / "place")
    return base / "place"


def test_a_place_is_the_same_from_every_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its migrants run in another than its program: what they wrote there was found by nobody."""
    monkeypatch.chdir(tmp_path)
    assert PlaceFolder(Path("place")).path == tmp_path / "place"


def written(place: Path, count: int) -> None:
    (membership,) = PlaceFolder(place).memberships()
    diary = Diary(place)
    for number in range(count):
        pages = [(f"http://127.0.0.1/<b>{number}</b>", "fetched")]
        diary.write(Leaf(1_700_000_000.0 + number, membership.home, "parcel", 1500, "asked for by itineraries", pages))


def test_the_newest_are_read_from_the_end_and_the_older_after_them(tmp_path: Path) -> None:
    diary = Diary(tmp_path)
    for number in range(25):
        diary.write(Leaf(float(number), "h", "parcel", 1, "x" * 40_000))
    with (tmp_path / "diary.jsonl").open("ab") as file:
        file.write(b'{"at": 99, cut short')
    met: list[float] = []
    before: int | None = None
    while before != 0:
        found, before = leaves_before(tmp_path, before, 10)
        met += [leaf.at for leaf in found]
    assert met == [float(number) for number in range(24, -1, -1)]
    assert leaves_before(tmp_path / "nowhere", None, 10) == ([], 0)


def test_the_page_shows_all_that_left_and_asks_nobody_else(place: Path) -> None:
    written(place, 3)
    page = OwnerPage(PlaceFolder(place), b"body{}", "key")
    status, _, body = page.answer("127.0.0.1:5000", "/?key=key", 1_700_000_100.0)
    text = body.decode()
    assert status == 200
    assert text.count("http://127.0.0.1/&lt;b&gt;") == 3
    assert "<b>1</b>" not in text
    assert "may read 127.0.0.1" in text
    named: list[str] = []
    reader = HTMLParser()
    reader.handle_starttag = lambda tag, attrs: named.extend(v or "" for k, v in attrs if k in ("src", "href"))  # type: ignore[method-assign]
    reader.feed(text)
    assert named == ["/style.css?key=key"]
    assert page.answer("127.0.0.1", "/style.css?key=key", 0.0).body == b"body{}"


@pytest.mark.parametrize(
    ("host", "path", "status"),
    [
        ("127.0.0.1:5000", "/", 403), ("127.0.0.1:5000", "/?key=other", 403), ("evil.example:5000", "/?key=key", 403),
        ("", "/?key=key", 403), ("localhost", "/?key=key", 200), ("localhost:80", "/../place.key?key=key", 404),
    ],
)  # fmt: skip
def test_who_does_not_know_the_key_or_comes_by_another_name_sees_nothing(
    place: Path, host: str, path: str, status: int
) -> None:
    answer = OwnerPage(PlaceFolder(place), b"", "key").answer(host, path, 0.0)
    assert answer.status == status
    if status != 200:
        assert b"127.0.0.1/" not in answer.body


def test_it_is_served_on_loopback_alone_with_nothing_from_elsewhere(place: Path) -> None:
    with OwnerServer(PlaceFolder(place), b"") as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            assert re.match(r"http://127\.0\.0\.1:\d+/\?key=\S{20,}$", server.address)
            with urlopen(server.address) as answer:
                assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
                assert b"What left this machine" in answer.read()
            with pytest.raises(HTTPError, match="403") as refused:
                urlopen(Request(server.address, headers={"Host": "evil.example"}))
            refused.value.close()
        finally:
            server.shutdown()
            thread.join()


def test_whoever_leaves_leaves_no_trace(place: Path, tmp_path: Path) -> None:
    """The unit is printed, not installed; all else is in one folder."""
    before = {path for path in place.parent.rglob("*") if place not in path.parents and path != place}
    home = tmp_path / "owners"
    home.mkdir()
    run = [sys.executable, "-m", "whimbrel", "place"]
    for verb in ("unit", "status", "pause", "leave"):
        subprocess.run(
            [*run, verb, "--dir", str(place)], check=True, stdout=subprocess.DEVNULL,
            env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        )  # fmt: skip
    assert not place.exists()
    assert set(place.parent.rglob("*")) == before
    assert list(home.rglob("*")) == []


def test_a_program_whose_place_was_left_ends(tmp_path: Path) -> None:
    join(tmp_path / "home", place := tmp_path / "place")
    command = [sys.executable, "-m", "whimbrel", "place", "run", "--dir", str(place)]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert running.stderr is not None
        running.stderr.readline()  # it has begun
        PlaceFolder(place).leave()
        said = running.communicate(timeout=PATIENCE)[1]
    finally:
        running.kill()
        running.wait()
    assert running.returncode == 0
    assert "this place has been left" in said
    assert not place.exists()


def test_a_program_that_comes_before_the_next_look_ends_too(tmp_path: Path) -> None:
    """What it measures in its folder is not there any more."""
    join(tmp_path / "home", place := tmp_path / "place")
    said: list[str] = []
    program = PlaceProgram(PlaceFolder(place), said.append, "test")
    PlaceFolder(place).leave()
    asyncio.run(asyncio.wait_for(program.run(), PATIENCE))
    assert said[-1].startswith("this place has been left")
    assert not place.exists()
