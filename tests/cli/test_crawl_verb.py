"""`whimbrel crawl` as a person or a script calls it, against a real server."""

import base64
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from folders import consistent, outcomes, rows
from whimbrel.cli.main import VERBS
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import Page, TinyWeb, site

Call = Callable[..., Any]
WHIMBREL = [sys.executable, "-m", "whimbrel"]
TEXT = " ".join(f"word{number}" for number in range(50))


def run(
    *arguments: str | Path, said: str = "", cwd: Path | None = None, code: int = 0, **variables: str
) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        [*WHIMBREL, *map(str, arguments)], input=said, capture_output=True, text=True, timeout=300, cwd=cwd,
        env=os.environ | variables,
    )  # fmt: skip
    assert done.returncode == code, (done.stdout, done.stderr)
    return done


def crawl(folder: Path, *arguments: str | Path, **options: Any) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run("crawl", *arguments, "--repo", folder, "--json", **options).stdout)
    return answer


def page(name: str, *links: str) -> str:
    return f"<title>{name}</title><p>{name} {TEXT}</p>" + "".join(f'<a href="{link}">{link}</a>' for link in links)


def fetched(folder: Path) -> set[str]:
    return {path for path, outcome in outcomes(folder).items() if outcome == "fetched"}


def test_a_dry_run_fetches_and_writes_nothing(tmp_path: Path) -> None:
    with TinyWeb(site(5)) as web:
        arguments = ["crawl", web.url("/"), "--repo", tmp_path / "data", "--dry-run", "--limit", "7", "--exclude", "x"]
        said = run(*arguments).stdout
        answer = json.loads(run(*arguments, "--json").stdout)
        assert web.log == []
    assert not (tmp_path / "data").exists()
    assert "Nothing is fetched" in said
    assert web.url("/") in said
    assert answer["seeds"] == [web.url("/")]
    assert (answer["limit"], answer["scope"], answer["order"], answer["migrants"]) == (7, "host", "breadth", "auto")
    assert answer["repo"] == str(tmp_path / "data")
    assert answer["user_agent"].startswith("whimbrel/")


def test_json_is_one_object_with_all_that_scripts_need(tmp_path: Path) -> None:
    with TinyWeb(site(10, 3, duplicates=2, missing=1)) as web:
        answer = crawl(tmp_path, web.url("/"))
    assert (answer["ended"], answer["pages"]) == ("finished", 10)
    assert answer["visits"] == 13
    assert answer["outcomes"] == {"fetched": 10, "duplicate": 2, "failed": 1}
    assert answer["errors"] == {"http_404": 1}
    assert set(answer["bytes"]) >= {"novel", "duplicate"}
    assert answer["seconds"] > 0
    assert set(answer["cpu_seconds"]) == {"home", "migrants"}


def test_a_summary_closes_every_run(tmp_path: Path) -> None:
    with TinyWeb(site(10, 3, missing=1)) as web:
        first = run("crawl", web.url("/"), "--repo", tmp_path).stdout
        again = run("crawl", web.url("/"), "--repo", tmp_path).stdout
    for words in ("everything in scope has been visited", "10 in the folder", "11 visits", "1 http_404", "pages/s"):
        assert words in first
    assert "everything in scope has been visited" in again


@pytest.mark.parametrize("way", ["file", "standard input"])
def test_seeds_come_from_a_file_or_standard_input(tmp_path: Path, way: str) -> None:
    with TinyWeb({f"/{n}": page(str(n)) for n in range(4)}) as web:
        lines = f"# a remark\n\n  {web.url('/0')}  \n{web.url('/1')}\n{web.url('/1')}\n"
        if way == "file":
            (tmp_path / "seeds.txt").write_text(lines)
            crawl(tmp_path / "data", web.url("/3"), "--seeds", tmp_path / "seeds.txt")
        else:
            crawl(tmp_path / "data", web.url("/3"), "--seeds", "-", said=lines)
    assert fetched(tmp_path / "data") == {"/0", "/1", "/3"}


def test_seeds_come_from_bookmarks(tmp_path: Path) -> None:
    with TinyWeb({f"/{n}": page(str(n)) for n in range(3)}) as web:
        links = "".join(f'<DT><A HREF="{web.url(f"/{n}")}">page {n}</A>\n' for n in range(2))
        (tmp_path / "bookmarks.html").write_text(f"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n{links}</DL>")
        crawl(tmp_path / "data", "--seeds", tmp_path / "bookmarks.html", "--scope", "list")
        (tmp_path / "garbage.html").write_text("<b>no address</b>")
        refused = run("crawl", "--seeds", tmp_path / "garbage.html", "--repo", tmp_path / "other", code=2)
    assert fetched(tmp_path / "data") == {"/0", "/1"}
    assert "neither a list of URLs nor bookmarks" in refused.stderr


def test_the_log_has_a_line_a_visit(tmp_path: Path) -> None:
    with TinyWeb(site(6, 3, missing=1)) as web:
        crawl(tmp_path / "data", web.url("/"), "--log-file", tmp_path / "log")
        between = time.time()
        crawl(tmp_path / "data", web.url("/new"), "--log-file", tmp_path / "log", code=1)  # all there was failed
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert len(lines) == 8
    assert set(lines[0]) >= {"at", "url", "outcome", "status", "rule", "reason", "bytes"}
    assert lines[0]["url"] == web.url("/")
    assert {(line["outcome"], line["status"]) for line in lines} == {("fetched", 200), ("failed", 404)}
    assert lines[-2]["at"] < between < lines[-1]["at"] < time.time()


def test_the_server_sees_who_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGIN", "user:pass:word")
    with TinyWeb({"/": page("a")}) as web:
        crawl(
            tmp_path, web.url("/"), "--user-agent", "curlew/2 (+mail@example.org)", "--header", "Accept-Language: de",
            "--header", "X-Empty:", "--auth", "env:LOGIN",
        )  # fmt: skip
        crawl(tmp_path / "other", web.url("/"), "--contact", "https://example.org/us")
    first, last = web.log[0].headers, web.log[-1].headers
    assert web.log[0].path == "/robots.txt"
    for headers in (first, web.log[1].headers):
        assert headers["user-agent"] == "curlew/2 (+mail@example.org)"
        assert headers["accept-language"] == "de"
        assert headers["x-empty"] == ""
        assert headers["authorization"] == "Basic " + base64.b64encode(b"user:pass:word").decode()
    assert last["user-agent"].startswith("whimbrel/")
    assert last["user-agent"].endswith("(+https://example.org/us)")


def test_robots_are_obeyed_under_the_name_we_go_by(tmp_path: Path) -> None:
    robots = "User-agent: curlew\nDisallow: /a\n\nUser-agent: whimbrel\nDisallow: /b\n"
    pages = {"/robots.txt": robots, "/": page("start", "/a", "/b"), "/a": page("a"), "/b": page("b")}
    with TinyWeb(pages) as web:
        crawl(tmp_path / "curlew", web.url("/"), "--user-agent", "curlew/2")
        crawl(tmp_path / "whimbrel", web.url("/"))
    assert fetched(tmp_path / "curlew") == {"/", "/b"}
    assert fetched(tmp_path / "whimbrel") == {"/", "/a"}


KINDS: dict[str, Page] = {
    "/": page("start", "/page", "/text", "/paper", "/feed", "/film", "/letter"),
    "/page": page("page"),
    "/text": Reply(b"some text", content_type="text/plain"),
    "/paper": Reply(b"%PDF-1.4", content_type="application/pdf"),
    "/feed": Reply(b"<rss></rss>", content_type="application/x-rss+xml"),
    "/letter": Reply(b"PK", content_type="application/vnd.oasis.opendocument.text"),
    "/film": Reply(b"film", content_type="video/mp4"),
}


@pytest.mark.parametrize(
    ("types", "kept"),
    [
        ("html", {"/", "/page"}),
        ("html,pdf", {"/", "/page", "/paper"}),
        ("html, text", {"/", "/page", "/text"}),
        ("html,feed,office", {"/", "/page", "/feed", "/letter"}),
        ("any", set(KINDS)),
    ],
)
def test_types_choose_what_is_kept(tmp_path: Path, types: str, kept: set[str]) -> None:
    with TinyWeb(KINDS) as web:
        crawl(tmp_path, web.url("/"), "--types", types)
    assert fetched(tmp_path) == kept
    assert {outcome for path, outcome in outcomes(tmp_path).items() if path not in kept} <= {"refused:type"}


TREE = {
    "/": page("start", "/docs/", "/docs/a", "/docs/b.html", "/blog/", "/blog/a?page=2"),
    **{path: page(path) for path in ("/docs/", "/docs/a", "/docs/b.html", "/blog/", "/blog/a?page=2")},
}


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        (["--include", "/docs/"], {"/", "/docs/", "/docs/a", "/docs/b.html"}),
        (["--include", "/docs/$", "--include", "[?]page="], {"/", "/docs/", "/blog/a?page=2"}),
        (["--exclude", "/blog/"], {"/", "/docs/", "/docs/a", "/docs/b.html"}),
        (["--exclude", "[?]", "--exclude", "[.]html$"], {"/", "/docs/", "/docs/a", "/blog/"}),
        (["--include", "/docs/", "--exclude", "b[.]html"], {"/", "/docs/", "/docs/a"}),
        (["--scope", "list"], {"/"}),
        (["--depth", "0"], {"/"}),
    ],
)
def test_include_exclude_scope_and_depth(tmp_path: Path, arguments: list[str], kept: set[str]) -> None:
    with TinyWeb(TREE) as web:
        crawl(tmp_path, web.url("/"), *arguments)
        assert {request.path for request in web.log} - {"/sitemap.xml"} == {"/robots.txt"} | kept
    assert fetched(tmp_path) == kept


def test_scope_prefix_stays_below_the_seed(tmp_path: Path) -> None:
    pages = {"/docs/": page("d", "/docs/a", "/blog/", "/docs/../x"), "/docs/a": page("a"), "/blog/": page("b")}
    with TinyWeb(pages) as web:
        crawl(tmp_path, web.url("/docs/"), "--scope", "prefix")
    assert fetched(tmp_path) == {"/docs/", "/docs/a"}
    assert outcomes(tmp_path)["/x"] == "out_of_scope:scope"


def test_max_size_is_of_the_decoded_document(tmp_path: Path) -> None:
    pages: dict[str, Page] = {
        "/": page("start", "/small", "/large"),
        "/small": Reply(b"<p>" + b"s" * 50_000),
        "/large": Reply(b"<p>" + b"l" * 150_000, codings=("gzip",)),
    }
    with TinyWeb(pages) as web:
        crawl(tmp_path, web.url("/"), "--max-size", "100KB")
    assert outcomes(tmp_path) == {"/": "fetched", "/small": "fetched", "/large": "failed:too_large"}


def test_a_time_limit_ends_cleanly_and_the_same_command_goes_on(tmp_path: Path) -> None:
    """After robots.txt nothing may be asked for an hour, so that only the time limit can end it."""
    with TinyWeb(site(40, 4)) as web:
        answer = crawl(tmp_path, web.url("/"), "--time-limit", "1s", "--delay", "3600")
        assert (answer["ended"], answer["pages"]) == ("time", 0)
        consistent(tmp_path)
        answer = crawl(tmp_path, web.url("/"), "--delay", "0")
    assert (answer["ended"], answer["pages"]) == ("finished", 40)
    assert sorted(request.path for request in web.log) == sorted([*web.pages, "/robots.txt", "/sitemap.xml"])


def test_a_bare_crawl_goes_on_with_the_settings_it_remembers(tmp_path: Path) -> None:
    with TinyWeb(TREE) as web:
        crawl(tmp_path, web.url("/"), "--exclude", "/blog/", "--limit", "2", "--user-agent", "curlew/2")
        asked = len(web.log)
        crawl(tmp_path, "--limit", "100")
        assert {request.headers["user-agent"] for request in web.log[asked:]} == {"curlew/2"}
    assert fetched(tmp_path) == {"/", "/docs/", "/docs/a", "/docs/b.html"}


def test_what_was_remembered_is_shown_by_a_dry_run(tmp_path: Path) -> None:
    with TinyWeb(TREE) as web:
        crawl(tmp_path, web.url("/"), "--limit", "2", "--depth", "3", "--order", "depth")
    answer = json.loads(run("crawl", "--repo", tmp_path, "--dry-run", "--json").stdout)
    assert (answer["limit"], answer["depth"], answer["order"]) == (2, 3, "depth")


def test_settings_rise_from_the_file_over_the_environment_to_the_flags(tmp_path: Path) -> None:
    (tmp_path / "whimbrel.toml").write_text(
        '[crawl]\nlimit = 1\ndepth = 1\norder = "depth"\n[fetch]\nuser_agent = "file/1"\n[repository]\npath = "here"\n'
    )

    def shown(*arguments: str, **variables: str) -> dict[str, Any]:
        done = run("crawl", "http://127.0.0.1/", "--dry-run", "--json", *arguments, cwd=tmp_path, **variables)
        answer: dict[str, Any] = json.loads(done.stdout)
        return {name: answer[name] for name in ("limit", "depth", "order", "user_agent", "repo")}

    file = {"limit": 1, "depth": 1, "order": "depth", "user_agent": "file/1", "repo": "here"}
    assert shown() == file
    variables = {"WHIMBREL_CRAWL_LIMIT": "2", "WHIMBREL_FETCH_USER_AGENT": "variable/2"}
    assert shown(**variables) == file | {"limit": 2, "user_agent": "variable/2"}
    flags = ["--limit", "3", "--repo", "there"]
    assert shown(*flags, **variables) == file | {"limit": 3, "user_agent": "variable/2", "repo": "there"}


def test_a_site_table_holds_for_its_site_alone(tmp_path: Path) -> None:
    config = tmp_path / "settings.toml"
    config.write_text('[[site]]\nhost = "127.0.0.2"\nexclude = ["/a$"]\n')
    with TinyWeb({"/": "", "/a": ""}, addresses=("127.0.0.1", "127.0.0.2")) as web:
        web.pages = {path: lambda request: page(f"{request.server} {request.path}", "/a") for path in ("/", "/a")}
        seeds = [web.url("/", address) for address in web.addresses]
        crawl(tmp_path / "data", *seeds, "--config", config)
    found = dict(rows(tmp_path / "data", "SELECT url, outcome FROM url"))
    assert found[web.url("/a", "127.0.0.1")] == "fetched"
    assert found[web.url("/a", "127.0.0.2")] == "out_of_scope"


# Help.


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_helps_with_examples_and_exit_codes(call: Call, verb: str) -> None:
    said = call(verb, "--help").out
    assert said.startswith(f"Usage: whimbrel {verb} ")
    assert f"whimbrel {verb}" in said.partition("Examples:")[2]
    assert "Exit codes:" in said
    assert {"0", "1", "2", "130"} <= set(re.findall(r"^ +(\d+)  ", said.partition("Exit codes:")[2], re.MULTILINE))
    if verb != "mcp":  # which says nothing but JSON
        assert "--json" in said or any("--json" in call(verb, part, "--help").out for part in parts(said))


def parts(said: str) -> list[str]:
    """The subcommands that a verb's help lists."""
    listed = said.partition("Commands:")[2].splitlines()[1:]
    return [line.split()[0] for line in listed if line.startswith("  ") and line.strip()]


def test_help_lists_every_verb() -> None:
    said = run("--help").stdout
    for verb, (_, words) in VERBS.items():
        assert verb in said
        assert words.split(".")[0].split(",")[0] in " ".join(said.split())


def test_a_verb_with_a_typing_error_is_named_with_the_right_one() -> None:
    assert "Did you mean `crawl`?" in run("crawll", code=2).stderr
