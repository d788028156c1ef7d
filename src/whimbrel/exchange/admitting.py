"""What an import puts in the place of a crawl's parts: URLs that are known before they are written,
and records that say which file they came from."""

from base64 import b32encode
from collections.abc import Iterable
from hashlib import sha1, sha256

from msgspec.structs import replace

from whimbrel.exchange.sources import Received
from whimbrel.flows.gather.deciding import KnownBefore
from whimbrel.records.response import Response
from whimbrel.records.visit import Archived, Visit
from whimbrel.repository import warc
from whimbrel.repository.contract import Body, FoundUrl, KnownUrl, Lease


class Admitting:
    """The store, with the URLs of a batch known to it before they are written."""

    def __init__(self, store: KnownBefore, found: dict[int, FoundUrl]) -> None:
        self._store, self._found = store, found
        self.pages, self.pictures, self.forgotten = store.pages, store.pictures, store.forgotten

    def known(self, keys: Iterable[int]) -> dict[int, KnownUrl]:
        wanted = list(keys)
        rows = self._store.known(wanted)
        new = (self._found[key] for key in wanted if key in self._found)
        rows.update(
            {f.key: KnownUrl(f.key, f.url, 0, f.depth, 0, 0, int(f.asset), f.outcome, "", None, None, 0) for f in new}
        )
        return rows

    def kin(self, keys: Iterable[int]) -> dict[int, tuple[int | None, int]]:
        return self._store.kin(keys)

    def bodies(self, digests: Iterable[bytes]) -> dict[bytes, Body]:
        return self._store.bodies(digests)

    def survivors(self, groups: Iterable[bytes]) -> dict[bytes, int]:
        return self._store.survivors(groups)

    def version_of(self, key: int) -> tuple[bytes, bytes, bytes] | None:
        return self._store.version_of(key)

    def surveyed(self, host: str) -> bool:
        return self._store.surveyed(host)

    def places_of(self, keys: Iterable[int]) -> list[Lease]:
        return self._store.places_of(keys)


def as_imported(visit: Visit, response: Response, received: Received, name: str) -> Visit:
    """The visit with a title that only the file tells, and with records that say where it came from."""
    document = visit.document
    if document is not None and received.title and not document.title:
        visit = replace(visit, document=replace(document, title=received.title))
    if visit.archived is None:
        return visit
    number, digest = warc.record_id(), warc.labelled(visit.archived.payload_digest)
    record = warc.response(
        visit.url, visit.at, response.address, "", response.head, response.raw, digest, number, response.private
    )
    asked = response.request_head
    fields = [("importedFrom", f"{_printable(name)} {received.position}"), ("hopsFromSeed", str(visit.depth))]
    others = warc.request(visit.url, visit.at, asked, number, response.private) if asked else b""
    others += warc.metadata(visit.url, visit.at, fields, number, response.private)
    return replace(visit, archived=Archived(record, others, visit.archived.payload_digest))


def _printable(name: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in name)


def has_digest(raw: bytes, labelled: str) -> bool:
    """Digests in the spellings that archives use; one of an unknown kind proves nothing either way."""
    kind, _, value = labelled.partition(":")
    make = {"sha1": sha1, "sha256": sha256, "sha-256": sha256}.get(kind.lower())
    if make is None:
        return True
    digest = make(raw).digest()
    return value.lower() in (
        digest.hex(),
        b32encode(digest).decode().rstrip("=").lower(),
        b32encode(digest).decode().lower(),
    )
