"""Machines far from each other on one machine: network namespaces with a link between them and a NAT before the site.

    home ── link ── router ── site          one link, router and site for each place

Namespaces are held by a process that ends with its input, and all that is started in them dies with whoever started
it: nothing is left behind, also after a kill. From inside no way leads out of them, neither to the machine nor beyond.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from msgspec import Struct

from whimbrel.bench.link import WEB_PORT
from whimbrel.bench.machine import MissingTool
from whimbrel.bench.peers import settings

TOOLS = ("ip", "iptables", "nsenter", "setpriv", "unshare")
_DEVICE = "far"


class Crossed(Struct, frozen=True):
    """Bytes of packets that came out of a link: from home to the site, and from there home; of both, `web` are those to
    and from the web server."""

    out: int
    back: int
    web: int

    @property
    def both(self) -> int:
        return self.out + self.back


class Namespace:
    """A network of its own, with nothing but loopback in the beginning."""

    def __init__(self) -> None:
        self._holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "ip link set lo up && echo there && exec cat"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert self._holder.stdout is not None
        assert self._holder.stderr is not None
        if self._holder.stdout.readline() != b"there\n":
            why = self._holder.stderr.read().decode("utf-8", "replace").strip()
            self.close()
            raise MissingTool(f"no network namespace can be had here: {why}")
        self.pid = self._holder.pid
        self.write("ipv6/conf/all/disable_ipv6", "1")  # it would look for routers over the link

    def inside(self, command: Sequence[str]) -> list[str]:
        """The command as it runs in here, and dies with this process, from which it has to be started: also where that
        ends before the kernel was asked for it."""
        alive = ["sh", "-c", f'[ "$PPID" = {os.getpid()} ] && exec "$@"', "sh"]
        return ["nsenter", f"--net=/proc/{self.pid}/ns/net", "setpriv", "--pdeathsig", "KILL", *alive, *command]

    def run(self, *command: str) -> None:
        done = subprocess.run(self.inside(command), capture_output=True, text=True, check=False)
        if done.returncode:
            raise MissingTool(f"`{' '.join(command)}` in a network namespace: {done.stderr.strip()}")

    def write(self, setting: str, value: str) -> None:
        self.run("sh", "-c", f"echo {value} > /proc/sys/net/{setting}")

    def start(
        self, command: Sequence[str], log: Path, environment: Mapping[str, str] = {}
    ) -> "subprocess.Popen[bytes]":
        with log.open("ab") as out:
            return subprocess.Popen(
                self.inside(command),
                env={**settings(), **environment},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )

    def close(self) -> None:
        for pipe in (self._holder.stdin, self._holder.stdout, self._holder.stderr):
            if pipe is not None:
                pipe.close()
        self._holder.wait()


class FarLink:
    """The link to one site. `way` says how long and how wide it is from now on."""

    def __init__(self, home: Namespace, router: Namespace, device: str) -> None:
        command = [sys.executable, "-P", "-m", "whimbrel.bench.link"]
        ends = [str(home.pid), device, str(router.pid), _DEVICE]
        self._program = subprocess.Popen([*command, *ends], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._heard()

    def _heard(self) -> dict[str, int]:
        assert self._program.stdout is not None
        line = self._program.stdout.readline()
        if not line:
            raise MissingTool("no link between network namespaces can be made here: /dev/net/tun cannot be used")
        answer: dict[str, int] = json.loads(line)
        return answer

    def _say(self, **wanted: object) -> Crossed:
        assert self._program.stdin is not None
        self._program.stdin.write(json.dumps(wanted).encode() + b"\n")
        self._program.stdin.flush()
        answer = self._heard()
        return Crossed(answer["forth"], answer["back"], answer["web"])

    def way(self, round_trip_seconds: float = 0.0, bits_a_second: float = 0.0) -> None:
        """0 bits a second: as many as this machine carries."""
        self._say(delay=round_trip_seconds / 2, rate=bits_a_second)

    def cut(self, so: bool) -> None:
        self._say(cut=so)

    def take(self) -> Crossed:
        """What crossed since this, or anything else, was asked."""
        return self._say()

    def close(self) -> None:
        if self._program.stdin is not None:
            self._program.stdin.close()
        self._program.wait()
        if self._program.stdout is not None:
            self._program.stdout.close()


class FarSite(Struct, frozen=True):
    """`host` is the site's address, from home as on its own machine; `near` is one more that crawlers take for one of
    their own machine's, where they do not wait between requests."""

    machine: Namespace
    router: Namespace
    link: FarLink
    host: str
    near: str


class FarWorld(Struct, frozen=True):
    home: Namespace
    address: str
    sites: tuple[FarSite, ...]


def hindrance() -> str:
    """Why there can be no such world here; empty where there can."""
    if os.geteuid() != 0:
        return "network namespaces with a NAT take root"
    if missing := [
        tool for tool in TOOLS if shutil.which(tool, path=f"{os.environ.get('PATH', '')}:/usr/sbin") is None
    ]:
        return f"{', '.join(missing)} is not installed (Debian packages iproute2, iptables, util-linux)"
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        return "there is no /dev/net/tun"
    return ""


@contextmanager
def far_world(count: int = 1) -> Iterator[FarWorld]:
    """Home and so many sites, each behind a link and a NAT of its own."""
    if why := hindrance():
        raise MissingTool(why)
    with ExitStack() as stack:
        home = stack.enter_context(_namespace())
        address = "10.77.0.1"
        home.run("ip", "address", "add", f"{address}/32", "dev", "lo")
        _routes_near(home)
        sites = tuple(_site(stack, home, address, number) for number in range(1, count + 1))
        yield FarWorld(home, address, sites)


@contextmanager
def _namespace() -> Iterator[Namespace]:
    made = Namespace()
    try:
        yield made
    finally:
        made.close()


def _routes_near(one: Namespace) -> None:
    """Loopback is 127.0.0.1 alone here; other addresses that begin so may be elsewhere."""
    one.write("ipv4/conf/all/route_localnet", "1")
    one.write("ipv4/conf/all/rp_filter", "0")
    for words in (("address", "del", "127.0.0.1/8"), ("address", "add", "127.0.0.1/32")):
        one.run("ip", *words, "dev", "lo")


def _site(stack: ExitStack, home: Namespace, address: str, number: int) -> FarSite:
    router, machine = stack.enter_context(_namespace()), stack.enter_context(_namespace())
    device, host, near = f"{_DEVICE}{number}", f"10.77.{number}.2", f"127.77.{number}.2"
    inner, inside = f"10.78.{number}.1", f"10.78.{number}.2"
    link = FarLink(home, router, device)
    stack.callback(link.close)
    _routes_near(router)
    home.run("ip", "link", "set", device, "up")
    for there in (host, near):
        home.run("ip", "route", "add", f"{there}/32", "dev", device, "src", address)
    router.run("ip", "address", "add", f"{host}/32", "dev", _DEVICE)
    router.run("ip", "link", "set", _DEVICE, "up")
    router.run("ip", "route", "add", f"{address}/32", "dev", _DEVICE)
    router.run("ip", "link", "add", "inside", "type", "veth", "peer", "name", "out", "netns", str(machine.pid))
    router.run("ip", "address", "add", f"{inner}/24", "dev", "inside")
    router.run("ip", "link", "set", "inside", "up")
    router.write("ipv4/ip_forward", "1")
    _translate(router, (host, near), inside)
    machine.run("ip", "address", "add", f"{inside}/24", "dev", "out")
    machine.run("ip", "link", "set", "out", "up")
    machine.run("ip", "route", "add", "default", "via", inner)
    machine.run("ip", "address", "add", f"{host}/32", "dev", "lo")
    return FarSite(machine, router, link, host, near)


def _translate(router: Namespace, shown: Sequence[str], inside: str) -> None:
    """Whoever is inside may call out, under the router's address; from outside only the web server is reached."""
    router.run("iptables", "-P", "FORWARD", "DROP")
    forward = ("iptables", "-A", "FORWARD")
    router.run(*forward, "-i", "inside", "-o", _DEVICE, "-j", "ACCEPT")
    router.run(*forward, "-m", "conntrack", "--ctstate", "ESTABLISHED,RELATED", "-j", "ACCEPT")
    router.run(*forward, "-i", _DEVICE, "-p", "tcp", "--dport", str(WEB_PORT), "-j", "ACCEPT")
    table = ("iptables", "-t", "nat", "-A")
    for address in shown:
        router.run(
            *table, "PREROUTING", "-i", _DEVICE, "-d", address, "-p", "tcp", "--dport", str(WEB_PORT),
            "-j", "DNAT", "--to-destination", f"{inside}:{WEB_PORT}",
        )  # fmt: skip
    router.run(*table, "POSTROUTING", "-o", _DEVICE, "-j", "MASQUERADE")
