"""Names that point elsewhere later: a site that is watched cannot aim the crawler at its user's own network."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from commands import run
from folders import outcomes, rows
from whimbrel.testing.reply import redirect
from whimbrel.testing.web import TinyWeb

WRAPPER = [str(path) for path in Path("/usr/lib").glob("*/libnss_wrapper.so")]
pytestmark = pytest.mark.skipif(not WRAPPER, reason="needs libnss_wrapper, by which names get the addresses of a file")
PUBLIC = "8.8.8.8"
Point = Callable[..., dict[str, str]]


@pytest.fixture
def point(tmp_path: Path) -> Point:
    """The environment in which watched.test is at this address, and nowhere for "": the system's resolver says so."""

    def pointed(address: str, **more: str) -> dict[str, str]:
        (tmp_path / "hosts").write_text(f"{address} watched.test\n" if address else "")
        names = {"LD_PRELOAD": WRAPPER[0], "NSS_WRAPPER_HOSTS": str(tmp_path / "hosts")}
        return os.environ | names | more

    return pointed


def refusals(folder: Path) -> list[str]:
    return [str(reason) for (reason,) in rows(folder, "SELECT reason FROM url WHERE rule = 'address'")]


@pytest.mark.parametrize("verb", ["refresh", "crawl"])
def test_a_name_that_was_public_when_it_was_named(tmp_path: Path, point: Point, verb: str) -> None:
    """It is crawled through a proxy, since nothing public can be reached here, and then asked directly."""
    folder = tmp_path / "data"
    with TinyWeb({"/": "the intranet", "/new": "the intranet"}) as inside:
        seed, new = inside.url("/", "watched.test"), inside.url("/new", "watched.test")
        with TinyWeb({seed: "<title>watched</title>", f"{seed}robots.txt": ""}) as proxy:
            env = point(PUBLIC, WHIMBREL_FETCH_PROXY=proxy.url(""))
            assert run("crawl", seed, "--delay", "0", "--repo", folder, env=env).returncode == 0
        assert outcomes(folder) == {"/": "fetched"}
        again = ["--all"] if verb == "refresh" else [seed, new]
        run(verb, *again, "--repo", folder, env=point("127.0.0.1"))
        assert inside.log == []
    assert outcomes(folder)["/"].startswith(("fetched", "unchanged"))
    refused = refusals(folder)
    assert refused
    for reason in refused:
        assert "watched.test is at 127.0.0.1: a loopback address; to fetch it, --allow-network 127.0.0.1" in reason


def test_a_name_that_was_private_when_it_was_named(tmp_path: Path, point: Point) -> None:
    with TinyWeb({"/": "<title>one</title>"}, addresses=("127.0.0.1", "127.0.0.2")) as web:
        seed = web.url("/", "watched.test")
        assert run("crawl", seed, "--repo", tmp_path / "data", env=point("127.0.0.1")).returncode == 0
        moved = run("refresh", "--all", "--repo", tmp_path / "data", env=point("127.0.0.2"))
        assert moved.returncode == 0
        assert web.log[-1].server[0] == "127.0.0.2"
    # Another kind of address is another matter.
    run("refresh", "--all", "--repo", tmp_path / "data", env=point("169.254.169.254"))
    assert "watched.test is at 169.254.169.254: a link-local address" in refusals(tmp_path / "data")[0]


def test_a_name_without_an_address_is_looked_at_when_it_is_named_again(tmp_path: Path, point: Point) -> None:
    with TinyWeb({"/": "<title>one</title>"}) as web:
        seed = web.url("/", "watched.test")
        assert run("crawl", seed, "--repo", tmp_path / "data", env=point("")).returncode == 1
        assert run("crawl", seed, "--repo", tmp_path / "data", env=point("127.0.0.1")).returncode == 0
    assert outcomes(tmp_path / "data") == {"/": "fetched"}


def test_a_redirect_at_a_seed_does_not_lend_its_exemption(tmp_path: Path, point: Point) -> None:
    with TinyWeb({}) as web:
        web.pages["/"] = redirect(web.url("/secret", "watched.test"))
        run("crawl", web.url("/"), "--repo", tmp_path / "data", env=point("127.0.0.1"))
        assert web.count("/secret") == 0
    assert outcomes(tmp_path / "data") == {"/": "redirected", "/secret": "refused:address"}


def test_an_allowed_network_lets_a_name_in(tmp_path: Path, point: Point) -> None:
    with TinyWeb({}) as web:
        web.pages |= {"/": redirect(web.url("/open", "watched.test")), "/open": "<title>open</title>"}
        allowed = ("--allow-network", "127.0.0.0/8")
        run("crawl", web.url("/"), *allowed, "--repo", tmp_path / "data", env=point("127.0.0.1"))
    assert outcomes(tmp_path / "data") == {"/": "redirected", "/open": "fetched"}
