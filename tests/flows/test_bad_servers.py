"""Hostile servers: a page or a typed failure each, the rest is crawled, and no terminal obeys them."""

import gzip
import os
import pty
import subprocess
from pathlib import Path

import pytest

from commands import WHIMBREL, Ask
from folders import check_archives, consistent, crawl, finish, outcomes, rows
from whimbrel.testing.reply import bomb, redirect
from whimbrel.testing.web import Page, Reply, TinyWeb, site

ESCAPE = b"\x1b"

# Hostile servers.

TEXT = b"<p>" + b"words enough to be a page of its own " * 9
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
NESTED = b"<title>deep</title>" + b"<div>" * 100_000 + b"<a href=/from-deep>x</a>"
HOSTILE: dict[str, tuple[Page, set[str]]] = {
    "endless-body": (Reply(endless_body=True), {"failed:too_large"}),
    "endless-chunks": (Reply(endless_body=True, chunked=True), {"failed:too_large"}),
    "endless-gzip": (Reply(endless_body=True, chunked=True, codings=("gzip",)), {"failed:too_large"}),
    "header-bomb": (Reply(endless_headers=True), {"failed:headers_too_large"}),
    "gzip-bomb": (bomb("gzip"), {"failed:too_large"}),
    "brotli-bomb": (bomb("br", 16), {"failed:too_large"}),
    "zstd-bomb": (bomb("zstd", 64), {"failed:too_large"}),
    "slow-drip": (Reply(TEXT, drip_seconds=0.2), {"unreachable:slow", "unreachable:timeout"}),
    "silent": (Reply(silent=True), {"unreachable:slow", "unreachable:timeout"}),
    "too-short": (Reply(TEXT, declared_length=9000), {"unreachable:cut"}),
    "too-long": (Reply(TEXT, declared_length=100), {"fetched"}),
    "cut": (Reply(TEXT, chunked=True, cut_after=100), {"unreachable:cut"}),
    "reset": (Reply(TEXT, cut_after=100, reset=True), {"unreachable:connect"}),
    "garbage": (Reply(raw=b"\x00\x01garbage\r\n\r\n" * 50), {"failed:protocol"}),
    "nothing": (Reply(raw=b""), {"unreachable:connect"}),
    "two-lengths": (Reply(raw=HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nokk"), {"failed:protocol"}),
    "not-gzip": (Reply(TEXT, headers=(("Content-Encoding", "gzip"),)), {"failed:encoding"}),
    "status-999": (Reply(raw=b"HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n"), {"unreachable:http_999"}),
    "status-204": (Reply(raw=b"HTTP/1.1 204 None\r\n\r\n"), {"failed:http_204"}),
    "loop": (redirect("/loop-2"), {"redirected"}),
    "loop-2": (redirect("/loop"), {"redirected"}),
    "self": (redirect("/self"), {"failed:redirect"}),
    "nowhere": (redirect("http://[bad"), {"failed:redirect"}),
    "empty-location": (redirect(""), {"failed:http_302"}),
    "stair": (lambda request: redirect(request.path + "x"), {"redirected"}),
    "nested": (NESTED, {"fetched"}),
    "attributes": (b"<p " + b"a=b " * 900_000 + b">x", {"fetched"}),
    "comment": (b"<!--" + b"-" * 3_000_000, {"fetched"}),
    "entities": (b"&" * 1_000_000 + b"&#xD800;&#0;&#x110000;", {"fetched"}),
    "nul": (b"<title>\0nul\0</title><p>\0" + TEXT, {"fetched"}),
    "empty": (b"", {"fetched"}),
}
CHARSETS = [
    "nonsense", "utf-7", "unicode_escape", "idna", "base64", "undefined", "utf-16", "utf-32", "\x1b[31m", "'",
    "utf-8-sig", "x-user-defined", "replacement", "iso-2022-jp", "raw_unicode_escape", "surrogateescape",
]  # fmt: skip
CURSED = rb"+2AA- \ud800 \xd8\x00 " + b"\xff\xfe\xd8\x00\x00\xd8 \xed\xa0\x80 \x1b$B\x7f"


def hostile_site() -> dict[str, Page]:
    good = site(25, 4, seed=2)
    links = [*HOSTILE, *(f"charset-{number}" for number in range(len(CHARSETS)))]
    start_page = (
        "<title>s</title>" + "".join(f'<a href="/{name}">{name}</a>' for name in links) + '<a href="/good">g</a>'
    )
    pages = {**good, "/": start_page, "/good": good["/"]}
    pages |= {f"/{name}": page for name, (page, _) in HOSTILE.items()}
    for number, charset in enumerate(CHARSETS):
        body = (
            b"<title>"
            + CURSED
            + b"</title><p>"
            + CURSED
            + TEXT
            + b"<a href='/\xd8\x00?\xff'>x</a>"
            + str(number).encode()
        )
        pages[f"/charset-{number}"] = Reply(body, content_type=f"text/html; charset={charset}")
    return pages


class Stairs(dict[str, Page]):
    """Every step of the endless stair redirects one step on."""

    def get(self, path: str, default: Page = "") -> Page:  # type: ignore[override]
        return self["/stair"] if path.startswith("/stair") else super().get(path, default)


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TinyWeb]:
    folder = tmp_path_factory.mktemp("attacked")
    config = folder / "settings.toml"
    config.write_text("[fetch]\nstall_seconds = 1\ntotal_seconds = 2\nmax_size_bytes = '4MB'\n")
    with TinyWeb(hostile_site()) as web:
        web.pages = Stairs(web.pages)
        answer = finish(folder / "data", web.url("/"), "--config", str(config))
    assert answer["ended"] == "finished"
    return folder / "data", web


def test_every_hostile_answer_ends_as_a_page_or_a_typed_failure(attacked: tuple[Path, TinyWeb]) -> None:
    found = outcomes(attacked[0])
    unexpected = {
        name: found.get(f"/{name}") for name, (_, fits) in HOSTILE.items() if found.get(f"/{name}") not in fits
    }
    assert unexpected == {}
    charsets = {found[f"/charset-{number}"] for number in range(len(CHARSETS))}
    assert charsets <= {"fetched", "duplicate"}
    assert "discovered" not in found.values()


def test_the_rest_of_the_attacked_site_is_all_there_and_the_archives_are_whole(attacked: tuple[Path, TinyWeb]) -> None:
    folder, _ = attacked
    found = outcomes(folder)
    good = {path for path in site(25, 4, seed=2) if path != "/"}
    assert {found[path] for path in [*good, "/", "/good"]} == {"fetched"}
    consistent(folder)
    check_archives(folder)


def test_an_endless_stair_of_redirects_is_left(attacked: tuple[Path, TinyWeb]) -> None:
    stairs = {path: outcome for path, outcome in outcomes(attacked[0]).items() if path.startswith("/stair")}
    assert len(stairs) == 11
    assert stairs["/stair" + "x" * 10] == "failed:redirect"


def test_what_was_cut_from_a_page_is_recorded(attacked: tuple[Path, TinyWeb]) -> None:
    query = "SELECT v.cut FROM url u JOIN version v ON v.id = u.version WHERE u.url LIKE ?"
    for name in ("nested", "attributes"):
        ((cut,),) = rows(attacked[0], query, [f"%/{name}"])
        assert cut


def test_a_failure_says_why_in_one_printable_line(attacked: tuple[Path, TinyWeb]) -> None:
    reasons = rows(attacked[0], "SELECT url, reason FROM url WHERE outcome IN ('failed', 'unreachable', 'refused')")
    assert reasons
    assert [url for url, reason in reasons if not reason or not str(reason).isprintable()] == []


CUT: dict[str, Reply] = {
    "length": Reply(TEXT, cut_after=100),
    "chunks": Reply(TEXT, chunked=True, cut_after=100),
    "gzip": Reply(raw=HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(TEXT)[:-5]),
    "header": Reply(raw=HEAD),
}


def test_cut_answers_are_asked_for_again(tmp_path: Path) -> None:
    """What was cut twice is whole the third time, or never becomes a page; either way it is asked for three times."""
    links = "".join(f"<a href=/{how}/{name}>x</a>" for how in ("mended", "torn") for name in CUT)
    pages: dict[str, Page] = {"/": links, "/robots.txt": [CUT["length"], ""]}
    for name, cut in CUT.items():
        pages[f"/mended/{name}"] = [cut, cut, TEXT + name.encode()]
        pages[f"/torn/{name}"] = cut
    with TinyWeb(pages) as web:
        crawl(tmp_path, web.url("/"))
        assert {web.count(path) for path in pages if path.startswith(("/mended", "/torn"))} == {3}
        assert web.count("/robots.txt") == 2
    found = outcomes(tmp_path)
    assert {found[f"/mended/{name}"] for name in CUT} == {"fetched"}
    assert {found[f"/torn/{name}"] for name in CUT} == {"unreachable:cut"}
    reasons = rows(tmp_path, "SELECT DISTINCT reason FROM url WHERE rule = 'cut'")
    assert sorted(str(reason) for (reason,) in reasons) == [
        "the connection closed inside the header of the answer",
        "the connection closed too early inside its chunks: 100 bytes came",
        f"the connection closed too early: 100 bytes of the {len(TEXT)} announced came",
        "the gzip body ends too early",
    ]


# Terminals.

RED, TITLE, EIGHT_BIT = "\x1b[31mred\x1b[0m", "\x1b]0;owned\x07", "\x9b31m"
NASTY = f"{RED} {TITLE} {EIGHT_BIT} \u202egnp.exe\u2066"


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nasty")
    raw_head = f'HTTP/1.1 200 OK\r\nContent-Type: text/html{RED}\r\nETag: "{RED}"\r\nLast-Modified: {RED}\r\n'
    body = f"<title>{NASTY}</title><html lang='{RED}'><link rel=canonical href='{RED}'><p>{NASTY}".encode()
    pages: dict[str, Page] = {
        "/": f"<title>{NASTY}</title><p>{NASTY}</p>" + "".join(f"<a href='/{n}'>{NASTY}</a>" for n in "abcd"),
        "/a": Reply(raw=f"{raw_head}Content-Length: {len(body)}\r\n\r\n".encode() + body),
        "/b": redirect(f"http://[{RED}"),
        "/c": Reply(raw=f"HTTP/1.1 {RED} x\r\n\r\n".encode()),
        "/d": Reply(b"x", content_type=f"image/{RED}"),
    }  # fmt: skip
    with TinyWeb(pages) as web:
        crawl(folder, web.url("/"))
    assert len(outcomes(folder)) == 5
    return folder


@pytest.mark.parametrize(
    "verb",
    [
        ["pages"],
        ["pages", "--outcome", "failed", "--outcome", "refused", "--outcome", "fetched"],
        ["pages", "--json"],
        ["pages", "URL/"],
        ["pages", "URL/a"],
        ["pages", "URL/a", "--json"],
        ["pages", "URL/b"],
        ["status"],
        ["status", "--json"],
        ["export"],
    ],
    ids=" ".join,
)
def test_what_servers_say_does_not_command_the_terminal(ask: Ask, nasty: Path, verb: list[str]) -> None:
    ((seed,),) = rows(nasty, "SELECT url FROM seed")
    done = ask(*(word.replace("URL/", str(seed)) for word in verb), "--repo", nasty)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    for character in ("\x1b", "\x07"):
        assert character not in done.stdout + done.stderr
    if "--json" not in verb and verb != ["export"]:
        assert not {"\x9b", "\u202e", "\u2066"} & set(done.stdout + done.stderr)


def test_the_live_display_shows_nothing_that_a_server_wrote_raw(tmp_path: Path) -> None:
    """On a real terminal, so only the display's own escapes may be there."""
    robots = Reply(f"User-agent: *\nCrawl-delay: 1\nDisallow: /{NASTY}\n".encode())
    with TinyWeb({"/": f"<title>{NASTY}</title><a href='/b'>{NASTY}</a>", "/robots.txt": robots}) as web:
        web.pages["/b"] = redirect(f"http://[{RED}")
        ours, theirs = pty.openpty()
        running = subprocess.Popen(
            [*WHIMBREL, "crawl", web.url("/"), "--repo", str(tmp_path)], stdout=theirs, stderr=theirs
        )
        os.close(theirs)
        shown = b""
        while True:
            try:
                shown += os.read(ours, 65536)
            except OSError:  # the other end of a terminal is gone
                break
        os.close(ours)
        assert running.wait(300) == 0
    assert b"pages kept" in shown
    assert ESCAPE + b"[31mred" not in shown
    assert b"owned" not in shown
