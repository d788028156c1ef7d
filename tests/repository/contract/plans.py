"""Plans by hand: URLs found, pages kept, without a crawl."""

from hashlib import sha256

from whimbrel.records.url import Url
from whimbrel.repository import warc
from whimbrel.repository.contract import ArchivePiece, FoundUrl, Kept, Lease, Plan, Settled
from whimbrel.urls.normal import host
from whimbrel.urls.normal import key as key_of

A = "http://a.example"
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"


def url(path: str, origin: str = A) -> Url:
    return Url(f"{origin}{path}")


def find(plan: Plan, *urls: Url, depth: int = 0, band: int = 0, at: float = 0.0, asset: int = 0, news: int = 0) -> None:
    """Found, and queued in this order."""
    for one in urls:
        key = key_of(one)
        plan.found.append(FoundUrl(key, one, host(one), depth, 0, 0, asset, None, 1.0, "discovered", "", "", news))
        plan.queued.append((key, host(one), band, at))


def found(*urls: Url, **named: int) -> Plan:
    plan = Plan()
    find(plan, *urls, **named)
    return plan


def keep(
    plan: Plan, one: Url, text: bytes, at: float, *, known: bool = False, twin_of: Url | None = None, title: str = "",
    lease: Lease | None = None, private: bool = False, etag: str = "",
) -> int:  # fmt: skip
    """A visit that brought a page, or with `twin_of` the same bytes as another one's. `known`: no new URL. Returns its
    index among what the plan keeps."""
    key, digest, index = key_of(one), sha256(text).digest(), len(plan.kept)
    if not known:
        plan.found.append(FoundUrl(key, one, host(one), 0, 0, 0, 0, None, at, "discovered", "", ""))
    label = warc.labelled(digest)
    if twin_of is None:
        record = warc.response(one, at, "192.0.2.1", "", HEAD, text, label, warc.record_id(), private)
        plan.survivors[digest] = key
    else:
        record = warc.revisit(one, at, HEAD, label, twin_of, at, private)
    piece = len(plan.pieces)
    plan.pieces.append(ArchivePiece(record + warc.request(one, at, b"GET / HTTP/1.1\r\n\r\n", ""), len(record)))
    plan.kept.append(
        Kept(key, one, at, 200, "text/html", "utf-8", "en", title or one, "", digest, digest, len(text), len(text),
             etag, "", "", piece, twin_of is None, digest, b"read: " + text, private)
    )  # fmt: skip
    outcome, reason = ("fetched", "") if twin_of is None else ("duplicate", "same bytes")
    plan.settled.append(Settled(key, outcome, "", reason, 200, at, None, index))
    plan.events.append((key, "kept", index))
    if lease is not None:
        plan.done.append(lease)
    return index


def kept(one: Url, text: bytes, at: float, **named: object) -> Plan:
    plan = Plan()
    keep(plan, one, text, at, **named)  # type: ignore[arg-type]
    return plan
