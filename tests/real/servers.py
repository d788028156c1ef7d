"""Programs that other people wrote, started on loopback and stopped again."""

import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import environ, killpg
from pathlib import Path
from signal import SIGTERM


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def running(
    command: Sequence[str | Path], log: Path, ready: str, env: Mapping[str, str] | None = None
) -> Iterator[None]:
    """A server, from the moment when it says that it is ready. Its later words go to `log`."""
    with (
        log.open("w") as written,
        subprocess.Popen(
            command, stdout=written, stderr=subprocess.STDOUT, env={**environ, **(env or {})}, start_new_session=True
        ) as server,
        subprocess.Popen(["tail", "-n", "+1", "-F", log], stdout=subprocess.PIPE, text=True) as followed,
    ):
        try:
            assert followed.stdout is not None
            # Ends by itself when the server does: an unready server must not hold the tests up for ever.
            with subprocess.Popen(["sh", "-c", f"tail --pid={server.pid} -f /dev/null; kill {followed.pid}"]) as watch:
                assert any(ready in line for line in followed.stdout), log.read_text()
                watch.terminate()
            followed.terminate()
            yield
        finally:
            followed.kill()
            killpg(server.pid, SIGTERM)  # PHP's own workers outlive it otherwise


@contextmanager
def php(
    root: Path, port: int, log: Path, env: Mapping[str, str] | None = None, router: Path | None = None
) -> Iterator[str]:
    """PHP's own web server over the files in `root`, four requests at a time."""
    command: list[str | Path] = ["php", "-d", "display_errors=stderr", "-S", f"127.0.0.1:{port}", "-t", root]
    with running(
        [*command, *([router] if router else [])], log, "started", {"PHP_CLI_SERVER_WORKERS": "4", **(env or {})}
    ):
        yield f"http://127.0.0.1:{port}/"
