"""Classes of pictures in a crawl: learned, looked at before a page is judged, told why, searched and listed by."""

import io
import json
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from commands import run
from whimbrel.api.picture_learning import opened_pictures
from whimbrel.readers.log import ReaderLog
from whimbrel.records.deed import Action, Deed
from whimbrel.records.url import Url
from whimbrel.repository.engines import open_reader
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><image href="http://127.0.0.1/x.png"/></svg>'


def drawn(kind: str, turned: int = 0, side: int = 120) -> bytes:
    picture = Image.new("L", (side, side), 255)
    draw, a, b = ImageDraw.Draw(picture), side // 6, side * 5 // 6
    draw.rectangle((a, side * 2 // 5, b, side * 3 // 5), 0)
    if kind == "cross":
        draw.rectangle((side * 2 // 5, a, side * 3 // 5, b), 0)
    out = io.BytesIO()
    picture.rotate(turned, fillcolor=255).save(out, "PNG")
    return out.getvalue()


def png(body: bytes) -> Reply:
    return Reply(body, content_type="image/png")


def page(title: str, picture: str, alt: str) -> str:
    return f"<title>{title}</title><p>Crosses and what else there is.</p><img src={picture} alt='{alt}'>"


PAGES = {
    "/": "<title>Door</title><p>Ways on.</p>" + "".join(
        f"<a href=/{name}>{name}</a> " for name in ("right", "twice", "wrong", "silent", "bad", "lie", "svg", "words")
    ),
    "/right": page("Right", "/i/right.png", "a cross"), "/twice": page("Twice", "/i/right.png", "the same cross"),
    "/wrong": page("Wrong", "/i/wrong.png", "a cross"), "/silent": page("Silent", "/i/silent.png", ""),
    "/bad": page("Bad", "/i/bad.png", "cross"), "/lie": page("Lie", "/i/lie.png", "cross"),
    "/svg": page("Drawn", "/i/evil.svg", "cross"), "/words": "<title>Words</title><p>Crosses, and no picture.</p>",
    "/i/right.png": png(drawn("cross", 20)), "/i/wrong.png": png(drawn("bar", 70)),
    "/i/silent.png": png(drawn("cross", 66, 90)), "/i/bad.png": png(drawn("cross")[:90]),
    "/i/lie.png": png(b"<html>no picture</html>"), "/i/evil.svg": Reply(SVG, content_type="image/svg+xml"),
}  # fmt: skip


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, dict[str, int]]:
    place = tmp_path_factory.mktemp("classes")
    folder = place / "folder"
    for name in ("cross", "bar"):
        (place / f"{name}.png").write_bytes(drawn(name))
        assert run("shapes", name, place / f"{name}.png", "--repo", folder).returncode == 0
    with TinyWeb(PAGES) as web:
        told = run(
            "crawl", web.url("/"), "--only", "images", "--shows", "cross", "--migrants", "1", "--repo", folder, "--json"
        )
        assert told.returncode == 0, told.stderr
        return folder, web.url("").rstrip("/"), {path: web.count(path) for path in PAGES}


def reasons(folder: Path) -> dict[str, tuple[str, str]]:
    with open_reader(folder) as reader:
        return {"/" + one.url.split("/", 3)[3]: (one.outcome, one.reason) for one in reader.urls()}


def test_pages_and_pictures_are_kept_for_what_they_show(crawled: tuple[Path, str, dict[str, int]]) -> None:
    folder, site, _ = crawled
    found = reasons(folder)
    kept = {path for path, (outcome, _) in found.items() if outcome == "fetched"}
    assert kept >= {"/right", "/twice", "/silent", "/svg", "/i/right.png", "/i/silent.png"}
    assert kept.isdisjoint({"/", "/wrong", "/bad", "/lie", "/words", "/i/wrong.png"})
    assert found["/right"][1] == f"{site}/i/right.png is called cross and shaped like a cross"
    assert f"{site}/i/wrong.png is called cross and shaped like a bar" in found["/wrong"][1]
    assert found["/i/silent.png"][1].endswith("is called nothing that is known and shaped like a cross")
    assert "its shape cannot be seen: an SVG drawing, which may run scripts" in found["/svg"][1]


def test_a_picture_that_was_looked_at_is_asked_for_once(crawled: tuple[Path, str, dict[str, int]]) -> None:
    counts = crawled[2]
    assert {path: counts[path] for path in ("/i/right.png", "/i/silent.png", "/i/evil.svg")} == {
        "/i/right.png": 1, "/i/silent.png": 1, "/i/evil.svg": 1,
    }  # fmt: skip


def test_kept_pictures_are_searched_and_listed_by_class(crawled: tuple[Path, str, dict[str, int]]) -> None:
    folder, site, _ = crawled
    told = json.loads(run("search", "shape:cross", "--repo", folder, "--json").stdout)
    assert {hit["url"] for hit in told["hits"]} == {f"{site}/i/right.png", f"{site}/i/silent.png"}
    called = json.loads(run("search", "type:image cross", "--repo", folder, "--json").stdout)["hits"]
    assert "it is called cross and shaped like a cross" in called[0]["parts"][0]["reason"]
    assert not json.loads(run("search", "shape:bar", "--repo", folder, "--json").stdout)["hits"]
    listed = [
        json.loads(line) for line in run("pages", "--shape", "bar", "--repo", folder, "--json").stdout.splitlines()
    ]
    assert [one["apart"] for one in listed] == sorted(one["apart"] for one in listed)


def test_classes_are_learned_from_what_readers_opened(crawled: tuple[Path, str, dict[str, int]]) -> None:
    folder, site, _ = crawled
    run("index", "--repo", folder)
    with ReaderLog(folder) as log:
        reader = log.join("somebody", "here", 0.0)
        for at, name in ((1.0, "/right"), (9_000.0, "/right"), (20_000.0, "/silent")):
            opened = Deed(reader, at, Url(f"{site}{name}"), 1, Action.OPENED, 1.0, "type:image cross")
            log.note([opened])
    assert opened_pictures(folder, ["cross", "bar"]) == {"cross": [f"{site}/i/right.png"]}
    told = run("shapes", "--opened", "--json", "--repo", folder)
    known = {one["class"]: one["pictures"] for one in map(json.loads, told.stdout.splitlines())}
    assert known == {"cross": ["cross.png", f"{site}/i/right.png"], "bar": ["bar.png"]}
    assert run("shapes", "cross", "cross.png", "--forget", "--repo", folder).returncode == 0
    assert "cross.png" not in run("shapes", "cross", "--repo", folder).stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("two words", "{place}/bad.png"), "one word, of letters"),
        (("cat", "{place}/bad.png"), "shows no shape"),
        (("cat", "{place}/none.png"), "cannot be read"),
        (("cat", "http://127.0.0.1:9/none.png"), "is no kept picture"),
        (("cat", "--forget"), "no class 'cat' to forget"),
        (("--forget",), "--forget names a class"),
    ],
)
def test_what_cannot_be_learned_says_why(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    (tmp_path / "bad.png").write_bytes(SVG)
    told = run("shapes", *(each.format(place=tmp_path) for each in arguments), "--repo", tmp_path / "folder")
    assert (told.returncode, words in told.stderr) == (2, True), told.stderr


def test_a_class_that_nobody_showed_cannot_be_asked_for(tmp_path: Path) -> None:
    with TinyWeb({"/": "<p>page</p>"}) as web:
        told = run("crawl", web.url("/"), "--shows", "cat", "--repo", tmp_path / "folder")
    assert told.returncode == 2
    assert "whimbrel shapes cat FILE" in told.stderr


def test_a_damaged_file_of_classes_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "picture-classes.json").write_text("[{")
    told = run("shapes", "--repo", tmp_path)
    assert told.returncode == 1
    assert "Delete it, and show the pictures again." in told.stderr


def test_what_was_learned_from_a_forgotten_picture_is_forgotten(tmp_path: Path) -> None:
    with TinyWeb({"/": page("One", "/i.png", "a cross"), "/i.png": png(drawn("cross"))}) as web:
        run("crawl", web.url("/"), "--assets", "--repo", tmp_path / "folder")
        assert run("shapes", "cross", web.url("/i.png"), "--repo", tmp_path / "folder").returncode == 0
        told = run("forget", web.url("/i.png"), "--yes", "--repo", tmp_path / "folder")
    assert told.returncode == 0, told.stderr
    assert run("shapes", "--json", "--repo", tmp_path / "folder").stdout == ""
