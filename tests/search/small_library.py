"""A repository of pages written down here, as a crawl would have kept them."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from whimbrel.flows.packing import pack
from whimbrel.parse.html import read
from whimbrel.records.url import Url
from whimbrel.records.visit import Reading
from whimbrel.repository.contract import ArchivePiece, FoundUrl, Kept, Plan, Settled
from whimbrel.repository.embedded.store import Store
from whimbrel.repository.warc import record_id, response
from whimbrel.search.contract import Answer
from whimbrel.urls.normal import host
from whimbrel.urls.normal import key as key_of

HOST = "http://library.example"
NOW = 1_700_000_000.0


class Book(Struct, frozen=True):
    """A page. `links` are paths and what the page calls them; `twin_of` is the path of the page it is a copy of."""

    title: str
    text: str
    links: Mapping[str, str] = {}
    language: str = "en"
    mime: str = "text/html"
    last_modified: str = ""
    html: str = ""
    twin_of: str = ""


def url_of(path: str) -> Url:
    return Url(path if "://" in path else f"{HOST}{path}")


def paths(answer: Answer) -> list[str]:
    """Where the hits are, best first."""
    return ["/" + hit.url.split("/", 3)[3] for hit in answer.hits]


def keep(folder: Path, books: Mapping[str, Book], *, now: float = NOW) -> None:
    """Keeps pages, or new versions of pages."""
    store = Store(folder)
    try:
        plan = Plan()
        known = store.known([key_of(url_of(path)) for path in books])
        for path, book in books.items():
            _add(plan, path, book, now, new=key_of(url_of(path)) not in known)
        store.commit(plan, now)
    finally:
        store.close()


def lose(folder: Path, path: str) -> None:
    """The page is no longer there when it is asked for again."""
    store = Store(folder)
    try:
        key = key_of(url_of(path))
        store.commit(Plan(settled=[Settled(key, "gone", "", "", 410, NOW, None, -1)], events=[(key, "gone", -1)]), NOW)
    finally:
        store.close()


def redirect(folder: Path, path: str, target: str) -> None:
    """The URL answers with a redirect."""
    store = Store(folder)
    try:
        url, goal = url_of(path), key_of(url_of(target))
        found = FoundUrl(key_of(url), url, host(url), 1, 0, 0, False, None, NOW, "redirected", "", "")
        settled = Settled(key_of(url), "redirected", "", "", 301, NOW, goal, -1)
        store.commit(Plan(found=[found], settled=[settled]), NOW)
    finally:
        store.close()


def _add(plan: Plan, path: str, book: Book, now: float, *, new: bool) -> None:
    url = url_of(path)
    key, outcome = key_of(url), "duplicate" if book.twin_of else "fetched"
    links = {url_of(target): text for target, text in book.links.items()}
    body = (book.html or f"<title>{book.title}</title><p>{book.text}</p>").encode()
    page = read(body, f"{book.mime}; charset=utf-8")
    followed = [True] * len(links)
    reading = Reading(
        book.text, list(links), list(links.values()), followed, page.headings, page.marks, page.written_at
    )
    digest = sha256(body + url.encode()).digest()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {book.mime}; charset=utf-8\r\n\r\n".encode()
    record = response(url, now, "192.0.2.1", "http/1.1", head, body, f"sha256:{digest.hex()}", record_id())
    index = len(plan.kept)
    plan.pieces.append(ArchivePiece(record, len(record)))
    if new:
        plan.found.append(FoundUrl(key, url, host(url), 1, 0, 0, False, None, now, outcome, "", ""))
    group = sha256((book.twin_of or path).encode()).digest()
    plan.kept.append(
        Kept(key, url, now, 200, book.mime, "utf-8", book.language, book.title, "", digest, group, len(body), len(body),
             "", book.last_modified, "", index, True, digest, pack(reading) if book.mime == "text/html" else b"")
    )  # fmt: skip
    plan.settled.append(Settled(key, outcome, "", "", 200, now, None, index))
    if not book.twin_of:
        plan.survivors[group] = key
    plan.events.append((key, "duplicate" if book.twin_of else "kept", index))


BOOKS = {
    "/birds/whimbrel": Book(
        "Whimbrel - Library",
        "The whimbrel is a wader with a curved bill. It breeds on moors and is migrating to the coasts of Africa.",
        {"/birds/curlew": "the larger curlew", "/": "home"},
        html="<h1>The whimbrel</h1><h2>Migration &amp; <em>moult</em></h2><p>text</p>",
    ),
    "/birds/curlew": Book(
        "Curlew - Library",
        "The curlew is the largest wader. Its bill is longer than that of the whimbrel. Curlews call at night.",
        {"/birds/whimbrel": "seven whistler", "/": "home"},
    ),
    "/": Book(
        "Library", "A library about birds and boats.",
        {"/birds/whimbrel": "Whimbrel", "/birds/curlew": "Curlew", "/boats/sloop": "sloops", "/tokyo": "東京"},
    ),
    "/boats/sloop": Book(
        "Sloop - Library", "A sloop is a sailing boat with a single mast and the bill of sale.", {"/": "home"}
    ),
    "/print/sloop": Book(
        "Sloop - Library", "A sloop is a sailing boat with a single mast and the bill of sale.", {"/": "home"},
        twin_of="/boats/sloop",
    ),
    "/tokyo": Book("東京の図書館", "東京都立図書館は東京にある大きな図書館です。", {}, language="ja"),
    "/old": Book("Old news", "Nothing happened at the harbour.", last_modified="Tue, 02 Jan 2001 00:00:00 GMT"),
}  # fmt: skip
