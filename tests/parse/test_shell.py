"""Pages that scripts are to make: the shells that real tools write, and pages that only look poor."""

import gzip
import json
from pathlib import Path

import pytest

from whimbrel.parse import html

HEAD = '<!doctype html><html lang="en"><head><meta charset="UTF-8"><title>App</title>{}</head><body>{}</body></html>'
MODULE = '<script type="module" crossorigin src="/assets/index-Dc4Zf2Qk.js"></script>'
# As `npm create vite`, `create-react-app`, `ng new`, `nuxt generate` (without rendering), SvelteKit's fallback page,
# `ember build` and `flutter build web` write them.
SHELLS = {
    "vite react": HEAD.format(MODULE, '<div id="root"></div>'),
    "create-react-app": HEAD.format(
        '<script defer="defer" src="/static/js/main.1f.js"></script>',
        '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>',
    ),
    "angular": HEAD.format("", f"<app-root>Loading…</app-root>{MODULE}"),
    "vite lit": HEAD.format(MODULE, "<my-element><h1>Get started</h1></my-element>"),
    "nuxt": HEAD.format(MODULE, '<div id="__nuxt"></div><div id="teleports"></div><script>window.__NUXT__={}</script>'),
    "sveltekit": HEAD.format("", '<div style="display: contents"><script>import("/_app/start.js")</script></div>'),
    "ember": HEAD.format("", '<script src="/assets/vendor.js"></script><script src="/assets/app.js"></script>'),
    "flutter": HEAD.format("", '<script src="flutter_bootstrap.js" async></script>'),
    "a plea": HEAD.format(MODULE, '<div id="app"></div><p>Please turn JavaScript on to see our menu.</p>'),
}
PAGES = {
    "a line and a counter": HEAD.format("", "<h1>It works!</h1><script src=/count.js></script>"),
    "a line in a named box": HEAD.format(MODULE, '<div id="content">Moved to the new house</div>'),
    "a picture": HEAD.format(MODULE, '<div id="root"></div><img src="map.png">'),
    "a login": HEAD.format(MODULE, '<div id="root"></div><form><input name="user"></form>'),
    "frames": HEAD.format(MODULE, '<div id="root"></div><iframe src="/menu.html"></iframe>'),
    "links": HEAD.format(MODULE, '<div id="root"></div><a href="/about">About</a>'),
    "data only": HEAD.format("", '<div id="root"></div><script type="application/ld+json">{}</script>'),
    "blank": HEAD.format("", ""),
    "rendered before": HEAD.format(
        MODULE, f'<div id="__docusaurus"><main>{"An article with words. " * 20}</main></div>'
    ),
}


@pytest.mark.parametrize("tool", SHELLS)
def test_a_shell_is_known_by_what_it_lacks(tool: str) -> None:
    page = html.read(SHELLS[tool].encode(), "text/html")
    assert "script" in page.scripted
    assert "no link" in page.scripted


@pytest.mark.parametrize("kind", PAGES)
def test_a_page_with_something_to_see_is_none(kind: str) -> None:
    assert html.read(PAGES[kind].encode(), "text/html").scripted == ""


def test_of_real_pages_only_those_in_which_people_found_no_text_are_shells() -> None:
    folder = Path(__file__).parents[2].parent / "shared" / "data" / "main-text"
    if not folder.is_dir():
        pytest.skip("needs main-text from the shared data")
    with gzip.open(folder / "truth.jsonl.gz", "rt") as lines:
        empty = {page["id"] for page in map(json.loads, lines) if not page["main_text"].strip()}
    shells = {
        path.name.partition(".")[0]
        for path in (folder / "html").glob("*.html.gz")
        if html.read(gzip.decompress(path.read_bytes()), "text/html").scripted
    }
    assert shells <= empty
    assert len(shells) == 2


def test_a_manual_has_no_shell() -> None:
    pages = sorted(Path("/usr/share/doc/python3-doc/html").glob("library/*.html"))
    if not pages:
        pytest.skip("needs the Debian package python3-doc")
    assert [path.name for path in pages if html.read(path.read_bytes(), "text/html").scripted] == []
