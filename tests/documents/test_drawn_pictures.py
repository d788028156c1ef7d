"""Pictures as they come from the web: enormous, damaged, moving, lying, scripting."""

import io
import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from commands import run
from folders import crawl
from whimbrel.documents.contract import Unreadable
from whimbrel.documents.pictures import DrawnPicture, PictureReader
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><image href="http://127.0.0.1/x.png"/></svg>'


def encoded(picture: Image.Image, form: str = "PNG", **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, form, **options)
    return out.getvalue()


def thing(kind: str, side: int = 90, turned: int = 0) -> Image.Image:
    picture = Image.new("RGB", (side, side), "white")
    draw, a, b = ImageDraw.Draw(picture), side // 5, side * 4 // 5
    if kind == "bar":
        draw.rectangle((a, side // 2 - side // 12, b, side // 2 + side // 12), "navy")
    elif kind == "cross":
        draw.rectangle((a, side * 2 // 5, b, side * 3 // 5), "navy")
        draw.rectangle((side * 2 // 5, a, side * 3 // 5, b), "navy")
    else:
        draw.polygon([(side // 2, a), (b, b), (a, b)], "navy")
    return picture.rotate(turned, fillcolor="white")


def bomb(width: int, height: int) -> bytes:
    """A PNG that calls itself so large and holds next to nothing."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


@pytest.fixture(scope="module")
def pictures() -> Iterator[PictureReader]:
    with PictureReader() as reader:
        yield reader


def test_a_picture_is_drawn_small_and_grey_on_white(pictures: PictureReader) -> None:
    clear = Image.new("RGBA", (600, 300), (0, 0, 0, 0))
    drawn = pictures.draw(encoded(clear))
    assert isinstance(drawn, DrawnPicture)
    assert (drawn.width, drawn.height, drawn.columns, drawn.rows) == (600, 300, 256, 128)
    assert set(drawn.greys) == {255}


@pytest.mark.parametrize("form", ["JPEG", "GIF", "WEBP", "BMP"])
def test_every_form_is_drawn_whatever_it_is_called(pictures: PictureReader, form: str) -> None:
    assert isinstance(pictures.draw(encoded(thing("bar"), form)), DrawnPicture)


def test_of_an_animation_the_first_image_counts(pictures: PictureReader) -> None:
    frames = [thing("bar"), thing("cross"), thing("triangle")]
    drawn = pictures.draw(encoded(frames[0], "GIF", save_all=True, append_images=frames[1:]))
    assert isinstance(drawn, DrawnPicture)
    assert drawn.images == 3


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (bomb(60_000, 60_000), "too_large"),
        (bomb(3_000, 3_000), "damaged"),
        (encoded(thing("bar"), "JPEG")[:400], "damaged"),
        (b"<html>no picture</html>", "mislabelled"),
        (b"", "mislabelled"),
        (SVG, "unsupported"),
    ],
)
def test_what_cannot_be_drawn_says_why_and_the_next_is_drawn(pictures: PictureReader, body: bytes, kind: str) -> None:
    outcome = pictures.draw(body)
    assert isinstance(outcome, Unreadable)
    assert outcome.kind == kind
    assert isinstance(pictures.draw(encoded(thing("bar"))), DrawnPicture)


def test_kept_pictures_are_listed_by_their_shape(tmp_path: Path) -> None:
    names = {"cross.png": thing("cross"), "bar.png": thing("bar"), "triangle.png": thing("triangle", 140, 40)}
    pages: dict[str, str | Reply] = {
        f"/{name}": Reply(encoded(one), content_type="image/png") for name, one in names.items()
    }
    pages["/bad.svg"] = Reply(SVG, content_type="image/svg+xml")
    pages["/"] = "<title>Things</title><p>Many things.</p>" + "".join(
        f'<img src="{name}">' for name in [*names, "bad.svg"]
    )
    with TinyWeb(pages) as web:
        crawl(tmp_path / "folder", web.url("/"), assets=True)
    wanted = tmp_path / "wanted.png"
    wanted.write_bytes(encoded(thing("triangle")))
    told = run("pages", "--shape", wanted, "--json", "--repo", tmp_path / "folder")
    found = [json.loads(line) for line in told.stdout.splitlines()]
    assert found[0]["url"] == web.url("/triangle.png")
    assert len(found) == 3
    assert found[0]["shown_on"] == web.url("/")
    assert found[0]["apart"] < found[1]["apart"]


def test_a_file_without_a_shape_is_refused_with_the_reason(tmp_path: Path) -> None:
    with TinyWeb({"/": "<p>page</p>"}) as web:
        crawl(tmp_path / "folder", web.url("/"))
    for body, word in ((SVG, "SVG"), (encoded(Image.new("RGB", (50, 50))), "background"), (b"text", "no picture")):
        (tmp_path / "file").write_bytes(body)
        told = run("pages", "--shape", tmp_path / "file", "--repo", tmp_path / "folder")
        assert (told.returncode, word in told.stderr) == (2, True), told.stderr
    assert run("pages", "--shape", tmp_path / "none", "--repo", tmp_path / "folder").returncode == 2
