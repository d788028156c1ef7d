"""Bad seeds, hosts and settings: a clear word of what to do, and the rest goes on."""

import os
import socket
import ssl
from pathlib import Path

import pytest
import trustme

from commands import Ask, run
from folders import consistent, crawl, outcomes, rows
from whimbrel.testing.web import TinyWeb, site

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


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def test_where_nobody_speaks_https_a_seed_without_a_scheme_is_asked_for_by_http(tmp_path: Path) -> None:
    """0x7f.1 is 127.0.0.1, but not written as a local address is; https is assumed for it."""
    with TinyWeb(site(3)) as web:
        done = run("crawl", f"0x7f.1:{web.port}", "--repo", tmp_path)
        url, assumed = web.url("/"), f"https://127.0.0.1:{web.port}/"
    assert done.returncode == 0, done.stdout
    told = " ".join(done.stdout.split())
    assert f"no scheme was given, so {url} is asked instead of {assumed}" in told
    found = dict(rows(tmp_path, "SELECT url, outcome || ':' || rule FROM url WHERE asset < 2"))
    assert found.pop(assumed) == "failed:tls"
    assert list(found.values()) == ["fetched:"] * 3
    consistent(tmp_path)


@pytest.mark.parametrize("scope", ["prefix", "list"])
def test_where_nobody_listens_http_is_asked_whatever_the_scope(tmp_path: Path, scope: str) -> None:
    port = closed_port()
    done = run("crawl", f"0x7f.1:{port}/docs/", "--scope", scope, "--repo", tmp_path)
    assert done.returncode == 1
    assert dict(rows(tmp_path, "SELECT url, outcome FROM url")) == {
        f"https://127.0.0.1:{port}/docs/": "unreachable",
        f"http://127.0.0.1:{port}/docs/": "unreachable",
    }
    assert f"leads to http://127.0.0.1:{port}/docs/, which is not kept" in " ".join(done.stdout.split())


def test_a_scheme_that_was_written_is_meant_and_a_bad_certificate_is_an_answer(tmp_path: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    with TinyWeb(site(3)) as plain, TinyWeb(site(3), tls=context) as untrusted:
        seeds = (f"https://127.0.0.1:{plain.port}/", f"0x7f.1:{untrusted.port}")
        done = run("crawl", *seeds, "--repo", tmp_path)
        assert plain.log == untrusted.log == []
    assert done.returncode == 1
    assert rows(tmp_path, "SELECT DISTINCT outcome, rule FROM url") == [("failed", "tls")]
    assert rows(tmp_path, "SELECT count(*) FROM url") == [(2,)]


# Hosts.


@pytest.mark.parametrize(
    ("seed", "rule", "words"),
    [
        (f"http://127.0.0.1:{closed_port()}/", "connect", "onnect"),
        ("http://no-such-name.invalid/", "dns", "cannot resolve no-such-name.invalid"),
    ],
    ids=["nobody listens", "no such name"],
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


def test_what_one_origin_lacks_does_not_keep_another_of_its_host_from_being_crawled(tmp_path: Path) -> None:
    """The scheme was wrong, and on another port nobody listens."""
    with TinyWeb(site(4)) as web:
        wrong = web.url("/").replace("http:", "https:")
        away = f"http://127.0.0.1:{closed_port()}/away"
        assert run("crawl", wrong, "--repo", tmp_path).returncode == 1
        done = run("crawl", away, web.url("/"), "--repo", tmp_path)
    assert done.returncode == 0
    found = dict(rows(tmp_path, "SELECT url, outcome || ':' || rule FROM url WHERE asset < 2"))
    assert found.pop(wrong) == "failed:tls"
    assert found.pop(away) == "unreachable:connect"
    assert list(found.values()) == ["fetched:"] * 4
    told = " ".join(done.stdout.split())
    assert f"{wrong.removesuffix('/')} is left alone" in told
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
        (["--auth", "nobody"], ["--auth", "user:password", "env:NAME"]),
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


@pytest.mark.parametrize(("text", "words"), [(None, "No such file"), ("none at all", "no certificates in PEM form")])
def test_certificates_that_cannot_be_used_are_named(tmp_path: Path, text: str | None, words: str) -> None:
    file, config = tmp_path / "ca.pem", tmp_path / "settings.toml"
    config.write_text(f"[fetch]\nca_file = '{file}'")
    if text is not None:
        file.write_text(text)
    done = run("crawl", "https://127.0.0.1:1/", "--repo", tmp_path / "data", "--config", config)
    assert done.returncode == 2
    assert f"ca_file: {file} cannot be used" in done.stderr
    assert words in done.stderr


def test_a_variable_with_a_typing_error_is_named(tmp_path: Path) -> None:
    done = run("crawl", "http://127.0.0.1:1/", "--repo", tmp_path, env=os.environ | {"WHIMBREL_CRAWL_LIMT": "5"})
    assert done.returncode == 2
    assert 'did you mean "WHIMBREL_CRAWL_LIMIT"?' in done.stderr
