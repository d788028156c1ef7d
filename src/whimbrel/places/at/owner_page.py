"""The owner's page, on loopback: whom this place works for, what is allowed, all that ever left the machine and why.

It only shows. Whoever asks has to know the key in its address, since other users of the machine can reach loopback too.
"""

import hmac
import time
from collections.abc import Mapping
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from secrets import token_urlsafe
from string import Template
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from whimbrel.places.at.diary import Diary, Leaf, leaves_before
from whimbrel.places.at.gifts import FOLDER as GIFTS
from whimbrel.places.at.joining import Membership, PlaceFolder
from whimbrel.places.at.terms import HomeTerms, PlaceTerms, TermsError, load_terms

SHOWN_AT_A_TIME = 200
SHOWN_PAGES = 500
_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
_UNITS = ("B", "kB", "MB", "GB", "TB")
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


_NO_GIFTS = "<li>With a [[folder]] in place.toml, a sitemap with true dates and a feed of changes are written.</li>"
_TEMPLATE = Template("""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>What left this machine · Whimbrel</title><link rel="stylesheet" href="/style.css?key=$key"></head>
<body><main id="main"><h1>What left this machine</h1>
$told
<section class="card" aria-labelledby="h-homes"><h2 id="h-homes">For whom, and what is allowed</h2>
<ul class="plain links">$homes</ul>
<p class="quiet small">On this machine: $machine. <code>$terms</code> says so; it is read again when it has changed.</p>
</section>
<section class="card" aria-labelledby="h-left"><h2 id="h-left">All that left, and why</h2>
<div class="scroll" tabindex="0" role="group" aria-labelledby="h-left"><table>
<thead><tr><th scope="col">when</th><th scope="col" class="n">size</th><th scope="col">what and why</th>
<th scope="col">to</th></tr></thead>
<tbody>$rows</tbody></table></div>$older</section>
<section class="card" aria-labelledby="h-gifts"><h2 id="h-gifts">For you</h2><ul class="plain">$gifts</ul></section>
</main></body></html>
""")


class OwnersAnswer(NamedTuple):
    status: int
    kind: str
    body: bytes


class OwnerPage:
    """Answers what a browser asks; `style` is the sheet that our other pages have."""

    def __init__(self, folder: PlaceFolder, style: bytes, key: str) -> None:
        self._folder = folder
        self._style = style
        self._key = key

    def answer(self, host: str, path: str, now: float) -> OwnersAnswer:
        asked = urlsplit(path)
        given = parse_qs(asked.query)
        if host.rpartition(":")[0] not in _HOSTS and host not in _HOSTS:
            return _plain(403, "This page is for this machine alone.")
        if not hmac.compare_digest(given.get("key", [""])[0].encode(), self._key.encode()):
            return _plain(403, "The key is missing: open the address that `whimbrel place page` printed.")
        if asked.path == "/style.css":
            return OwnersAnswer(200, "text/css; charset=utf-8", self._style)
        if asked.path != "/":
            return _plain(404, "There is nothing here.")
        before = given.get("before", [""])[0]
        return OwnersAnswer(200, "text/html; charset=utf-8", self._page(int(before) if before.isdigit() else None, now))

    def _page(self, before: int | None, now: float) -> bytes:
        shown, first = leaves_before(self._folder.path, before, SHOWN_AT_A_TIME)
        homes = {one.home: one for one in self._folder.memberships()}
        try:
            terms, fault = load_terms(self._folder.path), ""
        except TermsError as error:
            terms, fault = PlaceTerms(), str(error)
        diary = Diary(self._folder.path)
        rows = "".join(_leaf(leaf, homes) for leaf in shown) or '<tr><td colspan="4">Nothing has left yet.</td></tr>'
        files = "".join(f"<li><code>{escape(str(path))}</code></li>" for path in self._gifts())
        told = "".join(
            f'<p class="note trouble" role="alert">{escape(words)}</p>' for words in (fault, self._pause()) if words
        )
        return _TEMPLATE.substitute(
            key=self._key, rows=rows, told=told, machine=escape(_machine(terms)), gifts=files or _NO_GIFTS,
            terms=escape(str(self._folder.path / "place.toml")),
            homes="".join(_home(one, terms.of(one.home), diary, now) for one in homes.values()) or "<li>None yet.</li>",
            older=f'<p><a href="/?key={self._key}&amp;before={first}">Older</a></p>' if first else "",
        ).encode()  # fmt: skip

    def _pause(self) -> str:
        return "Paused: migrants are sent away. `whimbrel place resume` goes on." if self._folder.paused else ""

    def _gifts(self) -> list[Path]:
        return sorted(path for path in (self._folder.path / GIFTS).rglob("*") if path.is_file())


def _leaf(leaf: Leaf, homes: Mapping[str, Membership]) -> str:
    at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(leaf.at))
    pages = "".join(f"<li>{escape(outcome)} <bdi>{escape(url)}</bdi></li>" for url, outcome in leaf.pages[:SHOWN_PAGES])
    more = f"<li>{len(leaf.pages) - SHOWN_PAGES} more</li>" if len(leaf.pages) > SHOWN_PAGES else ""
    inside = f"<details><summary>{_pages(len(leaf.pages))}</summary><ul>{pages}{more}</ul></details>" if pages else ""
    home = homes.get(leaf.home)
    whom = f"{', '.join(home.servers)}" if home is not None else leaf.home[:16]
    return (
        f'<tr><td><time>{at}</time></td><td class="n">{_size(leaf.bytes)}</td>'
        f"<td>{escape(leaf.kind)}, {escape(leaf.why)}{inside}</td><td><bdi>{escape(whom)}</bdi></td></tr>"
    )


def _pages(count: int) -> str:
    return "1 page" if count == 1 else f"{count} pages"


def _home(one: Membership, allowed: HomeTerms | None, diary: Diary, now: float) -> str:
    state = f"for {(one.expires_at - now) / 86_400:.0f} more days" if one.jwt else "not yet answered by home"
    sent = f"{_size(diary.total(one.home))} have left in all, {_size(diary.today(one.home, now))} today"
    if allowed is None:
        may = "place.toml names it no more: it may do nothing"
    else:
        may = (
            f"may read {', '.join(allowed.sites)}, {allowed.requests_per_second:g} requests a second each, and send "
            f"{allowed.bytes_a_day} a day"
        )
    return (
        f"<li><span><b>{escape(one.home[:16])}</b> at <bdi>{escape(', '.join(one.servers))}</bdi>, as "
        f"{escape(one.place)}, {state}</span><br><span>{escape(may)}</span><br><span>{sent}</span></li>"
    )


def _machine(terms: PlaceTerms) -> str:
    place = terms.place
    return f"{place.cores_said}, {place.memory} of memory, {place.disk} of disk, {place.hours_said}"


def _plain(status: int, words: str) -> OwnersAnswer:
    return OwnersAnswer(status, "text/plain; charset=utf-8", f"{words}\n".encode())


def _size(count: float) -> str:
    for unit in _UNITS[:-1]:
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} {_UNITS[-1]}"


class OwnerServer(ThreadingHTTPServer):
    """On loopback alone; the port is the system's choice unless one is named."""

    daemon_threads = True

    def __init__(self, folder: PlaceFolder, style: bytes, port: int = 0) -> None:
        self.key = token_urlsafe(16)
        self.page = OwnerPage(folder, style, self.key)
        super().__init__(("127.0.0.1", port), _OwnerHandler)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/?key={self.key}"


class _OwnerHandler(BaseHTTPRequestHandler):
    server: OwnerServer
    timeout = 30

    def do_GET(self) -> None:
        answer = self.server.page.answer(self.headers.get("Host", ""), self.path, time.time())
        self.send_response(answer.status)
        for name, value in {**HEADERS, "Content-Type": answer.kind, "Content-Length": str(len(answer.body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, format: str, *args: object) -> None:
        """Nobody is told who looked."""
