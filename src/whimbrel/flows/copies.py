"""Documents as they were meant, from records as they were received: the one place where kept copies are decoded."""

from isal import igzip_lib
from msgspec import Struct

from whimbrel.change.version import ComparedVersion, read_version
from whimbrel.fetch.decode import plain
from whimbrel.fetch.head import read_head
from whimbrel.records.response import Failure, FailureKind
from whimbrel.records.visit import Visit
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.port.followed import Followed
from whimbrel.repository.warc import Content

_END_OF_HEADER = b"\r\n\r\n"


class DecodedCopy(Struct, frozen=True):
    """A document with its content coding undone, and where it stood. `headers` are the server's, names in lower
    case."""

    headers: dict[str, str]
    body: bytes
    address: str = ""

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")

    def version(self) -> ComparedVersion:
        return read_version(self.body, self.content_type, address=self.address)


def decoded(content: Content) -> DecodedCopy | Failure:
    return _decoded(content.head, content.payload, content.warc_headers.get("warc-target-uri", ""))


def kept_copy(content: Content) -> DecodedCopy | None:
    """None where the archive holds something that cannot be read any more."""
    copy = decoded(content)
    return None if isinstance(copy, Failure) else copy


def copy_of(source: Followed, version: int) -> DecodedCopy | None:
    """The copy of a version by its number; None where it is not there any more, or cannot be read."""
    try:
        return kept_copy(source.copy(version))
    except RepositoryError:
        return None


def visited_copy(visit: Visit) -> DecodedCopy | None:
    """The document that a visit brings home, from the record that would be archived."""
    if visit.archived is None:
        return None
    record = bytes(igzip_lib.decompress(visit.archived.response, igzip_lib.DECOMP_GZIP))
    block = record[record.index(_END_OF_HEADER) + len(_END_OF_HEADER) : -len(_END_OF_HEADER)]
    copy = _decoded(visit.head, block[len(visit.head) :], visit.url)
    return None if isinstance(copy, Failure) else copy


def _decoded(head: bytes, payload: bytes, address: str) -> DecodedCopy | Failure:
    read = read_head(head.splitlines(keepends=True))
    if read is None:
        return Failure(FailureKind.PROTOCOL, "the kept copy has no readable HTTP head")
    body = plain(read.headers.get("content-encoding", ""), payload)
    return body if isinstance(body, Failure) else DecodedCopy(read.headers, body, address)
