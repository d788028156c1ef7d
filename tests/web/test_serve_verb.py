"""`whimbrel serve` as a person starts it."""

import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from web_client import Running

SERVE = [sys.executable, "-c", "import sys; from whimbrel.cli.serve import command; sys.exit(command())"]


def started(*arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen([*SERVE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_is_and_ends_cleanly(tmp_path: Path, number: int) -> None:
    with started("--repo", str(tmp_path), "--port", "0", "--no-open") as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        address = said.split(" is served at ")[1].split()[0]
        assert address.startswith("http://127.0.0.1:")
        # Line by line: what `readline` has read ahead `communicate` does not see.
        empty = process.stdout.readline()
        assert empty == "Nothing is kept there yet: name a site in the crawl room, or another folder with --repo.\n"
        with urllib.request.urlopen(address, timeout=120) as answer:
            assert b"Nothing is kept in this folder yet" in answer.read()
        process.send_signal(number)
        rest, errors = process.communicate(timeout=120)
    assert (process.returncode, rest, errors) == (0, "", "")


def test_the_key_is_said_once(tmp_path: Path) -> None:
    said = []
    for _ in range(2):
        with started("--repo", str(tmp_path), "--host", "0.0.0.0", "--port", "0", "--no-open") as process:
            assert process.stdout is not None
            process.stdout.readline()
            lines = [process.stdout.readline()]
            if "said only now" in lines[0]:
                lines.append(process.stdout.readline())
            said.append("".join(lines))
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=120)
            assert process.returncode == 0, "also before it has answered anybody"
    key = (tmp_path / "serve.key").read_text().strip()
    assert key in said[0]
    assert key not in said[1]
    assert "serve.key" in said[1]


def test_a_taken_port_is_answered(server: Running, tmp_path: Path) -> None:
    done = subprocess.run(
        [*SERVE, "--repo", str(tmp_path), "--port", str(server.port)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 2
    assert f"port {server.port} on 127.0.0.1 is taken by another program" in done.stderr
    assert "Traceback" not in done.stderr
