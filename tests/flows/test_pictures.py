"""A picture that was replaced is told for the page that shows it, also under a new name; the same one, packed
otherwise, is not."""

import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from growing_site import Followed
from whimbrel.cli.main import main
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

PAGE = b"<!doctype html><title>Birds</title><main><h1>Birds</h1><p>A whimbrel.</p><img src=/i/bird.png alt=Bird></main>"


def png(colour: int, level: int = 9, text: bytes = b"", width: int = 8) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = b"".join(b"\0" + bytes([colour] * 3 * width) for _ in range(8))
    header = struct.pack(">IIBBBBB", width, 8, 8, 2, 0, 0, 0)
    noted = chunk(b"tEXt", text) if text else b""
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + noted
        + chunk(b"IDAT", zlib.compress(rows, level))
        + chunk(b"IEND", b"")
    )


@pytest.fixture
def followed(tmp_path: Path) -> Iterator[Followed]:
    with TinyWeb({"/": Reply(PAGE), "/i/bird.png": Reply(png(7), content_type="image/png")}) as web:
        found = Followed(web, tmp_path / "folder")
        found.crawl(assets=True)
        yield found


def told(followed: Followed, capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    capsys.readouterr()
    assert main(["changes", "--json", "--repo", str(followed.folder)]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_replaced_picture_is_told_once_for_its_page(followed: Followed, capsys: pytest.CaptureFixture[str]) -> None:
    followed.web.pages["/i/bird.png"] = Reply(png(99), content_type="image/png")
    followed.refresh()
    (one,) = told(followed, capsys)
    assert (one["what"], one["url"], one["kinds"], one["degree"]) == (
        "changed", followed.web.url("/"), ["image"], "small",
    )  # fmt: skip
    assert "/i/bird.png" in str(one)
    assert "8 × 8" in str(one)
    followed.refresh()
    assert len(told(followed, capsys)) == 1
    assert main(["diff", followed.web.url("/"), "1", "1", "--repo", str(followed.folder)]) == 0
    assert "/i/bird.png" in capsys.readouterr().out


def test_a_told_picture_keeps_the_title_of_its_page(followed: Followed, capsys: pytest.CaptureFixture[str]) -> None:
    for turn in range(4):
        followed.web.pages["/"] = Reply(PAGE.replace(b"<main>", b"<nav>Menu %d</nav><main>" % (turn * 71)))
        if turn == 1:
            followed.web.pages["/i/bird.png"] = Reply(png(99), content_type="image/png")
        followed.refresh()
    (one,) = told(followed, capsys)
    assert (one["kinds"], one["title"]) == (["image"], "Birds")


@pytest.mark.parametrize("packed", [png(7, 0), png(7, text=b"Date\0 2027")], ids=["compression", "a note in it"])
def test_the_same_picture_packed_otherwise_is_not(
    followed: Followed, capsys: pytest.CaptureFixture[str], packed: bytes
) -> None:
    followed.web.pages["/i/bird.png"] = Reply(packed, content_type="image/png")
    followed.refresh()
    assert told(followed, capsys) == []


def webp(width: int, height: int) -> bytes:
    part = b"\0\0\0\0" + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body = b"WEBPVP8X" + struct.pack("<I", len(part)) + part + b"VP8 " + struct.pack("<I", 8) + b"whatever"
    return b"RIFF" + struct.pack("<I", len(body)) + body


RENAMED = {
    "another": ("/i/owl.png", png(99), True),
    "another, of the next number": ("/i/bird2.png", png(99), True),
    "another, named by a build": ("/i/bird.8f3a1b2c.png", png(99), True),
    "another, of another format and shape": ("/i/owl.webp", webp(30, 8), True),
    "the same, moved": ("/j/bird.png", png(7), False),
    "the same, packed otherwise": ("/i/bird-new.png", png(7, 0), False),
    "the same, in another format": ("/i/bird.webp", webp(8, 8), False),
    "in another format, of the same shape": ("/i/finch.webp", webp(16, 16), False),
    "a blank": ("/i/blank.png", png(255, width=1), False),
}


def shown(case: str, address: str) -> Reply:
    said = f"<h1>{case}</h1><p>A page about {case}.</p><img src={address} alt=Bird>"
    return Reply(f"<!doctype html><title>{case}</title><main>{said}</main>".encode())


def test_a_picture_under_a_new_name_is_told_where_it_is_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = {case: f"/{number}" for number, case in enumerate(RENAMED)}
    links = "".join(f"<a href={path}>{case}</a>" for case, path in paths.items())
    pages = {"/": Reply(f"<title>All</title>{links}".encode()), "/i/bird.png": Reply(png(7), content_type="image/png")}
    with TinyWeb(pages | {path: shown(case, "/i/bird.png") for case, path in paths.items()}) as web:
        followed = Followed(web, tmp_path)
        followed.crawl(assets=True)
        for case, (address, body, _) in RENAMED.items():
            kind = f"image/{address.rpartition('.')[2]}"
            web.pages |= {address: Reply(body, content_type=kind), paths[case]: shown(case, address)}
        followed.refresh(**{"crawl.assets": True})
        found = told(followed, capsys)
        assert {one["url"]: one["kinds"] for one in found} == {
            web.url(paths[case]): ["image"] for case, (_, _, another) in RENAMED.items() if another
        }
        assert "/i/bird2.png, was" in str(found)
        followed.refresh(**{"crawl.assets": True})
        assert len(told(followed, capsys)) == len(found)
