"""Style sheets in copies, judged by a real browser without any policy: what was written asks nobody for anything."""

import re
from html import escape
from typing import Any

import pytest
from styled_attacks import DECLARATIONS, SHEETS
from test_copy import copied
from web_client import PATIENCE_MS

from whimbrel.testing.web import Reply, TinyWeb
from whimbrel.web.styles import rewritten

EVIL = "http://evil.example/"
LEAST_THAT_WORK = 150
"""Of the attacks, on a page that is shown as it is: the others need another browser, or a fault of a sanitiser."""
DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))"


def armed(attack: str, name: str) -> str:
    """The attack with an address and an element of its own."""
    for sign, meant in (("EVIL", EVIL + name), ("PATH", name), ("TARGET", f"#{name}"), ("NAME", name)):
        attack = attack.replace(sign, meant)
    return attack


def pages() -> tuple[str, str]:
    """All attacks on one page: those that are declarations in attributes, the others and those as sheets."""
    styles, bodies = [], []
    for number, attack in enumerate((*SHEETS, *(f"TARGET{{{each}}}" for each in DECLARATIONS))):
        name = f"s{number}x"
        styles.append(f"<style>{armed(attack, name)}</style>")
        bodies.append(f'<p id="{name}" title="{EVIL}{name}">word</p>')
    for number, attack in enumerate(DECLARATIONS):
        name = f"a{number}x"
        bodies.append(f'<p title="url({EVIL}{name})" style="{escape(armed(attack, name))}">word</p>')
    return "".join(styles), "".join(bodies)


class Judge:
    """Shows pages and hears whom they ask."""

    def __init__(self, browser: Any, web: TinyWeb) -> None:
        self._web = web
        self._context = browser.new_context(base_url=web.url(""))
        self._context.set_default_timeout(PATIENCE_MS)
        self.asked: set[str] = set()
        self._context.route(re.compile(rf"^(?!{re.escape(web.url(''))}|data:)"), self._refuse)

    def _refuse(self, route: Any) -> None:
        self.asked.add(route.request.url)
        route.abort()

    def asks(self, html: str) -> set[str]:
        self.asked = set()
        self._web.pages["/shown"] = Reply(
            html.encode("utf-8", "surrogatepass"), content_type="text/html; charset=utf-8"
        )
        page = self._context.new_page()
        page.goto("/shown")
        page.evaluate(DRAWN)
        page.close()
        return self.asked

    def close(self) -> None:
        self._context.close()


@pytest.fixture
def judge(browser: Any) -> Any:
    with TinyWeb({}) as web:
        made = Judge(browser, web)
        yield made
        made.close()


def test_no_sheet_asks_for_anything_even_without_a_policy(judge: Judge) -> None:
    styles, bodies = pages()
    page = f"<!doctype html><head>{styles}</head><body>{bodies}"
    raw = judge.asks(page)
    assert len(raw) >= LEAST_THAT_WORK, "the attacks are real"
    assert judge.asks(copied(page, kept=False)) == set()
    assert {url for url in judge.asks(copied(page)) if "/kept/s/file" not in url} == set()


def test_a_kept_sheet_asks_for_nothing_either(judge: Judge) -> None:
    """As it is served as a file, each alone, so that none ends another."""
    for number, attack in enumerate((*SHEETS, *(f"TARGET{{{each}}}" for each in DECLARATIONS))):
        name = f"f{number}x"
        judge._web.pages[f"/{name}.css"] = Reply(
            rewritten(armed(attack, name), lambda _: None).encode("utf-8", "replace"), content_type="text/css"
        )
    count = len(SHEETS) + len(DECLARATIONS)
    links = "".join(f'<link rel="stylesheet" href="/f{number}x.css">' for number in range(count))
    words = "".join(f'<p id="f{number}x" title="{EVIL}t{number}">word</p>' for number in range(count))
    assert judge.asks(f"<!doctype html>{links}<body>{words}") == set()


def test_what_shows_is_still_shown(browser: Any) -> None:
    sheet = """<!-- @namespace "http://www.w3.org/1999/xhtml"; p { color: rgb(1, 2, 3) } -->
    @media (width > 1px) { b { color: rgb(4, 5, 6) } } i[title="a</b"] { color: rgb(7, 8, 9) }
    u::before { content: "\\201C\\"" } s { clip-path: path("M0 0h9v9z") }"""
    page = browser.new_page()
    page.set_content(copied(f"<style>{sheet}</style><p>p</p><b>b</b><i title='a</b'>i</i><u>u</u><s>s</s>"))
    colours = [page.evaluate(f"getComputedStyle(document.querySelector('{tag}')).color") for tag in ("p", "b", "i")]
    assert colours == ["rgb(1, 2, 3)", "rgb(4, 5, 6)", "rgb(7, 8, 9)"]
    assert page.evaluate("getComputedStyle(document.querySelector('u'), '::before').content") == '"“\\""'
    assert "M 0 0" in page.evaluate("getComputedStyle(document.querySelector('s')).clipPath")
    page.close()
