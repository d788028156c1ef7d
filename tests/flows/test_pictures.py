"""A picture replaced behind its address is told for the page that shows it; one that is packed otherwise is not."""

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


def png(colour: int, level: int = 9, text: bytes = b"") -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = b"".join(b"\0" + bytes([colour] * 3 * 8) for _ in range(8))
    header = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
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


@pytest.mark.parametrize("packed", [png(7, 0), png(7, text=b"Date\0 2027")], ids=["compression", "a note in it"])
def test_the_same_picture_packed_otherwise_is_not(
    followed: Followed, capsys: pytest.CaptureFixture[str], packed: bytes
) -> None:
    followed.web.pages["/i/bird.png"] = Reply(packed, content_type="image/png")
    followed.refresh()
    assert told(followed, capsys) == []
