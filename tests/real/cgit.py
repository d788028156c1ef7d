"""cgit as Debian packages it, over a repository made for the purpose, behind a small CGI server."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar
from urllib.parse import unquote

PROGRAM = "/usr/lib/cgit/cgit.cgi"
NEEDS = (PROGRAM, "/usr/bin/git")
_STATIC = Path("/usr/share/cgit")


@dataclass(frozen=True)
class Cgit:
    url: str
    repository: Path


def _history(commits: int, files: int) -> bytes:
    """For `git fast-import`: every commit writes one file anew, so that blobs, trees and diffs differ."""
    made = []
    for number in range(commits):
        name = f"src/part{number % files}/module{number % files}.txt"
        text = "".join(f"line {line} of module {number % files}, revision {number // files}\n" for line in range(12))
        message = f"Revise module {number % files}\n"
        who = f"Writer <writer@example.org> {1_700_000_000 + number * 3600} +0000"
        made.append(f"commit refs/heads/main\nauthor {who}\ncommitter {who}\ndata {len(message)}\n{message}")
        made.append(f"M 100644 inline {name}\ndata {len(text)}\n{text}\n")
    return "".join(made).encode()


@contextmanager
def cgit(folder: Path, commits: int = 60, files: int = 6, robots: str | None = None) -> Iterator[Cgit]:
    """`robots` is cgit's own setting; None leaves its default, "index, nofollow"."""
    repository = folder / "modules.git"
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", repository], check=True)
    subprocess.run(["git", "-C", repository, "fast-import", "--quiet"], input=_history(commits, files), check=True)
    settings = folder / "cgitrc"
    said = "" if robots is None else f"robots={robots}\n"
    settings.write_text(
        f"virtual-root=/\ncss=/cgit.css\nlogo=/cgit.png\nenable-commit-graph=1\nenable-index-links=1\n{said}"
        f"repo.url=modules\nrepo.path={repository}\nrepo.desc=Modules and their history\n"
    )

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        environment: ClassVar[dict[str, str]] = {**os.environ, "CGIT_CONFIG": str(settings), "REQUEST_METHOD": "GET"}

        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            static = _STATIC / path.lstrip("/")
            if path != "/" and "/" not in path[1:] and static.is_file():
                kind = {".css": "text/css", ".png": "image/png", ".ico": "image/x-icon"}.get(
                    static.suffix, "text/plain"
                )
                return self.answer("200 OK", [("Content-Type", kind)], static.read_bytes())
            asked = {
                "PATH_INFO": unquote(path),
                "QUERY_STRING": query,
                "SCRIPT_NAME": "",
                "HTTP_HOST": self.headers["Host"],
            }
            said = subprocess.run([PROGRAM], env={**self.environment, **asked}, capture_output=True, check=False).stdout
            head, _, body = said.partition(b"\n\n")
            fields = [line.split(": ", 1) for line in head.decode("latin-1").splitlines() if ": " in line]
            status = next((value for name, value in fields if name == "Status"), "200 OK")
            return self.answer(status, [(name, value) for name, value in fields if name != "Status"], body)

        def answer(self, status: str, fields: list[tuple[str, str]], body: bytes) -> None:
            code, _, words = status.partition(" ")
            self.send_response(int(code), words)
            for name, value in fields:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """The tests' own output is enough."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield Cgit(f"http://127.0.0.1:{server.server_address[1]}/", repository)
        finally:
            server.shutdown()
