"""What a hostile copy, and a hostile site elsewhere, can do in a real browser: nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kept_shelf import HOSTILE, HUGE, TIDES
from web_client import PATIENCE_MS, PERSON, Running, follow, frame_of, settle

from whimbrel.readers.log import ReaderLog
from whimbrel.readers.tallies import Tallies
from whimbrel.testing.web import Reply, TinyWeb
from whimbrel.urls.normal import key, normalise

Tab = Any


def test_a_hostile_copy_changes_and_reads_nothing(
    tab: Callable[..., Tab], server: Running, evil: TinyWeb, artefacts: Path
) -> None:
    page = tab()
    loads: list[str] = []
    page.on("request", lambda request: loads.append(request.url))
    page.goto(f"/read?url={HOSTILE}&view=copy")
    frame = frame_of(page)
    address, title = page.url, page.title()
    for spot in ("#js", "#data", "p"):
        frame.locator(spot).first.click(force=True)
    frame.evaluate("document.querySelector('form').submit()")
    settle(page)
    assert frame.locator("meta[http-equiv]").count() == 0, "nothing is left that would load it again later"
    page.screenshot(path=artefacts / "hostile-touched.png")
    assert evil.log == []
    assert sum("/copy?" in url for url in loads) == 1  # it did not load itself again
    assert page.evaluate("window.owned") is None
    assert frame.evaluate("window.owned") is None
    assert (page.url, page.title()) == (address, title)
    assert page.troubles == []
    assert "A hostile page about estuaries" in frame.locator("body").text_content()
    # What it could reach if it had a script after all: nothing of ours.
    for reach in ("parent.document.title", "document.cookie", "localStorage.length", "top.location.href"):
        assert (
            frame.evaluate(f"(() => {{ try {{ return String({reach}) }} catch (e) {{ return e.name }} }})()")
            == "SecurityError"
        )
    blocked = frame.evaluate(f"fetch('{server.address}/api/favourites').then(() => 'read', () => 'blocked')")
    assert blocked == "blocked"


def test_a_hostile_copy_is_harmless_without_its_policy_too(tab: Callable[..., Tab], evil: TinyWeb) -> None:
    """The second wall is taken away: what was written has to be harmless by itself."""
    page = tab()
    bared: list[str] = []

    def bare(route: Any) -> None:
        answer = route.fetch()
        held = {name: value for name, value in answer.headers.items() if name != "content-security-policy"}
        bared.append(route.request.url)
        route.fulfill(response=answer, headers=held)

    page.route("**/kept/**", bare)
    page.goto(f"/read?url={HOSTILE}&view=copy")
    frame = frame_of(page)
    settle(page)
    assert bared
    assert evil.log == []
    assert page.evaluate("window.owned") is None
    assert frame.evaluate("window.owned") is None


def test_messages_without_the_token_are_not_heard(tab: Callable[..., Tab]) -> None:
    page = tab()
    page.goto(f"/read?url={HOSTILE}&view=copy")
    frame = frame_of(page)
    opened: list[str] = []
    page.on("request", lambda request: opened.append(request.url) if request.is_navigation_request() else None)
    wish = "kind: 'open', url: 'http://a.example/bare'"
    frame.evaluate(f"parent.postMessage({{ {wish} }}, '*')")
    frame.evaluate(f"parent.postMessage({{ token: 'guess', {wish} }}, '*')")
    token = page.get_attribute("#copy", "data-token")
    page.evaluate(f"window.postMessage({{ token: '{token}', {wish} }}, '*')")  # from the wrong window
    frame.evaluate(f"parent.postMessage({{ token: '{token}', kind: 'open', url: 'javascript:alert(1)' }}, '*')")
    settle(page)
    assert opened == []
    assert "hostile" in page.url
    frame.evaluate(f"parent.postMessage({{ token: '{token}', {wish} }}, '*')")
    page.wait_for_url("**/read?url=http%3A%2F%2Fa.example%2Fbare")
    assert len([url for url in opened if "/read?" in url]) == 1, "of all that was said, one message was heard"


def test_a_copy_opened_by_itself_is_still_nobodys(tab: Callable[..., Tab], evil: TinyWeb) -> None:
    page = tab()
    page.goto(f"/read?url={HOSTILE}&view=copy")
    page.goto(frame_of(page).url)
    assert page.evaluate("origin") == "null"
    page.evaluate("() => new Promise(done => setTimeout(() => setTimeout(done)))")
    assert evil.log == []
    assert page.evaluate("window.owned") is None


def test_a_huge_copy_does_not_stop_the_reader(tab: Callable[..., Tab]) -> None:
    """The browser's patience is the measure: what does not answer within it has stopped."""
    page = tab()
    page.goto(f"/read?url={HUGE}&view=copy", wait_until="commit")
    page.click("text=Links")
    page.wait_for_url("**view=links**")
    assert page.locator("h1").text_content().strip() == "A very long page"


# `localhost` is another site than 127.0.0.1 to a browser; another port of 127.0.0.1 is the same site, whose cookies
# it shares, but another origin.
def test_another_site_can_neither_count_nor_post(browser: Any, server: Running, shelf: Path) -> None:
    url = normalise(TIDES)
    assert isinstance(url, str)
    with TinyWeb({"/": Reply(b"<!doctype html><title>elsewhere</title><p>words")}) as web:
        for origin in (web.url("").replace("127.0.0.1", "localhost").rstrip("/"), web.url("").rstrip("/")):
            context = browser.new_context(user_agent=PERSON)
            context.set_default_timeout(PATIENCE_MS)
            page = context.new_page()
            page.goto(f"{server.address}/")  # a visitor, with a cookie
            follow(page, ".ask button[value=yes]")  # and a reader, with another
            page.goto(f"{origin}/")
            with ReaderLog(shelf) as log:
                before = Tallies(log).of(key(url))
            told = page.evaluate(DRAWN_IN, server.address)
            with ReaderLog(shelf) as log:
                assert Tallies(log).of(key(url)) == before, origin
            assert told["image"] == "error"
            assert told["read"] == "TypeError"
            assert told["framed"] == "SecurityError"
            assert server.get("/api/favourites").json() == {"favourites": []}
            context.close()


DRAWN_IN = """async address => {
  const image = new Image();
  const drawn = new Promise(done => { image.onload = () => done("load"); image.onerror = () => done("error"); });
  image.src = address + "/?q=estuary";
  const ask = path => fetch(address + path, { mode: "no-cors", credentials: "include" });
  await ask("/read?url=http://a.example/tides&q=estuary").catch(() => null);
  const read = await fetch(address + "/api/favourites").then(answer => answer.text(), error => error.name);
  const body = new URLSearchParams({ url: "http://a.example/tides", keep: "yes", token: "guess" });
  await fetch(address + "/favourite", { method: "POST", mode: "no-cors", credentials: "include", body })
    .catch(() => null);
  const frame = document.createElement("iframe");
  const loaded = new Promise(done => { frame.onload = done; });
  frame.src = address + "/crawl";
  document.body.append(frame);
  await loaded;
  let framed;
  try { framed = frame.contentWindow.document.title; } catch (error) { framed = error.name; }
  return { image: await drawn, read, framed };
}"""
