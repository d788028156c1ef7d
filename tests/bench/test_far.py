"""Machines far from each other on one machine. These need root and a few tools, and are left out without them."""

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from whimbrel.bench.far_faults import WHOM, compared, far_faults
from whimbrel.bench.far_moves import STRATEGIES, far_moves
from whimbrel.bench.link import ROOM_SECONDS, Way
from whimbrel.bench.namespaces import far_world, hindrance
from whimbrel.bench.server import NGINX

needs_namespaces = pytest.mark.skipif(bool(hindrance()), reason=hindrance())

SERVER = """
import http.server, sys
class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        body = self.client_address[0].encode() + b"x" * 20_000
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
server = http.server.HTTPServer(("0.0.0.0", int(sys.argv[1])), Answer)
print("listens", flush=True)
server.serve_forever()
"""
ASK = """
import sys, urllib.request
try:
    print(urllib.request.urlopen(sys.argv[1], timeout=float(sys.argv[2])).read()[:12].decode().rstrip("x"))
except OSError:
    print("nobody")
"""


def test_packets_leave_one_after_the_other_and_arrive_later() -> None:
    way = Way()
    for _ in range(3):
        way.put(b"p" * 1000, 0.0, 0.05, 80_000.0)  # a tenth of a second each
    assert way.arrived(0.1) == []
    assert len(way.arrived(0.151)) == 1
    assert way.wait(0.151) == pytest.approx(0.099)
    assert len(way.arrived(1.0)) == 2
    assert way.crossed == 3000


def test_what_has_no_room_before_the_narrow_part_is_lost() -> None:
    way = Way()
    for _ in range(2000):
        way.put(b"p" * 1000, 0.0, 0.0, 8_000_000.0)
    arrived = len(way.arrived(10.0))
    assert ROOM_SECONDS * 1000 <= arrived <= ROOM_SECONDS * 1000 + 2


@needs_namespaces
def test_a_site_behind_a_nat_is_reached_by_its_web_server_alone_and_packets_are_counted() -> None:
    with far_world() as world:
        site = world.sites[0]
        running = [
            subprocess.Popen(machine.inside([sys.executable, "-c", SERVER, port]), stdout=subprocess.PIPE)
            for machine, port in ((site.machine, "80"), (site.machine, "81"), (world.home, "4222"))
        ]
        try:
            for one in running:
                assert one.stdout is not None
                assert one.stdout.readline() == b"listens\n"

            def ask(machine: "object", url: str, seconds: float = 300.0) -> str:
                command = machine.inside([sys.executable, "-c", ASK, url, str(seconds)])  # type: ignore[attr-defined]
                return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

            site.link.take()
            assert ask(world.home, f"http://{site.host}/") == world.address
            crossed = site.link.take()
            assert 20_000 < crossed.back < 30_000
            assert 100 < crossed.out < 5_000
            assert crossed.web == crossed.both
            assert ask(site.machine, f"http://{site.host}/") != world.address
            assert site.link.take().both == 0, "on its own machine the site is not asked over the link"
            assert ask(site.machine, f"http://{world.address}:4222/") == site.host, "as who it is behind"
            crossed = site.link.take()
            assert crossed.both > 20_000
            assert crossed.web == 0
            assert ask(world.home, f"http://{site.host}:81/", 0.3) == "nobody"
            site.link.cut(True)
            assert ask(world.home, f"http://{site.host}/", 0.3) == "nobody"
            site.link.cut(False)
            site.link.way(0.02, 10e6)
            assert ask(world.home, f"http://{site.host}/") == world.address
        finally:
            for one in running:
                one.kill()
                one.wait()
                if one.stdout is not None:
                    one.stdout.close()


@needs_namespaces
def test_nothing_is_left_of_it_after_a_kill(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from whimbrel.bench.namespaces import far_world
with far_world() as world:
    started = world.home.start(["sleep", "1000"], Path(sys.argv[1]))
    print(world.home.pid, world.sites[0].machine.pid, started.pid, flush=True)
    sys.stdin.read()
"""
    bench = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "log")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert bench.stdout is not None
    assert bench.stdin is not None
    descriptors = [os.pidfd_open(int(pid)) for pid in bench.stdout.readline().split()]
    bench.kill()
    bench.wait()
    for descriptor in descriptors:
        assert select.select([descriptor], [], [], 300)[0], "it is still there"
        os.close(descriptor)
    bench.stdout.close()
    bench.stdin.close()


def test_what_is_missing_other_or_kept_twice_is_counted() -> None:
    wanted = [("a", 0, "fetched", "", b"1"), ("b", 1, "fetched", "", b"2"), ("c", 1, "failed", "")]
    assert compared(wanted, list(wanted)) == (0, 0, 0)
    found = [("a", 0, "fetched", "", b"1", b"1"), ("c", 1, "fetched", "", b"3"), ("d", 1, "gone", "")]
    assert compared(wanted, found) == (1, 3, 1)


@pytest.mark.long
@needs_namespaces
@pytest.mark.skipif(not NGINX.exists(), reason="nginx is not installed")
def test_whoever_is_killed_behind_a_nat_with_a_wrong_clock_nothing_is_lost_or_kept_twice(tmp_path: Path) -> None:
    rows = far_faults(tmp_path / "faults", lambda words: None, points=len(WHOM), cut_seconds=5.0)
    assert {row.whom for row in rows} == set(WHOM)
    assert [row for row in rows if row.faults] == []


@pytest.mark.long
@needs_namespaces
@pytest.mark.skipif(not NGINX.exists(), reason="nginx is not installed")
def test_a_site_moves_to_the_quicker_of_two_real_places_and_nothing_is_lost_or_kept_twice(tmp_path: Path) -> None:
    rows = far_moves(tmp_path / "moves", lambda words: None)
    assert [row.strategy for row in rows] == list(STRATEGIES)
    assert [row for row in rows if row.faults] == []
    assert all(row.moves == 1 and "at place `quick`" in row.why for row in rows), "status --why says where it went"
