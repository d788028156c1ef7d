"""A topic begun from the crawl room: what is about it is kept, and only what may be asked is asked."""

import json
import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path

import pytest
from test_serving import wait_for_end
from web_client import Running

from commands import run
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.contract import DEFAULTS
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

TIDES = "The tide rises and the ebb follows; high water and low water of the tide are told for the estuary. " * 8
BREAD = "Flour, yeast and salt become a dough that rests overnight before the oven is heated for bread. " * 8
OTHERS = 12


def estuary() -> dict[str, Reply]:
    """A site of which a quarter is about tides."""
    about = {f"/tide/{name}.html": TIDES for name in ("high", "low", "spring", "neap")}
    other = {f"/bread/{number}.html": f"{number} {BREAD}" for number in range(OTHERS)}
    links = "".join(f'<a href="{path}">{path.strip("/")[:-5]}</a> ' for path in (*about, *other))
    pages = {path: f"<title>{path[1:-5]}</title><p>{path} {text}</p>" for path, text in (about | other).items()}
    return {path: Reply(text.encode()) for path, text in ({"/": f"<title>All</title>{links}"} | pages).items()}


def kept(server: Running) -> set[str]:
    told = server.get("/urls", state="kept").text
    return {path for path in estuary() if f"{path}<" in told or f"{path}&" in told}


def test_a_topic_with_an_example_is_begun_and_its_harvest_is_told(
    serving: Callable[..., Running], tmp_path: Path
) -> None:
    server = serving(tmp_path, networks=("127.0.0.0/8",))
    cookie, token = server.visit()
    with TinyWeb(estuary()) as web:
        form = {"url": web.url("/"), "topic": "tide", "examples": web.url("/tide/high.html"), "delay": "0"}
        assert server.post("/crawl/start", form | {"token": token}, Cookie=cookie).status == 303
        assert wait_for_end()
        assert {path for path in kept(server) if path != "/"} == {path for path in estuary() if "tide" in path}


def test_examples_are_checked_as_the_site_is(serving: Callable[..., Running], tmp_path: Path) -> None:
    """By the form and by the interface for programs; and by the crawl itself, wherever a name leads by then."""
    server = serving(tmp_path / "folder")
    cookie, token = server.visit()
    with TinyWeb(estuary()) as web:
        form = {"url": "https://x.example", "topic": "tide", "examples": f"https://x.example/a {web.url('/')}"}
        answer = server.post("/crawl/start", form | {"token": token}, Cookie=cookie)
        assert (answer.status, "--allow-network" in answer.text) == (400, True)
        assert web.url("/") in answer.text, "what was typed stays"
        sent = json.dumps({**form, "examples": [web.url("/")]}).encode()
        assert server.ask("POST", "/api/crawl", sent, Cookie=cookie, X_Whimbrel_Token=token).status == 409
        given = ("--topic", "tide", "--examples", web.url("/tide/low.html"))
        for name in ("127.0.0.1", "localhost"):
            done = run("crawl", "--from-browser", f"http://{name}:{web.port}/", *given, "--repo", tmp_path / name)
            assert done.returncode != 0
            run("crawl", "--repo", tmp_path / name)
        assert web.log == []


def test_what_is_wrong_with_a_topic_is_said(server: Running) -> None:
    cookie, token = server.visit()
    for form, said in (
        ({"topic": "tide", "examples": "file:///etc/passwd"}, "cannot be crawled"),
        ({"examples": "https://x.example/a"}, "Say in a few words"),
        ({"topic": "tide", "examples": " ".join(f"x.example/{number}" for number in range(11))}, "10 at most"),
    ):
        answer = server.post("/crawl/start", {"url": "https://x.example", "token": token} | form, Cookie=cookie)
        assert (answer.status, said in answer.text) == (400, True), form


@pytest.fixture
def grown(serving: Callable[..., Running], tmp_path: Path) -> Iterator[tuple[Running, TinyWeb]]:
    """A server on a folder for which a topic was crawled and indexed."""
    with TinyWeb(estuary()) as web:
        given = ("--topic", "tide", "--examples", web.url("/tide/high.html"), "--delay", "0", "--repo", tmp_path)
        assert run("crawl", web.url("/"), *given).returncode == 0
        with Indexer(tmp_path, DEFAULTS) as indexer:
            indexer.catch_up()
        yield serving(tmp_path, networks=("127.0.0.0/8",)), web


def test_terms_are_shown_edited_and_used_by_the_next_run(grown: tuple[Running, TinyWeb]) -> None:
    server, _ = grown
    cookie, token = server.visit()
    shown = re.search(r'href="(/crawl/terms\?number=\d+)"', server.get("/crawl").text)
    assert shown is not None
    first = server.get(shown[1]).text
    terms = unescape(re.search(r"<textarea[^>]*>\n(.*?)</textarea>", first, re.DOTALL)[1])  # type: ignore[index]
    assert 'topic = "tide"' in terms
    assert '"estuary" = ' in terms, "as pages write it, not by its stem"
    form = {"number": shown[1].rpartition("=")[2], "token": token, "do": "save"}
    for wrong, said in (
        ("[keywords]\ntide = 7", "a number above 0 and up to 1"),
        ("[keywords", "no file of terms"),
        ('topic = "bread"\n[keywords]\nbread = 1.0', "begin another crawl"),
        ('topic = "tide"\n[keywords]\nthe = 1.0', "stop words"),
        (" ", "There is no keyword"),
    ):
        answer = server.post("/crawl/terms", form | {"terms": wrong}, Cookie=cookie)
        assert (answer.status, said in unescape(answer.text)) == (400, True), wrong
    edited = 'topic = "tide"\nlanguage = "en"\n[keywords]\ndough = 1.0\nyeast = 1.0\n'
    answer = server.post("/crawl/terms", form | {"terms": edited}, Cookie=cookie)
    assert answer.status == 303
    after = server.get(answer.headers["location"]).text
    assert "The next run for this topic uses these terms" in after
    assert "Take the edits back" in after
    before = kept(server)
    assert server.post("/crawl/resume", {"token": token}, Cookie=cookie).status == 303
    assert wait_for_end()
    assert {path for path in kept(server) - before if "bread" in path}, server.get("/crawl").text
    shown = re.search(r'href="(/crawl/terms\?number=\d+)"', server.get("/crawl").text)
    assert shown is not None
    used = server.get(shown[1]).text
    assert "dough" in used
    assert "Take the edits back" not in used, "the run has taken them"


def test_terms_edited_while_a_crawl_runs_count_at_once(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path, networks=("127.0.0.0/8",))
    cookie, token = server.visit()
    with TinyWeb(estuary()) as web:
        web.hold("/bread/3.html")
        form = {"url": web.url("/"), "topic": "tide", "examples": web.url("/tide/high.html"), "delay": "0"}
        assert server.post("/crawl/start", form | {"token": token}, Cookie=cookie).status == 303
        assert web.wait_for("/bread/3.html")
        before = unescape(server.get("/crawl/terms", number="1").text)
        assert "What you save counts at once" in before
        edited = 'topic = "tide"\nlanguage = "en"\nthreshold = 0.1\n[keywords]\ndough = 1.0\nyeast = 1.0\n'
        sent = {"number": "1", "token": token, "do": "save", "terms": edited}
        answer = server.post("/crawl/terms", sent, Cookie=cookie)
        assert answer.headers["location"] == "/crawl/terms?number=1&saved=now"
        assert "judges by these terms from now on" in server.get(answer.headers["location"]).text
        web.release("/bread/3.html")
        assert wait_for_end()
        assert {path for path in kept(server) if "bread" in path} == {path for path in estuary() if "bread" in path}
        assert "dough" in server.get("/crawl/terms", number="1").text, "the topic is found under the number it had"
        assert server.get("/crawl/terms", number="2").status == 200


def test_more_like_the_answers_of_a_search(grown: tuple[Running, TinyWeb]) -> None:
    server, web = grown
    cookie, token = server.visit()
    lead = re.search(r'href="(/crawl/like\?q=[^"]+)"', server.get("/", q="low tide").text)
    assert lead is not None
    asked = server.get(unescape(lead[1])).text
    assert f"<b><bdi>127.0.0.1:{web.port}</bdi></b>" in asked
    assert 'name="topic" required maxlength="200" value="low tide"' in asked
    assert re.search(r'name="limit"[^>]*value="100"', asked)
    examples = re.findall(r'name="(example\d)" value="([^"]+)" checked', asked)
    assert 1 <= len(examples) <= 5
    before = len(web.log)
    form = {"q": "low tide", "topic": "dough yeast", "limit": "3", "token": token}
    none = server.post("/crawl/like", form, Cookie=cookie)
    assert (none.status, "Choose at least one page" in none.text) == (400, True)
    barred = server.post("/crawl/like", form | {"example0": "http://10.0.0.1/x"}, Cookie=cookie)
    assert (barred.status, "--allow-network" in barred.text) == (400, True)
    assert len(web.log) == before, "nothing is asked before somebody says so"
    chosen = {"example0": web.url("/bread/1.html"), "example1": web.url("/bread/2.html")}
    assert server.post("/crawl/like", form | chosen, Cookie=cookie).status == 303
    assert wait_for_end()
    assert 2 <= len({path for path in kept(server) if "bread" in path}) <= 3, server.get("/crawl").text


def test_what_is_not_there_is_said(server: Running) -> None:
    assert server.get("/crawl/terms", number="77").status == 404
    assert server.get("/crawl/terms").status == 404
    assert "No web page that is kept answers" in server.get("/crawl/like", q="zzzqqq").text
    assert server.get("/crawl/like").status == 200
