from pathlib import Path

from whimbrel.bench.site import reachable


def test_pages_are_found_by_links_alone_and_nearest_first(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    files = {
        "index.html": "<a href='b.html#top'>b</a><a class=x href=\"deep/\">d</a><a href=http://else.example/x.html>x</a>",
        "b.html": '<a href="deep/c%20d.html">c</a> <a href="missing.html">m</a> <a href="#here">h</a>',
        "deep/index.html": '<a href="../index.html">up</a>',
        "deep/c d.html": '<a href="/b.html?x=1">b</a>',
        "unlinked.html": "",
        "picture.svg": "",
    }
    for name, body in files.items():
        (tmp_path / name).write_text(body)
    assert reachable(tmp_path) == ["index.html", "b.html", "deep/index.html", "deep/c d.html"]
