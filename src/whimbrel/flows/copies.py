"""Documents as they were meant, from records as they were received."""

from isal import igzip_lib
from msgspec import Struct

from whimbrel.change.version import ComparedVersion, read_version
from whimbrel.fetch.decode import plain
from whimbrel.fetch.head import read_head
from whimbrel.records.response import Failure
from whimbrel.records.visit import Visit
from whimbrel.repository.warc import Content

_END_OF_HEADER = b"\r\n\r\n"


class ReadCopy(Struct, frozen=True):
    """A document with its content coding undone, and where it stood."""

    body: bytes
    content_type: str
    address: str

    def version(self) -> ComparedVersion:
        return read_version(self.body, self.content_type, address=self.address)


def kept_copy(content: Content) -> ReadCopy | None:
    """None where the archive holds something that cannot be read any more."""
    return _decoded(content.head, content.payload, content.warc_headers.get("warc-target-uri", ""))


def visited_copy(visit: Visit) -> ReadCopy | None:
    """The document that a visit brings home, from the record that would be archived."""
    if visit.archived is None:
        return None
    record = bytes(igzip_lib.decompress(visit.archived.response, igzip_lib.DECOMP_GZIP))
    block = record[record.index(_END_OF_HEADER) + len(_END_OF_HEADER) : -len(_END_OF_HEADER)]
    return _decoded(visit.head, block[len(visit.head) :], visit.url)


def _decoded(head: bytes, payload: bytes, address: str) -> ReadCopy | None:
    read = read_head(head.splitlines(keepends=True))
    if read is None:
        return None
    body = plain(read.headers.get("content-encoding", ""), payload)
    return None if isinstance(body, Failure) else ReadCopy(body, read.headers.get("content-type", ""), address)
