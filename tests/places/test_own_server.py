"""A NATS cluster that somebody runs already carries a crawl; what cannot be used is refused, with words."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from neighbours import MONTH, PATIENCE, allow, at_work, crawl_far

from folders import crawl, everything
from whimbrel.places.at.joining import PlaceFolder, join
from whimbrel.places.home.book import OwnServer, PlaceBook
from whimbrel.places.home.identity import AccountMissing, account_at, identity_of
from whimbrel.places.home.inviting import PlaceRefused, WantedPlace, invite, revoke
from whimbrel.places.home.keeper import Keeper
from whimbrel.places.home.server import program
from whimbrel.places.link.code import read
from whimbrel.places.link.dial import DialError, one_certificate
from whimbrel.places.link.keys import KeyRole, fresh, read_seed, written_seed
from whimbrel.testing.web import TinyWeb, site


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def cluster(folder: Path, ports: tuple[int, int], routes: tuple[int, int]) -> Iterator[None]:
    """Two servers of one operator, as somebody else would run them."""
    identity = identity_of(folder)
    running = []
    for number, (port, route, other) in enumerate(zip(ports, routes, reversed(routes), strict=True)):
        text = identity.configuration("127.0.0.1", port, {}).replace("server_name: whimbrel", f"server_name: n{number}")
        text += f'cluster {{ name: c, listen: "127.0.0.1:{route}", routes: ["nats://127.0.0.1:{other}"] }}\n'
        (folder / f"{number}.conf").write_text(text)
        command = [program(), "-c", str(folder / f"{number}.conf")]
        running.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    try:
        while not all(map(listening, ports)):
            assert all(process.poll() is None for process in running)
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def test_a_cluster_of_ones_own_carries_a_crawl(tmp_path: Path) -> None:
    folder, place, theirs = tmp_path / "far", tmp_path / "place", tmp_path / "theirs"
    identity = identity_of(theirs)
    key = tmp_path / "account.key"
    key.write_text(written_seed(KeyRole.ACCOUNT, identity.account.seed) + "\n")
    ports = free_port(), free_port()
    servers = tuple(f"127.0.0.1:{port}" for port in ports)
    with cluster(theirs, ports, (free_port(), free_port())):
        own = OwnServer(servers, asyncio.run(one_certificate(servers)), f"file:{key}")
        folder.mkdir()
        code = invite(folder, WantedPlace("library", ("127.0.0.1",), MONTH, own=own)).code
        assert read(code).servers == servers

        async def let_in() -> None:
            keeper = Keeper(folder)
            await keeper.open()
            try:
                await keeper.connected()
                # Home is at one server; the place knows only the other.
                await join(PlaceFolder(place), replace(read(code), servers=servers[1:]), PATIENCE, "test")
            finally:
                await keeper.close()

        asyncio.run(let_in())
        allow(place, requests_per_second="1000")
        with TinyWeb(site(20, 4, seed=3)) as web:
            crawl(tmp_path / "local", web.url("/"))
            with at_work(place):
                assert crawl_far(folder, web.url("/"), check_share=0.0).why == "finished"
        assert not (folder / "places" / "server.pid").exists(), "no server of its own"
    assert everything(folder) == everything(tmp_path / "local")
    assert PlaceBook(folder).read().places["library"].visits >= 20
    assert not revoke(folder, "library")
    with pytest.raises(PlaceRefused, match="choose another name"):
        invite(folder, WantedPlace("library", ("127.0.0.1",), MONTH))


def test_servers_that_cannot_be_used_are_refused_with_words(tmp_path: Path) -> None:
    with pytest.raises(DialError, match="no server answers"):
        asyncio.run(one_certificate([f"127.0.0.1:{free_port()}"]))
    (tmp_path / "whimbrel.toml").write_text('[places]\nserver = "nats://127.0.0.1:1"\n')
    asked = subprocess.run(
        [sys.executable, "-m", "whimbrel", "places", "invite", "library", "--sites", "a.example"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert asked.returncode != 0
    assert "account" in asked.stderr


def test_a_place_is_invited_for_hosts_whatever_their_ports(tmp_path: Path) -> None:
    """With the port in its name no page would ever have been of that host."""
    command = [sys.executable, "-m", "whimbrel", "places", "invite", "library", "--repo", str(tmp_path / "home")]
    asked = subprocess.run([*command, "--sites", "127.0.0.1:8000,Docs.example.org"], capture_output=True, text=True)
    assert asked.returncode == 0
    assert PlaceBook(tmp_path / "home").read().places["library"].sites == ["127.0.0.1", "docs.example.org"]
    refused = subprocess.run([*command, "--sites", "https://docs.example.org/"], capture_output=True, text=True)
    assert "is no host" in refused.stderr


def test_a_key_of_an_account_is_read_as_nats_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = fresh(KeyRole.ACCOUNT)
    text = written_seed(KeyRole.ACCOUNT, pair.seed)
    assert text.startswith("SA")
    monkeypatch.setenv("ACCOUNT", f" {text}\n")
    assert account_at("env:ACCOUNT").public == pair.public
    assert read_seed(written_seed(KeyRole.USER, pair.seed), KeyRole.ACCOUNT) is None
    for bad in ("", "SA", text[:-1] + ("A" if text[-1] != "A" else "B")):
        (tmp_path / "key").write_text(bad)
        with pytest.raises(AccountMissing, match="begins with SA"):
            account_at(f"file:{tmp_path / 'key'}")
    with pytest.raises(AccountMissing, match="cannot be read"):
        account_at("env:NOBODY_SET_THIS")
