"""Credentials belong to a site, are named and not written, and are found nowhere but at that site."""

import base64
import gzip
import json
import os
import subprocess
from pathlib import Path

import pytest

from commands import WHIMBREL, run
from folders import every_byte, members, outcomes, rows
from whimbrel.flows.telling.webhook import Taken, Webhook
from whimbrel.testing.reply import redirect
from whimbrel.testing.web import Reply, Request, TinyWeb

SECRET = "correct-horse-battery-7391"
TOKEN = "tok-5512-staple-ladder"
BASIC = "Basic " + base64.b64encode(f"ada:{SECRET}".encode()).decode()
ENV = os.environ | {"WIKI": f"ada:{SECRET}", "WIKI_PASSWORD": SECRET, "WIKI_SESSION": f"sid={TOKEN}; theme=dark"}


def ask(*arguments: object, env: dict[str, str] = ENV) -> "subprocess.CompletedProcess[str]":
    return run(*map(str, arguments), env=env)


def login(request: Request) -> Reply:
    """A site with a login: it shows each visitor's session, begins a new one, and repeats what it was told."""
    if request.headers.get("authorization") != BASIC and f"sid={TOKEN}" not in request.headers.get("cookie", ""):
        return Reply(b"<p>who are you?", status=401)
    told, mine = str(sorted(request.headers.items())), SECRET if "authorization" in request.headers else TOKEN
    body = f"<title>In {mine}</title><a href='/b?key={mine}'>b</a><pre>{told} {mine}</pre>" + "<p>words " * 50
    return Reply(body.encode(), headers=(("Set-Cookie", f"sid={TOKEN}-next; Path=/; HttpOnly"),), codings=("gzip",))


@pytest.mark.parametrize("flags", [["--auth", "env:WIKI"], ["--auth", "ada:env:WIKI_PASSWORD"],
                                   ["--cookies", "env:WIKI_SESSION"]])  # fmt: skip
def test_a_secret_is_nowhere_but_at_its_site(tmp_path: Path, flags: list[str]) -> None:
    """Neither in a file of the folder, packed or not, nor in the log, nor among the arguments of a process."""
    folder, log = tmp_path / "data", tmp_path / "log"
    with TinyWeb({"/": login, "/robots.txt": login, "/b": login, "/held": login}) as web:
        web.hold("/held")
        command = [*WHIMBREL, "crawl", web.url("/"), web.url("/held"), "--repo", folder, "--log-file", log, *flags]
        with subprocess.Popen(command, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as crawl:
            assert web.wait_for("/held", timeout_seconds=300)
            processes = subprocess.run(["ps", "axww", "-o", "args"], capture_output=True, check=True).stdout
            web.release("/held")
            said = crawl.communicate(timeout=300)[0]
        assert crawl.returncode == 0, said
        again = ask("refresh", "--all", "--repo", folder, "--json")
        assert json.loads(again.stdout)["asked"] >= 2, again.stderr
        shown = [ask(*verb, "--repo", folder).stdout for verb in (["status"], ["pages"], ["page", web.url("/")])]
    assert rows(folder, "SELECT count(*) FROM version WHERE private")[0][0] >= 2
    assert str(folder).encode() in processes
    everywhere = (every_byte(folder), log.read_bytes(), processes, said, "".join(shown).encode(), again.stdout.encode())
    for trace in (SECRET, TOKEN, BASIC.removeprefix("Basic ")):
        for where in everywhere:
            assert trace.encode() not in where
    assert b"Whimbrel-Private: yes" in everywhere[0]


def test_each_site_is_told_its_own(tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    with TinyWeb({}, addresses=("127.0.0.1", "127.0.0.2", "127.0.0.3")) as web:
        web.pages = {"/": redirect(web.url("/there", "127.0.0.3")), "/there": "<p>here", "/kept": "<p>kept " * 99}
        settings.write_text(
            f'[[site]]\nprefix = "{web.url("/")}"\nauth = "env:WIKI"\nheaders = {{"X-Key" = "env:WIKI_PASSWORD"}}\n'
            f'[[site]]\nprefix = "{web.url("/kept", "127.0.0.2")}"\ncookies = "env:WIKI_SESSION"\n'
            '[fetch]\nheaders = {Accept-Language = "de"}\nallow_networks = ["127.0.0.0/8"]\n'
        )
        seeds = [web.url("/"), web.url("/kept", "127.0.0.2"), web.url("/kept2", "127.0.0.2")]
        done = ask("crawl", *seeds, "--config", settings, "--repo", tmp_path / "data")
        assert done.returncode == 0, done.stderr
    told = {(request.server[0], request.path): request.headers for request in web.log}
    assert told["127.0.0.1", "/"]["authorization"] == BASIC
    assert told["127.0.0.1", "/"]["x-key"] == SECRET
    assert told["127.0.0.2", "/kept"]["cookie"] == f"sid={TOKEN}; theme=dark"
    for (address, path), headers in told.items():
        assert headers["accept-language"] == "de"
        assert ("authorization" in headers) == ("x-key" in headers) == (address == "127.0.0.1")
        assert ("cookie" in headers) == (address == "127.0.0.2" and path.startswith("/kept"))
    assert ("127.0.0.3", "/there") in told


def test_only_pages_that_needed_them_are_private_and_exports_leave_them_out(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    twin = "<title>T</title>" + "<p>the same words on both sites " * 30
    with TinyWeb(
        {"/in": twin, "/out": twin, "/open": "<title>O</title><p>open"}, addresses=("127.0.0.1", "127.0.0.2")
    ) as web:
        private, public = web.url("/in"), web.url("/out", "127.0.0.2")
        flags = ["--auth", f"{web.url('')}=env:WIKI", "--repo", folder]
        assert ask("crawl", private, *flags).returncode == 0
        assert ask("crawl", public, web.url("/open", "127.0.0.2"), "--repo", folder).returncode == 0
        assert ask("refresh", "--all", "--repo", folder).returncode == 0

    def exported(*flags: str) -> set[str]:
        said = ask("export", "--repo", folder, *flags)
        left_out = "1 page of this folder is private (fetched with credentials) and left out"
        assert (left_out in said.stderr) is not ("--private" in flags), "nothing vanishes without a word"
        return {json.loads(line)["url"] for line in said.stdout.splitlines()}

    assert exported() == {public, web.url("/open", "127.0.0.2")}
    assert exported("--private") == {public, private, web.url("/open", "127.0.0.2")}
    for flags, there in (((), False), (("--private",), True)):
        out = tmp_path / f"out{len(flags)}.warc.gz"
        assert ask("export", "--format", "warc", "--output", out, "--repo", folder, *flags).returncode == 0
        held = members(out.read_bytes())
        assert (b"127.0.0.1" in held.replace(b"WARC-IP-Address: 127.0.0.1", b"")) is there
        assert held.count(b"the same words") >= 1  # also where the record that held them is left out
    listed = [json.loads(line) for line in ask("pages", "--repo", folder, "--json").stdout.splitlines()]
    assert {page["url"]: page["private"] for page in listed}[private] is True
    assert ask("pages", "--repo", folder).stdout.count("private: fetched with credentials") == 1
    status = ask("status", "--repo", folder)
    assert "private" in status.stdout
    assert json.loads(ask("status", "--repo", folder, "--json").stdout)["private"] == 1


def test_what_changed_on_a_private_page_is_not_sent_to_others(tmp_path: Path) -> None:
    folder, feed = tmp_path / "data", tmp_path / "changes.xml"
    texts = [f"<title>T</title><p>The price of a {{}} is {price} euro for members." for price in (12, 90)]
    inside, outside = ([text.format(thing) for text in texts] for thing in ("boat", "house"))
    with TinyWeb({"/in": inside, "/out": outside}, addresses=("127.0.0.1", "127.0.0.2")) as web:
        flags = ["--auth", f"{web.url('')}=env:WIKI", "--repo", folder]
        assert ask("crawl", web.url("/in"), web.url("/out", "127.0.0.2"), *flags).returncode == 0
        assert ask("refresh", "--all", "--repo", folder).returncode == 0

    def told(*flags: object) -> tuple[bool, bool]:
        assert ask("changes", "--atom", feed, "--repo", folder, *flags).returncode == 0
        return web.url("/in") in feed.read_text(), web.url("/out", "127.0.0.2") in feed.read_text()

    assert (told(), told("--private")) == ((False, True), (True, True))
    posted: list[bytes] = []

    def post(message: bytes, _: int) -> Taken:
        posted.append(message)
        return Taken()

    Webhook(folder, "https://example.org/hook", None, 0.0).deliver(post, 1e10, waits=False)
    assert [[one["url"] for one in json.loads(message)["changes"]] for message in posted] == [
        [web.url("/out", "127.0.0.2")]
    ]


def test_the_folder_remembers_where_credentials_are(tmp_path: Path) -> None:
    """A bare `crawl`, a `refresh` and a crawl of another site send them too; without the variable nobody is asked."""
    folder = tmp_path / "data"
    with TinyWeb(
        {"/": login, "/new": login, "/robots.txt": "", "/x": "<p>x"}, addresses=("127.0.0.1", "127.0.0.2")
    ) as web:
        assert ask("crawl", web.url("/"), "--auth", "env:WIKI", "--repo", folder, "--limit", "1").returncode == 0
        assert ask("crawl", web.url("/x", "127.0.0.2"), "--repo", folder).returncode == 0
        assert ask("refresh", "--all", "--repo", folder).returncode == 0
        before = len(web.log)
        without = ask("refresh", "--all", "--repo", folder, env=dict(os.environ))
        assert "the variable WIKI" in without.stdout + without.stderr
        assert {request.server[0] for request in web.log[before:]} <= {"127.0.0.2"}
    mine = [request for request in web.log if request.server[0] == "127.0.0.1"]
    assert {request.headers.get("authorization") for request in mine} == {BASIC}
    assert outcomes(folder)["/"] in ("fetched", "unchanged")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--auth", f"ada:{SECRET}"], ["--auth", "env:NAME", "file:PATH", "processes"]),
        (["--auth", SECRET], ["--auth", "env:NAME"]),
        (["--cookies", f"sid={SECRET}"], ["--cookies", "env:NAME", "cookies.txt"]),
        (["--header", f"Authorization: Bearer {SECRET}"], ["--header", "env:NAME"]),
        (["--header", f"X-Api-Key: {SECRET}"], ["--header", "X-Api-Key", "env:NAME"]),
        (["--proxy", f"http://ada:{SECRET}@127.0.0.1:1"], ["--proxy", "env:NAME"]),
        (["--auth", "env:NOT_THERE"], ["NOT_THERE", "not set", "export NOT_THERE="]),
        (["--auth", "file:/no/such/file"], ["/no/such/file", "No such file"]),
        (["--auth", "env:WIKI_PASSWORD"], ["env:WIKI_PASSWORD", "user:password"]),
        (["http://127.0.0.2:1/", "--auth", "env:WIKI"], ["--auth", "2 sites", "'http://127.0.0.1:1=env:NAME'"]),
        (["http://127.0.0.2:1/", "--header", "Accept-Language: de"], ["--header", "2 sites", "[fetch] headers"]),
    ],
)  # fmt: skip
def test_what_cannot_be_sent_is_refused_with_advice(tmp_path: Path, flags: list[str], words: list[str]) -> None:
    for verb in (["crawl", "http://127.0.0.1:1/"],):
        done = ask(*verb, *flags, "--repo", tmp_path / "data")
        assert done.returncode == 2, (done.stdout, done.stderr)
        for word in words:
            assert word in done.stderr
        assert SECRET not in done.stderr + done.stdout


def test_settings_hold_references_only(tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    for table in (f'[fetch]\nauth = "ada:{SECRET}"', f'[[site]]\nhost = "a.example"\nauth = "ada:{SECRET}"',
                  f'[fetch]\nheaders = {{Cookie = "{SECRET}"}}', '[fetch]\nheaders = {X-Key = "env:WIKI"}',
                  '[[site]]\nhost = "127.0.0.9"\nauth = "env:WIKI"'):  # fmt: skip
        settings.write_text(table)
        done = ask("crawl", "http://127.0.0.9:1/", "--config", settings, "--repo", tmp_path / "data")
        assert done.returncode == 2, done.stdout
        assert "site" in done.stderr
        assert SECRET not in done.stderr


def test_a_cookies_txt_is_read_for_its_site(tmp_path: Path) -> None:
    """As browsers' add-ons, curl and wget write it; a file that others may read is warned of."""
    jar = tmp_path / "cookies.txt"
    jar.write_text(
        "# Netscape HTTP Cookie File\n\n"
        f"#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\t{TOKEN}\n"
        "127.0.0.1\tFALSE\t/only\tFALSE\t0\tlow\t1\n127.0.0.1\tFALSE\t/\tTRUE\t0\tsafe\t1\n"
        "elsewhere.example\tTRUE\t/\tFALSE\t0\tother\t1\n"
    )
    jar.chmod(0o644)
    with TinyWeb({"/": "<a href='/only/a'>a", "/only/a": "<p>a"}) as web:
        done = ask("crawl", web.url("/"), "--cookies", f"file:{jar}", "--repo", tmp_path / "data")
    assert done.returncode == 0, done.stderr
    assert f"chmod 600 {jar}" in done.stdout + done.stderr
    sent = {request.path: request.headers.get("cookie") for request in web.log if request.path != "/sitemap.xml"}
    assert sent == {"/robots.txt": f"sid={TOKEN}", "/": f"sid={TOKEN}", "/only/a": f"sid={TOKEN}; low=1"}


def test_gzip_is_read_by_the_helper_of_these_tests() -> None:
    assert members(gzip.compress(b"a") + gzip.compress(b"b")) == b"ab"
