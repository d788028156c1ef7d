"""Pictures among results: shown small from their kept copies, under the rules of kept copies."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

from web_client import Running

from grown_folder import Served, grow
from whimbrel.search.build.indexer import Indexer

HOST = "http://a.example"
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
)
PAGE = b"""<!doctype html><html lang=en><title>The estuary</title><h1>The estuary</h1><p>Mudflats at low water.</p>
<img src=/i/whimbrel.png alt="A whimbrel &lt;script&gt;alert(1)&lt;/script&gt;">
<img src=/i/chart.svg alt="A chart of tides">"""
DRAWING = b'<svg xmlns="http://www.w3.org/2000/svg"><script>parent.owned = 1</script></svg>'


def test_pictures_are_shown_small_and_drawings_are_not(tmp_path: Path, serving: Callable[..., Running]) -> None:
    world = {
        f"{HOST}/": Served(PAGE),
        f"{HOST}/i/whimbrel.png": Served(PIXEL, mime="image/png"),
        f"{HOST}/i/chart.svg": Served(DRAWING, mime="image/svg+xml"),
    }
    grow(tmp_path, world)
    with Indexer(tmp_path) as indexer:
        indexer.catch_up()
    server = serving(tmp_path)
    shown = server.get("/", q="type:image whimbrel")
    assert "1 picture" in shown.text
    assert "<script>alert" not in shown.text
    (address,) = re.findall(r'<img src="(/kept/[^"]*)"', shown.text)
    kept = server.get(unescape(address))
    assert (kept.status, kept.body) == (200, PIXEL)
    assert kept.headers["Content-Type"] == "image/png"
    assert kept.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    assert kept.headers["X-Content-Type-Options"] == "nosniff"
    assert 'shown on <a href="/read?url=http%3A%2F%2Fa.example%2F"' in shown.text
    drawn = server.get("/", q="type:image chart")
    assert "A chart of tides" in drawn.text
    assert "<img src=" not in drawn.text
    assert "<img src=" not in server.get("/", q="whimbrel").text
    forged = server.get("/kept/0000/file", url=f"{HOST}/i/whimbrel.png", at="1.0")
    assert forged.status == 403
    said: Any = server.get("/api/search", {"Authorization": f"Bearer {server.key}"}, q="type:image whimbrel").json()
    assert [(hit["url"], hit["linked_from"]) for hit in said["hits"]] == [(f"{HOST}/i/whimbrel.png", f"{HOST}/")]
