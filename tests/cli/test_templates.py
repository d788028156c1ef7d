"""`templates`, `pages --like` and `pages --why` over a small site of two kinds of pages."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grown_folder import Served, grow

Call = Callable[..., Any]
SITE = "http://a.example"
SHELL = b"<title>App</title><div id=app></div><script src=/app.js></script>"


def article(number: int) -> bytes:
    paragraphs = f"<p>words of article {number}, which no other has: {number * 7919}</p>" * (2 + number % 4)
    return (
        f"<title>Article {number}</title><main class=article><h1>Article {number}</h1><div class=byline><time>now"
        f"</time></div><section class=text>{paragraphs}</section><aside class=related><a href=/>home</a></aside></main>"
    ).encode()


def person(number: int) -> bytes:
    facts = f"<dt>number<dd>{number * 104729}" * (1 + number % 3)
    return (
        f"<title>Person {number}</title><main class=person><figure class=portrait><img alt=p></figure>"
        f"<dl class=facts>{facts}</dl><p>This is person {number}, in words of their own.</p></main>"
    ).encode()


def links(to: list[str]) -> bytes:
    items = "".join(f'<li class=item><a href="{path}">{path}</a></li>' for path in to)
    return f"<title>Start</title><main class=listing><ul class=items>{items}</ul></main>".encode()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    articles = {f"/article/{number}": article(number) for number in range(20)}
    people = {f"/person/{number}": person(number) for number in range(12)}
    others = {"/empty": b"", "/shell": SHELL}
    pages = {"/": links([*articles, *people, *others, "/gone"]), **articles, **people, **others}
    folder = tmp_path_factory.mktemp("kinds") / "folder"
    grow(folder, {SITE + path: Served(body) for path, body in pages.items()})
    return folder


def test_the_kinds_of_a_site(call: Call, site: Path) -> None:
    said = call("templates", "a.example", "--repo", site, "--json")
    assert said.code == 0
    kinds = {kind["title"].partition(" ")[0]: kind["pages"] for kind in said.object["kinds"]}
    assert kinds["Article"] == 20
    assert kinds["Person"] == 12
    assert not said.object["one_template"]
    shown = call("templates", "--all", "--repo", site)
    assert f"{SITE}/article/" in shown.out
    assert "kinds among" in shown.err


def test_one_template_for_everything_is_said(call: Call, tmp_path: Path) -> None:
    pages = {f"{SITE}/{number}": Served(article(number).replace(b"href=/>", f"href=/{number + 1}>".encode()))
             for number in range(25)}  # fmt: skip
    grow(tmp_path / "one", {f"{SITE}/": Served(article(99).replace(b"href=/>", b"href=/0>")), **pages})
    assert "one template for everything" in call("templates", "--all", "--repo", tmp_path / "one").err
    said = call("pages", "--like", f"{SITE}/3", "--repo", tmp_path / "one")
    assert said.code == 0
    assert "one template for everything" in said.err


@pytest.mark.parametrize("examples", [["/article/3"], ["/article/3", "/article/4", "/article/5"]])
def test_pages_like_examples(call: Call, site: Path, examples: list[str]) -> None:
    likes = [part for path in examples for part in ("--like", SITE + path)]
    said = call("pages", *likes, "--repo", site, "--json")
    assert said.code == 0
    assert {line["url"] for line in said.lines} == {f"{SITE}/article/{number}" for number in range(20)}
    similarities = [line["similarity"] for line in said.lines]
    assert similarities == sorted(similarities, reverse=True)
    shown = call("pages", *likes, "--repo", site, "--limit", "2")
    assert len([line for line in shown.out.splitlines() if SITE in line]) == 2
    assert "20 pages of 3" in shown.err


def test_why(call: Call, site: Path) -> None:
    nearest = call("pages", "--why", f"{SITE}/person/3", "--repo", site, "--json").object
    assert nearest["alike"]
    assert "/person/" in nearest["nearest"][0]
    against = call("pages", "--why", f"{SITE}/person/3", "--like", f"{SITE}/article/3", "--repo", site, "--json").object
    assert not against["alike"]
    assert against["similarity"] < against["threshold"]
    assert "threshold" in call("pages", "--why", f"{SITE}/person/3", "--repo", site).out


@pytest.mark.parametrize(
    ("example", "code", "words"),
    [
        ("/empty", 1, "is empty"),
        ("/shell", 1, "a script fills"),
        ("/gone", 1, "http_404"),
        ("/never", 3, "is not known"),
    ],
)
def test_what_shows_no_kind_of_page(call: Call, site: Path, example: str, code: int, words: str) -> None:
    for flag in ("--like", "--why"):
        said = call("pages", flag, SITE + example, "--repo", site)
        assert (said.code, words in said.err) == (code, True), said.err


def test_what_cannot_be_understood(call: Call, site: Path) -> None:
    assert call("templates", "--repo", site).code == 2
    assert call("templates", "other.example", "--repo", site).code == 3
    assert call("pages", "--like", f"{SITE}/", "--twins", "--repo", site).code == 2
