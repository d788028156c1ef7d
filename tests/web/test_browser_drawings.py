"""Drawings in copies, judged by a real browser without any policy: what was written has to be harmless by itself."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
from drawn_attacks import ATTACKS
from test_copy import copied
from test_drawings import ICON
from web_client import PATIENCE_MS

from whimbrel.testing.web import Reply, TinyWeb

LEAST_THAT_WORK = 30
"""Of the attacks, on a page that is shown as it is: the others need another browser, or a fault of a sanitiser."""
TOUCHED = """() => {
  for (const each of document.querySelectorAll("svg, svg *, a")) {
    each.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
    each.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  }
  document.documentElement.getBoundingClientRect();
  return new Promise(done => requestAnimationFrame(() => setTimeout(done, 30)));
}"""


TOUCHED_IN_FRAMES = """async () => {
  const inside = Array.from(document.querySelectorAll("iframe"), frame => frame.contentWindow);
  const left = () => inside.some(w => !w.document || !w.location.pathname.startsWith("/shown/"));
  if (left()) return true;
  for (const w of inside) {
    for (const each of w.document.querySelectorAll("svg, svg *, a")) {
      each.dispatchEvent(new w.MouseEvent("mouseover", { bubbles: true }));
      each.dispatchEvent(new w.MouseEvent("click", { bubbles: true, cancelable: true }));
    }
    w.document.documentElement.getBoundingClientRect();
  }
  await new Promise(done => requestAnimationFrame(() => setTimeout(done, 60)));
  return left() || window.owned === 1 || inside.some(w => w.owned === 1);
}"""
FRAMES = 23
"""That are shown at a time: a tab for each takes a minute and a half."""


class Judge:
    """Shows pages and hears what they ask for, besides themselves."""

    def __init__(self, browser: Any, web: TinyWeb) -> None:
        self._web = web
        self._context = browser.new_context(base_url=web.url(""))
        self._context.set_default_timeout(PATIENCE_MS)
        self.asked: list[str] = []
        self._context.route("http://evil.example/**", self._refuse)
        self._page = self._context.new_page()
        self._page.on("dialog", lambda dialog: dialog.dismiss())

    def _refuse(self, route: Any) -> None:
        self.asked.append(route.request.url)
        route.abort()

    def is_harmed(self, html: str) -> bool:
        """Whether a script ran or another server was asked."""
        self.asked.clear()
        self._web.pages["/shown"] = Reply(html.encode())
        page = self._page
        page.goto("/shown")
        page.evaluate(TOUCHED)
        ran = page.evaluate("window.owned === 1") if page.url.endswith("/shown") else True
        page.goto("about:blank")  # nothing of it asks for anything later on
        return ran or bool(self.asked)

    def harmed(self, documents: list[str]) -> list[str]:
        """Those that do harm: shown together, and one by one where any of them does."""
        groups = [documents[at : at + FRAMES] for at in range(0, len(documents), FRAMES)]
        suspects = [document for group in groups if self._is_any_harmed(group) for document in group]
        return [document for document in suspects if self.is_harmed(document)]

    def _is_any_harmed(self, documents: list[str]) -> bool:
        self.asked.clear()
        self._web.pages.update({f"/shown/{n}": Reply(document.encode()) for n, document in enumerate(documents)})
        frames = "".join(f'<iframe src="/shown/{n}" width=200 height=90></iframe>' for n in range(len(documents)))
        self._web.pages["/all"] = Reply(f"<!doctype html>{frames}".encode())
        page = self._context.new_page()
        page.on("dialog", lambda dialog: dialog.dismiss())
        page.goto("/all")
        try:
            harmed = page.evaluate(TOUCHED_IN_FRAMES) or not page.url.endswith("/all")
        except Exception:  # a frame, or all of it, went elsewhere
            harmed = True
        page.close()
        return harmed or bool(self.asked)

    def close(self) -> None:
        self._context.close()


@pytest.fixture
def judge(browser: Any) -> Iterator[Judge]:
    with TinyWeb({}) as web:
        made = Judge(browser, web)
        yield made
        made.close()


def test_no_drawing_runs_or_asks_for_anything_even_without_a_policy(judge: Judge) -> None:
    attacks = [attack.replace("EVIL", "http://evil.example") for attack in ATTACKS]
    endless = [attack for attack in attacks if "#b0" in attack]
    raw = (f"<!doctype html>{attack}" for attack in attacks if attack not in endless)
    working = list(islice(filter(judge.is_harmed, raw), LEAST_THAT_WORK))
    assert len(working) == LEAST_THAT_WORK, "the attacks are real"
    assert judge.harmed([*(copied(attack) for attack in attacks[:FRAMES]), working[0]]) == [working[0]], "is found"
    assert judge.harmed(working[-2:]) == working[-2:]
    assert judge.harmed([copied(attack, kept=False) for attack in attacks]) == []
    assert judge.harmed([copied(attack) for attack in attacks]) == []


def test_an_icon_is_drawn(browser: Any) -> None:
    page = browser.new_page(viewport={"width": 200, "height": 100})
    page.set_content(copied(f"<p style='color:#0b6157'>{ICON}</p>"))
    boxes = page.evaluate("Array.from(document.querySelectorAll('path, use, text'), each => each.getBBox().width)")
    assert len(boxes) == 3
    assert all(width > 0 for width in boxes)
    assert page.evaluate("getComputedStyle(document.querySelector('symbol rect')).fill") == 'url("#h")'
    page.close()
