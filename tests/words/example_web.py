"""The hosts that documentation speaks of (docs.example.org and the like), answered by a proxy on this machine.

Every host has the same few pages, with a picture in a shop, and for any path a page that names it; those links lead
nowhere else, since a host on the network is asked twice a second at most. `edit()` changes one sentence of each page.
"""

import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO, cast

import trustme

from whimbrel.testing.reply import NOT_FOUND, Reply, Request, head_of

_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>About {path} · {host}</title></head><body>
<h1>About {path}</h1><p>This page of {host} tells how {path} is set up and what to do when it stops.</p>
<p>{sentence}</p><p><a href="/">Start</a> <a href="/guide/install">Install</a> <a href="/guide/search">Search</a></p>
</body></html>"""
_SHOWN = '<img src="/i/kettle.png" alt="A red kettle" width="300">'
"""On the pages of a shop."""
_KETTLE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (300).to_bytes(4) * 2 + bytes(20)
_SENTENCES = (
    "Setting {path} up takes about ten minutes.",
    "Since the last release {path} takes half an hour and the help of a second person.",
    "Nothing has to be done for {path} any more, the installer sees to it.",
    "Nobody needs {path} now.",
)


class ExampleWeb(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.sentences = iter(_SENTENCES)
        self.edit()
        self.ca_file = folder / "example-ca.pem"
        self._authority = trustme.CA()
        self._authority.cert_pem.write_to_path(str(self.ca_file))
        self.certificate = cache(self._certificate)

    @property
    def settings(self) -> dict[str, str]:
        """What makes a command find these hosts, and not wait a second between pages."""
        return {
            "WHIMBREL_FETCH_PROXY": f"http://127.0.0.1:{self.server_address[1]}",
            "WHIMBREL_FETCH_CA_FILE": str(self.ca_file),
            "WHIMBREL_FETCH_DELAY_SECONDS": "0",
        }

    def edit(self) -> None:
        self.sentence = next(self.sentences)

    def reply(self, request: Request) -> Reply:
        if request.path in ("/robots.txt", "/sitemap.xml"):
            return NOT_FOUND
        sentence = self.sentence.format(path=request.path)  # what all pages of a site say is no news of one of them
        if request.path.endswith(".png"):
            return Reply(_KETTLE, content_type="image/png")
        page = _PAGE.format(path=request.path, host=request.headers["host"], sentence=sentence)
        shown = _SHOWN if request.headers["host"].startswith("shop.") else ""
        return Reply(page.replace("</body>", f"{shown}</body>").encode())

    def _certificate(self, host: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(host).configure_cert(context)
        return context


class _Conversation(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        web = cast(ExampleWeb, self.server)
        first = _head(self.rfile)
        if first is None or first.method != "CONNECT":
            _answer(web, first, self.wfile)
            return
        self.wfile.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        with suppress(OSError):  # the client may leave
            secure = web.certificate(first.path.partition(":")[0]).wrap_socket(self.connection, server_side=True)
            with secure, secure.makefile("rwb", buffering=0) as words:
                _answer(web, _head(words), words)


def _answer(web: ExampleWeb, request: Request | None, writer: BinaryIO) -> None:
    if request is not None:
        reply = web.reply(request)
        writer.write(head_of(reply, len(reply.body)) + b"Connection: close\r\n\r\n" + reply.body)


def _head(reader: BinaryIO) -> Request | None:
    lines = list(iter(lambda: reader.readline().decode("latin-1").strip(), ""))
    return _request(lines[0], lines[1:]) if lines else None


def _request(first: str, lines: list[str]) -> Request:
    """What is asked of a proxy names a whole URL."""
    method, target, _ = first.split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if "://" in target:
        target = "/" + target.split("://", 1)[1].partition("/")[2]
    return Request(method, target, headers, 0.0, ("", 0), ("", 0))


@contextmanager
def example_web(folder: Path) -> Iterator[ExampleWeb]:
    with ExampleWeb(folder) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        try:
            yield web
        finally:
            web.shutdown()
