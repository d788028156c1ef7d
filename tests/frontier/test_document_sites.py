"""No page of a real manual is taken for a trap."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from trap_sites import ROOT, Content, Site, crawl

MANUALS = Path("/usr/share")
QUICK = [
    ("doc/git/html", "index.html"),
    ("doc/postgresql-doc-15/html", "index.html"),
    ("doc/sqlite3", "index.html"),
]
LONG = [
    ("doc/python3-doc/html", "index.html"),
    ("doc/openjdk-17-jre-headless/api", "index.html"),
    ("doc/rust-doc/html", "index.html"),
    ("doc/libboost1.81-doc/doc/html", "index.html"),
    ("cppreference/doc/html", "en/index.html"),
]
_LINK = re.compile(r"<(?:a|area|iframe|frame)\b[^>]*?\b(?:href|src)\s*=\s*[\"']?([^\"'\s>#]+)", re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")


def manual(folder: Path) -> Site:
    def site(path: str) -> Content | None:
        file = folder / unquote(path.partition("?")[0])[1:]
        file = file / "index.html" if file.is_dir() else file
        if file.suffix not in (".html", ".htm") or not file.is_file():
            return None
        text = file.read_text("utf-8", "replace")
        links = [urldefrag(unescape(link)).url for link in _LINK.findall(text)]
        return _TAG.sub(" ", text), [link for link in links if ":" not in link and not link.startswith("//")]

    return site


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize(("folder", "start"), [*QUICK, *(pytest.param(*each, marks=pytest.mark.long) for each in LONG)])
def test_a_manual_is_crawled_in_full(folder: str, start: str, newest_first: bool) -> None:
    if not (MANUALS / folder / start).is_file():
        pytest.skip(f"the manual {folder} is not installed")
    result = crawl(manual(MANUALS / folder), seeds=[ROOT + start], most=10**6, newest_first=newest_first)
    assert result.refused == {}
    assert len(result.visited) > 100
