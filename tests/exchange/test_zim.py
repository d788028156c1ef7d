"""Pages as a ZIM file, checked by zimcheck and read by Kiwix' server."""

import io
import shutil
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest

from grown_folder import Served, grow, page, small_world
from whimbrel.exchange.export import export
from whimbrel.exchange.extras import MissingExtra
from whimbrel.exchange.tables import ExportWanted
from whimbrel.exchange.zim import illustration
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.engines import open_reader
from whimbrel.repository.views import Selection, Site

PATIENCE_SECONDS = 120.0


def needs(*programs: str) -> pytest.MarkDecorator:
    missing = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(
        bool(missing), reason=f"{', '.join(missing)} not here: apt-get install zim-tools kiwix-tools"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("zim") / "folder"
    world = small_world()
    world["http://a.example/"] = Served(page("the start page", ["/wild", "/deep/1", "/near", "/copy/1"]))
    world["http://a.example/wild"] = Served(
        b"<title>Wild</title><body onload=alert(1)><h1>A wild page</h1><p>It says <img src='http://b.example/spy.png'>"
        b"<a href='/deep/1#there'>down</a>, <a href='javascript:alert(1)'>run</a>, <a href='http://c.example/x'>out</a>,"
        b"<iframe src='/near'></iframe><script>alert(1)</script> and goes on for a sentence or two, as pages do.</p>"
    )
    grow(path, world)
    return path


def made(folder: Path, file: Path) -> Path:
    with open_reader(folder) as reader, file.open("w+b") as out:
        count = export("zim", reader, ExportWanted(), out)
    assert count.pages > 3
    return file


@needs("zimwriterfs", "zimcheck")
def test_zimcheck_finds_nothing(folder: Path, tmp_path: Path) -> None:
    checked = subprocess.run(
        ["zimcheck", str(made(folder, tmp_path / "pages.zim"))], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout


@needs("zimwriterfs", "kiwix-serve")
def test_kiwix_serves_a_page_without_what_could_run(folder: Path, tmp_path: Path) -> None:
    file = made(folder, tmp_path / "pages.zim")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = ["kiwix-serve", "-i", "127.0.0.1", "-p", str(port), str(file)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path) as server:
        try:
            root = f"http://127.0.0.1:{port}/pages/"  # by the name of the file
            listing = fetched(f"{root}index.html", server)
            places = [part.partition('"')[0] for part in listing.split('href="') if part[0] in "0123456789"]
            pages = [fetched(root + place, server) for place in places]
        finally:
            server.kill()
    wild = next(one for one in pages if "A wild page" in one)
    assert "http://c.example/x" in wild
    assert '.html#there"' in wild
    for danger in ("alert(1)", "spy.png", "<iframe", "onload"):
        assert danger not in wild


def fetched(address: str, server: "subprocess.Popen[bytes]") -> str:
    """Asked again until the server is up."""
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            with urlopen(address) as answer:
                return str(answer.read().decode())
        except URLError as error:
            if isinstance(error, HTTPError) or time.monotonic() > end:
                raise
        with suppress(subprocess.TimeoutExpired):
            pytest.fail(f"kiwix-serve ended with {server.wait(0.1)}")


def test_where_the_program_is_missing_that_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with open_reader(folder) as reader, pytest.raises(MissingExtra, match="zim-tools"):
        export("zim", reader, ExportWanted(), io.BytesIO())


@needs("zimwriterfs")
def test_an_empty_choice_is_no_file(folder: Path) -> None:
    nothing = ExportWanted(Selection(site=Site("nowhere.example")))
    with open_reader(folder) as reader, pytest.raises(RepositoryError, match="no page"):
        export("zim", reader, nothing, io.BytesIO())


def test_the_picture_is_one() -> None:
    assert illustration()[:8] == b"\x89PNG\r\n\x1a\n"
