"""The thirteen actions of the paper, done in a real browser as a person would; nothing is told without a yes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kept_shelf import HOSTILE, TIDES
from playwright.sync_api import TimeoutError
from web_client import Running, follow, frame_of

from whimbrel.readers.log import ReaderLog
from whimbrel.records.deed import PAPERS, Action

Tab = Any
HEARD = "() => !Object.keys(localStorage).some(name => name.startsWith('whimbrel-batch-'))"
"""Nothing waits to be told."""
PAINTED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
TURNS = 12
TURN_MILLISECONDS = 10_000


def heard(page: Tab) -> None:
    """Elsewhere on the site: what was done before is told, and is on the disk."""
    page.goto("/favourites")
    page.wait_for_function(HEARD)


def turn_wheel(page: Tab) -> None:
    """A person turns a wheel until the page moves: a browser drops a turn over a frame that it has not painted yet."""
    for _ in range(TURNS):
        page.mouse.wheel(0, 300)
        try:
            page.wait_for_function("() => window.scrolled === true", timeout=TURN_MILLISECONDS)
        except TimeoutError:
            continue
        return
    raise AssertionError("the wheel never moved the copy")


def test_every_action_shows_in_the_statistics(tab: Callable[..., Tab], server: Running, shelf: Path) -> None:
    with ReaderLog(shelf) as log:
        before = len(list(log.deeds()))
    page = tab(viewport={"width": 1280, "height": 600})
    page.goto("/?q=estuary")
    follow(page, ".ask button[value=yes]")
    assert page.locator(".ask").count() == 0
    page.click("a.open[href*='tides']")
    copy = frame_of(page)
    page.wait_for_load_state("load")

    # In the kept copy.
    box = page.locator("iframe#copy").bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 60)
    copy.evaluate("document.body.style.minHeight = '3000px'")
    copy.evaluate(PAINTED)
    page.evaluate(PAINTED)
    page.evaluate("addEventListener('message', e => { if (e.data.what === 'scroll') window.scrolled = true; })")
    turn_wheel(page)
    page.mouse.dblclick(box["x"] + 300, box["y"] + box["height"] - 20)
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+c")
    page.keyboard.press("PageDown")
    page.keyboard.press("PageUp")

    # In the bar.
    page.click("[data-do=find]")
    # A text counts as looked for some time after it was typed; no time passes here.
    page.evaluate("() => { const later = setTimeout; window.setTimeout = call => later(call, 0); }")
    page.fill("#find-text", "godwits")
    page.locator("#find-count").filter(has_text="of").wait_for()
    page.evaluate("() => new Promise(done => setTimeout(() => setTimeout(done)))")
    page.click("[data-do=find-close]")
    page.click("[data-do=stop]")
    with page.expect_download():
        page.click("a[download]")
    page.click("button[aria-label=Favourite]")
    page.wait_for_selector("button[aria-label=Favourite][aria-pressed=true]")
    page.click("button[aria-label=Favourite]")
    page.wait_for_selector("button[aria-label=Favourite][aria-pressed=false]")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")

    # From page to page.
    frame_of(page).click("a >> nth=0")
    page.wait_for_url(lambda url: "tides" not in url)
    page.wait_for_load_state("load")
    page.click("[data-do=back]")
    page.wait_for_url("**tides**")
    page.wait_for_load_state("load")
    page.click("[data-do=forward]")
    page.wait_for_url(lambda url: "tides" not in url)
    page.wait_for_load_state("load")
    page.reload()
    follow(page, ".wordmark")
    page.fill("#q", TIDES)
    page.press("#q", "Enter")
    page.wait_for_url("**typed=1")
    page.wait_for_load_state("load")
    heard(page)

    with ReaderLog(shelf) as log:
        done = list(log.deeds())[before:]
    (reader,) = {each.reader for each in done}
    counts = {action: sum(each.action is action for each in done) for action in Action}
    # The keys scroll too.
    assert 1 <= counts[Action.SCROLL] <= 3
    once = (*PAPERS[1:], Action.KEY_UP, Action.KEY_DOWN, Action.REFRESH, Action.OPENED)
    assert {action.word: counts[action] for action in once} == {action.word: 1 for action in once}
    assert counts[Action.SHOWN] == 3
    opened = next(each for each in done if each.action is Action.OPENED)
    assert (opened.page, opened.query, opened.rank) == (TIDES, "estuary", 2)
    copied = next(each for each in done if each.action is Action.COPY)
    assert (copied.page, copied.query, copied.rank, copied.version) == (TIDES, "estuary", 2, opened.version)
    assert sum(each.amount for each in done if each.action is Action.TIME) > 0

    page.goto("/statistics")
    page.fill("#key", server.key)
    follow(page, "button.primary")
    page.goto(f"/statistics?reader={reader}")
    for action in PAPERS:
        assert page.locator(f"tr[data-action={action.word}] .times").inner_text() == str(counts[action]), action
    assert page.troubles == []


def test_what_is_done_while_the_server_is_away_is_told_later(tab: Callable[..., Tab], shelf: Path) -> None:
    page = tab()
    page.goto("/")
    follow(page, ".ask button[value=yes]")
    page.goto(f"/read?url={TIDES}&view=text")
    page.route("**/events", lambda route: route.abort())
    page.keyboard.press("PageDown")
    page.keyboard.press("PageUp")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    page.wait_for_function(HEARD.replace("!Object", "Object"))
    page.unroute("**/events")
    with ReaderLog(shelf) as log:
        before = len(list(log.deeds()))
    heard(page)
    with ReaderLog(shelf) as log:
        done = [each.action for each in log.deeds()][before:]
    assert sorted(done.count(action) for action in (Action.KEY_DOWN, Action.KEY_UP)) == [1, 1]


def test_a_page_does_nothing_in_its_readers_name(tab: Callable[..., Tab], shelf: Path) -> None:
    page = tab()
    page.goto("/")
    follow(page, ".ask button[value=yes]")
    with ReaderLog(shelf) as log:
        before = len(list(log.deeds()))
    page.goto(f"/read?url={HOSTILE}&view=copy")
    copy = frame_of(page)
    # What a script in the frame could say that knows the token: ours alone is there, and ours says no more than this.
    copy.evaluate(
        """() => {
          for (let i = 0; i < 500; i++) { scrollTo(0, i * 10); document.body.click(); }
          document.dispatchEvent(new ClipboardEvent('copy'));
          document.dispatchEvent(new KeyboardEvent('keydown', { key: 'PageDown' }));
          parent.postMessage({ token: 'wrong', kind: 'did', what: 'copy' }, '*');
        }"""
    )
    token = page.locator("iframe#copy").get_attribute("data-token")
    copy.evaluate(
        """token => {
          for (let i = 0; i < 500; i++) parent.postMessage({ token, kind: 'did', what: 'copy' }, '*');
          for (const what of ['favourite', 'stars', 'shown', '__proto__', 5, null])
            parent.postMessage({ token, kind: 'did', what }, '*');
        }""",
        token,
    )
    page.evaluate("0")
    heard(page)
    with ReaderLog(shelf) as log:
        done = [each.action for each in log.deeds()][before:]
    assert {action for action in done if action not in (Action.TIME, Action.ACTIVE)} == {Action.COPY}
    assert done.count(Action.COPY) <= 40


def test_without_a_yes_no_script_of_ours_tells_anything(tab: Callable[..., Tab]) -> None:
    page = tab()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
    page.goto("/?q=estuary")
    page.click("a.open >> nth=0")
    frame_of(page)
    page.mouse.wheel(0, 300)
    page.goto("/me")
    assert not any(line.startswith("POST") or "told.js" in line for line in asked[:-1] if "/me" not in line)
    assert page.evaluate("localStorage.length") == 0
    assert not [cookie for cookie in page.context.cookies() if "reader" in cookie["name"]]


def test_yes_no_and_delete_by_keys_alone(tab: Callable[..., Tab]) -> None:
    page = tab()
    page.goto("/?q=estuary")
    page.locator(".ask button[value=yes]").focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.locator(".ask").count() == 0
    page.goto("/me")
    page.locator(".sure summary").focus()
    page.keyboard.press("Enter")
    page.locator(".sure button").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("text=What you read here is not remembered")
    page.goto("/?q=estuary")
    assert page.locator(".ask").count() == 0
