"""Bad seeds, folders, settings and servers: a clear word of what to do, the rest goes on, nothing kept is harmed."""

import os
import pty
import shutil
import socket
import sqlite3
import ssl
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import trustme

from folders import archives, check_archives, consistent, crawl, everything, finish, outcomes, rows, start
from whimbrel.cli.main import main
from whimbrel.testing.reply import bomb, redirect
from whimbrel.testing.web import Page, Reply, TinyWeb, site

WHIMBREL = [sys.executable, "-m", "whimbrel"]
Ask = Callable[..., "subprocess.CompletedProcess[str]"]
ESCAPE = b"\x1b"
_POWERS = "-dac_override,-dac_read_search"
MORTAL = ["setpriv", f"--bounding-set={_POWERS}", f"--inh-caps={_POWERS}"] if os.geteuid() == 0 else ["env"]
"""Root may read everything, unless it is started without that power."""


def run(
    *arguments: str | Path,
    through: Sequence[str] = (),
    env: dict[str, str] | None = None,
) -> "subprocess.CompletedProcess[str]":
    command = [*through, *WHIMBREL, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, env=env)
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture
def ask(capfd: pytest.CaptureFixture[str]) -> Ask:
    """The same command in this process, where there are many to ask."""

    def asked(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
        code = main([str(argument) for argument in arguments])
        return subprocess.CompletedProcess(arguments, code, *capfd.readouterr())

    return asked


# Seeds.


@pytest.mark.parametrize(
    ("seed", "words"),
    [
        ("nonsense", ["'nonsense' cannot be a seed", "https://example.org/"]),
        ("http://", ["cannot be a seed", "https://example.org/"]),
        ("http://[::1", ["cannot be a seed", "host or port"]),
        ("http://example.org:99999/", ["cannot be a seed", "https://example.org/"]),
        ("ftp://example.org/", ["cannot be a seed", "ftp is neither http nor https"]),
        ("mailto:someone@example.org", ["cannot be a seed"]),
        ("http://exa mple.org/", ["cannot be a seed"]),
        ("", ["cannot be a seed"]),
    ],
)
def test_a_malformed_seed_is_named_with_a_better_one(ask: Ask, tmp_path: Path, seed: str, words: list[str]) -> None:
    done = ask("crawl", seed, "--repo", tmp_path / "data")
    assert done.returncode == 2
    for word in words:
        assert word in done.stderr
    assert not (tmp_path / "data").exists()


def test_no_seed_at_all_says_how_to_name_one(tmp_path: Path) -> None:
    done = run("crawl", "--repo", tmp_path / "data")
    assert done.returncode == 2
    assert "Name one: whimbrel crawl https://example.org" in done.stderr


def test_a_seed_may_leave_its_scheme_out(tmp_path: Path) -> None:
    with TinyWeb(site(3)) as web:
        assert run("crawl", f"127.0.0.1:{web.port}", "--repo", tmp_path).returncode == 0
    assert set(outcomes(tmp_path).values()) == {"fetched"}


# Hosts.


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.mark.parametrize(
    ("seed", "rule", "words"),
    [
        (f"http://127.0.0.1:{closed_port()}/", "connect", "onnect"),
        ("http://no-such-name.invalid/", "dns", "cannot resolve no-such-name.invalid"),
    ],
)
def test_an_unreachable_host_is_said_to_be_so(tmp_path: Path, seed: str, rule: str, words: str) -> None:
    done = run("crawl", seed, "--repo", tmp_path)
    assert done.returncode == 1, done.stdout
    told = " ".join(done.stdout.split())
    assert words in told
    assert "run the command again" in told
    assert outcomes(tmp_path) == {"/": f"unreachable:{rule}"}
    # It stays due: the host may be back.
    assert rows(tmp_path, "SELECT count(*) FROM due") == [(1,)]


def test_an_unreachable_host_does_not_keep_the_others_from_being_crawled(tmp_path: Path) -> None:
    with TinyWeb(site(10, 3), addresses=("127.0.0.2",)) as web:
        done = run("crawl", f"http://127.0.0.1:{closed_port()}/away", web.url("/"), "--repo", tmp_path)
    assert done.returncode == 0
    found = outcomes(tmp_path)
    assert found.pop("/away") == "unreachable:connect"
    assert list(found.values()) == ["fetched"] * 10


def test_a_host_that_comes_back_is_crawled_by_the_same_command(tmp_path: Path) -> None:
    with TinyWeb(site(4)) as web:
        seed, port = web.url("/"), web.port
    assert run("crawl", seed, "--repo", tmp_path).returncode == 1
    with TinyWeb(site(4), port=port):
        assert run("crawl", seed, "--repo", tmp_path).returncode == 0
    assert list(outcomes(tmp_path).values()) == ["fetched"] * 4
    consistent(tmp_path)


def test_a_bad_certificate_is_a_failure_of_its_own(tmp_path: Path) -> None:
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    trusted = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(trusted))
    with TinyWeb(site(3), tls=context) as web:
        done = run("crawl", web.url("/"), "--repo", tmp_path / "untrusted")
        assert done.returncode == 1
        assert "certificate" in done.stdout
        assert outcomes(tmp_path / "untrusted") == {"/": "failed:tls"}
        assert not web.log
        crawl(tmp_path / "trusted", web.url("/"), ca_file=str(trusted))
    assert set(outcomes(tmp_path / "trusted").values()) == {"fetched"}


# Folders.


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crawled") / "data"
    with TinyWeb(site(12, 3)) as web:
        crawl(folder, web.url("/"))
    return folder


@pytest.fixture
def folder(crawled: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(crawled, tmp_path / "data"))


def test_a_file_in_the_folders_place_is_left_alone(tmp_path: Path) -> None:
    place = tmp_path / "data"
    place.write_text("a letter")
    done = run("crawl", "http://127.0.0.1:1/", "--repo", place)
    assert done.returncode == 5
    assert "Choose another folder with --repo" in done.stderr
    assert place.read_text() == "a letter"


@pytest.mark.parametrize("verb", [["crawl", "http://127.0.0.1:1/"], ["crawl"], ["status"], ["pages"]])
def test_a_folder_that_may_not_be_read(folder: Path, verb: list[str]) -> None:
    folder.chmod(0)
    try:
        if subprocess.run([*MORTAL, "ls", str(folder)], capture_output=True).returncode == 0:
            pytest.skip("root may read everything here, and setpriv cannot take that away")
        done = run(*verb, "--repo", folder, through=MORTAL)
    finally:
        folder.chmod(0o755)
    assert done.returncode == 5, done.stderr
    assert str(folder) in done.stderr
    assert "Permission denied" in done.stderr
    assert "--repo" in done.stderr


@pytest.mark.parametrize("damage", ["no database", "torn pages", "cut short"])
@pytest.mark.parametrize("verb", [["crawl", "http://127.0.0.1:1/"], ["crawl"], ["status"], ["pages"]])
def test_a_damaged_database_is_named_and_not_touched(ask: Ask, folder: Path, damage: str, verb: list[str]) -> None:
    database = folder / "crawl.sqlite"
    content = database.read_bytes()
    harmed = {
        "no database": b"this is a letter, not a database\n" * 400,
        "torn pages": content[:4096] + b"\xa5" * (len(content) - 4096),
        "cut short": content[: len(content) // 3],
    }[damage]
    database.write_bytes(harmed)
    done = ask(*verb, "--repo", folder)
    assert done.returncode == 5, (done.stdout, done.stderr)
    assert "Restore it from a copy, or choose another folder with --repo" in done.stderr
    assert database.read_bytes() == harmed


@pytest.mark.parametrize("verb", [["crawl", "http://127.0.0.1:1/"], ["crawl"], ["status"], ["pages"], ["upgrade"]])
def test_a_newer_folder_is_not_touched(ask: Ask, folder: Path, verb: list[str]) -> None:
    database = sqlite3.connect(folder / "crawl.sqlite")
    database.execute("PRAGMA user_version = 99")
    database.close()
    before = everything(folder)
    done = ask(*verb, "--repo", folder)
    assert done.returncode == 5
    assert "written by a newer Whimbrel (format 99" in done.stderr
    assert "Install the newer release" in done.stderr
    assert everything(folder) == before


@pytest.mark.parametrize("harm", ["cut", "gone"])
def test_a_harmed_archive_is_named_and_nothing_goes_on_without_it(ask: Ask, folder: Path, harm: str) -> None:
    archive = archives(folder)[0]
    if harm == "cut":
        os.truncate(archive, archive.stat().st_size - 10)
    else:
        archive.unlink()
    before = everything(folder)
    done = ask("crawl", "http://127.0.0.1:1/new", "--repo", folder)
    assert done.returncode == 5
    assert archive.name in done.stderr
    assert "restore it from a copy" in done.stderr
    assert everything(folder) == before


def test_two_crawls_on_one_folder(tmp_path: Path) -> None:
    with TinyWeb(site(5)) as web:
        web.hold("/")
        first = start(tmp_path, web.url("/"))
        assert web.wait_for("/")
        second = run("crawl", web.url("/"), "--repo", tmp_path)
        looking = run("status", "--repo", tmp_path)
        web.release("/")
        first.communicate(timeout=30)
    assert second.returncode == 4
    assert f"another crawl is using {tmp_path} (process {first.pid})" in second.stderr
    assert "Wait for it, stop it, or choose another folder" in second.stderr
    assert looking.returncode == 0
    assert first.returncode == 0
    assert list(outcomes(tmp_path).values()) == ["fetched"] * 5


# Settings.


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[crawl]\nlimt = 5", ['unknown key "limt"', 'did you mean "limit"?']),
        ("[crawll]\nlimit = 5", ['unknown table "crawll"', 'did you mean "crawl"?']),
        ("[crawl]\nlimit = 'many'", ["limit", "whole number", "many"]),
        ("[fetch]\nlimit = 5", ['"limit" belongs in [crawl]']),
        ("[crawl]\nscope = 'galaxy'", ["scope", '"host" or "domain" or "prefix" or "list"']),
        ("[crawl\n", ["not valid TOML"]),
        ("[[site]]\nlimit = 5", ["either a host or a prefix"]),
    ],
)
def test_a_wrong_setting_is_named_with_the_right_one(ask: Ask, tmp_path: Path, text: str, words: list[str]) -> None:
    config = tmp_path / "settings.toml"
    config.write_text(text)
    done = ask("crawl", "http://127.0.0.1:1/", "--config", config, "--repo", tmp_path / "data")
    assert done.returncode == 2
    assert "settings.toml" in done.stderr
    for word in words:
        assert word in done.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--scope", "galaxy"], ["--scope", '"host"']),
        (["--order", "random"], ["--order", '"breadth"']),
        (["--delay", "soon"], ["--delay", "seconds"]),
        (["--delay", "-1"], ["--delay"]),
        (["--limit", "-1"], ["--limit", "at least 0"]),
        (["--types", "html,film"], ["--types", '"pdf"']),
        (["--include", "("], ["--include", "regular expression"]),
        (["--header", "nonsense"], ["--header", "Accept-Language: en"]),
        (["--header", "X: a\nY: b"], ["--header"]),
        (["--auth", "nobody"], ["--auth", "user:password"]),
        (["--proxy", "nonsense"], ["--proxy", "http://proxy.example.org:3128"]),
        (["--allow-network", "everywhere"], ["--allow-network", "10.1.0.0/16"]),
        (["--max-size", "huge"], ["--max-size", "32MB"]),
        (["--time-limit", "0"], ["--time-limit"]),
        (["--seeds", "/no/such/file"], ["--seeds", "/no/such/file", "No such file"]),
        (["--log-file", "/no/such/folder/log"], ["/no/such/folder/log", "No such file"]),
        (["--config", "/no/such/file"], ["/no/such/file"]),
        (["--frobnicate"], ["--frobnicate"]),
    ],
)  # fmt: skip
def test_a_wrong_flag_is_named(ask: Ask, tmp_path: Path, arguments: list[str], words: list[str]) -> None:
    done = ask("crawl", "http://127.0.0.1:1/", "--repo", tmp_path / "data", *arguments)
    assert done.returncode == 2, (done.stdout, done.stderr)
    for word in words:
        assert word in done.stderr
    assert not (tmp_path / "data").exists()


def test_a_wrong_password_setting_is_not_shown(tmp_path: Path) -> None:
    done = run("crawl", "http://127.0.0.1:1/", "--repo", tmp_path, "--auth", "pa55word")
    assert done.returncode == 2
    assert "--auth" in done.stderr
    assert "pa55word" not in done.stderr


def test_a_variable_with_a_typing_error_is_named(tmp_path: Path) -> None:
    done = run("crawl", "http://127.0.0.1:1/", "--repo", tmp_path, env=os.environ | {"WHIMBREL_CRAWL_LIMT": "5"})
    assert done.returncode == 2
    assert 'did you mean "WHIMBREL_CRAWL_LIMIT"?' in done.stderr


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
    "too-short": (Reply(TEXT, declared_length=9000), {"failed:protocol"}),
    "too-long": (Reply(TEXT, declared_length=100), {"fetched"}),
    "cut": (Reply(TEXT, chunked=True, cut_after=100), {"failed:protocol"}),
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
        assert running.wait(30) == 0
    assert b"pages kept" in shown
    assert ESCAPE + b"[31mred" not in shown
    assert b"owned" not in shown
