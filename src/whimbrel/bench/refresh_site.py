"""A site that changes step by step: a real release with a seeded share of the next one laid over it.

Between the releases every page differs in bytes and all files carry one time, so a step writes the chosen files anew
and gives them times of their own, as an editor would.
"""

import mimetypes
import os
import re
import shutil
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from urllib.parse import unquote

from isal import igzip
from msgspec import Struct

from whimbrel.bench.machine import MissingTool
from whimbrel.flows.telling.saying import moment

OLD_SECONDS = 30 * 86_400.0
SITEMAP = "sitemap.xml"

# The truth is not taken from our parser: what it overlooked would be missing on both sides.
_CONTENT = re.compile(rb'<div class="body"[^>]*>(.*?)<div class="(?:sphinxsidebar|footer|related)"', re.DOTALL)
_CODE = re.compile(rb"<(script|style)\b.*?</\1>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(rb"<[^>]*>")
_HREF = re.compile(rb'href="([^"#]*)')
_ELEMENT = re.compile(rb"</?([A-Za-z][A-Za-z0-9]*)")


class ContentSaid(Struct, frozen=True):
    """What a reader of a page's content sees: its words, white space normalised, its links, and its elements."""

    words: bytes
    links: bytes
    elements: bytes


class ReleaseStep(Struct, frozen=True):
    """What a step did, as paths: pages with other bytes, pages added, pages taken away."""

    changed: frozenset[str]
    added: frozenset[str]
    removed: frozenset[str]


class Releases(Struct, frozen=True):
    """Two releases, unpacked."""

    old: Path
    new: Path

    def pages(self, folder: Path) -> set[str]:
        return {str(path.relative_to(folder)) for path in folder.rglob("*.html")}


def unpack(data: Path, folder: Path) -> Releases:
    """The first two releases of the folder with the archives."""
    archives = sorted(data.glob("*.tar.xz"))[:2]
    if len(archives) < 2:
        raise MissingTool(f"{data} holds no two releases (*.tar.xz) of a site; name another folder with --data")
    roots = []
    for archive in archives:
        with tarfile.open(archive) as packed:
            plain = [member for member in packed if _is_plain(member)]
            # A second guard, which from 3.12 on must be named and which early releases of 3.11 lack.
            packed.extraction_filter = getattr(tarfile, "data_filter", None)
            packed.extractall(folder, plain)
            roots.append(folder / plain[0].name.split("/")[0])
    return Releases(*roots)


def _is_plain(member: tarfile.TarInfo) -> bool:
    inside = not member.name.startswith("/") and ".." not in member.name.split("/")
    return inside and (member.isfile() or member.isdir())


class ServedSite:
    """The served folder. `reset` brings the old release back, with its old times."""

    def __init__(self, releases: Releases, folder: Path, now: float) -> None:
        self.releases = releases
        self.folder = folder
        self._then = now - OLD_SECONDS
        self.reset()

    def reset(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.releases.old, self.folder)
        for path in self.folder.rglob("*"):
            os.utime(path, (self._then, self._then))

    def advance(self, share: float, seed: int, *, keep_times: bool = False) -> ReleaseStep:
        """Lays a share of what differs over what is served; with `keep_times` times and sizes stay as they were."""
        chance = Random(seed)
        here, there = self.releases.pages(self.folder), self.releases.pages(self.releases.new)
        differing = sorted(path for path in here & there if self._differs(path))
        if keep_times:
            changed = chance.sample(differing, round(share * len(differing)))
            for path in changed:
                self._write(path, like=self.folder / path)
            return ReleaseStep(frozenset(changed), frozenset(), frozenset())
        changed = chance.sample(differing, round(share * len(differing)))
        added = chance.sample(sorted(there - here), round(share * len(there - here)))
        leaving = sorted(here - there - {"index.html"})
        removed = chance.sample(leaving, round(share * len(leaving)))
        for path in [*changed, *added]:
            self._write(path)
        for path in removed:
            (self.folder / path).unlink()
        return ReleaseStep(frozenset(changed), frozenset(added), frozenset(removed))

    def _differs(self, path: str) -> bool:
        return (self.folder / path).read_bytes() != (self.releases.new / path).read_bytes()

    def _write(self, path: str, like: Path | None = None) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        body = (self.releases.new / path).read_bytes()
        if like is None:
            target.write_bytes(body)
            return
        stat = like.stat()
        target.write_bytes(body[: stat.st_size].ljust(stat.st_size))
        os.utime(target, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    def hide(self, count: int, seed: int) -> list[str]:
        """Adds pages of the next release that no link reaches yet."""
        extra = sorted(self.releases.pages(self.releases.new) - self.releases.pages(self.folder))
        hidden = Random(seed).sample(extra, min(count, len(extra)))
        for path in hidden:
            self._write(path)
            os.utime(self.folder / path, (self._then, self._then))
        return hidden

    def list_pages(self, origin: str, lastmod: float | None = None, but: frozenset[str] = frozenset()) -> None:
        """A robots.txt and a sitemap of all pages `but` some: truthful by the files' times, or always saying the same
        moment."""
        rows = "".join(
            f"<url><loc>{origin}/{path}</loc>"
            f"<lastmod>{moment((self.folder / path).stat().st_mtime if lastmod is None else lastmod)}</lastmod></url>\n"
            for path in sorted(self.releases.pages(self.folder) - but)
        )
        (self.folder / SITEMAP).write_text(
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'
        )
        (self.folder / "robots.txt").write_text(f"User-agent: *\nDisallow:\nSitemap: {origin}/{SITEMAP}\n")

    def bodies(self, paths: frozenset[str]) -> dict[str, ContentSaid]:
        return {path: content_of((self.folder / path).read_bytes()) for path in paths if (self.folder / path).exists()}


def content_of(page: bytes) -> ContentSaid:
    found = _CONTENT.search(page)
    part = _CODE.sub(b"", found[1] if found else page)
    words = unescape(_TAG.sub(b" ", part).decode("utf-8", "replace")).split()
    return ContentSaid(" ".join(words).encode(), b" ".join(_HREF.findall(part)), b" ".join(_ELEMENT.findall(part)))


class ServedCount(Struct):
    """What a server sent, by its own count: answers, bodies (200), "not modified" (304), all bytes."""

    requests: int = 0
    bodies: int = 0
    not_modified: int = 0
    sent_bytes: int = 0
    packed_bytes: int = 0
    """The bodies, each compressed by itself as a migrant does before it sends them home."""


class CountingServer(ThreadingHTTPServer):
    """Serves a folder as nginx would (ETag from time and size, both conditions honoured), and counts.

    nginx itself remembers files for a minute; here they change within seconds.
    """

    daemon_threads = True

    def __init__(self, site: Path, *, validators: bool) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.site = site
        self.validators = validators
        self.counted = ServedCount()
        self.lock = threading.Lock()
        self.origin = f"http://127.0.0.1:{self.server_address[1]}"

    def take_count(self) -> ServedCount:
        """What was sent since the last time."""
        with self.lock:
            counted, self.counted = self.counted, ServedCount()
        return counted


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: CountingServer

    def do_GET(self) -> None:
        path = unquote(self.path.partition("?")[0]).lstrip("/") or "index.html"
        file = self.server.site / path
        if file.is_dir():
            file /= "index.html"
        try:
            body, stat = file.read_bytes(), file.stat()
        except OSError:
            self._answer(404, b"not here", {"Content-Type": "text/plain"})
            return
        headers = {"Content-Type": mimetypes.guess_type(file.name)[0] or "application/octet-stream"}
        if self.server.validators:
            headers["ETag"] = f'"{int(stat.st_mtime):x}-{stat.st_size:x}"'
            headers["Last-Modified"] = formatdate(int(stat.st_mtime), usegmt=True)
            asked = self.headers
            if "If-None-Match" in asked:
                same = asked["If-None-Match"] == headers["ETag"]
            else:
                same = asked.get("If-Modified-Since") == headers["Last-Modified"]
            if same:
                self._answer(304, b"", headers)
                return
        self._answer(200, body, headers)

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        lines = [f"HTTP/1.1 {status} OK", *(f"{name}: {value}" for name, value in headers.items())]
        if status != 304:
            lines.append(f"Content-Length: {len(body)}")
        answer = ("\r\n".join(lines) + "\r\n\r\n").encode() + body
        with self.server.lock:
            counted = self.server.counted
            counted.requests += 1
            counted.bodies += status == 200
            counted.not_modified += status == 304
            counted.sent_bytes += len(answer)
            counted.packed_bytes += len(igzip.compress(body)) if status == 200 else 0
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """The counts are enough."""


@contextmanager
def served(site: Path, *, validators: bool = True) -> Iterator[CountingServer]:
    with CountingServer(site, validators=validators) as server:
        thread = threading.Thread(target=server.serve_forever, name="changing-site", daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
